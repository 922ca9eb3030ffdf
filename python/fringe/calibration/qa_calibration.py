#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays, phases and gains from a common signal."""

import os
import tempfile
import time
import unittest

import numpy as np
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers

RNG = random_numbers()
RATE, MIDDLE, CHANNELS = 1e6, 1420.4e6, 128
FREQUENCIES = MIDDLE + (np.arange(CHANNELS) - CHANNELS / 2) * RATE / CHANNELS


def turned(degrees):
    """The same angle, -180 to 180 degrees."""
    return (np.asarray(degrees) + 180) % 360 - 180


def receivers(inputs):
    """Delays in s, phases in degrees and gains; input 0 is the reference."""
    delay, phase = RNG.uniform(-20e-6, 20e-6, inputs), RNG.uniform(-180, 180, inputs)
    return delay - delay[0], turned(phase - phase[0]), np.append(
        1, RNG.uniform(0.3, 3, inputs - 1))


def voltages(delay, phase, gain, noise, spectra, common=1.0):
    """Spectra [spectrum][channel][input] of a common signal and receivers' own noise."""
    def gaussian(*shape):
        return RNG.normal(0, np.sqrt(0.5), shape + (2,)) @ (1, 1j)
    signal = np.sqrt(common) * gaussian(spectra, CHANNELS, 1)
    turn = np.exp(1j * np.radians(phase) - 2j * np.pi * np.outer(FREQUENCIES, delay))
    own = np.sqrt(noise) * gaussian(spectra, CHANNELS, len(delay))
    return gain * (signal * turn + own)


def products(x):
    """Mean visibilities [channel][product] of such spectra."""
    i, j = np.triu_indices(x.shape[2])
    return (x[:, :, i] * x[:, :, j].conj()).mean(axis=0)


def residual(found, delay, phase):
    """Phases in the middle of the band that are left, degrees, and delays, s."""
    left = found.delay - delay
    return turned(found.phase - phase - 360 * np.remainder(MIDDLE * left, 1)), left


def corrected(truth, seconds, obs):
    """Mean of dumps of a simulated array, with the corrections of `obs`: [channel][product]."""
    inputs = len(obs.inputs)
    correlator = fringe.fx_correlator(
        inputs, CHANNELS, "cf32", seconds=0.1,
        corrections=fringe.item_sizes.corrections(obs, CHANNELS, True))
    block = fringe.item_sizes.samples("cf32", inputs, CHANNELS)
    source = fringe.raw_sky_source(truth, "cf32", block, int(RNG.integers(1 << 30)))
    head = blocks.head(source.block_bytes, int(seconds * RATE / block))
    sink = blocks.vector_sink_c(fringe.item_sizes.visibilities(inputs, CHANNELS))
    top = gr.top_block()
    top.connect(source, head, correlator, sink)
    top.run()
    return np.reshape(sink.data(), (-1, CHANNELS, inputs * (inputs + 1) // 2)).mean(axis=0)


class qa_calibration(unittest.TestCase):
    def test_without_noise_it_is_exact(self):
        for inputs in (2, 3, 7):
            for reference in (0, inputs - 1):
                with self.subTest(inputs=inputs, reference=reference):
                    true = receivers(inputs)
                    found = fringe.solve_common_signal(products(voltages(*true, 0, 2)),
                                                       FREQUENCIES, reference=reference)
                    delay, phase, gain = (np.array(values) for values in true)
                    phases, delays = residual(found, delay - delay[reference],
                                              phase - phase[reference])
                    self.assertLess(np.abs(delays).max(), 1e-13)
                    self.assertLess(np.abs(turned(phases)).max(), 1e-3)
                    np.testing.assert_allclose(found.gain, gain / gain[reference], rtol=1e-9)
                    np.testing.assert_allclose(found.coherence, 1, atol=1e-9)

    def test_errors_are_as_large_as_the_docstring_says(self):
        spectra, noise, inputs = 200, 0.25, 2
        coherence = 1 / (1 + noise)
        stated = np.sqrt(1 - coherence ** 2) / (coherence * np.sqrt(2 * spectra * CHANNELS))
        errors = []
        for _ in range(150):
            delay, phase, gain = receivers(inputs)
            found = fringe.solve_common_signal(
                products(voltages(delay, phase, gain, noise, spectra)), FREQUENCIES)
            phases, delays = residual(found, delay, phase)
            errors.append((np.radians(phases[1]), delays[1]))
            self.assertAlmostEqual(found.coherence[1], coherence, 1)
        rms = np.sqrt(np.mean(np.square(errors), axis=0))
        np.testing.assert_allclose(rms / (stated, stated * np.sqrt(12) / (2 * np.pi * RATE)), 1,
                                   atol=0.25)

    def test_gains_where_receivers_differ_need_the_signal_off(self):
        delay, phase, gain = receivers(3)
        noise = np.array([0.1, 1.0, 0.4])  # behind the gain: unlike receivers
        x = voltages(delay, phase, gain, noise, 2000)
        off = products(voltages(delay, phase, gain, noise, 2000, common=0))
        found = fringe.solve_common_signal(products(x), FREQUENCIES, off)
        np.testing.assert_allclose(found.gain, gain, rtol=0.02)
        powers = fringe.solve_common_signal(products(x), FREQUENCIES).gain
        np.testing.assert_allclose(powers, gain * np.sqrt((1 + noise) / 1.1), rtol=0.02)

    def test_what_is_correlated_without_the_signal_is_taken_off(self):
        delay, phase, gain = receivers(2)
        sky = voltages(delay + np.array([0, 3e-6]), phase + np.array([0, 90]), gain, 0.2, 3000,
                       common=0.5)
        on = products(voltages(delay, phase, gain, 0, 3000) + sky)
        phases, delays = residual(
            fringe.solve_common_signal(on, FREQUENCIES, products(sky)), delay, phase)
        self.assertLess(abs(phases[1]), 0.6)
        self.assertLess(abs(delays[1]), 4e-9)

    def test_channels_may_be_missing(self):
        delay, phase, gain = receivers(3)
        kept = np.setdiff1d(np.arange(8, CHANNELS - 8), [17, 40, 41, 42, 77])
        vis = products(voltages(delay, phase, gain, 0.1, 500))
        phases, delays = residual(fringe.solve_common_signal(vis[kept], FREQUENCIES[kept]),
                                  delay, phase)
        self.assertLess(np.abs(phases).max(), 0.5)
        self.assertLess(np.abs(delays).max(), 5e-9)

    def test_noise_alone_is_refused(self):
        for _ in range(20):
            delay, phase, gain = receivers(2)
            with self.assertRaisesRegex(ValueError, "input 1 hears nothing in common"):
                fringe.solve_common_signal(
                    products(voltages(delay, phase, gain, 1, 50, common=0)), FREQUENCIES)

    def test_mistakes_are_reported(self):
        vis = products(voltages(*receivers(2), 0.1, 5))
        for values, sentence in (
                ((vis[:, :2], FREQUENCIES), "2 products"),
                ((vis, FREQUENCIES[1:]), r"\(128, 3\) and 127"),
                ((vis[:7], FREQUENCIES[:7]), "7 channels; it needs 8"),
                ((vis, FREQUENCIES, vis[:, :1]), r"without has the shape \(128, 1\)"),
                ((vis, FREQUENCIES, None, 2), "reference 2"),
                ((vis, FREQUENCIES[::-1]), "ascend"),
                ((vis, np.geomspace(1e6, 2e6, CHANNELS)), "equal steps"),
                ((vis * [0, 1, 1], FREQUENCIES), "no power"),
                ((vis * np.nan, FREQUENCIES), "NaN"),
                ((vis, FREQUENCIES, 2 * vis), "no more power")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                fringe.solve_common_signal(*values)
        with self.assertRaisesRegex(ValueError, "3 inputs, and 2 were solved"):
            fringe.calibrated(fringe.observation.example(3),
                              fringe.solve_common_signal(vis, FREQUENCIES))

    def test_the_chain_is_flat_with_what_was_found(self):
        """Voltages of the simulator, its delays not in whole samples; found, and taken out."""
        obs = fringe.observation.example(3, spacing=0.0)
        obs.center_frequency, obs.receiver_noise = MIDDLE, 0.2
        obs.sky = [fringe.point_source(l=0, m=0, flux=1)]
        truth, true = fringe.observation(obs), receivers(3)
        inputs = truth.inputs
        for entry, delay, phase, gain in zip(inputs, *true):
            entry.cable_delay, entry.phase, entry.gain = delay, phase, gain
        truth.inputs = inputs
        band = fringe.calibration.inner_band(CHANNELS)
        before = corrected(truth, 1.0, obs)[band]
        found = fringe.solve_common_signal(before, FREQUENCIES[band])
        phases, delays = residual(found, *true[:2])
        self.assertLess(np.abs(phases).max(), 0.3)
        self.assertLess(np.abs(delays).max(), 2e-9)
        np.testing.assert_allclose(found.gain, true[2], rtol=0.01)
        after = corrected(truth, 1.0, fringe.calibrated(obs, found))[band]
        i, j = np.triu_indices(3)
        np.testing.assert_allclose(after[:, i == j].real.mean(axis=0), 1.2, rtol=0.03)
        for pair in np.flatnonzero(i != j):
            thirds = after[:, pair].reshape(7, -1).mean(axis=1)
            self.assertLess(np.abs(np.degrees(np.angle(thirds))).max(), 1.5)
        # Once more, on top of it: nothing is left.
        again = fringe.solve_common_signal(after, FREQUENCIES[band])
        self.assertLess(np.abs(again.delay).max(), 2e-9)

    def test_the_block_writes_what_it_finds(self):
        obs = fringe.observation.example(2)
        obs.center_frequency = MIDDLE
        delay, phase, gain = receivers(2)
        dumps = [products(voltages(delay, phase, gain, 0.01, 100)) for _ in range(6)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calibrated.yml")
            for sent, pressed in ((dumps, False), (dumps[:4], True), (dumps, True)):
                block = fringe.calibrator(obs, path, CHANNELS, 4, channels_per_item=32)
                block.calibrate(pressed)
                items = np.concatenate(sent).ravel().astype(np.complex64)
                top = gr.top_block()
                top.connect(blocks.vector_source_c(items, False, 32 * 3), block)
                top.run()
                enough = pressed and len(sent) > 4
                self.assertEqual(os.path.exists(path), enough)
                self.assertEqual(block.found is not None, enough)
            written = fringe.observation.from_file(path).inputs[1]
            self.assertAlmostEqual(written.cable_delay * 1e6, block.found.delay[1] * 1e6, 9)
            self.assertAlmostEqual(written.gain, gain[1], 1)
            phases, _ = residual(block.found, delay, phase)
            self.assertLess(abs(phases[1]), 0.5)

    def test_corrections_are_applied_while_running(self):
        """The receivers' errors are gone from the dumps that follow, and nothing is restarted."""
        there = fringe.observation.example(2)
        there.center_frequency, there.receiver_noise = MIDDLE, 0.1
        there.sky = [fringe.point_source(l=0, m=0, flux=1)]
        obs = fringe.observation(there)
        inputs = there.inputs
        inputs[1].cable_delay = RNG.uniform(-5e-6, 5e-6)
        inputs[1].phase, inputs[1].gain = RNG.uniform(-180, 180), RNG.uniform(0.5, 2)
        there.inputs = inputs
        samples = fringe.item_sizes.samples("cf32", 2, CHANNELS)
        with tempfile.TemporaryDirectory() as folder:
            block = fringe.calibrator(obs, os.path.join(folder, "calibrated.yml"), CHANNELS, 3,
                                      apply=True)
            block.calibrate()
            source = fringe.raw_sky_source(there, "cf32", samples)
            correlator = fringe.fx_correlator(2, CHANNELS, "cf32", seconds=0.1)
            sink = blocks.vector_sink_c(3 * CHANNELS)
            top = gr.top_block()
            top.connect(source, correlator, block)
            top.connect(correlator, sink)
            top.connect((correlator, 1), blocks.null_sink(3 * CHANNELS * gr.sizeof_float))
            top.msg_connect(block, "corrections", correlator, "corrections")
            top.start()
            try:
                # How much later the corrections are applied depends on how far ahead of the
                # calibrator the correlator is, so the test waits for what must come.
                for _ in range(600):
                    time.sleep(0.2)
                    dumps = np.array(sink.data())
                    dumps = dumps[:dumps.size // (3 * CHANNELS) * 3 * CHANNELS]
                    if self.errors_gone(dumps.reshape(-1, CHANNELS, 3)[-5:]):
                        break
                else:
                    self.fail("the receivers' errors are still there after two minutes")
            finally:
                top.stop()
                top.wait()
            self.assertEqual(block.error, "")
            self.assertTrue(os.path.exists(os.path.join(folder, "calibrated.yml")))

    @staticmethod
    def errors_gone(dumps):
        if len(dumps) < 5:
            return False
        band = fringe.calibration.inner_band(CHANNELS)
        mean = dumps[:, band, 1].mean(axis=1)
        coherence = np.abs(mean) / np.abs(dumps[:, band, 1]).mean(axis=1)
        gains = np.abs(dumps[:, band, 2] / dumps[:, band, 0]).mean()
        return (coherence.min() > 0.98 and np.abs(np.degrees(np.angle(mean))).max() < 5
                and abs(gains - 1) < 0.1)

    def test_the_block_says_why_it_found_nothing(self):
        path = os.path.join(tempfile.gettempdir(), "not", "there.yml")
        for noise, common, words in ((1, 0, "hears nothing"), (0, 1, "does not exist; make it")):
            block = fringe.calibrator(fringe.observation.example(2), path, CHANNELS, 1)
            dump = products(voltages(*receivers(2), noise, 50, common)).astype(np.complex64)
            block.calibrate()
            top = gr.top_block()
            top.connect(blocks.vector_source_c(np.tile(dump.ravel(), 2), False, 3 * CHANNELS),
                        block)
            top.run()
            self.assertIn(words, block.error)
        for values in ({"dumps": 0}, {"channels_per_item": 3}):
            with self.assertRaisesRegex(ValueError, next(iter(values))):
                fringe.calibrator(fringe.observation.example(2), path, CHANNELS, **values)


if __name__ == "__main__":
    unittest.main()
