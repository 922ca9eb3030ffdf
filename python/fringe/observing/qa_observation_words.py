#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""fringe info OBS.yml: an observation file in words, and what is unusual in it."""
import math
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.observing.observation_words import describe_observation, unusual
from gnuradio.fringe.ground.words import with_unit
from qa_scratch import scratch_case

TEXT = """\
telescope: Roof
site: {latitude: 52, longitude: 13, height: 50}
antennas:
  - {name: west, enu: [0, 0, 0]}
  - {name: east, enu: [%g, 0, 0]}
format: cu8
sample_rate: 2.4e6
center_frequency: 1419.8e6
start_time: 2026-06-12T10:00:00Z
phase_center: %s
channels: 512
integration: %g
"""
SUN = "{ra: 5h21m15.4s, dec: +23d08m09.7s, name: Sun}"


class qa_observation_words(scratch_case):

    def written(self, length=12.0, center=SUN, seconds=1.0, more=""):
        with open(self.path("obs.yml"), "w", encoding="utf-8") as file:
            file.write(TEXT % (length, center, seconds) + more)
        return self.path("obs.yml")

    def test_all_is_reported(self):
        text = describe_observation(self.written())
        for part in ("2 antennas (west, east), 1 polarization (X)", "1, 12 m long",
                     "1.4186 GHz to 1.421 GHz", "512 of 4.6875 kHz", "4687.5 spectra",
                     "right ascension 80.3142, declination +23.1360", "elevation    58.3",
                     "sets 2026-06-12 19:19", "rises 2026-06-13 02:5", "time of the site 04h1"):
            self.assertIn(part, text)
        self.assertNotIn("unusual", text)
        # A source in the east rises with the whole baseline: w changes by the earth's turning.
        self.assertIn("at most 4.14 mHz", text)

    def test_numbers(self):
        """Fringe rate and resolution against their equations, for random baselines."""
        for length in self.rng.uniform(10, 900, 5):
            declination = self.rng.uniform(-30, 80)
            path = self.written(length, f"{{ra: 80, dec: {declination:.3f}}}")
            text = describe_observation(path)
            waves = length * 1419.8e6 / 299792458
            fastest = waves * 7.292115e-5
            self.assertIn(f"is {waves:.4g} wavelengths", text)
            shown = next(line for line in text.splitlines() if "fringe rate" in line)
            self.assertIn(f"at most {with_unit(float(f'{fastest:.3g}'), 'Hz')}", shown)
            obs = fringe.observation.from_file(path)
            seconds = np.arange(2) * 10.0
            w = [fringe.axes_of_radec(math.radians(80), math.radians(declination),
                                      obs.start_time.plus_seconds(float(s)))[2]
                 @ (np.array(obs.antennas[1].itrf) - obs.antennas[0].itrf) for s in seconds]
            rate = abs(w[1] - w[0]) / 10 / length * waves
            value, unit = shown.split("up to ")[1].split(" ")[:2]
            found = float(value) * {"Hz": 1, "mHz": 1e-3, "\u00b5Hz": 1e-6}[unit]
            self.assertLess(abs(found - rate), 0.02 * fastest)

    def test_unusual(self):
        for fields, what in (((12e6,), "are the positions in meters"),
                             ((12, "{ra: 80, dec: -75}"), "below the horizon"),
                             ((12, SUN, 0.001), "spectra only"),
                             ((0,), "at the same place"),
                             ((20e3, SUN, 10), "without tracking")):
            with self.subTest(what=what):
                self.assertIn(what, describe_observation(self.written(*fields)))
        obs = fringe.observation.from_file(self.written())
        obs.channels, obs.taps, obs.center_frequency = 514, 1, 0
        text = " ".join(unusual(obs))
        for part in ("prime factor 257", "only part of the samples", "count from 0"):
            self.assertIn(part, text)
        obs = fringe.observation.from_file(self.written())
        self.assertIn("in the future", " ".join(unusual(obs, now=1.7e9)))
        obs.set_site(0, 0, 0)
        self.assertIn("Gulf of Guinea", " ".join(unusual(obs)))

    def test_feeds(self):
        self.assertNotIn("feeds", describe_observation(self.written()))
        same = "mount: equatorial\nfeed_angle: 12.5\n"
        self.assertIn("feeds        equatorial, X at 12.5 and Y at 102.5 degrees\n",
                      describe_observation(self.written(more=same)))
        self.assertIn("feeds        mount not given, R and L at 12.5 degrees\n",
                      describe_observation(self.written(
                          more="feed_angle: 12.5\npolarizations: [R, L]\n")))
        path = self.written(more=same)
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("{name: east,", "{name: east, mount: fixed,")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.assertIn("1 antenna: equatorial, X at 12.5 and Y at 102.5 degrees; 1 antenna: fixed",
                      describe_observation(path))

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "obs.yml, line 13: field intgration: .*nearest"):
            describe_observation(self.written(more="intgration: 1\n"))


if __name__ == "__main__":
    unittest.main()
