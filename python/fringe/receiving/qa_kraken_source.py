#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A KrakenSDR, by a stand-in that speaks as its programs do: samples, gaps, settings, refusals."""
import struct
import unittest

import h5py
import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.receiving.kraken_source import kraken_source
from qa_cli import command
from qa_kraken_server import first_frame, kraken_server, second_frame, whole
from qa_scratch import scratch_case

RECEIVERS, LENGTH, RATE = 3, 1000, 1e6  # frames of a millisecond, the unit of time stamps
START = 1_780_000_000_000
OBSERVATION = """
site: {latitude: 50, longitude: 8}
antennas: [[0, 0, 0], [3, 0, 0], [0, 4, 0]]
sample_rate: 1e6
center_frequency: 1.42e9
channels: 10
spectra: 25
"""


class qa_kraken_source(scratch_case):

    def setUp(self):
        super().setUp()
        self.samples = self.rng.normal(size=(RECEIVERS, 12 * LENGTH, 2)).astype(np.float32).view(
            np.complex64)[..., 0]
        self.samples += 0.5 * self.samples[0]  # so that there are fringes
        self.bytes = self.rng.integers(0, 256, (RECEIVERS, 12 * LENGTH, 2), np.uint8)
        self.obs = fringe.observation.from_text(OBSERVATION)

    def serve(self, frames, **more):
        server = kraken_server(frames, **more)
        self.addCleanup(server.close)
        return server

    def first(self, **changed):
        """Frames of version 1; changed: number of a frame -> fields."""
        return [first_frame(part, k, START + k, **changed.get(f"frame{k}", {}))
                for k, part in enumerate(whole(self.samples, LENGTH))]

    def receive(self, server, version=1, block=700, **more):
        """(samples [receiver][time], tags, block) of all that comes."""
        source = kraken_source(server.address, RECEIVERS, block, RATE, version=version, **more)
        size = {1: 8, 2: 2}[version]
        sink = blocks.vector_sink_b(RECEIVERS * block * size)
        flowgraph = gr.top_block()
        flowgraph.connect(source, sink)
        flowgraph.run()
        data = np.array(sink.data(), np.uint8).reshape(-1, RECEIVERS, block * size)
        data = data.transpose(1, 0, 2).reshape(RECEIVERS, -1)
        return np.ascontiguousarray(data).view({1: np.complex64, 2: np.uint16}[version]), [
            (tag.offset, pmt.symbol_to_string(tag.key), tag.value) for tag in sink.tags()], source

    def lost(self, tags, block=700):
        """Samples that are missing of receiver 0, by the tags: a set."""
        found = set()
        for item, key, value in tags:
            if key == "invalid":
                for k, first, count in np.array(pmt.u64vector_elements(value)).reshape(-1, 3):
                    if k == 0:
                        found |= set(range(item * block + first, item * block + first + count))
        return found

    def test_every_sample_of_version_1(self):
        data, tags, source = self.receive(self.serve(self.first(), peeks=0), samples=12 * LENGTH)
        np.testing.assert_array_equal(data[:, :12 * LENGTH], self.samples)
        self.assertFalse(data[:, 12 * LENGTH:].any())
        values = {key: value for item, key, value in tags if item == 0}
        self.assertEqual(pmt.to_uint64(pmt.tuple_ref(values["rx_time"], 0)), START // 1000)
        self.assertEqual(pmt.to_double(values["rx_freq"]), 1.42e9)
        self.assertEqual((source.samples_read(), source.losses()), (12 * LENGTH, {}))
        self.assertEqual(pmt.to_uint64(next(v for _, key, v in tags if key == "samples")),
                         12 * LENGTH % 700)

    def test_every_sample_of_version_2(self):
        frames = [second_frame(part) for part in whole(self.bytes, LENGTH)]
        data, _, _ = self.receive(self.serve(frames, version=2, peeks=0), 2, samples=12 * LENGTH)
        np.testing.assert_array_equal(data[:, :12 * LENGTH],
                                      self.bytes.view(np.uint16)[..., 0])

    def test_lost_and_left_out(self):
        frames = self.first(frame6={"frame_type": 3}, frame7={"noise_source_state": 1},
                            frame4={"adc_overdrive_flags": 0b100})
        del frames[2]  # lost
        data, tags, source = self.receive(self.serve(frames, peeks=0), samples=12 * LENGTH)
        gone = set(range(2000, 3000)) | set(range(6000, 8000))
        # Gaps of more than a block begin anew with a time.
        times = [(item, pmt.to_double(pmt.tuple_ref(value, 1))) for item, key, value in tags
                 if key == "rx_time"]
        kept, at = {}, 0
        starts = dict((item, round(1e6 * (fraction - times[0][1]))) for item, fraction in times)
        for item in range(data.shape[1] // 700):
            at = starts.get(item, at)
            for k in range(700):
                kept[at + k] = data[:, item * 700 + k]
            at += 700
        for n in range(12 * LENGTH):
            if n not in gone:
                np.testing.assert_array_equal(kept[n], self.samples[:, n])
        self.assertEqual({n for n in range(12 * LENGTH) if n not in kept or not kept[n].any()},
                         gone)
        self.assertEqual(source.losses(), {
            "missing": [1000] * 3, "calibrating": [2000] * 3, "overdriven": [0, 0, 1000]})
        self.assertEqual(len(self.lost(tags)) + sum(
            n not in kept for n in range(12 * LENGTH)), 3000)

    def test_noise_of_version_2(self):
        frames = [second_frame(part, noise=k in (3, 4), retuning=k == 7)
                  for k, part in enumerate(whole(self.bytes, LENGTH))]
        data, tags, source = self.receive(self.serve(frames, version=2, peeks=0), 2, 4000,
                                          samples=12 * LENGTH)
        gone = set(range(3000, 5000)) | set(range(7000, 8000))
        self.assertEqual(self.lost(tags, 4000), gone)
        good = sorted(set(range(12 * LENGTH)) - gone)
        np.testing.assert_array_equal(data[:, good], self.bytes.view(np.uint16)[:, good, 0])
        self.assertEqual(source.losses(), {"calibrating": [3000] * 3})

    def test_visibilities_are_those_of_a_file(self):
        """And those of the recording, where frames are missing."""
        for k in range(RECEIVERS):
            self.samples[k].tofile(self.path(f"{k}.cf32"))
        self.obs.start_time, self.obs.has_start_time = fringe.epoch(START // 1000, 0.0), True
        fringe.correlate([self.path(f"{k}.cf32") for k in range(RECEIVERS)],
                         self.path("file.uvh5"), self.obs)
        self.obs.has_start_time = False
        frames = self.first()
        live = f"kraken://127.0.0.1:{self.serve(frames).port}"
        totals = fringe.correlate([], self.path("live.uvh5"), self.obs, live=live, seconds=0.012)
        self.assertEqual(totals.samples, 12 * LENGTH)
        first, second = (fringe.read_visibilities(self.path(name))
                         for name in ("file.uvh5", "live.uvh5"))
        # Sums of float32 are made in other parts: live, and behind a gap, blocks begin elsewhere.
        np.testing.assert_allclose(first.data, second.data, rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(first.weights, second.weights)
        np.testing.assert_array_equal(first.times, second.times)
        gappy = [frame for k, frame in enumerate(frames) if k not in (2, 5, 6)]
        pair = [f"kraken://127.0.0.1:{self.serve(gappy).port}" for _ in range(2)]
        fringe.correlate([], self.path("gaps.uvh5"), self.obs, live=pair[0], seconds=0.012)
        made = command("record", "--live", pair[1], "--seconds", "0.012", "--quiet", "-o",
                       self.path("r.sigmf-collection"))
        self.assertEqual(made.returncode, 0, made.stderr)
        fringe.correlate([self.path("r.sigmf-collection")], self.path("later.uvh5"), self.obs)
        first, second = (fringe.read_visibilities(self.path(name))
                         for name in ("gaps.uvh5", "later.uvh5"))
        np.testing.assert_allclose(first.data, second.data, rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(first.weights, second.weights)
        self.assertLess(first.weights[:, 1:].sum(), 0.8 * 48 * first.weights[:, 1:].max() * 54)

    def test_blocks_that_disagree(self):
        """Bytes of another order have the same number: the stream says which they are."""
        for version, frames in ((1, self.first()),
                                (2, [second_frame(part) for part in whole(self.bytes, LENGTH)])):
            source = kraken_source(self.serve(frames, version=version, peeks=0).address, RECEIVERS,
                                   500, RATE, version=version, samples=12 * LENGTH)
            unpack = fringe.unpack(source.encoding(), RECEIVERS, 500, "f32", files=1)
            flowgraph = gr.top_block()
            flowgraph.connect(source, unpack, blocks.null_sink(RECEIVERS * 500 * 8))
            flowgraph.run()
            self.assertRegex(fringe.failure(unpack), "files.* 1.* 3|files.* 3.* 1")

    def test_time_of_version_2(self):
        """It is this computer's, and the history of files says so."""
        frames = [second_frame(part) for part in whole(self.bytes, LENGTH)]
        server = self.serve(frames, version=2)
        url = f"kraken://{server.address}?version=2&sample_rate=1e6"
        self.obs.center_frequency = 0
        fringe.correlate([], self.path("x.uvh5"), self.obs, live=url, seconds=0.012)
        with h5py.File(self.path("x.uvh5")) as file:
            self.assertIn("dated by the clock", file["Header/history"][()].decode())

    def test_connects_again(self):
        frames = self.first()
        frames[5:5] = [None]
        data, _, source = self.receive(self.serve(frames, peeks=0), samples=12 * LENGTH)
        np.testing.assert_array_equal(data[:, :12 * LENGTH], self.samples)
        self.assertRegex(" ".join(source.warnings()), "connection has ended; connecting again")

    def test_what_ends_the_data(self):
        for words, fields in (("frequency: 1421000000: was 1420000000", {
                "rf_center_freq": 1_421_000_000}), ("sync_word: 7: must be", {"sync_word": 7}),
                              ("time_stamp: .*: goes back by 0.6", {
                                  "time_stamp": START - 600, "cpi_index": 0})):
            with self.subTest(words):
                data, _, source = self.receive(self.serve(self.first(frame4=fields), peeks=0))
                np.testing.assert_array_equal(data[:, :4 * LENGTH], self.samples[:, :4 * LENGTH])
                self.assertEqual(source.samples_read(), 4 * LENGTH)
                self.assertRegex(source.error(), f"^live: {source.address}: {words}")

    def test_settings(self):
        server = self.serve(self.first())
        url = (f"kraken://{server.address}?frequency=1.42e9&gain=40.2&control="
               f"{server.control.rpartition(':')[2]}")
        fringe.correlate([], self.path("x.uvh5"), self.obs, live=url, seconds=0.006)
        self.assertEqual(server.commands, [
            (b"FREQ" + struct.pack("<Q", 1_420_000_000)).ljust(128, b"\0"),
            (b"GAIN" + struct.pack("<3I", 402, 402, 402)).ljust(128, b"\0")])
        frames = [second_frame(part) for part in whole(self.bytes, LENGTH)]
        server = self.serve(frames, version=2, answer=b'{"status": "error", "message": "no"}')
        url = (f"kraken://{server.address}?version=2&sample_rate=1e6&frequency=1.42e9&control="
               f"{server.control.rpartition(':')[2]}")
        with self.assertRaisesRegex(ValueError, "frequency: 1420000000: the Kraken answers 'no'"):
            fringe.correlate([], self.path("y.uvh5"), self.obs, live=url, seconds=0.006)
        self.assertEqual(server.commands, [
            {"command": "set_frequency", "frequency": 1_420_000_000}])

    def test_info(self):
        found = command("info", "--live", f"kraken://{self.serve(self.first()).address}")
        self.assertEqual(found.returncode, 0, found.stderr)
        for words in ("k4000, version 1", "1000 samples of 3 receivers, data", "1000000 Hz, cf32",
                      "1420000000 Hz", "40.3 dB, 40.3 dB", "delays and phases",
                      "2026-05-28T20:26:40.000 UTC"):
            self.assertIn(words, found.stdout)

    def test_addresses(self):
        server = self.serve(self.first(), peeks=9)
        for url, words in (("kraken://", "must be HOST"), ("kraken://h:x", "must be HOST"),
                           ("kraken://h?rate=1", "'rate' is no setting; there are version"),
                           ("kraken://h:8091", "must contain the sample rate"),
                           ("kraken://h?version=1.5", "version: 1.5: must be 1 or 2"),
                           ("kraken://h?gain=200", "gain: 200: must be -1 to 100"),
                           ("kraken://127.0.0.1:1", "no KrakenSDR answers"),
                           (f"kraken://{server.address}?sample_rate=2e6",
                            "sample_rate: 2000000: the frames have 1000000"),
                           (f"kraken://{server.address}?gain=40&control=1",
                            "127.0.0.1:1: the receivers were not tuned, because")):
            with self.subTest(url), self.assertRaisesRegex(ValueError, words):
                fringe.correlate([], self.path("x.uvh5"), self.obs, live=url, seconds=1)
        self.obs.center_frequency = 1.43e9
        with self.assertRaisesRegex(ValueError, "center_frequency: 1430000000: the receivers are "):
            fringe.correlate([], self.path("x.uvh5"), self.obs, seconds=1,
                             live=f"kraken://{server.address}")


if __name__ == "__main__":
    unittest.main()
