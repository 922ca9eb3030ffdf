#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Flowgraphs that are changed while they run: what GNU Radio drops then moves no times.

Every sample says when it was taken, so the times and weights of dumps are compared with the data
themselves. Nothing here depends on how fast a machine is.
"""
import time
import unittest

from qa_stand_in import use_stand_in

use_stand_in()

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_scratch import TIMEOUT, rx_time, scratch_case, tag, times_tried  # noqa: E402

FOUND, _ = fringe.find_devices()
DEVICE = bool(FOUND) and not FOUND[0].refused
INPUTS, CHANNELS, SPECTRA = 3, 16, 4  # spectra of a block
SAMPLES = CHANNELS * SPECTRA          # of a block
BLOCKS = 4096                         # of the recording, which is repeated
RATE = float(1 << 16)                 # so that times of blocks are exact
START, START_TEXT = 1781263240, "2026-06-12T11:20:40"
DUMP = 4                              # blocks
LOCKS = times_tried(4, 20)


def counting_blocks():
    """Blocks of ci16 [block][sample][input] that say their number: the inputs are 1, number mod 64
    and number // 64 in the first sample of every spectrum, so in all channels, else 0."""
    number = np.arange(BLOCKS)
    x = np.zeros((BLOCKS, SPECTRA, CHANNELS, INPUTS, 2), np.int16)
    x[:, :, 0, 0, 0] = 1
    x[:, :, 0, 1, 0] = (number % 64)[:, None]
    x[:, :, 0, 2, 0] = (number // 64)[:, None]
    return x


class dump_watcher(gr.sync_block):
    """Dumps with their tags: (start and length in blocks, numbers, weights) by channel."""

    def __init__(self, per_item):
        values = per_item * INPUTS * (INPUTS + 1) // 2
        gr.sync_block.__init__(self, "watcher", [(np.complex64, values), (np.float32, values)],
                               None)
        self._items, self.dumps, self._part = CHANNELS // per_item, [], []

    def start(self):
        self._part = []
        return True

    def work(self, input_items, _):
        time.sleep(0.005)  # what comes before is to wait, and so to be lost
        first = self.nitems_read(0)
        for k, (vis, weights) in enumerate(zip(*input_items)):
            if not self._part:
                self._tags = {pmt.symbol_to_string(t.key): t.value for t in
                              self.get_tags_in_range(0, first + k, first + k + 1)}
            self._part.append((vis.copy(), weights.copy()))
            if len(self._part) == self._items:
                self._add(*(np.concatenate(part).reshape(CHANNELS, -1)
                            for part in zip(*self._part)))
                self._part = []
        return len(input_items[0])

    def _add(self, vis, weights):
        seconds = pmt.to_uint64(pmt.tuple_ref(self._tags["rx_time"], 0)) - START
        start = seconds + pmt.to_double(pmt.tuple_ref(self._tags["rx_time"], 1))
        number = (vis[:, 1] + 64 * vis[:, 2]).real * CHANNELS
        self.dumps.append((start * RATE / SAMPLES,
                           pmt.to_double(self._tags["interval"]) * RATE / SAMPLES,
                           pmt.to_double(self._tags["exposure"]) * RATE / SAMPLES,
                           number, weights[:, 0]))


class receiver(gr.sync_block):
    """A stream whose samples count, dated at each start as UHD does, or never."""

    def __init__(self, dated):
        gr.sync_block.__init__(self, "receiver", None, [np.complex64])
        self.dated, self.count, self._begins = dated, 0, True

    def start(self):
        self._begins = True
        return True

    def work(self, _, output_items):
        out = output_items[0][:1000]
        if self._begins:
            at, seconds = self.nitems_written(0), int(self.count // RATE)
            tags = [tag(at, "rx_rate", pmt.from_double(RATE))]
            if self.dated:
                tags.append(rx_time(at, START + seconds, self.count / RATE - seconds))
            for mark in tags:
                self.add_item_tag(0, mark.offset, mark.key, mark.value)
            self._begins = False
        out[:] = self.count + np.arange(len(out))
        self.count += len(out)
        return len(out)


class stack_watcher(gr.sync_block):
    """Blocks of two stacked streams: their times and samples."""

    def __init__(self):
        gr.sync_block.__init__(self, "watcher", [(np.complex64, 2 * SAMPLES)], None)
        self.blocks, self.runs, self._next = [], 0, None

    def work(self, input_items, _):
        time.sleep(0.001)
        first = self.nitems_read(0)
        for k, item in enumerate(input_items[0]):
            for t in self.get_tags_in_range(0, first + k, first + k + 1):
                if pmt.symbol_to_string(t.key) == "rx_time":
                    seconds = pmt.to_uint64(pmt.tuple_ref(t.value, 0)) - START
                    self._next = (seconds + pmt.to_double(pmt.tuple_ref(t.value, 1))) * RATE
                    self.runs += first + k == 0
            self.blocks.append((self._next, item.real.reshape(2, SAMPLES).copy()))
            self._next += SAMPLES
        return len(input_items[0])


class times_of_raw_blocks(gr.sync_block):
    """The blocks of a simulated sky that carry a time, by their seconds since its start."""

    def __init__(self):
        gr.sync_block.__init__(self, "times", [(np.uint8, 4000)], None)
        self.times, self.start_time, self.rate = {}, None, None

    def work(self, input_items, _):
        time.sleep(0.002)
        first = self.nitems_read(0)
        for k, item in enumerate(input_items[0]):
            for t in self.get_tags_in_range(0, first + k, first + k + 1):
                if pmt.symbol_to_string(t.key) == "rx_rate":
                    self.rate = pmt.to_double(t.value)
                elif pmt.symbol_to_string(t.key) == "rx_time":
                    now = (pmt.to_uint64(pmt.tuple_ref(t.value, 0)),
                           pmt.to_double(pmt.tuple_ref(t.value, 1)))
                    self.start_time = self.start_time or now
                    self.times[now[0] - self.start_time[0] + now[1] - self.start_time[1]] = (
                        item.copy())
        return len(input_items[0])


class qa_reconfiguration(scratch_case):

    def watched(self, made, per_item, before=()):
        """A flowgraph of a file_source and what makes dumps of it, and the watcher behind it."""
        path = self.path("counting.ci16")
        counting_blocks().tofile(path)
        source = fringe.file_source([path], "ci16", INPUTS, SAMPLES, RATE, 150e6, START_TEXT,
                                    [0], 0, True)
        watcher = dump_watcher(per_item)
        top = gr.top_block()
        top.connect(source, *before, *made, watcher)
        top.connect((made[-1], 1), (watcher, 1))
        return top, source, watcher

    def change(self, top, watcher, made, per_item, locks=LOCKS):
        """Runs the flowgraph and changes it a number of times, each after some more dumps."""
        top.start()
        tap = None
        for k in range(locks):
            wanted = len(watcher.dumps) + 1 + k % 7
            end = time.monotonic() + TIMEOUT
            while len(watcher.dumps) < wanted:
                self.assertLess(time.monotonic(), end, "no more dumps came")
                time.sleep(0.002)
            top.lock()
            if tap is None:
                tap = blocks.null_sink(per_item * INPUTS * (INPUTS + 1) // 2 * 8)
                top.connect((made[-1], 0), tap)
            else:
                top.disconnect((made[-1], 0), tap)
                tap = None
            top.unlock()

    def check(self, dumps):
        """Times and weights are those of the numbers in the data. Returns the blocks of dumps that
        were lost whole."""
        self.assertGreater(len(dumps), LOCKS)
        end, lost = 0, 0
        for start, length, exposure, number, weight in dumps:
            self.assertEqual(start, round(start))
            self.assertEqual(length, round(length))
            self.assertGreaterEqual(start, end)
            lost += start - end
            end = start + length
            count = np.round(weight.astype(float) * length, 4)  # weights are float32
            self.assertEqual(count.max(), round(exposure, 6))
            self.assertTrue((count == np.round(count)).all())
            there = np.arange(start, end) % BLOCKS
            if there.size and there[0] > there[-1]:
                continue  # the recording is repeated from here on
            total = count * number
            self.assertLess(abs(total - np.round(total)).max(), 0.05)
            for n, pair in set(zip(count.astype(int), np.round(total))):
                low, high = there[:n].sum(), there[there.size - n:].sum()
                self.assertTrue(low <= pair <= high,
                                f"the dump of blocks {start} to {end} holds, of {n} of them, "
                                f"{pair / max(n, 1)} on average")
        return lost

    def correlator(self, per_item, **options):
        fx = fringe.fx_correlator(INPUTS, CHANNELS, "ci16", 0.0, DUMP * SPECTRA, 1,
                                  "rectangular", block_spectra=SPECTRA,
                                  channels_per_item=per_item, backend="cpu", **options)
        return (fx,)

    @staticmethod
    def stages(per_item, backend, longest=4096):
        return (fringe.unpack("ci16", INPUTS, SAMPLES, backend=backend),
                fringe.channelizer(INPUTS, CHANNELS, SPECTRA, True, "i16", 1, "rectangular",
                                   backend=backend),
                fringe.xengine(INPUTS, CHANNELS, SPECTRA, "f32", longest, 0, 0, per_item,
                               backend),
                fringe.integrator(INPUTS, CHANNELS, "f32", 0, DUMP * SPECTRA, per_item, backend))

    def run_changed(self, made, per_item, before=()):
        top, _, watcher = self.watched(made, per_item, before)
        self.change(top, watcher, made, per_item)
        top.stop()
        top.wait()
        return self.check(watcher.dumps)

    def setUp(self):
        super().setUp()
        self.addCleanup(fringe.set_threads, 0)
        fringe.set_threads(2)

    def test_fx_correlator(self):
        for per_item in (CHANNELS, 2):
            with self.subTest(per_item=per_item):
                made = self.correlator(per_item)
                self.run_changed(made, per_item)
                self.assertGreater(made[0].losses()["reconfigured"][0], 0)
                self.assertGreater(made[0].spectra_lost(), 0)

    def test_stages(self):
        for backend in ("cpu", "generic", *(("cuda",) if DEVICE else ())):
            for per_item, longest in ((CHANNELS, 4096), (2, 4096), (2, SPECTRA)):
                with self.subTest(backend=backend, per_item=per_item, longest=longest):
                    made = self.stages(per_item, backend, longest)
                    lost = self.run_changed(made, per_item)
                    self.assertGreater(lost + made[-1].spectra_lost(), 0)

    def test_blocks_of_gnu_radio_between_ours(self):
        size = SAMPLES * INPUTS * 4
        for made in (self.correlator(CHANNELS), self.stages(CHANNELS, "cpu")):
            before = (blocks.copy(size), blocks.throttle(size, 2 * RATE / SAMPLES))
            self.run_changed(made, CHANNELS, before)

    def wait_for(self, what, why):
        end = time.monotonic() + TIMEOUT / 2
        while not what():
            self.assertLess(time.monotonic(), end, why)
            time.sleep(0.002)

    def check_taps(self, voltages, spectra):
        """Stock sinks that were connected between two changes have all blocks from one on, and
        the first of them carries the time that its number says."""
        made = np.array(spectra.data()).reshape(-1, CHANNELS, INPUTS, SPECTRA)
        first = int(round(4 * (made[0, 0, 1, 0] + 64 * made[0, 0, 2, 0]).real))
        data = counting_blocks()
        numbers = (first + np.arange(len(made))) % BLOCKS
        # A pulse of height x at the start of each transform is x / sqrt(16) in all channels.
        want = data[numbers, :, 0, :, 0].transpose(0, 2, 1)[:, None] / 4
        np.testing.assert_allclose(made, np.broadcast_to(want, made.shape), rtol=0, atol=1e-4)
        [(seconds, fraction)] = [
            (pmt.to_uint64(pmt.tuple_ref(t.value, 0)) - START,
             pmt.to_double(pmt.tuple_ref(t.value, 1)))
            for t in spectra.tags() if pmt.symbol_to_string(t.key) == "rx_time"]
        count = (seconds + fraction) * RATE / SAMPLES
        self.assertEqual(count % BLOCKS, first)
        raw = np.array(voltages.data(), np.uint8).view(np.int16).reshape(-1, INPUTS, SAMPLES, 2)
        first = int(raw[0, 1, 0, 0] + 64 * raw[0, 2, 0, 0])
        want = data[(first + np.arange(len(raw))) % BLOCKS].reshape(-1, SAMPLES, INPUTS, 2)
        np.testing.assert_array_equal(raw, want.transpose(0, 2, 1, 3))

    def test_stock_blocks_join_the_stages_of_a_running_flowgraph(self):
        for backend in ("cpu", "generic", *(("cuda",) if DEVICE else ())):
            with self.subTest(backend=backend):
                made = self.stages(CHANNELS, backend)
                top, _, watcher = self.watched(made, CHANNELS)
                top.start()
                for _ in range(LOCKS):
                    dumps = len(watcher.dumps) + 2
                    self.wait_for(lambda: len(watcher.dumps) >= dumps, "no more dumps came")
                    voltages = blocks.vector_sink_b(INPUTS * SAMPLES * 4)
                    spectra = blocks.vector_sink_c(CHANNELS * INPUTS * SPECTRA)
                    top.lock()
                    top.connect(made[0], voltages)
                    top.connect(made[1], spectra)
                    top.unlock()
                    self.wait_for(lambda: voltages.nitems_read(0) and spectra.nitems_read(0),
                                  "no data came")
                    top.lock()
                    top.disconnect(made[0], voltages)
                    top.disconnect(made[1], spectra)
                    top.unlock()
                    self.check_taps(voltages, spectra)
                top.stop()
                top.wait()
                self.check(watcher.dumps)  # though the layout of spectra has changed each time
                self.check(watcher.dumps)

    def run_stacked(self, dated):
        """Blocks of two receivers in a flowgraph that is changed, and how often they began."""
        stack, watcher, top = fringe.stack(2, SAMPLES), stack_watcher(), gr.top_block()
        receivers = [receiver(dated) for _ in range(2)]
        for k, samples in enumerate(receivers):
            top.connect(samples, (stack, k))
        top.connect(stack, watcher)
        top.start()
        for _ in range(LOCKS):
            wanted, end = len(watcher.blocks) + 3, time.monotonic() + TIMEOUT
            while len(watcher.blocks) < wanted:
                self.assertLess(time.monotonic(), end, "no more blocks came")
                time.sleep(0.002)
            top.lock()
            tap = blocks.null_sink(8)
            top.connect(receivers[0], tap)
            top.unlock()
            top.lock()
            top.disconnect(receivers[0], tap)
            top.unlock()
        top.stop()
        top.wait()
        return watcher

    def test_stacked_streams_with_times(self):
        watcher = self.run_stacked(True)
        self.assertGreater(watcher.runs, 1)
        for start, samples in watcher.blocks:
            first = round(start)  # a time has rounding, a number in the data has none
            self.assertAlmostEqual(start, first, places=6)
            for row in samples:
                there = row != 0  # what was lost is zeros
                np.testing.assert_array_equal(row[there],
                                              (first + np.arange(SAMPLES))[there])

    def test_stacked_streams_by_the_clock(self):
        watcher = self.run_stacked(False)
        self.assertGreater(watcher.runs, 1)
        starts = [start for start, _ in watcher.blocks]
        self.assertTrue((np.diff(starts) >= SAMPLES).all())

    def test_a_simulated_sky_says_its_time_again(self):
        source, watcher, top = self.sky(), times_of_raw_blocks(), gr.top_block()
        top.connect(source, watcher)
        top.start()
        for k in range(5):
            end = time.monotonic() + TIMEOUT
            while len(watcher.times) < k + 1:
                self.assertLess(time.monotonic(), end, "no time came")
                time.sleep(0.002)
            top.lock()
            top.unlock()
        top.stop()
        top.wait()
        # The same sky, read from the start, has the same samples at those times.
        again, sink, flowgraph = self.sky(), blocks.vector_sink_b(4000), gr.top_block()
        number = round(max(watcher.times) * watcher.rate / 1000) + 1
        flowgraph.connect(again, blocks.head(4000, number), sink)
        flowgraph.run()
        all_blocks = np.array(sink.data(), np.uint8).reshape(-1, 4000)
        self.assertGreater(len(watcher.times), 1)
        for when, first in watcher.times.items():
            np.testing.assert_array_equal(all_blocks[round(when * watcher.rate / 1000)], first)

    @staticmethod
    def sky():
        return fringe.raw_sky_source(fringe.observation.example(2), "ci8", 1000)


if __name__ == "__main__":
    unittest.main()
