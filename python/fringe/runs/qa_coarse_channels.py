#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings whose band was split before: each channel has its own frequency, either way up."""
import unittest

import numpy as np

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from qa_scratch import scratch_case

COUNT, RATE, CENTER, SAMPLES = 4, 1e6, 1420e6, 32000


class qa_coarse_channels(scratch_case):
    seed = 8

    def voltages(self, sky, sign):
        """Both polarizations of all channels, i8 [channel][time][polarization][re, im], of noise
        and a line at `sky` Hz. sign -1: frequencies go down."""
        t = np.arange(SAMPLES) / RATE
        x = self.rng.normal(0, 2, (COUNT, SAMPLES, 2, 2))
        for k in range(COUNT):
            offset = sky - CENTER - sign * RATE * (k + 0.5 - COUNT / 2)
            if abs(offset) < RATE / 2:
                line = 30 * np.exp(2j * np.pi * sign * offset * t)[:, None]
                x[k] += np.stack([line.real, line.imag], -1)
        return np.rint(x).astype(np.int8)

    def guppi(self, x, sign):
        cards = {"OBSNCHAN": COUNT, "NPOL": 4, "NBITS": 8, "BLOCSIZE": x.size, "TBIN": 1 / RATE,
                 "OBSFREQ": CENTER / 1e6, "OBSBW": sign * COUNT * RATE / 1e6, "STT_IMJD": 61000,
                 "STT_SMJD": 0}
        with open(self.path("guppi"), "wb") as out:
            out.write("".join(f"{k:8}= {v:>20}".ljust(80) for k, v in cards.items()).encode()
                      + b"END".ljust(80) + x.tobytes())
        return self.path("guppi")

    def dada(self, x, sign):
        head = (f"HDR_SIZE 4096\nNBIT 8\nNDIM 2\nNPOL 2\nNCHAN {COUNT}\nTSAMP {1e6 / RATE}\n"
                f"FREQ {CENTER / 1e6}\nBW {sign * COUNT * RATE / 1e6}\n"
                "UTC_START 2026-06-12-00:00:00\n")
        with open(self.path("dada"), "wb") as out:
            out.write(head.encode().ljust(4096, b"\0") + x.swapaxes(0, 1).tobytes())
        return self.path("dada")

    def test_a_line_is_at_its_frequency(self):
        for make in (self.guppi, self.dada):
            for sign in (1, -1):
                # Neither in the middle of a channel of either kind, nor symmetric to any.
                for sky in (CENTER + 0.7e6 + 9 * RATE / 64, CENTER - 1.5e6 - 5 * RATE / 64):
                    path = make(self.voltages(sky, sign), sign)
                    edge = CENTER - sign * RATE * COUNT / 2
                    k = int(sign * (sky - edge) // RATE)
                    with self.subTest(f"{make.__name__}, {sign}, {sky}"):
                        fringe.correlate(path, self.path("x.uvh5"), coarse_channel=k, channels=64,
                                         spectra=400, overwrite=True)
                        vis = read_visibilities(self.path("x.uvh5"))
                        self.assertEqual(len(vis.inputs), 2)
                        power = np.abs(vis.data).mean(axis=(0, 2))
                        self.assertEqual(power.shape, vis.frequencies.shape)
                        found = vis.frequencies[np.argmax(power)]
                        self.assertLessEqual(abs(found - sky), RATE / 64)

    def test_all_channels_at_once_are_refused(self):
        path = self.guppi(self.voltages(CENTER, -1), -1)
        with self.assertRaisesRegex(ValueError, "4 coarse channels.*coarse_channel=K, 0 to 3"):
            fringe.correlate(path, self.path("x.uvh5"))
        with self.assertRaisesRegex(ValueError, "4 coarse channels.*no 4"):
            fringe.correlate(path, self.path("x.uvh5"), coarse_channel=4)
        output = describe(path)
        self.assertRegex(output, "channels +4, each at a frequency of its own")
        self.assertIn("upside down", output)

    def test_a_flowgraph_refuses_all_at_once(self):
        for make in (self.guppi, self.dada):
            path = make(self.voltages(CENTER, 1), 1)
            form = make.__name__
            source = fringe.file_source([path], form, 0, 64 * 64)
            with self.subTest(form):
                self.assertEqual(source.center_frequency(), 0)
                unpack = fringe.unpack(source.encoding(), 8, 64 * 64, "f32", source.parts())
                channelizer = fringe.channelizer(8, 64, 64)
                sink = blocks.vector_sink_c(8 * 64 * 64)
                top = gr.top_block()
                top.connect(source, unpack, channelizer, sink)
                top.run()
                why = fringe.failure(channelizer)
                for words in ("coarse_channels 1", "coarse_channels 4", f"{form}:0"):
                    self.assertIn(words, why)
                self.assertEqual(len(sink.data()), 0)
                for reads in ({}, {"recording": source}):
                    sources = fringe.file_source([path], form, 0, 64 * 64)
                    reads = {"recording": sources} if reads else {}
                    top = gr.top_block()
                    sink = blocks.vector_sink_c(64 * 36)
                    try:
                        box = fringe.fx_correlator(8, 64, source.encoding(), 0.0, 100,
                                                   block_spectra=64, files=source.parts(), **reads)
                        if not box.reads:
                            top.connect(sources, box)
                        top.connect((box, 0), sink)
                        top.run()
                    except ValueError as error:
                        self.assertIn("coarse_channels 4", str(error))
                    self.assertEqual(len(sink.data()), 0)
            chosen = fringe.file_source([path], form + ":2", 0, 64 * 64)
            self.assertEqual(chosen.center_frequency(), CENTER + RATE / 2)

    def test_the_band_and_a_channel_have_other_frequencies(self):
        path = self.dada(self.voltages(CENTER, 1), 1)
        obs = fringe.observation.from_text(
            f"antennas: [[0, 0, 0]]\npolarizations: [X, Y]\ncenter_frequency: {CENTER}\n"
            f"sample_rate: {RATE}\nchannels: 16\n")
        with self.assertRaisesRegex(ValueError, "channel 2 lies at 1420500000 Hz, the observation "
                                                "says center_frequency 1420000000; center"):
            fringe.correlate(path, self.path("x.uvh5"), obs, coarse_channel=2)


if __name__ == "__main__":
    unittest.main()
