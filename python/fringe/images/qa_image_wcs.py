#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where images, masks and models are on the sky: against astropy and WSClean."""
import os
import shutil
import subprocess
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images.fits_grid import grid_of, places_of
from gnuradio.fringe.images.frame import frame_axes, image_frame
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_scratch import TIMEOUT, scratch_case, times_tried
from qa_skies import ms_sky, snapshot

try:
    from astropy.coordinates import FK4, FK5, ICRS, CartesianRepresentation, Galactic, SkyCoord
    from astropy.io import fits
    from astropy.wcs import WCS
except ImportError:
    fits = None

SIZE, CELL = 128, 6 / 3600  # pixels, degrees


def direction(center, l, m):
    """SkyCoord of direction cosines around a center: astropy's frame of offsets has its axes
    towards the center, to the east and to the north."""
    frame = SkyCoord(*center, unit="deg").skyoffset_frame()
    place = CartesianRepresentation(np.sqrt(1 - l * l - m * m), l, m)
    return SkyCoord(frame.realize_frame(place)).icrs


def cosines(center, place):
    """l, m of a SkyCoord."""
    found = place.icrs.transform_to(SkyCoord(*center, unit="deg").skyoffset_frame()).cartesian
    return float(found.y), float(found.z)


def header_of(center, crpix=(SIZE // 2 + 1,) * 2, step=(-CELL, CELL), **more):
    header = fits.Header([("CTYPE1", "RA---SIN"), ("CTYPE2", "DEC--SIN"),
                          ("CRPIX1", float(crpix[0])), ("CRPIX2", float(crpix[1])),
                          ("CRVAL1", float(center[0])), ("CRVAL2", float(center[1])),
                          ("CDELT1", step[0]), ("CDELT2", step[1]), ("RADESYS", "ICRS")])
    for key, value in more.items():
        header[key] = value
        if value is None:
            del header[key]
    return header


def header_around(center, words):
    """As header_of(), of the same place in the header's own frame."""
    header = header_of(center, **words)
    frame = {"FK4": FK4(equinox="B1950"), "FK5": FK5(equinox="J2026.2")}.get(header.get("RADESYS"))
    if header.get("EQUINOX") == 1950:
        frame = FK4(equinox="B1950")
    if header["CTYPE1"].startswith("GLON"):
        frame = Galactic()
    if frame is not None:
        place = SkyCoord(*center, unit="deg").transform_to(frame).spherical
        header["CRVAL1"], header["CRVAL2"] = place.lon.deg, place.lat.deg
    return header


#: Headers of masks and models: words beside those of header_of().
FRAMES = {
    "another reference": dict(crpix=(40, 90)),
    "an odd middle": dict(crpix=(SIZE // 2, SIZE // 2 + 1)),
    "mirrored": dict(step=(CELL, CELL)),
    "upside down": dict(step=(-CELL, -CELL)),
    "turned": dict(CROTA2=33.0),
    "turned by a matrix": dict(PC1_1=0.8, PC1_2=-0.6, PC2_1=0.6, PC2_2=0.8),
    "by CD": dict(CD1_1=0.0, CD1_2=CELL, CD2_1=CELL, CD2_2=0.0),
    "a pole of its own": dict(LONPOLE=120.0),
    "B1950": dict(RADESYS="FK4", EQUINOX=1950.0),
    "1950 alone": dict(RADESYS=None, EQUINOX=1950.0),
    "FK5 of 2026": dict(RADESYS="FK5", EQUINOX=2026.2),
    "galactic": dict(CTYPE1="GLON-SIN", CTYPE2="GLAT-SIN"),
    "not square": dict(step=(-CELL, 1.5 * CELL)),
}
PROJECTIONS = {
    "TAN": dict(CTYPE1="RA---TAN", CTYPE2="DEC--TAN"),
    "ARC": dict(CTYPE1="RA---ARC", CTYPE2="DEC--ARC"),
    "STG": dict(CTYPE1="RA---STG", CTYPE2="DEC--STG"),
    "ZEA": dict(CTYPE1="RA---ZEA", CTYPE2="DEC--ZEA"),
    "slanted": dict(PV2_1=0.3, PV2_2=-0.2),
}


@unittest.skipUnless(fits, "astropy is not installed")
class qa_image_wcs(scratch_case):
    seed = 4711

    def sky(self, center, sources, latitude=40.0, **more):
        """A MeasurementSet of sources (l, m, flux)."""
        found = ms_sky(snapshot(self.folder, 20, self.rng, f"{len(os.listdir(self.folder))}.ms",
                                latitude=latitude,
                                center={"ra": center[0], "dec": center[1]}, **more))
        found.write(sum(found.point(*source) for source in sources))
        return found.path

    def image(self, path, output, *words, code=0):
        self.assertEqual(main(["image", path, "-o", self.path(output), "--no-all-sky",
                               "--overwrite", *words]), code)

    def test_sources_are_where_astropy_finds_them(self):
        # 400 m at 2 m wavelength: a beam is some 17 arcmin wide; a pixel has 3.
        pixel = np.radians(3 / 60)
        for center in ((0, 90), (77, 90), (200, -90), (13, 89.9999), (310, -89.999), (255, 5)):
            for size in (128, 101):
                with self.subTest(center=center, size=size):
                    l, m = 9 * pixel, 21 * pixel
                    path = self.sky(center, [(l, m, 1.0)], latitude=float(np.sign(center[1]) * 40))
                    self.image(path, "x.fits", "--size", str(size), "--scale", "3arcmin")
                    with fits.open(self.path("x.fits")) as file:
                        image, header = file[0].data[0, 0], file[0].header
                    self.assertEqual((header["CRPIX1"], header["CRPIX2"]),
                                     (size // 2 + 1, size // 2 + 1))
                    self.assertEqual((header["RADESYS"], header["SPECSYS"], header["TIMESYS"]),
                                     ("ICRS", "TOPOCENT", "UTC"))
                    row, column = np.unravel_index(np.nanargmax(image), image.shape)
                    found = WCS(header).celestial.pixel_to_world(column, row)
                    # l and m are whole pixels, so the top is in the middle of one: rounding of
                    # CRVAL is all that is left.
                    self.assertLess(found.separation(direction(center, l, m)).arcsec, 0.01)

    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_images_can_be_subtracted_from_those_of_wsclean(self):
        path = self.sky((260, 40), [(0.02, 0.03, 1.0), (-0.05, 0.01, 0.5)])
        made = subprocess.run(
            ["wsclean", "-size", "200", "160", "-scale", "3amin", "-pol", "XX", "-weight",
             "natural", "-niter", "0", "-make-psf", "-name", "ws", "-use-wgridder",
             "-wgridder-accuracy", "1e-6", "-no-small-inversion", path], cwd=self.folder,
            env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), text=True, capture_output=True,
            timeout=TIMEOUT, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
        self.image(path, "x.fits", "--size", "200x160", "--scale", "3arcmin", "--pol", "XX",
                   "--psf", "--eps", "1e-5")
        for ours, theirs in (("x.fits", "ws-dirty.fits"), ("x-psf.fits", "ws-psf.fits")):
            with fits.open(self.path(ours)) as first, fits.open(self.path(theirs)) as other:
                for key in ("CRPIX1", "CRPIX2", "CDELT1", "CDELT2", "CRVAL1", "CRVAL2"):
                    mine, its = (unit[0].header[key] % 360 for unit in (first, other))
                    self.assertAlmostEqual(mine, its, delta=1e-9, msg=key)
                a, b = first[0].data[0, 0], other[0].data[0, 0]
            # Both have errors of 1e-5 of the rms of the image, far below the peak.
            self.assertLess(np.abs(a - b).max(), 1e-4 * np.abs(b).max())

    def test_grids_are_those_of_astropy(self):
        for center in ((260.0, 40.0), (0.0, -60.0), (310.0, 89.99)):
            for name, words in {**FRAMES, **PROJECTIONS}.items():
                header = header_of(center, **words)
                header["NAXIS1"] = header["NAXIS2"] = SIZE
                grid = grid_of("x.fits", dict(header))
                x, y = self.rng.uniform(-0.5, SIZE - 0.5, (2, 20))
                places = WCS(header).pixel_to_world(x, y).icrs
                own = image_frame((places[0].ra.rad, places[0].dec.rad - 0.1), "", None, False,
                                  True)
                l, m, n = frame_axes(own) @ places.transform_to(ICRS()).cartesian.xyz.value
                self.assertTrue((n > 0).all())
                found = places_of(grid, own, l, m)
                # Frames agree with astropy within 20 mas, 0.003 pixels; the terms of aberration
                # in FK4 change by 0.34 arcsec in a radian.
                with self.subTest(name, center=center):
                    np.testing.assert_allclose(found, (x, y), atol=0.01)

    def test_grids_that_are_not_read(self):
        for words, sentence in ((dict(CTYPE1="RA---CAR", CTYPE2="DEC--CAR"), "projection is CAR"),
                                (dict(CTYPE1="DEC--SIN", CTYPE2="RA---SIN"), "CTYPE1"),
                                (dict(CTYPE1="", CTYPE2=""), "not named"),
                                (dict(PC1_1=1.0, PC1_2=0.2), "right angles"),
                                (dict(RADESYS="FK9"), "FK9"), (dict(CUNIT1="arcmin"), "arcmin"),
                                (dict(CDELT1="x"), "CDELT1"),
                                (dict(PV2_1=0.3, CROTA2=5.0), "slanted")):
            header = header_of((260, 40), **words)
            header["NAXIS1"] = header["NAXIS2"] = SIZE
            with self.assertRaisesRegex(ValueError, f"x.fits: .*{sentence}"):
                grid_of("x.fits", dict(header))

    def masked(self, path, header, values):
        """Where CLEAN finds components with a mask, SkyCoord."""
        fits.writeto(self.path("mask.fits"), values.astype(np.float32), header, overwrite=True)
        self.image(path, "x.fits", "--size", str(SIZE), "--scale", "6arcsec", "--clean", "20",
                   "--threshold", "0", "--mask", self.path("mask.fits"))
        with fits.open(self.path("x-model.fits")) as file:
            row, column = np.nonzero(file[0].data[0, 0])
            self.assertGreater(len(row), 0)
            return WCS(file[0].header).celestial.pixel_to_world(column, row)

    def test_a_mask_is_where_its_header_says(self):
        center = 260.0, 40.0
        path = self.sky(center, [(0.001, 0.0008, 1.0)], extent=4000.0)
        # All in the thorough pass; what their headers say is compared with astropy's above.
        for name, words in list({**FRAMES, **PROJECTIONS}.items())[::times_tried(3, 1)]:
            header = header_around(center, words)
            x, y = self.rng.integers(45, 75, 2)
            place = WCS(header).pixel_to_world(x, y).icrs
            values = np.zeros((SIZE, SIZE))
            values[y, x] = 1
            # Pixels of the image whose nearest pixel of the mask it is: within half of the
            # diagonal of its largest, 1.5 x 1 pixels.
            with self.subTest(name):
                found = self.masked(path, header, values)
                self.assertLess(found.separation(place).arcsec.max(), 5.5)

    def test_a_mask_of_elsewhere_is_refused(self):
        path = self.sky((260.0, 40.0), [(0.001, 0.0008, 1.0)], extent=4000.0)
        values = np.ones((SIZE, SIZE), np.float32)
        for center, words in (((262.0, 40.0), {}), ((260.0, 40.0), dict(CTYPE1="L", CTYPE2="M")),
                              ((80.0, -40.0), {})):
            fits.writeto(self.path("mask.fits"), values, header_of(center, **words),
                         overwrite=True)
            self.image(path, "y.fits", "--size", str(SIZE), "--scale", "6arcsec", "--clean", "20",
                       "--mask", self.path("mask.fits"), code=2)

    def predicted(self, path, header, values, code=0):
        fits.writeto(self.path("model.fits"), values.astype(np.float32), header, overwrite=True)
        self.assertEqual(main(["predict", self.path("model.fits"), path, "-o",
                               self.path("model.ms"), "--overwrite"]), code)
        return fringe.read_visibilities(self.path("model.ms"),
                                        column="MODEL_DATA") if code == 0 else None

    def check(self, center, found, place, flux):
        """Whether visibilities are those of a source at a SkyCoord."""
        l, m = cosines(center, place)
        i, j = found.products
        uvw = found.uvw[:, i] - found.uvw[:, j]  # one input for each antenna
        turns = (uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1])[:, None] \
            * found.frequencies[:, None] / 299792458.0
        wanted = flux * np.exp(2j * np.pi * turns)
        # 2000 waves times 20 mas is 1e-3 of a radian; FK4's middle may be 5 mas off.
        np.testing.assert_allclose(found.data[:, :, i != j], wanted[:, :, i != j],
                                   atol=2e-3 * flux)

    def test_a_model_is_where_its_header_says(self):
        center = 260.0, 40.0
        path = self.sky(center, [(0, 0, 1.0)], extent=1000.0)
        for name, words in FRAMES.items():
            header = header_around(center, {**words, "BUNIT": "Jy/pixel"})
            values = np.zeros((SIZE, SIZE))
            x, y = self.rng.integers(0, SIZE, 2)
            values[y, x] = 3.0
            with self.subTest(name):
                self.check(center, self.predicted(path, header, values),
                           WCS(header).pixel_to_world(x, y), 3.0)
        header = header_of((261.0, 39.0), BUNIT="mJy/pixel")
        values = np.zeros((SIZE, SIZE))
        values[3, 100] = 2000.0
        self.check(center, self.predicted(path, header, values),
                   WCS(header).pixel_to_world(100, 3), 2.0)

    def test_axes_are_found_by_their_names(self):
        center = 260.0, 40.0
        path = self.sky(center, [(0, 0, 1.0)], extent=1000.0)
        frequencies = fringe.read_visibilities(path).frequencies
        half, step = len(frequencies) // 2, frequencies[4] - frequencies[0]
        # As CASA writes them, Stokes before frequency; and V of linear feeds is not in XX.
        axes = dict(CTYPE3="STOKES", CRVAL3=1.0, CDELT3=3.0, CRPIX3=1.0, CTYPE4="FREQ",
                    CRVAL4=frequencies[:half].mean(), CDELT4=step, CRPIX4=1.0)
        header = header_of(center, BUNIT="Jy/pixel", **axes)
        values = np.zeros((2, 2, SIZE, SIZE))  # frequency, Stokes
        values[0, 0, SIZE // 2, SIZE // 2], values[1, 0, SIZE // 2, SIZE // 2] = 2, 5
        values[:, 1, 20, 20] = 9
        found = self.predicted(path, header, values)
        i, j = found.products
        np.testing.assert_allclose(found.data[:, :half, i != j], 2, atol=1e-4)
        np.testing.assert_allclose(found.data[:, half:, i != j], 5, atol=1e-4)

    def test_models_that_are_not_read(self):
        path = self.sky((260.0, 40.0), [(0, 0, 1.0)], extent=1000.0)
        image = np.ones((SIZE, SIZE))
        for words, values in (
                (dict(BUNIT="Jy/beam"), image), (dict(BUNIT="K"), image),
                (dict(BUNIT="Jy/sr"), image),
                (dict(CTYPE1="RA---TAN", CTYPE2="DEC--TAN"), image), (dict(CRPIX1=30.5), image),
                (dict(PV2_1=0.1), image), (dict(CRPIX1=1e7), image),
                (dict(CTYPE3="VRAD", CRVAL3=0.0, CDELT3=1.0), np.ones((2, SIZE, SIZE)))):
            with self.subTest(words):
                self.predicted(path, header_of((260, 40), **words), values, code=2)


if __name__ == "__main__":
    unittest.main()
