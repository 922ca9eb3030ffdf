#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Interference found before the X-engine: windows, zeros, counts, messages, errors."""
import unittest

from qa_stand_in import use_stand_in

use_stand_in(delay=0)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_scratch import rx_time, seed_of_tests, tag  # noqa: E402

FOUND, WHY = fringe.find_devices()


def invalid(offset, *triples):
    return tag(offset, "invalid", pmt.init_u64vector(len(triples), triples))


def noise(*shape, seed=None):
    seed = seed_of_tests() if seed is None else seed
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


class chain:
    """Spectra [item][channel][input][time] through a flagger, X-engine and integrator."""

    def __init__(self, spectra, tags=(), dump=10**6, backend="cpu", sums=4096, engine=None,
                 tapped=True, **options):
        count, channels, inputs, block = spectra.shape
        self.shape, item = (channels, inputs * (inputs + 1) // 2), spectra[0].size
        self.spectra_shape = channels, inputs, block
        self.flowgraph = gr.top_block(catch_exceptions=False)
        source = blocks.vector_source_c(spectra.ravel(), False, item, list(tags))
        self.flagger = fringe.kurtosis_flagger(inputs, channels, block, backend=backend,
                                               **options)
        engine = fringe.xengine(inputs, channels, block, "f32", sums, 0, dump,
                                backend=engine or backend)
        integrator = fringe.integrator(inputs, channels, "f32", 0, dump, backend=backend)
        values = fringe.item_sizes.visibilities(inputs, channels)
        self.spectra, self.occupied = blocks.vector_sink_c(item), blocks.vector_sink_f(channels)
        self.vis, self.weights = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        self.port_messages = blocks.message_debug()
        self.flowgraph.connect(source, self.flagger, engine, integrator, self.vis)
        self.flowgraph.connect((integrator, 1), self.weights)
        if tapped:
            self.flowgraph.connect((self.flagger, 0), self.spectra)
        self.flowgraph.connect((self.flagger, 1), self.occupied)
        self.flowgraph.msg_connect(self.flagger, "occupancy", self.port_messages, "store")

    def run(self):
        self.flowgraph.run()
        self.out = np.array(self.spectra.data(), np.complex64).reshape(-1, *self.spectra_shape)
        self.v = np.array(self.vis.data()).reshape(-1, *self.shape)
        self.w = np.array(self.weights.data()).reshape(-1, *self.shape)
        return self

    def flagged(self):
        """[item][channel][input] as the tag says."""
        channels, inputs, _ = self.spectra_shape
        cells = np.zeros((len(self.out), channels * inputs), bool)
        for t in self.spectra.tags():
            if pmt.symbol_to_string(t.key) == "flagged":
                for first, number in np.reshape(pmt.u32vector_elements(t.value), (-1, 2)):
                    cells[t.offset, first:first + number] = True
        return cells.reshape(-1, channels, inputs)

    def messages(self):
        return [pmt.to_python(self.port_messages.get_message(k))
                for k in range(self.port_messages.num_messages())]


def expected_weights(good, spectra):
    """good: [item][channel][input][time], as booleans -> valid [channel][product]."""
    inputs = good.shape[2]
    pairs = [(i, j) for i in range(inputs) for j in range(i, inputs)]
    return np.stack([(good[:, :, i] & good[:, :, j]).sum(axis=(0, 2)) for i, j in pairs],
                    axis=1) / spectra


class qa_kurtosis_flagger(unittest.TestCase):

    def test_cells_are_zeroed_and_counted_exactly(self):
        x = noise(40, 7, 3, 8)
        x[:, 2, 1] += 8  # a carrier
        x[16:24, 5, :, 0] *= 8  # pulses
        for backend in ("cpu", "generic"):
            with self.subTest(backend=backend):
                got = chain(x, window=64, power=False, mask=[6], sums=37,
                            backend=backend).run()
                cells = got.flagged()
                self.assertEqual(got.flagger.window(), 64)
                # Windows of 8 items each are one decision.
                np.testing.assert_array_equal(cells, np.repeat(cells[::8], 8, axis=0))
                self.assertTrue(cells[:, 2, 1].all())
                self.assertTrue(cells[16:24, 5].all())
                self.assertTrue(cells[:, 6].all())
                self.assertLess(cells.mean(), 0.35)  # 0.22, and false alarms of three cells
                np.testing.assert_array_equal(got.out, np.where(cells[..., None], 0, x))
                good = np.broadcast_to(~cells[..., None], x.shape)
                expected = expected_weights(good, 320)
                np.testing.assert_array_equal(got.w[0], expected.astype(np.float32))
                np.testing.assert_array_equal(got.v[0][expected == 0], 0)
                # Means are those of what is left.
                sums = np.einsum("ncit,ncjt->cij", got.out, got.out.conj())
                pairs = np.triu_indices(3)
                with np.errstate(invalid="ignore", divide="ignore"):
                    means = sums[:, pairs[0], pairs[1]] / (320 * expected)
                np.testing.assert_allclose(got.v[0][expected > 0], means[expected > 0],
                                           rtol=1e-4, atol=1e-4)
                np.testing.assert_array_equal(
                    np.reshape(got.flagger.flagged(), (7, 3)), 8 * cells.sum(axis=0))
                self.assertEqual(got.flagger.spectra(), 320)
                np.testing.assert_array_equal(got.flagger.cells()["any"],
                                              cells[::8].sum(axis=(0, 2)))
                self.assertEqual(got.flagger.cells()["searched"][0], 5 * 3)
                np.testing.assert_allclose(np.reshape(got.occupied.data(), (-1, 7)),
                                           cells[::8].mean(axis=2), rtol=1e-6)

    def test_lost_spectra_and_flags_are_not_counted_twice(self):
        x = noise(12, 5, 3, 10)
        x[:, 1, 0] += 8
        good = np.ones(x.shape, bool)
        tags = []
        # Overlapping runs of one input, and a whole item of another.
        for item, runs in ((1, (0, 2, 5, 0, 4, 6)), (3, (1, 0, 10)), (7, (2, 9, 1, 0, 0, 1))):
            tags.append(invalid(item, *runs))
            for i, first, count in np.reshape(runs, (-1, 3)):
                good[item, :, i, first:first + count] = False
        x[~good] = 0
        for dump in (10**6, 35):
            with self.subTest(dump=dump):
                got = chain(x, tags, dump=dump, window=40, power=False, mask=[4], sums=16).run()
                cells = got.flagged()
                self.assertTrue(cells[:, 1, 0].all())
                left = np.moveaxis(good & ~cells[..., None], 3, 1).reshape(120, 5, 3)
                for k, w in enumerate(got.w):
                    part = left[k * dump:(k + 1) * dump]
                    expected = expected_weights(part[..., None], len(part))
                    np.testing.assert_array_equal(w, expected.astype(np.float32))
                self.assertTrue(np.isfinite(got.v).all())
                np.testing.assert_array_equal(
                    np.reshape(got.flagger.flagged(), (5, 3)),
                    (good & cells[..., None]).sum(axis=(0, 3)))

    def test_sums_say_which_cells_were_flagged(self):
        def flagged(offset, *runs):
            return tag(offset, "flagged", pmt.init_u32vector(len(runs), runs))

        # Items of 4 spectra; cells are channel x 3 + input. Items 0, 1 and 2 are alike.
        tags = [flagged(n, 1, 1) for n in range(3)] + [
            flagged(4, 1, 1, 5, 3), invalid(4, 2, 1, 2), flagged(5, 1, 1, 5, 3), flagged(7, 14, 1)]
        for per_item in (5, 1):
            top = gr.top_block(catch_exceptions=False)
            sink = blocks.vector_sink_c(per_item * 6)
            top.connect(blocks.vector_source_c(noise(8 * 5 * 3 * 4), False, 5 * 3 * 4, tags),
                        fringe.xengine(3, 5, 4, sum_spectra=28, channels_per_item=per_item,
                                       backend="cpu"), sink)
            top.run()
            stated = {t.offset: t.value for t in sink.tags() if str(t.key) == "flagged_spectra"}
            self.assertEqual(sorted(stated), [0, 5 // per_item])  # the first items of the sums
            pairs = [pmt.vector_ref(stated[0], n) for n in range(pmt.length(stated[0]))]
            self.assertEqual([pmt.u32vector_elements(pmt.cdr(p)) for p in pairs],
                             [[1, 1], [1, 1, 5, 3]])
            self.assertEqual(pmt.to_uint64(pmt.car(pairs[0])), 12)
            # Of 8 spectra input 2 has lost 2.
            self.assertEqual(pmt.u64vector_elements(pmt.car(pairs[1])), [8, 8, 6, 8, 6, 6])
            last = pmt.vector_ref(stated[5 // per_item], 0)
            self.assertEqual((pmt.to_uint64(pmt.car(last)), pmt.u32vector_elements(pmt.cdr(last))),
                             (4, [14, 1]))

    def assert_same(self, got, expected):
        """Everything that comes out of the flagger and behind it."""
        def tags(sink):
            return sorted((t.offset, str(t.key), str(t.value)) for t in sink.tags()
                          if str(t.key) != "stream")  # which names the block that sends

        np.testing.assert_array_equal(got.w, expected.w)
        np.testing.assert_allclose(got.v, expected.v, atol=1e-5)
        np.testing.assert_array_equal(got.occupied.data(), expected.occupied.data())
        self.assertEqual(tags(got.occupied), tags(expected.occupied))
        self.assertEqual([str(m) for m in got.messages()],
                         [str(m) for m in expected.messages()])
        self.assertEqual(got.flagger.flagged(), expected.flagger.flagged())
        self.assertEqual(got.flagger.cells(), expected.flagger.cells())
        self.assertEqual(got.flagger.spectra(), expected.flagger.spectra())
        if len(got.out):
            np.testing.assert_array_equal(got.out, expected.out)
            self.assertEqual(tags(got.spectra), tags(expected.spectra))

    def test_the_same_on_a_device(self):
        if not FOUND or FOUND[0].refused:
            self.skipTest(f"no device: {WHY}")
        x = noise(61, 16, 3, 8, seed=5)
        x[:, 2, 1] += 8
        x[30:40, 7:9] *= 3  # of all inputs, by power
        # Lost spectra, gaps that end windows early, items that are short or have nothing.
        tags = [rx_time(0, 100, 0.5), tag(0, "rx_rate", pmt.from_double(1000.0)),
                invalid(3, 0, 2, 5), rx_time(6, 100, 0.6), rx_time(11, 100, 0.7),
                tag(13, "spectra", pmt.from_uint64(5)), tag(21, "spectra", pmt.from_uint64(0)),
                rx_time(45, 101, 0.9), tag(60, "damaged", pmt.intern("cut short"))]
        x[3, :, 0, 2:7] = 0
        for window, zero in ((32, True), (16, True), (32, False), (400, True)):
            options = {"window": window, "zero": zero, "mask": [0, 15], "period": 0.1,
                       "false_alarm": 1e-2, "dump": 50}
            expected = chain(x, tags, backend="generic", **options).run()
            self.assertEqual(expected.w[:, 2, 3].max() < 1, zero)
            for backend, engine, tapped in (("cuda", "cuda", True), ("cuda", "cuda", False),
                                            ("cuda", "generic", True),
                                            ("generic", "cuda", False)):
                with self.subTest(window=window, zero=zero, backend=backend, engine=engine,
                                  tapped=tapped):
                    self.assert_same(chain(x, tags, backend=backend, engine=engine,
                                           tapped=tapped, **options).run(), expected)

    def test_windows_of_the_correlator_on_a_device(self):
        if not FOUND or FOUND[0].refused:
            self.skipTest(f"no device: {WHY}")
        for inputs, search, window in ((2, True, 256), (8, True, 512), (40, True, 2048),
                                       (8, {"window": 64}, 64)):
            with self.subTest(inputs=inputs, search=search):
                box = fringe.fx_correlator(inputs, 16, block_spectra=16, backend="cuda",
                                           flag=search)
                self.assertEqual(box.flagger.window(), window)

    def test_messages_do_not_count_gaps(self):
        tags = [rx_time(0, 100, 0.0), tag(0, "rx_rate", pmt.from_double(100.0)),
                rx_time(5, 150, 0.0)]
        messages = chain(noise(10, 4, 2, 8), tags, window=40, period=0.5).run().messages()
        self.assertEqual([(m["time"], round(m["seconds"], 9)) for m in messages],
                         [((100, 0.0), 0.8)])

    def test_integers_and_bits(self):
        # Requantized noise, at the levels that the channelizer chooses, through it.
        rng = np.random.default_rng(8)
        for bits, sigma in (("8", 16), ("4", 2.95)):
            with self.subTest(bits=bits):
                channels, inputs, block = 64, 4, 64
                raw = (rng.standard_normal((20, inputs, block * channels, 2)) * 20)
                raw = raw.round().clip(-127, 127).astype(np.int8)
                top = gr.top_block()
                source = blocks.vector_source_b(raw.view(np.uint8).ravel().tolist(), False,
                                                2 * inputs * block * channels)
                channelizer = fringe.channelizer(inputs, channels, block, True, "i8", 4, "hann",
                                                 bits, [sigma / 20])
                flagger = fringe.kurtosis_flagger(inputs, channels, block, "i8", 256, 1e-2,
                                                  combined=False, power=False, bits=int(bits))
                sink = blocks.vector_sink_b(2 * inputs * block * channels)
                top.connect(source, channelizer, flagger, sink)
                top.run()
                rate = sum(flagger.cells()["any"]) / sum(flagger.cells()["searched"])
                self.assertLess(rate, 0.02)
                self.assertGreater(rate, 0.003)

    def test_the_rate_through_the_filter_bank(self):
        # Neighboring spectra share samples: it must not matter.
        channels, inputs, block, items = 256, 8, 64, 44
        x = noise(items, inputs, block * channels)
        for taps, window in ((4, "hann"), (1, "rectangular")):
            with self.subTest(taps=taps):
                top = gr.top_block()
                source = blocks.vector_source_c(x.ravel(), False, inputs * block * channels)
                flagger = fringe.kurtosis_flagger(inputs, channels, block, "f32", 64, 1e-2,
                                                  combined=False, power=False)
                top.connect(source,
                            fringe.channelizer(inputs, channels, block, True, "f32", taps,
                                               window),
                            flagger, blocks.null_sink(8 * inputs * block * channels))
                top.run()
                cells = flagger.cells()
                rate = sum(cells["any"]) / sum(cells["searched"])  # of 90000: 900 +- 30
                self.assertAlmostEqual(rate / 1e-2, 1, delta=0.25)

    def test_reported_only(self):
        x = noise(16, 4, 2, 8)
        x[:, 1] += 8
        got = chain(x, window=32, zero=False).run()
        np.testing.assert_array_equal(got.out, x)
        self.assertFalse(got.flagged().any())
        np.testing.assert_array_equal(got.w, 1)
        self.assertEqual(got.flagger.cells()["any"][1], 4 * 2)

    def test_messages_tell_once_a_period(self):
        x = noise(25, 4, 2, 8)
        x[:, 1] += 8
        tags = [rx_time(0, 100, 0.5), tag(0, "rx_rate", pmt.from_double(100.0))]
        got = chain(x, tags, window=40, power=False, mask=[3], period=0.7).run()
        messages = got.messages()
        self.assertEqual([round(m["seconds"], 9) for m in messages], [0.8, 0.8, 0.4])
        self.assertEqual([m["time"] for m in messages], [(100, 0.5), (101, 0.3), (102, 0.1)])
        for m in messages:
            self.assertEqual((m["mask"][3], m["fraction"][3], m["sk low"][1]), (1, 1, 1))
            self.assertEqual(set(m), {"time", "seconds", "fraction", "sk low", "sk high",
                                      "combined", "power", "mask"})
        stated = {(t.offset, pmt.symbol_to_string(t.key)): pmt.to_python(t.value)
                  for t in got.occupied.tags()}
        np.testing.assert_allclose([sum(stated[k, "rx_time"]) for k in range(5)],
                                   100.5 + 0.4 * np.arange(5))
        np.testing.assert_allclose([stated[k, "interval"] for k in range(5)], 0.4)

    def test_windows_end_at_gaps_and_at_the_end(self):
        x = noise(11, 3, 2, 10)
        tags = [rx_time(0, 10, 0.0), tag(0, "rx_rate", pmt.from_double(100.0)),
                rx_time(6, 11, 0.0), tag(10, "spectra", pmt.from_uint64(4)),
                tag(10, "damaged", pmt.intern("cut short"))]
        got = chain(x, tags, window=40, mask=[0], dump=10**6).run()
        np.testing.assert_array_equal(got.out[:, 1:], np.where(
            got.flagged()[:, 1:, :, None], 0, x[:, 1:]))
        self.assertTrue(got.flagged()[:, 0].all())
        keys = {(t.offset, pmt.symbol_to_string(t.key)) for t in got.spectra.tags()}
        self.assertTrue({(0, "rx_time"), (6, "rx_time"), (10, "spectra"), (10, "damaged")}
                        <= keys)
        # Windows: items 0-3, 4-5, 6-9 and 10.
        times = [pmt.to_python(t.value) for t in got.occupied.tags() if str(t.key) == "rx_time"]
        np.testing.assert_allclose([s + f for s, f in times], [10, 10.4, 11, 11.4])
        self.assertEqual(got.flagger.spectra(), 104)

    def test_power_sees_a_full_band_burst(self):
        x = noise(120, 16, 2, 32)
        x[100:102, :, 1] *= 1.5
        got = chain(x, window=64, per_input=False, combined=False, power=True).run()
        cells = got.flagged()
        self.assertTrue(cells[100:102, :, 1].all())
        self.assertLess(cells[:100].mean(), 0.1)

    def test_mistakes_are_reported(self):
        for options, words in (({"inputs": 0}, "inputs: 0: must be at least 1"),
                               ({"component": "i16"}, "component: i16: must be f32 or i8"),
                               ({"window": 8}, "window: 8: must be 16 to 65536"),
                               ({"false_alarm": 0.5}, "false_alarm: 0.5: must be 1e-6 to 0.1"),
                               ({"mask": [16]}, "mask: 16: they are numbered 0 ... 15"),
                               ({"bad_inputs": [2]}, "bad_inputs: 2: they are numbered 0 ... 1"),
                               ({"bits": 5}, "bits: 5: must be 8 or 4"),
                               ({"period": 0}, "period: 0: must be more than 0 s"),
                               ({"backend": "gpu"}, "gpu")):
            with self.subTest(**options), self.assertRaisesRegex(ValueError, words):
                fringe.kurtosis_flagger(**{"inputs": 2, "channels": 16, "block_spectra": 8,
                                           **options})


if __name__ == "__main__":
    unittest.main()
