#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Streams whose clock goes back, whose receivers are tuned, or that pause for days: the dumps are
those of runs of their own."""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_recorders import vdif_file
from qa_scratch import rx_time, scratch_case, tag

try:
    import h5py
except ImportError:
    h5py = None
try:
    from astropy.io import fits
except ImportError:
    fits = None
try:
    from casacore import tables
except ImportError:
    tables = None

RATE, START, FREQUENCY = 100000, 1781265600, 1.42e9
CHANNELS, ROWS, SECONDS = 16, 25, 0.05
BLOCK = CHANNELS * ROWS
VALUES = 3 * CHANNELS


class dump_list(gr.sync_block):
    """Keeps the dumps that come, and when and where they are: (start, interval, exposure,
    frequency, visibilities)."""

    def __init__(self):
        gr.sync_block.__init__(self, "dump_list", [(np.complex64, VALUES)], None)
        self.dumps = []

    def work(self, input_items, output_items):
        first = self.nitems_read(0)
        for k, values in enumerate(input_items[0]):
            found = {pmt.symbol_to_string(t.key): t.value
                     for t in self.get_tags_in_range(0, first + k, first + k + 1)}
            when = found["rx_time"]
            start = (pmt.to_uint64(pmt.tuple_ref(when, 0)) - START
                     + pmt.to_double(pmt.tuple_ref(when, 1)))
            self.dumps.append((start, *(pmt.to_double(found[key]) for key in (
                "interval", "exposure", "rx_freq")), values.copy()))
        return len(input_items[0])


class stretch_of_data:
    """Blocks of ci8 noise that begin `start` seconds after START."""

    def __init__(self, rng, blocks_of_data, start, frequency=FREQUENCY, rate=RATE):
        self.raw = rng.integers(-60, 61, blocks_of_data * BLOCK * 4).astype(np.int8).view(np.uint8)
        self.blocks, self.start = blocks_of_data, start
        self.frequency, self.rate = frequency, rate

    def tags(self, offset, timed=True):
        """Of the block with that number; not timed: its tag has the frequency alone."""
        whole = int(np.floor(self.start))
        times = [rx_time(offset, START + whole, self.start - whole),
                 tag(offset, "rx_rate", pmt.from_double(self.rate))]
        return (times if timed else []) + [tag(offset, "rx_freq", pmt.from_double(self.frequency))]


class qa_clocks(scratch_case):

    def source(self, stretches, timed=True):
        tags, offset = [], 0
        for k, stretch in enumerate(stretches):
            tags += stretch.tags(offset, timed or k == 0)
            offset += stretch.blocks
        raw = np.concatenate([stretch.raw for stretch in stretches])
        return blocks.vector_source_b(raw.tolist(), False, 4 * BLOCK, tags)

    def chain(self, top, source, stages):
        """Connects a correlator; returns the block whose outputs are dumps and weights."""
        if not stages:
            last = fringe.fx_correlator(2, CHANNELS, "ci8", SECONDS, block_spectra=ROWS,
                                        backend="cpu")
            top.connect(source, last)
            return last
        last = fringe.integrator(2, CHANNELS, "f32", SECONDS, backend="cpu")
        top.connect(source, fringe.unpack("ci8", 2, BLOCK, "f32", 1, [], "cpu"),
                    fringe.channelizer(2, CHANNELS, ROWS, True, "f32", 4, "hann", "none",
                                       backend="cpu"),
                    fringe.xengine(2, CHANNELS, ROWS, "f32", 125, backend="cpu"), last)
        return last

    def dumps(self, stretches, stages, timed=True):
        top, kept = gr.top_block(), dump_list()
        last = self.chain(top, self.source(stretches, timed), stages)
        top.connect((last, 0), kept)
        top.connect((last, 1), blocks.null_sink(4 * VALUES))
        top.run()
        return kept.dumps

    def expect_same(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for actual, other in zip(found, expected):
            np.testing.assert_allclose(actual[:4], other[:4], rtol=1e-12, atol=1e-9)
            np.testing.assert_allclose(actual[4], other[4], rtol=0,
                                       atol=1e-4 * np.abs(other[4]).max())

    def expect_as_alone(self, stretches, timed=True, alone=None):
        for stages in (False, True):
            with self.subTest(stages=stages):
                expected = sum((self.dumps([stretch], stages)
                                for stretch in alone or stretches), [])
                self.expect_same(self.dumps(stretches, stages, timed), expected)

    def random_length(self):
        return int(self.rng.integers(20, 90))

    def test_clock_that_goes_back(self):
        for back in (0.0123, 0.9, 600.5):
            first = stretch_of_data(self.rng, self.random_length(), 1000.0)
            end = first.start + first.blocks * BLOCK / RATE
            self.expect_as_alone([first, stretch_of_data(self.rng, self.random_length(),
                                                         end - back)])

    def test_frequency_that_changes(self):
        first = stretch_of_data(self.rng, self.random_length(), 0.0)
        second = stretch_of_data(self.rng, self.random_length(), first.blocks * BLOCK / RATE,
                                 FREQUENCY + 1e7)
        for timed in (True, False):  # with the time, or the frequency alone
            self.expect_as_alone([first, second], timed)

    def test_rate_that_changes(self):
        first = stretch_of_data(self.rng, self.random_length(), 0.0)
        self.expect_as_alone([first, stretch_of_data(self.rng, self.random_length(),
                                                     first.blocks * BLOCK / RATE, rate=2 * RATE)])

    def test_pause_of_ten_days(self):
        first = stretch_of_data(self.rng, self.random_length(), 0.0)
        second = stretch_of_data(self.rng, self.random_length(), 864000.0)
        for stages in (False, True):
            found = self.dumps([first, second], stages)
            expected = self.dumps([first], stages) + self.dumps([second], stages)
            self.assertEqual(len(found), len(expected))
            for actual, other in zip(found, expected):
                self.assertAlmostEqual(actual[0], other[0], delta=SECONDS)  # whole dumps at ends
                self.assertAlmostEqual(actual[2], other[2], 9)
                power = np.abs(other[4]).max()
                np.testing.assert_allclose(actual[4], other[4], rtol=0, atol=1e-4 * power)

    def observation(self):
        obs = fringe.observation.example(2)
        obs.sample_rate, obs.center_frequency = RATE, FREQUENCY
        obs.channels, obs.sky = CHANNELS, []
        return obs

    def files(self, stretches, ending, **settings):
        """Names of the files that a sink writes."""
        top = gr.top_block()
        last = self.chain(top, self.source(stretches), False)
        sink = fringe.visibility_sink(self.observation(), self.path("x" + ending), CHANNELS,
                                      **settings)
        top.connect((last, 0), (sink, 0))
        top.connect((last, 1), (sink, 1))
        top.run()
        self.assertEqual(sink.error(), "")
        return sink.files()

    def test_files_of_other_times_and_frequencies(self):
        stretches = [stretch_of_data(self.rng, 60, 100.0), stretch_of_data(self.rng, 60, 20.0),
                     stretch_of_data(self.rng, 60, 20.24, FREQUENCY + 1e7)]
        readable = {".ACC": True, ".uvfits": fits, ".uvh5": h5py, ".ms": tables}
        endings = [ending for ending, reader in readable.items() if reader]
        for ending in endings:
            files = self.files(stretches, ending)
            self.assertEqual(files, [self.path(name + ending) for name in ("x", "x_2", "x_3")])
            for path, stretch in zip(files, stretches):
                vis = fringe.read_visibilities(path)
                middle_of_band = np.mean(vis.frequencies)
                self.assertAlmostEqual(middle_of_band, stretch.frequency, delta=RATE / CHANNELS)
                middle = vis.times.astype(np.int64) / 1e9
                self.assertTrue(np.all(np.diff(middle) > 0))
                start = START + stretch.start
                self.assertGreater(middle.min(), start)
                self.assertLess(middle.max(), start + 60 * BLOCK / RATE)

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_histories(self):
        stretches = [stretch_of_data(self.rng, 30, 100.0), stretch_of_data(self.rng, 30, 20.0)]
        history = []
        for path in self.files(stretches, ".uvh5", history="a line"):
            with h5py.File(path) as file:
                history.append(file["Header/history"][()].decode())
        why = "the clock went back from 2026-06-12T12:01:40.119760 to 2026-06-12T12:00:20.000240"
        for text, rest in zip(history, ("what comes from then on is in another file",
                                        f"what came before is in {self.path('x.uvh5')}")):
            self.assertIn("a line", text)
            self.assertIn(why, text)
            self.assertIn(rest, text)

    def stacked(self, stretches, timed=True):
        """Dumps of a stack whose inputs begin their stretches at places of their own."""
        top, kept = gr.top_block(), dump_list()
        stack = fringe.stack(2, BLOCK, RATE, FREQUENCY)
        for k in range(2):
            values, tags = [], []
            for number, stretch in enumerate(stretches):
                x = stretch.raw.view(np.int8).reshape(-1, 2, 2)[:, k].astype(np.float32)
                late = 7 * k  # this input loses the first samples
                whole, part = divmod(round(stretch.start * RATE) + late, RATE)
                offset = sum(map(len, values))
                if timed or number == 0:
                    tags.append(rx_time(offset, START + whole, part / RATE))
                tags.append(tag(offset, "rx_freq", pmt.from_double(stretch.frequency)))
                values.append((x[late:, 0] + 1j * x[late:, 1]).astype(np.complex64))
            top.connect(blocks.vector_source_c(np.concatenate(values).tolist(), False, 1, tags),
                        (stack, k))
        last = fringe.fx_correlator(2, CHANNELS, "voltages", SECONDS, block_spectra=ROWS,
                                    backend="cpu")
        top.connect(stack, last, kept)
        top.connect((last, 1), blocks.null_sink(4 * VALUES))
        top.run()
        return kept.dumps

    def test_clocks_of_a_stack(self):
        first = stretch_of_data(self.rng, 70, 500.0)
        second = stretch_of_data(self.rng, 70, 100.0)
        found = self.stacked([first, second])
        times = np.array([dump[0] for dump in found])
        back = int(np.argmin(np.diff(times))) + 1
        self.assertAlmostEqual(times[0], 500, delta=SECONDS)
        self.assertAlmostEqual(times[back], 100, delta=SECONDS)
        self.assertEqual(np.count_nonzero(np.diff(times) < 0), 1)
        # Whole dumps behind are those of a run of their own, of data that begin together.
        alone = {round(dump[0] / SECONDS): dump for dump in self.stacked([second])}
        whole = [dump for dump in found[back + 1:-1]]
        self.assertGreater(len(whole), 2)
        for dump in whole:
            other = alone[round(dump[0] / SECONDS)]
            np.testing.assert_allclose(dump[4], other[4], rtol=0,
                                       atol=1e-4 * np.abs(other[4]).max())

    def test_tuning_of_a_stack(self):
        first = stretch_of_data(self.rng, 70, 0.0)
        second = stretch_of_data(self.rng, 70, 70 * BLOCK / RATE, FREQUENCY + 1e7)
        one_input_late = self.stacked([first, second])
        for start, interval, _, frequency, _ in one_input_late:
            tuned = 70 * BLOCK / RATE
            if frequency == FREQUENCY:
                self.assertLessEqual(start + interval, tuned + 4 * BLOCK / RATE)
            else:
                self.assertEqual(frequency, FREQUENCY + 1e7)
                self.assertGreaterEqual(start, tuned)
        self.assertEqual({dump[3] for dump in one_input_late}, {FREQUENCY, FREQUENCY + 1e7})

    def test_dumps_shorter_than_a_spectrum(self):
        top, kept = gr.top_block(), dump_list()
        last = fringe.fx_correlator(2, CHANNELS, "ci8", 1e-5, block_spectra=ROWS, backend="cpu")
        top.connect(self.source([stretch_of_data(self.rng, 30, 0.0)]), last, kept)
        top.connect((last, 1), blocks.null_sink(4 * VALUES))
        top.run()
        self.assertEqual(kept.dumps, [])


class qa_gaps_of_recordings(scratch_case):
    """A recording with a gap of days is read at once, as it were two recordings."""

    def recording(self, name, pieces):
        """VDIF of a thread, of noise: pieces are (first frame, frames) of 1000 a second."""
        samples = 64
        with open(self.path(name), "wb") as out:
            for number, (first, frames) in enumerate(pieces):
                rng = np.random.default_rng(first)
                codes = rng.integers(0, 256, (1, frames * samples, 2))
                part = self.path(f"part{number}")
                vdif_file(part, codes, np.ones((1, frames), int), 8, True, 1000 * samples,
                          2 * samples, first)
                with open(part, "rb") as made:
                    out.write(made.read())
        return self.path(name)

    def correlate(self, recording, name="x.ACC", **settings):
        obs = fringe.observation.example(2)
        obs.sky, obs.sample_rate, obs.center_frequency = [], 64000, FREQUENCY
        obs.channels, obs.integration = 16, SECONDS
        run = fringe.correlate([recording, recording], self.path(name), obs, overwrite=True,
                               backend="cpu", **settings)
        return run, fringe.read_visibilities(self.path(name))

    def test_gap_of_days(self):
        pieces = (137, 911), (864000 * 1000 + 456, 1234)
        run, vis = self.correlate(self.recording("gap.vdif", pieces), allow_gaps=True)
        lost = (pieces[1][0] - sum(pieces[0])) * 64
        self.assertEqual(run.samples, (sum(pieces[1]) - pieces[0][0]) * 64)
        self.assertEqual(run.losses["missing"], [lost, lost])
        alone = [self.correlate(self.recording("one.vdif", [piece]), "one.ACC")[1]
                 for piece in pieces]
        times = np.concatenate([vis.times for vis in alone])
        data = np.concatenate([vis.data for vis in alone])
        # Dumps at the edges of the gap are as long as others, and hold what came.
        weight = vis.weights.reshape(len(vis.times), -1)
        there = np.flatnonzero(weight.max(axis=1) > 0)
        self.assertEqual(len(vis.times), len(there))
        self.assertEqual(len(there), len(times))
        off = (vis.times[there] - times).astype(np.int64) / 1e9
        self.assertLess(np.abs(off).max(), SECONDS)
        inner = np.flatnonzero(np.abs(off) < 1e-6)
        self.assertGreater(len(inner), len(times) - 3)
        # Phase centers are the zeniths of two days.
        np.testing.assert_allclose(np.abs(vis.data[there[inner]]), np.abs(data[inner]), rtol=1e-4,
                                   atol=1e-3 * np.abs(data).max())


if __name__ == "__main__":
    unittest.main()
