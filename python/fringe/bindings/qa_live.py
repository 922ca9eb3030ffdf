#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Live streams, stacked by their times."""
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.receiving.live import live_packets
from qa_scratch import TIMEOUT, rx_time, tag


def rx_rate(rate, offset=0):
    return tag(offset, "rx_rate", pmt.from_double(rate))


def noise(seed, count, is_complex=True):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(count)
    return ((x + 1j * rng.standard_normal(count)).astype(np.complex64) if is_complex
            else x.astype(np.float32))


def wait_until(true, seconds=TIMEOUT):
    """Waits for something that will be true soon."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError("it did not come about in time")
        time.sleep(0.005)


def while_sending(send, receive):
    """What receive() returns, which makes a source of live packets; send(source) runs meanwhile,
    in another thread, and then the source is finished."""
    made, make = [], live_packets.source

    def source(*arguments, **options):
        made.append(make(*arguments, **options))
        return made[-1]

    def send_all():
        wait_until(lambda: made)
        send(made[0])
        made[0].finish()

    sender = threading.Thread(target=send_all, daemon=True)
    sender.start()
    with mock.patch.object(live_packets, "source", source):
        result = receive()
    sender.join(TIMEOUT)
    return result


class random_chunks(gr.sync_block):
    """Passes samples on in pieces of random lengths."""

    def __init__(self, seed, limit=300, kind=np.complex64):
        gr.sync_block.__init__(self, "random_chunks", [kind], [kind])
        self.rng, self.limit = np.random.default_rng(seed), limit

    def work(self, input_items, output_items):
        count = min(len(output_items[0]), 1 + int(self.rng.integers(self.limit)))
        output_items[0][:count] = input_items[0][:count]
        return count


class stacked:
    """Streams [(samples, tags)] through a stack, and what came out of it."""

    def __init__(self, streams, block, chunks=False, **options):
        kind = streams[0][0].dtype.type
        is_complex = kind is np.complex64
        self.stack = fringe.stack(len(streams), block, complex_samples=is_complex, **options)
        flowgraph = gr.top_block()
        source = blocks.vector_source_c if is_complex else blocks.vector_source_f
        self.keep = []
        for k, (samples, tags) in enumerate(streams):
            path = [source(samples, False, 1, tags)]
            if chunks:
                path.append(random_chunks(k, 3 ** (k + 3), kind))
            flowgraph.connect(*path, (self.stack, k))
            self.keep += path
        values = len(streams) * block
        sink = (blocks.vector_sink_c if is_complex else blocks.vector_sink_f)(values)
        flowgraph.connect(self.stack, sink)
        flowgraph.run()
        self.blocks = np.array(sink.data(), kind).reshape(-1, len(streams), block)
        self.tags = sorted(((t.offset, pmt.symbol_to_string(t.key), t.value)
                            for t in sink.tags()), key=lambda t: t[:2])
        #: [input][time], the blocks one after the other
        self.data = self.blocks.transpose(1, 0, 2).reshape(len(streams), -1)
        lengths = dict(self.values("samples", pmt.to_uint64))
        self.samples = sum(lengths.get(k, block) for k in range(len(self.blocks)))

    def values(self, key, convert=pmt.to_python):
        return [(offset, convert(value)) for offset, name, value in self.tags if name == key]

    def times(self):
        return self.values("rx_time", lambda t: pmt.to_uint64(pmt.tuple_ref(t, 0))
                           + pmt.to_double(pmt.tuple_ref(t, 1)))

    def lost(self):
        """[(input, sample, count)] of the tags `invalid`, counted from the first block on."""
        block = self.blocks.shape[2]
        return [(int(v[k]), offset * block + int(v[k + 1]), int(v[k + 2]))
                for offset, v in self.values("invalid", pmt.u64vector_elements)
                for k in range(0, len(v), 3)]


class qa_stack(unittest.TestCase):

    def test_streams_without_times_are_simultaneous(self):
        for is_complex in (True, False):
            with self.subTest(is_complex=is_complex):
                x = [noise(k, 1000, is_complex) for k in range(3)]
                out = stacked([(samples, []) for samples in x], 64, sample_rate=1e3,
                              start_time="1970-01-01T00:16:40.5")
                np.testing.assert_array_equal(out.data[:, :1000], x)
                np.testing.assert_array_equal(out.data[:, 1000:], 0)
                self.assertEqual(out.times(), [(0, 1000.5)])
                self.assertEqual(out.values("rx_rate"), [(0, 1e3)])
                self.assertEqual(out.values("samples"), [(15, 1000 - 15 * 64)])
                self.assertEqual(out.lost(), [])

    def test_different_starts_are_aligned(self):
        x = noise(1, 5000)
        starts = (0, 700, 123)
        streams = [(x[s:], [rx_time(0, 77, 0.25 + s / 1e4), rx_rate(1e4)]) for s in starts]
        for chunks in (False, True):
            out = stacked(streams, 100, chunks, center_frequency=5e6)
            np.testing.assert_array_equal(out.data, np.tile(x[700:], (3, 1)))
            self.assertEqual(out.times(), [(0, 77.32)])
            self.assertEqual(out.values("rx_rate"), [(0, 1e4)])
            self.assertEqual(out.values("rx_freq"), [(0, 5e6)])
            self.assertEqual(out.stack.samples_late(), 0)
            self.assertEqual(out.stack.samples_sent(), 4300)

    def test_a_gap_is_marked_and_shifts_nothing(self):
        x = noise(2, 4000)
        gone = (1010, 1500)  # of input 1
        cut = np.concatenate([x[:gone[0]], x[gone[1]:]])
        streams = [(x, [rx_time(0, 5), rx_rate(1e3)]),
                   (cut, [rx_time(0, 5), rx_rate(1e3), rx_time(gone[0], 6, 0.5),
                          rx_rate(1e3, gone[0])])]
        for chunks in (False, True):
            out = stacked(streams, 128, chunks)
            np.testing.assert_array_equal(out.data[0, :4000], x)
            want = x.copy()
            want[gone[0]:gone[1]] = 0
            np.testing.assert_array_equal(out.data[1, :4000], want)
            marked = np.zeros((2, 4096), bool)
            for k, first, count in out.lost():
                marked[k, first:first + count] = True
            np.testing.assert_array_equal(np.flatnonzero(marked[1]), np.arange(*gone))
            self.assertFalse(marked[0].any())
            self.assertEqual(out.stack.samples_missing(), gone[1] - gone[0])
            self.assertEqual(out.times(), [(0, 5.0)])

    def test_a_gap_of_all_inputs_is_a_new_time(self):
        x = noise(3, 3000)
        tags = [rx_time(0, 5), rx_rate(1e3), rx_time(1050, 86405)]
        out = stacked([(x, tags)] * 2, 100)
        (_, first), (item, second) = out.times()
        self.assertEqual((first, item), (5.0, 11))
        # The block under way is filled up with lost samples, the rest of the day left out.
        self.assertEqual(out.lost(), [(0, 1050, 50), (1, 1050, 50)])
        self.assertEqual(second, 86405.0)
        np.testing.assert_array_equal(out.data[:, 1100:1100 + 1950], [x[1050:]] * 2)
        self.assertEqual(out.stack.samples_missing(), 2 * (86400 * 1000 - 1050))

    def test_late_data_shift_nothing(self):
        x = noise(4, 2000)
        streams = [(x, [rx_time(0, 5), rx_rate(1e3)]),
                   (np.concatenate([x[:800], x[500:]]),
                    [rx_time(0, 5), rx_rate(1e3), rx_time(800, 5, 0.5)])]
        for chunks in (False, True):
            out = stacked(streams, 50, chunks)
            np.testing.assert_array_equal(out.data, [x, x])
            self.assertEqual(out.stack.samples_late(), 300)
            self.assertEqual(out.stack.samples_missing(), 0)

    def test_random_gaps(self):
        rng = np.random.default_rng(5)
        x, streams, there = noise(5, 20000), [], np.zeros((3, 20000), bool)
        for k in range(3):
            edges = np.sort(rng.choice(np.arange(1, 19000), 2 * 4 ** (k + 1), replace=False))
            there[k] = np.searchsorted(edges, np.arange(20000), side="right") % 2 == 0
            kept = np.flatnonzero(there[k])
            tags = [rx_rate(1e5), rx_time(0, 9)] + [
                rx_time(int(np.searchsorted(kept, edge)), 9, edge / 1e5)
                for edge in edges[1::2]]
            streams.append((x[kept], tags))
        for chunks in (False, True):
            out = stacked(streams, 77, chunks)
            # Put every block at its time; what is not marked must be there, and right.
            place, data = 0, np.zeros((3, 30000), np.complex64)
            valid = np.zeros((3, 30000), bool)
            times, lengths = dict(out.times()), dict(out.values("samples"))
            runs = dict(out.values("invalid", pmt.u64vector_elements))
            for item, block in enumerate(out.blocks):
                place = round((times[item] - 9) * 1e5) if item in times else place
                count = lengths.get(item, 77)
                data[:, place:place + count] = block[:, :count]
                valid[:, place:place + count] = True
                for k, first, length in np.reshape(runs.get(item, []), (-1, 3)).astype(int):
                    valid[k, place + first:place + first + length] = False
                place += count
            np.testing.assert_array_equal(valid[:, :20000], there)
            np.testing.assert_array_equal(data[valid], np.tile(x, (3, 1))[there])
            self.assertFalse(valid[:, 20000:].any())
            self.assertEqual(out.stack.samples_missing(), (~there).sum())

    def test_the_shortest_stream_ends_the_data(self):
        x = noise(6, 1000)
        for short, block in ((950, 100), (900, 100), (0, 100), (30, 4096)):
            out = stacked([(x, []), (x[:short], []), (x, [])], block, True, sample_rate=1.0)
            self.assertEqual(out.samples, short)
            np.testing.assert_array_equal(out.data[:, :short], [x[:short]] * 3)
            np.testing.assert_array_equal(out.data[:, short:], 0)

    def test_what_cannot_be_stacked_is_reported(self):
        x = noise(7, 1000)
        good = [rx_time(0, 5), rx_rate(1e3)]
        cases = [
            ([good, [rx_time(0, 5, 0.0104), rx_rate(1e3)]], {}, "input 0: starts at", 0),
            ([good, [rx_time(0, 5), rx_rate(1001)]], {}, "rx_rate: 1001 Hz", 0),
            ([good, good], {"sample_rate": 2e3}, "must be the stack's 2000", 0),
            ([good, good + [rx_rate(999, 250)]], {}, "input 1: rx_rate: 999", 250),
            ([[], []], {}, "sample_rate: 0", 0)]
        for tags, options, words, sent in cases:
            with self.subTest(words):
                out = stacked([(x, tags_of_one) for tags_of_one in tags], 100, **options)
                self.assertIn(words, out.stack.error())
                self.assertEqual(out.values("damaged"),
                                 [(len(out.blocks) - 1, out.stack.error())])
                self.assertEqual(out.samples, sent)
        # Within a twentieth of a sample starts are simultaneous.
        out = stacked([(x, good), (x, [rx_time(0, 5, 0.00004)])], 100)
        self.assertEqual((out.stack.error(), out.samples), ("", 1000))

    def test_like_a_recording(self):
        x = np.array([noise(8 + k, 9000) for k in range(2)])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        raw = os.path.join(folder.name, "raw")
        np.ascontiguousarray(x.T).tofile(raw)
        channels, spectra = 32, 8
        dumps = []
        for live in (False, True):
            flowgraph = gr.top_block()
            channelizer = fringe.channelizer(2, channels, spectra)
            if live:
                stack = fringe.stack(2, channels * spectra)
                tags = [rx_time(0, 1000, 0.5), rx_rate(32e3)]
                sources = [blocks.vector_source_c(samples, False, 1, tags) for samples in x]
                chunks = [random_chunks(k, 999) for k in range(2)]
                for k in range(2):
                    flowgraph.connect(sources[k], chunks[k], (stack, k))
                flowgraph.connect(stack, channelizer)
            else:
                flowgraph.connect(
                    fringe.file_source([raw], "cf32", 2, channels * spectra, 32e3, 0,
                                       "1970-01-01T00:16:40.5"),
                    fringe.unpack("cf32", 2, channels * spectra), channelizer)
            integrator = fringe.integrator(2, channels, seconds=0.1)
            sink = blocks.vector_sink_c(3 * channels)
            flowgraph.connect(channelizer, fringe.xengine(2, channels, spectra, "f32", 4096, 0.1),
                              integrator, sink)
            flowgraph.run()
            dumps.append((np.array(sink.data()), sorted(
                (t.offset, str(t.key), str(t.value)) for t in sink.tags()
                if str(t.key) != "stream")))  # which names the block that sends
        np.testing.assert_array_equal(dumps[0][0], dumps[1][0])
        self.assertEqual(dumps[0][1], dumps[1][1])
        self.assertGreater(len(dumps[0][0]), 3 * 3 * channels - 1)

    def test_mistakes_are_reported(self):
        for values, word in (((0, 10), "inputs"), ((2, 0), "block_samples"),
                             ((2, 10, -1.0), "sample_rate"), ((2, 10, 1.0, 0, "noon"), "noon"),
                             ((2, 1 << 30), "2 GB")):
            with self.subTest(word), self.assertRaisesRegex(ValueError, word):
                fringe.stack(*values)

    def test_silence_is_reported(self):
        script = """
import time
import numpy as np
from gnuradio import blocks, fringe, gr
class silent(gr.sync_block):
    def __init__(self):
        gr.sync_block.__init__(self, "silent", None, [np.complex64])
    def work(self, input_items, output_items):
        time.sleep(0.1)
        return 0
top, stack, quiet = gr.top_block(), fringe.stack(3, 100, 1e3), [silent(), silent()]
top.connect(blocks.null_source(8), (stack, 0))
top.connect(quiet[0], (stack, 1))
top.connect(quiet[1], (stack, 2))
top.connect(stack, blocks.null_sink(2400))
top.start()
time.sleep(5.8)
top.stop()
top.wait()
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              timeout=TIMEOUT, check=True)
        self.assertIn("no data for 5 s on inputs 1, 2", done.stdout + done.stderr)
        self.assertEqual((done.stdout + done.stderr).count("no data"), 1)


if __name__ == "__main__":
    unittest.main()
