#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Tables of solutions as CASA's applycal and pyuvdata apply them, beside what is applied here.

Both may need an environment of their own: FRINGE_CASA_PYTHON names the Python that has casatools
and casatasks, FRINGE_PYUVDATA_PYTHON the one that has pyuvdata.
"""
import dataclasses
import os
import shutil
import subprocess
import sys
import unittest

import numpy as np
from casacore import tables
from gnuradio import fringe
from gnuradio.fringe.calibration.apply import apply_solutions
from gnuradio.fringe.calibration.solutions import solutions, term_solution
from gnuradio.fringe.solution_tables.tables import write_solutions
from qa_scratch import scratch_case
from qa_solutions import observed

PYTHONS = {"casatasks": "FRINGE_CASA_PYTHON", "pyuvdata": "FRINGE_PYUVDATA_PYTHON"}
SETUP = """
sample_rate: 1e4
channels: 16
integration: 0.4
phase_center: {ra: 100, dec: 40}
"""
CASA = """
import shutil
from casatasks import applycal
for name in {names}:
    shutil.copytree("x.ms", name + ".ms")
    applycal(name + ".ms", gaintable=[name + ".cal"], calwt=False, parang=False)
"""
PYUVDATA = """
import numpy as np
from pyuvdata import UVCal, UVData
from pyuvdata.utils import uvcalibrate
for name in {names}:
    data = UVData.from_file("x.uvh5")
    uvcalibrate(data, UVCal.from_file(name + ".calh5"), time_check=False)
    data.write_uvh5(name + ".uvh5", fix_autos=True)
"""


def python_with(package):
    """The Python that has a package, or None."""
    python = os.environ.get(PYTHONS[package], sys.executable)
    try:
        done = subprocess.run([python, "-c", f"import {package}"], timeout=120,
                              capture_output=True, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else python


class with_data(scratch_case):
    seed = 304

    def setUp(self):
        super().setUp()
        self.vis = observed(self, ("x.uvh5", "x.ms"), SETUP)

    def table(self, kind, times=1, channels=1):
        """Solutions of one term for all of the file."""
        vis, shape = self.vis, (times, channels, len(self.vis.antennas), 2)
        values = self.rng.uniform(0.7, 1.4, shape) * np.exp(1j * self.rng.uniform(-1, 1, shape))
        if kind == "D":
            values *= 0.1
        elif kind == "Pcross":
            values[..., 0], values[..., 1] = np.exp(-1j * np.radians(132)), 1
        elif kind == "Kcross":
            values = np.zeros(shape)
            values[..., 0] = -34e-7
        elif kind == "K":
            values = 1e-5 * self.rng.normal(size=shape)
        seconds, width = vis.seconds + vis.fractions, vis.channel_width
        centers = vis.frequencies if channels > 1 else vis.frequencies.mean(keepdims=True)
        term = term_solution(
            kind, np.linspace(seconds[0], seconds[-1], times) if times > 1 else seconds[:1],
            np.full(times, vis.intervals[1]), centers,
            np.full(channels, width if channels > 1 else width * len(vis.frequencies)), values,
            np.zeros(shape), np.zeros(shape, bool), np.ones(shape),
            phase_errors=np.ones(shape) if kind == "G" else None)
        return solutions(vis.antennas, "XY", [term], "a", vis.feeds.itrf)

    def run_in(self, package, script, names):
        python = python_with(package)
        if python is None:
            self.skipTest(f"{package} is not installed ({PYTHONS[package]} names its Python)")
        done = subprocess.run([python, "-c", script.format(names=names)], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def corrected(self, table):
        """(what is applied here, where it can be compared): in CASA XY and YX of one antenna are
        two numbers."""
        after, _ = apply_solutions(self.vis, table)
        antenna = np.array([number for number, _ in self.vis.inputs])
        i, j = self.vis.products
        self.assertGreater(np.abs(after.data - self.vis.data).max(), 1)
        return after, ~after.flags & (antenna[i] != antenna[j])

    def test_applycal_of_casa(self):
        made = {"K": self.table("K", 3), "G": self.table("G", 4), "B": self.table("B", 1, 16),
                "Kcross": self.table("Kcross"), "Pcross": self.table("Pcross"),
                "D": self.table("D", 1, 16)}
        for name, table in made.items():
            write_solutions(self.path(name + ".cal"), table)
        self.run_in("casatasks", CASA, list(made))
        for name, table in made.items():
            with self.subTest(name):
                after, use = self.corrected(table)
                theirs = fringe.read_visibilities(self.path(name + ".ms"), column="CORRECTED_DATA")
                worst = np.abs(theirs.data - after.data)[use].max()
                self.assertLess(worst, 1e-5 * np.abs(after.data[use]).max())

    def test_pyuvdata(self):
        made = {"G": self.table("G", len(self.vis.seconds)),
                "B": self.table("B", len(self.vis.seconds), 16)}
        for name, table in made.items():
            seconds = self.vis.seconds + self.vis.fractions
            table.terms[0] = dataclasses.replace(table.terms[0], times=seconds)
            write_solutions(self.path(name + ".calh5"), table)
        self.run_in("pyuvdata", PYUVDATA, list(made))
        for name, table in made.items():
            with self.subTest(name):
                after, use = self.corrected(table)
                theirs = fringe.read_visibilities(self.path(name + ".uvh5"))
                worst = np.abs(theirs.data - after.data)[use].max()
                self.assertLess(worst, 1e-5 * np.abs(after.data[use]).max())

    def test_the_layout_is_that_of_casa(self):
        """Columns, keywords and subtables, as CASA 6.7 writes them."""
        write_solutions(self.path("G.cal"), self.table("G", 2))
        shutil.move(self.path("G.cal"), self.path("moved.cal"))
        with tables.table(self.path("moved.cal"), ack=False) as main:
            self.assertEqual(main.colnames(), [
                "TIME", "FIELD_ID", "SPECTRAL_WINDOW_ID", "ANTENNA1", "ANTENNA2", "INTERVAL",
                "SCAN_NUMBER", "OBSERVATION_ID", "CPARAM", "PARAMERR", "FLAG", "SNR", "WEIGHT",
                "GR_FRINGE_PHASE_ERROR"])
            self.assertEqual(main.getcoldesc("CPARAM")["valueType"], "complex")
            self.assertEqual(main.getcell("CPARAM", 0).shape, (1, 2))
            self.assertEqual(main.info()["type"], "Calibration")
            self.assertEqual([main.getkeyword(name) for name in ("ParType", "VisCal", "PolBasis")],
                             ["Complex", "G Jones", "linear"])
            for name in ("OBSERVATION", "ANTENNA", "FIELD", "SPECTRAL_WINDOW", "HISTORY"):
                with tables.table(main.getkeyword(name), ack=False) as sub:
                    self.assertIn("moved.cal", sub.name())
            self.assertEqual(main.getcolkeyword("TIME", "MEASINFO")["Ref"], "UTC")
            seconds = main.getcol("TIME")[0] - 40587 * 86400
            self.assertAlmostEqual(seconds, self.vis.seconds[0] + self.vis.fractions[0], 5)


if __name__ == "__main__":
    unittest.main()
