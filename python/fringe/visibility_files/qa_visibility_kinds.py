#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibility files by their content, whatever they are called, and how much of them is flagged."""
import os
import shutil
import unittest

import numpy as np
from casacore import tables
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.visibility_files.join import join
from gnuradio.fringe.plots.page import _footer
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from gnuradio.fringe.visibility_files.visibility_kinds import KINDS, kind_of
from qa_scratch import scratch_case, times_tried
from qa_skies import snapshot

#: Names that others give to what we call .ms, .uvh5 and .uvfits.
NAMES = {"a.ms": ("my_set", "a.ms.copy", "a.MS", "a.uvfits.ms.bak"),
         "a.uvh5": ("a.h5", "a.hdf5", "a.hdf", "visibilities", "a.ACC"),
         "a.uvfits": ("a.uvf", "a.UVP", "a.UVF", "a.fits", "a.FITS", "a.uvh5", "noending")}


class qa_by_content(scratch_case):
    seed = 27

    def named(self, old, new):
        target = self.path(new)
        if os.path.isdir(self.path(old)):
            shutil.copytree(self.path(old), target)
        else:
            shutil.copyfile(self.path(old), target)
        return target

    def test_every_command_reads_every_name(self):
        for old, names in NAMES.items():
            right = read_visibilities(snapshot(self.folder, 3, self.rng, old, dumps=2, channels=4))
            for name in names:
                with self.subTest(name):
                    path = self.named(old, name)
                    self.assertEqual(kind_of(path).ending, os.path.splitext(old)[1])
                    np.testing.assert_array_equal(read_visibilities(path).data, right.data)
                    words = kind_of(path).name
                    self.assertIn(words, describe(path))
                    ending = os.path.splitext(old)[1]
                    other = ".uvh5" if ending == ".ms" else ".ms"
                    lines = (["info", path], ["export", path, "-o", self.path("t.csv")],
                             ["plot", path, "-o", self.path("p.png")],
                             ["image", path, "-o", self.path("i.fits"), "--overwrite"],
                             ["convert", path, self.path("c" + other), "--overwrite"],
                             ["predict", self.model(), path, "-o", self.path("m" + ending),
                              "--overwrite"])
                    # All commands know a file by its content in the same way: each day all of them
                    # are tried with the last name of a kind, and two with every other one.
                    for line in lines[:times_tried(len(lines) if name == names[-1] else 2,
                                                   len(lines))]:
                        self.assertEqual(main(line), 0, line)
                    os.remove(self.path("t.csv"))
                    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)

    def model(self):
        with open(self.path("model.yml"), "w", encoding="utf-8") as file:
            file.write("- {name: A, az: 40, el: 80, flux: 3}\n")
        return self.path("model.yml")

    def test_a_copy_may_end_as_its_source_does(self):
        snapshot(self.folder, 3, self.rng, "a.uvh5")
        source = self.named("a.uvh5", "a.hdf5")
        for name in ("b.hdf5", "b.uvh5"):
            fringe.sky_model.predict(self.model(), source, self.path(name))
            self.assertEqual(kind_of(self.path(name)).ending, ".uvh5")
        with self.assertRaisesRegex(ValueError, "must end in .hdf5 or .uvh5"):
            fringe.sky_model.predict(self.model(), source, self.path("b.ms"))

    def test_files_of_two_kinds_are_not_joined(self):
        low = snapshot(self.folder, 3, self.rng, "a.uvh5")
        snapshot(self.folder, 3, self.rng, "a.uvfits")
        other = self.named("a.uvfits", "b.uvh5")
        with self.assertRaisesRegex(ValueError, "b.uvh5: is a UVFITS file, .*a.uvh5 a UVH5 file"):
            join([low, other], self.path("c.uvh5"))

    def test_what_is_none(self):
        from astropy.io import fits
        fits.PrimaryHDU(np.zeros((4, 4), np.float32)).writeto(self.path("image.fits"))
        os.mkdir(self.path("folder"))
        tables.table(self.path("table"), tables.maketabdesc(tables.makescacoldesc("A", 1)),
                     ack=False).close()
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write("SIMPLE  = no")
        for name in ("image.fits", "folder", "table", "text"):
            self.assertIsNone(kind_of(self.path(name)), name)
            with self.assertRaisesRegex(ValueError, "is no visibility file that can be read here"):
                read_visibilities(self.path(name))

    def test_one_row_for_each_ending_that_is_read(self):
        self.assertEqual({kind.ending for kind in KINDS},
                         {ending for ending, _ in fringe.readable_visibility_formats()})


class qa_flagged(scratch_case):
    """Against the flags that the file itself has."""
    seed = 28

    def flagged_percent(self, path):
        """By info and by the page."""
        vis = read_visibilities(path)
        info = describe(path).split("flagged")[1].split("%")[0]
        page = _footer(vis).split("   |   ")
        page = [word.split("%")[0] for word in page if word.endswith("% flagged")] or ["0"]
        self.assertEqual(info.strip(), page[0].strip())
        return float(info)

    def test_rows_that_are_not_there(self):
        path = snapshot(self.folder, 4, self.rng, "a.ms", dumps=3, channels=8, polarizations="XY")
        with tables.table(path, ack=False) as ms:
            # No autocorrelations, and in dump 1 no baseline of antenna 0.
            ms.query("ANTENNA1 != ANTENNA2 and not (ANTENNA1 == 0 and TIME == "
                     f"{float(np.unique(ms.getcol('TIME'))[1])!r})").copy(
                self.path("b.ms"), deep=True).close()
        for name in ("a.ms", "b.ms"):
            with tables.table(self.path(name), readonly=False, ack=False) as ms:
                flags = ms.getcol("FLAG") | (self.rng.random(ms.getcol("FLAG").shape) < 0.3)
                same = ms.getcol("ANTENNA1") == ms.getcol("ANTENNA2")
                flags[same, :, 2] = flags[same, :, 1]  # YX of one antenna is its XY
                ms.putcol("FLAG", flags)
            self.assertAlmostEqual(self.flagged_percent(self.path(name)), 100 * flags.mean(),
                                   delta=0.05)

    def test_lost_values_of_raw_files(self):
        path = snapshot(self.folder, 4, self.rng, "a.ACC", dumps=2, channels=8)
        data = np.fromfile(path, np.complex64)
        data[self.rng.random(len(data)) < 0.4] = 0
        data.tofile(path)
        self.assertAlmostEqual(self.flagged_percent(path), 100 * (data == 0).mean(), delta=0.05)


if __name__ == "__main__":
    unittest.main()
