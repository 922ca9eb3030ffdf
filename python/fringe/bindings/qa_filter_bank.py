#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The channelizer's response to a stepped tone, against the filter it was designed with."""
import unittest

import numpy as np

from gnuradio import blocks, fringe, gr


def designed(channels, taps, window):
    """The prototype h[n], from its formula alone (docs/conventions.md)."""
    length = taps * channels
    n = np.arange(length)
    h = window(length) * np.sinc((n - (length - 1) / 2) / channels)
    return h * np.sqrt(channels / np.sum(h ** 2))


def hann(length):
    return np.hanning(length)


def channelized(x, channels, taps, window, complex_samples=True):
    """Spectra [spectrum][channel] of one input through the block."""
    points = channels if complex_samples else 2 * channels
    block = len(x) // points
    flowgraph = gr.top_block()
    make = blocks.vector_source_c if complex_samples else blocks.vector_source_f
    source = make(x[:block * points], False, block * points)
    sink = blocks.vector_sink_c(channels * block)
    flowgraph.connect(source, fringe.channelizer(1, channels, block, complex_samples, "f32",
                                                 taps, window), sink)
    flowgraph.run()
    return np.array(sink.data()).reshape(channels, block).T[:block - taps + 1]


class qa_filter_bank(unittest.TestCase):

    def response(self, channels, taps, name, offsets):
        """Measured |X| of the middle channel for tones `offsets` channels away from it."""
        middle = channels // 2  # FFT-shifted: the channel at 0 Hz
        n = np.arange(channels * (taps + 3))
        return np.array([
            np.abs(channelized(np.exp(2j * np.pi * d * n / channels).astype(np.complex64),
                               channels, taps, name)[:, middle]).mean() for d in offsets])

    def test_a_stepped_tone_draws_the_designed_response(self):
        for name, window in (("hann", np.hanning), ("hamming", np.hamming),
                             ("blackman", np.blackman), ("rectangular", np.ones)):
            for channels, taps in ((32, 4), (45, 8)):
                h = designed(channels, taps, window)
                offsets = np.linspace(-2.2, 2.2, 23)
                n = np.arange(len(h))
                want = [abs(np.sum(h * np.exp(2j * np.pi * d * n / channels)))
                        / np.sqrt(channels) for d in offsets]
                got = self.response(channels, taps, name, offsets)
                with self.subTest(f"{name}, {channels} channels, {taps} taps"):
                    # Both in voltage, against the response at the middle of the channel.
                    np.testing.assert_allclose(got, want, atol=2e-6 * max(want))

    def test_stop_band_of_8_hann_taps(self):
        channels = 64
        peak = self.response(channels, 8, "hann", [0.0])[0]
        offsets = np.r_[np.arange(1.5, 8, 0.23), -np.arange(1.5, 8, 0.31), 31.7]
        leak = self.response(channels, 8, "hann", offsets)
        self.assertLess(20 * np.log10(leak.max() / peak), -60)

    def test_a_tone_lands_in_its_channel(self):
        for complex_samples in (True, False):
            channels, taps = 40, 4
            points = channels if complex_samples else 2 * channels
            n = np.arange(points * (taps + 2))
            for k in (1, 7, channels - 1):
                # Channel k: complex at (k - C/2)/C of the rate, real at k/(2C).
                f = (k - channels // 2) / channels if complex_samples else k / points
                x = np.exp(2j * np.pi * f * n)
                x = x.astype(np.complex64) if complex_samples else x.real.astype(np.float32)
                spectra = np.abs(channelized(x, channels, taps, "hann", complex_samples))
                self.assertTrue((spectra.argmax(axis=1) == k).all())

    def test_inverted_spectra(self):
        channels, taps = 40, 4
        rng = np.random.default_rng(11)
        x = rng.standard_normal(channels * 20) + 1j * rng.standard_normal(channels * 20)
        x = x.astype(np.complex64)
        flowgraph = gr.top_block()
        source = blocks.vector_source_c(x, False, channels * 20)
        sink = blocks.vector_sink_c(channels * 20)
        flowgraph.connect(source, fringe.channelizer(1, channels, 20, True, "f32", taps, "hann",
                                                     conjugate=[True]), sink)
        flowgraph.run()
        got = np.array(sink.data()).reshape(channels, 20).T[:17]
        np.testing.assert_allclose(got, channelized(x.conj(), channels, taps, "hann"),
                                   atol=1e-5)


if __name__ == "__main__":
    unittest.main()
