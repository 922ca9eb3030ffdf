#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""correlate() from dumps to files: flagging, averaging, products."""
import os
import tempfile
import unittest

import numpy as np
from gnuradio import fringe
from qa_scratch import random_numbers

CHANNELS, DUMP = 32, 200
MASKED = (100.1e6, 100.2e6)
ARRAY = """\
site: {latitude: -26.7, longitude: 116.67, height: 377}
antennas: [[0, 0, 0], [10, 0, 0], [0, 15, 0], [4000, 2000, 0]]
sample_rate: 1e6
center_frequency: 100e6
start_time: "2026-06-12T23:59:40"
phase_center: {ra: 92, dec: -28}
channels: 32
spectra: 200
format: ci8
"""


class qa_outputs(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        rng = random_numbers()
        t = np.arange(40 * DUMP * CHANNELS)
        x = rng.standard_normal((len(t), 4, 2)) * 20
        carrier = 30 * np.exp(2j * np.pi * (7 / CHANNELS) * t)  # in channel 23
        x += np.stack([carrier.real, carrier.imag], 1)[:, None]
        cls.recording = os.path.join(cls.folder.name, "raw")
        np.clip(np.rint(x), -127, 127).astype(np.int8).tofile(cls.recording)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def correlated(self, name="x.ms", **options):
        path = os.path.join(self.folder.name, name)
        result = fringe.correlate(self.recording, path, fringe.observation.from_text(ARRAY),
                                  overwrite=True, **options)
        return result, fringe.read_visibilities(path)

    def test_dumps_are_flagged(self):
        result, vis = self.correlated(flag="dumps", mask=[MASKED])
        flagged = vis.flags.mean(axis=(0, 2))
        masked = (vis.frequencies > MASKED[0]) & (vis.frequencies < MASKED[1])
        self.assertEqual(masked.sum(), 3)
        self.assertTrue((flagged[masked] == 1).all(), flagged)
        clean = np.setdiff1d(np.flatnonzero(~masked), (22, 23, 24))
        # Channels next to the carrier or the mask may go as a whole, and by chance one more.
        self.assertLess(np.median(flagged[clean]), 0.05, flagged)
        self.assertLess(flagged[clean].mean(), 0.2, flagged)
        self.assertRegex(" ".join(result.notes), r"% of the visibilities flagged \(.*mask")

    def test_masks_outside_of_the_band(self):
        """Channels reach half a width beyond their centers."""
        half = 0.5e6 / CHANNELS
        outside = [(98e6, 99.5e6 - half), (100.5e6 - half, 101e6)]
        result, _ = self.correlated(flag="dumps", mask=[*outside, MASKED, (0, 99.51e6)])
        notes = [line for line in result.notes if "lies outside of the band" in line]
        self.assertEqual(len(notes), 2, notes)
        self.assertRegex(notes[0], r"^mask=9.8e\+07,.*99484375 to 100484375 Hz, and flags nothing")
        _, vis = self.correlated(flag="dumps", mask=outside)
        self.assertTrue((vis.flags.mean(axis=(0, 2))[[1, -1]] < 1).all())

    def test_spectra_are_zeroed(self):
        result, vis = self.correlated(flag="spectra")
        weight = vis.weights.mean(axis=(0, 2)) / vis.weights.max()
        self.assertLess(weight[23], 0.05)
        self.assertGreater(np.median(weight), 0.95)
        self.assertRegex(" ".join(result.notes), r"% of the spectra left out as RFI \(.*sk low")

    def test_nothing_is_flagged_unasked(self):
        result, vis = self.correlated()
        self.assertTrue((vis.weights > 0).all())
        self.assertNotIn("RFI", " ".join(result.notes))

    def test_averaged_channels_are_the_mean(self):
        _, fine = self.correlated("fine.ms", keep_edge=True)
        _, wide = self.correlated("wide.ms", average_channels=4, keep_edge=True)
        self.assertEqual(wide.data.shape[1], CHANNELS // 4)
        np.testing.assert_allclose(wide.frequencies, fine.frequencies.reshape(-1, 4).mean(1))
        # The others are phased in between, for wide channels as for narrow ones.
        i, j = fine.products
        autos = np.equal(i, j)
        want = fine.data.reshape(len(fine.data), -1, 4, fine.data.shape[2]).mean(axis=2)
        np.testing.assert_allclose(wide.data[..., autos], want[..., autos], rtol=1e-5)

    def test_products(self):
        _, vis = self.correlated("c.uvh5", products="crosses")
        crosses = np.not_equal(*vis.products)
        there = (vis.weights > 0).all(axis=(0, 1))
        np.testing.assert_array_equal(there, crosses)

    def test_short_baselines_are_averaged(self):
        whole, _ = self.correlated("all.uvh5")
        small, _ = self.correlated("few.uvh5", smearing_loss=0.01, field_radius=5.0)
        sizes = [os.path.getsize(run.files[0]) for run in (whole, small)]
        self.assertLess(sizes[1], 0.7 * sizes[0])

    def test_what_cannot_be(self):
        for options, why in (({"flag": "x"}, "flag: x: must be one of"),
                             ({"mask": [MASKED]}, "mask: names bands"),
                             ({"mask": [MASKED[::-1]], "flag": "all"}, "the lower frequency first"),
                             ({"van_vleck": True}, "van_vleck: .* ci8 recordings have 8"),
                             ({"average_channels": 7}, "average_channels: 7: must divide")):
            with self.assertRaisesRegex(ValueError, why):
                self.correlated(**options)


if __name__ == "__main__":
    unittest.main()
