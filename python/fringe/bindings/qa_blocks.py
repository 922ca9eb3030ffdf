#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The blocks' contracts: time, gaps, validity, flush, lengths changed while running, errors."""
import os
import tempfile
import time
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from qa_scratch import TIMEOUT, rx_time, tag


def rx_rate(rate):
    return tag(0, "rx_rate", pmt.from_double(rate))


class dump_sink:
    """Collects dumps, their weights and their tags."""

    def __init__(self, flowgraph, integrator, values):
        self.values = values
        self.visibilities = blocks.vector_sink_c(values)
        self.weights = blocks.vector_sink_f(values)
        flowgraph.connect((integrator, 0), self.visibilities)
        flowgraph.connect((integrator, 1), self.weights)

    def data(self):
        return np.array(self.visibilities.data()).reshape(-1, self.values)

    def weight(self):
        return np.array(self.weights.data()).reshape(-1, self.values)

    def tag(self, key):
        """[(item, value)] of a tag, times as seconds."""
        found = []
        for t in self.visibilities.tags():
            if pmt.symbol_to_string(t.key) == key:
                value = t.value
                if pmt.is_tuple(value):
                    value = (pmt.to_uint64(pmt.tuple_ref(value, 0))
                             + pmt.to_double(pmt.tuple_ref(value, 1)))
                else:
                    value = pmt.to_python(value)
                found.append((t.offset, value))
        return sorted(found)


class halting_source(gr.sync_block):
    """Blocks of ones, a given number of them, and then no end and nothing more until told."""

    def __init__(self, values, items):
        gr.sync_block.__init__(self, "halting_source", None, [(np.complex64, (values,))])
        self.left, self.ended = items, False

    def work(self, _, output_items):
        if self.left == 0:
            time.sleep(0.01)
            return -1 if self.ended else 0
        self.left -= 1
        output_items[0][0] = 1
        return 1


class endless_source(gr.sync_block):
    """Blocks of ones, one a millisecond, until told to end."""

    def __init__(self, values, tags):
        gr.sync_block.__init__(self, "endless_source", None, [(np.complex64, (values,))])
        self.sent, self.ended, self.first_tags = 0, False, tags

    def work(self, _, output_items):
        if self.ended:
            return -1
        for t in self.first_tags:
            self.add_item_tag(0, 0, t.key, t.value)
        self.first_tags = []
        time.sleep(0.001)
        output_items[0][0] = 1
        self.sent += 1
        return 1


class spectra_chain:
    """Spectra given as an array [block][channel][input][time], to dumps."""

    def __init__(self, spectra, tags, seconds=0.0, dump_spectra=0, cut=True, sum_spectra=4096):
        count, channels, inputs, block = spectra.shape
        self.flowgraph = gr.top_block()
        item = channels * inputs * block
        source = blocks.vector_source_c(spectra.ravel(), False, item, tags)
        self.xengine = fringe.xengine(inputs, channels, block, "f32", sum_spectra,
                                      seconds if cut else 0, dump_spectra if cut else 0)
        self.integrator = fringe.integrator(inputs, channels, "f32", seconds, dump_spectra)
        self.flowgraph.connect(source, self.xengine, self.integrator)
        self.sink = dump_sink(self.flowgraph, self.integrator,
                              channels * inputs * (inputs + 1) // 2)

    def run(self):
        self.flowgraph.run()
        return self.sink


class qa_time_and_validity(unittest.TestCase):

    def ones(self, count, block=10, channels=2, inputs=2):
        return np.ones((count, channels, inputs, block), np.complex64)

    def test_dumps_carry_time_interval_and_exposure(self):
        sink = spectra_chain(self.ones(10), [rx_time(0, 1000, 0.25), rx_rate(100.0)],
                             seconds=0.5).run()
        # 1 s of spectra from 0.25 s on: a short dump, a whole one, a short one.
        self.assertEqual(sink.tag("rx_time"), [(0, 1000.25), (1, 1000.5), (2, 1001.0)])
        for key in ("interval", "exposure"):
            np.testing.assert_allclose([v for _, v in sink.tag(key)], [0.25, 0.5, 0.25])
        np.testing.assert_array_equal(sink.weight(), 1)
        np.testing.assert_array_equal(sink.data(), 1)

    def test_the_last_partial_dump_is_flushed(self):
        sink = spectra_chain(self.ones(7), [rx_time(0, 5, 0.0), rx_rate(10.0)],
                             dump_spectra=16).run()
        np.testing.assert_allclose([v for _, v in sink.tag("exposure")], [1.6] * 4 + [0.6])

    def test_a_gap_is_lost_weight_and_no_shift(self):
        # 30 spectra, 25 lost, 20 more: dumps of 20 spectra at 100 a second.
        tags = [rx_time(0, 50, 0.0), rx_rate(100.0), rx_time(3, 50, 0.55)]
        chain = spectra_chain(self.ones(5), tags, seconds=0.2)
        sink = chain.run()
        np.testing.assert_allclose([v for _, v in sink.tag("rx_time")],
                                   [50.0, 50.2, 50.4, 50.6])
        np.testing.assert_allclose(sink.weight()[:, 0], [1, 0.5, 0.25, 1])
        np.testing.assert_allclose([v for _, v in sink.tag("exposure")],
                                   [0.2, 0.1, 0.05, 0.15])
        np.testing.assert_array_equal(sink.data(), 1)
        self.assertEqual(chain.integrator.spectra_lost(), 25)

    def test_dumps_lost_whole_have_weight_nought(self):
        tags = [rx_time(0, 50, 0.0), rx_rate(100.0), rx_time(1, 50, 0.75)]
        sink = spectra_chain(self.ones(2), tags, seconds=0.2).run()
        np.testing.assert_allclose([v for _, v in sink.tag("rx_time")],
                                   [50.0, 50.2, 50.4, 50.6, 50.8])
        np.testing.assert_allclose(sink.weight()[:, 0], [0.5, 0, 0, 0.25, 1])
        np.testing.assert_array_equal(sink.data()[:, 0], [1, 0, 0, 1, 1])

    def test_invalid_samples_become_weights(self):
        # Input 1 of 3 loses samples; the rest of its samples and the others stay unbiased.
        rng = np.random.default_rng(3)
        channels, taps, block = 8, 4, 20
        points, count = channels, 6
        x = (rng.standard_normal((count, 3, block * points))
             + 1j * rng.standard_normal((count, 3, block * points))).astype(np.complex64)
        lost = (2, 37, 50)  # block, first sample, samples
        x[lost[0], 1, lost[1]:lost[1] + lost[2]] = np.nan
        value = pmt.init_u64vector(3, [1, lost[1], lost[2]])
        flowgraph = gr.top_block()
        source = blocks.vector_source_c(
            x.ravel(), False, 3 * block * points,
            [rx_time(0, 9, 0.0), rx_rate(1e4), tag(lost[0], "invalid", value)])
        channelizer = fringe.channelizer(3, channels, block, True, "f32", taps, "hann")
        engine = fringe.xengine(3, channels, block, "f32", 50, 0, 10 ** 6)
        integrator = fringe.integrator(3, channels, "f32", 0, 10 ** 6)
        flowgraph.connect(source, channelizer, engine, integrator)
        sink = dump_sink(flowgraph, integrator, channels * 6)
        flowgraph.run()
        spectra = count * block - taps + 1
        first = lost[0] * block * points + lost[1]
        hit = [s for s in range(spectra)
               if s * points < first + lost[2] and s * points + taps * points > first]
        weight = sink.weight().reshape(channels, 6)[0]
        touched = np.array([0, 1, 0, 1, 1, 0], bool)  # products with input 1
        np.testing.assert_allclose(weight[touched], 1 - len(hit) / spectra, rtol=1e-6)
        np.testing.assert_allclose(weight[~touched], 1)
        self.assertTrue(np.isfinite(sink.data()).all())
        power = sink.data().reshape(channels, 6)[:, [0, 3, 5]].real.mean(axis=0)
        np.testing.assert_allclose(power, 2, rtol=0.15)

    def test_time_of_the_first_spectrum(self):
        # With 4 taps the first spectrum stands for the middle N of its 4 N samples.
        channels, block, rate = 16, 8, 1600.0
        x = np.ones(4 * block * channels, np.complex64)
        flowgraph = gr.top_block()
        source = blocks.vector_source_c(x, False, block * channels,
                                        [rx_time(0, 100, 0.5), rx_rate(rate)])
        channelizer = fringe.channelizer(1, channels, block, True, "f32", 4, "hann")
        sink = blocks.vector_sink_c(channels * block)
        flowgraph.connect(source, channelizer, sink)
        flowgraph.run()
        tags = {pmt.symbol_to_string(t.key): t.value for t in sink.tags() if t.offset == 0}
        self.assertAlmostEqual(pmt.to_double(pmt.tuple_ref(tags["rx_time"], 1)),
                               0.5 + 1.5 * channels / rate)
        self.assertEqual(pmt.to_double(tags["rx_rate"]), 100.0)
        self.assertEqual(pmt.to_uint64(tags["spectra"]), block - 3)


class qa_lengths(unittest.TestCase):

    def chain(self, blocks_of_spectra=400):
        spectra = np.ones((blocks_of_spectra, 4, 2, 16), np.complex64)
        return spectra_chain(spectra, [rx_time(0, 7, 0.0), rx_rate(16.0)], dump_spectra=160)

    def test_a_setter_changes_the_length_while_running(self):
        chain = self.chain()
        chain.xengine.set_integration(0, 320)
        chain.integrator.set_integration(0, 320)
        sink = chain.run()
        exposure = [v for _, v in sink.tag("exposure")]
        self.assertEqual(exposure[0], 20.0)
        self.assertAlmostEqual(sum(exposure), 400.0)

    def test_a_message_changes_the_length_while_running(self):
        # The data go on until a dump of the new length came: when a message is handled is the
        # scheduler's business.
        flowgraph = gr.top_block()
        source = endless_source(4 * 2 * 16, [rx_time(0, 7, 0.0), rx_rate(16.0)])
        engine = fringe.xengine(2, 4, 16, dump_spectra=160)
        integrator = fringe.integrator(2, 4, seconds=0, spectra=160)
        flowgraph.connect(source, engine, integrator)
        sink = dump_sink(flowgraph, integrator, 4 * 3)
        flowgraph.start()
        for block in (engine, integrator):
            block.to_basic_block()._post(pmt.intern("integration"), pmt.cons(
                pmt.intern("spectra"), pmt.from_long(64)))
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline and 4.0 not in [v for _, v in sink.tag("exposure")]:
            time.sleep(0.01)
        source.ended = True
        flowgraph.wait()
        exposure = [v for _, v in sink.tag("exposure")]
        self.assertIn(4.0, exposure)
        self.assertAlmostEqual(sum(exposure), source.sent)
        np.testing.assert_array_equal(sink.data(), 1)

    def test_a_message_that_makes_no_sense_changes_nothing(self):
        chain = self.chain(20)
        for value in (pmt.from_double(-1.0), pmt.intern("long"), pmt.PMT_NIL):
            chain.integrator.to_basic_block()._post(pmt.intern("integration"), value)
        sink = chain.run()
        np.testing.assert_allclose([v for _, v in sink.tag("exposure")], [10.0, 10.0])

    def test_sums_that_are_not_cut_at_dumps_lose_nothing(self):
        spectra = np.ones((10, 1, 1, 16), np.complex64)
        chain = spectra_chain(spectra, [rx_time(0, 7, 0.0), rx_rate(16.0)], seconds=1.5,
                              cut=False, sum_spectra=7)
        sink = chain.run()
        self.assertAlmostEqual(sum(v for _, v in sink.tag("exposure")), 10.0)
        np.testing.assert_array_equal(sink.weight(), 1)


    def test_a_dump_is_sent_when_it_is_complete(self):
        for dump, complete in ((32, 3), (40, 2)):
            flowgraph = gr.top_block()
            source = halting_source(16, 6)
            sink = blocks.vector_sink_c(1)
            flowgraph.connect(source, fringe.xengine(1, 1, 16, dump_spectra=dump),
                              fringe.integrator(1, 1, seconds=0, spectra=dump), sink)
            flowgraph.start()
            deadline = time.monotonic() + TIMEOUT
            while len(sink.data()) < complete and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(sink.data()), complete)
            source.ended = True
            flowgraph.wait()
            self.assertEqual(len(sink.data()), 3)


class qa_correlator_block(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.raw = os.path.join(self.folder.name, "raw")
        np.random.default_rng(1).integers(-99, 99, 2 * 2 * 64 * 5000, np.int8).tofile(self.raw)

    def tearDown(self):
        self.folder.cleanup()

    def test_in_one_box_with_the_length_changed_by_a_message(self):
        flowgraph = gr.top_block()
        box = fringe.fx_correlator(2, 64, "ci8", 0, 1000, block_spectra=16)
        source = fringe.file_source([self.raw], "ci8", 2, 16 * 64, 64e3, 1e8, repeat=True)
        sink = blocks.vector_sink_c(64 * 3)
        flowgraph.connect(source, box, sink)
        flowgraph.connect((box, 1), blocks.null_sink(64 * 3 * gr.sizeof_float))
        strobe = blocks.message_strobe(pmt.from_double(0.25), 50)
        flowgraph.msg_connect(strobe, "strobe", box, "integration")
        flowgraph.start()
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline and not any(
                self.exposure(t) == 0.25 for t in sink.tags()):
            time.sleep(0.1)
        flowgraph.stop()  # the strobe would go on for ever
        flowgraph.wait()
        self.assertIn(1.0, [self.exposure(t) for t in sink.tags()])
        self.assertIn(0.25, [self.exposure(t) for t in sink.tags()])

    @staticmethod
    def exposure(t):
        return pmt.to_double(t.value) if pmt.eq(t.key, pmt.intern("exposure")) else None

    def test_a_stock_file_source_is_flushed_too(self):
        flowgraph = gr.top_block()
        source = blocks.file_source(2 * 2 * 64 * 16, self.raw)
        box = fringe.fx_correlator(2, 64, "ci8", 0, 10 ** 6, block_spectra=16)
        sink = blocks.vector_sink_c(64 * 3)
        flowgraph.connect(source, box, sink)
        flowgraph.connect((box, 1), blocks.null_sink(64 * 3 * gr.sizeof_float))
        flowgraph.run()
        self.assertEqual(len(sink.data()), 64 * 3)

    def test_samples_are_read_in_the_ring_or_copied(self):
        found = []
        for taps, items in ((4, None), (4, 8), (1, None), (1, 8)):
            flowgraph = gr.top_block()
            source = blocks.file_source(2 * 2 * 64 * 16, self.raw)
            if items:  # in so short a ring no stretch has room
                source.set_max_output_buffer(items)
            box = fringe.fx_correlator(2, 64, "ci8", 0, 333, taps, block_spectra=16)
            sink = blocks.vector_sink_c(64 * 3)
            flowgraph.connect(source, box, sink)
            flowgraph.connect((box, 1), blocks.null_sink(64 * 3 * gr.sizeof_float))
            flowgraph.run()
            found.append(np.array(sink.data()))
        self.assertEqual(len(found[0]), 15 * 64 * 3)
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[2], found[3])

    def test_one_baseline_for_displays(self):
        flowgraph = gr.top_block()
        x = np.arange(1, 13).reshape(2, 6).astype(np.complex64) * (1 + 1j)
        source = blocks.vector_source_c(x.ravel(), False, 6)  # one channel an item, 3 inputs
        select = fringe.baseline_select(3, 2, 2, 1, False, 1)
        sink = blocks.vector_sink_c(2)
        flowgraph.connect(source, select, sink)
        flowgraph.run()
        np.testing.assert_array_equal(sink.data(), np.conj(x[:, 4]))


class qa_readers(unittest.TestCase):

    def test_large_items_are_read_by_several_threads(self):
        item = 4 << 20
        raw = np.random.default_rng(7).integers(0, 256, 5 * item + 1234 * 4, np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            recording, sent = os.path.join(folder, "x.ci8"), os.path.join(folder, "sent")
            raw.tofile(recording)
            for threads in (1, 3):
                fringe.set_threads(threads)
                self.addCleanup(fringe.set_threads, 0)
                source = fringe.file_source([recording], "ci8", 2, item // 4, 1e6)
                flowgraph = gr.top_block()
                flowgraph.connect(source, blocks.file_sink(item, sent))
                flowgraph.run()
                got = np.fromfile(sent, np.uint8)
                self.assertEqual(len(got), 6 * item)
                np.testing.assert_array_equal(got[:len(raw)], raw)
                self.assertFalse(got[len(raw):].any())
                self.assertEqual(source.samples_read(), len(raw) // 4)

    def test_stages_run_again_with_other_readers(self):
        item = 2 * 3 * 16 * 8
        raw = np.random.default_rng(3).integers(0, 256, 20 * item).astype(np.uint8)
        flowgraph = gr.top_block()
        source = blocks.vector_source_b(raw.tolist(), False, item)
        unpack = fringe.unpack("ci8", 3, 16 * 8, backend="cpu")
        channelizer = fringe.channelizer(3, 16, 8, True, "i8", 1, "rectangular", backend="cpu")
        sums = blocks.vector_sink_c(16 * 6)
        taps = {unpack: blocks.null_sink(item), channelizer: blocks.vector_sink_c(3 * 16 * 8)}
        flowgraph.connect(source, unpack, channelizer,
                          fringe.xengine(3, 16, 8, "f32", 40, channels_per_item=16, backend="cpu"),
                          sums)

        def run():
            source.rewind()
            sums.reset()
            flowgraph.run()
            return sums.data()

        first = run()
        self.assertEqual(len(first), 4 * 16 * 6)
        for stage, tap in taps.items():
            flowgraph.connect(stage, tap)
            self.assertEqual(run(), first)
            flowgraph.disconnect(stage, tap)
            self.assertEqual(run(), first)
        self.assertEqual(len(taps[channelizer].data()), 20 * 3 * 16 * 8)


class qa_errors(unittest.TestCase):

    def test_constructors_say_what_would_be_right(self):
        cases = [
            (lambda: fringe.unpack("ci9", 2, 16), "ci9"),
            (lambda: fringe.unpack("ci8", 0, 16), "inputs"),
            (lambda: fringe.unpack("ci16", 2, 16, "i8"), "i16"),
            (lambda: fringe.unpack("ci8", 2, 16, "auto", 1, [0, 0]), "streams"),
            (lambda: fringe.unpack("ci8", 3, 16, "auto", 2), "files"),
            (lambda: fringe.channelizer(2, 0, 16), "channels"),
            (lambda: fringe.channelizer(2, 16, 16, taps=33), "33"),
            (lambda: fringe.channelizer(2, 16, 16, window="haning"), "haning"),
            (lambda: fringe.channelizer(2, 16, 16, requantize="5"), "requantize"),
            (lambda: fringe.channelizer(2, 16, 16, gains=[1, 2, 3]), "gains"),
            (lambda: fringe.channelizer(1000, 100000, 1000), "2 GB"),
            (lambda: fringe.xengine(0, 16, 16), "inputs"),
            (lambda: fringe.xengine(2, 16, 16, "i16"), "i16"),
            (lambda: fringe.xengine(2, 16, 16, "i8", 70000), "65535"),
            (lambda: fringe.xengine(2, 16, 16, channels_per_item=5), "divide"),
            (lambda: fringe.integrator(2, 16, seconds=0.0), "a dump needs a length"),
            (lambda: fringe.integrator(2, 16, seconds=1.0, spectra=5), "one of the two"),
            (lambda: fringe.integrator(2, 16, backend="gpu"), "gpu"),
            (lambda: fringe.baseline_select(2, 16, 0, 2), "0 ... 1"),
            (lambda: fringe.visibility_sink(fringe.observation.example(2), "x.fits", 4),
             ".ms"),
            (lambda: fringe.file_source([], "ci8", 2, 16, 1e6), "paths"),
            (lambda: fringe.file_source(["/none"], "ci8", 2, 16, 1e6), "/none"),
        ]
        for make, word in cases:
            with self.subTest(word):
                with self.assertRaises(ValueError) as caught:
                    make()
                self.assertIn(word, str(caught.exception))

    def test_documentation_reaches_python(self):
        for block in (fringe.file_source, fringe.unpack, fringe.channelizer, fringe.xengine,
                      fringe.integrator, fringe.visibility_sink, fringe.baseline_select,
                      fringe.fx_correlator):
            self.assertIn("Output" if block is not fringe.visibility_sink else "Input",
                          block.__doc__)


if __name__ == "__main__":
    unittest.main()
