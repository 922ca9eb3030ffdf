#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Certificates: computed while files are written, and tested by reading them."""
import json
import os
import shutil
import unittest

import h5py
import numpy as np
from astropy.io import fits
from casacore.tables import makearrcoldesc, maketabdesc, table
from gnuradio import fringe
from gnuradio.fringe import fringe_python as fp
from gnuradio.fringe.certificates.ms_history import add_history
from gnuradio.fringe.certificates.sums import row_sums
from gnuradio.fringe.certificates.text import MARK, certificate, certificate_in
from gnuradio.fringe.certificates.fits_cards import put_certificate, split
from gnuradio.fringe.certificates.certified_files import (certificate_before,
                                                             stored_certificate)
from gnuradio.fringe.verifying import verify
from gnuradio.fringe.verifying.finding import FITS, UNKNOWN, WRONG
from qa_scratch import scratch_case
from qa_skies import snapshot

ENDINGS = ".ms", ".uvh5", ".uvfits", ".ACC", ".LCCSPC"
DUMPS, ANTENNAS = 3, 6


def crc_by_bits(data, crc=0):
    """CRC-32C as RFC 3720 defines it, a bit at a time."""
    crc ^= 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


class qa_sums(unittest.TestCase):

    def setUp(self):
        self.rng = np.random.default_rng(7)

    def test_crc32c(self):
        self.assertEqual(fp.crc32c(b"123456789"), 0xe3069283)  # of all lists of CRCs
        self.assertEqual(fp.crc32c(bytes(32)), 0x8a9136aa)  # RFC 3720, B.4
        for count in (0, 1, 7, 8, 9, 33):
            data = self.rng.bytes(count)
            self.assertEqual(fp.crc32c(data), crc_by_bits(data))
            self.assertEqual(fp.crc32c(data[3:], fp.crc32c(data[:3])), crc_by_bits(data))

    def test_rows(self):
        for rows, size in ((1, 1), (4, 8), (7, 13), (9, 24)):
            values = self.rng.integers(0, 256, (rows, size), np.uint8)
            numbers = self.rng.permutation(100)[:rows].astype(np.uint64)
            want = sum((int(n) + 1) * crc_by_bits(row.tobytes())
                       for n, row in zip(numbers, values)) % 2**64
            self.assertEqual(fp.sum_of_rows(numbers, values), want)

    def test_parts_and_other_values(self):
        values = self.rng.normal(size=(50, 3, 2)).astype(np.complex64)
        whole, parts = row_sums(), row_sums()
        whole.add("x", 0, values)
        for rows in np.split(self.rng.permutation(50), [7, 8, 30]):
            parts.add("x", rows, values[rows])
        self.assertEqual(parts.sums, whole.sums)
        other = values.copy()
        other[7, 1, 1] += 1e-3
        parts.replace("x", [7], values[7:8], other[7:8])
        self.assertNotEqual(parts.sums, whole.sums)
        whole = row_sums()
        whole.add("x", 0, other)
        self.assertEqual(parts.sums, whole.sums)
        exchanged = other.copy()
        exchanged[[3, 4]] = exchanged[[4, 3]]
        whole.replace("x", 0, other, exchanged)
        self.assertNotEqual(parts.sums, whole.sums)


class qa_certificates(scratch_case):

    def made(self, ending, name="sky"):
        """A file with noise in it that our writer made."""
        return snapshot(self.folder, ANTENNAS, self.rng, name + ending, dumps=DUMPS)

    def found(self, path):
        """Findings on its certificate."""
        return [each for each in verify(path) if each.check == "certificate"]

    def assert_whole(self, path, words=""):
        found = self.found(path)
        self.assertEqual([each.result for each in found if each.result != UNKNOWN], [FITS],
                         [each.line() for each in found])
        self.assertIn(words, found[0].words)

    def wrong(self, path):
        return "; ".join(each.words for each in self.found(path) if each.result == WRONG)

    def test_files_of_the_writer(self):
        for ending in ENDINGS:
            with self.subTest(ending):
                path = self.made(ending)
                self.assert_whole(path, "gr-fringe")
                stored = stored_certificate(path)
                self.assertTrue(stored.software.startswith("gr-fringe " + fp.__version__))
                self.assertTrue(stored.rows)

    def test_one_value_of_a_measurement_set(self):
        for column, part, words in (
                ("DATA", "", "visibilities (DATA) are not"), ("UVW", "", "u, v, w (UVW)"),
                ("WEIGHT_SPECTRUM", "", "weights (WEIGHT_SPECTRUM)"), ("FLAG", "", "flags (FLAG)"),
                ("FLAG_ROW", "", "flags (FLAG)"), ("TIME", "", "times or antennas of rows"),
                ("ANTENNA2", "", "times or antennas of rows"),
                ("POSITION", "ANTENNA", "ANTENNA.POSITION"), ("NAME", "ANTENNA", "ANTENNA.NAME"),
                ("PHASE_DIR", "FIELD", "FIELD.PHASE_DIR"),
                ("CHAN_FREQ", "SPECTRAL_WINDOW", "SPECTRAL_WINDOW.CHAN_FREQ")):
            with self.subTest(column):
                path = self.made(".ms", column)
                with table(os.path.join(path, part), readonly=False, ack=False) as ms:
                    values = ms.getcol(column)
                    if column == "NAME":
                        values[1] = "other"
                    elif values.dtype == bool:
                        values.reshape(-1)[5] ^= True
                    elif column == "ANTENNA2":
                        values[5] = (values[5] + 1) % ANTENNAS
                    else:
                        values.reshape(-1)[1] += 1e-3
                    ms.putcol(column, values)
                self.assertIn(words, self.wrong(path))
                self.assertEqual(self.wrong(path).count("certified"), 1)

    def test_another_layout_of_a_measurement_set(self):
        """As casacore tools compress and tile sets, and put columns beside the data."""
        path, copy = self.made(".ms"), self.path("copy.ms")
        with table(path, ack=False) as ms:
            about = ms.getdminfo()
            for manager in about.values():
                if "DEFAULTTILESHAPE" in manager["SPEC"]:
                    manager["SPEC"]["DEFAULTTILESHAPE"] = np.int32([1, 2, 3])[
                        :len(manager["SPEC"]["DEFAULTTILESHAPE"])]
            ms.copy(copy, deep=True, valuecopy=True, dminfo=about).close()
        self.assert_whole(copy)
        with table(copy, readonly=False, ack=False) as ms:
            ms.addcols(maketabdesc(makearrcoldesc("MODEL_DATA", 0j, 2)))
            ms.putcol("MODEL_DATA", ms.getcol("DATA"))
        self.assert_whole(copy)
        self.assertIn("MODEL_DATA was added later", self.found(copy)[-1].words)
        with table(copy, ack=False) as ms:
            ms.selectrows(np.arange(ms.nrows() - 1)).copy(self.path("less.ms"), deep=True).close()
        self.assertIn("rows instead of", self.wrong(self.path("less.ms")))

    def test_one_value_of_uvh5(self):
        for name, words in (("Data/visdata", "visibilities"), ("Data/nsamples", "weights"),
                            ("Data/flags", "flags"), ("Header/uvw_array", "u, v, w"),
                            ("Header/time_array", "times or antennas"),
                            ("Header/antenna_positions", "antenna_positions"),
                            ("Header/freq_array", "freq_array")):
            with self.subTest(name):
                path = self.made(".uvh5", name.replace("/", ""))
                with h5py.File(path, "r+") as file:
                    values = file[name][()]
                    first = values.reshape(-1)
                    first[3] = not first[3] if first.dtype == bool else first[3] + 1e-3
                    file[name][...] = values
                self.assertIn(words, self.wrong(path))
                self.assertEqual(self.wrong(path).count("certified"), 1)

    def test_compressed_uvh5(self):
        path = self.made(".uvh5")
        with h5py.File(path, "r+") as file:
            for name in ("visdata", "flags", "nsamples"):
                values = file["Data"][name][()]
                del file["Data"][name]
                file["Data"].create_dataset(name, data=values, compression="gzip",
                                            chunks=(2, *values.shape[1:]))
        self.assert_whole(path)

    def test_one_value_of_uvfits(self):
        for place, words in (("DATA", "visibilities (DATA)"), ("WEIGHT", "weights or flags"),
                             ("UU---SIN", "u, v, w"), ("DATE", "times or antennas"),
                             ("FREQ", "table header"), ("STABXYZ", "table tables")):
            with self.subTest(place):
                path = self.made(".uvfits", place)
                with fits.open(path, mode="update") as file:
                    if place == "FREQ":
                        file[0].header["CRVAL4"] += 1.0
                    elif place == "STABXYZ":
                        file["AIPS AN"].data["STABXYZ"][1] += 1e-3
                    else:
                        raw = file[0].data.view(np.ndarray)
                        names = list(raw.dtype.names)
                        kind = ["UU---SIN", "VV---SIN", "WW---SIN", "DATE"]
                        if place in kind:
                            raw[names[kind.index(place)]][4] += 1e-3
                        else:
                            raw[names[-1]][4, ..., 0, 2 * (place == "WEIGHT")] += 1e-3
                self.assertIn(words, self.wrong(path))

    def test_one_value_of_raw_files(self):
        for ending, changed in ((".ACC", ""), (".LCCSPC", ""), (".LCCSPC", ".LACSPC")):
            path = self.made(ending, "raw" + changed[1:])
            name = os.path.splitext(path)[0] + changed if changed else path
            raw = np.memmap(name, "f4", "r+")
            raw[11] += 1
            raw.flush()
            self.assertIn(f"({os.path.splitext(name)[1][1:]})", self.wrong(path))
        with open(path + ".yml", encoding="utf-8") as file:
            text = file.read()
        with open(path + ".yml", "w", encoding="utf-8") as file:
            file.write(text.replace("interval: ", "interval: 1", 1))
        self.assertIn("description", self.wrong(path))

    def test_unfinished(self):
        for ending in ENDINGS[:4]:
            path = self.made(ending)
            partial = self.path("sky.partial" + ending)
            for name in (ending, ending + ".yml"):
                if os.path.exists(self.path("sky" + name)):
                    os.rename(self.path("sky" + name), self.path("sky.partial" + name))
            self.forget(partial)
            found = self.found(partial)
            self.assertEqual([each.result for each in found], [UNKNOWN], path)
            self.assertIn("never finished", found[0].words)

    def forget(self, path):
        """Takes the certificate away."""
        if path.endswith(".ms"):
            with table(os.path.join(path, "HISTORY"), readonly=False, ack=False) as history:
                history.removerows([k for k, line in enumerate(history.getcol("MESSAGE"))
                                    if line.startswith(MARK)])
        elif path.endswith(".uvh5"):
            with h5py.File(path, "r+") as file:
                del file["Header/history"]
        else:
            name = path + ".yml" if path.endswith(".ACC") else path
            with open(name, "rb") as file:
                data = file.read()
            with open(name, "wb") as file:
                file.write(data.replace(b"gr-fringe certificate", b"gr-fringe cert ificat")
                           if name == path else data[:data.rindex(b"certificate: ")])

    def test_converted(self):
        first = self.made(".ms")
        paths = [first]
        for ending in (".uvh5", ".uvfits"):
            paths.append(self.path("converted" + ending))
            fringe.convert(first, paths[-1], history="fringe convert")
            self.assert_whole(paths[-1], "fringe convert")
        for path in paths[1:]:
            again = path + ".ms"
            fringe.convert(path, again)
            self.assert_whole(again)

    def test_rewritten(self):
        """Data replaced in copies, and in place, by what they are times 2."""
        from gnuradio.fringe.visibility_files.replaced_data import replaced_data
        for ending in (*ENDINGS, "in place"):
            for certified in (True, False):
                with self.subTest(ending, certified=certified):
                    path = self.made(".ms" if ending == "in place" else ending,
                                     f"{ending[-3:]}{certified}")
                    if not certified and ending in (".ms", ".uvh5", ".ACC"):
                        self.forget(path)
                    out = None if ending == "in place" else self.path(f"out{certified}{ending}")
                    vis = fringe.read_visibilities(path)
                    flags = np.zeros(vis.data.shape, bool)
                    flags[0, 1] = True
                    with replaced_data(fringe.read_visibilities(path, with_data=False), out,
                                       "CORRECTED_DATA", "twice", True) as file:
                        file.write(0, 2 * vis.data, flags)
                    self.assert_whole(out or path, "twice")
                    found = fringe.read_visibilities(out or path)
                    np.testing.assert_allclose(found.data[1:], 2 * vis.data[1:])
                    counts = stored_certificate(out or path).others
                    if "flagged" in counts and certified:
                        self.assertGreater(counts["flagged"],
                                           stored_certificate(path).others["flagged"]
                                           if out else 0)

    def test_what_others_changed_stays_found(self):
        from gnuradio.fringe.visibility_files.replaced_data import replaced_data
        path, out = self.made(".ms"), self.path("out.ms")
        with table(path, readonly=False, ack=False) as ms:
            uvw = ms.getcol("UVW")
            uvw[3, 2] += 0.006
            ms.putcol("UVW", uvw)
        vis = fringe.read_visibilities(path)
        with replaced_data(vis, out, "CORRECTED_DATA", "twice") as file:
            file.write(0, vis.data)
        self.assertIn("u, v, w (UVW)", self.wrong(out))

    def test_history_of_another_kind_of_file(self):
        """As pyuvdata and CASA copy it when they convert a file."""
        lines = {ending: stored_certificate(self.made(ending)).to_line() for ending in ENDINGS[:3]}
        for ending in lines:
            for other, line in lines.items():
                if other == ending:
                    continue
                path = self.made(ending, f"from{other[1:]}")
                self.forget(path)
                if ending == ".ms":
                    add_history(path, [line], 0.0)
                elif ending == ".uvfits":
                    put_certificate(path, line)
                else:
                    with h5py.File(path, "r+") as file:
                        file["Header/history"] = np.bytes_(line.encode())
                found, = self.found(path)
                self.assertEqual(found.result, UNKNOWN, found.line())
                self.assertIn("there is none", found.words)
                self.assertIsNone(certificate_before(path))

    def test_text(self):
        made = certificate({"a": 2**64 - 1}, {"t": 3}, 7, 'with "quotes", \\ and \u00e4' * 20)
        line = made.to_line()
        self.assertEqual(certificate_in("old\n" + line.replace('"rows": 7', '"rows": 6') + "\n"
                                        + line + "\nmore"),
                         certificate(made.sums, made.tables, 7, made.command[:500], made.software))
        for text in ("", MARK, MARK + "{", MARK + '{"certificate": 2}', MARK + "[1]",
                     MARK + '{"certificate": 1, "sums": [], "tables": {}, "rows": 1}'):
            self.assertIsNone(certificate_in(text))
        parts = split("word  " * 60)
        self.assertEqual(b"".join(parts).decode(), "word  " * 60)
        self.assertFalse([part for part in parts[:-1] if part.endswith(b" ") or len(part) > 72])

    def test_header_of_uvfits_grows(self):
        path = self.made(".uvfits")
        old = fringe.read_visibilities(path)
        for _ in range(3):
            stored = stored_certificate(path)
            stored.others["long"] = "word " * int(self.rng.integers(500, 3000))
            put_certificate(path, stored.to_line())
            self.assertEqual(stored_certificate(path).others["long"], stored.others["long"])
            self.assert_whole(path)
            np.testing.assert_array_equal(fringe.read_visibilities(path).data, old.data)
            with fits.open(path, checksum=True) as file:
                file.verify("exception")
                self.assertEqual(str(file[0].header["HISTORY"]).count(MARK.strip()), 1)


if __name__ == "__main__":
    unittest.main()
