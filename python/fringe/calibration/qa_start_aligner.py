#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Streams that start at different times are aligned while they run."""
import sys
import threading
import time
import types
import unittest
from unittest import mock

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.calibration.start_aligner import _delay_line
from qa_scratch import TIMEOUT, rx_time, scratch_case, tag

PERIOD, RATE, SEARCH = 2**18, 1e6, 0.02


class probe(gr.sync_block):
    """How alike the streams are, sample by sample, and which samples the tags are at."""

    def __init__(self, inputs):
        gr.sync_block.__init__(self, "probe", [np.complex64] * inputs, None)
        self.coherence, self.tagged, self.read = 0.0, [], 0

    def work(self, input_items, output_items):
        """Coherence of this call's samples."""
        first = input_items[0]
        count = len(first)
        with np.errstate(invalid="ignore", divide="ignore"):
            alike = [abs(np.vdot(first, samples)) / np.sqrt(
                np.vdot(first, first).real * np.vdot(samples, samples).real)
                     for samples in input_items[1:]]
        for port, items in enumerate(input_items):
            for item_tag in self.get_tags_in_window(port, 0, count):
                at = item_tag.offset - self.nitems_read(port)
                if pmt.symbol_to_string(item_tag.key) == "mark":
                    self.tagged.append((port, pmt.to_long(item_tag.value), items[at]))
        if count >= 64:
            self.coherence = np.nan_to_num(min(alike))
        self.read += count
        return count


class qa_start_aligner(scratch_case):

    def wait(self, condition):
        end = time.monotonic() + TIMEOUT / 3
        while not condition() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(condition())

    def flowgraph(self, late, tags=(), noise=0.3, common=1.0):
        """Aligner, probe and changeable delays of a running flowgraph; input k begins with sample
        late[k] of the common signal."""
        def gaussian():
            return self.rng.normal(size=(PERIOD, 2)) @ [1, 1j]
        signal = gaussian()
        top = gr.top_block()
        aligner = fringe.start_aligner(len(late), RATE, SEARCH)
        sink, held = probe(len(late)), []
        for k, first in enumerate(late):
            samples = common * np.roll(signal, -first) + noise * gaussian()
            source = blocks.vector_source_c(samples.astype(np.complex64), True, 1, list(tags))
            throttle = blocks.throttle(gr.sizeof_gr_complex, 2 * RATE)
            held.append((source, throttle, blocks.delay(gr.sizeof_gr_complex, 0), samples))
            top.connect(source, throttle, held[-1][2], (aligner, k), (sink, k))
        self.kept = top, aligner, sink, held  # until the flowgraph has stopped
        top.start()
        self.addCleanup(top.wait)
        self.addCleanup(top.stop)
        return aligner, sink, held

    def test_starts_are_found_and_found_again(self):
        late = self.rng.integers(0, int(SEARCH * RATE / 2), 3)
        aligner, sink, held = self.flowgraph(late)
        self.wait(lambda: aligner.aligned)
        self.assertEqual(aligner.delays, list(late - late.min()))
        self.wait(lambda: sink.coherence > 0.85)
        # A receiver loses its place: its samples come later from now on.
        lost = int(self.rng.integers(100, 3000))
        held[1][2].set_dly(lost)
        self.wait(lambda: sink.coherence < 0.5)
        aligner.set_align()
        moved = late - lost * (np.arange(3) == 1)
        self.wait(lambda: aligner.delays == list(moved - moved.min()))
        self.wait(lambda: sink.coherence > 0.85)

    def test_nothing_in_common(self):
        aligner, sink, _ = self.flowgraph([0, 0], noise=1.0, common=0.0)
        self.wait(lambda: aligner._wait > 0)  # the time until the next search
        self.assertFalse(aligner.aligned)
        self.assertEqual(aligner.delays, [0, 0])
        read = sink.read
        self.wait(lambda: sink.read > read + 1000)

    def test_streams_with_times_pass(self):
        late = [0, 500]
        aligner, sink, _ = self.flowgraph(late, tags=[rx_time(0, 1_780_000_000)])
        self.wait(lambda: not aligner._wanted)
        self.wait(lambda: sink.read > 4 * 65536)
        self.assertFalse(aligner.aligned)
        self.assertEqual(aligner.delays, [0, 0])

    def test_tags_stay_with_their_samples(self):
        marks = sorted(self.rng.integers(0, PERIOD, 5).tolist())
        tags = [tag(mark, "mark", pmt.from_long(mark)) for mark in marks]
        aligner, sink, held = self.flowgraph([0, 3456], tags)
        self.wait(lambda: aligner.aligned and sink.coherence > 0.85)
        seen = len(sink.tagged)
        self.wait(lambda: len(sink.tagged) > seen + 20)
        late = [tag for tag in sink.tagged[seen + 10:] if tag[0] == 1]
        self.assertTrue(late)
        for port, mark, value in late:
            self.assertEqual(value, np.complex64(held[port][3][mark]))

    def test_a_search_that_outlives_its_run_is_not_heard(self):
        """stop() gives a search up after a time; the next run has other starts."""
        aligner = fringe.start_aligner(2, RATE, SEARCH)
        answered = threading.Event()

        def found(*_):
            answered.wait(TIMEOUT)
            return types.SimpleNamespace(found=True, offset=100.0)
        module = sys.modules[fringe.start_aligner.__module__]
        with mock.patch.object(module, "align", found), mock.patch.object(module, "TIMEOUT", 0.01):
            samples = np.zeros(2**17, np.complex64)
            aligner._collect([samples, samples], len(samples))
            search = aligner._thread
            aligner.stop()
            aligner.start()
            answered.set()
            search.join(TIMEOUT)
        self.assertFalse(search.is_alive())
        aligner._take_answer()
        self.assertEqual((aligner.aligned, aligner.delays), (False, [0, 0]))

    def test_a_delay_line(self):
        line, put, got = _delay_line(np.float32), 0, 0
        expected = np.zeros(0)
        for _ in range(200):
            count = int(self.rng.integers(1, 50))
            line.put(np.arange(put, put + count, dtype=np.float32))
            expected = np.append(expected, np.arange(put, put + count))
            put += count
            change = int(self.rng.integers(-len(expected), 60))
            line.lengthen(change)
            expected = (np.append(np.zeros(change), expected) if change > 0
                        else expected[-change:])
            out = np.empty(int(self.rng.integers(0, len(expected) + 1)), np.float32)
            line.get(out)
            np.testing.assert_array_equal(out, expected[:len(out)])
            expected = expected[len(out):]
            self.assertEqual(line.waiting, len(expected))
            got += len(out)
        self.assertGreater(got, 100)

    def test_refusals(self):
        for values, words in (((1,), "inputs: 1; must be two or more"),
                              ((2, 0), "sample_rate: 0; must be positive"),
                              ((2, 1e6, 0), "search: 0; must be positive"),
                              ((2, 1e6, 1e6), "less than 2.28 samples")):
            with self.assertRaisesRegex(ValueError, f"start_aligner: .*{words}"):
                fringe.start_aligner(*values)


if __name__ == "__main__":
    unittest.main()
