#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Smaller dumps: the block against numpy, and the frequencies of the files behind it."""
import os
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.readers.measurement_set import open_ms
from qa_blocks import dump_sink, rx_time, tag
from qa_scratch import scratch_case

CHANNELS, ANTENNAS = 12, 4


def noise(rng, *shape):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)


class reducing:
    """Dumps [dump][channel][product] with weights and flags, through the block."""

    def __init__(self, axes, data, weights, flags, per_item=0, tags=()):
        flowgraph = gr.top_block()
        values = axes.received_item_values(per_item)
        self.block = fringe.visibility_reducer(axes, per_item)
        for port, (kind, array) in enumerate(((blocks.vector_source_c, data),
                                              (blocks.vector_source_f, weights),
                                              (blocks.vector_source_b, flags))):
            source = kind(array.ravel().tolist(), False, values, list(tags) if port == 0 else [])
            flowgraph.connect(source, (self.block, port))
        out = axes.item_values()
        self.sink = dump_sink(flowgraph, self.block, out)
        flags_sink = blocks.vector_sink_b(out)
        flowgraph.connect((self.block, 2), flags_sink)
        flowgraph.run()
        shape = len(data), axes.channels, len(axes.baselines)
        self.data = self.sink.data().reshape(shape)
        self.weights = self.sink.weight().reshape(shape)
        self.flags = np.array(flags_sink.data(), np.uint8).reshape(shape)


class qa_visibility_reducer(unittest.TestCase):

    def setUp(self):
        rng = np.random.default_rng(7)
        shape = 5, CHANNELS, ANTENNAS * (ANTENNAS + 1) // 2
        self.obs = fringe.observation.example(ANTENNAS)
        self.data = noise(rng, *shape)
        self.weights = rng.uniform(0.1, 1, shape).astype(np.float32)
        self.weights[rng.uniform(size=shape) < 0.2] = 0
        self.flags = np.where(rng.uniform(size=shape) < 0.3, 32, 0).astype(np.uint8)

    def test_channels_are_averaged_by_weight(self):
        for per_item in (1, 4, 12):
            axes = fringe.dump_axes(self.obs, CHANNELS, average=5, first_channel=1)
            made = reducing(axes, self.data, self.weights, self.flags, per_item)
            good = np.where(self.flags == 0, self.weights, 0)[:, 1:11].reshape(5, 2, 5, 10)
            data = self.data[:, 1:11].reshape(5, 2, 5, 10)
            total = good.sum(axis=2)
            with np.errstate(invalid="ignore"):
                mean = np.where(total > 0, (good * data).sum(axis=2) / total, 0)
            np.testing.assert_allclose(made.data, mean, atol=1e-6)
            np.testing.assert_allclose(made.weights, total / 5, atol=1e-6)
            np.testing.assert_array_equal(made.flags > 0, total == 0)
            self.assertEqual(made.block.dumps(), 5)

    def test_autos_or_crosses(self):
        i, j = np.triu_indices(ANTENNAS)
        for products, kept in (("autos", i == j), ("crosses", i != j)):
            axes = fringe.dump_axes(self.obs, CHANNELS, products=products)
            self.assertEqual(axes.baselines, list(zip(i[kept], j[kept])))
            made = reducing(axes, self.data, self.weights, self.flags)
            np.testing.assert_array_equal(made.data, self.data[..., kept])
            np.testing.assert_array_equal(made.weights, self.weights[..., kept])
            np.testing.assert_array_equal(
                made.flags, self.flags[..., kept] | (self.weights[..., kept] == 0))

    def test_tags_pass(self):
        tags = [rx_time(0, 100, 0.5), rx_time(3, 101, 0.5)]
        for key, value in (("interval", 1.0), ("exposure", 0.75), ("rx_freq", 150e6)):
            tags += [tag(3 * k, key, pmt.from_double(value)) for k in (0, 1)]
        axes = fringe.dump_axes(self.obs, CHANNELS, average=2)
        made = reducing(axes, self.data, self.weights, self.flags, 4, tags)
        self.assertEqual(made.sink.tag("rx_time")[:2], [(0, 100.5), (1, 101.5)])
        self.assertEqual(made.sink.tag("exposure")[1], (1, 0.75))
        # The middle of the band moves with the channels: of 6 it is number 3, of 12 number 6.
        middle = np.mean(self.obs.channel_frequencies(CHANNELS, True)[6:8])
        item, freq = made.sink.tag("rx_freq")[0]
        self.assertEqual(item, 0)
        self.assertAlmostEqual(freq, 150e6 + middle - self.obs.center_frequency, 4)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "average: 0: must be at least 1"):
            fringe.dump_axes(self.obs, CHANNELS, average=0)
        with self.assertRaisesRegex(ValueError, "channels_per_item: 5: must divide the 12"):
            fringe.visibility_reducer(fringe.dump_axes(self.obs, CHANNELS), 5)


def tone_file(path, obs, complex_samples, frequency, samples):
    """A recording of two inputs with a tone of this sky frequency, as the receiver has it."""
    n = np.arange(samples)
    offset = frequency - obs.center_frequency
    if obs.lower_sideband:
        offset = -offset
    if complex_samples:
        x = np.exp(2j * np.pi * offset / obs.sample_rate * n).astype(np.complex64)
    else:
        x = np.cos(2 * np.pi * (0.25 + offset / obs.sample_rate) * n).astype(np.float32)
    np.repeat(x, 2).tofile(path)


class qa_files_behind_it(scratch_case):
    """Channels averaged and selected all the way into files."""

    def correlate(self, obs, name, axes, channels, path):
        """A recording through correlator and reducer into a file."""
        samples = fringe.fx_correlator.block_samples(name, channels, 16)
        flowgraph = gr.top_block()
        source = fringe.file_source([path], name, len(obs.inputs), samples, obs.sample_rate,
                                    obs.center_frequency, "2026-01-01T00:00:00")
        correlator = fringe.fx_correlator(
            len(obs.inputs), channels, name, 0.0, 16, block_spectra=16,
            conjugate=obs.conjugated())
        reducer = fringe.visibility_reducer(axes)
        flowgraph.connect(source, correlator, reducer)
        flowgraph.connect((correlator, 1), (reducer, 1))
        out = {}
        for ending in ("ms", "uvh5"):
            out[ending] = os.path.join(self.folder, f"out.{ending}")
            sink = fringe.visibility_sink(axes.observation, out[ending], axes.channels,
                                          axes.complex_samples, overwrite=True)
            flowgraph.connect((reducer, 0), (sink, 0))
            flowgraph.connect((reducer, 1), (sink, 1))
        flowgraph.run()
        return out

    def test_a_tone_stays_at_its_frequency(self):
        channels, tone = 64, 150.13e6
        for complex_samples in (True, False):
            for lower in (False, True):
                for average, first in ((1, 7), (3, 0), (5, 2), (4, 0)):
                    obs = fringe.observation.example(2)
                    obs.lower_sideband = lower
                    name = "cf32" if complex_samples else "f32"
                    path = os.path.join(self.folder, f"tone.{name}")
                    tone_file(path, obs, complex_samples, tone, 64 * 128 * 3)
                    axes = fringe.dump_axes(obs, channels, complex_samples, average=average,
                                            first_channel=first)
                    files = self.correlate(obs, name, axes, channels, path)
                    for file in files.values():
                        vis = fringe.read_visibilities(file)
                        with self.subTest(file=file, complex_samples=complex_samples,
                                          lower=lower, average=average):
                            np.testing.assert_allclose(vis.frequencies, axes.frequencies,
                                                       rtol=0, atol=1e-4)
                            peak = np.argmax(np.abs(vis.data[0, :, 0]))
                            self.assertLess(abs(vis.frequencies[peak] - tone),
                                            axes.widths[0] / 2)

    def test_a_measurement_set_of_averaged_channels(self):
        obs = fringe.observation.from_text("""
            site: {latitude: 50, longitude: 8}
            antennas: [[0, 0, 0], [3, 0, 0], [0, 4, 0]]
            polarizations: [X, Y]
            sample_rate: 1e6
            format: cf32
            center_frequency: 150e6
            sky: {receiver_noise: 0.5, sources: [{name: A, az: 90, el: 60}]}""")
        path = os.path.join(self.folder, "sky.cf32")
        fringe.simulate(obs, path, 64 * 64)
        whole = fringe.dump_axes(obs, 64)
        full = fringe.read_visibilities(self.correlate(obs, "cf32", whole, 64, path)["ms"])
        axes = fringe.dump_axes(obs, 64, average=3, lowest=149.8e6, highest=150.2e6,
                                polarization="Y")
        first = int(np.argmax(np.array(whole.frequencies) >= 149.8e6))
        path = self.correlate(obs, "cf32", axes, 64, path)["ms"]
        vis = fringe.read_visibilities(path)
        self.assertEqual(vis.inputs, [(0, "Y"), (1, "Y"), (2, "Y")])
        i, j = np.triu_indices(6)
        yy = (i % 2 == 1) & (j % 2 == 1)
        part = full.data[:, first:first + 3 * axes.channels, yy]
        mean = part.reshape(len(part), axes.channels, 3, 6).mean(axis=2)
        # 4 m turn by 0.1 degree over a channel of 16 kHz, and so does the phase center.
        np.testing.assert_allclose(vis.data, mean, rtol=2e-3, atol=2e-3)
        window = open_ms(path, "SPECTRAL_WINDOW")
        np.testing.assert_allclose(window.getcol("CHAN_WIDTH")[0], 3 * 1e6 / 64)
        np.testing.assert_allclose(window.getcol("TOTAL_BANDWIDTH")[0],
                                   axes.channels * 3 * 1e6 / 64)
        window.close()


if __name__ == "__main__":
    unittest.main()
