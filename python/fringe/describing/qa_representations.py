#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Objects in a notebook: their words, their pictures, and visibilities as a Dataset of xarray."""
import builtins
import html
import importlib.util
import os
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from qa_scratch import scratch_case

TEXT = """
telescope: three
site: {latitude: 50, longitude: 8, height: 100}
antennas:
  - {name: west, enu: [0, 0, 0]}
  - {name: north, enu: [7, 31, 0]}
  - {name: east, enu: [40, 3, 0]}
  - {name: south, enu: [18, -22, 0]}
sample_rate: 1e6
center_frequency: 150e6
start_time: 2026-06-12T12:00:00Z
phase_center: {ra: 5h20m00s, dec: +40d00m00s}
channels: 10
integration: 0.02
sky: {receiver_noise: 1, sources: [{name: A, l: 0, m: 0, flux: 3}]}
"""
needs_xarray = unittest.skipUnless(importlib.util.find_spec("xarray"), "xarray is not installed")


class qa_representations(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.from_text(TEXT)
        fringe.simulate(self.obs, self.path("x.ci8"), 121_000, "ci8", overwrite=True)
        self.totals = fringe.correlate(self.path("x.ci8"), self.path("x.uvh5"), self.obs,
                                       overwrite=True)
        self.vis = fringe.read_visibilities(self.path("x.uvh5"))

    def words(self, thing):
        """The text that a notebook shows of it."""
        found = thing._repr_html_()
        self.assertRegex(found, "(?s)^<pre>.*</pre>$")
        return html.unescape(found[5:-6])

    def test_words(self):
        output = self.words(self.vis)
        self.assertIn(f"{self.vis.path}: visibilities\n", output)
        self.assertIn("10: 4 autocorrelations and 6 cross-correlations", output)
        self.assertIn(f"{len(self.vis.times)} dumps of 20 ms", output)
        self.vis.flags[:] = False
        self.vis.flags[:2, :, 1] = True
        share = 2 * 10 / self.vis.flags.size
        self.assertIn(f"{100 * share:.3g} % of the visibilities", self.words(self.vis))
        os.remove(self.vis.path)  # the numbers are those of the object
        self.assertIn("149.5 MHz to 150.4 MHz", self.words(self.vis))
        self.assertNotIn("flagged", self.words(fringe.read_visibilities(
            self.other("y.uvh5"), with_data=False)))

    def other(self, name):
        """Another file of the same."""
        fringe.correlate(self.path("x.ci8"), self.path(name), self.obs)
        return self.path(name)

    def test_words_of_totals(self):
        output = self.words(self.totals)
        for words in (f"wrote {self.path('x.uvh5')}", "121000 samples of every input read",
                      f"{len(self.vis.times)} dumps written"):
            self.assertIn(words, output)
        self.totals.losses = {"saturated": [1210, 0, 0, 0]}
        self.totals.notes = ["a < b"]
        self.assertIn("note: a < b\n1210 samples (0.25 %) saturated", self.words(self.totals))
        self.assertIn("a &lt; b", self.totals._repr_html_())

    def test_words_of_a_calibration(self):
        found = fringe.calibrate_by_sources(
            self.vis, self.obs, fringe.read_catalogue(self.catalogue()))
        output = self.words(found)
        self.assertIn("4 of 4 inputs calibrated", output)
        for name, gain in zip(("west", "north", "east", "south"), found.receivers.gain):
            self.assertRegex(output, rf"{name} .* {gain:.4f} ")

    def catalogue(self):
        with open(self.path("a.yml"), "w", encoding="utf-8") as file:
            file.write("- {name: A, ra: 80.0, dec: 40.0, flux: 3.0}\n")
        return self.path("a.yml")

    def test_plot(self):
        figure = self.vis.plot(["west-east", "south-north"], title="Two of them")
        v, w = self.vis.data[:, 1:], self.vis.valid_weights()[:, 1:]  # without the band's edges
        autos = {k: (w[:, :, p] * v[:, :, p].real).sum(0) / w[:, :, p].sum(0)
                 for k, p in ((0, 0), (1, 4), (2, 7), (3, 9))}
        for k, (product, i, j, turn) in enumerate(((2, 0, 2, 1), (6, 1, 3, -1))):
            values = v[:, :, product] / np.sqrt(autos[i] * autos[j])
            mean = (w[:, :, product] * values).sum(1) / w[:, :, product].sum(1)
            drawn = figure.axes[0].lines[k].get_ydata()
            np.testing.assert_allclose(drawn[np.isfinite(drawn)], abs(mean), rtol=1e-5)
            drawn = figure.axes[2].lines[k].get_ydata()
            np.testing.assert_allclose(drawn[np.isfinite(drawn)],
                                       turn * np.degrees(np.angle(mean)), atol=1e-3)
        self.assertEqual(figure._repr_png_()[:4], b"\x89PNG")
        # All of them: the page of the command, to the pixel.
        self.assertEqual(main(["plot", self.vis.path, "-o", self.path("page.png")]), 0)
        self.vis.plot().savefig(self.path("own.png"), metadata={"Software": "gr-fringe"})
        with open(self.path("page.png"), "rb") as page, open(self.path("own.png"), "rb") as own:
            self.assertEqual(page.read(), own.read())
        with self.assertRaisesRegex(ValueError, "inputs of .* are west, north, east, south"):
            self.vis.plot("west-moon")
        with self.assertRaisesRegex(ValueError, "was read without its data"):
            fringe.read_visibilities(self.vis.path, with_data=False).plot()

    def test_image(self):
        made = self.vis.image(size=(64, 48), scale=0.01)
        self.assertEqual(made.values.shape, (1, 1, 48, 64))
        # A source of 3 in the middle, beside noise of single visibilities of 4.
        used = self.vis.valid_weights()[:, :, [1, 2, 3, 5, 6, 8]] > 0
        error = 4 / np.sqrt(2 * used.sum() * 1e6 / 10 * 0.02 / 10)
        row, column = np.unravel_index(np.nanargmax(made.mean()), (48, 64))
        self.assertLess(np.hypot(made.axis()[column], made.axis(columns=False)[row]), 0.03)
        level = np.nanmean(abs(self.vis.data[:, 1:, 1])) / 3
        self.assertLess(abs(np.nanmax(made.mean()) / level - 3), 0.3 + 5 * error)
        self.assertEqual(made._repr_png_()[:4], b"\x89PNG")
        np.testing.assert_array_equal(made.plot().axes[0].images[0].get_array(), made.mean())
        # The same as from the file.
        self.assertEqual(main(["image", self.vis.path, "--size", "64x48", "--scale",
                               f"{np.degrees(0.01)}deg", "-o", self.path("x.fits")]), 0)
        with open(self.path("x.fits"), "rb") as file:
            pixels = np.frombuffer(file.read()[-(64 * 48 * 4 // 2880 + 1) * 2880:], ">f4")
        np.testing.assert_allclose(pixels[:64 * 48].reshape(48, 64)[:, ::-1], made.values[0, 0],
                                   atol=1e-4 * np.nanmax(made.values))
        self.assertEqual(self.vis.image(clean=5, size=(64, 64)).kind, "restored image")
        with self.assertRaisesRegex(ValueError, "channels from"):
            self.vis.image(band=(1e6, 2e6))
        with self.assertRaisesRegex(ValueError, "clean: -1: must be a number of components"):
            self.vis.image(clean=-1)

    def test_without_xarray(self):
        real = builtins.__import__

        def refuse(name, *words, **more):
            if name == "xarray":
                raise ImportError("no module")
            return real(name, *words, **more)
        with mock.patch.object(builtins, "__import__", refuse):
            with self.assertRaisesRegex(ImportError, "apt-get install python3-xarray"):
                self.vis.to_xarray()

    @needs_xarray
    def test_xarray(self):
        cube = self.vis.to_xarray()
        self.assertEqual(dict(cube.sizes), {
            "time": len(self.vis.times), "frequency": 10, "baseline": 10, "axis": 3,
            "antenna": 4, "direction": 3})
        baseline = cube.sel(baseline="north-south")
        np.testing.assert_array_equal(baseline.visibility, self.vis.data[:, :, 6])
        np.testing.assert_array_equal(baseline.weight, self.vis.weights[:, :, 6])
        np.testing.assert_array_equal(baseline.flag, self.vis.flags[:, :, 6])
        np.testing.assert_allclose(baseline.uvw, self.vis.uvw[:, 1] - self.vis.uvw[:, 3])
        self.assertEqual((baseline.antenna_1.item(), baseline.antenna_2.item()), ("north", "south"))
        np.testing.assert_array_equal(cube.time.values, self.vis.times)
        self.assertEqual((cube.time.dtype, cube.time.attrs["scale"]), ("<M8[ns]", "utc"))
        np.testing.assert_allclose(cube.frequency, self.obs.channel_frequencies(10, True))
        self.assertEqual((cube.frequency.attrs["units"], cube.uvw.attrs["units"],
                          cube.exposure.attrs["units"], cube.visibility.attrs["units"]),
                         ("Hz", "m", "s", "count"))
        east, west = (cube.position.sel(antenna=name).values for name in ("east", "west"))
        np.testing.assert_allclose(east - west, [40, 3, 0], atol=1e-3)
        self.assertAlmostEqual(cube.attrs["right_ascension"], np.radians(80), 6)
        # Means by name are those of numpy.
        np.testing.assert_allclose(cube.visibility.mean("time"), self.vis.data.mean(axis=0),
                                   rtol=1e-4)


if __name__ == "__main__":
    unittest.main()
