#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How the windows of displays look: their size, numbers that do not touch, gaps in curves."""
import importlib.util
import os
import time
import unittest

import numpy as np

from qa_scratch import TIMEOUT, scratch_case

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HAVE_QT = importlib.util.find_spec("PyQt5") is not None
if HAVE_QT:
    from PyQt5 import QtGui, QtWidgets
    from gnuradio import fringe
    from gnuradio.fringe import displays
    from gnuradio.fringe.displays.curve_plot import curve_plot, thinned
    from gnuradio.fringe.ground.dump_tap import NO_VALUE
    APPLICATION = QtWidgets.QApplication.instance() or QtWidgets.QApplication([])
BLUE = 0x1f5fbf


def settle():
    """Lets Qt do what was asked of it."""
    for _ in range(10):
        APPLICATION.processEvents()
        time.sleep(0.01)


def blue_columns(widget):
    """The columns of a widget in which there is something blue."""
    picture = widget.grab().toImage()
    return np.array([x for x in range(picture.width())
                     if any(picture.pixel(x, y) & 0xffffff == BLUE
                            for y in range(picture.height()))])


class stored_size:
    """Settings as a window of GNU Radio Companion has them."""

    def __init__(self, geometry):
        self._geometry = geometry

    def value(self, _):
        """QSettings'."""
        return self._geometry


@unittest.skipUnless(HAVE_QT, "PyQt5 is not installed")
class qa_display_windows(scratch_case):

    def window(self, geometry=None):
        """A window as GNU Radio Companion makes it: its contents are in a scroll area."""
        window = QtWidgets.QWidget()
        window.settings = stored_size(geometry)
        row, area, inside = QtWidgets.QVBoxLayout(window), QtWidgets.QScrollArea(), \
            QtWidgets.QWidget()
        row.addWidget(area)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        grid = QtWidgets.QGridLayout(inside)
        self.kept = [displays.fringes(2, 16), displays.waterfall(2, 16)]
        for k, dump in enumerate(self.kept):
            grid.addWidget(dump.widget(), k, 0)
        self.addCleanup(window.deleteLater)
        if geometry:
            window.resize(*geometry)
        window.show()
        end = time.monotonic() + TIMEOUT
        while not window.property("fringe_sized") and time.monotonic() < end:
            settle()
        settle()
        return window, inside

    def test_a_window_opens_with_room_for_its_displays(self):
        window, inside = self.window()
        screen = window.screen().availableGeometry().size()
        self.assertGreaterEqual(window.width(), min(inside.sizeHint().width(),
                                                    screen.width() - 16))
        self.assertGreaterEqual(window.height(), min(inside.sizeHint().height(),
                                                     screen.height() - 48))
        self.assertLess(window.width(), screen.width())
        self.assertLess(window.height(), screen.height())
        # Four rows of displays, in two columns, fit a screen of 1366 x 768.
        smallest = self.kept[0].widget().minimumSizeHint()
        self.assertLess(2 * smallest.width(), 1366)
        self.assertLess(3 * smallest.height(), 700)

    def test_a_window_keeps_the_size_that_was_stored(self):
        window, _ = self.window((417, 333))
        self.assertEqual((window.width(), window.height()), (417, 333))

    def test_numbers_of_an_axis_do_not_touch(self):
        plot = curve_plot("x", "y")
        for _ in range(200):
            plot.resize(int(self.rng.integers(250, 1400)), 300)
            low = self.rng.normal() * 10 ** self.rng.uniform(-3, 4)
            plot.x = (low, low + 10 ** self.rng.uniform(-3, 3))
            picture = QtGui.QImage(plot.size(), QtGui.QImage.Format_RGB32)
            painter = QtGui.QPainter(picture)
            numbers = plot.x_numbers(painter)
            ends = []
            for value, word in numbers:
                half = painter.fontMetrics().horizontalAdvance(word) / 2
                ends.append((plot.at(value, 0)[0] - half, plot.at(value, 0)[0] + half))
            painter.end()
            self.assertGreater(len(numbers), 0)
            for left, right in zip(ends, ends[1:]):
                self.assertLess(left[1], right[0], [word for _, word in numbers])

    def test_a_short_axis_far_from_zero_has_a_number(self):
        plot = curve_plot("x", "y")
        plot.resize(268, 300)
        plot.x = (-1564.44990, -1564.44590)  # the round numbers 0.005 apart lie beside it
        picture = QtGui.QImage(plot.size(), QtGui.QImage.Format_RGB32)
        painter = QtGui.QPainter(picture)
        numbers = plot.x_numbers(painter)
        painter.end()
        self.assertEqual(len(numbers), 1)

    def test_phases_have_quarters_of_a_turn(self):
        plot = curve_plot("x", "y", dots=True)
        plot.y = (-180, 180)
        plot.resize(300, 250)
        self.assertEqual([word for _, word in plot.y_numbers()],
                         ["-180", "-90", "0", "90", "180"])

    def test_nothing_is_drawn_where_there_is_no_value(self):
        for dots in (False, True):
            plot = curve_plot("x", "y", dots)
            plot.resize(500, 300)
            plot.set_x(np.linspace(-10, 0, 100))
            values = np.full(100, NO_VALUE)
            values[60:80], values[90:] = 0.5, 0.7
            plot.show(values)
            columns = blue_columns(plot)
            places = np.array([plot.at(-10 + 10 * k / 99, 0)[0] for k in range(100)])
            self.assertGreater(columns.min(), places[60] - 4)
            for first, last in ((0, 60), (81, 90)):
                inside = (columns > places[first] + 4) & (columns < places[last] - 4)
                self.assertFalse(inside.any())
            for k in (62, 78, 92, 98):
                self.assertLess(np.abs(columns - places[k]).min(), 4)

    def names_of(self, inputs):
        """An observation with names of its own, and the names of its inputs."""
        names = [f"M{k}" for k in self.rng.permutation(100)[:inputs // 2]]
        obs = fringe.observation.from_text(
            "polarizations: [X, Y]\nsample_rate: 1e6\ncenter_frequency: 150e6\nantennas:\n"
            + "".join(f"  - {{name: {name}, enu: [{7 * k}, 0, 0]}}\n"
                      for k, name in enumerate(names)))
        return obs, [name + hand for name in names for hand in "XY"]

    def test_titles_have_the_names_of_the_observation(self):
        obs, names = self.names_of(6)
        i, j, k = (int(number) for number in self.rng.permutation(6)[:3])
        for kind, title in ((displays.spectrum, lambda display: display._panels.phase.widget.title),
                            (displays.fringes, lambda display: display._panels.phase.widget.title),
                            (displays.delays, lambda display: display._curve.widget.title),
                            (displays.waterfall, lambda display: display.phase.title)):
            with self.subTest(display=kind.__name__):
                display = kind(6, 16, i, j, observation=obs)
                settle()
                self.assertIn(f", {names[i]} - {names[j]}", title(display))
                display.set_baseline(k, i)
                settle()
                self.assertIn(f", {names[k]} - {names[i]}", title(display))
                self.assertIn(f", {k} - {i}", title(kind(6, 16, k, i)))
        three = displays.closure_phase(6, 16, i, j, k, observation=obs)
        settle()
        self.assertIn(" - ".join(names[number] for number in (i, j, k)),
                      three._spectrum.widget.title)
        with self.assertRaisesRegex(ValueError, "observation with 6 inputs; it must have the 4"):
            displays.spectrum(4, 16, observation=obs)

    def test_the_axes_of_all_pairs_have_names(self):
        obs, names = self.names_of(8)
        pairs = displays.matrix(8, 16, observation=obs)
        pairs.map.resize(700, 700)
        for number, word in pairs.map.y_numbers():
            self.assertEqual(word, names[round(number)])
        self.assertGreater(len(pairs.map.y_numbers()), 3)

    def test_every_display_can_have_a_title(self):
        obs = fringe.observation.example(3)
        for kind in (displays.spectrum, displays.fringes, displays.delays, displays.waterfall,
                     displays.matrix, displays.closure_phase):
            with self.subTest(display=kind.__name__):
                self.check_title(kind(3, 16), kind(3, 16, title="At night & <by day>"))
        for kind in (displays.sky, displays.uv_coverage, displays.occupancy):
            with self.subTest(display=kind.__name__):
                self.check_title(kind(obs, 16), kind(obs, 16, title="At night & <by day>"))

    def check_title(self, without, titled):
        """A line above the plots, which does not make the window wider."""
        lines = [label for label in titled.widget().findChildren(QtWidgets.QLabel)
                 if label.text() == "At night & <by day>"]
        self.assertEqual(len(lines), 1)
        self.assertFalse([label for label in without.widget().findChildren(QtWidgets.QLabel)
                          if label.text() == "At night & <by day>"])
        self.assertEqual(titled.widget().minimumSizeHint().width(),
                         without.widget().minimumSizeHint().width())
        titled.widget().resize(500, 400)
        titled.widget().grab()
        self.assertLess(lines[0].geometry().bottom(), titled._widget.geometry().top() + 1)

    def test_a_long_curve_keeps_its_peaks(self):
        values = self.rng.normal(size=50021)
        values[self.rng.integers(50021)] = 99
        x, y = thinned(np.arange(50021.0), values)
        self.assertLess(len(y), 3500)
        self.assertEqual((y.max(), y.min()), (99, values.min()))
        self.assertLess(abs(x[y.argmax()] - values.argmax()), 40)
        np.testing.assert_array_equal(thinned(np.arange(9), values[:9])[1], values[:9])


if __name__ == "__main__":
    unittest.main()
