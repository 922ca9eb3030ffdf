#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pictures of images: all of a long image is drawn, and the beam, colours and times are said."""
import contextlib
import io
import struct
import unittest
from unittest import mock

import numpy as np
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from gnuradio.fringe.images.picture import draw_image
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from qa_image import simulate
from qa_scratch import scratch_case


class qa_image_pictures(scratch_case):

    def drawn(self, made, *more):
        """The figure of an image, and the size of its picture."""
        kept, file = [], io.BytesIO()
        save = Figure.savefig

        def keep(figure, *words, **settings):
            kept.append(figure)
            save(figure, *words, **settings)
        with mock.patch.object(Figure, "savefig", keep):
            draw_image(made, file, *more)
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

    def test_colours_that_end_below_the_peak_are_reported(self):
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


STARS = [(0.02, 0.03, 1.0)]

if __name__ == "__main__":
    unittest.main()
