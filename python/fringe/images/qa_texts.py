#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Texts of pictures: names do not lie over each other, titles end inside the page."""
import itertools
import unittest

import numpy as np
from gnuradio.fringe.images.texts import alike, fit, names_of_files, place_names
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text


def drawn_texts(figure):
    """(text, extents in pixels) of all that is written in a figure, ticks and tables included."""
    renderer = figure.canvas.get_renderer()
    figure.draw(renderer)
    texts = list(figure.texts)
    panels = [panel for panel in figure.findobj(lambda artist: hasattr(artist, "get_xlim"))]
    for panel in panels:
        texts += [*panel.texts, panel.title, panel._left_title, panel._right_title]
        texts += [cell.get_text() for table in panel.tables
                  for cell in table.get_celld().values()]
        legend = panel.get_legend()
        texts += legend.get_texts() if legend else []
        for axis in (panel.xaxis, panel.yaxis) if panel.axison else ():
            low, high = sorted(axis.get_view_interval())
            texts += [axis.label, axis.offsetText]
            texts += [tick.label1 for tick in axis.get_major_ticks()
                      if low <= tick.get_loc() <= high and tick.label1.get_visible()]
    # Of an annotation the words alone, without the line that leads to them.
    return [(text.get_text(), Text.get_window_extent(text, renderer).extents) for text in texts
            if text.get_text().strip() and text.get_visible()]


def overlapping(texts):
    """Pairs of texts that lie over each other by more than half a pixel."""
    return [(a, b) for (a, box), (b, other) in itertools.combinations(texts, 2)
            if (np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2]) > 0.5).all()]


def outside(figure, texts):
    """Texts that run out of the page."""
    end = [figure.bbox.width, figure.bbox.height]
    return [a for a, box in texts if (box[:2] < -0.5).any() or (box[2:] > np.add(end, 0.5)).any()]


class qa_texts(unittest.TestCase):

    def panel(self):
        figure = Figure(figsize=(7, 7), dpi=100)
        FigureCanvasAgg(figure)
        return figure, figure.add_subplot()

    def test_names_of_many_places_do_not_intersect(self):
        generator = np.random.default_rng(5)
        for count, spread, left_out in ((1, 0.3, 0), (24, 0.04, 0), (60, 0.2, 0), (400, 0.2, 1)):
            figure, panel = self.panel()
            places = np.clip(0.5 + spread * generator.standard_normal((count, 2)), 0, 1)
            place_names(panel, [(f"GSAT{k:04} (PRN {k})", x, y, "red")
                                for k, (x, y) in enumerate(places)], 8)
            panel.set_xticks([])
            panel.set_yticks([])
            texts = drawn_texts(figure)
            self.assertEqual(overlapping(texts), [])
            self.assertEqual(outside(figure, texts), [])
            names = [name for name, _ in texts if name.startswith("GSAT")]
            self.assertGreaterEqual(len(names), min(count, 60))
            shown = [name for name, _ in texts if not name.startswith("GSAT")]
            self.assertEqual(len(shown), left_out)
            if left_out:
                self.assertEqual(shown, [f"{count - len(names)} more names have no room"])

    def test_a_lone_name_stands_beside_its_mark(self):
        figure, panel = self.panel()
        for x, y in ((0.5, 0.5), (0.995, 0.995), (0.005, 0.995), (0.995, 0.005), (0.005, 0.005)):
            place_names(panel, [("Cyg A", x, y, "red")], 8)
            box = panel.texts[-1].get_window_extent(figure.canvas.get_renderer()).extents
            at = panel.transData.transform((x, y))
            away = np.linalg.norm(np.maximum(0, np.maximum(box[:2] - at, at - box[2:])))
            self.assertTrue(8 < away < 20, away)
            panel.texts[-1].remove()

    def test_a_title_ends_inside_the_page(self):
        figure, _ = self.panel()
        for letters in (10, 60, 300):
            title = figure.text(0.02, 0.95, "x" * letters, fontsize=15)
            fit(figure, title, 0.98)
            box = title.get_window_extent(figure.canvas.get_renderer())
            self.assertLessEqual(box.x1, 0.98 * figure.bbox.width)
            self.assertEqual("\u2026" in title.get_text(), letters == 300)

    def test_many_files_have_a_short_name(self):
        self.assertEqual(names_of_files(["/data/a.ms/"]), "a.ms")
        self.assertEqual(names_of_files(["a.ms", "/b/b.ms"]), "a.ms, b.ms")
        self.assertEqual(names_of_files([f"scan{k}.ms" for k in range(20)]),
                         "scan0.ms and 19 more files")
        self.assertEqual(names_of_files(["a" * 40, "b" * 40]), "a" * 40 + " and 1 more file")

    def test_remarks_that_differ_in_their_numbers_are_counted(self):
        self.assertEqual(alike(["up to 1.05e+03 m", "no weight", "up to 246 m", "up to 0.5 m"]),
                         ["up to 1.05e+03 m (3 remarks of this kind)", "no weight"])


if __name__ == "__main__":
    unittest.main()
