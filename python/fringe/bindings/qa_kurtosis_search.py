#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Interference found in the channelizer and left out by the X-engine, behind the spectra."""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers, rx_time, tag


def noise(*shape):
    rng = random_numbers()
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


class chain:
    """Voltages [item][input][time] through a channelizer that searches, X-engine, integrator."""

    def __init__(self, x, channels, search=None, tags=(), dump=10**6, sums=4096, taps=1,
                 requantize="none", backend="cpu", flagger=None):
        items, inputs, samples = x.shape
        block = samples // channels
        self.inputs, self.channels, self.block = inputs, channels, block
        self.flowgraph = gr.top_block(catch_exceptions=False)
        component = "f32" if requantize == "none" else "i8"
        self.channelizer = fringe.channelizer(
            inputs, channels, block, True, "f32", taps,
            "rectangular" if taps == 1 else "hann", requantize, [16.0], [False, True][:inputs] +
            [False] * (inputs - 2), [1j] * (inputs * channels), backend, None, search)
        engine = fringe.xengine(inputs, channels, block, component, sums, 0, dump,
                                backend=backend)
        integrator = fringe.integrator(inputs, channels, component, 0, dump, backend=backend)
        values = fringe.item_sizes.visibilities(inputs, channels)
        item = inputs * channels * block
        self.spectra = (blocks.vector_sink_c(item) if component == "f32"
                        else blocks.vector_sink_b(2 * item))
        self.vis, self.weights = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        self.occupancy = blocks.message_debug()
        stages = [self.channelizer] + ([flagger] if flagger else [])
        self.flowgraph.connect(
            blocks.vector_source_c(x.ravel(), False, inputs * samples, list(tags)),
            *stages, engine, integrator, self.vis)
        self.flowgraph.connect((integrator, 1), self.weights)
        self.flowgraph.connect(stages[-1], self.spectra)
        if search:
            self.flowgraph.msg_connect(self.channelizer, "occupancy", self.occupancy, "store")

    def run(self):
        self.flowgraph.run()
        shape = -1, self.channels, self.inputs * (self.inputs + 1) // 2
        self.v = np.array(self.vis.data()).reshape(shape)
        self.w = np.array(self.weights.data()).reshape(shape)
        return self

    def decided(self):
        """(spectra [time][channel][input], which of them are good) by the tags, and the number of
        spectra in each window."""
        out = np.array(self.spectra.data())
        if out.dtype != complex:
            out = out.astype(np.uint8).view(np.int8).astype(float).reshape(-1, 2)
            out = out[:, 0] + 1j * out[:, 1]
        out = out.reshape(-1, self.channels, self.inputs, self.block)
        tags = {key: {t.offset: t.value for t in self.spectra.tags()
                      if pmt.symbol_to_string(t.key) == key}
                for key in ("decision", "spectra", "invalid")}
        x, good, windows, window = [], [], [], 0
        for n, item in enumerate(out):
            if n in tags["decision"]:
                cells = np.ones(self.channels * self.inputs, bool)
                runs = np.reshape(pmt.u32vector_elements(tags["decision"][n]), (-1, 2))
                for first, count in runs:
                    cells[first:first + count] = False
                for k in range(len(good) - window, len(good)):
                    good[k] &= cells.reshape(self.channels, self.inputs)
                if n:
                    windows.append(window)
                window = 0
            count = pmt.to_uint64(tags["spectra"][n]) if n in tags["spectra"] else self.block
            valid = np.ones(item.shape, bool)
            for i, first, many in np.reshape(
                    pmt.u64vector_elements(tags["invalid"].get(n, pmt.init_u64vector(0, ()))),
                    (-1, 3)).astype(int):
                valid[:, i, first:first + many] = False
            x += list(np.moveaxis(item[..., :count], -1, 0))
            good += list(np.moveaxis(valid[..., :count], -1, 0))
            window += count
        self.undecided = window
        return np.array(x), np.array(good), windows

    def check(self, case, dump):
        """Dumps and weights are those of the good spectra."""
        x, good, _ = self.decided()
        pairs = np.triu_indices(self.inputs)
        for k, (v, w) in enumerate(zip(self.v, self.w)):
            part, ok = x[k * dump:(k + 1) * dump], good[k * dump:(k + 1) * dump]
            valid = (ok[..., pairs[0]] & ok[..., pairs[1]])
            sums = np.where(valid, part[..., pairs[0]] * part[..., pairs[1]].conj(), 0).sum(axis=0)
            counts = valid.sum(axis=0)
            np.testing.assert_array_equal(w, (counts / len(part)).astype(np.float32))
            means = sums / np.maximum(counts, 1)
            np.testing.assert_allclose(v, np.where(counts, means, 0), atol=2e-5 * abs(means).max())
        case.assertEqual(self.undecided, 0)


class qa_kurtosis_search(unittest.TestCase):

    def test_flagged_baselines_are_left_out_of_every_dump(self):
        x = noise(42, 3, 8 * 7)
        t = np.arange(x.shape[0] * x.shape[2]).reshape(42, 1, -1) / 7
        carrier = np.exp(2j * np.pi * t)[:, 0]
        x[:, 1] += 3 * carrier  # channel 4, or 2 of input 1, which is inverted
        x[20:26, ::2, ::5] *= 6
        for backend in ("cpu", "generic"):
            for taps, dump, sums, requantize in ((1, 10**6, 4096, "none"), (4, 35, 4096, "none"),
                                                 (4, 50, 16, "none"), (2, 7, 3, "none"),
                                                 (4, 100, 65535, "8")):
                with self.subTest(backend=backend, taps=taps, dump=dump, requantize=requantize):
                    search = fringe.kurtosis_search(window=40, mask=[6])
                    got = chain(x, 7, search, dump=dump, sums=sums, taps=taps,
                                requantize=requantize, backend=backend).run()
                    if requantize == "none":
                        got.check(self, dump if dump < 10**6 else 336)
                    spectra, good, windows = got.decided()
                    self.assertEqual(sum(windows), len(spectra))
                    self.assertEqual(len(spectra), 336 - taps + 1)
                    # What the filter takes in first is missing in the first window.
                    self.assertEqual(windows[:-1], [41 - taps] + [40] * (len(windows) - 2))
                    # Not in the last window, which may have too few spectra to tell.
                    self.assertFalse(good[:sum(windows[:-1]), 2, 1].any())
                    self.assertFalse(good[:, 6].any())
                    self.assertGreater(good.mean(), 0.5)
                    np.testing.assert_array_equal(
                        np.reshape(got.channelizer.flagged(), (7, 3)), (~good).sum(axis=0))
                    self.assertEqual(got.channelizer.searched(), len(spectra))

    def test_the_same_as_with_a_flagger(self):
        # One tap, so that windows of items are windows of spectra; lost samples and a gap.
        x = noise(61, 3, 8 * 16)
        x[:, 1] += 2 * np.exp(2j * np.pi * np.arange(128) / 16 * 3)
        x[30:40, :, :64] *= 4
        invalid = [(3, (0, 20, 70)), (9, (1, 0, 128, 2, 5, 1))]
        tags = [rx_time(0, 100, 0.5), tag(0, "rx_rate", pmt.from_double(1000.0)),
                *(tag(n, "invalid", pmt.init_u64vector(len(runs), runs)) for n, runs in invalid),
                rx_time(21, 105, 0.5), tag(59, "samples", pmt.from_uint64(5 * 16 + 3))]
        for window in (32, 400):
            with self.subTest(window=window):
                search = fringe.kurtosis_search(window=window, mask=[0], false_alarm=1e-2)
                flagger = fringe.kurtosis_flagger(3, 16, 8, window=window, mask=[0],
                                                  false_alarm=1e-2, backend="cpu")
                got = chain(x, 16, search, tags, dump=50).run()
                expected = chain(x, 16, None, tags, dump=50, flagger=flagger).run()
                np.testing.assert_array_equal(got.w, expected.w)
                np.testing.assert_allclose(got.v, expected.v, atol=1e-5 * abs(expected.v).max())
                self.assertEqual(got.channelizer.cells(), flagger.cells())
                self.assertEqual(got.channelizer.flagged(), flagger.flagged())
                self.assertLess(got.w[:, 5].min(), 1)

    def test_short_data_are_searched_too(self):
        x = noise(2, 2, 16 * 5)
        got = chain(x, 5, fringe.kurtosis_search(window=1000, mask=[2])).run()
        np.testing.assert_array_equal(got.w[0, 2], 0)
        self.assertEqual(got.decided()[2], [32])
        self.assertEqual(got.channelizer.cells()["mask"], [0, 0, 2, 0, 0])
        self.assertEqual(got.occupancy.num_messages(), 1)

    def test_reported_only(self):
        x = noise(12, 2, 16 * 5)
        got = chain(x, 5, fringe.kurtosis_search(window=64, mask=[2], drop=False)).run()
        np.testing.assert_array_equal(got.w, 1)
        self.assertEqual(got.channelizer.cells()["mask"][2], 3 * 2)
        self.assertFalse([t for t in got.spectra.tags() if str(t.key) == "decision"])

    def test_noise_is_flagged_at_the_asked_rate(self):
        for taps in (1, 4):
            x = noise(150, 8, 16 * 256)
            got = chain(x, 256, fringe.kurtosis_search(window=64, false_alarm=1e-2, power=False,
                                                       combined=False), taps=taps).run()
            cells = got.channelizer.cells()  # of 75000: 750 +- 27
            self.assertAlmostEqual(sum(cells["any"]) / sum(cells["searched"]) / 1e-2, 1, delta=0.25)

    def test_wrong_searches_are_refused(self):
        for words, wanted in (({"window": 5}, "window"), ({"window": 1 << 20}, "window"),
                              ({"false_alarm": 0.5}, "false_alarm"), ({"mask": [9]}, "mask"),
                              ({"bad_inputs": [2]}, "bad_inputs"), ({"period": 0}, "period")):
            with self.subTest(**words):
                with self.assertRaisesRegex(ValueError, wanted):
                    fringe.channelizer(2, 5, 16, flag=fringe.kurtosis_search(**words),
                                       backend="cpu")


if __name__ == "__main__":
    unittest.main()
