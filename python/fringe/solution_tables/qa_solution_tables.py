#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files of solutions give back what was written, and others are refused."""
import contextlib
import dataclasses
import io
import os
import re
import unittest
from unittest import mock

import h5py
import numpy as np
from casacore import tables
from gnuradio.fringe import fringe_python as fp
from gnuradio.fringe.calibration.solutions import solutions
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.solution_tables.tables import (check_new_table, is_solution_table,
                                                    read_solutions, write_solutions)
from qa_scratch import scratch_case
from qa_solutions import ANTENNAS, made_term

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")
FIELDS = ("times", "intervals", "frequencies", "widths", "values", "errors", "flags", "snr",
          "phase_errors")


def night(rng, kinds=("Pcross", "Kcross", "D", "G", "K", "B")):
    """Solutions of all kinds."""
    terms = [made_term(kind, rng, 3, 5 if kind in "BD" else 1) for kind in kinds]
    terms[0].why, terms[-1].reference = ["east Y: no data"], "west"
    terms[-1].phase_errors = rng.random(terms[-1].values.shape)
    return solutions(ANTENNAS, "XY", terms, "north", rng.normal(size=(3, 3)) * 4e6,
                     {"3C286": (14.9, 0.2), "3C48": (16.3, 0.1)}, "two sources", "fringe x, 1.0")


class qa_solution_tables(scratch_case):
    seed = 303

    def assert_same(self, found, true):
        for name in ("antennas", "polarizations", "reference", "flux", "model", "made"):
            self.assertEqual(getattr(found, name), getattr(true, name), name)
        np.testing.assert_array_equal(found.positions, true.positions)
        self.assertEqual([term.kind for term in found.terms], [term.kind for term in true.terms])
        for term, same in zip(found.terms, true.terms):
            for name in FIELDS:
                np.testing.assert_array_equal(getattr(term, name), getattr(same, name), name)
            self.assertEqual((term.why, term.reference), (same.why, same.reference))

    def test_all_terms_in_one_file(self):
        found = night(self.rng)
        self.assertEqual(write_solutions(self.path("x.h5"), found), [self.path("x.h5")])
        self.assert_same(read_solutions(self.path("x.h5")), found)
        bare = dataclasses.replace(found, positions=None, flux={}, model="", made="", reference="",
                                   terms=found.terms[-1:])
        write_solutions(self.path("y.h5"), bare)
        self.assert_same(read_solutions(self.path("y.h5")), bare)

    def test_in_words(self):
        """What fringe info says: a line for each term, and why values are missing."""
        write_solutions(self.path("x.h5"), night(self.rng))
        text = describe(self.path("x.h5"))
        self.assertRegex(text, "x.h5: calibration solutions\n  model of the sky: two sources\n")
        for kind in ("Pcross", "Kcross", "D", "G", "K", "B"):
            self.assertRegex(text, rf"\n  {kind} \(.*\): 3 x [15] intervals of ")
        self.assertIn("\n    east Y: no data", text)
        write_solutions(self.path("y.h5"), dataclasses.replace(night(self.rng), reference=""))
        self.assertRegex(describe(self.path("y.h5")), r"\n  reference not known, (.*\n)*  G \(")

    def test_the_example_of_the_docs(self):
        found = night(self.rng)
        write_solutions(self.path("night.h5"), found)
        with open(os.path.join(ROOT, "docs", "formats.md"), encoding="utf-8") as file:
            code = next(block for block in re.findall(r"```python\n(.*?)```", file.read(), re.S)
                        if "night.h5" in block)
        read = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code.replace("night.h5", self.path("night.h5")), read)
        gains = next(term for term in found.terms if term.kind == "G")
        at = np.s_[:, :, ANTENNAS.index("west")]
        np.testing.assert_array_equal(read["gain"],
                                      np.where(gains.flags[at], np.nan, gains.values[at]))
        np.testing.assert_array_equal(read["seconds"], gains.times)
        np.testing.assert_array_equal(read["hertz"], gains.frequencies)

    def test_tables_of_casa(self):
        """Every kind, in single precision, as the columns are; a second time bit for bit."""
        found = night(self.rng)
        for term in found.terms[:2]:
            term.values[..., 1] = 0 if term.is_delay else 1  # of X less Y
        names = write_solutions(self.path("x.cal"), found)
        self.assertEqual([os.path.basename(name) for name in names],
                         ["x.1.Pcross.cal", "x.2.Kcross.cal", "x.3.D.cal", "x.4.G.cal",
                          "x.5.K.cal", "x.6.B.cal"])
        for name, term in zip(names, found.terms):
            with self.subTest(term.kind):
                again = read_solutions(name)
                new = again.terms[0]
                np.testing.assert_allclose(new.times, term.times, atol=1e-6)
                if term.kind != "Pcross":  # which has one flag for both
                    np.testing.assert_array_equal(new.flags, term.flags)
                good = ~new.flags
                np.testing.assert_allclose(new.values[good], term.values[good], rtol=2e-7)
                again.terms = [new] * 2
                twice = write_solutions(self.path("again" + term.kind + ".cal"), again)
                again.terms = [new]
                self.assert_same(read_solutions(twice[1]), again)

    def test_units_and_time_scale_of_a_table(self):
        """In days of TAI and in MHz it is the same table."""
        found = night(self.rng, ("B",))
        write_solutions(self.path("x.cal"), found)
        with tables.table(self.path("x.cal"), readonly=False, ack=False) as main:
            # TAI is 37 s ahead of UTC since 2017.
            main.putcol("TIME", (main.getcol("TIME") + 37) / 86400)
            main.putcolkeyword("TIME", "QuantumUnits", ["d"])
            main.putcolkeyword("TIME", "MEASINFO", {"type": "epoch", "Ref": "TAI"})
        with tables.table(self.path("x.cal/SPECTRAL_WINDOW"), readonly=False, ack=False) as window:
            for name in ("CHAN_FREQ", "CHAN_WIDTH"):
                window.putcell(name, 0, window.getcell(name, 0) / 1e6)
                window.putcolkeyword(name, "QuantumUnits", ["MHz"])
        term, same = read_solutions(self.path("x.cal")).terms[0], found.terms[0]
        np.testing.assert_allclose(term.times, same.times, atol=1e-5, rtol=0)
        np.testing.assert_allclose(term.frequencies, same.frequencies, rtol=1e-12)
        np.testing.assert_allclose(term.widths, same.widths, rtol=1e-12)

    def test_gains_in_uvh5_cal(self):
        found = night(self.rng, ("Pcross", "G", "B"))
        for term in found.terms:
            term.values[term.flags] = 1
        names = write_solutions(self.path("x.calh5"), found)
        for name, term in zip(names, found.terms):
            self.assert_same(read_solutions(name), dataclasses.replace(found, terms=[term]))
        # They are those of <conj(x_1) x_2>, and in files of others may multiply.
        wanted = found.terms[1].values
        with h5py.File(names[1], "r+") as file:
            gains = file["Data/gains"][()]
            np.testing.assert_allclose(np.moveaxis(gains, (0, 1, 2), (2, 1, 0)), wanted.conj())
            file["Data/gains"][...] = 1 / gains
            del file["Header/gain_convention"]
            file["Header/gain_convention"] = np.bytes_("multiply")
        np.testing.assert_allclose(read_solutions(names[1]).terms[0].values, wanted, rtol=1e-9)

    def test_where_antennas_of_uvh5_cal_stand(self):
        write_solutions(self.path("x.calh5"), night(self.rng, ("G",)))
        with h5py.File(self.path("x.calh5"), "r+") as file:
            del file["gr-fringe"]
            file["Header/antenna_positions"][...] = 0
        self.assertIsNone(read_solutions(self.path("x.calh5")).positions)
        with h5py.File(self.path("x.calh5"), "r+") as file:
            del file["Header/telescope_frame"]
            file["Header/telescope_frame"] = np.bytes_("mcmf")
        with self.assertRaisesRegex(ValueError, "telescope_frame: mcmf: must be itrs"):
            read_solutions(self.path("x.calh5"))

    def test_what_cannot_be_held_or_read(self):
        found = night(self.rng)
        delays = dataclasses.replace(found, terms=[made_term("K", self.rng, 1, 2)])
        nowhere = dataclasses.replace(found, terms=found.terms[3:4], positions=None)
        with open(self.path("text.h5"), "w", encoding="utf-8") as file:
            file.write("no HDF5")
        for words, action in (
                ("x.calh5: a UVH5-cal file holds gains, not term Kcross",
                 lambda: write_solutions(self.path("x.calh5"), dataclasses.replace(
                     found, terms=found.terms[1:]))),
                ("has to say where the antennas stand",
                 lambda: write_solutions(self.path("x.calh5"), nowhere)),
                ("x.cal: a CASA table has one delay for a spectral window, and term K has 2",
                 lambda: write_solutions(self.path("x.cal"), delays)),
                ("x.txt: must end in .h5, .cal, .calh5",
                 lambda: write_solutions(self.path("x.txt"), found)),
                ("no term to be written", lambda: write_solutions(
                    self.path("x.h5"), dataclasses.replace(found, terms=[]))),
                ("there is no such file", lambda: read_solutions(self.path("none.h5"))),
                ("holds no calibration solutions", lambda: read_solutions(self.path("text.h5"))),
                ("holds no calibration solutions", lambda: read_solutions(self.folder))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                action()
        self.assertEqual(os.listdir(self.folder), ["text.h5"])
        self.assertFalse(is_solution_table(self.folder))
        for name in ("x.h5", "x.cal"):
            write_solutions(self.path(name), nowhere)
            with self.assertRaisesRegex(ValueError, "exists"):
                write_solutions(self.path(name), nowhere)
            write_solutions(self.path(name), found if name == "x.h5" else nowhere, overwrite=True)
            self.assertTrue(is_solution_table(self.path(name)))

    def test_a_damaged_file_is_checked_once(self):
        """Each kind looks at it, and the check of a damaged one can take seconds; when the file has
        changed it is checked again."""
        path = self.path("x.h5")
        write_solutions(path, night(self.rng))
        with open(path, "rb") as file:
            whole = file.read()
        with mock.patch.object(fp, "check_hdf5_file",
                               side_effect=RuntimeError(f"{path}: is damaged")) as check:
            for _ in range(2):
                with self.assertRaisesRegex(ValueError, "x.h5: is damaged"):
                    read_solutions(path)
            self.assertEqual(check.call_count, 1)
            self.assertFalse(is_solution_table(path))
            with open(path, "ab") as file:
                file.write(b" ")
            self.assertFalse(is_solution_table(path))
            self.assertEqual(check.call_count, 2)
        with open(path, "wb") as file:
            file.write(whole)
        self.assertEqual(len(read_solutions(path).terms), 6)

    def test_names_that_are_taken(self):
        """Nothing is written where one of the names is taken, and only a table is replaced."""
        found = night(self.rng, ("G", "K"))
        os.mkdir(self.path("x.2.K.cal"))
        with open(self.path("x.2.K.cal/notes"), "w", encoding="utf-8") as file:
            file.write("of mine")
        for overwrite, words in ((False, "x.2.K.cal: exists; choose"),
                                 (True, "x.2.K.cal: exists and is no calibration table")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                write_solutions(self.path("x.cal"), found, overwrite)
        self.assertEqual(os.listdir(self.folder), ["x.2.K.cal"])
        self.assertEqual(os.listdir(self.path("x.2.K.cal")), ["notes"])
        for name, words in (("x.txt", "x.txt: must end in .h5"),
                            ("x.2.K.cal", "x.2.K.cal: exists")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                check_new_table(self.path(name))
        write_solutions(self.path("g.cal"), night(self.rng, ("G",)))
        check_new_table(self.path("g.cal"), overwrite=True)


if __name__ == "__main__":
    unittest.main()
