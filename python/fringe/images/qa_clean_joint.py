#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image --scales, --spectral-terms: against WSClean and the sky that was put in."""
import os
import shutil
import subprocess
import unittest
from unittest import mock
from types import SimpleNamespace

import numpy as np
from casacore.tables import table
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import clean_settings, image_settings, make_image
from gnuradio.fringe.images import grids
from gnuradio.fringe.images.make import check_channels, widths_of
from gnuradio.fringe.images.outliers import describe_outliers
from gnuradio.fringe.images.spectra import mean_image, scales_of, term_images
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_scratch import TIMEOUT, scratch_case, times_tried
from qa_skies import C, ms_sky, snapshot

SIZE, NOISE, CHANNELS = 200, 0.1, 4


class qa_clean_joint(scratch_case):

    def field(self, bend=1.0):
        """Three points and two extended sources with spectra, 130 to 170 MHz: (sky, [(l, m, flux,
        index, width)], threshold of five times the noise). bend: factor of the indices."""
        sky = ms_sky(snapshot(self.folder, 28, self.rng, bandwidth=40.96e6, channels=8))
        longest = np.hypot(*sky.uvw.T[:2]).max() * sky.frequencies.max() / C
        self.cell, sources = 1 / (4 * longest), []
        while len(sources) < 5:
            l, m = self.rng.uniform(-0.35, 0.35, 2) * SIZE * self.cell
            width = 10 * self.cell * (len(sources) > 2)
            if all(np.hypot(l - s[0], m - s[1]) > 40 * self.cell for s in sources):
                index = bend * self.rng.uniform(-1.5, 0.5)
                sources.append((l, m, self.rng.uniform(2, 5), index, width))
        data = sum(sky.point(l, m, flux, width) * (sky.frequencies / 150e6)**index
                   for l, m, flux, index, width in sources) + sky.noise(NOISE, self.rng)
        sky.write(data)
        return sky, sources, 5 * NOISE / np.sqrt(data.size)

    def image(self, sky, name, *words, code=0):
        self.assertEqual(main(["image", sky.path, "-o", self.path(name), "--size", str(SIZE),
                               "--scale", f"{self.cell}rad", "--no-all-sky", "--pol", "XX",
                               "--weight", "briggs:0", *words]), code)

    def read(self, name):
        return read_fits_image(self.path(name))[0].astype(float)

    def near(self, l, m, width):
        """Pixels around a place, with columns to the west."""
        y, x = np.mgrid[:SIZE, :SIZE]
        return np.hypot((SIZE // 2 - x) * self.cell - l,
                        (y - SIZE // 2) * self.cell - m) < 10 * self.cell + 1.3 * width

    def check_fluxes(self, name, sources, share, extended):
        model = self.read(f"{name}-model.fits")[0]
        header = read_fits_image(self.path(f"{name}-model.fits"))[1]
        frequencies = header["CRVAL3"] + np.arange(CHANNELS) * header["CDELT3"]
        terms = [self.read(f"{name}-term{t}.fits")[0, 0] for t in (0, 1)]
        for l, m, flux, index, width in sources:
            near = self.near(l, m, width)
            found = model[:, near].sum(axis=1)
            with self.subTest(name, flux=flux, index=index, width=width):
                allowed = extended if width else share
                np.testing.assert_allclose(found, flux * (frequencies / 150e6)**index,
                                           rtol=allowed)
                top = near & (terms[0] > 0.3 * terms[0][near].max())
                self.assertAlmostEqual(terms[1][top].sum() / terms[0][top].sum(), index,
                                       delta=0.2 if width else 0.1)

    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_joined_channels_and_scales_beside_wsclean(self):
        sky, sources, threshold = self.field()
        ways = ("scales", ("--scales", "auto"), ("-multiscale",)), ("points", (), ())
        for name, scales, theirs in ways[:times_tried(1, 2)]:
            made = subprocess.run(
                ["wsclean", "-size", str(SIZE), str(SIZE), "-scale", f"{self.cell}rad", "-pol",
                 "XX", "-weight", "briggs", "0", "-niter", "20000", "-mgain", "0.8", "-gain", "0.1",
                 "-padding", "1", "-no-small-inversion", "-name", "ws", "-use-wgridder",
                 "-join-channels", "-channels-out", str(CHANNELS), "-fit-spectral-pol", "2",
                 "-threshold", str(threshold), *theirs, sky.path],
                cwd=self.folder, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), text=True,
                capture_output=True, timeout=TIMEOUT, check=False)
            self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
            self.image(sky, f"{name}.fits", "--clean", "20000", "--threshold", str(threshold),
                       "--channels-out", str(CHANNELS), "--spectral-terms", "2", *scales)
            left, other = (self.read(file)[0, 0].std()
                           for file in (f"{name}-mfs-residual.fits", "ws-MFS-residual.fits"))
            print(f"{name}: residual {left:.3g}, WSClean's {other:.3g}, noise "
                  f"{threshold / 5:.3g}")
            # Down to a threshold it depends on where the last minor cycles happen to begin.
            self.assertLess(left, (1.1 if scales else 1.03) * other)
            # It does not take noise for sources either.
            self.assertGreater(left, 0.8 * threshold / 5)
            model = self.read("ws-MFS-model.fits")[0, 0]
            mine = self.read(f"{name}-mfs-model.fits")[0, 0]
            for l, m, flux, _, width in sources:
                if width and not scales:
                    continue  # points miss some of it, in both programs
                near = self.near(l, m, width)
                # Over the band a steep spectrum has 1 % more than at its middle.
                errors = [abs(image[near].sum() / flux - 1) for image in (mine, model)]
                self.assertLess(errors[0], max(0.05, errors[1] + 0.01))
        self.check_fluxes("scales", sources, 0.03, 0.06)

    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_joined_polarizations_beside_wsclean(self):
        sky = ms_sky(snapshot(self.folder, 28, self.rng, polarizations="XY"))
        self.cell = 1 / (4 * np.hypot(*sky.uvw.T[:2]).max() * sky.frequencies.max() / C)
        sigma, names = NOISE / np.sqrt(sky.uvw.shape[0] * len(sky.frequencies)), "IQUV"
        # The parts of I that Q, U and V are: one of V alone is below its own threshold.
        sources = [(x * SIZE * self.cell, y * SIZE * self.cell, flux, part)
                   for x, y, flux, part in ((-0.3, 0.2, 2.0, (0.7, -0.3, 0.1)),
                                            (0.1, 0.32, 3.0, (0.0, 0.5, 0.0)),
                                            (0.25, -0.1, 1.0, (-0.2, 0.2, -0.3)),
                                            (-0.1, -0.3, 1.5, (0.0, 0.0, 4 * sigma / 1.5)))]
        stokes = [sum(sky.point(l, m, flux * ((1.0, *part))[k]) for l, m, flux, part in sources)
                  + sky.noise(NOISE, self.rng) for k in range(4)]
        i, q, u, v = stokes
        sky.write(np.stack([i + q, u + 1j * v, u - 1j * v, i - q], axis=-1))
        threshold = 8 * sigma
        words = ("--clean", "20000", "--threshold", str(threshold), "--pol", "IQUV",
                 "--pol-frame", "feed", "--weight", "natural")
        self.image(sky, "joined.fits", *words, "--join-polarizations")
        self.image(sky, "apart.fits", *words)
        made = subprocess.run(
            ["wsclean", "-size", str(SIZE), str(SIZE), "-scale", f"{self.cell}rad", "-pol", "iquv",
             "-join-polarizations", "-weight", "natural", "-niter", "20000", "-mgain", "0.8",
             "-gain", "0.1", "-padding", "1", "-no-small-inversion", "-name", "ws", "-use-wgridder",
             "-threshold", str(threshold), sky.path],
            cwd=self.folder, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), text=True,
            capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
        joined, apart = (self.read(f"{name}-model.fits")[:, 0] for name in ("joined", "apart"))
        used = joined != 0
        for plane in range(1, 4):
            np.testing.assert_array_equal(used[plane], used[0])
        for l, m, flux, part in sources:
            near = self.near(l, m, 0)
            for name, model, share in zip(names, joined, (1.0, *part)):
                self.assertAlmostEqual(model[near].sum(), flux * share,
                                       delta=14 * sigma + 0.01 * flux, msg=name)
        faint = self.near(*sources[3][:2], 0)
        self.assertAlmostEqual(joined[3][faint].sum(), 4 * sigma, delta=6 * sigma)
        self.assertFalse(apart[3][faint].any())
        for plane, name in enumerate(names):
            left = self.read("joined-residual.fits")[plane, 0].std()
            other = self.read(f"ws-{name}-residual.fits")[0, 0].std()
            print(f"{name}: residual {left:.3g}, WSClean's {other:.3g}, noise {sigma:.3g}")
            self.assertLess(left, 1.1 * other)
        for more in (("--pol", "I"), ("--minor", "hogbom")):
            self.image(sky, "x.fits", *words, "--join-polarizations", *more, code=2)
        # With channels, spectra and scales together.
        self.image(sky, "all.fits", *words, "--join-polarizations", "--channels-out", "4",
                   "--spectral-terms", "2", "--scales", "auto")
        for plane in range(4):
            self.assertLess(self.read("all-mfs-residual.fits")[plane, 0].std(), 1.6 * sigma)

    def test_scales_take_an_extended_source_whole(self):
        sky, sources, threshold = self.field(bend=0.0)
        made = {}
        for name, scales in (("points", ()), ("scales", "auto")):
            made[name] = make_image([sky.path], image_settings(
                size=(SIZE, SIZE), scale=self.cell, all_sky=False, weight="briggs",
                clean=clean_settings(20000, threshold, 0.0, scales=scales)))
            self.assertEqual(made[name].reports[0][0]["end"], "threshold")
        # Down to a threshold it depends on where the last minor cycles happen to begin.
        self.assertLess(made["scales"].residual.std(), 1.1 * made["points"].residual.std())
        self.assertLess(made["scales"].reports[0][0]["iterations"],
                        made["points"].reports[0][0]["iterations"])
        for l, m, flux, _, width in sources:
            found = made["scales"].model[0, 0][:, ::-1][np.roll(
                self.near(l, m, width), 1, axis=1)].sum()
            self.assertAlmostEqual(found / flux, 1, delta=0.05)
        diameters = scales_of(made["scales"], "auto")
        beam = np.sqrt(np.prod(made["scales"].beam[:2])) / self.cell
        np.testing.assert_allclose(diameters, [0, 4 * beam, *(
            4 * beam * 2**k for k in range(1, len(diameters) - 1))])
        self.assertLessEqual(diameters[-1], SIZE / 4)

    def test_the_residual_is_that_of_the_model(self):
        # What fringe predict makes of the cube of models is what is missing in the residuals.
        sky, _, threshold = self.field()
        words = ("--channels-out", "2", "--weight", "natural")
        self.image(sky, "x.fits", "--clean", "300", "--threshold", str(threshold),
                   "--join-channels", "--scales", f"0,{20 * self.cell}rad", *words)
        self.assertEqual(main(["predict", self.path("x-model.fits"), sky.path, "-o",
                               self.path("model.ms")]), 0)
        self.image(sky, "dirty.fits", *words)
        self.assertEqual(main(["image", self.path("model.ms"), "-o", self.path("model.fits"),
                               "--size", str(SIZE), "--scale", f"{self.cell}rad", "--no-all-sky",
                               "--pol", "XX", "--column", "MODEL_DATA", *words]), 0)
        dirty, model, residual = (self.read(name) for name in (
            "dirty.fits", "model.fits", "x-residual.fits"))
        np.testing.assert_allclose(dirty - model, residual, atol=2e-3 * dirty.max())
        mean = self.read("x-mfs-residual.fits")
        self.assertEqual(mean.shape, (1, 1, SIZE, SIZE))
        np.testing.assert_allclose(mean[0, 0], residual[0].mean(axis=0), atol=1e-6 * dirty.max())

    def test_coefficients_of_a_polynomial(self):
        sky, *_ = self.field()
        made = make_image([sky.path], image_settings(size=(64, 64), scale=self.cell, all_sky=False,
                                                     channels_out=4))
        # A line, and in one pixel a parabola, which a line does not fit.
        x = made.frequencies / np.average(made.frequencies, weights=made.total_weight[0]) - 1
        made.values[0] = (2 - 0.7 * x)[:, None, None]
        first, second = term_images(made, 2)
        np.testing.assert_allclose(first.values, 2, rtol=1e-5)
        np.testing.assert_allclose(second.values, -0.7, rtol=1e-4)
        self.assertEqual(first.values.shape, (1, 1, 64, 64))
        np.testing.assert_allclose(mean_image(made).values, 2, rtol=1e-5)

    def test_channels_of_several_files(self):
        first, other, falling, fewer = (
            SimpleNamespace(path=name, frequencies=np.array(f)) for name, f in (
                ("a.ms", [100e6, 101e6, 102e6]), ("b.ms", [100.2e6, 101.2e6, 102.2e6]),
                ("c.ms", [102e6, 101e6, 100e6]), ("d.ms", [100e6])))
        for settings in (image_settings(), image_settings(channels_out=3)):
            self.assertEqual(check_channels([first, other], settings), [])
        remark, = check_channels([first, other, falling], image_settings())
        self.assertIn("c.ms: has channel 0 at 102000000 Hz, and a.ms at 100000000 Hz", remark)
        for settings in (image_settings(channels_out=3), image_settings(band=(1e6, 1e9))):
            with self.assertRaisesRegex(ValueError, "need the same channels in all"):
                check_channels([first, falling], settings)
            with self.assertRaisesRegex(ValueError, "d.ms: has 1 channels, and a.ms 3"):
                check_channels([first, fewer], settings)
        # So do grids before the Fourier transform.
        with mock.patch.multiple(grids, check_files=mock.DEFAULT, frame_of=mock.DEFAULT), \
                self.assertRaisesRegex(ValueError, "need the same channels in all"):
            grids.grid_maker(image_settings(channels_out=3), "nearest").make([first, falling])

    def test_widths_of_channels(self):
        np.testing.assert_array_equal(widths_of(np.array([3.0, 1, 2, 9, 2])), [1, 1, 1, 6, 1])
        np.testing.assert_array_equal(widths_of(np.array([5.0, 5.0])), [1, 1])

    def test_flux_of_an_outlier_is_the_mean_by_weight(self):
        model = np.zeros((2, 3, 4, 4), np.float32)
        model[1, :, 1, 2] = 1, 5, 0
        field = SimpleNamespace(values=model + 1, model=model, frame=SimpleNamespace(
            name="far", center=(0, 0)))
        made = SimpleNamespace(outliers=[field], total_weight=np.array([[0.0] * 3, [3, 1, 0]]))
        sentence, = describe_outliers(made, "Jy/beam")
        self.assertIn(", 2 Jy in the model", sentence)

    def test_a_plane_without_visibilities(self):
        path = snapshot(self.folder, 12, self.rng, channels=8, polarizations="XY")
        with table(path, readonly=False, ack=False) as ms:
            flags = ms.getcol("FLAG")
            flags[..., 0] = True
            ms.putcol("FLAG", flags)
        made = make_image([path], image_settings(
            size=(64, 64), pol="XX,YY", channels_out=2, all_sky=False,
            clean=clean_settings(10, join_channels=True, terms=2)))
        self.assertEqual(made.total_weight[0].any(), False)
        self.assertEqual(len(made.reports[1]), 1)
        for image in (mean_image(made), *term_images(made, 2)):
            self.assertFalse(image.values[0].any())
            self.assertTrue(image.values[1].any())
            np.testing.assert_allclose(image.frequencies, np.average(
                made.frequencies, weights=made.total_weight[1]))
        self.assertFalse(made.mean().any())
        self.assertIn("XX: every visibility is flagged", "".join(made.remarks))

    def test_refusals_are_sentences(self):
        sky, *_ = self.field()
        for words in (("--scales", "auto"), ("--spectral-terms", "2"), ("--join-channels",),
                      ("--clean", "9", "--join-channels"),
                      ("--clean", "9", "--channels-out", "2", "--spectral-terms", "3"),
                      ("--clean", "9", "--scales", "0,big"),
                      ("--clean", "9", "--scale-bias", "0.5"),
                      ("--clean", "9", "--scales", "auto", "--scale-bias", "2"),
                      ("--clean", "9", "--scales", "0,40deg"),
                      ("--clean", "9", "--scales", "auto", "--minor", "hogbom")):
            with self.subTest(words):
                self.image(sky, "x.fits", *words, code=2)
                self.assertFalse(os.path.exists(self.path("x.fits")))
        with self.assertRaisesRegex(ValueError, "shapes of the dirty"):
            fringe.fringe_python.clean_together([np.zeros((1, 8, 8))], [np.zeros((1, 8, 9))],
                                                [np.zeros((8, 8))])


if __name__ == "__main__":
    unittest.main()
