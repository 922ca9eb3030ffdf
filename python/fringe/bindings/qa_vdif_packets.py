#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""packet_sink.vdif: the frames that a socket receives are the samples that went in, read by VDIF's
definition with numpy, by the package baseband, and by UDP Source."""
import datetime
import importlib.util
import io
import struct
import time
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr

from qa_live import wait_until
from qa_packet_sink import Listener, tag
from qa_packets import instant_of, receiving
from qa_scratch import scratch_case

#: Encoding: bits of a component, whether complex, whether two's complement.
ENCODINGS = {"i8": (8, False, True), "u8": (8, False, False), "i16": (16, False, True),
             "u16": (16, False, False), "ci8": (8, True, True), "cu8_128": (8, True, False),
             "ci16": (16, True, True), "cu16": (16, True, False), "vdif1": (1, False, False),
             "vdif2": (2, False, False), "vdif4": (4, False, False), "cvdif1": (1, True, False),
             "cvdif2": (2, True, False), "cvdif4": (4, True, False)}


def unix(*date):
    return int(datetime.datetime(*date, tzinfo=datetime.timezone.utc).timestamp())


def packed(codes, bits):
    """Unsigned numbers as bytes, the first in the lowest bits."""
    binary = (codes.reshape(-1, 1) >> np.arange(bits)) & 1
    return np.packbits(binary.astype(np.uint8).ravel(), bitorder="little")


def unpacked(payload, bits):
    binary = np.unpackbits(np.frombuffer(payload, np.uint8), bitorder="little")
    return binary.reshape(-1, bits).astype(np.int64) @ (1 << np.arange(bits))


def parsed(frame):
    """Header fields of a frame by VDIF 1.1.1, and its numbers."""
    w = struct.unpack("<8I", frame[:32])
    half_years = w[1] >> 24 & 63
    return {"invalid": w[0] >> 31, "legacy": w[0] >> 30 & 1,
            "second": unix(2000 + half_years // 2, 7 if half_years % 2 else 1, 1)
            + (w[0] & 0x3fffffff),
            "frame": w[1] & 0xffffff, "version": w[2] >> 29, "channels": 1 << (w[2] >> 24 & 31),
            "bytes": 8 * (w[2] & 0xffffff), "complex": bool(w[3] >> 31),
            "bits": (w[3] >> 26 & 31) + 1, "thread": w[3] >> 16 & 1023, "station": w[3] & 0xffff,
            "extension": w[4], "sync": w[5], "codes": unpacked(frame[32:], (w[3] >> 26 & 31) + 1)}


class Raw:
    """Random raw blocks: codes [item][file][time][stream][component], as VDIF counts them."""

    def __init__(self, rng, encoding, inputs, files, block, items, start, rate):
        self.encoding, self.inputs, self.files, self.block = encoding, inputs, files, block
        self.bits, is_complex, signed = ENCODINGS[encoding]
        self.codes = rng.integers(0, 1 << self.bits, (items, files, block, inputs // files,
                                                      2 if is_complex else 1))
        numbers = self.codes ^ (1 << (self.bits - 1)) if signed else self.codes
        self.bytes = packed(numbers, self.bits)
        second, samples = start
        self.tags = [tag(0, "rx_time", pmt.make_tuple(pmt.from_uint64(second),
                                                      pmt.from_double(samples / rate))),
                     tag(0, "rx_rate", pmt.from_double(rate))]

    def streams(self):
        """[input][time][component]"""
        parts = self.codes.transpose(1, 3, 0, 2, 4)
        return parts.reshape(self.inputs, -1, self.codes.shape[-1])

    def flowgraph(self, addresses, **settings):
        settings.setdefault("speed", 0)
        sink = fringe.packet_sink.vdif(addresses, self.encoding, self.inputs, self.block,
                                       self.files, **settings)
        size = len(self.bytes) // len(self.codes)
        source = blocks.vector_source_b(self.bytes.tolist(), False, size, self.tags)
        run = gr.top_block()
        run.connect(source, sink)
        return run, sink

    def send(self, listeners, **settings):
        run, sink = self.flowgraph([listener.address for listener in listeners], **settings)
        run.run()
        return sink


class qa_vdif_packets(scratch_case):

    def test_every_encoding(self):
        """Numbers, time and thread of each frame; the data begin within a frame, and go on over
        the end of a second and, in files of several streams, over items of odd lengths."""
        for encoding, (bits, is_complex, _) in ENCODINGS.items():
            for inputs, files in ((1, 1), (4, 4), (4, 2)):
                with self.subTest(encoding=encoding, inputs=inputs, files=files):
                    self.one_encoding(encoding, bits, is_complex, inputs, files)

    def one_encoding(self, encoding, bits, is_complex, inputs, files):
        samples = 64 * int(self.rng.integers(1, 4))
        rate = 40 * samples
        second = unix(2026, 7, 1) - 1  # the next second belongs to another half year
        begins = int(self.rng.integers(37 * samples, 39 * samples))
        raw = Raw(self.rng, encoding, inputs, files, 8 * int(self.rng.integers(8, 40)), 4,
                  (second, begins), rate)
        frame_bytes = 32 + samples * bits * (2 if is_complex else 1) // 8
        ear = Listener()
        sink = raw.send([ear], frame_bytes=frame_bytes, first_input=7, station=0x4146)
        streams, seen = raw.streams(), set()
        for packet in ear.end():
            self.assertEqual(len(packet), frame_bytes)
            got = parsed(packet)
            self.assertEqual(
                [got[k] for k in ("invalid", "legacy", "version", "channels", "bytes", "complex",
                                  "bits", "station")],
                [0, 0, 1, 1, frame_bytes, is_complex, bits, 0x4146])
            at = (got["second"] - second) * rate + got["frame"] * samples - begins
            np.testing.assert_array_equal(
                got["codes"], streams[got["thread"] - 7, at:at + samples].ravel())
            seen.add((got["thread"] - 7, at))
        first = -begins % samples
        total = streams.shape[1]
        wanted = {(k, at) for k in range(inputs)
                  for at in range(first, total - samples + 1, samples)}
        self.assertEqual(seen, wanted)
        self.assertEqual(sink.packets(), {"sent": len(wanted), "refused": 0,
                                          "withheld": inputs if first else 0})

    def test_inputs_are_divided(self):
        raw = Raw(self.rng, "ci8", 6, 6, 400, 2, (unix(2026, 3, 4), 0), 4000)
        for addresses, wanted in (("{}", [[0, 1], [2, 3], [4, 5]]),
                                  (("{}/1-2", "{}/0-4", "{}/5"), [[1, 2], [0, 1, 2, 3, 4], [5]])):
            ears = [Listener() for _ in wanted]
            run, _ = raw.flowgraph([text.format(ear.address) for text, ear in
                                    zip([addresses] * 3 if addresses == "{}" else addresses, ears)],
                                   frame_bytes=232)
            run.run()
            for ear, inputs in zip(ears, wanted):
                threads = [parsed(p)["thread"] for p in ear.end()]
                self.assertEqual(sorted(threads), sorted(inputs * 8))

    def test_the_length_of_a_frame(self):
        """The most of which a whole number makes a second; the header says the rate."""
        for rate, encoding, extension in (
                (1280000, "ci8", 1 << 24 | 1280), (1000000, "vdif2", 1 << 24 | 500),
                (2000000, "vdif2", 1 << 24 | 1000), (1000100, "ci8", 0),
                (2400000, "u8", 1 << 24 | 1200)):
            bits = ENCODINGS[encoding][0] * (2 if ENCODINGS[encoding][1] else 1)
            best = max(n for n in range(8, 8001, 8)
                       if n * 8 % bits == 0 and rate % (n * 8 // bits) == 0)
            raw = Raw(self.rng, encoding, 1, 1, 40000, 1, (unix(2026, 3, 4), 0), rate)
            ear = Listener()
            sink = raw.send([ear])
            self.assertEqual(sink.packet_bytes(), 32 + best)
            self.assertEqual(sink.packet_spectra(), best * 8 // bits)
            got = parsed(ear.end()[0])
            self.assertEqual((got["extension"], got["sync"]),
                             (extension, 0xacabfeed if extension else 0))

    def test_lost_samples(self):
        """A frame with an invalid sample is withheld, of its input only; so is one at a gap."""
        raw = Raw(self.rng, "ci8", 3, 1, 150, 4, (unix(2026, 3, 4), 0), 10000)
        raw.tags.append(tag(1, "invalid", pmt.init_u64vector(3, [2, 49, 2])))
        # The third item begins 500 samples later than it would.
        raw.tags.append(tag(2, "rx_time", pmt.make_tuple(pmt.from_uint64(unix(2026, 3, 4)),
                                                         pmt.from_double(0.08))))
        ear = Listener()
        sink = raw.send([ear], frame_bytes=232)
        frames = sorted((got["thread"], got["frame"]) for got in map(parsed, ear.end()))
        wanted = [(k, n) for k in range(3) for n in (0, 1, 2, 8, 9, 10)]
        wanted.remove((2, 1))
        wanted.remove((2, 2))
        self.assertEqual(frames, wanted)
        self.assertEqual(sink.packets(), {"sent": 16, "withheld": 2, "refused": 0})

    def test_udp_source_receives(self):
        """Bit for bit, at the same time."""
        for encoding in ("cvdif2", "vdif1", "ci8", "i16"):
            with self.subTest(encoding=encoding):
                self.one_way(encoding)

    def one_way(self, encoding):
        bits, is_complex, _ = ENCODINGS[encoding]
        samples, inputs = 320, 3
        rate = 100 * samples
        frame_bytes = 32 + samples * bits * (2 if is_complex else 1) // 8
        start = unix(2026, 7, 23), 97 * samples
        raw = Raw(self.rng, encoding, inputs, inputs, 5 * samples, 3, start, rate)
        settings = {"sample_rate": str(rate), "bits": str(bits), "frame_bytes": str(frame_bytes),
                    "complex": "yes" if is_complex else "no"}
        run = receiving("vdif", inputs, 120, settings, window_seconds=6)
        raw.send([type("", (), {"address": f"127.0.0.1:{run.source.ports()[0]}"})],
                 frame_bytes=frame_bytes)
        wait_until(lambda: sum(run.received().values()) >= 15 * inputs)
        got = run.end()
        self.assertEqual({name: n for name, n in run.source.packets().items() if n},
                         {"good": 15 * inputs})
        self.assertEqual(run.source.samples_read(), 15 * samples)
        sent = receiving_values(raw)
        np.testing.assert_array_equal(got[:, :sent.shape[1]], sent)
        times = [instant_of(value) for _, value in run.sink.values("rx_time")]
        self.assertEqual(times, [(start[0], start[1] / rate)])

    @unittest.skipUnless(importlib.util.find_spec("baseband"), "needs the package baseband")
    def test_baseband_reads(self):
        """As a file of another program, which knows the rate from the header."""
        from astropy import units
        from baseband import vdif as other
        raw = Raw(self.rng, "vdif2", 2, 2, 4000, 5, (unix(2026, 8, 9, 10, 11, 12), 0), 8000000)
        ear = Listener()
        raw.send([ear], frame_bytes=2032)
        frames = sorted(ear.end(), key=lambda p: (parsed(p)["frame"], parsed(p)["thread"]))
        with other.open(io.BytesIO(b"".join(frames)), "rs") as reader:
            self.assertEqual(reader.sample_rate, 8 * units.MHz)
            self.assertEqual(reader.start_time.isot, "2026-08-09T10:11:12.000")
            levels = np.array([-3.3359, -1, 1, 3.3359], np.float32)
            np.testing.assert_allclose(reader.read(16000).T,
                                       levels[raw.streams()[:, :16000, 0]], atol=1e-4)

    def test_pace(self):
        """The last of 15 packets of 20 ms goes 0.28 s after the first one."""
        raw = Raw(self.rng, "i8", 1, 1, 1000, 3, (unix(2026, 3, 4), 0), 10000)
        ear = Listener()
        run, _ = raw.flowgraph([ear.address], frame_bytes=232, speed=1)
        began = time.monotonic()
        run.run()
        took = time.monotonic() - began
        self.assertEqual(len(ear.end()), 15)
        self.assertGreater(took, 0.27)

    def test_refusals(self):
        def make(*words, **settings):
            return lambda: fringe.packet_sink.vdif(*words, **settings)
        here = "127.0.0.1:7148"
        for call, words in (
                (make([], "ci8", 2, 64), "none given"),
                (make([here], "ci7", 2, 64), "VDIF has the numbers of i8, u8"),
                (make([here], "cu8", 2, 64), "encoding: cu8"),
                (make([here], "ci8", 0, 64), "inputs: 0"),
                (make([here], "ci8", 4, 64, first_input=1021), "threads 0 ... 1023"),
                (make([here], "ci8", 4, 64, 3), "files: 3: must divide the 4 inputs"),
                (make([here], "vdif1", 2, 63), "block_samples: 63: must make whole bytes"),
                (make([here] * 3, "ci8", 2, 64), "must divide the 2 inputs"),
                (make([here + "/0-2"], "ci8", 2, 64), "inputs must be of 0-1"),
                (make([here], "ci8", 2, 64, frame_bytes=32), "frame_bytes: 32"),
                (make([here], "ci8", 2, 64, frame_bytes=100), "multiple of 8"),
                (make([here], "ci8", 2, 64, frame_bytes=65008), "65000"),
                (make([here], "ci8", 2, 64, station=65536), "station: 65536"),
                (make([here], "ci8", 2, 64, speed=-1), "speed"),
                (make([here], "ci8", 2, 64, hops=256), "hops")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_what_the_data_say(self):
        """Data that VDIF cannot date end with a sentence."""
        for start, rate, words in (
                ((unix(2026, 1, 1), 0), 1000.5, "whole number of Hz"),
                ((unix(2026, 1, 1), 0), 1001.0, "must be a multiple of the 100 samples"),
                ((unix(1999, 12, 31), 0), 1000.0, "from the year 2000 on")):
            raw = Raw(self.rng, "ci8", 1, 1, 100, 1, start, rate)
            ear = Listener()
            sink = raw.send([ear], frame_bytes=232)
            self.assertIn(words, sink.error())
            self.assertEqual(ear.end(), [])
        raw.tags = []
        ear = Listener()
        self.assertIn("carry no time", raw.send([ear]).error())
        self.assertEqual(ear.end(), [])


def receiving_values(raw):
    """What unpack makes of raw samples, [input][time][component]."""
    levels = {1: np.array([-1, 1]), 2: np.array([-3.3359, -1, 1, 3.3359]),
              4: np.arange(-8, 8)}.get(raw.bits, np.arange(1 << raw.bits) - (1 << raw.bits - 1))
    return levels.astype(np.float32)[raw.streams()]


if __name__ == "__main__":
    unittest.main()
