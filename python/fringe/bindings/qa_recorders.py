#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recorders' own formats through the flowgraph: decoded by numpy, and with frames lost."""
import json
import os
import unittest

import numpy as np

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.describing.info import describe
from qa_blocks import dump_sink
from qa_chain import numpy_spectra
from qa_scratch import scratch_case

DATA = os.environ.get("FRINGE_TEST_DATA", os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "../../../../shared/data"))
LEVELS = np.array([-3.3359, -1, 1, 3.3359], np.float32)


def sample_file(test, name):
    path = os.path.join(DATA, "formats", name)
    if not os.path.exists(path):
        test.skipTest(f"no {path}")
    return path


def voltages(paths, form, block, inputs=0, **options):
    """The source, and the voltages [input][time] that it and unpack make of recordings."""
    flowgraph = gr.top_block()
    source = fringe.file_source(paths, form, inputs, block, **options)
    e = fringe.encoding_by_name(source.encoding())
    n = source.inputs()
    unpack = fringe.unpack(source.encoding(), n, block, "f32", source.parts())
    width = 2 if e.complex_samples else 1
    sink = blocks.vector_sink_f(n * block * width)
    as_floats = blocks.copy(gr.sizeof_float * n * block * width)
    flowgraph.connect(source, unpack, as_floats, sink)
    flowgraph.run()
    x = np.array(sink.data(), np.float32).reshape(-1, n, block * width)
    x = x.swapaxes(0, 1).reshape(n, -1)
    if width == 2:
        x = x[:, ::2] + 1j * x[:, 1::2]
    return source, x[:, :source.total_samples()]


def vdif_file(path, codes, there, bits, complex_samples, rate, data_bytes, first=0, second=0):
    """Writes codes [thread][time][component] as one-channel VDIF of frames that are
    there [thread][frame]: 1 = whole, 0 = missing, -1 = marked invalid. The headers give
    the bandwidth (extension 1)."""
    threads = len(codes)
    parts = 2 if complex_samples else 1
    samples = data_bytes * 8 // bits // parts
    per_second = rate // samples
    frames = codes.shape[1] // samples
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    with open(path, "wb") as out:
        for k in range(frames):
            at = first + k
            for t in range(threads)[::1 if k % 3 else -1]:  # not always in order
                if there[t, k] == 0:
                    continue
                head = np.zeros(8, "<u4")
                head[0] = second + at // per_second + (1 << 31 if there[t, k] < 0 else 0)
                head[1] = at % per_second | 53 << 24  # July 2026
                head[2] = (data_bytes + 32) // 8
                head[3] = (bits - 1) << 26 | t << 16 | (1 << 31 if complex_samples else 0)
                head[4] = 1 << 24 | rate // 1000 // (1 if complex_samples else 2)
                words = codes[t, k * samples:(k + 1) * samples].reshape(-1, 32 // bits)
                words = np.bitwise_or.reduce(words.astype("<u4") << shifts, axis=1)
                out.write(head.tobytes() + words.astype("<u4").tobytes())


def mwa32t_file(path, x, there, first_counter):
    """Writes x [time][16], complex of whole numbers, of the times that are there."""
    words = np.empty((len(x), 17), "<u2")
    words[:, 0] = (first_counter + np.arange(len(x))) % 65536
    words[:, 1:] = (x.real.astype(int) & 31) | (x.imag.astype(int) & 31) << 5
    words[there].tofile(path)


class dumps_of:
    """Dumps of a recording: the visibilities are [dump][channel][baseline]."""

    def __init__(self, paths, form, channels, taps, block_spectra, dump_spectra, **options):
        flowgraph = gr.top_block()
        complex_samples = options.pop("complex_samples")
        points = channels * (1 if complex_samples else 2)
        source = fringe.file_source(paths, form, 0, block_spectra * points, **options)
        n = source.inputs()
        unpack = fringe.unpack(source.encoding(), n, block_spectra * points, "f32",
                               source.parts())
        channelizer = fringe.channelizer(n, channels, block_spectra, complex_samples, "f32",
                                         taps, "hann")
        engine = fringe.xengine(n, channels, block_spectra, "f32", 64, 0, dump_spectra)
        integrator = fringe.integrator(n, channels, "f32", 0, dump_spectra)
        flowgraph.connect(source, unpack, channelizer, engine, integrator)
        sink = dump_sink(flowgraph, integrator, channels * n * (n + 1) // 2)
        flowgraph.run()
        self.source = source
        shape = (-1, channels, n * (n + 1) // 2)
        self.visibilities = sink.data().reshape(shape)
        self.weights = sink.weight().reshape(shape)
        self.times = np.array([v for _, v in sink.tag("rx_time")])


class qa_recorders(scratch_case):
    seed = 11

    # Files of real recorders.

    def test_sample_vdif(self):
        path = sample_file(self, "sample.vdif")
        frames = np.fromfile(path, "<u4").reshape(-1, 5032 // 4)
        data = np.empty((8, 2, 20000), np.float32)
        for head, words in zip(frames[:, :8], frames[:, 8:]):
            codes = words[:, None] >> np.arange(0, 32, 2, dtype=np.uint32) & 3
            data[head[3] >> 16 & 1023, head[1] & 0xffffff] = LEVELS[codes.ravel()]
        want = data.reshape(8, 40000)
        info = fringe.recording_info(path, "vdif")
        self.assertEqual((info.streams, info.parts, info.encoding), (8, 8, "vdif2"))
        self.assertEqual((info.samples, info.sample_rate), (40000, 32e6))
        self.assertEqual(info.start_time.iso(3), "2014-06-16T05:56:07.000")
        for block in (8000, 20000, 24):
            source, x = voltages([path], "vdif", block)
            np.testing.assert_array_equal(x, want)
            self.assertEqual(source.samples_missing() + source.samples_invalid(), 0)
        # Gaussian noise at those levels has 34 % of its samples in the outer ones.
        np.testing.assert_allclose(np.mean(want ** 2, axis=1), 0.66 + 0.34 * 3.3359 ** 2,
                                   atol=0.3)

    def test_sample_dada(self):
        path = sample_file(self, "sample.dada")
        raw = np.fromfile(path, np.int8, offset=4096).reshape(-1, 2, 2).astype(np.float32)
        info = fringe.recording_info(path, "dada")
        self.assertEqual((info.streams, info.samples, info.sample_rate), (2, 16000, 16e6))
        self.assertEqual(info.center_frequency, 320e6)
        self.assertEqual(info.telescope, "Effelsberg")
        # 6400000000 bytes are 1.6e9 samples, 100 s.
        self.assertEqual(info.start_time.iso(9), "2013-07-02T01:39:20.000000000")
        _, x = voltages([path], "dada", 1024)
        np.testing.assert_array_equal(x, (raw[..., 0] + 1j * raw[..., 1]).T)

    # Others, written by numpy.

    def test_mark5b(self):
        codes = self.rng.integers(0, 4, (10, 10000, 4))  # [frame][sample][channel]
        with open(self.path("m"), "wb") as out:
            for n, c in enumerate(codes):
                second = (0x59, 0x60, 0x61)[(7 + n) // 8]  # decimal digits
                np.array([0xABADDEED, (7 + n) % 8, 0x12300000 + second, 0], "<u4").tofile(out)
                shifted = c.reshape(-1, 4) << np.array([0, 2, 4, 6])
                shifted.sum(axis=1).astype(np.uint8).tofile(out)
        source, x = voltages([self.path("m")], "mark5b", 2400, inputs=4)
        self.assertEqual(source.sample_rate(), 80000)
        # Without the number of inputs: 8 frames of 80000 bits a second, 10 of them.
        output = describe(self.path("m"))
        for words in ("not recorded: say it with inputs=N", "800000 bits of all inputs",
                      "640 kbit/s", "1.25 s", "MJD ...123T00:00:59.875"):
            self.assertIn(words, output)
        levels = np.array([-3.3359, 1, -1, 3.3359], np.float32)  # sign bit, magnitude bit
        np.testing.assert_array_equal(x, levels[codes].reshape(-1, 4).T)

    def test_guppi(self):
        x = self.rng.integers(-128, 128, (5, 3, 64, 2, 2))  # [block][channel][time][pol][re, im]
        with open(self.path("g"), "wb") as out:
            for n, block in enumerate(x):
                cards = dict(OBSNCHAN=3, NPOL=4, NBITS=8, BLOCSIZE=block.size, TBIN=1e-6,
                             PKTIDX=4 * n, PIPERBLK=4)
                if n != 2:
                    out.write("".join(f"{k:8}= {v:>20}".ljust(80) for k, v in cards.items())
                              .encode() + b"END".ljust(80))
                    block.astype(np.int8).tofile(out)
        source, got = voltages([self.path("g")], "guppi", 50)
        self.assertEqual(source.samples_missing(), 64 * 6)
        x[2] = 0
        want = x.transpose(1, 3, 0, 2, 4).reshape(6, 320, 2)
        np.testing.assert_array_equal(got, want[..., 0] + 1j * want[..., 1])

    def test_sigmf(self):
        x = self.rng.standard_normal((500, 3, 2)).astype(np.float32)
        x.tofile(self.path("s.sigmf-data"))
        with open(self.path("s.sigmf-meta"), "w", encoding="utf-8") as out:
            json.dump({"global": {"core:datatype": "cf32_le", "core:num_channels": 3,
                                  "core:sample_rate": 1e6},
                       "captures": [{"core:sample_start": 0, "core:frequency": 1e9}]}, out)
        source, got = voltages([self.path("s.sigmf-meta")], "sigmf", 64)
        self.assertEqual((source.sample_rate(), source.center_frequency()), (1e6, 1e9))
        np.testing.assert_array_equal(got, (x[..., 0] + 1j * x[..., 1]).T)

    # Losses from none to 90 %.

    def lost_runs(self, samples, part, longest):
        """A mask of samples, False in random runs that make up about a part of all."""
        there = np.ones(samples, bool)
        while there.mean() > 1 - part:
            first = int(self.rng.integers(samples))
            there[first:first + int(self.rng.integers(1, longest))] = False
        there[[0, -1]] = True
        return there

    def check_dumps(self, dumps, x, valid, channels, taps, dump_spectra, rate, start):
        """Against numpy, from the spectra that are valid throughout, of both inputs."""
        points = channels * (1 if np.iscomplexobj(x) else 2)
        spectra = numpy_spectra(np.where(valid, x, 0), channels, taps, "hann")
        count = spectra.shape[1]
        good = np.array([[valid[i, s * points:(s + taps) * points].all()
                          for s in range(count)] for i in range(len(x))])
        self.assertTrue(np.isfinite(dumps.visibilities).all())
        self.assertEqual(len(dumps.visibilities), -(-count // dump_spectra))
        # A spectrum stands for the middle of its window.
        middle = (taps - 1) / 2 * points / rate
        np.testing.assert_allclose(
            dumps.times - start - middle,
            np.arange(len(dumps.times)) * dump_spectra * points / rate, atol=5e-7)
        scale = np.abs(x).var() + 1
        i, j = np.triu_indices(len(x))
        for d in range(len(dumps.visibilities)):
            part = slice(d * dump_spectra, min((d + 1) * dump_spectra, count))
            both = good[i, part] & good[j, part]
            np.testing.assert_allclose(dumps.weights[d],
                                       np.broadcast_to(both.mean(1), dumps.weights[d].shape),
                                       atol=1e-6)
            blanked = np.where(good[:, part, None], spectra[:, part], 0)
            sums = np.einsum("isc,jsc->cij", blanked, blanked.conj())[:, i, j]
            want = sums / np.maximum(both.sum(1), 1)
            np.testing.assert_allclose(dumps.visibilities[d], want, atol=2e-5 * scale)

    def test_mwa32t_losses_become_weights(self):
        channels, dump, samples = 32, 100, 32 * 731 + 5
        for part in (0, 0.001, 0.1, 0.5, 0.9):
            with self.subTest(part):
                x = (self.rng.integers(-16, 16, (samples, 32))
                     + 1j * self.rng.integers(-16, 16, (samples, 32)))
                x[:, 20] = x[:, 3]
                there = [self.lost_runs(samples, part, 6000 if part > 0.5 else 400)
                         for _ in range(2)]
                paths = [self.path("a"), self.path("b")]
                for k in range(2):
                    mwa32t_file(paths[k], x[:, 16 * k:16 * k + 16], there[k], 65000 * k)
                valid = np.repeat(np.array(there), 16, axis=0)
                for taps in (1, 4):
                    dumps = dumps_of(paths, "mwa32t", channels, taps, 50, dump, sample_rate=1e6,
                                     complex_samples=True, allow_gaps=True,
                                     start_time="2026-01-02T03:04:05.25")
                    start = 1767323045.25
                    self.check_dumps(dumps, x.T, valid, channels, taps, dump, 1e6, start)
                    self.assertEqual(dumps.source.samples_missing(), np.sum(~valid))

    def test_vdif_losses_become_weights(self):
        channels, dump, data_bytes = 16, 64, 64
        for bits, complex_samples in ((2, False), (2, True), (8, True)):
            parts = 2 if complex_samples else 1
            per_frame = data_bytes * 8 // bits // parts
            frames = 48000 // per_frame
            samples = frames * per_frame
            for part in (0, 0.01, 0.3, 0.9):
                with self.subTest(f"{bits} bits, complex {complex_samples}, {part} lost"):
                    codes = self.rng.integers(0, 1 << bits, (3, samples, parts))
                    codes[2] = codes[0]
                    values = LEVELS[codes] if bits == 2 else codes - 2.0 ** (bits - 1)
                    x = values[..., 0] + 1j * values[..., 1] if parts == 2 else values[..., 0]
                    there = np.array([self.lost_runs(frames, part, 30).astype(int)
                                      for _ in range(3)])
                    there *= np.where(self.rng.random(there.shape) < part / 10, -1, 1)
                    there[:, [0, -1]] = 1
                    rate = per_frame * 250
                    vdif_file(self.path("v"), codes, there, bits, complex_samples, rate,
                              data_bytes, first=249 - 100, second=86400)
                    valid = np.repeat(there == 1, per_frame, axis=1)
                    dumps = dumps_of([self.path("v")], "vdif", channels, 2, 48, dump,
                                     complex_samples=complex_samples, allow_gaps=True)
                    start = 1782950400 + 149 / 250
                    self.check_dumps(dumps, x, valid, channels, 2, dump, rate, start)
                    self.assertEqual(dumps.source.samples_missing(),
                                     np.sum(there == 0) * per_frame)
                    self.assertEqual(dumps.source.samples_invalid(),
                                     np.sum(there < 0) * per_frame)

    def test_a_dump_that_is_lost_whole_has_weight_nought(self):
        samples = 32 * 400
        x = np.full((samples, 16), 3 - 2j)
        there = np.ones(samples, bool)
        there[32 * 95:32 * 310] = False
        mwa32t_file(self.path("a"), x, there, 65535)
        dumps = dumps_of([self.path("a")], "mwa32t", 32, 1, 40, 100, sample_rate=1e6,
                         complex_samples=True)
        np.testing.assert_allclose(dumps.weights[:, 0, 0], [0.95, 0, 0, 0.9])
        np.testing.assert_array_equal(dumps.visibilities[1:3], 0)
        for d in (0, 3):
            np.testing.assert_allclose(dumps.visibilities[d].mean(axis=0), 13, rtol=1e-5)

    def test_two_stations_of_several_threads(self):
        codes = self.rng.integers(0, 4, (4, 2560, 1))
        there = np.ones((2, 10), int)
        for k in range(2):
            vdif_file(self.path(f"s{k}"), codes[2 * k:2 * k + 2], there, 2, False, 25600, 64)
        _, x = voltages([self.path("s0"), self.path("s1")], "vdif", 264, sample_rate=25600)
        np.testing.assert_array_equal(x, LEVELS[codes[..., 0]])
        # One of them 256 samples later, which its header contradicts.
        starts = {"sample_rate": 25600, "start_samples": [0, 256]}
        with self.assertRaisesRegex(ValueError, "sample 256 of .*s1.*sample 0 belongs.*prefer"):
            voltages([self.path("s0"), self.path("s1")], "vdif", 264, **starts)
        _, x = voltages([self.path("s0"), self.path("s1")], "vdif", 264, prefer="settings",
                        **starts)
        np.testing.assert_array_equal(x[2:], LEVELS[codes[2:, 256:, 0]])
        np.testing.assert_array_equal(x[:2], LEVELS[codes[:2, :2304, 0]])

    def test_any_start_sample_of_each_file(self):
        # 1-bit frames hold 512 samples; the start is neither a frame's nor a byte's.
        for bits, complex_samples in ((1, False), (2, False), (2, True), (4, False), (8, True)):
            parts = 2 if complex_samples else 1
            codes = self.rng.integers(0, 1 << bits, (4, 5120, parts))
            per_frame = 512 // bits // parts
            there = np.ones((4, 5120 // per_frame), int)
            there[:, 3] = 0, 1, -1, 1
            values = {1: 2.0 * codes - 1, 2: LEVELS[codes & 3]}.get(bits,
                                                                    codes - 2.0 ** (bits - 1))
            valid = np.repeat(there == 1, per_frame, axis=1)
            x = values[..., 0] + 1j * values[..., 1] if parts == 2 else values[..., 0]
            paths = [self.path("s0"), self.path("s1")]
            for k in range(2):
                vdif_file(paths[k], codes[2 * k:2 * k + 2], there[2 * k:2 * k + 2], bits,
                          complex_samples, per_frame * 1000, 64)
            for starts in ([1, 1], [137, 4], [3, 1027], [0, 1999]):
                with self.subTest(f"{bits} bits, complex {complex_samples}, {starts}"):
                    source, got = voltages(paths, "vdif", 264, start_samples=starts,
                                           start_time="2026-07-01T00:00:00",
                                           prefer="settings")  # their headers say one time
                    length = 5120 - max(starts)
                    self.assertEqual(source.total_samples(), length)
                    for k in range(4):
                        part = slice(starts[k // 2], starts[k // 2] + length)
                        np.testing.assert_array_equal(got[k][valid[k, part]],
                                                      x[k, part][valid[k, part]])
                    lost = np.array([source.losses()[cause] for cause in ("missing", "invalid")])
                    want = [[np.sum(np.repeat(there[k] == mark, per_frame)[starts[k // 2]:]
                                    [:length]) for k in range(4)] for mark in (0, -1)]
                    np.testing.assert_array_equal(lost, want)

    def test_dumps_from_any_start_sample(self):
        # The threads of the correlator read the recording themselves.
        codes = self.rng.integers(0, 4, (2, 25600, 1))
        vdif_file(self.path("v"), codes, np.ones((2, 100), int), 2, False, 256000, 64)
        for start in (1, 6, 4099):
            LEVELS[codes[:, start:, 0]].T.tofile(self.path("x.f32"))
            made = []
            for path, form, first in (("v", "vdif", start), ("x.f32", "f32", 0)):
                fringe.correlate(self.path(path), self.path("out.ACC"), format=form, inputs=2,
                                 sample_rate=256000, channels=20, spectra=97, start_sample=[first],
                                 start_time="2026-07-01T00:00:00", overwrite=True)
                made.append(np.fromfile(self.path("out.ACC"), np.complex64))
            np.testing.assert_allclose(made[0], made[1], rtol=1e-5, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
