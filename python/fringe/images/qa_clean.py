#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image --clean: against WSClean, double sums, and the sky that was put in."""
import os
import shutil
import subprocess
import unittest
import unittest.mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import clean_settings, image_settings, make_image
from gnuradio.fringe.images.passes import passes
from gnuradio.fringe.images.rows import visibility_rows
from gnuradio.fringe.images.side_by_side import side_by_side
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_cli import command
from qa_scratch import TIMEOUT, scratch_case, times_tried
from qa_skies import C, ms_sky, snapshot

try:
    from astropy.io import fits
except ImportError:
    fits = None


class qa_clean(scratch_case):

    def field(self, antennas=40, sources=3, noise=0.3, flux=(1, 2), size=300, **more):
        """A MeasurementSet of point sources in an image of `pixels` pixels: its `ms_sky`;
        self.cell is the pixel, self.sources (l, m, flux)."""
        sky = ms_sky(snapshot(self.folder, antennas, self.rng, **more))
        longest = np.hypot(*sky.uvw.T[:2]).max() * sky.frequencies.max() / C
        self.cell, self.sources = 1 / (4 * longest), []
        while len(self.sources) < sources:
            l, m = self.rng.uniform(-0.4, 0.4, 2) * size * self.cell
            if all(np.hypot(l - a, m - b) > 30 * self.cell for a, b, _ in self.sources):
                self.sources.append((l, m, 10**self.rng.uniform(*np.log10(flux))))
        self.data = sum(sky.point(*source) for source in self.sources) + sky.noise(noise, self.rng)
        sky.write(self.data)
        return sky

    def image(self, path, output, *words, size=300, code=0):
        self.assertEqual(main(["image", path, "-o", self.path(output), "--size", str(size),
                               "--scale", f"{self.cell}rad", "--no-all-sky", *words]), code)
        return read_fits_image(self.path(output)) if code == 0 else None

    def wsclean(self, path, size, components, *words):
        """Writes ws-*.fits, with weights on a grid without padding, as those of fringe are."""
        made = subprocess.run(
            ["wsclean", "-size", str(size), str(size), "-scale", f"{self.cell}rad", "-pol", "XX",
             "-weight", "briggs", "0", "-niter", str(components), "-mgain", "0.8", "-gain", "0.1",
             "-padding", "1", "-no-small-inversion", "-name", "ws", "-use-wgridder", *words, path],
            cwd=self.folder, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), text=True,
            capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)

    def flux(self, model, l, m, center, reach=12):
        """Of what a model has near a place; center: (row, column) of l = m = 0; columns grow to
        the west."""
        y, x = np.mgrid[:model.shape[0], :model.shape[1]]
        ls, ms = (center[1] - x) * self.cell, (y - center[0]) * self.cell
        return (model * (np.hypot(ls - l, ms - m) < reach * self.cell)).sum()

    def seen(self, sky, model, l, m, center, reach=12):
        """The visibilities of what a model has near a place, as flux() counts it."""
        y, x = np.mgrid[:model.shape[0], :model.shape[1]]
        ls, ms = (center[1] - x) * self.cell, (y - center[0]) * self.cell
        near = (np.hypot(ls - l, ms - m) < reach * self.cell) & (model != 0)
        return sum(sky.point(*source) for source in zip(ls[near], ms[near], model[near]))

    def top(self, restored, l, m, center):
        """Where the top of a Gaussian near a place is: the paraboloid of the logarithms."""
        row, column = round(center[0] + m / self.cell), round(center[1] - l / self.cell)
        near = restored[row - 3:row + 4, column - 3:column + 4]
        y, x = np.unravel_index(near.argmax(), near.shape)
        row, column = row - 3 + y, column - 3 + x
        y, x = np.mgrid[-1:2, -1:2].reshape(2, 9)
        values = np.log(np.maximum(restored[row - 1:row + 2, column - 1:column + 2], 1e-9)).ravel()
        c = np.linalg.lstsq(np.stack([np.ones(9), x, y, x * x, y * y, x * y], 1), values,
                            rcond=None)[0]
        right, up = -np.linalg.solve([[2 * c[3], c[5]], [c[5], 2 * c[4]]], c[1:3])
        return (center[1] - column - right) * self.cell, (row + up - center[0]) * self.cell

    @unittest.skipUnless(fits, "astropy is not installed")
    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_an_automatic_mask_takes_sources_whole_and_leaves_noise(self):
        # Five sources of 20 to 60 standard deviations of the image.
        sky = self.field(sources=5, noise=1.0, flux=(0.2, 0.5))
        deep = "--clean", "5000", "--threshold", "1sigma"
        self.image(sky.path, "all.fits", *deep)
        self.image(sky.path, "some.fits", *deep, "--auto-mask", "5")
        everywhere, model = (read_fits_image(self.path(name + "-model.fits"))[0][0, 0][:, ::-1]
                             for name in ("all", "some"))
        near = np.zeros(model.shape, bool)
        rows, columns = np.indices(model.shape) - np.array([150, 149])[:, None, None]
        for l, m, flux in self.sources:
            beam = np.hypot(rows * self.cell - m, columns * self.cell - l) < 12 * self.cell
            near |= beam
            self.assertAlmostEqual(model[beam].sum() / flux, 1, delta=0.4)
        self.assertFalse(model[~near].any())
        self.assertGreater(np.count_nonzero(everywhere[~near]), 10)
        self.image(sky.path, "x.fits", *deep, "--auto-mask", "0", code=2)
        self.image(sky.path, "x.fits", "--auto-mask", "5", code=2)

    def test_twenty_sources_beside_wsclean(self):
        size, noise, count = 512, 0.3, 20
        sky = self.field(64, count - 1, noise, (1, 100), size)
        # The last one is extended, and on a place of its own.
        while True:
            l, m = self.rng.uniform(-0.4, 0.4, 2) * size * self.cell
            if all(np.hypot(l - a, m - b) > 60 * self.cell for a, b, _ in self.sources):
                break
        extended = (l, m, 60.0)
        shape = sky.point(*extended, width=6 * self.cell)
        sky.write(self.data + shape)
        threshold = 5 * noise / np.sqrt(self.data.size)
        self.wsclean(sky.path, size, 100000, "-threshold", str(threshold))
        theirs = {kind: fits.getdata(self.path(f"ws-{kind}.fits"))[0, 0].astype(float)
                  for kind in ("model", "residual")}
        header = fits.getheader(self.path("ws-image.fits"))
        for minor in ("clark", "hogbom"):
            self.image(sky.path, f"{minor}.fits", "--pol", "XX", "--weight", "briggs:0",
                       "--clean", "100000", "--threshold", str(threshold), "--minor", minor,
                       size=size)
            ours = {kind: fits.getdata(self.path(f"{minor}-{kind}.fits"))[0, 0].astype(float)
                    for kind in ("model", "residual")}
            restored = fits.getheader(self.path(f"{minor}.fits"))
            image = fits.getdata(self.path(f"{minor}.fits"))[0, 0].astype(float)
            beam = np.radians(restored["BMIN"])
            area = 1.133 * beam * np.radians(restored["BMAJ"])
            # The two fit a Gaussian to other parts of the main lobe.
            for key in ("BMAJ", "BMIN"):
                self.assertAlmostEqual(restored[key] / header[key], 1, delta=0.25)
            # It may be better, as it mostly is, but not by taking noise for sources.
            self.assertGreater(ours["residual"].std(), 0.8 * noise / np.sqrt(self.data.size))
            self.assertLess(ours["residual"].std(), 1.2 * theirs["residual"].std())
            # The flux of the extended one as the baselines see it.
            seen = self.seen(sky, ours["model"], *extended[:2], (size // 2, size // 2))
            fitted = np.vdot(shape, seen).real / np.vdot(shape, shape).real
            self.assertAlmostEqual(fitted, 1, delta=0.01)
            for l, m, flux in self.sources + [extended]:
                mine = self.flux(ours["model"], l, m, (size // 2, size // 2))
                other = self.flux(theirs["model"], l, m, (size // 2, size // 2))
                # What is below the threshold stays in the residual, in each beam that is added.
                left = threshold * np.pi * (12 * self.cell)**2 / area
                with self.subTest(minor=minor, flux=flux):
                    # The sum of the components is what they make of a baseline of length 0, which
                    # is not there: of the extended one 0.3 to 2 % are missing in both programs.
                    share = 0.04 if (l, m, flux) == extended else 0.01
                    self.assertAlmostEqual(mine, flux, delta=share * flux + left)
                    self.assertAlmostEqual(mine, other, delta=0.01 * flux + left)
                    found = self.top(image, l, m, (size // 2, size // 2))
                    # What is not cleaned moves a faint source.
                    self.assertLess(np.hypot(found[0] - l, found[1] - m),
                                    (0.05 + 3 * threshold / flux) * beam)

    @unittest.skipUnless(fits, "astropy is not installed")
    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_as_many_components_leave_the_residual_of_wsclean(self):
        # Down to a threshold the rms depends on where the last minor cycles happen to begin, by a
        # fifth in either program; after as many components of one gain it does not.
        size, count, ratios = 512, 4000, []
        for name in ("one.ms", "two.ms")[:times_tried(1, 2)]:
            sky = self.field(64, 19, 0.3, (1, 100), size, name=name)
            sky.write(self.data + sky.point(*self.rng.uniform(-0.4, 0.4, 2) * size * self.cell,
                                            60.0, width=6 * self.cell))
            self.wsclean(sky.path, size, count)
            theirs = {kind: fits.getdata(self.path(f"ws-{kind}.fits"))[0, 0].astype(float)
                      for kind in ("psf", "residual")}
            for minor in ("clark", "hogbom"):
                self.image(sky.path, f"{minor}.fits", "--pol", "XX", "--weight", "briggs:0",
                           "--clean", str(count), "--threshold", "0", "--minor", minor,
                           "--overwrite", size=size)
                ours = {kind: fits.getdata(self.path(f"{minor}-{kind}.fits"))[0, 0].astype(float)
                        for kind in ("psf", "residual")}
                # WSClean 3.1 has the same robust weights: 1e-5. WSClean 3.6 has others for a few
                # visibilities: 0.0012, with a standard deviation of 0.0002 in 24 skies, so that
                # this is 8 sigma. Cells moved by half of one make 0.012 to 0.021.
                np.testing.assert_allclose(ours["psf"], theirs["psf"], rtol=0, atol=3e-3)
                ratios.append(ours["residual"].std() / theirs["residual"].std())
        print("residual by WSClean's:", *(f"{ratio:.3f}" for ratio in ratios))
        # In 16 skies each was 0.975 to 1.013, in some later ones 0.963.
        self.assertGreater(np.mean(ratios), 0.95)
        self.assertLess(np.mean(ratios), 1.1)

    def test_residual_is_the_double_sum_of_data_minus_model(self):
        for minor in ("clark", "hogbom"):
            sky = self.field(name=f"{minor}.ms", center={"ra": 215.0, "dec": -40.0})
            _, header = self.image(sky.path, f"{minor}.fits", "--clean", "60", "--minor", minor)
            model, _ = read_fits_image(self.path(f"{minor}-model.fits"))
            residual, _ = read_fits_image(self.path(f"{minor}-residual.fits"))
            psf, _ = read_fits_image(self.path(f"{minor}-psf.fits"))
            model, residual, psf = (image[0, 0][:, ::-1] for image in (model, residual, psf))
            left = self.data.copy()
            for row, column in zip(*np.nonzero(model)):
                left -= sky.point((column - 149) * self.cell, (row - 150) * self.cell,
                                  model[row, column])
            scale = self.data.real.std()
            for _ in range(30):
                row, column = self.rng.integers(0, 300, 2)
                place = (column - 149) * self.cell, (row - 150) * self.cell
                waves = sky.point(*place).conj()
                self.assertAlmostEqual(residual[row, column], (left * waves).real.mean(),
                                       delta=3e-4 * scale)
                self.assertAlmostEqual(psf[row, column], waves.real.mean(), delta=1e-3)
            self.assertEqual(psf[150, 149], 1)
            self.assertLess(header["BMIN"], header["BMAJ"])
            with open(self.path(f"{minor}.fits"), "rb") as file:
                self.assertIn(b"CLEAN I: 60 components", file.read(10 * 2880))

    def test_restored_is_the_model_with_the_beam_and_the_residual(self):
        sky = self.field()
        restored, header = self.image(sky.path, "x.fits", "--clean", "1000")
        model, residual = (read_fits_image(self.path(f"x-{kind}.fits"))[0][0, 0]
                           for kind in ("model", "residual"))
        angle = np.radians(header["BPA"])
        y, x = np.mgrid[:300, :300]
        wanted = residual.astype(float)
        for row, column in zip(*np.nonzero(model)):
            east, north = (column - x) * self.cell, (y - row) * self.cell
            along = (east * np.sin(angle) + north * np.cos(angle)) / np.radians(header["BMAJ"])
            across = (east * np.cos(angle) - north * np.sin(angle)) / np.radians(header["BMIN"])
            wanted += model[row, column] * 0.5**(4 * (along**2 + across**2))
        np.testing.assert_allclose(restored[0, 0], wanted, atol=2e-5 * wanted.max())
        self.assertEqual(read_fits_image(self.path("x-model.fits"))[1]["BUNIT"], "count/pixel")

    def test_beam_of_a_dirty_image_is_that_of_its_psf(self):
        sky = self.field()
        _, header = self.image(sky.path, "x.fits", "--weight", "uniform")
        _, other = self.image(sky.path, "y.fits", "--weight", "uniform", "--psf")
        self.assertFalse(os.path.exists(self.path("x-psf.fits")))
        psf, _ = read_fits_image(self.path("y-psf.fits"))
        middle = np.roll(psf[0, 0][:, ::-1], 1, axis=1).copy()
        beam = fringe.fringe_python.fit_beam(middle, self.cell, self.cell)
        for key, value in zip(("BMAJ", "BMIN", "BPA"), np.degrees(beam)):
            self.assertAlmostEqual(other[key], value, delta=1e-6 * value + 1e-6)
            self.assertAlmostEqual(header[key], value, delta=0.01 * abs(value) + 1e-6)

    def test_mask_and_sigma(self):
        sky = self.field(sources=2, flux=(2, 4))
        plain, header = self.image(sky.path, "x.fits")
        mask = np.zeros((300, 300), np.float32)
        l, m, _ = self.sources[0]
        row, column = int(round(150 + m / self.cell)), int(round(150 - l / self.cell))
        mask[row - 8:row + 9, column - 8:column + 9] = 1
        where = [(key + str(k), header[key + str(k)]) for k in (1, 2)
                 for key in ("CTYPE", "CRPIX", "CRVAL", "CDELT")] + [("RADESYS", "ICRS")]
        for name, values, where in (("mask.fits", mask, where), ("bare.fits", mask, []),
                                    ("empty.fits", 0 * mask, where)):
            with open(self.path(name), "wb") as file:
                file.write(fringe.fringe_python.fits_image(values, where, []))
        self.image(sky.path, "y.fits", "--clean", "10000", "--threshold", "4sigma", "--mask",
                   self.path("mask.fits"))
        model = read_fits_image(self.path("y-model.fits"))[0][0, 0]
        residual = read_fits_image(self.path("y-residual.fits"))[0][0, 0]
        self.assertTrue(model.any())
        self.assertFalse(model[mask == 0].any())
        sigma = 1.4826 * np.median(np.abs(residual - np.median(residual)))
        self.assertLessEqual(np.abs(residual[mask == 1]).max(), 4.001 * sigma)
        self.assertGreater(np.abs(residual).max(), 4 * sigma)
        for name in ("bare.fits", "empty.fits", "none.fits"):
            self.image(sky.path, "z.fits", "--clean", "10", "--mask", self.path(name), code=2)
        self.assertEqual((plain.shape, header["BUNIT"]), ((1, 1, 300, 300), "count/beam"))

    def test_planes_and_groups_are_cleaned_apart(self):
        sky = self.field(antennas=24, polarizations="XY", size=128, noise=0.02)
        made = make_image([sky.path], image_settings(
            size=(128, 128), scale=self.cell, channels_out=2, all_sky=False, pol="XX,YY",
            clean=clean_settings(2000, sigmas=5.0)))
        self.assertEqual(made.model.shape, (2, 2, 128, 128))
        fluxes = made.model.sum(axis=(2, 3))
        for value in fluxes.ravel():
            self.assertAlmostEqual(value / sum(s[2] for s in self.sources), 1, delta=0.1)
        self.assertEqual([len(reports) for reports in made.reports], [2, 2])

    def test_planes_read_the_visibilities_together(self):
        sky = self.field(antennas=24, polarizations="XY", size=128, noise=0.02)
        path = str(sky.path)

        def cleaned(pol, gridder):
            read = []
            parts = visibility_rows.pieces

            def counted(work, *range_of_progress):
                read.append(0)
                return parts(work, *range_of_progress)
            # So little memory that every pass reads the file.
            settings = image_settings(size=(128, 128), scale=self.cell, all_sky=False, pol=pol,
                                      gridder=gridder, memory=1,
                                      clean=clean_settings(3000, sigmas=5.0))
            with unittest.mock.patch.object(visibility_rows, "pieces", counted):
                return make_image([path], settings), len(read)
        for gridder in ("separable", "wprojection"):
            with self.subTest(gridder):
                both, count = cleaned("XX,YY", gridder)
                cycles = [report[0]["major_cycles"] for report in both.reports]
                # One pass for the dirty images and one for their point spread functions.
                self.assertLessEqual(count, max(cycles) + 3)
                self.assertGreaterEqual(count, max(cycles))
                for plane, pol in enumerate(("XX", "YY")):
                    alone, _ = cleaned(pol, gridder)
                    np.testing.assert_allclose(both.model[plane].sum(), alone.model[0].sum(),
                                               rtol=0.01)
                    top = np.abs(alone.values[0]).max()
                    np.testing.assert_allclose(both.values[plane], alone.values[0],
                                               atol=0.02 * top)

    def test_side_by_side_ends_with_the_first_failure(self):
        asked = []

        def together(models):
            asked.append(sorted(models))
            return {plane: 2 * model for plane, model in models.items()}

        def clean(plane, residual):
            return [residual(plane + k) for k in range(plane + 1)]
        self.assertEqual(side_by_side([0, 1, 2], together, clean),
                         {0: [0], 1: [2, 4], 2: [4, 6, 8]})
        self.assertEqual(asked, [[0, 1, 2], [1, 2], [2]])

        def failing(plane, residual):
            residual(plane)
            if plane == 1:
                raise ValueError("no more")
            while True:
                residual(plane)
        with self.assertRaisesRegex(ValueError, "no more"):
            side_by_side([0, 1, 2], together, failing)

        def broken(_):
            raise OSError("the file is gone")
        with self.assertRaisesRegex(OSError, "gone"):
            side_by_side([0, 1], broken, clean)

    def test_divergence_is_reported(self):
        sky = self.field(antennas=20, sources=2, size=128)
        settings = image_settings(size=(128, 128), scale=self.cell, all_sky=False,
                                  clean=clean_settings(5000))
        dirty = make_image([sky.path], image_settings(size=(128, 128), scale=self.cell,
                                                      all_sky=False)).values[0, 0]
        # A gridder whose residuals are nothing but wrong.
        with unittest.mock.patch.object(passes, "residuals", lambda *_: {0: [-5 * dirty]}):
            made = make_image([sky.path], settings)
        self.assertEqual(made.reports[0][0]["end"], "diverged")
        self.assertIn("CLEAN of I diverged", made.remarks[0])
        np.testing.assert_array_equal(made.residual[0, 0], dirty)
        self.assertFalse(made.model.any())

    def test_the_whole_sky(self):
        sky = ms_sky(snapshot(self.folder, 50, self.rng, extent=40.0))
        angle = self.rng.uniform(0, 2 * np.pi)
        sources = [(r * np.cos(angle + k * 2.1), r * np.sin(angle + k * 2.1), flux)
                   for k, (r, flux) in enumerate(((0.15, 1.0), (0.6, 3.0), (0.93, 2.0)))]
        sky.write(sum(sky.point(*source) for source in sources) + sky.noise(0.1, self.rng))
        made = make_image([sky.path], image_settings(clean=clean_settings(5000)))
        self.assertTrue(made.frame.all_sky)
        # A peak that comes back in every major cycle ends it a little earlier.
        self.assertIn(made.reports[0][0]["end"], ("threshold", "stalled"))
        self.cell = made.pixel
        middle = made.values.shape[2] // 2
        model = made.model[0, 0][:, ::-1]
        for l, m, flux in sources:
            found = self.flux(model, l, m, (middle, middle), 6)
            self.assertAlmostEqual(found / flux, 1, delta=0.05)
        hidden = np.isnan(made.values)
        self.assertTrue(hidden.any())
        self.assertFalse(made.model[hidden].any())

    def test_refusals_are_sentences(self):
        sky = self.field(antennas=6, sources=1)
        for name, content in (("nothing", b""), ("text", b"SIMPLE  = T" * 9000)):
            with open(self.path(name), "wb") as file:
                file.write(content)
        for words, sentence in ((("--clean", "0"), "--clean"), (("--gain", "0.2"), "--clean N"),
                                (("--threshold", "3sigma"), "--clean N"),
                                (("--clean", "9", "--gain", "1.5"), "--gain: 1.5"),
                                (("--clean", "9", "--threshold", "3dB"), "--threshold: 3dB"),
                                (("--clean", "9", "--threshold=-1"), "--threshold: -1"),
                                (("--clean", "9", "--mask", "/none"), "there is no such file"),
                                (("--clean", "9", "--mask", self.path("nothing")),
                                 "no whole header"),
                                (("--clean", "9", "--mask", self.path("text")), "no whole FITS")):
            with self.subTest(words):
                made = command("image", sky.path, "-o", self.path("x.fits"), *words)
                self.assertEqual(made.returncode, 2, made.stderr)
                self.assertIn(sentence, made.stderr)
                self.assertFalse(os.path.exists(self.path("x.fits")))
        # What stands beside the image is not replaced either.
        with open(self.path("x-model.fits"), "wb") as file:
            file.write(b"mine")
        self.assertEqual(main(["image", sky.path, "-o", self.path("x.fits"), "--clean", "5"]), 2)
        self.assertEqual(os.path.getsize(self.path("x-model.fits")), 4)


if __name__ == "__main__":
    unittest.main()
