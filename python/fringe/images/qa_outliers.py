#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image --outlier: a strong source far from the image, beside WSClean, astropy and truth."""
import os
import shutil
import subprocess
import unittest

import numpy as np
from gnuradio.fringe.cli import main
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_scratch import TIMEOUT, scratch_case
from qa_skies import C, ms_sky, snapshot

try:
    from astropy.wcs import WCS
except ImportError:
    WCS = None

CENTER = 215.0, -35.0
#: Right ascension, declination in degrees, and flux; the first is 17 degrees away.
FAR = 230.0, -23.0, 200.0
NEAR = (215.3, -34.7, 2.0), (214.6, -35.2, 5.0), (215.4, -35.25, 1.0)
PIXELS, NOISE = 200, 0.3


def axes(center):
    ra, dec = np.radians(center)
    return np.array([[-np.sin(ra), np.cos(ra), 0],
                     [-np.sin(dec) * np.cos(ra), -np.sin(dec) * np.sin(ra), np.cos(dec)],
                     [np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)]])


class qa_outliers(scratch_case):

    def sky(self, sources, name="sky.ms", noise=NOISE, center=CENTER, seed=None):
        """A MeasurementSet of sources; the pixel is a sixth of the shortest wave of the first."""
        path = snapshot(self.folder, 40, np.random.default_rng(seed) if seed else self.rng, name,
                        dumps=2, channels=4, extent=900.0, center=dict(zip(("ra", "dec"), center)),
                        bandwidth=1.6e7)
        sky = ms_sky(path)
        data = sky.noise(noise, self.rng) if noise else 0
        for ra, dec, flux in sources:
            l, m, _ = axes(center) @ axes((ra, dec))[2]
            data = data + sky.point(l, m, flux)
        self.data = data
        sky.write(data)
        if center == CENTER:
            self.cell = 1 / (6 * np.hypot(*sky.uvw.T[:2]).max() * sky.frequencies.max() / C)
        return sky

    def image(self, *words, code=0, size=PIXELS):
        self.assertEqual(main(["image", self.path("sky.ms"), "-o", self.path("x.fits"), "--size",
                               str(size), "--scale", f"{self.cell}rad", "--weight", "briggs:0",
                               "--overwrite", *words]), code)

    def read(self, kind=""):
        return read_fits_image(self.path(f"x{kind}.fits"))

    def flux_of(self, kind, place):
        """The sum of a model near a place."""
        values, header = self.read(kind)
        l, m, _ = axes((header["CRVAL1"], header["CRVAL2"])) @ axes(place)[2]
        column, row = header["CRPIX1"] - 1 - l / self.cell, header["CRPIX2"] - 1 + m / self.cell
        y, x = np.mgrid[:values.shape[2], :values.shape[3]]
        return values[0, 0][np.hypot(x - column, y - row) < 8].sum()

    @staticmethod
    def rms(values):
        return 1.4826 * np.median(np.abs(values - np.median(values)))

    def test_sidelobes_of_a_far_source_go_away_with_it(self):
        outlier = "--outlier", f"far,{FAR[0]},{FAR[1]},32"
        sky = self.sky(NEAR)
        self.image("--clean", "6000")
        quiet = self.rms(self.read("-residual")[0])
        l, m, _ = axes(CENTER) @ axes(FAR[:2])[2]
        sky.write(self.data + sky.point(l, m, FAR[2]))
        # A multiple of the residual's own noise would end early where sidelobes are the noise.
        level = 6 * quiet
        clean = "--clean", "6000", "--threshold", str(level)
        self.image("--clean", "6000")
        without = self.rms(self.read("-residual")[0])
        self.image(*clean, *outlier)
        with_it = self.rms(self.read("-residual")[0])
        self.assertGreater(without, 20 * with_it)
        self.assertLess(with_it, 1.5 * quiet)
        for ra, dec, flux in NEAR:
            self.assertAlmostEqual(self.flux_of("-model", (ra, dec)), flux,
                                   delta=15 * quiet + 0.01 * flux)
        self.assertAlmostEqual(self.flux_of("-far-model", FAR[:2]), FAR[2], delta=0.005 * FAR[2])
        # Down to the threshold in both fields.
        for kind in ("-residual", "-far-residual"):
            self.assertLess(np.abs(self.read(kind)[0]).max(), 1.001 * level, kind)
        if WCS:
            values, header = self.read("-far")
            (x, y), = WCS(header).celestial.all_world2pix([FAR[:2]], 0)
            row, column = np.unravel_index(values[0, 0].argmax(), values.shape[2:])
            self.assertLess(np.hypot(x - column, y - row), 0.8)
        # Channels together, several scales, an automatic mask.
        for words in (("--channels-out", "2", "--join-channels"), ("--scales", "auto"),
                      ("--auto-mask", "5", "--gridder", "wprojection")):
            self.image(*clean, *outlier, *words)
            self.assertLess(self.rms(self.read("-residual")[0]), 0.1 * without, words)
            self.assertEqual(self.read("-far")[0].shape[1], 2 if "--channels-out" in words else 1)

    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_the_field_is_that_of_wsclean_of_a_set_with_its_phase_center(self):
        seed = self.rng.integers(2**32)
        self.sky([*NEAR, FAR], noise=0, seed=seed)
        self.image("--outlier", f"far,{FAR[0]},{FAR[1]},64", "--weight", "natural", "--eps", "1e-5",
                   "--psf")
        # The same antennas and times: the correlator's uvw of the other phase center.
        self.sky([*NEAR, FAR], "other.ms", 0, FAR[:2], seed)
        made = subprocess.run(
            ["wsclean", "-size", "64", "64", "-scale", f"{self.cell}rad", "-pol", "XX",
             "-weight", "natural", "-niter", "0", "-padding", "2", "-no-small-inversion",
             "-make-psf", "-use-wgridder", "-name", "ws", "other.ms"],
            cwd=self.folder, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), text=True,
            capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
        for ours, theirs in (("-far", "ws-dirty"), ("-far-psf", "ws-psf")):
            found = self.read(ours)[0][0, 0]
            wanted = read_fits_image(self.path(f"{theirs}.fits"))[0][0, 0]
            self.assertLess(np.abs(found - wanted).max(), 2e-3 * np.abs(wanted).max(), ours)

    def test_what_cannot_be_an_outlier(self):
        self.sky(NEAR[:1], noise=0.1)
        for words in (["x,215,-35,64"], ["x,216,-35.3,16", "x,230,-20,16"], ["x,230,-20"],
                      ["x,230,-20,4"], ["a/b,230,-20,16"], ["Sun,32"], ["x,30,60,16"],
                      ["x,230,-20,16", "y,230.1,-20,16"], ["residual,230,-20,16"]):
            with self.subTest(words=words):
                self.image("--clean", "10", *(part for text in words
                                              for part in ("--outlier", text)), code=2)
        self.image("--outlier", "x,230,-20,16", "--every", "1min", code=2)
        # Without CLEAN it is a dirty image; a known source needs no place.
        self.image("--outlier", "CenA,16")
        self.assertTrue(os.path.exists(self.path("x-CenA.fits")))
        self.assertFalse(os.path.exists(self.path("x-CenA-model.fits")))


if __name__ == "__main__":
    unittest.main()
