#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The dump length is the integrator's alone, and it is what comes out.

Spectrum n of input 0 is n, that of input 1 is 1: the mean product of a dump tells which spectra
are in it. With FRINGE_STAND_IN the stages run on a stand-in for a GPU, too.
"""
import os
import time
import unittest

from qa_stand_in import use_stand_in

use_stand_in(delay=0)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_scratch import TIMEOUT, rx_time, scratch_case, tag  # noqa: E402

FOUND, _ = fringe.find_devices()
BACKENDS = ["cpu"] + (["cuda"] if FOUND and not FOUND[0].refused else [])
START, RATE, BLOCK = 1781229600, 1000.0, 16


class numbered_spectra(gr.sync_block):
    """Items of BLOCK spectra of one channel: `count` of them, or until `ended` is set."""

    def __init__(self, count=None, rate=RATE, start=START):
        gr.sync_block.__init__(self, "numbered", None, [(np.complex64, 2 * BLOCK)])
        self.count, self.sent, self.ended = count, 0, False
        self.tags = [rx_time(0, start)] if start else []
        self.tags += [tag(0, "rx_rate", pmt.from_double(rate))] if rate else []

    def work(self, _, output_items):
        if self.ended or self.sent == self.count:
            return -1
        if self.sent == 0:
            for item_tag in self.tags:
                self.add_item_tag(0, 0, item_tag.key, item_tag.value)
        if self.count is None:
            time.sleep(0.001)
        first = self.sent * BLOCK
        output_items[0][0] = np.concatenate([first + np.arange(BLOCK), np.ones(BLOCK)])
        self.sent += 1
        return 1


class dump_sink(gr.sync_block):
    """What came: (first spectrum, spectra, mean product) of each dump."""

    def __init__(self):
        gr.sync_block.__init__(self, "dumps", [(np.complex64, 3)], None)
        self.dumps = []

    def work(self, input_items, _):
        for k, item in enumerate(input_items[0]):
            at = self.nitems_read(0) + k
            found = {pmt.symbol_to_string(t.key): t.value
                     for t in self.get_tags_in_range(0, at, at + 1)}
            first = count = None
            if "rx_time" in found:
                when = found["rx_time"]
                first = ((pmt.to_uint64(pmt.tuple_ref(when, 0)) - START
                          + pmt.to_double(pmt.tuple_ref(when, 1))) * RATE)
                count = pmt.to_double(found["interval"]) * RATE
            self.dumps.append((first, count, item[1].real))
        return len(input_items[0])


class length_case(scratch_case):

    def check(self, dumps, lengths=None):
        """Dumps follow one another without a gap, and hold the spectra that they say."""
        at = 0
        for first, count, mean in dumps:
            self.assertAlmostEqual(first, at, places=4)
            self.assertAlmostEqual(mean, first + (count - 1) / 2, delta=1e-6 * mean + 1e-3)
            at += count
        if lengths is not None:
            np.testing.assert_allclose([count for _, count, _ in dumps], lengths)
        return at

    def run_chain(self, engine, integrators, items=500, between=(), **source):
        """The dumps of each integrator."""
        top, sinks = gr.top_block(), [dump_sink() for _ in integrators]
        spectra = numbered_spectra(items, **source)
        top.connect(spectra, engine, *between)
        last = between[-1] if between else engine
        for integrator, sink in zip(integrators, sinks):
            top.connect(last, integrator, sink)
        top.run()
        return [sink.dumps for sink in sinks]


class qa_one_place(length_case):

    def test_dumps_are_as_long_as_the_integrator_says(self):
        # 8 s of spectra. By itself the X-engine would add up 4.096 s.
        for backend in BACKENDS:
            for own in ({}, {"dump_seconds": 1.0}, {"dump_seconds": 0.3}, {"dump_spectra": 77}):
                for between in ((), (blocks.copy(24),)):
                    with self.subTest(backend=backend, own=own, between=between):
                        engine = fringe.xengine(2, 1, BLOCK, backend=backend, **own)
                        (dumps,) = self.run_chain(
                            engine, [fringe.integrator(2, 1, seconds=0.5, backend=backend)],
                            between=between)
                        self.check(dumps, [500] * 16)

    def test_integrators_of_different_lengths(self):
        for backend in BACKENDS:
            with self.subTest(backend=backend):
                engine = fringe.xengine(2, 1, BLOCK, backend=backend)
                some = self.run_chain(engine, [
                    fringe.integrator(2, 1, seconds=0.5, backend=backend),
                    fringe.integrator(2, 1, seconds=0.7, backend=backend),
                    fringe.integrator(2, 1, seconds=0, spectra=1111, backend=backend)])
                self.check(some[0], [500] * 16)
                edges = np.arange(-START * 1000 % 700, 8000, 700)  # multiples of 0.7 s
                self.check(some[1], np.diff([0, *edges[edges > 0], 8000]))
                self.check(some[2], [1111] * 7 + [8000 - 7777])

    def test_the_correlator_in_one_box(self):
        raw = self.path("raw")
        self.rng.integers(-99, 99, 2 * 2 * 8 * 8000, np.int8).tofile(raw)
        for backend in BACKENDS:
            with self.subTest(backend):
                source = fringe.file_source([raw], "ci8", 2, 8 * 50, 8 * RATE, 1e8,
                                            "2026-06-12T02:00:00")
                box = fringe.fx_correlator(2, 8, "ci8", 0.25, taps=1, block_spectra=50,
                                           backend=backend)
                top, sink = gr.top_block(), blocks.vector_sink_c(8 * 3)
                top.connect(source, box, sink)
                top.connect((box, 1), blocks.null_sink(8 * 3 * 4))
                # A length that only the integrator is given.
                box.integrator.set_integration(0.5)
                top.run()
                intervals = [pmt.to_double(t.value) for t in sink.tags()
                             if pmt.symbol_to_string(t.key) == "interval"]
                np.testing.assert_allclose(intervals, [0.5] * 16)

    def test_a_length_changed_while_running(self):
        for backend in BACKENDS:
            for how in ("setter", "message"):
                with self.subTest(backend=backend, how=how):
                    top, sink, source = gr.top_block(), dump_sink(), numbered_spectra()
                    integrator = fringe.integrator(2, 1, seconds=0.2, backend=backend)
                    top.connect(source, fringe.xengine(2, 1, BLOCK, backend=backend),
                                integrator, sink)
                    top.start()
                    for length, until in ((0.35, 5), (0.05, 11), (0.8, 20)):
                        self.wait_for(sink, until)
                        if how == "setter":
                            integrator.set_integration(length)
                        else:
                            integrator.to_basic_block()._post(pmt.intern("integration"),
                                                              pmt.from_double(length))
                    self.wait_for(sink, 26)
                    source.ended = True
                    top.wait()
                    self.assertEqual(self.check(sink.dumps), source.sent * BLOCK)
                    self.assertEqual(fringe.failure(integrator), "")
                    self.in_order([round(count) for _, count, _ in sink.dumps],
                                  (200, 350, 50, 800))

    def wait_for(self, sink, dumps):
        deadline = time.monotonic() + TIMEOUT
        while len(sink.dumps) < dumps and time.monotonic() < deadline:
            time.sleep(0.001)

    def in_order(self, counts, lengths):
        """Dumps have these lengths one after the other, but for a shorter one where the length
        changes (on both sides of it) and at the ends."""
        for length in lengths:
            self.assertIn(length, counts)
            first = counts.index(length)
            self.assertLessEqual(first, 2)
            self.assertTrue(all(count < 801 for count in counts[:first]))
            counts = counts[first:]
            while counts and counts[0] == length:
                counts = counts[1:]
        self.assertLessEqual(len(counts), 1)


class qa_sums_from_elsewhere(length_case):

    def sums(self, **options):
        """Sums of an X-engine in a flowgraph of its own: values and tags."""
        top, sink = gr.top_block(), blocks.vector_sink_c(3)
        source = numbered_spectra(500)
        top.connect(source, fringe.xengine(2, 1, BLOCK, **options), sink)
        top.run()
        return blocks.vector_source_c(sink.data(), False, 3, sink.tags())

    def integrate(self, source, **options):
        top, sink = gr.top_block(), dump_sink()
        integrator = fringe.integrator(2, 1, **options)
        top.connect(source, integrator, sink)
        top.run()
        return sink.dumps, fringe.failure(integrator)

    def test_sums_that_are_too_long_are_refused(self):
        for options in ({"seconds": 0.5}, {"seconds": 0, "spectra": 500}):
            dumps, why = self.integrate(self.sums(), **options)
            self.assertEqual(dumps, [])
            for words in ("fringe_integrator", "integration", "4096 spectra", "4.096000 s",
                          "0.5" if options["seconds"] else "500 spectra"):
                self.assertIn(words, why)

    def test_sums_of_the_same_length_are_taken(self):
        dumps, why = self.integrate(self.sums(dump_seconds=0.5), seconds=0.5)
        self.assertEqual(why, "")
        self.check(dumps, [500] * 16)
        dumps, why = self.integrate(self.sums(dump_seconds=0.1), seconds=0.5)
        self.assertEqual(why, "")
        self.check(dumps, [500] * 16)


class qa_unknown_rate(length_case):

    def test_a_length_in_seconds_needs_a_rate(self):
        for start in (START, None):
            for backend in BACKENDS:
                with self.subTest(start=start, backend=backend):
                    integrator = fringe.integrator(2, 1, seconds=0.5, backend=backend)
                    (dumps,) = self.run_chain(fringe.xengine(2, 1, BLOCK, backend=backend),
                                              [integrator], rate=None, start=start)
                    self.assertEqual(dumps, [])
                    why = fringe.failure(integrator)
                    for words in ("fringe_integrator", "0.5", "rx_rate", "sample rate"):
                        self.assertIn(words, why)

    def test_a_length_in_spectra_does_not_but_nothing_is_made_up(self):
        for start in (START, None):
            integrator = fringe.integrator(2, 1, seconds=0, spectra=100)
            (dumps,) = self.run_chain(fringe.xengine(2, 1, BLOCK), [integrator], rate=None,
                                      start=start)
            self.assertEqual(len(dumps), 80)
            self.assertEqual({(first, count) for first, count, _ in dumps}, {(None, None)})
            np.testing.assert_allclose([mean for _, _, mean in dumps],
                                       100 * np.arange(80) + 49.5, rtol=1e-6)

    def test_such_dumps_make_no_file(self):
        for ending in ("ms", "uvh5", "ACC"):
            top = gr.top_block()
            source = numbered_spectra(500, rate=None)
            sink = fringe.visibility_sink(fringe.observation.example(2),
                                          self.path("x." + ending), 1)
            top.connect(source, fringe.xengine(2, 1, BLOCK),
                        fringe.integrator(2, 1, seconds=0, spectra=100), sink)
            top.run()
            self.assertIn("interval", sink.error())
            self.assertIn("rx_rate", sink.error())
            self.assertEqual(sink.files(), [])
            self.assertEqual(os.listdir(self.folder), [])

    def test_nor_through_channelizer_and_engine(self):
        raw = self.rng.integers(0, 255, 4 * 32 * 200).astype(np.uint8)
        for backend in BACKENDS:
            with self.subTest(backend):
                top = gr.top_block()
                box = fringe.fx_correlator(2, 8, "ci8", 0.01, block_spectra=40, backend=backend)
                top.connect(blocks.vector_source_b(raw.tolist(), False, 4 * 320), box,
                            blocks.null_sink(8 * 24))
                top.connect((box, 1), blocks.null_sink(4 * 24))
                top.run()
                self.assertIn("rx_rate", fringe.failure(box.integrator))

    def test_a_length_that_cannot_be_names_value_unit_and_what_is_right(self):
        low, high = "1e-9 s", "1e9 s"
        bad = -float(self.rng.uniform(1, 9))
        spectra = int(self.rng.integers(2, 99))
        integrator = fringe.integrator(2, 1)
        for make in (lambda **words: fringe.integrator(2, 1, **words), integrator.set_integration,
                     lambda **words: fringe.fx_correlator(2, 8, "ci8", **words)):
            for given, words in (
                    ({"seconds": bad}, (f"seconds: {bad:.5g}"[:10], " s: ", low, high)),
                    ({"seconds": float("nan")}, ("nan s", low, high)),
                    ({"seconds": 0}, ("0 s", "spectra: 0", low, "one spectrum")),
                    ({"seconds": 1.5, "spectra": spectra},
                     ("1.5 s", f"spectra: {spectra}", "one of the two"))):
                with self.subTest(given), self.assertRaises(ValueError) as raised:
                    make(**given)
                for word in words:
                    self.assertIn(word, str(raised.exception))
        for value in (bad, "0.1", float("inf"), 2e9):
            with self.subTest(value), self.assertRaisesRegex(
                    ValueError, "^integration: .*: must be a positive number of seconds per dump"):
                fringe.correlate("none.ci8", self.path("x.uvh5"), integration=value)
        for text in ("0", "10 ms", "-1", "nan"):
            with self.subTest(text), self.assertRaisesRegex(
                    ValueError, "integration: .*number of seconds; write 100 ms as 0.1"):
                fringe.observation.from_text(f"antennas: [[0, 0, 0]]\nintegration: {text}\n")


if __name__ == "__main__":
    unittest.main()
