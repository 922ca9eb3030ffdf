#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Certificates of images, beams and solutions."""
import json
import os
import shutil
import unittest

import h5py
import numpy as np
from astropy.io import fits
from casacore.tables import table
from gnuradio import fringe
from gnuradio.fringe.beams.form_beams import form_beams
from gnuradio.fringe.certificates.certified_files import certify, stored_certificate
from gnuradio.fringe.certificates.fits_cards import history_of_fits
from gnuradio.fringe.images import fits_bytes, image_settings
from gnuradio.fringe.images.outputs import image_output
from gnuradio.fringe.images.series import image_series
from gnuradio.fringe.solution_tables.tables import write_solutions
from gnuradio.fringe.verifying import verify
from gnuradio.fringe.verifying.finding import FITS, UNKNOWN, WRONG
from qa_beam_files import observation
from qa_scratch import scratch_case
from qa_skies import snapshot
from qa_solution_tables import night


class qa_other_certificates(scratch_case):

    def assert_whole(self, path, words=""):
        found, = verify(path)
        self.assertEqual(found.result, FITS, found.line())
        self.assertIn(words, found.words)

    def assert_wrong(self, path, words):
        found = verify(path)
        self.assertEqual({each.result for each in found}, {WRONG}, [each.line() for each in found])
        self.assertIn(words, "; ".join(each.words for each in found))

    def changed(self, path, at, words):
        """A copy of a file, a byte of which is another one, is told."""
        copy = self.path("changed" + os.path.splitext(path)[1])
        shutil.copy(path, copy)
        with open(copy, "r+b") as file:
            file.seek(at)
            old = file.read(1)
            file.seek(at)
            file.write(bytes([old[0] ^ 1]))
        self.assert_wrong(copy, words)

    def images(self):
        path = snapshot(self.folder, 6, self.rng, "sky.uvh5", dumps=3)
        return list(image_series([path], image_settings(size=(25, 31)), 0.000125))

    def test_an_image(self):
        image = self.images()[0]
        path = self.path("image.fits")
        with open(path, "wb") as file:
            file.write(fits_bytes(image, ["fringe image x.ms", "more"]))
        self.assert_whole(path, "fringe image x.ms")
        with fits.open(path) as file:
            file.verify("exception")
            np.testing.assert_array_equal(file[0].data, image.values[..., ::-1])
            header = file[0].header.tostring()
        self.changed(path, os.path.getsize(path) - 2880 + 7, "pixels (PRIMARY) are not those")
        self.changed(path, header.index("CDELT1") + 20, "the table header is not")
        # The sum is that of the lines, as docs/formats.md has it.
        lines = image.values[..., ::-1].astype(">f4").reshape(-1, image.values.shape[-1])
        total = sum((row + 1) * fringe.crc32c(line.tobytes()) for row, line in enumerate(lines))
        self.assertEqual(stored_certificate(path).sums, {"PRIMARY": total % 2**64})

    def test_a_cube(self):
        path, images = self.path("cube.fits"), self.images()
        cube = image_output(path, history=["fringe image cube"])
        for number, image in enumerate(images):
            cube.add(image, number * 2)  # every second one is missing
        cube.close()
        self.assert_whole(path, "fringe image cube")
        with fits.open(path) as file:
            file.verify("exception")
            np.testing.assert_array_equal(file[0].data[::2], [image.values[..., ::-1]
                                                              for image in images])
            self.assertTrue(np.isnan(file[0].data[1]).all())
        self.changed(path, os.path.getsize(path) - 2880, "pixels")

    def test_a_file_of_others(self):
        path = self.path("image.fits")
        fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(self.rng.normal(size=(5, 4)), name="SCI"),
                      fits.BinTableHDU.from_columns([
                          fits.Column("a", "J", array=np.arange(7)),
                          fits.Column("b", "PJ()", array=np.array([np.arange(k) for k in range(7)],
                                                                  object))])]).writeto(path)
        found, = verify(path)
        self.assertEqual(found.result, UNKNOWN)
        self.assertIn("another program", found.words)
        certify(path, "a test")
        self.assert_whole(path, "a test")
        stored = stored_certificate(path)
        self.assertEqual(set(stored.sums), {"SCI", "2"})
        self.assertEqual(set(stored.tables), {"header", "SCI header", "2 header", "2 heap"})
        self.changed(path, os.path.getsize(path) - 2880 + 7 * 12 + 1, "2 heap")

    def test_a_damaged_file(self):
        path = self.path("image.fits")
        with open(path, "wb") as file:
            file.write(fits_bytes(self.images()[0], ["x"])[:-2880])
        with self.assertRaisesRegex(ValueError, f"^{path}: damaged"):
            verify(path)

    def test_beams(self):
        obs = observation()
        recording = self.path("sky.ci8")
        fringe.simulate(obs, recording, 20000, format="ci8")
        paths = self.path("beam.fits"), self.path("beam.h5")
        form_beams([recording], list(paths), ["az=90,el=60"], obs, interval=0.001,
                   history="fringe beam x\nmore")
        for path in paths:
            self.assert_whole(path, "fringe beam x)")
        with fits.open(paths[0]) as file:
            file.verify("exception")
            self.assertGreater(len(file["SUBINT"].data), 0)
            at = file["SUBINT"].fileinfo()["datLoc"]
        self.changed(paths[0], at + 9, "rows (SUBINT) are not")
        self.changed(paths[0], at - 2880 + 2, "the table SUBINT header is not")
        for change, words in ((lambda f: f["means"].__setitem__((1, 0, 2), 7), "values (means)"),
                              (lambda f: f.attrs.modify("interval", 0.2), "attributes"),
                              (lambda f: f["weights"].resize(1, axis=0), "values (weights)")):
            copy = shutil.copy(paths[1], self.path("changed.h5"))
            with h5py.File(copy, "r+") as file:
                change(file)
            self.assert_wrong(copy, words)

    def test_solutions(self):
        for ending, kinds in ((".h5", ("K", "B", "D")), (".calh5", ("B",)), (".cal", ("G",))):
            with self.subTest(ending):
                path, = write_solutions(self.path("x" + ending), night(self.rng, kinds))
                self.assert_whole(path, "fringe x, 1.0")
                if ending == ".cal":
                    with table(path, readonly=False, ack=False) as opened:
                        values = opened.getcol("CPARAM")
                        values[1] += 1e-3
                        opened.putcol("CPARAM", values)
                    self.assert_wrong(path, "solutions (CPARAM) are not")
                    continue
                name = "Data/gains" if ending == ".calh5" else "terms/0_K/value"
                with h5py.File(path, "r+") as file:
                    self.assertEqual(json.loads(file.attrs["certificate"])["certificate"], 1)
                    values = file[name][()]
                    values[0, 0, 0] *= 1.001
                    file[name][...] = values
                self.assert_wrong(path, f"values ({name}) are not")

    def test_the_history_of_a_visibility_file(self):
        """Copied by another program into an image it is not the image's own."""
        other = snapshot(self.folder, 3, self.rng, "sky.uvfits")
        path = self.path("image.fits")
        unit = fits.PrimaryHDU(np.zeros((3, 3), "f4"))
        text = history_of_fits(other)
        for k in range(0, len(text), 72):
            unit.header.add_history(text[k:k + 72])
        unit.writeto(path)
        found, = verify(path)
        self.assertEqual(found.result, UNKNOWN, found.line())


if __name__ == "__main__":
    unittest.main()
