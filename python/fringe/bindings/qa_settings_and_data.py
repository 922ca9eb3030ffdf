#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an observation says against what the data say: rates, frequencies, times."""
import os
import re
import time
import unittest

import numpy as np
import pmt
from gnuradio import analog, blocks, fringe, gr
from qa_scratch import rx_time, scratch_case, tag

try:
    import h5py
except ImportError:
    h5py = None

INPUTS, CHANNELS = 2, 32


def history(path):
    with h5py.File(path) as file:
        return file["Header/history"][()].decode()


class radio_case(scratch_case):

    def observation(self, rate, frequency):
        obs = fringe.observation.example(INPUTS)
        obs.sample_rate, obs.center_frequency = rate, frequency
        return obs

    def record(self, name, obs, rate, frequency, samples=40000, complex_samples=True,
               **stack):
        """Noise through a stack that is told rate and frequency, into a file of obs: the sink."""
        top = gr.top_block()
        block = fringe.block_spectra(INPUTS, CHANNELS)
        points = CHANNELS if complex_samples else 2 * CHANNELS
        stack = fringe.stack(INPUTS, block * points, rate, frequency,
                             complex_samples=complex_samples, **stack)
        for k in range(INPUTS):
            if complex_samples:
                source = analog.noise_source_c(analog.GR_GAUSSIAN, 1.0, k)
            else:
                source = analog.noise_source_f(analog.GR_GAUSSIAN, 1.0, k)
            size = 8 if complex_samples else 4
            top.connect(source, blocks.head(size, samples), (stack, k))
        sink = fringe.visibility_sink(obs, self.path(name), CHANNELS, complex_samples,
                                      overwrite=True)
        top.connect(stack, fringe.channelizer(INPUTS, CHANNELS, 0, complex_samples),
                    fringe.xengine(INPUTS, CHANNELS),
                    fringe.integrator(INPUTS, CHANNELS, seconds=samples / rate / 4),
                    sink)
        top.run()
        return sink


class qa_frequencies(radio_case):

    def test_what_agrees_is_written(self):
        for complex_samples in (True, False):
            rate = float(self.rng.uniform(1e5, 5e6))
            frequency = float(self.rng.uniform(1e8, 2e9))
            for off in (0, 0.009 * rate / CHANNELS / (1 if complex_samples else 2)):
                with self.subTest(complex_samples=complex_samples, off=off):
                    obs = self.observation(rate * (1 + 5e-7 * bool(off)), frequency + off)
                    sink = self.record("x.uvh5", obs, rate, frequency,
                                       complex_samples=complex_samples)
                    self.assertEqual(sink.error(), "")
                    self.assertGreater(sink.dumps(), 3)

    def test_another_rate_is_refused(self):
        for complex_samples in (True, False):
            for factor in (2.4, 1 - 1e-5, 0.5):
                for ending in ("ms", "uvh5", "uvfits", "ACC"):
                    with self.subTest(factor=factor, ending=ending, complex=complex_samples):
                        obs = self.observation(1e6 * factor, 408e6)
                        sink = self.record("x." + ending, obs, 1e6, 408e6,
                                           complex_samples=complex_samples)
                        self.assertRegex(
                            sink.error(), r"sample_rate: the observation has "
                            rf"{re.escape(f'{1e6 * factor:.12g}')} Hz, the data have "
                            r"(1000000|1e\+06) Hz \(tag rx_rate\): give the source")
                        self.assertEqual(sink.files(), [])
                        self.assertEqual(os.listdir(self.folder), [])

    def test_another_frequency_is_refused(self):
        for off in (1e9, -0.011 * 1e6 / CHANNELS):
            for ending in ("ms", "uvh5", "ACC"):
                with self.subTest(off=off, ending=ending):
                    obs = self.observation(1e6, 408e6 + off)
                    sink = self.record("x." + ending, obs, 1e6, 408e6)
                    for words in ("center_frequency: the observation has", f"{408e6 + off:.12g} Hz",
                                  "408000000 Hz", "rx_freq"):
                        self.assertIn(words, sink.error())
                    self.assertEqual(os.listdir(self.folder), [])

    def test_a_source_that_does_not_know_its_frequency(self):
        sink = self.record("x.uvh5", self.observation(1e6, 408e6), 1e6, 0)
        self.assertEqual(sink.error(), "")

    def test_a_retuned_receiver(self):
        # Each frequency has a file of its own, the second of which says so.
        values, dumps = CHANNELS * 3, 10
        tags = [t for k in range(dumps) for t in (
            rx_time(k, 1781229600 + k), tag(k, "interval", pmt.from_double(1.0)),
            tag(k, "channel_width", pmt.from_double(1e6 / CHANNELS)),
            tag(k, "rx_freq", pmt.from_double(408e6 if k < 6 else 410e6)))]
        top = gr.top_block()
        sink = fringe.visibility_sink(self.observation(1e6, 408e6), self.path("x.ACC"), CHANNELS)
        top.connect(blocks.vector_source_c(np.ones(values * dumps), False, values, tags), sink)
        top.run()
        self.assertEqual((sink.error(), sink.dumps()), ("", dumps))
        self.assertEqual(sink.files(), [self.path("x.ACC"), self.path("x_2.ACC")])
        for path, middle, count in zip(sink.files(), (408e6, 410e6), (6, 4)):
            vis = fringe.read_visibilities(path)
            self.assertEqual(len(vis.times), count)
            self.assertLess(abs(np.mean(vis.frequencies) - middle), 1e6 / CHANNELS)

    def test_reduced_dumps(self):
        for keep in ({"average": 4}, {"average": 2, "first_channel": 3, "kept_channels": 10},
                     {"products": "autos"}):
            for wrong in (0, 1):
                with self.subTest(keep=keep, wrong=wrong):
                    obs = self.observation(1e6, 408e6 + 2e5 * wrong)
                    axes = fringe.dump_axes(obs, CHANNELS, **keep)
                    top = gr.top_block()
                    sink = fringe.visibility_sink(
                        axes.observation, self.path("r.uvh5"), axes.channels,
                        products=keep.get("products", "all"), overwrite=True)
                    stack = fringe.stack(INPUTS, 64 * CHANNELS, 1e6, 408e6)
                    for k in range(INPUTS):
                        top.connect(analog.noise_source_c(analog.GR_GAUSSIAN, 1.0, k),
                                    blocks.head(8, 50000), (stack, k))
                    top.connect(stack, fringe.channelizer(INPUTS, CHANNELS, 64),
                                fringe.xengine(INPUTS, CHANNELS, 64),
                                fringe.integrator(INPUTS, CHANNELS, seconds=0.01),
                                fringe.visibility_reducer(axes), sink)
                    top.run()
                    self.assertEqual("center_frequency" in sink.error(), bool(wrong),
                                     sink.error())
                    self.assertEqual(sink.error() == "", not wrong)

    def test_the_publisher(self):
        try:
            publisher = fringe.dump_publisher(self.observation(2e6, 408e6), CHANNELS,
                                              "tcp://127.0.0.1:*")
        except ImportError as error:
            self.skipTest(str(error))
        tags = [rx_time(0, 1781229600), tag(0, "interval", pmt.from_double(1.0)),
                tag(0, "channel_width", pmt.from_double(1e6 / CHANNELS))]
        top = gr.top_block()
        top.connect(blocks.vector_source_c(np.ones(CHANNELS * 3), True, CHANNELS * 3, tags),
                    publisher)
        top.run()
        why = fringe.failure(publisher.to_basic_block())
        for words in ("fringe_dump_publisher", "sample_rate", "2000000 Hz", "1000000 Hz"):
            self.assertIn(words, why)
        self.assertEqual(publisher.dumps(), 0)


class qa_times(radio_case):

    def setUp(self):
        super().setUp()
        self.obs = self.observation(1e5, 408e6)

    def test_a_live_stream_without_time_is_dated_now(self):
        for start in ({}, {"start_time": "now"}, {"start_time": ""}):
            with self.subTest(start=start):
                before = time.time()
                sink = self.record("x.uvh5", self.obs, 1e5, 408e6, **start)
                after = time.time()
                vis = fringe.read_visibilities(sink.path())
                self.assertTrue(vis.has_times)
                # Samples had been waiting when the first were looked at, at most all of them.
                self.assertGreater(vis.seconds[0], before - 40000 / 1e5 - 1)
                self.assertLess(vis.seconds[0], after + 1)
                if h5py:
                    self.assertIn("dated by the clock of the computer that received it",
                                  history(sink.path()))

    def test_a_time_that_is_given_stays(self):
        sink = self.record("x.uvh5", self.obs, 1e5, 408e6, start_time="2026-06-12T10:00:00")
        vis = fringe.read_visibilities(sink.path())
        self.assertEqual(vis.seconds[0], 1781258400)
        if h5py:
            self.assertNotIn("clock of the computer", history(sink.path()))

    def test_an_rx_time_stays(self):
        top, stack = gr.top_block(), fringe.stack(1, 640, 1e5)
        sink = blocks.vector_sink_c(640)
        top.connect(blocks.vector_source_c(np.ones(2000), False, 1, [rx_time(0, 1234567, 0.5)]),
                    stack, sink)
        top.run()
        times = [pmt.to_python(t.value) for t in sink.tags() if str(t.key) == "rx_time"]
        self.assertEqual(times, [(1234567, 0.5)])

    def test_a_start_that_is_no_time(self):
        for make in (lambda: fringe.stack(2, 100, 1e6, 0, "soon"),
                     lambda: fringe.tcp_source(["127.0.0.1:0"], 100, 1e6, start_time="soon")):
            with self.assertRaisesRegex(ValueError, 'soon.*2026.*or "now"'):
                make()

    @unittest.skipUnless(h5py, "python3-h5py is not installed")
    def test_a_recording_without_time_says_so(self):
        raw = self.path("raw")
        self.rng.integers(-99, 99, 4 * 40000, np.int8).tofile(raw)
        top = gr.top_block()
        sink = fringe.visibility_sink(self.obs, self.path("x.uvh5"), CHANNELS)
        source = fringe.file_source([raw], "ci8", INPUTS, 64 * CHANNELS, 1e5, 408e6)
        box = fringe.fx_correlator(INPUTS, CHANNELS, "ci8", 0.1, block_spectra=64)
        top.connect(source, box, sink)
        top.connect((box, 1), (sink, 1))
        top.run()
        self.assertEqual(sink.error(), "")
        self.assertIn("no time (rx_time)", history(sink.path()))
        self.assertFalse(fringe.read_visibilities(sink.path()).has_times)


if __name__ == "__main__":
    unittest.main()
