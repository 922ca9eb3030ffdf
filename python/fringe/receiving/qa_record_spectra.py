#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe record of spectra: the file has what the F-engines sent, and correlating it makes the
visibilities and weights of packets that are correlated as they come."""
import contextlib
import io
import os
import re
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.observing import item_sizes
from gnuradio.fringe.cli.correlate import show
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.receiving.record import record
from gnuradio.fringe.readers.spectra_file import spectra_reader

from qa_live import while_sending
from qa_scratch import scratch_case
from qa_spectra_packets import (SYNC, ata, ata_of_8_bits, chips, feng_raw, send_packets, snap2,
                                snap2_of_8_bits, tbx)

HEADER, RECORD = 4096, 64  # bytes, by docs/formats.md


def parsed(path):
    """The numbers of the header, and [(numbers, values [channel][input][time][re, im], lost)]: by
    docs/formats.md."""
    with open(path, "rb") as file:
        data = file.read()
    lines = data[:HEADER].rstrip(b"\0").decode().splitlines()
    assert lines[0] == "FRINGE_SPECTRA 1", lines[0]
    header = dict(line.split(" ", 1) for line in lines[1:])
    shape = [int(header[name]) for name in ("CHANNELS", "INPUTS", "BLOCK")]
    size = 2 * int(np.prod(shape))
    records, at = [], HEADER
    while at < len(data):
        fields = np.frombuffer(data, [("mark", "S8"), ("spectra", "<u8"), ("lost", "<u8"),
                                      ("jump", "<u8"), ("second", "<u8"), ("fraction", "<f8"),
                                      ("rate", "<f8"), ("frequency", "<f8")], 1, at)[0]
        values = np.frombuffer(data, np.int8, size, at + RECORD).reshape(*shape, 2)
        lost = np.frombuffer(data, "<u8", 6 * int(fields["lost"]), at + RECORD + size)
        records.append((fields, values, lost.reshape(-1, 6)))
        at += RECORD + size + 8 * lost.size
    return header, records


def good_values(engines, there):
    """[channel][input][time]: what came, of packets that were there."""
    return np.repeat(np.repeat(np.repeat(there, engines.times, 2), engines.streams, 0),
                     engines.packet_channels, 1).transpose(1, 0, 2)


class qa_record_spectra(scratch_case):

    COMMON = {"spectra": 48, "center_frequency": 1.42e9, "backend": "cpu"}

    @staticmethod
    def url(engines):
        values = "&".join(f"{name}={value}" for name, value in engines.all_settings().items())
        return (f"udp://127.0.0.1:0?preset={engines.preset}&inputs={engines.inputs}&{values}"
                "&window=6&buffer=30")  # Nothing is late or dropped, however busy the machine is.

    @staticmethod
    def packets(engines, there):
        return [(0, engines.packet(s, b, n)) for n in range(engines.slots)
                for s in range(engines.sources) for b in range(engines.blocks) if there[s, b, n]]

    def lost(self, engines):
        there = self.rng.random((engines.sources, engines.blocks, engines.slots)) >= 0.3
        there[:, :, [0, -1]] = True
        return there

    @staticmethod
    def received(packets, receive):
        """What receive() returns, which makes a source; the packets are sent to that."""
        return while_sending(lambda source: send_packets(source, packets), receive)

    def recorded(self, engines, there, **more):
        """A file of several records, which are not as long as the correlator's blocks."""
        path = self.path(f"{type(engines).__name__}.spectra")
        block = int(self.rng.integers(20, 50))
        with mock.patch.object(item_sizes, "spectra", lambda *_, **__: block):
            return path, self.received(self.packets(engines, there),
                                       lambda: record(self.url(engines), path, **more))

    def assert_same(self, first, other):
        first, other = (fringe.read_visibilities(self.path(name)) for name in (first, other))
        for name in ("data", "weights", "flags", "times", "exposures", "intervals"):
            np.testing.assert_array_equal(getattr(first, name), getattr(other, name), name)

    def test_each_preset(self):
        for kind in (snap2, snap2_of_8_bits, ata, ata_of_8_bits, chips, feng_raw, tbx):
            with self.subTest(preset=kind.__name__):
                engines = kind(self.rng, 130 if kind.times == 1 else 200 // kind.times)
                engines.blocks = int(self.rng.choice([1, kind.blocks]))
                engines.channels = engines.blocks * engines.packet_channels
                there = self.lost(engines)
                path, result = self.recorded(engines, there)
                spectra = engines.slots * engines.times
                self.assertEqual((result.samples, result.kind), (spectra, "spectra"))
                self.received(self.packets(engines, there), lambda: fringe.correlate(
                    [], self.path("live.uvh5"), live=self.url(engines), overwrite=True,
                    **self.COMMON))
                later = fringe.correlate(path, self.path("later.uvh5"), overwrite=True,
                                         **self.COMMON)
                self.assert_same("live.uvh5", "later.uvh5")
                lost = (~there).sum((1, 2)) * engines.times * engines.packet_channels
                np.testing.assert_array_equal(later.losses["missing"],
                                              np.repeat(lost, engines.streams))
                self.check_words(later, 100 * np.mean(~good_values(engines, there)))
                self.check_file(path, engines, there)

    def check_words(self, result, percent):
        """What the command prints of the losses, as a share of all values."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            show(result)
        share = float(re.search(r"\(([\d.]+) %\) missing", printed.getvalue()).group(1))
        self.assertAlmostEqual(share, percent, delta=0.006 * percent)  # three digits

    def check_file(self, path, engines, there):
        """The values and the losses, read without gr-fringe."""
        header, records = parsed(path)
        self.assertEqual((int(header["BITS"]), float(header["RATE"]),
                          int(header["PACKET_CHANNELS"])),
                         (engines.bits, {"tbx": 196e6 / 409600}.get(engines.preset, 500.0),
                          engines.packet_channels))
        first = records[0][0]
        self.assertEqual((first["jump"], first["second"], first["fraction"]), (1, SYNC, 0))
        self.assertEqual(sum(header["jump"] for header, _, _ in records), 1)
        good = good_values(engines, there)
        at = 0
        for fields, values, lost in records:
            count = int(fields["spectra"])
            span = slice(at, at + count)
            np.testing.assert_array_equal(
                values[:, :, :count], engines.spectra[:engines.channels, :, span]
                * good[:, :, span, None])
            expected = np.ones_like(good[:, :, span])
            for source, inputs, channel, channels, begin, spectra in lost.astype(int):
                expected[channel:channel + channels, source:source + inputs,
                         begin:begin + spectra] = False
            np.testing.assert_array_equal(expected, good[:, :, span])
            at += count
        self.assertEqual(at, engines.slots * engines.times)

    def test_a_sender_that_starts_again(self):
        """The time jumps, and the record after that says the new one."""
        engines = snap2(self.rng, 300)
        there = np.ones((engines.sources, engines.blocks, engines.slots), bool)
        packets = self.packets(engines, there)
        half = len(packets) // 2
        jumped = [(port, (int.from_bytes(heap[:8], "big") + 10**5).to_bytes(8, "big") + heap[8:])
                  for port, heap in packets[half:]]
        packets = packets[:half] + jumped
        path = self.path("jump.spectra")
        self.received(packets, lambda: record(self.url(engines), path))
        self.received(packets, lambda: fringe.correlate(
            [], self.path("live.uvh5"), live=self.url(engines), **self.COMMON))
        fringe.correlate(path, self.path("later.uvh5"), **self.COMMON)
        self.assert_same("live.uvh5", "later.uvh5")
        _, records = parsed(path)
        self.assertEqual([header["second"] for header, _, _ in records if header["jump"]],
                         [SYNC, SYNC + (10**5 + 150) // 500])
        self.assertIn("the time jumps 1 time", describe(path))

    def test_a_part_of_it(self):
        engines = ata(self.rng, 20)
        path, _ = self.recorded(engines, self.lost(engines))
        samples = int(self.rng.integers(49, 300))
        result = fringe.correlate(path, self.path("part.uvh5"), samples=samples, **self.COMMON)
        self.assertEqual(result.samples, samples)
        fringe.correlate(path, self.path("all.uvh5"), **self.COMMON)
        part, whole = (fringe.read_visibilities(self.path(name))
                       for name in ("part.uvh5", "all.uvh5"))
        dumps = samples // 48
        np.testing.assert_array_equal(part.data[:dumps], whole.data[:dumps])
        np.testing.assert_array_equal(part.weights[:dumps], whole.weights[:dumps])

    def test_info(self):
        engines = snap2(self.rng, 130)
        there = self.lost(engines)
        path, result = self.recorded(engines, there)
        self.assertIn("12 inputs, 130 spectra of every input, 0.26 s from", str(result))
        text = describe(path)
        for words in ("recorded spectra", "12, 4 + 4 bits", "15 of 500 Hz",
                      "130 of each input", f"{100 * (~there).mean():.3g} % of them",
                      "2026-05-28 20:26:40"):
            self.assertIn(words, text)

    def test_damaged(self):
        """What was written before the end is read, and the sentence says where that is."""
        engines = feng_raw(self.rng, 60)
        path, _ = self.recorded(engines, self.lost(engines))
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            file.truncate(int(self.rng.integers(HEADER + 1, size - 1)))
        reader = spectra_reader(path)
        while reader.next():
            pass
        reader.close()
        if not reader.damage:  # The file was cut between two records.
            return
        with self.assertRaisesRegex(ValueError, "offset .*: the file ends within"):
            fringe.correlate(path, self.path("x.uvh5"), **self.COMMON)
        cases = ((0, b"NO SPECTRA", "format"), (HEADER, b"nothing", "has no record there"))
        for at, text, words in cases:
            with open(path, "r+b") as file:
                file.seek(at)
                file.write(text)
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                fringe.correlate(path, self.path("y.uvh5"), inputs=6, **self.COMMON)
            with open(path, "r+b") as file:
                file.write(b"FRINGE_SPECTRA 1\n")

    def test_headers_that_cannot_be(self):
        engines = ata(self.rng, 3)
        path, _ = self.recorded(engines, self.lost(engines))
        with open(path, "rb") as file:
            data = file.read()
        for was, by, words in (("INPUTS 6", "INPUTS 0", "INPUTS: 0: must be"),
                               ("INPUTS 6", "INPUTS x", "'x' is no number"),
                               ("INPUTS 6", "NOTHIN 6", "INPUTS is not there"),
                               ("BITS 4", "BITS 5", "BITS: 5: must be 4 or 8"),
                               ("RATE 500.0", "RATE nan", "RATE: nan: must be")):
            self.assertIn(was.encode(), data)
            with open(path, "wb") as file:
                file.write(data.replace(was.encode(), by.encode(), 1))
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                describe(path)

    def test_refusals(self):
        engines = ata(self.rng, 3)
        path, _ = self.recorded(engines, self.lost(engines))
        for more, words in (({"taps": 4}, "taps: 4"), ({"channels": 7}, "channels: 7"),
                            ({"inputs": 4}, "inputs: 6 by its header, but 4 by the option"),
                            ({"remove_mean": True}, "is for samples"),
                            ({"start_sample": [5]}, "is read from its beginning"),
                            ({"format": "vdif"}, "has spectra")):
            with self.subTest(**more), self.assertRaisesRegex(ValueError, words):
                fringe.correlate(path, self.path("x.uvh5"), **{**self.COMMON, **more})
        with self.assertRaisesRegex(ValueError, "give one file"):
            fringe.correlate([path, path], self.path("x.uvh5"), **self.COMMON)
        for name, url, words in (("x.vdif", self.url(engines), "must end in .spectra"),
                                 ("x.spectra", "udp://:0?preset=mwa&inputs=2",
                                  "must end in .vdif")):
            with self.assertRaisesRegex(ValueError, words):
                record(url, self.path(name))
        self.assertEqual(os.listdir(self.folder), ["ata.spectra"])


if __name__ == "__main__":
    unittest.main()
