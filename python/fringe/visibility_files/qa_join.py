#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe join: files of parts of a band against the file of the whole band, written by the sink."""
import contextlib
import os
import re
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.joining import raw_files, rows
from gnuradio.fringe.verifying import verify
from gnuradio.fringe.verifying.finding import FITS
from gnuradio.fringe.visibility_files.join import join
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from qa_cli import command
from qa_scratch import rx_time, scratch_case, tag
from qa_uvdata import needs_pyuvdata, read_by_pyuvdata

try:
    import h5py
except ImportError:
    h5py = None
try:
    from casacore import tables
except ImportError:
    tables = None
try:
    from astropy.io import fits
except ImportError:
    fits = None

# Antenna C has no Y; input BY is known to be bad.
OBSERVATION = """
telescope: halves
site: {latitude: -30.72, longitude: 21.43, height: 1050.0}
antennas:
  - {name: A, enu: [0.0, 0.0, 0.0]}
  - {name: B, enu: [16.0, 3.0, 1.0]}
  - {name: C, enu: [-10.0, 24.0, -2.0]}
inputs:
  - {antenna: A, polarization: X}
  - {antenna: A, polarization: Y}
  - {antenna: B, polarization: X}
  - {antenna: B, polarization: Y, bad: true}
  - {antenna: C, polarization: X}
sample_rate: 1.0e+6
center_frequency: 150.0e+6
phase_center: {ra: 172.5, dec: -25.166, name: test field}
channels: 16
integration: 0.5
"""
CHANNELS, PRODUCTS = 16, 15
START = 1781302000
ENDINGS = [ending for ending, module in (
    (".ms", tables), (".uvh5", h5py), (".uvfits", fits), (".ACC", np), (".LCCSPC", np)) if module]


class Dumps:
    """Random dumps of the whole band, and files of parts of it."""

    def __init__(self, rng, count):
        shape = count, CHANNELS, PRODUCTS
        self.values = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
        self.weights = rng.uniform(0.1, 1, shape).astype(np.float32)
        self.weights[rng.uniform(size=shape) < 0.1] = 0
        self.flags = (rng.uniform(size=shape) < 0.1).astype(np.uint8)
        self.exposures = rng.uniform(0.2, 0.5, count)

    def write(self, path, first=0, count=CHANNELS, dumps=None, text=OBSERVATION, late=0.0):
        """The sink writes channels first ... first + count - 1 of some dumps."""
        obs = fringe.observation.from_text(text)
        frequencies = obs.channel_frequencies(CHANNELS, True)
        obs.sample_rate *= count / CHANNELS
        obs.center_frequency = frequencies[first + count // 2]
        obs.channels = count
        chosen = list(range(len(self.values)) if dumps is None else dumps)
        tags = []
        for item, dump in enumerate(chosen):
            tags += [rx_time(item, START + dump // 2, dump % 2 / 2 + late),
                     tag(item, "interval", pmt.from_double(0.5)),
                     tag(item, "exposure", pmt.from_double(self.exposures[dump]))]
        part = np.s_[chosen, first:first + count]
        sources = [make(values[part].ravel().tolist(), False, count * PRODUCTS,
                        [] if port else tags)
                   for port, (make, values) in enumerate((
                       (blocks.vector_source_c, self.values),
                       (blocks.vector_source_f, self.weights),
                       (blocks.vector_source_b, self.flags)))]
        sink = fringe.visibility_sink(obs, path, count, True, count, history=f"wrote {first}",
                                      keep_edge=True)
        run = gr.top_block()
        for port, source in enumerate(sources):
            run.connect(source, (sink, port))
        run.run()
        if sink.error():
            raise AssertionError(sink.error())
        return path


class qa_join(scratch_case):

    def pieces(self, many=True):
        """(first channel, channels) of bands, of one channel too, that are the whole band."""
        count = int(self.rng.integers(2, 5)) if many else 2
        cuts = sorted(self.rng.choice(np.arange(1, CHANNELS), count - 1, replace=False).tolist())
        return [(a, b - a) for a, b in zip([0, *cuts], [*cuts, CHANNELS])]

    def parts(self, dumps, ending, pieces, **more):
        return [dumps.write(self.path(f"part{k}{ending}"), *piece, **more)
                for k, piece in enumerate(pieces)]

    def assert_same(self, first, other):
        for name in ("data", "weights", "flags", "frequencies", "seconds", "fractions",
                     "intervals", "exposures"):
            np.testing.assert_array_equal(getattr(first, name), getattr(other, name), name)
        for name in ("uvw", "positions"):
            if getattr(other, name) is not None:
                np.testing.assert_array_equal(getattr(first, name), getattr(other, name), name)
        for name in ("inputs", "antennas", "telescope", "phase_center", "bad_inputs", "remarks"):
            self.assertEqual(getattr(first, name), getattr(other, name))

    def test_parts_become_the_whole(self):
        for ending in ENDINGS:
            with self.subTest(ending=ending):
                dumps = Dumps(self.rng, 5)
                whole = dumps.write(self.path("whole" + ending))
                parts = self.parts(dumps, ending, self.pieces())
                self.rng.shuffle(parts)
                memory = rows.MEMORY, raw_files.MEMORY
                try:
                    # A few rows at a time.
                    rows.MEMORY = raw_files.MEMORY = int(self.rng.integers(1, 200000))
                    result = join(parts, self.path("joined" + ending), history="joined")
                finally:
                    rows.MEMORY, raw_files.MEMORY = memory
                self.assertEqual((result.channels, result.dumps, result.notes), (16, 5, []))
                joined = self.path("joined" + ending)
                self.assert_same(read_visibilities(joined), read_visibilities(whole))
                self.compare_files(ending, joined, whole)
                certified = verify(joined)[0]
                self.assertEqual((certified.check, certified.result), ("certificate", FITS),
                                 certified.line())
                self.assertIn("joined", certified.words)
                for name in os.listdir(self.folder):
                    self.assertFalse(name.startswith("."), name)
                for path in parts:
                    self.forget(path)

    def forget(self, path):
        """Removes a file, or a MeasurementSet."""
        for folder, _, names in os.walk(path, topdown=False):
            for name in names:
                os.remove(os.path.join(folder, name))
            os.rmdir(folder)
        for name in (path, path + ".yml", path.replace("LCCSPC", "LACSPC")):
            if os.path.exists(name):
                os.remove(name)

    def written(self):
        """Names of the parts."""
        return [name for name in os.listdir(self.folder) if name.startswith("part")]

    def lines_of_parts(self, lines):
        """Lines of history in which the writer of a part says what it did."""
        return len([line for line in lines if re.fullmatch(r"(part\S+: )?wrote \d+", line)])

    def compare_files(self, ending, joined, whole):
        """All that is in the files, but for the history."""
        getattr(self, "compare_" + ending[1:].lower())(joined, whole)

    def compare_ms(self, joined, whole):
        for sub in ("", "SPECTRAL_WINDOW", "ANTENNA", "FEED", "FIELD", "OBSERVATION",
                    "POLARIZATION", "DATA_DESCRIPTION", "PROCESSOR"):
            with contextlib.closing(tables.table(os.path.join(joined, sub), ack=False)) as first, \
                    contextlib.closing(tables.table(os.path.join(whole, sub), ack=False)) as other:
                self.assertEqual(first.nrows(), other.nrows())
                self.assertEqual(sorted(first.colnames()), sorted(other.colnames()))
                for name in first.colnames():
                    if not other.iscelldefined(name, 0):
                        continue
                    a, b = first.getcol(name), other.getcol(name)
                    if isinstance(b, dict):  # texts
                        self.assertEqual(a, b)
                    else:
                        np.testing.assert_array_equal(a, b, f"{sub} {name}")
        with contextlib.closing(tables.table(os.path.join(joined, "HISTORY"), ack=False)) as table:
            lines = table.getcol("MESSAGE")
            self.assertEqual(lines[-2], "joined")
            self.assertEqual(self.lines_of_parts(lines), len(self.written()))
            text = np.ravel(table.getcell("APP_PARAMS", 0))[0]
            obs = fringe.observation.from_text(text)
            self.assertEqual((obs.channels, obs.sample_rate, obs.center_frequency),
                             (16, 1e6, 150e6))

    def compare_uvh5(self, joined, whole):
        with h5py.File(joined) as first, h5py.File(whole) as other:
            names = []
            other.visititems(lambda name, item: names.append(name))
            found = []
            first.visititems(lambda name, item: found.append(name))
            self.assertEqual(sorted(found), sorted(names))
            for name in names:
                if isinstance(other[name], h5py.Dataset) and name not in (
                        "Header/history", "gr-fringe/observation"):
                    self.assertEqual(first[name].dtype, other[name].dtype, name)
                    np.testing.assert_array_equal(first[name][()], other[name][()], name)
            history = first["Header/history"][()].decode()
            self.assertEqual(history.splitlines()[-2], "joined")
            self.assertEqual(self.lines_of_parts(history.splitlines()), len(self.written()))

    def compare_uvfits(self, joined, whole):
        with fits.open(joined) as first, fits.open(whole) as other:
            np.testing.assert_array_equal(first[0].data.view(np.ndarray),
                                          other[0].data.view(np.ndarray))
            for name in other[0].header:
                if name not in ("HISTORY", "COMMENT", ""):
                    self.assertEqual(first[0].header[name], other[0].header[name], name)
            self.assertEqual(self.lines_of_parts(first[0].header["HISTORY"]),
                             len(self.written()))
            self.assertIn("joined", list(first[0].header["HISTORY"]))
            for a, b in zip(first[1:], other[1:], strict=True):
                for name in b.columns.names:
                    np.testing.assert_array_equal(a.data[name], b.data[name], name)
                self.assertEqual(sorted(map(str, a.header.items())),
                                 sorted(map(str, b.header.items())))
        self.assertEqual(os.path.getsize(joined) % 2880, 0)

    def compare_acc(self, joined, whole):
        for end in ("", ".yml"):
            with open(joined + end, "rb") as first, open(whole + end, "rb") as other:
                a, b = first.read(), other.read()
            if end:
                def plain(text):
                    lines = text.decode().splitlines()
                    return [line for line in lines
                            if "wrote" not in line and line.strip() != "joined"
                            and not line.startswith("certificate: ")]
                a, b = plain(a), plain(b)
            self.assertEqual(a, b)

    def compare_lccspc(self, joined, whole):
        self.compare_acc(joined, whole)
        autos = [path.replace("LCCSPC", "LACSPC") for path in (joined, whole)]
        with open(autos[0], "rb") as first, open(autos[1], "rb") as other:
            self.assertEqual(first.read(), other.read())

    def test_gaps_become_flagged_channels(self):
        for ending in set(ENDINGS) - {".LCCSPC"}:
            with self.subTest(ending=ending):
                dumps = Dumps(self.rng, 3)
                whole = read_visibilities(dumps.write(self.path("full" + ending)))
                parts = self.parts(dumps, ending, [(0, 5), (9, 1), (11, 5)])
                result = join(parts[::-1], self.path("gaps" + ending))
                self.assertIn("5 of the 16 channels lie between the bands", result.notes[0])
                vis = read_visibilities(self.path("gaps" + ending))
                np.testing.assert_array_equal(vis.frequencies, whole.frequencies)
                empty = np.array([5, 6, 7, 8, 10])
                kept = np.setdiff1d(np.arange(16), empty)
                for name in ("data", "weights", "flags"):
                    np.testing.assert_array_equal(getattr(vis, name)[:, kept],
                                                  getattr(whole, name)[:, kept])
                self.assertTrue(vis.flags[:, empty].all())
                self.assertFalse(vis.weights[:, empty].any() or vis.data[:, empty].any())

    def test_common_times(self):
        for ending in set(ENDINGS) - {".ACC"}:
            with self.subTest(ending=ending):
                dumps = Dumps(self.rng, 6)
                whole = read_visibilities(dumps.write(self.path("all" + ending), dumps=[1, 4, 5]))
                parts = [dumps.write(self.path(f"t{k}{ending}"), *piece, dumps=some)
                         for k, (piece, some) in enumerate((((0, 7), [1, 2, 4, 5]),
                                                            ((7, 9), [0, 1, 3, 4, 5])))]
                with self.assertRaisesRegex(ValueError, "time: dump 0 .*common_times=True"):
                    join(parts, self.path("t" + ending))
                result = join(parts, self.path("t" + ending), common_times=True)
                self.assertEqual(result.dumps, 3)
                self.assertEqual(len(result.notes), 2)
                self.assertIn("2 of the 5 dumps", result.notes[1])
                self.assert_same(read_visibilities(self.path("t" + ending)), whole)

    def test_refusals(self):
        dumps = Dumps(self.rng, 3)
        for ending in set(ENDINGS) & {".uvh5", ".ACC"}:
            low = dumps.write(self.path("low" + ending), 0, 8)
            texts = {"phase center: .*172": OBSERVATION.replace("172.5", "172.6"),
                     "antennas: 3 .A, B, D": OBSERVATION.replace("C", "D"),
                     "positions: antenna B": OBSERVATION.replace("16.0, 3.0", "16.0, 3.5"),
                     "channel width: 125000 Hz": OBSERVATION.replace("1.0e+6", "2.0e+6")}
            if ending in (".ACC", ".LCCSPC"):  # has no phase center
                del texts["phase center: .*172"]
            others = {words: dumps.write(self.path(f"{k}{ending}"), 8, 8, text=text)
                      for k, (words, text) in enumerate(texts.items())}
            others["times: 2 dumps, but"] = dumps.write(self.path("few" + ending), 8, 8, range(2))
            others["time: dump 0 is of"] = dumps.write(self.path("late" + ending), 8, 8, late=0.01)
            others["overlap those of"] = dumps.write(self.path("both" + ending), 7, 9)
            others["whole number of channels"] = dumps.write(
                self.path("odd" + ending), 8, 8, text=OBSERVATION.replace("150.0e", "150.02e"))
            others["most channels of the file would be empty"] = dumps.write(
                self.path("far" + ending), 8, 8, text=OBSERVATION.replace("150.0e", "450.0e"))
            before = sorted(os.listdir(self.folder))
            for words, other in others.items():
                with self.subTest(ending=ending, words=words):
                    with self.assertRaisesRegex(ValueError, words) as caught:
                        join([low, other], self.path("new" + ending))
                    self.assertIn(self.folder, str(caught.exception))
                    self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_the_command(self):
        dumps = Dumps(self.rng, 2)
        ending = ENDINGS[0]
        low, high = self.parts(dumps, ending, [(0, 8), (8, 8)])
        names = [os.path.basename(path) for path in (low, high)]
        done = command("join", *names, "-o", "new" + ending, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"wrote new{ending}: 16 channels, 149500000 to 150437500 Hz, 2 dumps",
                      done.stdout)
        done = command("join", *names, "-o", "new" + ending, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("exists", done.stderr)

    def test_names(self):
        dumps = Dumps(self.rng, 2)
        ending = ENDINGS[-1]
        low, high = self.parts(dumps, ending, [(0, 8), (8, 8)])
        new, before = self.path("new" + ending), sorted(os.listdir(self.folder))
        for paths, output, sentence in (
                ([low], new, "two or more files"), ([low, low], new, "is named twice"),
                ([low, high], high, "which is read"), ([low, high], "new.txt", "must end in"),
                ([low, self.path("none" + ending)], new, "there is no such file"),
                ([low, low + "x"], new, "there is no such file"),
                ([low, high], self.path("none/x" + ending), "none")):
            with self.assertRaisesRegex((ValueError, OSError), sentence):
                join(paths, output, overwrite=True)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        join([low, high], new)
        with self.assertRaisesRegex(ValueError, "exists"):
            join([low, high], new)
        join([low, high], new, overwrite=True)

    @needs_pyuvdata
    def test_pyuvdata_reads(self):
        dumps = Dumps(self.rng, 3)
        for ending in set(ENDINGS) & {".uvh5", ".uvfits", ".ms"}:
            whole = dumps.write(self.path("w" + ending))
            join(self.parts(dumps, ending, [(0, 5), (5, 11)]), self.path("j" + ending))
            first, other = map(read_by_pyuvdata, (self.path("j" + ending), whole))
            first.history = other.history
            self.assertEqual(first, other)
            for part in self.written():
                self.forget(self.path(part))


if __name__ == "__main__":
    unittest.main()
