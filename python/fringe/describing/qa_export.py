#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe export: its numbers against those of the file, as other programs read them."""
import csv
import os
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.describing.export import export_table
from qa_cli import SKY, command, in_a_folder

try:
    from astropy.table import Table
except ImportError:
    Table = None

DUMPS, INPUTS, CHANNELS = 3, 12, 64


class qa_export(in_a_folder):

    def setUp(self):
        super().setUp()
        self.write("array.yml", SKY)
        fringe.simulate(fringe.observation.from_file(self.path("array.yml")), self.path("sky.ci8"),
                        16000 * DUMPS)

    def correlated(self, name="sky.uvh5"):
        fringe.correlate(self.path("sky.ci8"), self.path(name),
                         fringe.observation.from_file(self.path("sky.ci8.yml")))
        return fringe.read_visibilities(self.path(name))

    def exported(self, *words):
        done = command("export", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        with open(self.path(words[words.index("-o") + 1]), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertIn(f": {len(rows)} lines", done.stdout)
        return rows

    def test_every_number_of_the_file(self):
        vis = self.correlated()
        rows = self.exported("sky.uvh5", "-o", "all.csv")
        self.assertEqual(len(rows), vis.data.size)
        i, j = vis.products
        order = vis.data.transpose(0, 2, 1)  # dump, baseline, channel
        made = np.array([complex(float(r["real"]), float(r["imaginary"])) for r in rows])
        np.testing.assert_array_equal(made.astype(np.complex64), order.ravel())
        np.testing.assert_allclose([float(r["amplitude"]) for r in rows], abs(order).ravel(),
                                   rtol=1e-6)
        np.testing.assert_allclose([float(r["phase"]) for r in rows],
                                   np.degrees(np.angle(order)).ravel(), atol=1e-3)
        np.testing.assert_allclose([float(r["weight"]) for r in rows],
                                   vis.weights.transpose(0, 2, 1).ravel(), rtol=1e-6)
        self.assertEqual([r["flagged"] == "True" for r in rows],
                         vis.flags.transpose(0, 2, 1).ravel().tolist())
        some = self.rng.integers(0, len(rows), 50)
        for k in some:
            dump, product, channel = np.unravel_index(k, order.shape)
            row = rows[k]
            self.assertEqual(int(row["dump"]), dump)
            self.assertEqual(np.datetime64(row["time"].rstrip("Z"), "ns"), vis.times[dump])
            self.assertEqual((row["input_1"], row["input_2"]),
                             (vis.input_name(i[product]), vis.input_name(j[product])))
            self.assertEqual(int(row["channel"]), channel)
            self.assertAlmostEqual(float(row["frequency"]), vis.frequencies[channel], delta=1e-3)

    def test_what_is_chosen(self):
        vis = self.correlated()
        a, b = vis.input_name(2), vis.input_name(5)
        product = np.flatnonzero((vis.products[0] == 2) & (vis.products[1] == 5))[0]
        low, high = vis.frequencies[10] - 1, vis.frequencies[19] + 1
        words = ("--band", f"{low:.1f},{high:.1f}", "--overwrite")
        for names, turned in ((f"{a}-{b}", False), (f"{b}-{a}", True)):
            rows = self.exported("sky.uvh5", "-o", "one.csv", "--baselines", names, *words)
            self.assertEqual(len(rows), DUMPS * 10)
            self.assertEqual(f"{rows[0]['input_1']}-{rows[0]['input_2']}", names)
            value = vis.data[0, 10, product]
            self.assertAlmostEqual(float(rows[0]["imaginary"]) / value.imag, -1 if turned else 1,
                                   delta=1e-6)
        mean = self.exported("sky.uvh5", "-o", "one.csv", "--baselines", f"{a}-{b}", *words,
                             "--average")
        self.assertEqual(len(mean), DUMPS)
        weights = vis.valid_weights()[0, 10:20, product].astype(float)
        expected = weights @ vis.data[0, 10:20, product] / weights.sum()
        self.assertAlmostEqual(float(mean[0]["real"]) / expected.real, 1, delta=1e-5)
        self.assertAlmostEqual(float(mean[0]["weight"]) / weights.sum(), 1, delta=1e-6)
        for words, count in (("auto", INPUTS), ("cross", INPUTS * (INPUTS - 1) // 2)):
            rows = self.exported("sky.uvh5", "-o", "some.csv", "--baselines", words, "--average",
                                 "--overwrite")
            self.assertEqual(len(rows), DUMPS * count)

    @unittest.skipUnless(Table, "astropy is not installed")
    def test_astropy_reads_it(self):
        vis = self.correlated()
        self.exported("sky.uvh5", "-o", "sky.ecsv")
        table = Table.read(self.path("sky.ecsv"), format="ascii.ecsv")
        self.assertEqual(str(table["frequency"].unit), "Hz")
        self.assertEqual(str(table["phase"].unit), "deg")
        self.assertEqual(table["flagged"].dtype, bool)
        self.assertEqual(table.meta["file"], "sky.uvh5")
        self.assertEqual(table.meta["telescope"], "a dozen")
        np.testing.assert_allclose(table["real"], vis.data.real.transpose(0, 2, 1).ravel())

    def test_numbers_of_dumps_of_a_file_that_is_read_in_parts(self):
        self.correlated()
        found = []
        for name, memory in (("whole.csv", 2**28), ("parts.csv", 1)):
            with mock.patch("gnuradio.fringe.describing.export.MEMORY", memory):
                export_table(self.path("sky.uvh5"), self.path(name))
            with open(self.path(name), encoding="utf-8") as file:
                found.append(file.read())
        self.assertEqual(found[0], found[1])

    def test_files_without_times_or_frequencies(self):
        self.correlated("sky.ACC")
        os.unlink(self.path("sky.ACC.yml"))
        rows = self.exported("sky.ACC", "--inputs", str(INPUTS), "--channels", str(CHANNELS), "-o",
                             "x.csv", "--average")
        self.assertEqual(len(rows), DUMPS * INPUTS * (INPUTS + 1) // 2)
        self.assertEqual(rows[0]["frequency"], "nan")
        self.assertEqual(rows[0]["time"], "")
        self.assertEqual({int(row["dump"]) for row in rows}, set(range(DUMPS)))

    def test_flagged_channels_do_not_count_in_the_mean(self):
        vis = self.correlated()
        from gnuradio.fringe.describing.export import _rows
        vis.flags[0, 3:, :] = True
        vis.flags[1] = True
        rows = list(_rows(vis, [(0, 0, 0, False)], np.arange(CHANNELS), True, vis))
        mean = np.average(vis.data[0, :3, 0], weights=vis.valid_weights()[0, :3, 0])
        self.assertAlmostEqual(float(rows[0][6]) / mean.real, 1, delta=1e-5)
        self.assertEqual([row[-1] for row in rows], [False, True, False])

    def test_refusals(self):
        self.correlated()
        self.write("there.csv", "x")
        for words, wanted in (
                (("-o", "x.txt"), "x.txt: a table ends in .csv or .ecsv"),
                (("-o", "there.csv"), "there.csv: exists"),
                (("-o", "x.csv", "--baselines", "one-two"), "--baselines: one-two: must be all"),
                (("-o", "x.csv", "--band", "1,2"), "--band: 1,2: "),
                (("-o", "x.csv", "--band", "2,1"), "--band: 2,1: must be two frequencies")):
            done = command("export", "sky.uvh5", *words, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(wanted, done.stderr)
        self.assertEqual(self.read("there.csv"), b"x")
        self.assertFalse(os.path.exists(self.path("x.csv")))


if __name__ == "__main__":
    unittest.main()
