#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One interference search: kurtosis_flagger between wired stages, and fx_correlator(flag=...).

All must flag the same cells of the same data, for any number of threads: the windows are the same
spectra, their powers are added up by the same kernel, and the same detector decides.
"""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers, rx_time, tag

RATE = 1e6


class raw_items:
    """Raw blocks of 8-bit samples x [sample][input][2], with tags."""

    def __init__(self, x, sizes, tags=()):
        self.sizes, self.tags = sizes, list(tags)
        self.raw = np.clip(np.rint(x), -128, 127).astype(np.int8).view(np.uint8).ravel()

    def source(self):
        inputs, channels, block = self.sizes
        return blocks.vector_source_b(self.raw.tolist(), False, 2 * inputs * channels * block,
                                      self.tags)


class recording(raw_items):
    """Raw items with noise, carriers and pulses; losses and gaps between them."""

    def __init__(self, inputs, channels, block, items):
        rng = random_numbers()
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
        super().__init__(x, (inputs, channels, block))
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


def burst_and_carrier(inputs, channels, block, items):
    """Noise of a fixed seed, a carrier in channel 11 of input 1, a burst in all, and a gap."""
    rng = np.random.default_rng(20261126)
    samples = channels * block
    x = rng.standard_normal((items, samples, inputs, 2)) * 12
    turns = 2 * np.pi * 3 / channels * np.arange(items * samples).reshape(items, samples)
    x[:, :, 1, 0] += 20 * np.cos(turns)
    x[:, :, 1, 1] += 20 * np.sin(turns)
    x[50:58, :samples // 3] *= 4
    tags = [rx_time(0, 100, 0.0), tag(0, "rx_rate", pmt.from_double(12800.0)),
            rx_time(81, 102, 0.0)]
    return raw_items(x.round().clip(-127, 127), (inputs, channels, block), tags)


#: What the channelizer's own search flagged in it, by window and cause; there is none any more.
BEFORE = {
    32: {"any": [93, 9, 9, 9, 9, 9, 9, 9, 9, 10, 9, 37, 10, 10, 10, 9],
         "combined": [0, 0, 0, 0, 3, 0, 3, 0, 3, 3, 6, 6, 0, 0, 3, 3],
         "mask": [93] + [0] * 15,
         "power": [0, 9, 9, 9, 9, 9, 9, 9, 9, 10, 9, 9, 10, 10, 9, 9],
         "searched": [93] * 16,
         "sk high": [0, 6, 6, 4, 5, 6, 6, 5, 7, 5, 4, 3, 8, 6, 6, 5],
         "sk low": [0] * 11 + [28, 0, 0, 1, 0]},
    256: {"any": [15] + [3] * 10 + [7, 3, 3, 3, 3], "combined": [0] * 16, "mask": [15] + [0] * 15,
          "power": [0] * 16, "searched": [15] * 16, "sk high": [0] + [3] * 15,
          "sk low": [0] * 11 + [4, 0, 0, 0, 0]}}


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
                    for threads in (1, 2, 16):
                        with self.subTest(backend=backend, threads=threads):
                            self.same(pool(data, *options, threads), expected,
                                      requantize != "none")

    def test_as_before(self):
        data = burst_and_carrier(3, 16, 8, 120)
        for window, cells in BEFORE.items():
            search = dict(window=window, false_alarm=1e-3, mask=[0])
            for got in (wired(data, "none", 4, 100, search, "cpu"),
                        pool(data, "none", 4, 100, search, "cpu", 2)):
                with self.subTest(window=window):
                    self.assertEqual(got.cells, cells)

    def test_noise_is_flagged_at_the_asked_rate(self):
        rng = random_numbers()
        for taps in (1, 4):
            data = raw_items(rng.normal(0, 20, 150 * 8 * 256 * 16 * 2).clip(-127, 127),
                             (8, 256, 16))
            got = pool(data, "none", taps, 1000, dict(window=64, false_alarm=1e-2, power=False,
                                                      combined=False), "cpu", 2)
            flagged, searched = sum(got.cells["any"]), sum(got.cells["searched"])
            # Cells that are flagged by chance: 5 sigma.
            self.assertAlmostEqual(flagged, searched / 100, delta=5 * np.sqrt(searched / 100))

    def test_wrong_searches_are_refused(self):
        for words, sentence in (({"window": 5}, "window"), ({"window": 1 << 20}, "window"),
                                ({"false_alarm": 0.5}, "false_alarm"), ({"mask": [9]}, "mask"),
                                ({"bad_inputs": [2]}, "bad_inputs"), ({"period": 0}, "period")):
            for format in ("ci8", "voltages"):
                with self.subTest(format=format, **words):
                    with self.assertRaisesRegex(ValueError, sentence):
                        fringe.fx_correlator(2, 5, format, block_spectra=16, flag=words,
                                             backend="cpu")

    def test_voltages(self):
        """Behind a stack the same cells are flagged as in a recording of the same samples."""
        data = burst_and_carrier(3, 16, 8, 120)
        inputs, channels, block = data.sizes
        search = dict(window=32, false_alarm=1e-3, mask=[0])
        expected = pool(data, "none", 4, 100, search, "cpu", 1)
        x = data.raw.view(np.int8).astype(np.float32).reshape(-1, channels * block, inputs, 2)
        x = np.ascontiguousarray(np.moveaxis(x, 2, 1)).view(np.complex64)
        source = blocks.vector_source_c(x.ravel().tolist(), False, inputs * channels * block,
                                        data.tags)
        box = fringe.fx_correlator(inputs, channels, "voltages", 0, 100, block_spectra=block,
                                   flag=search, backend="cpu")
        data.source = lambda: source
        self.same(result(data, (box,), box.flagger), expected, False)

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
