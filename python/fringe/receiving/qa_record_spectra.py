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
import resource
import shutil
import unittest
from unittest import mock

import h5py
import numpy as np
from gnuradio import fringe
from gnuradio.fringe.observing import item_sizes
from gnuradio.fringe.cli.correlate import show
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.receiving.record import record
from gnuradio.fringe.readers.spectra_file import boxes

from qa_live import while_sending
from qa_scratch import scratch_case
from qa_spectra_packets import (SYNC, ata, ata_of_8_bits, chips, feng_raw, send_packets, snap2,
                                snap2_of_8_bits, tbx)

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")


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
        path = self.path(f"{type(engines).__name__}.h5")
        block = int(self.rng.integers(20, 50))
        with mock.patch.object(item_sizes, "spectra", lambda *_, **__: block), \
                mock.patch("gnuradio.fringe.receiving.record_forms.BLOCK_BYTES", 1):
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
        """The values and the losses, read by h5py, which knows nothing of gr-fringe."""
        rate = {"tbx": 196e6 / 409600}.get(engines.preset, 500.0)
        count, good = engines.slots * engines.times, good_values(engines, there)
        with h5py.File(path) as file:
            about, spectra = file.attrs, file["spectra"]
            self.assertEqual((about["bits"], about["rate"], about["packet_channels"]),
                             (engines.bits, rate, engines.packet_channels))
            self.assertEqual([axis.label for axis in spectra.dims],
                             ["frequency", "input", "time"])
            self.assertEqual([axis.label for axis in file["lost"].dims],
                             ["packet", "input", "time"])
            frequency, number, time = (axis[0] for axis in spectra.dims)
            values = np.stack([spectra["r"], spectra["i"]], -1)
            lost = np.repeat(file["lost"][:], engines.packet_channels, 0)
            np.testing.assert_array_equal(values, engines.spectra[:engines.channels, :, :count]
                                          * good[..., None])
            np.testing.assert_array_equal(lost, ~good)
            np.testing.assert_array_equal(number, np.arange(engines.inputs))
            np.testing.assert_allclose(time, np.arange(count) / rate, atol=1e-9)
            middle = len(frequency) // 2
            np.testing.assert_allclose(
                frequency[:], about["center_frequency"]
                + (np.arange(len(frequency)) - middle) * rate, rtol=1e-12, atol=1e-6)
            self.assertEqual((frequency.attrs["units"], time.attrs["units"]), ("Hz", "s"))
            runs = {name: column[:].tolist() for name, column in file["runs"].items()}
            self.assertEqual([runs[name] for name in ("first", "second", "fraction", "rate")],
                             [[0], [SYNC], [0], [rate]])
            self.assertEqual(time.attrs["counted_from"], about["start"])
            self.assertEqual(np.datetime64(about["start"].rstrip("Z")), np.datetime64(SYNC, "s"))
            self.assertEqual(file["block_spectra"][:].sum(), count)

    def test_a_sender_that_starts_again(self):
        """The time jumps, and the record after that says the new one."""
        engines = snap2(self.rng, 300)
        there = np.ones((engines.sources, engines.blocks, engines.slots), bool)
        packets = self.packets(engines, there)
        half = len(packets) // 2
        jumped = [(port, (int.from_bytes(heap[:8], "big") + 10**5).to_bytes(8, "big") + heap[8:])
                  for port, heap in packets[half:]]
        packets = packets[:half] + jumped
        path = self.path("jump.h5")
        self.received(packets, lambda: record(self.url(engines), path))
        self.received(packets, lambda: fringe.correlate(
            [], self.path("live.uvh5"), live=self.url(engines), **self.COMMON))
        fringe.correlate(path, self.path("later.uvh5"), **self.COMMON)
        self.assert_same("live.uvh5", "later.uvh5")
        with h5py.File(path) as file:
            first, second = (file["runs"][name][:].tolist() for name in ("first", "second"))
            time, lost = file["time"][:], file["lost"][:]
        self.assertEqual(second, [SYNC, SYNC + (10**5 + 150) // 500])
        jumped = np.arange(300) + 10**5 * (np.arange(300) >= 150)
        there = ~np.isnan(time)
        np.testing.assert_allclose(time[there], jumped / 500, atol=1e-9)
        self.assertEqual(first, [0, np.flatnonzero(there)[150]])
        self.assertTrue(lost[..., ~there].all() and not lost[..., there].any())
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

    def test_an_unfinished_file(self):
        """What a process that was killed had written is read, to the last whole block."""
        engines = feng_raw(self.rng, 60)
        path, result = self.recorded(engines, self.lost(engines))
        with h5py.File(path, "r+") as file:
            blocks = file["block_spectra"][:]
            file["block_spectra"][-1] = 0
        left = int(blocks[:-1].sum())
        self.assertGreater(result.samples, left)
        text = describe(path)
        self.assertIn(f"{left} of each input", text)
        self.assertIn("not finished", text)
        self.assertEqual(fringe.correlate(path, self.path("x.uvh5"), **self.COMMON).samples, left)

    def test_the_disk_is_full(self):
        """The sentence says where what was written is, and that is read."""
        engines = ata(self.rng, 400)
        there = np.ones((engines.sources, engines.blocks, engines.slots), bool)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300000, before[1]))
        try:
            with self.assertRaisesRegex(RuntimeError, "ata.h5: .*too large.*; what was written is "
                                                      "in .*ata.partial.h5"):
                self.recorded(engines, there)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(os.listdir(self.folder), ["ata.partial.h5"])
        partial = self.path("ata.partial.h5")
        with h5py.File(partial) as file:
            count = int(file["block_spectra"][:].sum())
            values = file["spectra"][:, :, :count]
        self.assertGreater(count, 100)
        np.testing.assert_array_equal(np.stack([values["r"], values["i"]], -1),
                                      engines.spectra[:engines.channels, :, :count])
        self.assertEqual(fringe.correlate(partial, self.path("x.uvh5"), **self.COMMON).samples,
                         count)

    def test_the_example_of_the_docs(self):
        engines = snap2(self.rng, 130)
        there = self.lost(engines)
        path, _ = self.recorded(engines, there)
        os.rename(path, self.path("sky.h5"))
        with open(os.path.join(ROOT, "docs", "formats.md"), encoding="utf-8") as file:
            code = next(block for block in re.findall(r"```python\n(.*?)```", file.read(), re.S)
                        if "sky.h5" in block)
        found = {}
        exec(code.replace("sky.h5", self.path("sky.h5")), found)
        power = (engines.spectra[:engines.channels, 0].astype(float) ** 2).sum(2)
        good = good_values(engines, there)[:, 0]
        np.testing.assert_allclose(found["power"], (power * good).sum(1) / good.sum(1), rtol=1e-12)
        self.assertEqual(found["time"].shape, (130,))

    def test_damaged(self):
        """A file that was cut, or whose bytes changed, is refused or read; a sentence says why."""
        engines = feng_raw(self.rng, 60)
        path, _ = self.recorded(engines, self.lost(engines))
        with open(path, "rb") as file:
            data = file.read()
        for size in (7, 4096, *self.rng.integers(5000, len(data) - 40000, 5)):
            bad = self.path("cut.h5")
            with open(bad, "wb") as file:
                file.write(data[:size])
            for read in (describe, lambda path: fringe.correlate(
                    path, self.path("x.uvh5"), inputs=6, **self.COMMON)):
                with self.subTest(size), self.assertRaisesRegex(
                        (ValueError, RuntimeError), "cut.h5: .*(damaged|not an HDF5)") as caught:
                    read(bad)
                self.assertNotIn("\n", str(caught.exception))
        used = np.flatnonzero(np.frombuffer(data[:40000], np.uint8))
        for _ in range(20):
            changed = bytearray(data)
            for place in self.rng.choice(used, 3):
                changed[place] = self.rng.integers(256)
            with open(bad, "wb") as file:
                file.write(changed)
            with contextlib.suppress(ValueError, RuntimeError):
                describe(bad)

    def test_files_that_cannot_be(self):
        engines = ata(self.rng, 3)
        path, _ = self.recorded(engines, self.lost(engines))

        def attribute(name, value):
            return lambda file: file.attrs.__setitem__(name, value)

        def dataset(name, values):
            def change(file):
                del file[name]
                file[name] = values
            return change

        for words, change in (
                ("bits: 5: must be 4 or 8", attribute("bits", 5)),
                ("attribute 'bits': is not a whole number", attribute("bits", "x")),
                ("no attribute 'block'", lambda file: file.attrs.__delitem__("block")),
                ("block: -3: must be positive", attribute("block", -3)),
                ("packet_channels: .* must be a divisor", attribute("packet_channels", 77)),
                ("rate: nan: must be", attribute("rate", np.nan)),
                ("version: 2: must be 1", attribute("version", 2)),
                ("no dataset 'time'|no dataset 'lost'", lambda file: file.__delitem__("lost")),
                ("'spectra': has other values", dataset("spectra", np.zeros((3, 2, 8)))),
                ("'lost': does not fit", dataset("lost", np.zeros((1, 1, 8), bool))),
                ("block 0: has 1000", lambda file: file["block_spectra"].__setitem__(0, 1000)),
                ("run 0: has a time that", lambda file: file["runs/fraction"].__setitem__(0, 2)),
                ("holds no spectra", lambda file: file["block_spectra"].__setitem__(..., 0))):
            bad = self.path("bad.h5")
            shutil.copy(path, bad)
            with h5py.File(bad, "r+") as file:
                change(file)
            for read in (describe, lambda path: fringe.correlate(
                    path, self.path("x.uvh5"), **self.COMMON)):
                with self.subTest(words), self.assertRaisesRegex(
                        (ValueError, RuntimeError), f"bad.h5: .*({words})"):
                    read(bad)

    def test_kinds_of_hdf5(self):
        """Recordings of spectra, UVH5 and TART files are told apart by what they contain."""
        engines = ata(self.rng, 100)
        path, _ = self.recorded(engines, self.lost(engines))
        fringe.correlate(path, self.path("x.uvh5"), **self.COMMON)
        os.rename(self.path("x.uvh5"), self.path("visibilities.h5"))
        self.assertIn("UVH5", describe(self.path("visibilities.h5")))
        shutil.copy(path, self.path("spectra.uvh5"))
        self.assertIn("recorded spectra", describe(self.path("spectra.uvh5")))
        with self.assertRaisesRegex(ValueError, "spectra.uvh5: is a recording of spectra, and no"):
            fringe.read_visibilities(self.path("spectra.uvh5"))
        with self.assertRaisesRegex(ValueError, "visibilities.h5: is a UVH5 file of visibilities"):
            fringe.correlate(self.path("visibilities.h5"), self.path("y.uvh5"))
        with h5py.File(self.path("tart.h5"), "w") as file:
            file["data"] = np.zeros((2, 100), np.uint8)
        self.assertIn("tart", describe(self.path("tart.h5")))

    def test_boxes(self):
        """What was lost in boxes and as cells is the same."""
        for _ in range(20):
            packets, inputs, spectra = self.rng.integers(1, 7, 3)
            lost = np.repeat(self.rng.random((packets, inputs, spectra)) < 0.4, 2, 1)
            cells = np.zeros((3 * packets, *lost.shape[1:]), int)
            for i, ni, c, nc, t, nt in boxes(lost, 3):
                cells[c:c + nc, i:i + ni, t:t + nt] += 1
            np.testing.assert_array_equal(cells, np.repeat(lost, 3, 0))

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
        for name, url, words in (("x.vdif", self.url(engines), "must end in .h5"),
                                 ("x.h5", "udp://:0?preset=mwa&inputs=2",
                                  "must end in .vdif")):
            with self.assertRaisesRegex(ValueError, words):
                record(url, self.path(name))
        self.assertEqual(os.listdir(self.folder), ["ata.h5"])


if __name__ == "__main__":
    unittest.main()
