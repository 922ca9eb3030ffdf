#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The Pulse Profile Display: what it shows are means of the dumps of each bin."""
import importlib.util
import os
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr

from qa_scratch import rx_time, scratch_case, tag

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HAVE_QT = importlib.util.find_spec("PyQt5") is not None
if HAVE_QT:
    from PyQt5 import QtWidgets
    from gnuradio.fringe import displays
    from gnuradio.fringe.displays.scales import range_scale
    APPLICATION = QtWidgets.QApplication.instance() or QtWidgets.QApplication([])

START, INPUTS, CHANNELS, BINS = 1781229600, 2, 7, 5
PRODUCTS = np.triu_indices(INPUTS)


@unittest.skipUnless(HAVE_QT, "PyQt5 is not installed")
class qa_pulse_profile(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.from_text(
            "antennas: [[0, 0, 0], [10, 0, 0]]\nsample_rate: 7e6\ncenter_frequency: 150e6\n"
            f"channels: {CHANNELS}\n")
        self.gates = fringe.pulse_gates.of(self.obs, period=0.1, bins=BINS)

    def dumps(self, count):
        """Visibilities [dump][bin][channel][product] of voltages, so that powers are positive."""
        x = self.rng.normal(size=(count, BINS, CHANNELS, INPUTS, 3, 2)) @ (1, 1j)
        return np.einsum("dbcit,dbcjt->dbcij", x, x.conj())[..., *PRODUCTS].astype(np.complex64)

    def run_through(self, display, dumps, interval=2.0, per_item=CHANNELS):
        """Sends the dumps of each bin to its port."""
        top = gr.top_block()
        for port in range(BINS):
            tags = [each for k in range(len(dumps)) for each in (
                rx_time(k * CHANNELS // per_item, START + int(interval * k)),
                tag(k * CHANNELS // per_item, "interval", pmt.from_double(interval)))]
            source = blocks.vector_source_c(dumps[:, port].ravel().tolist(), False,
                                            per_item * len(PRODUCTS[0]), tags)
            top.connect(source, (display, port))
        top.run()
        for _ in range(5):
            APPLICATION.processEvents()

    def test_means_of_each_bin(self):
        """Pairs in both orders, powers, with and without normalization; a dump weighs less by e
        after `seconds`."""
        dumps, seconds = self.dumps(6), float(self.rng.uniform(1, 10))
        weights = np.exp(-2.0 * np.arange(6)[::-1] / seconds)
        mean = np.average(dumps, axis=0, weights=weights)  # [bin][channel][product]
        powers = mean.mean(axis=0)[:, [0, 2]].real
        for i, j in ((0, 0), (0, 1), (1, 0)):
            for normalize in (True, False):
                with self.subTest(i=i, j=j, normalize=normalize):
                    display = displays.pulse_profile(
                        self.gates, INPUTS, CHANNELS, i, j, normalize, seconds=seconds,
                        channels_per_item=1, observation=self.obs)
                    self.run_through(display, dumps, per_item=1)
                    wanted = mean[..., i + j]
                    if normalize:
                        wanted = wanted / np.sqrt(powers[:, i] * powers[:, j])
                    profile, channels = display.values()
                    np.testing.assert_allclose(channels, np.abs(wanted).T, rtol=1e-5)
                    np.testing.assert_allclose(profile, np.abs(wanted.mean(axis=1)), rtol=1e-5)
                    xs, shown = display.profile.shown()
                    np.testing.assert_allclose(xs, (np.arange(2 * BINS) + 0.5) / BINS)
                    np.testing.assert_allclose(shown, np.tile(profile, 2), rtol=1e-5)
                    # The highest frequency is at the top.
                    np.testing.assert_allclose(display.map.values, np.tile(channels[::-1], 2),
                                               rtol=1e-5)
                    np.testing.assert_allclose(display.map.y, (146.5, 153.5))
        self.assertFalse(display.widget().grab().isNull())

    def test_a_bin_without_spectra_is_a_gap(self):
        """It has no weight in the mean, and is not drawn where it never had any."""
        dumps = self.dumps(3)
        dumps[:, 1] = 0
        dumps[1, 2, 3:] = 0
        display = displays.pulse_profile(self.gates, INPUTS, CHANNELS, seconds=1e9,
                                         normalize=False, channels_per_item=CHANNELS)
        self.run_through(display, dumps)
        profile, channels = display.values()
        self.assertTrue(np.isnan(channels[:, 1]).all())
        np.testing.assert_array_equal(np.isnan(profile), np.arange(BINS) == 1)
        np.testing.assert_allclose(channels[:3, 2], dumps[:, 2, :3, 0].real.mean(axis=0), rtol=1e-5)
        np.testing.assert_allclose(channels[3:, 2], dumps[[0, 2], 2, 3:, 0].real.mean(axis=0),
                                   rtol=1e-5)
        self.assertEqual(np.isnan(display.profile.shown()[1]).sum(), 2)

    def test_each_dump_alone(self):
        """With 0 seconds, behind a Dump Binner, whose bins are a number; of some channels."""
        dumps = self.dumps(4)
        display = displays.pulse_profile(BINS, INPUTS, CHANNELS, 1, 1, False, seconds=0,
                                         channels_per_item=CHANNELS)
        display.set_channels(2, 4)
        self.run_through(display, dumps)
        np.testing.assert_allclose(display.values()[0], dumps[-1, :, 2:5, 2].real.mean(axis=1),
                                   rtol=1e-5)
        self.assertEqual(display.map.y, (1.5, 4.5))
        path = self.path("profile.csv")
        display.save_csv(path)
        with open(path, encoding="utf-8") as file:
            self.assertIn("Phase (turns)", file.readline())

    def test_behind_gates(self):
        """A pulse of the signals is in its bin."""
        rate, period, on = 7e4, 0.05, 3
        obs = fringe.observation.from_text(
            "antennas: [[0, 0, 0], [10, 0, 0]]\nsample_rate: 7e4\ncenter_frequency: 150e6\n"
            f"channels: {CHANNELS}\nstart_time: 2026-06-12T12:00:00Z\n")
        gates = fringe.pulse_gates.of(obs, period=period, bins=BINS)
        count = int(2 * rate)
        turn = (gates.phase.at(obs.start_time)[1] + np.arange(count) / rate / period) % 1
        noise = self.rng.normal(size=(3, count, 2)) @ (1, 1j)
        heard = noise[:2] + noise[2] * (np.floor(turn * BINS) == on)
        stack = fringe.stack(2, fringe.item_sizes.samples("voltages", 2, CHANNELS, 100), rate,
                             150e6, "2026-06-12T12:00:00")
        correlator = fringe.fx_correlator.of(obs, "voltages", seconds=1.0, block_spectra=100,
                                             backend="cpu", gates=gates)
        display = displays.pulse_profile(gates, 2, CHANNELS, 0, 1, observation=obs)
        top = gr.top_block()
        for port in range(2):
            top.connect(blocks.vector_source_c(heard[port].astype(complex).tolist()), (stack, port))
        top.connect(stack, correlator)
        for bin_ in range(BINS):
            top.connect((correlator, bin_), (display, bin_))
            top.connect((correlator, BINS + bin_), blocks.null_sink(
                correlator.output_signature().sizeof_stream_item(BINS + bin_)))
        top.run()
        profile = display.values()[0]
        # The power of the pulse in its bin, against the mean: 2 + 2/5.
        self.assertAlmostEqual(profile[on], 1 / 1.2, delta=0.1)
        self.assertLess(np.delete(profile, on).max(), 0.15)

    def test_mistakes_are_reported(self):
        two = fringe.pulse_gates.of(self.obs, period=0.1, gate=[(0.0, 0.2), (0.3, 0.5)])
        for make, words in (
                (lambda: displays.pulse_profile(two), "gates: must be equal bins of a turn"),
                (lambda: displays.pulse_profile(1), "gates: must be equal bins"),
                (lambda: displays.pulse_profile(self.gates, seconds=-1), "seconds -1; they must"),
                (lambda: fringe.pulse_gates.of(self.obs, period=0.1), "bins: give either"),
                (lambda: fringe.pulse_gates.of(self.obs, bins=3), "period: give either"),
                (lambda: fringe.pulse_gates.of(self.obs, period=0.1, bins=3, gate=[(0, 1)]),
                 "give one of the two")):
            with self.assertRaisesRegex(ValueError, words):
                make()

    def test_ends_of_an_axis(self):
        """Both are round, and hold all values within little room."""
        for _ in range(300):
            low = float(self.rng.normal() * 10 ** self.rng.uniform(-6, 6))
            width = abs(low) * 10 ** self.rng.uniform(-4, 1)
            scale = range_scale(ends=(0.0, 0.0))
            self.assertTrue(scale.changed(np.array([low, np.nan, low + width])))
            ends = scale.ends
            self.assertLessEqual(ends[0], low)
            self.assertGreaterEqual(ends[1], low + width)
            self.assertLess(ends[1] - ends[0], 1.6 * width)
            self.assertFalse(scale.changed(np.array([low, low + width])))


if __name__ == "__main__":
    unittest.main()
