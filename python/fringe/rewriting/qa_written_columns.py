#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Columns that predict and peel add to MeasurementSets, and what they leave alone."""
import os
import unittest
from unittest import mock

import numpy as np
from casacore import tables
from gnuradio import fringe
from gnuradio.fringe.calibration.sources import source_at
from gnuradio.fringe.rewriting.measurement_set import UNFINISHED, rewritten_ms
from gnuradio.fringe.sky_model import peel, predict
from qa_cli import command
from qa_scratch import scratch_case
from qa_skies import ms_sky, snapshot


def columns(path, *names):
    with tables.table(path, ack=False) as ms:
        return [ms.getcol(name) for name in names]


def names(path):
    with tables.table(path, ack=False) as ms:
        return ms.colnames()


def history(path):
    with tables.table(os.path.join(path, "HISTORY"), ack=False) as table:
        return table.getcol("MESSAGE")


class qa_columns(scratch_case):
    seed = 29

    def sky(self):
        """A source of flux 30 at the phase center: its visibilities are 30."""
        path = snapshot(self.folder, 20, self.rng, dumps=2, channels=4, extent=60.0,
                        center={"ra": 170.0, "dec": -30.0, "name": "F"})
        sky = ms_sky(path)
        sky.write(30 + sky.noise(0.5, self.rng))
        self.rows = sky.rows
        with open(self.path("model.yml"), "w", encoding="utf-8") as file:
            file.write("- {name: A, ra: 170, dec: -30, flux: 30}\n")
        return path

    def test_a_model_stands_beside_the_data(self):
        path, model = self.sky(), self.path("model.yml")
        before, = columns(path, "DATA")
        predict(model, path, self.path("m.ms"))
        data, made, flags = columns(self.path("m.ms"), "DATA", "MODEL_DATA", "FLAG")
        np.testing.assert_array_equal(data, before)
        used = ~flags[self.rows]
        np.testing.assert_allclose(made[self.rows][used], 30, atol=1e-3)
        self.assertNotIn("MODEL_DATA", names(path))
        self.assertIn("MODEL_DATA", history(self.path("m.ms"))[-1])
        self.assertIn("fringe predict", history(self.path("m.ms"))[-1])
        predict(model, path, self.path("both.ms"), add=True)
        data, both = columns(self.path("both.ms"), "DATA", "CORRECTED_DATA")
        np.testing.assert_array_equal(data, before)
        np.testing.assert_allclose(both[self.rows][used], (before + 30)[self.rows][used], atol=1e-3)

    def test_peeled_data_stand_beside_the_data(self):
        path = self.sky()
        before, = columns(path, "DATA")
        peel(path, self.path("p.ms"), [source_at("170,-30", False)])
        data, rest, flags = columns(self.path("p.ms"), "DATA", "CORRECTED_DATA", "FLAG")
        np.testing.assert_array_equal(data, before)
        used = ~flags[self.rows]
        self.assertLess(np.abs(rest[self.rows][used]).mean(), 1)  # the noise is 0.5
        self.assertIn("CORRECTED_DATA = DATA without", history(self.path("p.ms"))[-1])

    def test_in_place(self):
        path, model = self.sky(), self.path("model.yml")
        before, flags = columns(path, "DATA", "FLAG")
        done = command("predict", model, path, "--in-place")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("its column MODEL_DATA", done.stdout)
        done = command("predict", model, path, "--in-place")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("has a column MODEL_DATA; allow overwriting it (--overwrite)", done.stderr)
        for more in ([], ["--overwrite", "--column", "DATA"]):
            done = command("peel", path, "--in-place", "--source", "170,-30", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
        data, made, rest, left = columns(path, "DATA", "MODEL_DATA", "CORRECTED_DATA", "FLAG")
        np.testing.assert_array_equal(data, before)
        np.testing.assert_array_equal(left, flags)
        np.testing.assert_allclose(made[self.rows][~flags[self.rows]], 30, atol=1e-3)
        self.assertLess(np.abs(rest[self.rows][~flags[self.rows]]).mean(), 1)
        self.assertEqual(len([line for line in history(path) if line.startswith("fringe p")]), 3)

    def test_other_files_are_not_written_in_place(self):
        self.sky()
        path = snapshot(self.folder, 4, self.rng, "a.ACC")
        before = open(path, "rb").read()
        done = command("predict", self.path("model.yml"), path, "--in-place")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--in-place", done.stderr)
        self.assertEqual(open(path, "rb").read(), before)

    def test_what_ends_early_leaves_no_column(self):
        path, model = self.sky(), self.path("model.yml")
        with mock.patch.object(rewritten_ms, "write", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                predict(model, path, None)
        self.assertFalse({"MODEL_DATA", "MODEL_DATA" + UNFINISHED} & set(names(path)))
        # Nor does what is killed between the data and the flags.
        with mock.patch("gnuradio.fringe.rewriting.measurement_set.add_history",
                        side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                predict(model, path, None)
        self.assertFalse({"MODEL_DATA", "MODEL_DATA" + UNFINISHED} & set(names(path)))
        self.assertEqual(fringe.read_visibilities(path).selection.column, "DATA")
        predict(model, path, None)
        self.assertEqual([name for name in names(path) if name.startswith("MODEL")],
                         ["MODEL_DATA"])


class qa_lost(scratch_case):
    seed = 30

    def test_lost_data_of_raw_files_stay_lost(self):
        for name in ("a.ACC", "a.LCCSPC"):
            path = snapshot(self.folder, 20, self.rng, name, dumps=2, channels=4, extent=60.0)
            count = 20 * 19 // 2 + (20 if name == "a.ACC" else 0)
            data = np.fromfile(path, np.complex64).reshape(2, count, 4)
            lost = (data == 0) | (self.rng.random(data.shape) < 0.2)
            data += np.float32(1000)  # a source at the zenith, nearly
            data[lost] = 0
            data.tofile(path)
            output = self.path("b" + os.path.splitext(name)[1])
            peel(path, output, [source_at("0,90", True)])
            rest = np.fromfile(output, np.complex64).reshape(data.shape)
            np.testing.assert_array_equal(rest[lost], 0)
            self.assertGreater(np.mean(rest[~lost] != data[~lost]), 0.5)


if __name__ == "__main__":
    unittest.main()
