#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Primary beams: against scipy and astropy, sums over dipoles, and a simulated sky of sources off
the axis; mosaics."""
import contextlib
import io
import os
import shutil
import unittest

import numpy as np
from casacore import tables
from gnuradio.fringe import fringe_python as fp
from gnuradio.fringe.cli import main
from gnuradio.fringe.images.frame import frame_of
from gnuradio.fringe.images.primary_beam import powers
from gnuradio.fringe.calibration.sources import read_catalogue
from gnuradio.fringe.primary_beams import beam_of
from gnuradio.fringe.readers.fits_image import read_fits_image
from gnuradio.fringe.sky_model import peel, peel_settings
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from qa_scratch import scratch_case
from qa_skies import C, ms_sky, snapshot

try:
    from scipy.special import j1
except ImportError:
    j1 = None
try:
    from astropy import units
    from astropy.coordinates import AltAz, EarthLocation, SkyCoord
    from astropy.modeling.functional_models import AiryDisk2D
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
except ImportError:
    AiryDisk2D = None

PIXELS = 400
BEAM = "airy:25m"


class qa_primary_beams(scratch_case):

    def directions(self, count=200, widest=1.0):
        """Random unit vectors within an angle of (0, 0, 1)."""
        angle, turn = self.rng.uniform(0, widest, count), self.rng.uniform(0, 2 * np.pi, count)
        return np.stack([np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn),
                         np.cos(angle)], axis=-1)

    @unittest.skipUnless(j1, "scipy is not installed")
    def test_airy_is_that_of_scipy(self):
        towards = self.directions(widest=0.2)
        for text, diameter, e in (("airy:25m", 25.0, 0.0), ("airy:13.5m,2.7m", 13.5, 0.2)):
            x = np.pi * diameter * np.hypot(*towards.T[:2]) * 1.4e9 / C
            wanted = (2 * j1(x) / x - (e and e * 2 * j1(e * x) / x)) / (1 - e * e)
            found = beam_of(text).power(towards, 1.4e9)
            np.testing.assert_allclose(found, np.stack([wanted, wanted], 1)**2, atol=1e-7)
        # Of many directions a table is made, of few it is not.
        many = self.directions(200000, 0.02)
        x = np.pi * 25 * np.hypot(*many.T[:2]) * 1.4e9 / C
        np.testing.assert_allclose(beam_of(BEAM).power(many, 1.4e9)[:, 0],
                                   (2 * j1(x) / x)**2, atol=2e-7)

    @unittest.skipUnless(AiryDisk2D and j1, "astropy and scipy are not installed")
    def test_airy_is_that_of_astropy(self):
        towards = self.directions(widest=0.05)
        wanted = AiryDisk2D(1, 0, 0, 1.2196698912665045 * C / 1.4e9 / 25)(*towards.T[:2])
        np.testing.assert_allclose(beam_of(BEAM).power(towards, 1.4e9)[:, 1], wanted, atol=1e-6)

    def test_gaussian_and_table(self):
        gaussian = beam_of("gaussian:90arcmin@1.4GHz")
        half = np.radians(0.75) * 1.4 / 0.7
        towards = np.array([[np.sin(half), 0, np.cos(half)]])
        np.testing.assert_allclose(gaussian.power(towards, 0.7e9), 0.5, rtol=1e-9)
        with open(self.path("beam.txt"), "w", encoding="utf-8") as file:
            file.write("# Hz, degrees, X, Y\n" + "".join(
                f"{f:g}, {angle}, {1 - angle / 10 * f / 1e9}, {1 - angle / 20 * f / 1e9}\n"
                for f in (1e9, 2e9) for angle in (0, 1, 2, 4)))
        table = beam_of("table:" + self.path("beam.txt"))
        angle = np.radians(np.array([0, 0.5, 3.0, 4.5]))
        found = table.power(np.stack([0 * angle, np.sin(angle), np.cos(angle)], 1), 1.5e9)
        np.testing.assert_allclose(found[:, 0], [1, 0.925, 0.55, 0], atol=1e-9)
        np.testing.assert_allclose(found[:, 1], [1, 0.9625, 0.775, 0], atol=1e-9)
        with self.assertRaisesRegex(ValueError, "beam.txt: has 1000000000 to 2000000000 Hz"):
            table.power(towards, 3e9)

    def test_dipoles_are_sums_over_their_images(self):
        # A dipole and its image in the ground, h below it, with the opposite current.
        towards = self.directions(widest=1.5)
        for f in (80e6, 200e6):
            k = 2 * np.pi * f / C
            field = np.exp(1j * k * 0.3 * towards[:, 2]) - np.exp(-1j * k * 0.3 * towards[:, 2])
            ground = np.abs(field / (2 * np.sin(k * 0.3)))**2
            wanted = np.stack([1 - towards[:, 0]**2, 1 - towards[:, 1]**2], 1)
            np.testing.assert_allclose(beam_of("dipole:0.3m").power(towards, f),
                                       wanted * ground[:, None], rtol=1e-9)
            np.testing.assert_allclose(beam_of("dipole").power(towards, f), wanted)
            below = towards * [1, 1, -1]
            self.assertFalse(beam_of("dipole:0.3m").power(below, f).any())
            # A tile towards the zenith: the sums of a row and of a column of four dipoles.
            rows = [np.sin(2 * k * 1.1 * s) / np.sin(k * 1.1 * s / 2) / 4 for s in towards.T[:2]]
            np.testing.assert_allclose(beam_of("mwa").power(towards, f),
                                       wanted * (ground * (rows[0] * rows[1])**2)[:, None],
                                       rtol=1e-6, atol=1e-12)
        # It points where its delays say, as well as steps of 435 ps do.
        tile, az, el = beam_of("mwa:60,70"), np.radians(60), np.radians(70)
        there = np.array([np.sin(az) * np.cos(el), np.cos(az) * np.cos(el), np.sin(el)])
        array = (tile.power(there[None], 150e6) / tile._dipole.power(there[None], 150e6))[0]
        self.assertGreater(array[0], 0.98)

    def test_what_is_no_beam_is_refused(self):
        for text in ("airy", "airy:2", "airy:2m,3m", "airy:-1m", "mwa:1", "mwa:0,-3", "dish:2m",
                     "gaussian:1deg", "gaussian:0deg@1GHz", "dipole:1m,2m", "dipole:-1m", "table:",
                     "table:" + self.path("none.txt")):
            with self.subTest(text), self.assertRaises(ValueError):
                beam_of(text)
        for line in ("1e9 0", "1e9 0 one", "1e9 1 1", "1e9 0 1\n1e9 0 1", "", "1e9 0 -1"):
            with open(self.path("bad.txt"), "w", encoding="utf-8") as file:
                file.write(line)
            with self.subTest(line), self.assertRaisesRegex(ValueError, "bad.txt"):
                beam_of("table:" + self.path("bad.txt"))

    def test_there_is_no_beam_beyond_the_horizon(self):
        some = self.directions(3)
        directions = np.stack([some[0], [np.nan] * 3, some[1], some[2]])
        for text in ("airy:2m", "airy:2m,0.5m", "gaussian:9deg@150MHz", "dipole:0.3m", "mwa"):
            with self.subTest(text):
                found = np.nan_to_num(beam_of(text).power(directions, 150e6))
                np.testing.assert_allclose(found[[0, 2, 3]], beam_of(text).power(some, 150e6),
                                           rtol=1e-6)
                self.assertFalse(found[1].any())

    # Fields of a simulated sky.

    def field(self, name, center, sources, noise, polarizations="X", places=None):
        """A MeasurementSet of sources (right ascension, declination, flux) that are seen through a
        beam of BEAM; what scipy and astropy say of it is tested above. places: a generator of those
        of the antennas."""
        sky = ms_sky(snapshot(self.folder, 28, places or self.rng, name, dumps=1, channels=4,
                              extent=400.0, center=dict(zip(("ra", "dec"), center)),
                              bandwidth=1.6e7, polarizations=polarizations))
        axes, beam, data = self.axes(center), beam_of(BEAM), 0
        for ra, dec, flux in sources:
            l, m, n = axes @ self.axes((ra, dec))[2]
            seen = [beam.power(np.array([[l, m, n]]), f)[0, 0] for f in sky.frequencies]
            data = data + sky.point(l, m, flux) * np.array(seen)
        sky.write(data + sky.noise(noise, self.rng))
        self.cell = 1 / (6 * np.hypot(*sky.uvw.T[:2]).max() * sky.frequencies.max() / C)
        return sky

    def axes(self, center):
        ra, dec = np.radians(center)
        return np.array([[-np.sin(ra), np.cos(ra), 0],
                         [-np.sin(dec) * np.cos(ra), -np.sin(dec) * np.sin(ra), np.cos(dec)],
                         [np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)]])

    def image(self, *words, code=0):
        self.assertEqual(main(["image", *words, "-o", self.path("x.fits"), "--size", str(PIXELS),
                               "--scale", f"{self.cell}rad", "--overwrite"]), code)

    def read(self, kind=""):
        return read_fits_image(self.path(f"x{kind}.fits"))

    def flux_at(self, place):
        """The top of the Gaussian through the highest pixel near a place and its neighbors."""
        values, header = self.read()
        axes = self.axes((header["CRVAL1"], header["CRVAL2"]))
        l, m, _ = axes @ self.axes(place)[2]
        column = round(header["CRPIX1"] - 1 - l / self.cell)
        row = round(header["CRPIX2"] - 1 + m / self.cell)
        near = values[0, 0, row - 3:row + 4, column - 3:column + 4]
        y, x = np.unravel_index(np.nanargmax(near), near.shape)
        row, column = row - 3 + y, column - 3 + x
        near = np.log(values[0, 0, row - 1:row + 2, column - 1:column + 2]).ravel()
        y, x = np.mgrid[-1:2, -1:2].reshape(2, -1)
        c, *_ = np.linalg.lstsq(np.stack([x**0, x, y, x * x / 2, x * y, y * y / 2], 1), near, None)
        top = np.linalg.solve([[c[3], c[4]], [c[4], c[5]]], -c[1:3])
        return np.exp(c[0] + c[1:3] @ top / 2)

    def test_sources_off_the_axis_have_their_fluxes(self):
        # Airy's width of 25 m at 150 MHz is 4.7 degrees, and the field 5 degrees wide.
        center, noise = (215.0, -35.0), 0.1
        sources = [(215.0, -35.0, 2.0), (217.2, -34.2, 3.0), (213.4, -36.3, 5.0)]
        sky = self.field("sky.ms", center, sources, noise)
        self.image(sky.path, "--beam", BEAM, "--clean", "3000")
        sigma = noise / np.sqrt(len(sky.rows) * len(sky.frequencies))
        beam, _ = self.read("-beam")
        apparent, _ = self.read("-apparent")
        values, _ = self.read()
        self.assertAlmostEqual(beam[0, 0, PIXELS // 2, PIXELS // 2], 1, delta=1e-3)
        np.testing.assert_allclose(values * beam, np.where(beam < 0.1, np.nan, apparent), rtol=1e-4)
        for ra, dec, flux in sources:
            with self.subTest(ra=ra):
                seen = self.axes(center) @ self.axes((ra, dec))[2]
                power = beam_of(BEAM).power(seen[None], 150e6)[0, 0]
                if ra != 215.0:
                    self.assertLess(power, 0.75)
                self.assertAlmostEqual(self.flux_at((ra, dec)), flux,
                                       delta=5 * sigma / power + 0.02 * flux)
        with open(self.path("xy.txt"), "w", encoding="utf-8") as file:
            file.write("1e8 0 1 1\n1e8 90 0.5 0.4\n2e8 0 1 1\n2e8 90 0.5 0.4\n")
        for words in (("--beam", "dish"), ("--beam", BEAM, "--beam-limit", "1"),
                      ("--beam", "mwa", "--pol", "Q"),
                      ("--beam", "table:" + self.path("xy.txt"), "--pol", "Q")):
            self.image(sky.path, *words, code=2)

    def test_a_source_that_the_limit_masks(self):
        """It is not missing from the sky: the image has no value there."""
        center = (215.0, -35.0)
        sources = [(215.0, -35.0, 2.0), (217.2, -34.2, 6.0), (214.0, -35.3, 2.0)]
        sky = self.field("sky.ms", center, sources, 0.1)
        catalogue = self.path("sources.yml")
        with open(catalogue, "w", encoding="utf-8") as file:
            for name, (ra, dec, flux) in zip(("middle", "edge", "near"), sources):
                file.write(f"- {{name: {name}, ra: {ra}, dec: {dec}, flux: {flux}}}\n")
        for limit, code, number in (("0.1", 0, 0), ("0.85", 3, 1)):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                self.image(sky.path, "--beam", BEAM, "--clean", "3000", "--sky", catalogue,
                           "--check", "--beam-limit", limit, code=code)
            text = out.getvalue()
            self.assertEqual(text.count("is masked: the primary beam there is below"), number)
            self.assertNotIn("NOT FOUND", text)
            self.assertIn(f"{3 - number} of 3 sources are where they should be", text)

    def test_a_mosaic_has_the_right_flux_everywhere(self):
        noise = 0.1
        # One between the two fields, one in each, and one that the first alone sees.
        sources = [(217.0, -35.0, 2.0), (214.6, -34.6, 1.5), (219.5, -35.5, 3.0),
                   (213.4, -36.0, 4.0)]
        first, second = (self.field(f"{name}.ms", center, sources, noise)
                         for name, center in (("a", (215.0, -35.0)), ("b", (219.0, -35.0))))
        self.image(first.path, second.path, "--beam", BEAM, "--clean", "3000")
        values, header = self.read()
        self.assertAlmostEqual(header["CRVAL1"], 217.0, delta=1e-3)
        self.assertAlmostEqual(header["CRVAL2"], -35.0, delta=0.05)
        sigma = noise / np.sqrt(len(first.rows) * len(first.frequencies))
        for ra, dec, flux in sources:
            with self.subTest(ra=ra):
                self.assertAlmostEqual(self.flux_at((ra, dec)), flux,
                                       delta=10 * sigma + 0.02 * flux)
        # Its weights: the squares of the two beams by those of the noise, of which the better is 1.
        found, _ = self.read("-beam")
        row, column = self.rng.integers(60, PIXELS - 60, (2, 20))
        l = (header["CRPIX1"] - 1 - column) * self.cell
        m = (row - header["CRPIX2"] + 1) * self.cell
        towards = np.stack([l, m, np.sqrt(1 - l * l - m * m)], 1) @ self.axes(
            (header["CRVAL1"], header["CRVAL2"]))
        powers = [beam_of(BEAM).power(towards @ self.axes((ra, -35.0)).T, 150e6)[:, 0]
                  for ra in (215.0, 219.0)]
        squares, wanted = np.array(powers).T**2, found[0, 0][row, column]**2
        weights, *_ = np.linalg.lstsq(squares, wanted, rcond=None)
        np.testing.assert_allclose(squares @ weights, wanted, atol=0.02)
        self.assertAlmostEqual(max(weights), 1, delta=0.02)
        self.assertGreater(min(weights), 0.4)
        self.assertFalse(os.path.exists(self.path("x-apparent.fits")))

    def test_fields_of_one_set_become_the_same_mosaic(self):
        sources = [(217.0, -35.0, 2.0), (214.6, -34.6, 1.5)]
        seed = self.rng.integers(2**32)
        first, second = (self.field(f"{name}.ms", center, sources, 0.1,
                                    places=np.random.default_rng(seed)).path
                         for name, center in (("a", (215.0, -35.0)), ("b", (219.0, -35.0))))
        self.image(first, second, "--beam", BEAM, "--clean", "500")
        wanted, header = self.read()
        both = self.path("both.ms")
        shutil.copytree(first, both)
        for name in ("", "FIELD"):
            with (tables.table(os.path.join(second, name), ack=False) as more,
                  tables.table(os.path.join(both, name), ack=False, readonly=False) as all_rows):
                before = all_rows.nrows()
                more.copyrows(all_rows)
                if not name:
                    all_rows.putcol("FIELD_ID", np.ones(more.nrows(), np.int32), before)
        for choice in ("all", "0,1", "1, 0"):
            self.image(both, "--field", choice, "--beam", BEAM, "--clean", "500")
            found, its_header = self.read()
            np.testing.assert_allclose(found, wanted, atol=2e-3)
            self.assertAlmostEqual(its_header["CRVAL1"], header["CRVAL1"], delta=1e-9)
        self.image(both, "--beam", BEAM, code=2)
        self.image(both, "--field", "0,2", "--beam", BEAM, code=2)
        # Without a beam they are gridded together.
        self.image(both, "--field", "all")

    def test_each_image_of_a_mosaic_has_its_own_weights(self):
        # The upper half of the band is much noisier than the lower one.
        paths = []
        for name, center in (("a", (215.0, -35.0)), ("b", (219.0, -35.0))):
            sky = self.field(f"{name}.ms", center, [], 0.0)
            data = sky.noise(0.1, self.rng)
            data[:, data.shape[1] // 2:] *= 30
            sky.write(data)
            paths.append(sky.path)
        self.image(*paths, "--beam", BEAM, "--channels-out", "2")
        beam = self.read("-beam")[0][0]
        for group in beam:
            self.assertAlmostEqual(group.max(), 1, delta=0.15)
        self.assertTrue(np.isfinite(self.read()[0][0, :, PIXELS // 2, PIXELS // 2]).all())
        self.assertEqual(main(["image", *paths, "-o", self.path("y.fits"), "--beam", BEAM,
                               "--every", "10min"]), 2)

    def test_a_field_that_is_flagged_is_left_out_of_a_mosaic(self):
        paths = []
        for name, center in (("a", (215.0, -35.0)), ("b", (219.0, -35.0)), ("c", (217.0, -35.0))):
            sky = self.field(f"{name}.ms", center, [], 0.1)
            if name != "c":
                data = sky.noise(0.1, self.rng)
                sky.write(data, np.ones(data.shape, bool))
            paths.append(sky.path)
        self.image(*paths, "--beam", BEAM)
        self.assertAlmostEqual(float(self.read("-beam")[0].max()), 1, delta=0.01)
        self.image(*paths[:2], "--beam", BEAM, code=2)

    def test_models_are_seen_through_the_beam(self):
        center, source = (215.0, -35.0), (217.2, -34.2, 3.0)
        sky = self.field("sky.ms", center, [source], 0.001)
        with open(self.path("c.yml"), "w", encoding="utf-8") as file:
            file.write(f"- {{name: a, ra: {source[0]}, dec: {source[1]}, flux: {source[2]}}}\n")
        self.assertEqual(main(["predict", self.path("c.yml"), sky.path, "--in-place",
                               "--beam", BEAM]), 0)
        data, model = (read_visibilities(sky.path, column=name).data
                       for name in ("DATA", "MODEL_DATA"))
        vis = read_visibilities(sky.path)
        i, j = vis.products
        difference = (data - model)[:, :, i != j]
        self.assertLess(np.abs(difference).max(), 0.02)
        # An image as a model: that of the sky, without the beam.
        self.image(sky.path, "--beam", BEAM)
        values, header = self.read()
        l, m, _ = self.axes(center) @ self.axes(source[:2])[2]
        sky_image = np.zeros((1, 1, PIXELS, PIXELS), np.float32)
        row = round(header["CRPIX2"] - 1 + m / self.cell)
        column = round(header["CRPIX1"] - 1 - l / self.cell)
        sky_image[0, 0, row, column] = source[2]
        keys = [(key, header[key]) for key in header if key[:5] in ("CTYPE", "CRPIX", "CRVAL",
                                                                  "CDELT", "CUNIT")]
        with open(self.path("model.fits"), "wb") as file:
            file.write(fp.fits_image(
                sky_image, keys + [("BUNIT", "count/pixel"), ("RADESYS", "ICRS")], []))
        self.assertEqual(main(["predict", self.path("model.fits"), sky.path, "--in-place",
                               "--beam", BEAM, "--overwrite"]), 0)
        model = read_visibilities(sky.path, column="MODEL_DATA").data[:, :, i != j]
        np.testing.assert_allclose(np.abs(model), np.abs(data[:, :, i != j]), rtol=0.02)

    def test_peeled_fluxes_are_those_before_the_beam(self):
        center, strong, other = (215.0, -35.0), (217.6, -34.0, 300.0), (213.0, -36.0, 30.0)
        sky = self.field("sky.ms", center, [strong, other], 0.1)
        for name, (ra, dec, flux) in (("strong.yml", strong), ("other.yml", other)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(f"- {{name: a, ra: {ra}, dec: {dec}, flux: {flux}}}\n")
        beam = beam_of(BEAM)
        towards = self.axes(center) @ self.axes(strong[:2])[2]
        power = np.mean([beam.power(towards[None], f)[0, 0] for f in sky.frequencies])
        self.assertLess(power, 0.6)
        for how in ("gains", "offsets"):
            for used, flux in ((beam, strong[2]), (None, strong[2] * power)):
                with self.subTest(how=how, beam=used is not None):
                    report = peel(sky.path, self.path("rest.ms"),
                                  read_catalogue(self.path("strong.yml")),
                                  peel_settings(solve=how, beam=used, taper=0.0,
                                                model=self.path("other.yml")), overwrite=True)
                    # Without the beam the model of the other source is too strong.
                    self.assertAlmostEqual(np.mean(report.sources[0].fluxes) / flux, 1,
                                           delta=0.005 if used else 0.04)
        # With the beam the model of the other one is right, too: noise is left of the strong one.
        self.assertEqual(main(["peel", sky.path, "-o", self.path("rest.ms"), "--sources",
                               self.path("strong.yml"), "--model", self.path("other.yml"),
                               "--beam", BEAM, "--taper", "0", "--solve", "offsets",
                               "--overwrite"]), 0)
        self.assertEqual(main(["predict", self.path("other.yml"), sky.path, "--in-place",
                               "--beam", BEAM]), 0)
        rest = read_visibilities(self.path("rest.ms"), column="CORRECTED_DATA")
        left = rest.data - read_visibilities(sky.path, column="MODEL_DATA").data
        i, j = rest.products
        self.assertLess(np.sqrt(np.mean(np.abs(left[:, :, i != j])**2)), 0.15)

    @unittest.skipUnless(AiryDisk2D, "astropy is not installed")
    def test_a_fixed_beam_turns_with_the_sky(self):
        # What a tile sees of a source hours later: by astropy's azimuth and elevation.
        path = snapshot(self.folder, 6, self.rng, dumps=2, channels=8,
                        center={"ra": 230.0, "dec": -30.0}, polarizations="XY")
        vis = read_visibilities(path)
        vis.seconds[0] -= 7200  # the other one gives the place of the zenith
        frame = frame_of(vis, False)
        l, m = 0.05, -0.1
        found = powers(beam_of("mwa"), vis, frame, np.array([[l, m, np.sqrt(1 - l * l - m * m)]]),
                       [150e6], [0, 1])[:, 0, 0]
        towards = np.array([l, m, np.sqrt(1 - l * l - m * m)]) @ self.axes((230.0, -30.0))
        star = SkyCoord(x=towards[0], y=towards[1], z=towards[2], representation_type="cartesian")
        place = EarthLocation(lat=-26.7 * units.deg, lon=116.7 * units.deg, height=300 * units.m)
        for dump in (0, 1):
            seen = star.transform_to(AltAz(obstime=Time(vis.seconds[dump], format="unix"),
                                           location=place))
            az, el = seen.az.rad, seen.alt.rad
            there = np.array([[np.sin(az) * np.cos(el), np.cos(az) * np.cos(el), np.sin(el)]])
            wanted = beam_of("mwa").power(there, 150e6)[0]
            np.testing.assert_allclose(found[dump], wanted, atol=0.02 * wanted.max())


if __name__ == "__main__":
    unittest.main()
