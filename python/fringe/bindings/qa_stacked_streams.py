#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Streams of a stack in an fx_correlator: the same dumps as by the stages, and by numpy."""
import unittest

import numpy as np
from gnuradio import blocks, fringe, gr
from qa_scratch import rx_time, scratch_case

RATE, START = 1e5, 1781229600


class qa_stacked_streams(scratch_case):

    def setUp(self):
        super().setUp()
        self.inputs, self.channels = (int(self.rng.integers(a, b)) for a, b in ((2, 5), (8, 40)))
        self.spectra = int(self.rng.integers(50, 200))

    def streams(self, complex_samples, samples):
        """Noise that all inputs have in common and some of their own, [input][time]."""
        shape = self.inputs + 1, samples
        x = self.rng.standard_normal(shape)
        if complex_samples:
            x = x + 1j * self.rng.standard_normal(shape)
        return (x[:1] + x[1:]).astype(np.complex64 if complex_samples else np.float32)

    def run_with(self, streams, correlator, lost=None):
        """Dumps and weights, [dump][values], of streams that go through a stack; `lost` are the
        first and the last sample that never came of input 0."""
        complex_samples = streams.dtype == np.complex64
        name = "cf32" if complex_samples else "f32"
        top = gr.top_block()
        stack = fringe.stack(self.inputs, fringe.item_sizes.samples(name, self.inputs,
                                                                    self.channels),
                             RATE, 1.4e9, complex_samples=complex_samples)
        make = blocks.vector_source_c if complex_samples else blocks.vector_source_f
        for k, samples in enumerate(streams):
            tags = [rx_time(0, START)]
            if lost and k == 0:
                samples = np.delete(samples, slice(*lost))
                tags.append(rx_time(lost[0], START, lost[1] / RATE))
            top.connect(make(samples.tolist(), False, 1, tags), (stack, k))
        values = fringe.item_sizes.visibilities(self.inputs, self.channels)
        sinks = [blocks.vector_sink_c(values), blocks.vector_sink_f(values)]
        top.connect(stack, *correlator)
        for port, sink in enumerate(sinks):
            top.connect((correlator[-1], port), sink)
        top.run()
        shape = -1, self.channels, self.inputs * (self.inputs + 1) // 2
        return [np.reshape(sink.data(), shape) for sink in sinks]

    def stages(self, complex_samples, requantize, gains):
        component = "f32" if requantize == "none" else "i8"
        block = fringe.block_spectra(self.inputs, self.channels)
        per_item = fringe.channels_per_item(self.inputs, self.channels)
        return [fringe.channelizer(self.inputs, self.channels, block, complex_samples, "f32",
                                   requantize=requantize, gains=gains, backend="cpu"),
                fringe.xengine(self.inputs, self.channels, block, component, 4096, 0,
                               self.spectra, per_item, "cpu"),
                fringe.integrator(self.inputs, self.channels, component, 0, self.spectra,
                                  per_item, "cpu")]

    def test_as_the_stages(self):
        for format_, complex_samples in (("voltages", True), ("real_voltages", False)):
            for requantize, gains in (("none", []), ("8", [0.5])):
                with self.subTest(format=format_, requantize=requantize):
                    points = self.channels * (1 if complex_samples else 2)
                    samples = int(6.5 * self.spectra * points)
                    streams = self.streams(complex_samples, samples)
                    lost = sorted(int(n) for n in self.rng.integers(0, samples, 2))
                    lost[1] += 1
                    expected = self.run_with(
                        streams, self.stages(complex_samples, requantize, gains), lost)
                    box = fringe.fx_correlator(
                        self.inputs, self.channels, format_, 0, self.spectra,
                        requantize=requantize, gains=gains, backend="cpu")
                    found = self.run_with(streams, [box], lost)
                    self.assertGreater(len(found[0]), 4)
                    for a, b in zip(expected, found):
                        np.testing.assert_array_equal(a, b)
                    self.assertEqual(box.losses(), {})
                    self.assertEqual(box.dumps(), len(found[0]))

    def test_as_numpy(self):
        samples = 4 * self.spectra * self.channels
        streams = self.streams(True, samples)
        box = fringe.fx_correlator(self.inputs, self.channels, "voltages", 0, self.spectra, 1,
                                   "rectangular", backend="cpu")
        found, _ = self.run_with(streams, [box])
        x = streams.astype(complex).reshape(self.inputs, -1, self.spectra, self.channels)
        x = np.fft.fftshift(np.fft.fft(x), axes=-1)
        i, j = np.triu_indices(self.inputs)
        self.assertEqual(found.shape, (4, self.channels, len(i)))
        for k in range(4):
            expected = np.einsum("isc,jsc->cij", x[:, k], x[:, k].conj()) / self.spectra
            np.testing.assert_allclose(found[k], expected[:, i, j] / self.channels, atol=1e-4)

    def test_what_voltages_do_not_have(self):
        for settings in ({"files": 2}, {"streams": [1, 0]}, {"remove_mean": True}):
            with self.assertRaisesRegex(ValueError, "format voltages has no recording"):
                fringe.fx_correlator(2, 16, "voltages", **settings)


if __name__ == "__main__":
    unittest.main()
