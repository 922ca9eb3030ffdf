#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Settings that are allowed and hardly meant are named before the work begins."""
import os
import unittest

import h5py
import numpy as np

from gnuradio import fringe
from gnuradio.fringe.observing import plausible
from qa_cli import command, in_a_folder

START = "2026-01-10T12:00:00"
ARRAY = """
site: {latitude: %s, longitude: 8.0, height: 100}
antennas: [[0, 0, 0], [12, 0, 0]]
format: ci8
sample_rate: 1e6
center_frequency: 1e8
start_time: 2026-01-10T12:00:00Z
phase_center: %s
channels: 64
integration: 0.01
"""
POLE = "{ra: 10.0, dec: -80.0, name: Southern}"  # never above the horizon of 50 degrees north


class qa_plausible(in_a_folder):

    def observation(self, latitude="50.0", center="zenith"):
        return fringe.observation.from_text(ARRAY % (latitude, center))

    def dated(self, seconds):
        """The notes on a recording that was last written so long after its end."""
        path, obs = self.path("dated"), self.observation()
        with open(path, "wb"):
            pass
        end = obs.start_time.seconds + 3.0
        os.utime(path, (end + seconds, end + seconds))
        return plausible.misdated([path], obs, 3.0, now=end + 1e6)

    def test_phase_centers_below_the_horizon(self):
        obs = self.observation(center=POLE)
        self.assertRegex(plausible.below_the_horizon(obs, 1.0)[0],
                         r"^Southern is 4[567] degrees below the horizon .* 2026-01-10T12")
        self.assertEqual(plausible.below_the_horizon(self.observation("-50.0", POLE), 1.0), [])
        self.assertEqual(plausible.below_the_horizon(self.observation(), 1.0), [])
        low = self.observation(center="{az: 10.0, el: -5.0}")
        self.assertRegex(plausible.below_the_horizon(low, 1.0)[0], "5 degrees below")

    def test_a_source_that_sets(self):
        # On the equator of the sky: up for half a day.
        obs = self.observation(center="{ra: 0.0, dec: 0.0}")
        sentences = [plausible.below_the_horizon(self.later(obs, 1800 * k), 1800.0)
                     for k in range(48)]
        kinds = [sentence[0].split(" ")[3] if sentence else "" for sentence in sentences]
        self.assertEqual([kinds.count(k) for k in ("rises", "sets")], [1, 1])
        self.assertTrue(21 <= sum(not sentence for sentence in sentences) <= 25)

    @staticmethod
    def later(obs, seconds):
        other = fringe.observation(obs)
        other.start_time = obs.start_time.plus_seconds(seconds)
        return other

    def test_a_site_that_nobody_filled_in(self):
        text = (ARRAY % ("0", "zenith")).replace("longitude: 8.0", "longitude: 0")
        self.assertRegex(plausible.nowhere(fringe.observation.from_text(text))[0], "latitude 0")
        self.assertEqual(plausible.nowhere(self.observation("0")), [])

    def test_dates_that_the_file_contradicts(self):
        for seconds in (0, -50, 40, 1000, 5e5, 3600 * 15, 5400):
            self.assertEqual(self.dated(seconds), [], seconds)
        self.assertRegex(self.dated(3600 * 2 + 5)[0], "2 hours after the recording's end.*zone")
        self.assertRegex(self.dated(3590)[0], "1 hour after")
        self.assertRegex(self.dated(-7200)[0], "end 2 hours after .* was last written")
        obs = self.observation()
        self.assertRegex(
            plausible.misdated([self.path("dated")], obs, 3.0, obs.start_time.seconds - 7e5)[0],
            "8 days from now")

    def test_simulations_may_be_of_any_time(self):
        obs = self.observation()
        obs.sky = [fringe.point_source(0, 0, 1.0)]
        self.assertEqual(plausible.misdated([], obs, 3.0, 0.0), [])

    def record(self):
        rng = np.random.default_rng(3)
        rng.integers(-20, 20, 2 * 2 * 64 * 1000).astype(np.int8).tofile(self.path("x.ci8"))

    def test_the_command_says_it_on_stderr_and_in_the_history(self):
        self.record()
        self.write("low.yml", ARRAY % ("50.0", POLE))
        done = command("correlate", "x.ci8", "--obs", "low.yml", "-o", "x.uvh5", "--quiet",
                       cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^note: Southern is .* below the horizon.*\n$")
        with h5py.File(self.path("x.uvh5")) as file:
            self.assertIn("note: Southern is", file["Header/history"][()].decode())

    def test_errors_stay_one_line(self):
        self.record()
        self.write("low.yml", ARRAY % ("50.0", POLE))
        done = command("correlate", "x.ci8", "--obs", "low.yml", "-o", "x.none",
                       cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertNotIn("note:", done.stderr)

    def test_nothing_is_reported_of_what_is_right(self):
        self.record()
        self.write("right.yml", ARRAY % ("50.0", "zenith"))
        done = command("correlate", "x.ci8", "--obs", "right.yml", "-o", "x.uvh5",
                       cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
