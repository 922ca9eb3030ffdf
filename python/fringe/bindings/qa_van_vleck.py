#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Quantized noise through the chain, made straight: unbiased within its statistical error."""

import os
import tempfile
import unittest

import numpy as np
from gnuradio import blocks, fringe, gr
import pmt
from qa_scratch import random_numbers, times_tried

try:
    import h5py
except ImportError:
    h5py = None

RNG = random_numbers()
OUTER = 3.3359


def quantized(x, bits, threshold=0.9816):
    """Real samples of unit power to one or two bits."""
    size = np.where(np.abs(x) > threshold, OUTER, 1) if bits == 2 else 1.0
    return (np.sign(x) * size).astype(np.float32)


def noise(samples, is_complex):
    """White Gaussian noise of unit power in each part."""
    parts = RNG.normal(size=(samples, 2 if is_complex else 1))
    return parts[:, 0] + (1j * parts[:, 1] if is_complex else 0)


def dumps(voltages, channels, taps, window, bits=None, dump_spectra=None):
    """Mean visibilities [dump][channel][product] of voltages [input][time], corrected or not."""
    inputs, is_complex = len(voltages), np.iscomplexobj(voltages)
    points = channels if is_complex else 2 * channels
    block = 64
    spectra = voltages.shape[1] // points // block * block
    size = (gr.sizeof_gr_complex if is_complex else gr.sizeof_float) * inputs * points * block
    used = voltages[:, :spectra * points].reshape(inputs, -1, points * block)
    items = np.ascontiguousarray(used.transpose(1, 0, 2)).astype(
        np.complex64 if is_complex else np.float32)
    top = gr.top_block()
    source = blocks.vector_source_b(bytearray(items), False, size)
    chain = [source, fringe.channelizer(inputs, channels, block, is_complex, "f32", taps, window),
             fringe.xengine(inputs, channels, block, channels_per_item=channels // 2,
                            dump_spectra=dump_spectra or spectra),
             fringe.integrator(inputs, channels, seconds=0,
                               spectra=dump_spectra or spectra, channels_per_item=channels // 2)]
    per_item = channels // 2 * inputs * (inputs + 1) // 2
    weights = blocks.vector_sink_f(per_item)
    if bits:
        chain.append(fringe.van_vleck(inputs, channels, is_complex, bits, taps, window,
                                      channels // 2))
        top.connect((chain[-2], 1), (chain[-1], 1))
    sink = blocks.vector_sink_c(per_item)
    top.connect(*chain, sink)
    top.connect((chain[-1], 1), weights)
    top.run()
    shape = (-1, channels, inputs * (inputs + 1) // 2)
    return np.reshape(sink.data(), shape), np.reshape(weights.data(), shape), sink.tags()


class qa_van_vleck(unittest.TestCase):
    def test_white_noise_of_any_correlation(self):
        """The mean over channels is the correlation at lag 0."""
        for bits in (1, 2):
            for is_complex in (False, True):
                for r in (0.8, 0, 0.95, 0.05, 0.3, 0.6)[:times_tried(3, 6)]:
                    samples = 1 << 17
                    phase = RNG.uniform(-np.pi, np.pi) if is_complex else 0.0
                    x, own = noise(samples, is_complex), noise(samples, is_complex)
                    y = r * np.exp(1j * phase) * x + np.sqrt(1 - r * r) * own
                    y = y if is_complex else y.real
                    if is_complex:
                        two = [quantized(z.real, bits) + 1j * quantized(z.imag, bits)
                               for z in (x, y)]
                    else:
                        two = [quantized(z, bits) for z in (x, y)]
                    vis, _, _ = dumps(np.array(two), 32, 1, "rectangular", bits)
                    mean = vis[0].mean(axis=0)
                    got = mean[1] / np.sqrt(mean[0].real * mean[2].real)
                    # The error of the quantized mean product, through the slope at r.
                    error = np.pi / 2 / np.sqrt(samples * (2 if is_complex else 1))
                    with self.subTest(bits=bits, is_complex=is_complex, r=r):
                        self.assertLess(abs(got - r * np.exp(-1j * phase)), 5 * error)
                        if r == 0.8:
                            plain, _, _ = dumps(np.array(two), 32, 1, "rectangular")
                            bent = plain[0].mean(axis=0)
                            bent = bent[1] / np.sqrt(bent[0].real * bent[2].real)
                            self.assertGreater(abs(bent - r * np.exp(-1j * phase)), 10 * error)

    def test_spectra_of_colored_noise(self):
        """Strong, narrow signals in two inputs: each channel as without quantizing."""
        channels, samples = 32, 1 << 18
        for bits, is_complex in ((1, False), (2, False), (2, True), (1, True)):
            taps = RNG.normal(size=6)
            common = np.convolve(noise(samples + 5, is_complex), taps, "valid")
            common /= np.sqrt((taps ** 2).sum())
            x = [np.sqrt(0.9) * common + np.sqrt(0.1) * noise(samples, is_complex)
                 for _ in range(2)]
            rough = [quantized(z.real, bits) + (1j * quantized(z.imag, bits) if is_complex else 0)
                     for z in x]
            true = dumps(np.array(x), channels, 4, "hann")[0][0]
            bent = dumps(np.array(rough), channels, 4, "hann")[0][0]
            got = dumps(np.array(rough), channels, 4, "hann", bits)[0][0]
            scale = np.sqrt(got[:, 0].real.mean() / true[:, 0].real.mean())
            error = np.abs(got / scale ** 2 - true) / true[:, [0]].real.mean()
            before = np.abs(bent * (true[:, 0].real.mean() / bent[:, 0].real.mean()) - true)
            before /= true[:, 0].real.mean()
            with self.subTest(bits=bits, is_complex=is_complex):
                # Noise of one channel of 2^18 samples, the signal's and quantizing's.
                spread = 6 * np.sqrt(channels / samples) * max(1.5, true[:, 0].real.max()
                                                               / true[:, 0].real.mean())
                self.assertLess(error.max(), spread)
                self.assertLess(error.mean(), 0.5 * before.mean())

    def test_two_bit_powers_are_linear(self):
        """Thresholds stay, the level changes: the power follows it."""
        samples, powers = 1 << 19, []
        for level in (0.5, 1.0, 2.0):
            x = level * noise(samples, False)
            y = level * noise(samples, False)
            two = np.array([quantized(z, 2) for z in (x, y)])
            powers.append(dumps(two, 32, 4, "hann", 2)[0][0][:, 0].real.mean())
        unit = ((1 + OUTER) / 2 / 0.9816) ** 2
        np.testing.assert_allclose(powers, unit * np.array([0.25, 1, 4]), rtol=0.03)
        # At twice the level a power scatters by 2.8 / sqrt(samples) = 0.4 %, most of the three.

    def test_weights_and_tags_pass(self):
        two = np.array([quantized(noise(1 << 16, False), 1) for _ in range(2)])
        vis, weights, tags = dumps(two, 32, 1, "hann", 1, dump_spectra=256)
        plain, same, before = dumps(two, 32, 1, "hann", None, dump_spectra=256)
        self.assertEqual(vis.shape, plain.shape)
        self.assertGreater(len(vis), 2)
        np.testing.assert_array_equal(weights, same)
        def described(of):
            return sorted((t.offset, pmt.symbol_to_string(t.key)) for t in of)
        self.assertEqual(described(tags), described(before))

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_fringe_correlate(self):
        """A 1-bit recording of two correlated inputs, with and without."""
        samples, r = 1 << 17, 0.6
        common = noise(samples, False)
        x = [np.sqrt(r) * common + np.sqrt(1 - r) * noise(samples, False) for _ in range(2)]
        with tempfile.TemporaryDirectory() as folder:
            raw = os.path.join(folder, "one_bit.hdf5")
            with h5py.File(raw, "w") as file:
                file["data"] = np.packbits(np.array(x).real > 0, axis=1)
                file["config"] = '{"sampling_frequency": 16e6, "operating_frequency": 1.5e9}'
            def mean(**options):
                path = os.path.join(folder, "x.ACC")
                fringe.correlate(raw, path, format="tart", channels=32, spectra=2000,
                                 overwrite=True, **options)
                vis = fringe.read_visibilities(path).data[0].mean(axis=0)
                return (vis[1] / np.sqrt(vis[0].real * vis[2].real)).real
            error = 5 * np.pi / 2 / np.sqrt(samples)
            self.assertLess(abs(mean(van_vleck=True) - r), error)
            self.assertLess(abs(mean() - 2 / np.pi * np.arcsin(r)), error)
            for options, why in (({"tracking": True}, "take tracking=False"),
                                 ({"requantize": "8"}, "requantize=none"),
                                 ({"flag": "spectra"}, "flag=dumps")):
                with self.subTest(why), self.assertRaisesRegex(ValueError, why):
                    mean(van_vleck=True, **options)
            with self.assertRaisesRegex(ValueError, "flag: pulses: tart has 1-bit samples"):
                mean(flag="pulses")

    def test_mistakes_are_reported(self):
        for values, words in (((0, 32, True, 1), "inputs: 0"), ((2, 1, True, 1), "channels: 1"),
                              ((2, 32, True, 3), "bits 3; must be 1 or 2"),
                              ((2, 32, True, 1, 40), "taps"),
                              ((2, 32, True, 1, 4, "square"), "square"),
                              ((2, 32, True, 1, 4, "hann", 5), "divide the 32 channels")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                fringe.van_vleck(*values)


if __name__ == "__main__":
    unittest.main()
