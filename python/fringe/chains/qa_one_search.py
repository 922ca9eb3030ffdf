#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One interference search: kurtosis_flagger between wired stages, channelizer(flag=...) and
fx_correlator(flag=...).

All must flag the same cells of the same data, for any number of threads: the windows are the same
spectra, their powers are added up by the same kernel, and the same detector decides.
"""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers, rx_time, tag

RATE = 1e6


class recording:
    """Raw items with noise, carriers and pulses; losses and gaps between them."""

    def __init__(self, inputs, channels, block, items):
        rng = random_numbers()
        self.sizes = inputs, channels, block
        samples = items * block * channels
        x = rng.normal(0, 12, (samples, inputs, 2))
        t = np.arange(samples)
        for _ in range(2):  # carriers, each from some time on
            k, i, first = rng.integers(channels), rng.integers(inputs), rng.integers(samples // 2)
            wave = rng.uniform(15, 25) * np.exp(2j * np.pi * (k - channels // 2) / channels * t)
            x[first:, i] += np.stack([wave.real, wave.imag], axis=1)[first:]
        for _ in range(6):  # pulses that all inputs hear
            first = rng.integers(samples)
            x[first:first + rng.integers(1, 3 * channels)] *= 5
        self.raw = np.clip(np.rint(x), -128, 127).astype(np.int8).view(np.uint8).ravel()
        # Gaps before some items; the item before one of them is not full.
        self.tags = [rx_time(0, 1000, 0.25), tag(0, "rx_rate", pmt.from_double(RATE))]
        missing = 0
        gaps = sorted(int(n) for n in rng.choice(np.arange(4, items - 4), 2, replace=False))
        for n in gaps:
            # Also half a spectrum, which everyone must round in the same way.
            missing += int(rng.integers(1, 50)) * channels + int(rng.choice([0, 1, channels // 2]))
            self.tags.append(rx_time(n, 1000, 0.25 + (n * block * channels + missing) / RATE))
        short = int(rng.integers(1, block * channels))
        self.tags.append(tag(gaps[0] - 1, "samples", pmt.from_uint64(short)))
        for n in rng.choice(items, items // 4, replace=False):
            runs = []
            for _ in range(rng.integers(1, 3)):
                first = int(rng.integers(block * channels - 1))
                runs += [int(rng.integers(inputs)), first,
                         int(rng.integers(1, min(3 * channels, block * channels - first)))]
            self.tags.append(tag(int(n), "invalid", pmt.init_u64vector(len(runs), runs)))

    def source(self):
        inputs, channels, block = self.sizes
        return blocks.vector_source_b(self.raw.tolist(), False, 2 * inputs * channels * block,
                                      self.tags)


class result:
    """What was flagged, and the dumps, of a correlator in a flowgraph."""

    def __init__(self, data, stages, flagger):
        inputs, channels, _ = data.sizes
        values = fringe.item_sizes.visibilities(inputs, channels)
        vis, weights = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        messages = blocks.message_debug()
        top = gr.top_block(catch_exceptions=False)
        top.connect(data.source(), *stages, vis)
        top.connect((stages[-1], 1), weights)
        top.msg_connect(flagger, "occupancy", messages, "store")
        top.run()
        self.v, self.w = np.array(vis.data()), np.array(weights.data())
        self.flagged, self.cells = list(flagger.flagged()), flagger.cells()
        self.messages = [pmt.to_python(messages.get_message(k))
                         for k in range(messages.num_messages())]


def wired(data, requantize, taps, dump, search, backend):
    """The stages one by one, with a kurtosis_flagger before the X-engine."""
    inputs, channels, block = data.sizes
    component = "f32" if requantize == "none" else "i8"
    words = {"zero" if word == "drop" else word: value for word, value in search.items()}
    flagger = fringe.kurtosis_flagger(inputs, channels, block, component,
                                      bits=4 if requantize == "4" else 8, backend=backend, **words)
    stages = (
        fringe.unpack("ci8", inputs, channels * block, backend=backend),
        fringe.channelizer(inputs, channels, block, True, "i8", taps, "hann", requantize, [0.5],
                           backend=backend),
        flagger,
        fringe.xengine(inputs, channels, block, component, 4096 if component == "f32" else 65535,
                       0, dump, 0, backend),
        fringe.integrator(inputs, channels, component, 0, dump, 0, backend))
    return result(data, stages, flagger)


def pool(data, requantize, taps, dump, search, backend, threads):
    """fx_correlator on a number of threads."""
    inputs, channels, block = data.sizes
    before = fringe.threads()
    fringe.set_threads(threads)
    try:
        box = fringe.fx_correlator(inputs, channels, "ci8", 0, dump, taps, "hann", requantize,
                                   [0.5], block_spectra=block, flag=search, backend=backend)
    finally:
        fringe.set_threads(before)
    return result(data, (box,), box.flagger)


def searching(data, requantize, taps, dump, search, backend):
    """The stages one by one, with a channelizer that searches."""
    inputs, channels, block = data.sizes
    component = "f32" if requantize == "none" else "i8"
    channelizer = fringe.channelizer(
        inputs, channels, block, True, "i8", taps, "hann", requantize, [0.5], backend=backend,
        flag=fringe.kurtosis_search(**search))
    stages = (
        fringe.unpack("ci8", inputs, channels * block, backend=backend),
        channelizer,
        fringe.xengine(inputs, channels, block, component, 4096 if component == "f32" else 65535,
                       0, dump, 0, backend),
        fringe.integrator(inputs, channels, component, 0, dump, 0, backend))
    return result(data, stages, channelizer)


class qa_one_search(unittest.TestCase):

    def same(self, got, expected, exact):
        self.assertEqual(got.flagged, expected.flagged)
        self.assertEqual(got.cells, expected.cells)
        self.assertEqual(len(got.messages), len(expected.messages))
        for message, wanted in zip(got.messages, expected.messages):
            self.assertEqual(sorted(message), sorted(wanted))
            for key, value in wanted.items():
                if key == "time":  # added up in another order
                    self.assertEqual(message[key][0], value[0])
                    self.assertAlmostEqual(message[key][1], value[1], delta=1e-12)
                else:
                    np.testing.assert_array_equal(message[key], value, err_msg=key)
        np.testing.assert_array_equal(got.w, expected.w)
        self.assertEqual(len(got.v), len(expected.v))
        if exact:
            np.testing.assert_array_equal(got.v, expected.v)
        else:
            np.testing.assert_allclose(got.v, expected.v, rtol=0,
                                       atol=1e-5 * np.abs(expected.v).max())

    def test_the_same_flags(self):
        for inputs, channels, block, requantize, taps, window in (
                (3, 16, 32, "8", 4, 64), (2, 8, 20, "8", 3, 50), (5, 12, 16, "4", 4, 96),
                (3, 16, 32, "none", 4, 64), (2, 10, 9, "none", 5, 30), (4, 8, 2, "8", 6, 31)):
            sizes = dict(inputs=inputs, channels=channels, block=block, requantize=requantize,
                         taps=taps, window=window)
            with self.subTest(**sizes):
                data = recording(inputs, channels, block, max(30, 40 * window // block))
                search = dict(window=window, false_alarm=1e-2, mask=[1])
                dump = 3 * window + 7
                for backend in ("cpu", "generic"):
                    options = requantize, taps, dump, search, backend
                    expected = wired(data, *options)
                    self.assertGreater(len(expected.v), 0)
                    self.assertGreater(sum(expected.cells["any"]), sum(expected.cells["mask"]))
                    with self.subTest(backend=backend, channelizer=True):
                        self.same(searching(data, *options), expected, requantize != "none")
                    for threads in (1, 2, 16):
                        with self.subTest(backend=backend, threads=threads):
                            self.same(pool(data, *options, threads), expected,
                                      requantize != "none")

    def test_one_default(self):
        for inputs, window in ((1, 256), (4, 256), (8, 512), (20, 1280), (40, 2048)):
            self.assertEqual(fringe.kurtosis_search().window_of(inputs), window)
            flagger = fringe.kurtosis_flagger(inputs, 16, 16, backend="cpu")
            self.assertEqual(flagger.window(), window)

    def test_reported_only(self):
        data = recording(3, 16, 32, 60)
        search = dict(window=64, false_alarm=1e-2, drop=False)
        expected = wired(data, "8", 4, 100, search, "cpu")
        self.assertGreater(sum(expected.cells["any"]), 0)
        for threads in (1, 2, 16):
            self.same(pool(data, "8", 4, 100, search, "cpu", threads), expected, True)


if __name__ == "__main__":
    unittest.main()
