#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Phase centers from text, several in one pass, and gains from a file."""
import math
import os
import re
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.observing import gains, phase_centers
from qa_scratch import scratch_case

ARRAY = """\
site: {latitude: -26.7, longitude: 116.67, height: 377}
antennas:
  - {name: a, enu: [0, 0, 0]}
  - {name: b, enu: [3000, 0, 0]}
  - {name: c, enu: [0, 1500, 0]}
sample_rate: 8e6
center_frequency: 150e6
start_time: "2026-06-12T23:59:40"
phase_center: {ra: 92, dec: -28}
channels: 16
spectra: 500
format: ci8
"""


class with_a_recording(scratch_case):

    def observation(self, **fields):
        obs = fringe.observation.from_text(ARRAY)
        for name, value in fields.items():
            setattr(obs, name, value)
        return obs

    def recording(self, samples=40000):
        self.rng.integers(-100, 100, (samples, 3, 2), np.int8).tofile(self.path("raw"))
        return self.path("raw")


class qa_phase_centers(with_a_recording):

    def test_text(self):
        kind = fringe.phase_center.kind
        center = phase_centers.phase_center("92.5,-27")
        self.assertEqual(center.frame, kind.radec)
        self.assertAlmostEqual(center.longitude, math.radians(92.5), places=12)
        self.assertAlmostEqual(center.latitude, math.radians(-27), places=12)
        center = phase_centers.phase_center("12h30m49.4s,+12d23m28s,M87")
        self.assertAlmostEqual(math.degrees(center.longitude), 187.70583, places=4)
        self.assertEqual(center.name, "M87")
        center = phase_centers.phase_center("az=120,el=45")
        self.assertEqual(center.frame, kind.azel)
        self.assertEqual(phase_centers.phase_center("zenith").frame, kind.zenith)
        named = phase_centers.phase_center("az=120, el=45, hill")
        self.assertEqual((named.name, named.frame), ("hill", kind.azel))
        field = fringe.phase_center.from_text("{ra: 12h30m49.4s, dec: +12d23m28s, name: 'M87'}")
        self.assertAlmostEqual(field.longitude, math.radians(15 * (12 + 30 / 60 + 49.4 / 3600)), 12)
        self.assertAlmostEqual(field.latitude, math.radians(12 + 23 / 60 + 28 / 3600), 12)
        self.assertEqual(field.name, "M87")
        with self.assertRaisesRegex(ValueError, "^here.*dec"):
            fringe.phase_center.from_text("{ra: 12}", "here")
        for bad, why in (("92", "give RA,DEC"), ("", "give RA,DEC"), ("1,", "give RA,DEC"),
                         ("az=1,2", "az=1"), ("{ra: 1, dec: [", "is not YAML"),
                         ("92,-128", "-90 ... 90"), ("1,2,3,4", "give RA"),
                         ("here,there", "here")):
            with self.assertRaisesRegex(ValueError, f"phase_centers: {re.escape(bad)}.*{why}"):
                phase_centers.phase_center(bad)

    def test_several_in_one_pass(self):
        """Each is what a run of its own makes."""
        raw = self.recording()
        centers = ["92,-28", "110,-40,far away"]
        together = fringe.correlate(raw, [self.path("x.ACC"), self.path("x.ms")],
                                    self.observation(tracking=True), phase_centers=centers)
        self.assertEqual([os.path.basename(f) for f in together.files],
                         ["x_1.ACC", "x_1.ms", "x_far_away.ACC", "x_far_away.ms"])
        for center, name in zip(centers, ("1", "far_away")):
            fringe.correlate(raw, self.path("alone.ACC"), self.observation(tracking=True),
                             phase_centers=[center], overwrite=True)
            a, b = (np.fromfile(self.path(f), np.complex64) for f in (f"x_{name}.ACC", "alone.ACC"))
            self.assertTrue(len(a))
            np.testing.assert_array_equal(a, b)
        differ = [np.fromfile(self.path(f"x_{n}.ACC"), np.complex64) for n in ("1", "far_away")]
        self.assertFalse(np.allclose(*differ))

    def test_names_that_clash(self):
        with self.assertRaisesRegex(ValueError, "same name"):
            fringe.correlate(self.recording(), self.path("x.ms"), self.observation(),
                             phase_centers=["92,-28,a", "93,-28,a"])

    def test_notes(self):
        obs = self.observation()
        # Without tracking 3 km lose a source altogether in channels of half a megahertz.
        self.assertRegex(phase_centers.warnings(obs, True)[0], "100 %.*tracking=True")
        self.assertEqual(phase_centers.warnings(self.observation(channels=4096, spectra=1), True),
                         [])
        self.assertRegex(phase_centers.warnings(self.observation(tracking=True), True)[0], "dut1")
        self.assertEqual(
            phase_centers.warnings(self.observation(tracking=True, dut1=0.05), True), [])

    def test_what_cannot_be_tracked(self):
        with self.assertRaisesRegex(ValueError, "start_time"):
            fringe.correlate(self.recording(), self.path("x.ms"),
                             self.observation(has_start_time=False), tracking=True)


class qa_gains(with_a_recording):

    def test_they_are_divided_out(self):
        raw = self.recording()
        given = self.rng.standard_normal((3, 16)) + 2 + 1j * self.rng.standard_normal((3, 16))
        np.save(self.path("g.npy"), given)
        fringe.correlate(raw, self.path("a.ACC"), self.observation(), backend="generic")
        fringe.correlate(raw, self.path("b.ACC"), self.observation(), backend="generic",
                         gains=self.path("g.npy"))
        a, b = (np.fromfile(self.path(f), np.complex64).reshape(-1, 6, 16)
                for f in ("a.ACC", "b.ACC"))
        i, j = np.triu_indices(3)
        np.testing.assert_allclose(b * (given[i] * given[j].conj()), a, rtol=1e-4,
                                   atol=1e-4 * np.abs(a).max())

    def test_text_file(self):
        with open(self.path("g.txt"), "w", encoding="utf-8") as file:
            file.write("# input channel gain phase\n1 * 2 90\n\n1 3 0.5 -180 # one of them\n")
        got = gains.read_gains(self.path("g.txt"), 3, 16)
        want = np.ones((3, 16), complex)
        want[1] = 2j
        want[1, 3] = -0.5
        np.testing.assert_allclose(got, want, atol=1e-15)

    def test_bad_files(self):
        for text, why in (("1 2 3", "line 1: has 3 words"), ("3 * 1 0", "input 3: must be 0 ... 2"),
                          ("0 16 1 0", "channel 16: must be 0 ... 15"), ("0 * one 0", "numbers"),
                          ("0 * 0 0", "input 0, channel 0: gain 0"), ("0 * nan 0", "finite")):
            with open(self.path("g.txt"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaisesRegex(ValueError, f"g.txt.*{why}"):
                gains.read_gains(self.path("g.txt"), 3, 16)
        self.rng.integers(128, 256, 99, np.uint8).tofile(self.path("g.bin"))
        with self.assertRaisesRegex(ValueError, "g.bin: is not text"):
            gains.read_gains(self.path("g.bin"), 3, 16)
        np.save(self.path("g.npy"), np.ones((2, 16)))
        with self.assertRaisesRegex(ValueError, "g.npy: holds 2 x 16"):
            gains.read_gains(self.path("g.npy"), 3, 16)


if __name__ == "__main__":
    unittest.main()
