#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings of SDR programs: WAV files, gqrx's names, and the File Meta Sink of GNU Radio."""
import os
import struct
import unittest
import wave

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr

from gnuradio.fringe.describing.info import describe
from qa_recorder_headers import SAMPLES, header_case
from qa_scratch import rx_time, tag

NAME = "SDRSharp_20150804_204753Z_100000000Hz_IQ.wav"


def chunk(name, data, size=None):
    size = len(data) if size is None else size
    return name + struct.pack("<I", size) + data + b"\0" * (len(data) % 2)


def auxi(frequency, hour=20):
    """That of HDSDR and others: two times of eight numbers, the center frequency, and more."""
    time = struct.pack("<8H", 2015, 8, 2, 4, hour, 47, 53, 250)
    return chunk(b"auxi", time + time + struct.pack("<I", frequency) + b"\0" * 128)


class qa_wav(header_case):

    def wav(self, name, data, bits=16, channels=2, kind=1, rate=2400000, more=b"", form=b"RIFF",
            size=None, behind=b"", extensible=False):
        frame = channels * bits // 8
        words = struct.pack("<HHIIHH", 0xfffe if extensible else kind, channels, rate, rate * frame,
                            frame, bits)
        if extensible:
            words += struct.pack("<HHIH", 22, bits, 0, kind) + b"\0" * 14
        with open(self.path(name), "wb") as out:
            out.write(form + struct.pack("<I", 0xffffffff) + b"WAVE" + more + chunk(b"fmt ", words)
                      + chunk(b"data", data, size) + behind)
        return self.path(name)

    def setUp(self):
        super().setUp()
        self.x = self.noise(SAMPLES).astype(float)
        self.raw = self.x.astype("<i2").tobytes()

    def test_kinds_of_samples(self):
        for bits, kind, data in ((16, 1, self.x.astype("<i2")),
                                 (8, 1, (self.x + 128).astype(np.uint8)),
                                 (32, 3, self.x.astype("<f4"))):
            for extensible in (False, True):
                path = self.wav("x.wav", data.tobytes(), bits, 2, kind, extensible=extensible)
                self.check_input(path, 0, self.x)
        info = fringe.recording_info(path, "wav")
        self.assertEqual((info.streams, info.sample_rate), (1, 2.4e6))
        self.assertEqual(fringe.format_by_content(path), "wav")
        mono = fringe.recording_info(self.wav("x.wav", self.raw, channels=1), "wav")
        self.assertEqual((mono.encoding, mono.samples), ("i16", 2 * SAMPLES))
        both = np.hstack([self.x, self.x[::-1]]).astype("<i2")
        four = self.wav("x.wav", both.tobytes(), channels=4)
        self.check_input(four, 1, self.x[::-1])

    def test_as_python_writes_it(self):
        with wave.open(self.path("x.wav"), "wb") as out:
            out.setparams((2, 2, 1000000, 0, "NONE", ""))
            out.writeframes(self.raw)
        self.check_input(self.path("x.wav"), 0, self.x)

    def test_where_the_samples_end(self):
        note = chunk(b"LIST", b"INFOthree")
        for size in (None, 0, 0xffffffff):
            path = self.wav("x.wav", self.raw, size=size, more=chunk(b"junk", b"odd"))
            self.check_input(path, 0, self.x)
        self.check_input(self.wav("x.wav", self.raw, behind=note), 0, self.x)
        large = chunk(b"ds64", struct.pack("<QQQI", 0, len(self.raw), 0, 0))
        for form in (b"RF64", b"BW64"):
            path = self.wav("x.wav", self.raw, form=form, size=0xffffffff, more=large, behind=note)
            self.check_input(path, 0, self.x)
        self.assertIn("truncated", describe(self.wav("x.wav", self.raw, size=10 ** 6)))

    def test_above_four_gigabytes(self):
        """32 bits of a size have wrapped: a file with holes, whose last samples are not zero."""
        path = self.wav("x.wav", b"", size=4096)
        with open(path, "r+b") as out:
            out.seek(44 + 2 ** 32 + 4096 - len(self.raw))
            out.write(self.raw)
        self.assertEqual(fringe.recording_info(path, "wav").samples, 2 ** 30 + 1024)
        power = fringe.recording_power(path, "wav", 1, 2 ** 30 + 1024 - SAMPLES, SAMPLES)
        self.assertAlmostEqual(power[0], (self.x ** 2).sum(axis=1).mean(), places=2)

    def test_frequency_and_time(self):
        found = lambda path: fringe.recording_info(path, "wav")
        for name in (NAME, "HDSDR_20150804_204753Z_100000kHz_RF.wav",
                     "gqrx_20150804_204753_100000000_2400000_fc.wav"):
            info = found(self.wav(name, self.raw))
            self.assertEqual((info.center_frequency, info.start_time.iso(0)),
                             (1e8, "2015-08-04T20:47:53"))
        info = found(self.wav("x.wav", self.raw, more=auxi(1420405751)))
        self.assertEqual((info.center_frequency, info.start_time.iso(3)),
                         (1420405751, "2015-08-04T20:47:53.250"))
        info = found(self.wav(NAME, self.raw, more=auxi(10 ** 8, hour=22)))  # two hours east
        self.assertEqual(info.start_time.iso(0), "2015-08-04T20:47:53")
        self.assertIn("auxi", info.remarks)
        words = '<?xml version="1.0"?><Definition RadioCenterFreq="7100000"/>'.encode("utf-16-le")
        info = found(self.wav("x.wav", self.raw, more=chunk(b"auxi", words)))
        self.assertEqual(info.center_frequency, 7.1e6)
        self.assertFalse(found(self.wav("x_20151399_000000_5.wav", self.raw)).has_start_time)

    def test_refusals(self):
        for more, words in ((dict(bits=24), ("24", "bits")), (dict(kind=6, bits=8), ("format 6",)),
                            (dict(bits=32), ("32 bits",)), (dict(channels=3), ("3 channels",)),
                            (dict(form=b"RIFX"), ("RIFX",))):
            self.refused(self.wav("x.wav", self.raw, **more), *words)
        self.refused(self.wav(NAME, self.raw, more=auxi(99000000)), "99000000", "100000000")
        self.refused(self.wav("gqrx_20150804_204753_100000000_1800000_fc.wav", self.raw), "1800000",
                     "2400000")
        with open(self.path("x.wav"), "wb") as out:
            out.write(b"RIFF\x10\0\0\0WAVEjunk\x04\0\0\0abcd")
        self.refused(self.path("x.wav"), "fmt ")

    def test_two_receivers(self):
        """A second in a name does not tell which samples belong together."""
        other = "SDRSharp_20150804_204758Z_100000000Hz_IQ.wav"
        paths = [self.wav(NAME, self.raw), self.wav(other, self.raw)]
        with self.assertRaisesRegex(ValueError, "5 s after.*start_samples"):
            fringe.recording_times(paths, "wav", 2)
        fringe.recording_times(paths, "wav", 2, [0, 7])
        os.rename(paths[1], self.path("b" + NAME))
        together = fringe.recording_times([paths[0], self.path("b" + NAME)], "wav", 2)
        self.assertEqual(together.samples, SAMPLES)

    def test_one_after_the_other(self):
        """The next file begins within a second of the end of the one before it."""
        late = "SDRSharp_20150804_204754Z_100000000Hz_IQ.wav"
        name = self.wav(NAME, self.raw) + "+" + self.wav(late, self.raw)
        self.check_input(name, 0, np.concatenate([self.x, self.x]))


class qa_gqrx(header_case):

    def test_the_name_says_it(self):
        x = self.noise(SAMPLES).astype(float)
        path = self.path("gqrx_20150804_204753_1420400000_1800000_fc.raw")
        x.astype("<f4").tofile(path)
        self.check_input(path, 0, x)
        info = fringe.recording_info(path, fringe.format_by_content(path))
        self.assertEqual((info.sample_rate, info.center_frequency, info.start_time.iso(0)),
                         (1.8e6, 1420.4e6, "2015-08-04T20:47:53"))


class qa_file_meta(header_case):

    def record(self, name, x, tags=(), kind=blocks.GR_FILE_FLOAT, is_complex=True, detached=False,
               rate=1e6, limit=1000000):
        """As GNU Radio's block writes it."""
        size = x.dtype.itemsize * x.shape[-1]
        source = blocks.vector_source_b(list(x.tobytes()), False, size, list(tags))
        sink = blocks.file_meta_sink(size, self.path(name), rate, 1, kind, is_complex, limit,
                                     pmt.make_dict(), detached)
        flowgraph = gr.top_block()
        flowgraph.connect(source, sink)
        flowgraph.run()
        sink.close()
        return self.path(name)

    def setUp(self):
        super().setUp()
        self.x = self.noise(2 * SAMPLES)
        self.tags = [rx_time(0, 1780000000, 0.25), tag(0, "rx_freq", pmt.from_double(1.42e9))]

    def test_kinds_of_samples(self):
        for detached in (False, True):
            for kind, dtype in ((blocks.GR_FILE_FLOAT, "<f4"), (blocks.GR_FILE_SHORT, "<i2"),
                                (blocks.GR_FILE_BYTE, "i1")):
                path = self.record("x.dat", self.x.astype(dtype), self.tags, kind,
                                   detached=detached)
                self.check_input(path, 0, self.x)
                info = fringe.recording_info(path, fringe.format_by_content(path))
                self.assertEqual((info.sample_rate, info.center_frequency, info.start_time.iso(3)),
                                 (1e6, 1.42e9, "2026-05-28T20:26:40.250"))
            if detached:
                self.check_input(path + ".hdr", 0, self.x)
        self.refused(self.record("y.dat", self.x.astype("<i4"), self.tags, blocks.GR_FILE_INT),
                     "type 2", "can be read")

    def test_vectors_and_real_samples(self):
        x = self.rng.normal(0, 1, (SAMPLES, 3)).astype("<f4")
        path = self.record("x.dat", x, is_complex=False)
        info = fringe.recording_info(path, "file_meta")
        self.assertEqual((info.streams, info.encoding, info.has_start_time), (3, "f32", False))
        self.assertIn("no date", info.remarks)

    def test_segments(self):
        """1500 samples are lost in front of sample 5000; segments of 4000 follow closely."""
        tags = [*self.tags, rx_time(5000, 1780000000, 0.2565)]
        expected = np.concatenate([self.x[:5000], np.zeros((1500, 2)), self.x[5000:]])
        for detached in (False, True):
            path = self.record("x.dat", self.x.astype("<f4"), tags, detached=detached, limit=4000)
            self.check_input(path, 0, expected)
            self.assertIn("1500 samples missing", describe(path))

    def test_refusals(self):
        x = self.x.astype("<f4")
        retuned = tag(5000, "rx_freq", pmt.from_double(1e9))
        for later, words in ((retuned, ("rx_freq", "1420000000", "1000000000")),
                             (tag(5000, "rx_rate", pmt.from_double(2e6)), ("rx_rate", "2000000")),
                             (rx_time(5000, 1780000000, 0.1), ("rx_time", "back"))):
            self.refused(self.record("x.dat", x, [*self.tags, later]), *words)

    def test_damaged_headers(self):
        """Any byte of a header may be any other: a sentence, or a recording."""
        path = self.record("x.dat", self.x[:100].astype("<f4"), self.tags)
        with open(path, "rb") as file:
            good = file.read()
        for at in range(171):
            for value in {0, 9, 0x7f, 0xff, int(self.rng.integers(256))}:
                with open(path, "wb") as out:
                    out.write(good[:at] + bytes([value]) + good[at + 1:])
                try:
                    self.assertLessEqual(fringe.recording_info(path, "file_meta").samples, 10000)
                except (ValueError, RuntimeError) as error:
                    self.assertIn(path, str(error))


if __name__ == "__main__":
    unittest.main()
