#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Weights through the whole chain into files: losses of 0 to 90 % and flagged cells against the
scatter of the visibilities."""
import importlib.util
import os
import tempfile
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers, tag

CHANNELS, INPUTS, BLOCK, RATE = 16, 3, 8, 16000.0
DUMP, DUMPS = 200, 60  # spectra; so a dump is 0.2 s
LOSSES = (0.0, 0.3, 0.9)  # of the inputs
MASK, FLAGGED = 5, 11  # channels: masked, and with a carrier in input 1
PAIRS = [(i, j) for i in range(INPUTS) for j in range(i, INPUTS)]
COMMON = 0.5  # power that all inputs share

OBSERVATION = f"""
antennas: [[0, 0, 0], [20, 0, 0], [0, 30, 0]]
sample_rate: {RATE}
center_frequency: 150e6
format: cf32
channels: {CHANNELS}
"""


def voltages(rng, items):
    """[item][input][time]: noise, a part of it common to all, and a carrier in input 1."""
    samples = BLOCK * CHANNELS

    def noise(*shape):
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    x = np.sqrt((1 - COMMON) / 2) * noise(items, INPUTS, samples)
    x += np.sqrt(COMMON / 2) * noise(items, 1, samples)
    time = np.arange(items * samples).reshape(items, samples)
    # In every second window of 40 spectra, so that half of the data of the channel is left.
    on = (time // (40 * CHANNELS)) % 2
    x[:, 1] += 4 * on * np.exp(2j * np.pi * (FLAGGED - CHANNELS // 2) / CHANNELS * time)
    return x.astype(np.complex64)


def losses(rng, items):
    """Tags `invalid`, and [input][spectrum]: which are valid. Runs end with spectra."""
    valid = np.ones((items, INPUTS, BLOCK), bool)
    for i, loss in enumerate(LOSSES):
        valid[:, i] = rng.random((items, BLOCK)) >= loss
    tags = []
    for item in range(items):
        runs = [(i, t * CHANNELS, CHANNELS) for i, t in np.argwhere(~valid[item])]
        if runs:
            flat = [int(n) for run in runs for n in run]
            tags.append(tag(item, "invalid", pmt.init_u64vector(len(flat), flat)))
    return tags, np.moveaxis(valid, 1, 0).reshape(INPUTS, -1)


class qa_weights(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rng = random_numbers()
        items = DUMP * DUMPS // BLOCK
        tags, cls.valid = losses(rng, items)
        tags += [tag(0, "rx_time", pmt.make_tuple(pmt.from_uint64(1000), pmt.from_double(0))),
                 tag(0, "rx_rate", pmt.from_double(RATE)),
                 tag(0, "rx_freq", pmt.from_double(150e6))]
        obs = fringe.observation.from_text(OBSERVATION)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        top = gr.top_block()
        source = blocks.vector_source_c(voltages(rng, items).ravel(), False,
                                        INPUTS * BLOCK * CHANNELS, tags)
        channelizer = fringe.channelizer(INPUTS, CHANNELS, BLOCK, True, "f32", 1, "rectangular")
        flagger = fringe.kurtosis_flagger(INPUTS, CHANNELS, BLOCK, window=40, false_alarm=1e-4,
                                          combined=False, power=False, mask=[MASK])
        seconds = DUMP * CHANNELS / RATE
        engine = fringe.xengine(INPUTS, CHANNELS, BLOCK, dump_seconds=seconds, sum_spectra=64)
        integrator = fringe.integrator(INPUTS, CHANNELS, seconds=seconds)
        top.connect(source, channelizer, flagger, engine, integrator)
        cells = blocks.vector_sink_c(INPUTS * CHANNELS * BLOCK)
        top.connect(flagger, cells)
        cls.paths = [os.path.join(cls.folder.name, "w." + kind) for kind in ("ms", "uvh5", "ACC")]
        for path in cls.paths:
            sink = fringe.visibility_sink(obs, path, CHANNELS)
            top.connect((integrator, 0), (sink, 0))
            top.connect((integrator, 1), (sink, 1))
        values = CHANNELS * len(PAIRS)
        vis, weights = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        top.connect((integrator, 0), vis)
        top.connect((integrator, 1), weights)
        top.run()
        shape = (-1, CHANNELS, len(PAIRS))
        cls.data = np.array(vis.data()).reshape(shape)
        cls.weights = np.array(weights.data()).reshape(shape)
        # What is left: cells that are not nought, [dump][channel][input][spectrum].
        left = np.array(cells.data()).reshape(-1, CHANNELS, INPUTS, BLOCK) != 0
        left = np.moveaxis(left, 0, 2).reshape(CHANNELS, INPUTS, DUMPS, DUMP)
        cls.left = np.moveaxis(left, 2, 0)

    def test_weights_are_what_is_left(self):
        self.assertEqual(self.data.shape, (DUMPS, CHANNELS, len(PAIRS)))
        for k, (i, j) in enumerate(PAIRS):
            expected = (self.left[:, :, i] & self.left[:, :, j]).mean(axis=2)
            np.testing.assert_allclose(self.weights[:, :, k], expected, rtol=1e-6)
        lost = [1 - v.mean() for v in self.valid]
        np.testing.assert_allclose(lost, LOSSES, atol=0.03)  # +- 0.004
        self.assertTrue((self.weights[:, MASK] == 0).all())
        self.assertTrue((self.data[:, MASK] == 0).all())
        # The window's kurtosis finds the carrier where enough spectra are left.
        self.assertLess(self.weights[:, FLAGGED, 1].mean() / self.weights[:, 0, 1].mean(), 0.7)
        self.assertTrue(np.isfinite(self.data).all())

    def clean(self):
        return [c for c in range(CHANNELS) if c not in (MASK, FLAGGED)]

    def test_means_are_unbiased(self):
        # Weighted means over all dumps and clean channels, beside their own error.
        for k, (i, j) in enumerate(PAIRS):
            w = self.weights[:, self.clean(), k].astype(float)
            mean = (w * self.data[:, self.clean(), k]).sum() / w.sum()
            error = 1 / np.sqrt(w.sum() * DUMP)
            with self.subTest(pair=(i, j)):
                self.assertLess(abs(mean - (1 if i == j else COMMON)), 6 * error)

    def test_variance_is_one_over_weight(self):
        # Crosses: the real parts scatter by (1 + rho^2) / 2 w DUMP, the imaginary ones by
        # (1 - rho^2) / 2 w DUMP, whatever the weight.
        spread = {}
        for k, (i, j) in enumerate(PAIRS):
            w = self.weights[:, self.clean(), k]
            deviation = np.abs(self.data[:, self.clean(), k] - (1 if i == j else COMMON)) ** 2
            normalized = (deviation * w * DUMP)[w > 0]
            spread[i, j] = normalized.mean()
            with self.subTest(pair=(i, j), weight=float(w.mean())):
                # Mean of 840 values that scatter by themselves: 1 +- 0.05.
                self.assertAlmostEqual(spread[i, j], 1, delta=0.35)
        self.assertLess(self.weights[:, 0, PAIRS.index((1, 2))].mean(), 0.1)

    def read(self, kind):
        path = next(p for p in self.paths if p.endswith(kind))
        return fringe.read_visibilities(path)

    def test_formats_carry_them(self):
        interval = DUMP * CHANNELS / RATE
        samples = interval * RATE / CHANNELS
        for kind, factor in ((".ms", samples), (".uvh5", 1), (".ACC", None)):
            with self.subTest(format=kind):
                if kind == ".ms" and not importlib.util.find_spec("casacore"):
                    self.skipTest("python3-casacore is not installed")
                if kind == ".uvh5" and not importlib.util.find_spec("h5py"):
                    self.skipTest("python3-h5py is not installed")
                vis = self.read(kind)
                none = self.weights == 0
                flagged = none.copy()
                flagged[:, 0] = True  # both edges of the band
                if factor is None:
                    none = flagged
                np.testing.assert_array_equal(vis.flags, flagged)
                self.assertTrue(np.isfinite(vis.data).all())
                np.testing.assert_array_equal(vis.data[none], 0)
                if factor is None:  # only whether there is any
                    np.testing.assert_array_equal(vis.weights > 0, ~none)
                else:
                    ratio = vis.weights[~none] / self.weights[~none]
                    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)
                np.testing.assert_allclose(np.abs(vis.data[~none]), np.abs(self.data[~none]),
                                           rtol=1e-4, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
