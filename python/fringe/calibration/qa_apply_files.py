#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe apply: files of each kind are corrected as visibilities in memory are."""
import contextlib
import io
import os
import shutil
import unittest
from types import SimpleNamespace
from unittest import mock

import numpy as np
from casacore import tables
from gnuradio import fringe
from gnuradio.fringe.calibration.apply import apply_solutions
from gnuradio.fringe.calibration.apply_to_file import apply_to_file
from gnuradio.fringe.calibration.solutions import solutions, term_solution
from gnuradio.fringe.cli import main
from gnuradio.fringe.rewriting.measurement_set import rewritten_ms
from gnuradio.fringe.solution_tables.tables import read_solutions, write_solutions
from qa_scratch import scratch_case
from qa_solutions import observed

SETUP = """
sample_rate: 1e6
channels: 8
integration: 0.004
"""
NAMES = "x.ms", "x.uvh5", "x.uvfits", "x.ACC"


def apply(*words):
    """`fringe apply` in this process."""
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            code = main(["apply", *words])
        except SystemExit as stop:
            code = stop.code
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=error.getvalue())


class qa_apply_files(scratch_case):
    seed = 305

    def setUp(self):
        super().setUp()
        self.vis = observed(self, NAMES, SETUP)
        for name, table in (("leak.h5", self.table("D", 0.1)), ("gains.cal", self.table("G", 1.0))):
            write_solutions(self.path(name), table)
        self.leak, self.gains = (read_solutions(self.path(name))
                                 for name in ("leak.h5", "gains.cal"))

    def table(self, kind, size, antennas=2):
        """Two solutions for the first antennas."""
        vis, shape = self.vis, (2, 1, antennas, 2)
        values = self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape)
        flags = np.zeros(shape, bool)
        seconds = (vis.seconds + vis.fractions)[[0, -1]]
        term = term_solution(kind, seconds, [0.004, 0.004], [vis.frequencies.mean()], [1.1e6],
                             size * values, 0 * flags, flags, 0 * flags)
        return solutions(vis.antennas[:antennas], "XY", [term], "a", vis.feeds.itrf[:antennas])

    def run_apply(self, *words):
        return apply(*words, self.path("leak.h5"), self.path("gains.cal"))

    def assert_corrected(self, path, name, **chosen):
        """The file has what apply_solutions() makes of what was read."""
        before = fringe.read_visibilities(self.path(name), **chosen)
        right, _ = apply_solutions(before, [self.leak, self.gains])
        found = fringe.read_visibilities(path)
        np.testing.assert_array_equal(found.flags, right.flags)
        good = ~right.flags
        np.testing.assert_allclose(found.data[good], right.data[good], rtol=2e-6, atol=1e-3)
        self.assertGreater(np.abs(found.data - before.data)[good].max(), 10)
        return before, found

    def test_copies_of_every_kind(self):
        for name in NAMES:
            with self.subTest(name):
                output = self.path("good" + os.path.splitext(name)[1])
                done = self.run_apply(self.path(name), "-o", output)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                before, found = self.assert_corrected(output, name)
                self.assertIn("no solution for antennas c", done.stdout)
                count = int(np.count_nonzero(found.flags & ~before.flags))
                self.assertIn(f"{count} (", done.stdout)
                if name != "x.ACC":  # where a visibility of no weight is 0
                    np.testing.assert_array_equal(found.weights, before.weights)

    def test_a_column_of_the_set_itself(self):
        path = self.path("x.ms")
        with tables.table(path, ack=False) as ms:
            data, weights = ms.getcol("DATA"), ms.getcol("WEIGHT_SPECTRUM")
        done = self.run_apply(path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("its column CORRECTED_DATA", done.stdout)
        self.assertIn("weights stay as they are", done.stdout)
        with tables.table(path, ack=False) as ms:
            np.testing.assert_array_equal(ms.getcol("DATA"), data)
            np.testing.assert_array_equal(ms.getcol("WEIGHT_SPECTRUM"), weights)
            corrected = ms.getcol("CORRECTED_DATA")
        with tables.table(os.path.join(path, "HISTORY"), ack=False) as table:
            self.assertIn("fringe apply: CORRECTED_DATA = DATA without",
                          table.getcol("MESSAGE")[-1])
        # A second time DATA is corrected, and not what was corrected before.
        done = self.run_apply(path)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("has a column CORRECTED_DATA; allow overwriting it (--overwrite)",
                      done.stderr)
        done = self.run_apply(path, "--overwrite")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with tables.table(path, ack=False) as ms:
            np.testing.assert_array_equal(ms.getcol("CORRECTED_DATA"), corrected)

    def test_what_ends_early_leaves_the_set_as_it_was(self):
        path, copy = self.path("x.ms"), self.path("copy.ms")
        shutil.copytree(path, copy)
        write = rewritten_ms.write

        def stopped(self, *arguments):
            write(self, *arguments)
            raise KeyboardInterrupt

        with mock.patch.object(rewritten_ms, "write", stopped):
            for output in (None, self.path("new.ms")):
                with self.assertRaises(KeyboardInterrupt):
                    apply_to_file(path, output, {"gains": self.gains})
        self.assertFalse(os.path.exists(self.path("new.ms")))
        with tables.table(path, ack=False) as ms, tables.table(copy, ack=False) as same:
            self.assertEqual(ms.colnames(), same.colnames())
            np.testing.assert_array_equal(ms.getcol("FLAG"), same.getcol("FLAG"))

    def test_mistakes(self):
        ms, table = self.path("x.ms"), self.path("leak.h5")
        write_solutions(self.path("other.h5"), solutions(["x", "y"], "XY", self.gains.terms))
        for words, arguments in (
                ("--output: " + self.path("x.uvh5") + ": a ", (self.path("x.uvh5"), table)),
                ("would be lost; name a new file", (self.path("x.uvh5"), table)),
                ("is given twice", (ms, table, table)),
                ("holds no calibration solutions", (ms, ms)),
                ("has solutions of the antennas x, y; those of", (ms, self.path("other.h5"))),
                ("'0': must be a time", (ms, table, "--max-gap", "0"))):
            with self.subTest(words):
                done = apply(*arguments)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
