#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How much of clean noise `flag` costs, whichever searches it names."""
import os
import tempfile
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.runs import output_settings

INPUTS, CHANNELS, SPECTRA, DUMP = 4, 64, 49152, 128  # a window of the search in spectra: two dumps
ARRAY = f"""
site: {{latitude: 50, longitude: 8}}
antennas: [[0, 0, 0], [9, 0, 0], [0, 14, 0], [31, 5, 0]]
sample_rate: 1e6
center_frequency: 1e8
start_time: 2026-07-01T00:00:00
channels: {CHANNELS}
spectra: {DUMP}
format: ci8
"""
RATE = 1e-3  # twenty times that of docs/rfi.md: then there are enough alarms to count


class qa_flag_rate(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.recording, self.output = (os.path.join(folder.name, name) for name in ("x", "x.uvh5"))
        rng = np.random.default_rng(11)
        x = rng.standard_normal((SPECTRA * CHANNELS, 2 * INPUTS), np.float32) * 16
        np.rint(x).clip(-127, 127).astype(np.int8).tofile(self.recording)

    def lost(self, flag):
        """Part of the spectra of visibilities that is flagged, or left out."""
        fringe.correlate(self.recording, self.output, fringe.observation.from_text(ARRAY),
                         overwrite=True, flag=flag)
        vis = fringe.read_visibilities(self.output)
        kept = np.where(vis.flags, 0, vis.weights / vis.weights.max(axis=(1, 2), keepdims=True))
        return 1 - kept[:, 1:].mean()  # channel 0 holds both edges

    @mock.patch.object(output_settings, "FALSE_ALARM", RATE)
    def test_all_searches_share_the_rate(self):
        """There are V = 384 dumps x 63 channels x 10 visibilities, 242 of which RATE is. What is
        found in a window is in two dumps, and a false alarm costs 4 of 10 visibilities (an input)
        to 10 (all): at most 20 together, so sigma is at most RATE sqrt(20 / 242) = 0.29 RATE.
        Four sigma are below 2.2 RATE. The searches one by one would cost 6.3 RATE and 5.3 RATE."""
        for flag in ("dumps", "spectra", "all"):
            with self.subTest(flag):
                lost = self.lost(flag)
                self.assertGreater(lost, 0.2 * RATE)
                self.assertLess(lost, 2.2 * RATE)


if __name__ == "__main__":
    unittest.main()
