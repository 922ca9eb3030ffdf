#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe predict: against double sums over sources and pixels, and against the simulator."""
import os
import unittest
import unittest.mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_scratch import scratch_case
from qa_skies import C, snapshot

FILES = ("a.ms", "a.uvh5", "a.uvfits", "a.ACC", "a.LCCSPC")


def model_of(path):
    """What fringe predict has written."""
    return fringe.read_visibilities(path, column="MODEL_DATA" if path.endswith(".ms") else None)


def phases(vis, l, m):
    """exp(2 pi i (u l + v m + w (n - 1))) of each product, or of the positions."""
    n = np.sqrt(1 - l * l - m * m)
    antenna = np.array([a for a, _ in vis.inputs])
    i, j = (antenna[k] for k in vis.products)
    if vis.uvw is None:
        way = ((vis.positions[i] - vis.positions[j]) @ [l, m, n])[None]
    else:
        way = (vis.uvw[:, i] - vis.uvw[:, j]) @ [l, m, n - 1]
    return np.exp(2j * np.pi * way[:, None, :] * vis.frequencies[:, None] / C)


def hands(vis):
    return [vis.inputs[i][1] + vis.inputs[j][1] for i, j in zip(*vis.products)]


class qa_predict(scratch_case):

    def predict(self, *words, code=0):
        self.assertEqual(main(["predict", *words]), code)

    def catalogue(self, sources):
        """(azimuth, elevation, flux) in a file."""
        path = self.path("catalogue.yml")
        with open(path, "w", encoding="utf-8") as file:
            for k, (az, el, flux) in enumerate(sources):
                file.write(f"- {{name: s{k}, az: {az}, el: {el}, flux: {flux}}}\n")
        return path

    def test_sources_in_every_kind_of_file(self):
        sources = [(self.rng.uniform(0, 360), self.rng.uniform(20, 85), self.rng.uniform(1, 9))
                   for _ in range(3)]
        catalogue = self.catalogue(sources)
        for name in FILES:
            with self.subTest(name):
                path = snapshot(self.folder, 5, self.rng, name, dumps=3, polarizations="XY",
                                extent=3.0, depth=4.0)
                output = self.path("out" + os.path.splitext(name)[1])
                self.predict(catalogue, path, "-o", output)
                before, after = fringe.read_visibilities(path), model_of(output)
                wanted = 0
                same = np.array([hand in ("XX", "YY") for hand in hands(before)])
                for az, el, flux in sources:
                    az, el = np.radians([az, el])
                    wanted = wanted + flux * same * phases(before, np.sin(az) * np.cos(el),
                                                           np.cos(az) * np.cos(el))
                # What raw files have no data of stays 0. North of the catalogue differs from that
                # of phased files by up to 9 arcminutes of precession, which turn a phase by 0.08
                # at the longest baselines that chance makes here, of 10 m at 2 m wavelength.
                used = ~before.flags
                self.assertGreater(used.mean(), 0.5)
                self.assertLess(np.abs(after.data - wanted)[used].max(),
                                0.1 * np.abs(wanted).max())
                np.testing.assert_array_equal(before.seconds, after.seconds)
                self.assertEqual(before.inputs, after.inputs)
                if name[-3:] not in ("ACC", "SPC"):
                    np.testing.assert_array_equal(before.weights, after.weights)
                    np.testing.assert_array_equal(before.flags, after.flags)
                # And on top of what is there.
                self.predict(catalogue, path, "-o", output, "--add", "--overwrite")
                both = fringe.read_visibilities(output)
                np.testing.assert_allclose(both.data, before.data + after.data,
                                           atol=1e-5 * np.abs(both.data).max())

    def test_it_is_the_sky_of_the_simulator(self):
        obs = fringe.observation.example(8)
        obs.channels, obs.integration = 16, 0.004
        obs.sky = [fringe.point_source(*self.rng.uniform(-0.4, 0.4, 2), 1.0, "A"),
                   fringe.point_source(*self.rng.uniform(-0.4, 0.4, 2), 0.5, "B")]
        obs.receiver_noise = 0
        raw = self.path("sky.ci16")
        level = fringe.simulate(obs, raw, 1 << 17, format="ci16").level
        for name in ("sky.ms", "sky.ACC"):
            path = self.path(name)
            fringe.correlate(raw, path, raw + ".yml")
            output = self.path("model" + os.path.splitext(name)[1])
            self.predict(raw + ".yml", path, "-o", output)
            data, model = fringe.read_visibilities(path), model_of(output)
            i, j = data.products
            use = (i != j) & np.array([hand in ("XX", "YY") for hand in hands(data)])
            found, wanted = data.data[:, :, use], level**2 * model.data[:, :, use]
            # Noise of a source is as strong as it; there are thousands of samples in each.
            ratio = (found * wanted.conj()).sum() / (np.abs(wanted)**2).sum()
            self.assertAlmostEqual(abs(ratio), 1, delta=0.05)
            self.assertLess(abs(np.angle(ratio)), 0.02)
            self.assertGreater(abs(np.vdot(found, wanted)) / np.linalg.norm(found)
                               / np.linalg.norm(wanted), 0.97)

    def test_an_image_is_the_sum_of_its_pixels(self):
        for name in FILES:
            with self.subTest(name):
                path = snapshot(self.folder, 6, self.rng, name, dumps=2, polarizations="XY",
                                extent=20.0, channels=8, depth=10.0)
                size = 30 + 2 * self.rng.integers(0, 5)
                made = make_image([path], image_settings(size=(size, size), pol="IQUV",
                                                         channels_out=2, scale=0.02))
                made.values[:] = 0
                pixels = []
                for _ in range(6):
                    plane, group, row, column = (int(self.rng.integers(0, n))
                                                 for n in made.values.shape)
                    flux = float(self.rng.uniform(-1, 2))
                    if made.values[plane, group, row, column] == 0:
                        made.values[plane, group, row, column] = flux
                        pixels.append((plane, group, row, column, flux))
                model = self.path("model.fits")
                with open(model, "wb") as file:
                    file.write(fringe.images.fits_bytes(made, unit="count/pixel"))
                output = self.path("out" + os.path.splitext(name)[1])
                # How feeds turn is tested by qa_feed_turn.
                with unittest.mock.patch("gnuradio.fringe.sky_model.turned_model.is_turnable",
                                         return_value=False):
                    self.predict(model, path, "-o", output, "--overwrite")
                vis = model_of(output)
                if vis.uvw is not None and tuple(made.frame.center) != tuple(vis.phase_center[1:]):
                    continue
                parts = [{"XX": 1, "YY": 1}, {"XX": 1, "YY": -1}, {"XY": 1, "YX": 1},
                         {"XY": 1j, "YX": -1j}]
                wanted = np.zeros(vis.data.shape, complex)
                half = len(vis.frequencies) // 2
                for plane, group, row, column, flux in pixels:
                    factor = np.array([parts[plane].get(hand, 0) for hand in hands(vis)])
                    wave = flux * factor * phases(vis, (column - (size - 1) // 2) * 0.02,
                                                  (row - size // 2) * 0.02)
                    some = slice(group * half, (group + 1) * half)
                    wanted[:, some] += wave[:, some]
                # The autocorrelations of raw pairs are real, and XY of one antenna is not.
                i, j = vis.products
                cross = i != j
                # What raw files have no data of stays 0.
                used = cross & ~fringe.read_visibilities(path).flags
                self.assertGreater(used.mean(), 0.5)
                np.testing.assert_allclose(vis.data[used], wanted[used],
                                           atol=1e-4 * max(abs(pixel[-1]) for pixel in pixels))

    def test_the_model_of_clean_leaves_its_residual(self):
        path = snapshot(self.folder, 24, self.rng, extent=60.0)
        self.predict(self.catalogue([(40, 80, 300), (200, 75, 200)]), path, "-o",
                     self.path("both.ms"), "--add")
        sky, image = self.path("both.ms"), ["--size", "300", "--scale", "0.002rad"]
        self.assertEqual(main(["image", sky, "-o", self.path("x.fits"), "--clean", "200", *image]),
                         0)
        self.predict(self.path("x-model.fits"), sky, "-o", self.path("model.ms"))
        settings = image_settings(size=(300, 300), scale=0.002)
        whole, model = (make_image([file], settings, **chosen).values for file, chosen in (
            (sky, {}), (self.path("model.ms"), {"column": "MODEL_DATA"})))
        residual, _ = read_fits_image(self.path("x-residual.fits"))
        np.testing.assert_allclose((whole - model)[..., ::-1], residual,
                                   atol=1e-3 * np.nanmax(whole))

    def test_refusals_are_sentences(self):
        path = snapshot(self.folder, 4, self.rng)
        catalogue = self.catalogue([(40, 60, 3)])
        self.predict(catalogue, path, "-o", self.path("x.uvh5"), code=2)
        self.predict(catalogue, path, "-o", path, "--overwrite", code=2)
        self.predict(self.path("none.yml"), path, "-o", self.path("x.ms"), code=2)
        self.predict(catalogue, path, "-o", self.path("none/x.ms"), code=2)
        self.predict(catalogue, path, "-o", self.path("x.ms"), "--eps", "1", code=2)
        self.assertEqual(main(["image", path, "-o", self.path("dirty.fits")]), 0)
        self.predict(self.path("dirty.fits"), path, "-o", self.path("x.ms"), code=2)
        self.assertFalse(os.path.exists(self.path("x.ms")))
        self.predict(catalogue, path, "-o", self.path("x.ms"))
        self.predict(catalogue, path, "-o", self.path("x.ms"), code=2)
        os.symlink(self.path("x.ms"), self.path("link.ms"))
        self.predict(catalogue, path, "-o", self.path("link.ms"), "--overwrite", code=2)
        self.predict(catalogue, path, "-o", self.path("x.ms"), "--overwrite")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])


if __name__ == "__main__":
    unittest.main()
