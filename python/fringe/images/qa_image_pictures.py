#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pictures of images: all of a long image is drawn, and the beam, colors and times are said."""
import contextlib
import io
import struct
import unittest
from dataclasses import replace
from unittest import mock

import matplotlib.image
import numpy as np
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from gnuradio.fringe.images.picture import draw_image
from gnuradio.fringe.images.stretch import STRETCHES, chosen_stretch, color_scale
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from qa_image import simulate
from qa_scratch import scratch_case, times_tried
from qa_texts import drawn_texts, outside, overlapping


class qa_image_pictures(scratch_case):

    def drawn(self, made, *more, **words):
        """The figure of an image, and the size of its picture."""
        kept, file = [], io.BytesIO()
        save = Figure.savefig

        def keep(figure, *words, **settings):
            kept.append(figure)
            save(figure, *words, **settings)
        with mock.patch.object(Figure, "savefig", keep):
            draw_image(made, file, *more, **words)
        self.pixels = matplotlib.image.imread(io.BytesIO(file.getvalue()))[..., :3]
        return kept[0], struct.unpack(">2I", file.getvalue()[16:24])

    def test_all_of_a_long_image_is_drawn_and_checked(self):
        far = float(self.rng.uniform(0.16, 0.2))
        path, _ = simulate(self.folder, [(far, 0.01, 1), (-far, -0.02, 1)])
        for size, wide in (("384x96", True), ("96x384", False)):
            made = make_image([path], image_settings(
                size=tuple(map(int, size.split("x"))), scale=1.2e-3))
            figure, (columns, rows) = self.drawn(made)
            self.assertEqual(figure.axes[0].images[0].get_array().shape, made.values.shape[2:])
            self.assertEqual(rows < 0.7 * columns, wide)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(main(["image", path, "-o", self.path("x.png"), "--size", "384x96",
                                   "--scale", "0.0012rad", "--sky", path + ".ci16.yml",
                                   "--check"]), 0)
        self.assertIn("2 of 2 sources", out.getvalue())

    def test_the_beam_is_drawn_at_its_size(self):
        for center in (None, "zenith"):
            path, _ = simulate(self.folder, center=center, name=f"{center}.ms", samples=1 << 14)
            made = make_image([path], image_settings(size=(128, 128)))
            beams = [p for p in self.drawn(made)[0].axes[0].patches if type(p) is Ellipse]
            self.assertEqual(len(beams), 1)
            np.testing.assert_allclose(sorted([beams[0].width, beams[0].height], reverse=True),
                                       made.beam[:2])

    def test_colors_that_end_below_the_peak_are_reported(self):
        path, _ = simulate(self.folder, STARS)
        made = make_image([path], image_settings(size=(128, 128)))
        peak = np.nanmax(made.values)
        for top, extend in ((peak / 3, "max"), (peak, "neither")):
            figure, _ = self.drawn(made, None, None, "", None, top)
            self.assertEqual(figure.axes[0].images[0].colorbar.extend, extend)

    def test_images_of_parts_of_a_second_have_times_that_differ(self):
        path, _ = simulate(self.folder, samples=1 << 16)
        words = []
        for number in range(2):
            made = make_image([path], image_settings(size=(32, 32)))
            made.middle = made.middle[0], made.middle[1] + 0.004 * number
            words.append([text.get_text() for text in self.drawn(made)[0].texts])
        self.assertNotEqual(*words)

    def jet(self, noise=2e-4):
        """A core of 1, and a jet of 1:1000 beside it that is twenty beams long."""
        path, _ = simulate(self.folder, samples=1 << 14, name=f"{noise}.ms")
        made = make_image([path], image_settings(size=(256, 256)))
        across, up = np.meshgrid(np.arange(256), np.arange(256))
        core = np.exp(-((across - 100)**2 + (up - 128)**2) / 18)
        beside = (abs(up - 128) < 4) & (across > 115) & (across < 200)
        made.values[0, 0] = core + 1e-3 * beside + self.rng.normal(0, noise, (256, 256))
        return made

    def color_at(self, figure, column, row, side=5):
        """Mean color of the picture around a pixel of the image, red, green, blue."""
        drawn = figure.axes[0].images[0]
        left, right, bottom, top = drawn.get_extent()
        rows, columns = drawn.get_array().shape
        x, y = figure.axes[0].transData.transform((
            left + (column + 0.5) / columns * (right - left),
            bottom + (row + 0.5) / rows * (top - bottom))).astype(int)
        y = len(self.pixels) - y
        return self.pixels[y - side:y + side, x - side:x + side].mean(axis=(0, 1))

    def test_a_faint_jet_beside_a_core_is_seen(self):
        for noise in (0, 2e-5, 2e-4):
            made = self.jet(noise)
            distance = {}
            for stretch in ("auto", "asinh", "linear"):
                figure, _ = self.drawn(made, stretch=stretch)
                distance[stretch] = np.linalg.norm(
                    self.color_at(figure, 160, 128) - self.color_at(figure, 160, 200))
            self.assertGreater(distance["auto"], 0.15)
            self.assertEqual(distance["auto"], distance["asinh"])
            self.assertLess(distance["linear"], 0.02)

    def test_auto_is_chosen_by_the_peak_over_the_noise(self):
        noise = self.rng.normal(0, 1, (100, 100))
        for peak, found in ((20, "plain"), (90, "plain"), (120, "asinh"), (1e6, "asinh")):
            values = noise.copy()
            values[50, 50] = peak
            self.assertEqual(chosen_stretch(values), found)
        self.assertEqual(chosen_stretch(np.zeros((5, 5))), "plain")
        self.assertEqual(chosen_stretch(np.full((5, 5), np.nan)), "plain")
        with self.assertRaisesRegex(ValueError, "stretch: log: must be one of auto, linear"):
            chosen_stretch(noise, "log")

    def test_the_numbers_of_the_color_bar_are_those_of_the_colors(self):
        values = self.jet().values[0, 0]
        images = {"core": values, "negative": -values, "faint": 1e-6 * values,
                  "bright": 3e4 * values, "offset": values + 1, "empty": 0 * values}
        for name, values in images.items():
            for stretch in STRETCHES:
                for whole_sky in (False, True):
                    with self.subTest(name, stretch=stretch, whole_sky=whole_sky):
                        self.check_bar(values, stretch, whole_sky)

    def check_bar(self, values, stretch, whole_sky):
        figure = Figure(figsize=(8, 4), dpi=100)
        scale = color_scale(values, stretch, whole_sky=whole_sky)
        panel, axes = figure.add_axes([0.1, 0.4, 0.8, 0.5]), figure.add_axes([0.1, 0.2, 0.8, 0.1])
        bar = scale.bar(figure, panel.imshow(values, norm=scale.norm), axes, "Jy/beam")
        figure.draw_without_rendering()
        self.assertEqual(bar.extend in ("min", "both"), values.min() < scale.norm.vmin)
        self.assertEqual(bar.extend in ("max", "both"), values.max() > scale.norm.vmax)
        seen = 0
        for value, label in zip(bar.ax.get_xticks(), bar.ax.get_xticklabels()):
            if scale.norm.vmin <= value <= scale.norm.vmax and scale.words:
                seen += 1
                self.assertAlmostEqual(float(label.get_text()) / (value or 1), value != 0, 5)
                at = bar.ax.transAxes.inverted().transform(bar.ax.transData.transform((value, 0)))
                self.assertAlmostEqual(at[0], float(scale.norm(value)), 5)
        if scale.words and values.max() > 0:
            self.assertGreaterEqual(seen, 2)
        boxes = [(label.get_text(), label.get_window_extent().extents)
                 for tick, label in zip(bar.ax.get_xticks(), bar.ax.get_xticklabels())
                 if scale.norm.vmin <= tick <= scale.norm.vmax]
        self.assertEqual(overlapping(boxes), [])

    def test_names_of_many_sources_are_apart(self):
        names = [f"GSAT02{k:02} (GALILEO {k})" for k in range(30)]
        every = (5, 12, 30)
        for center, counts in ((None, times_tried((5, 30), every)),
                               ("zenith", times_tried((12,), every))):
            path, _ = simulate(self.folder, center=center, name=f"n{center}.ms", samples=1 << 14)
            made = make_image([path], image_settings(size=(128, 128)))
            made.remarks = [f"a remark of {k} words" for k in range(20)] + ["another remark " * 20]
            made.telescope = "An array with a long name"
            for count in counts:
                places = 0.03 * self.rng.normal(size=(count, 2))
                sources = [(name, *place) for name, place in zip(names, places)]
                figure, _ = self.drawn(made, sources, None, "Jy/beam",
                                       "An array: " + "a long name of a file, " * 20)
                texts = drawn_texts(figure)
                self.assertEqual(overlapping(texts), [])
                self.assertEqual(outside(figure, texts), [])
                self.assertLessEqual(set(names[:count]), {text for text, _ in texts})

    def test_axes_have_the_unit_of_the_field(self):
        path, _ = simulate(self.folder, samples=1 << 14)
        made = make_image([path], image_settings(size=(128, 128)))
        for degrees, unit in ((20, None), (0.5, "arcmin"), (0.02, "arcsec"), (1e-6, "mas"),
                              (1e-8, "\u00b5as")):
            pixel = np.radians(degrees) / 128
            small = replace(made, pixel=pixel, beam=(5 * pixel, 4 * pixel, 0.3))
            figure, _ = self.drawn(small)
            panel = figure.axes[0]
            if unit is None:
                self.assertEqual(panel.get_xlabel(), "right ascension")
                continue
            for label in (panel.get_xlabel(), panel.get_ylabel()):
                self.assertRegex(label, rf"to the (east|north) of .* \({unit}\)$")
            per_degree = {"arcmin": 60, "arcsec": 3600, "mas": 3.6e6, "\u00b5as": 3.6e9}[unit]
            for tick, label in zip(panel.get_xticks(), panel.get_xticklabels()):
                self.assertAlmostEqual(float(label.get_text()),
                                       np.degrees(tick) * per_degree, 6)
            self.assertEqual(overlapping(drawn_texts(figure)), [])

    def test_the_center_at_the_axes_is_as_exact_as_these(self):
        path, _ = simulate(self.folder, samples=1 << 14)
        made = make_image([path], image_settings(size=(128, 128)))
        for ra, dec, degrees, words in (
                (187.70593075, 12.39112331, 1e-6, ["12h30m49.4233800s", "+12\u00b023'28.043916\""]),
                (359.9999999, -0.5, 0.5, ["00h00m00.0s", "-00\u00b030'00\""])):
            pixel = np.radians(degrees) / 128
            small = replace(made, pixel=pixel, beam=(5 * pixel, 4 * pixel, 0.3),
                            frame=replace(made.frame, center=(np.radians(ra), np.radians(dec))))
            panel = self.drawn(small)[0].axes[0]
            self.assertIn(words[0][:-4], panel.get_xlabel())
            self.assertIn(words[1][:-4], panel.get_ylabel())


STARS = [(0.02, 0.03, 1.0)]

if __name__ == "__main__":
    unittest.main()
