#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What displays measure with: the value under the pointer, zoom, freeze, files, themes."""
import csv
import importlib.util
import os
import unittest
from unittest import mock

import numpy as np

from qa_scratch import scratch_case

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HAVE_QT = importlib.util.find_spec("PyQt5") is not None
if HAVE_QT:
    from PyQt5 import QtCore, QtGui, QtTest, QtWidgets
    from gnuradio import fringe
    from gnuradio.fringe import displays
    from gnuradio.fringe.displays.plot_view import plot_view
    from gnuradio.fringe.ground.colors import THEMES
    from qa_displays import (APPLICATION, CHANNELS, INPUTS, coherence, random_dump, settle, show,
                             tearDownModule)  # noqa: F401
INPUT_NAMES = [f"A{k + 1}" for k in range(4)]


def plots_of(display):
    """The plots in its window that are seen."""
    return [plot for plot in display.widget().findChildren(plot_view) if not plot.isHidden()]


def wheel(plot, point, steps):
    """Turns the wheel over a point of a plot."""
    APPLICATION.sendEvent(plot, QtGui.QWheelEvent(
        point, point, QtCore.QPoint(), QtCore.QPoint(0, 120 * steps),
        QtCore.Qt.NoButton, QtCore.Qt.NoModifier, QtCore.Qt.NoScrollPhase, False))


def mouse(plot, kind, point, buttons=QtCore.Qt.NoButton if HAVE_QT else None):
    """An event of the mouse."""
    button = buttons if kind in (QtCore.QEvent.MouseButtonPress,
                                 QtCore.QEvent.MouseButtonDblClick) else QtCore.Qt.NoButton
    if kind == QtCore.QEvent.MouseButtonRelease:
        button = QtCore.Qt.LeftButton
    APPLICATION.sendEvent(plot, QtGui.QMouseEvent(kind, QtCore.QPointF(point), button, buttons,
                                                  QtCore.Qt.NoModifier))


def drag(plot, start, end):
    """Drags from one point of a plot to another."""
    left = QtCore.Qt.LeftButton
    mouse(plot, QtCore.QEvent.MouseButtonPress, start, left)
    mouse(plot, QtCore.QEvent.MouseMove, end, left)
    mouse(plot, QtCore.QEvent.MouseButtonRelease, end)
    settle()


def rows_of(path):
    """The rows of a file of comma-separated values."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def numbers(rows, column):
    """A column of numbers, nan where it is empty."""
    return np.array([float(row[column]) if row[column] else np.nan for row in rows[1:]])


@unittest.skipUnless(HAVE_QT, "PyQt5 is not installed")
class qa_measuring(scratch_case):

    def setUp(self):
        super().setUp()
        self.full, self.dump = random_dump(int(self.rng.integers(1 << 30)))
        self.obs = fringe.observation.from_text(
            "antennas: [%s]\npolarizations: [X]\nsample_rate: 1e6\ncenter_frequency: 150e6\n"
            "channels: 16\nsite: {latitude: 50, longitude: 8}\n" % ", ".join(
                f"{{name: {name}, enu: [{17 * k}, {k * k}, 0]}}"
                for k, name in enumerate(INPUT_NAMES)))
        self.frequencies = np.array(self.obs.channel_frequencies(CHANNELS, True)) / 1e6

    def spectrum(self, **options):
        """A spectrum display that has shown the dump."""
        view = displays.spectrum(INPUTS, CHANNELS, 1, 3, observation=self.obs, channels_per_item=4,
                                **options)
        view.widget().resize(900, 400)
        view.widget().show()
        self.addCleanup(view.widget().close)
        show(view, self.dump)
        return view

    def point(self, plot, x, y):
        """Points at a place on the axes."""
        mouse(plot, QtCore.QEvent.MouseMove, QtCore.QPointF(*plot.at(x, y)))
        settle()

    def test_the_value_under_the_pointer(self):
        view = self.spectrum()
        amplitude, phase = plots_of(view)
        true = coherence(self.full, 1, 3)
        for k in self.rng.integers(0, CHANNELS, 5):
            # Somewhat beside the channel, at any height.
            self.point(amplitude, self.frequencies[k] + 0.02, 0.3 * amplitude.y[1])
            self.assertEqual(
                view.widget().line.text(), f"Correlation coefficient {abs(true[k]):.4g}   "
                f"Sky frequency {self.frequencies[k]:.8g} MHz")
            self.point(phase, self.frequencies[k], 0)
            self.assertIn(f"Phase {np.degrees(np.angle(true[k])):.4g} degrees",
                          view.widget().line.text())
        # It follows the data while the pointer stays.
        other, dump = random_dump(77)
        APPLICATION.sendEvent(phase, QtCore.QEvent(QtCore.QEvent.Leave))
        self.point(amplitude, self.frequencies[3], 0.1)
        show(view, dump)
        settle()
        self.assertIn(f"{abs(coherence(other, 1, 3)[3]):.4g}", view.widget().line.text())
        mouse(amplitude, QtCore.QEvent.MouseMove, QtCore.QPointF(3, 3))  # beside the axes
        settle()
        self.assertIn("Point at a plot", view.widget().line.text())

    def test_the_value_in_a_map(self):
        pairs = displays.matrix(INPUTS, CHANNELS, observation=self.obs, channels_per_item=4)
        pairs.widget().resize(600, 600)
        show(pairs, self.dump)
        for i, j in ((2, 0), (1, 3)):
            self.point(pairs.map, j + 0.2, i - 0.3)
            self.assertEqual(
                pairs.widget().line.text(), "Correlation coefficient "
                f"{abs(coherence(self.full, i, j).mean()):.4g}   Input A{j + 1}   Input A{i + 1}")
        picture = displays.waterfall(INPUTS, CHANNELS, 0, 2, seconds=4, observation=self.obs,
                                     channels_per_item=4)
        picture.widget().resize(900, 500)
        show(picture, [(0, 5.0, 2.0, self.dump)])
        self.point(picture.amplitude, self.frequencies[7], -1.0)
        output = picture.widget().line.text()
        self.assertIn(f"Sky frequency {self.frequencies[7]:.8g} MHz", output)
        self.assertIn("UTC 02:00:05.99", output)
        self.assertIn(f"{abs(coherence(self.full, 0, 2)[7]):.4g}", output)

    def test_zoom_and_back(self):
        view = self.spectrum()
        amplitude, phase = plots_of(view)
        whole = amplitude.ends()
        place = QtCore.QPointF(*amplitude.at(self.frequencies[5], 0.3))
        wheel(amplitude, place, 2)
        settle()
        (left, right), (bottom, top) = amplitude.ends()
        self.assertAlmostEqual((right - left) / (whole[0][1] - whole[0][0]), 0.64, 6)
        self.assertAlmostEqual((top - bottom) / (whole[1][1] - whole[1][0]), 0.64, 6)
        # What is under the pointer stays there, and the phase has the same frequencies.
        np.testing.assert_allclose(amplitude.place(place), (self.frequencies[5], 0.3), rtol=1e-9)
        self.assertEqual(phase.ends()[0], (left, right))
        self.assertEqual(phase.ends()[1], (-180, 180))
        wheel(amplitude, place, -30)
        settle()
        self.assertEqual(amplitude.ends(), whole)
        # Beside an axis, that one alone.
        area = amplitude.area()
        for point, which in ((QtCore.QPointF(area.left() - 9, area.center().y()), 1),
                             (QtCore.QPointF(area.center().x(), area.bottom() + 9), 0)):
            wheel(amplitude, point, 1)
            self.assertEqual(amplitude.ends()[1 - which], whole[1 - which])
            self.assertNotEqual(amplitude.ends()[which], whole[which])
            view.widget().whole.click()
            self.assertEqual(amplitude.ends(), whole)
        # A rectangle; a stretch of one axis; a click is none.
        start, end = ([*amplitude.at(self.frequencies[a], y)] for a, y in ((4, 0.7), (9, 0.2)))
        drag(amplitude, QtCore.QPointF(*start), QtCore.QPointF(*end))
        np.testing.assert_allclose(amplitude.ends(), ((self.frequencies[4], self.frequencies[9]),
                                                      (0.2, 0.7)), atol=1e-6)
        self.assertGreater(abs(phase.ends()[0][0] - whole[0][0]), 0.1)
        mouse(amplitude, QtCore.QEvent.MouseButtonDblClick, place, QtCore.Qt.LeftButton)
        settle()
        self.assertEqual(amplitude.ends(), whole)
        self.assertEqual(phase.ends()[0], whole[0])
        drag(phase, QtCore.QPointF(*phase.at(self.frequencies[2], 10)),
             QtCore.QPointF(*phase.at(self.frequencies[6], 9.99)))
        self.assertEqual(phase.ends()[1], (-180, 180))
        np.testing.assert_allclose(amplitude.ends()[0], self.frequencies[[2, 6]], atol=1e-6)
        phase.setFocus()
        view.widget().activateWindow()
        QtTest.QTest.keyClick(phase, QtCore.Qt.Key_Home)
        settle()
        self.assertEqual(amplitude.ends(), whole)
        # Other channels are another axis.
        wheel(amplitude, place, 3)
        view.set_channels(2, 5)
        settle()
        self.assertAlmostEqual(amplitude.ends()[0][1] - amplitude.ends()[0][0], 4 / 16, 6)

    def test_a_square_stays_square(self):
        view = displays.matrix(INPUTS, CHANNELS, observation=self.obs, channels_per_item=4)
        view.widget().resize(600, 600)
        show(view, self.dump)
        drag(view.map, QtCore.QPointF(*view.map.at(0.5, 0.5)), QtCore.QPointF(*view.map.at(2, 1)))
        (left, right), (bottom, top) = view.map.ends()
        self.assertAlmostEqual(right - left, 1.5, 6)
        self.assertAlmostEqual(bottom - top, 1.5, 6)
        self.assertAlmostEqual((left + right) / 2, 1.25, 6)
        self.assertAlmostEqual((bottom + top) / 2, 0.75, 6)

    def test_frozen_displays_keep_what_they_show(self):
        """And data come on behind them."""
        other, dump = random_dump(5)
        for kind in (displays.spectrum, displays.fringes, displays.delays, displays.waterfall,
                     displays.matrix, displays.readout):
            with self.subTest(display=kind.__name__):
                view = kind(INPUTS, CHANNELS, observation=self.obs, channels_per_item=4)
                view.widget().resize(800, 400)
                send = [(0, 0.0, 1.0, self.dump), (0.05, 1.0, 1.0, self.dump)]
                show(view, send)
                before = view.widget().grab(), rows_of(self.saved(view))
                view.widget().frozen.click()
                # In these the newest dump counts alone, in the others those before, too.
                show(view, [(0.05, 2.0, 1.0, dump), (0.05, 3.0, 1.0, dump)])
                self.assertEqual(rows_of(self.saved(view)), before[1])
                view.set_channels(2, 9)
                if kind not in (displays.matrix, displays.readout):
                    view.set_baseline(2, 3)
                settle()
                self.assertEqual(rows_of(self.saved(view)), before[1])
                view.widget().frozen.setChecked(False)
                settle()
                show(view, [(0.05, 4.0, 1.0, dump)])
                self.assertNotEqual(rows_of(self.saved(view)), before[1])
        view = self.spectrum()
        panel = plots_of(view)[0]
        panel.setFocus()
        for frozen in (True, False):
            QtTest.QTest.keyClick(panel, QtCore.Qt.Key_F)
            self.assertEqual(view.widget().frozen.isChecked(), frozen)
            before = panel.shown()[1]
            show(view, dump if frozen else self.dump)
            self.assertEqual(np.array_equal(panel.shown()[1], before), frozen)
        view = displays.fringes(INPUTS, CHANNELS, seconds=4, channels_per_item=4)
        view.set_frozen(True)
        show(view, [(0, t, 1.0, d) for t, d in ((0, self.dump), (1, dump))])
        view.set_frozen(False)
        settle()
        table = rows_of(self.saved(view))
        want = [abs(coherence(full, 0, 1).mean()) for full in (self.full, other)]
        found = numbers(table, 1)[numbers(table, 0) > -2]
        np.testing.assert_allclose([found[0], found[-1]], want, rtol=1e-5)

    def saved(self, display):
        """The name of a file with its numbers."""
        path = self.path("shown.csv")
        display.save_csv(path, overwrite=True)
        return path

    def test_numbers_in_files_are_those_shown(self):
        view = self.spectrum()
        table = rows_of(self.saved(view))
        self.assertEqual(table[0], ["Sky frequency (MHz)", "Correlation coefficient, A2 - A4",
                                    "Phase (degrees), A2 - A4"])
        true = coherence(self.full, 1, 3)
        np.testing.assert_allclose(numbers(table, 0), self.frequencies, rtol=1e-11)
        np.testing.assert_allclose(numbers(table, 1), abs(true), rtol=1e-5)
        np.testing.assert_allclose(numbers(table, 2), np.degrees(np.angle(true)), atol=1e-3)
        view.set_baseline(2, 2)  # a power has no phase, and no column for it
        show(view, self.dump)
        self.assertEqual(rows_of(self.saved(view))[0][1:], ["Correlation coefficient, input A3"])
        view = displays.closure_phase(INPUTS, CHANNELS, seconds=3, channels_per_item=4)
        show(view, self.dump)
        table = rows_of(self.saved(view))
        self.assertEqual(len(table[0]), 4)  # two axes
        self.assertEqual(len(table), 513)
        closure = np.degrees(np.angle(self.full[:, 0, 1] * self.full[:, 1, 2] * self.full[:, 2, 0]))
        np.testing.assert_allclose(numbers(table, 1)[:CHANNELS], closure, atol=0.01)
        self.assertTrue(np.isnan(numbers(table, 1)[CHANNELS:]).all())
        view = displays.waterfall(INPUTS, CHANNELS, 0, 2, seconds=4, observation=self.obs,
                                 channels_per_item=4)
        show(view, [(0, 5.0, 2.0, self.dump)])
        table = rows_of(self.saved(view))
        self.assertEqual(table[0], ["Sky frequency (MHz)", "Time (UTC)",
                                    "Correlation coefficient, A1 - A3",
                                    "Phase (degrees), A1 - A3"])
        self.assertEqual(table[1][1], "2026-06-12T02:00:06.990Z")
        np.testing.assert_allclose(numbers(table[:CHANNELS + 1], 2),
                                   abs(coherence(self.full, 0, 2)), rtol=1e-5)
        view = displays.matrix(INPUTS, CHANNELS, observation=self.obs, channels_per_item=4)
        show(view, self.dump)
        table = {tuple(row[:2]): row[2] for row in rows_of(self.saved(view))}
        self.assertAlmostEqual(float(table["A4", "A1"]),
                               abs(coherence(self.full, 0, 3).mean()), 5)
        self.assertEqual(table["A2", "A2"], "")

    def test_every_display_saves_both(self):
        for kind in (displays.spectrum, displays.fringes, displays.delays, displays.waterfall,
                     displays.matrix, displays.closure_phase, displays.readout, displays.sky,
                     displays.uv_coverage, displays.occupancy):
            with self.subTest(display=kind.__name__):
                view = (kind(self.obs, 16) if kind in (displays.sky, displays.uv_coverage,
                                                      displays.occupancy) else kind(4, 16))
                self.assertGreaterEqual(len(rows_of(self.saved(view))), 1)  # before any dump
                path = self.path(f"{kind.__name__}.png")
                view.widget().resize(640, 400)
                view.save_picture(path)
                picture = QtGui.QImage(path)
                self.assertEqual(picture.width(), 640)
                self.assertLess(picture.height(), 400)  # without the bar
                with self.assertRaisesRegex(ValueError, "exists"):
                    view.save_picture(path)

    def test_the_buttons_save_and_say_so(self):
        view = self.spectrum()
        for action, ending in zip(view.widget().save.menu().actions(), ("png", "csv")):
            path = self.path("mine")
            with mock.patch.object(QtWidgets.QFileDialog, "getSaveFileName",
                                   return_value=(path, "")):
                action.trigger()
            self.assertTrue(os.path.getsize(f"{path}.{ending}"))
            self.assertEqual(view.widget().line.text(), f"saved: {path}.{ending}")
        with mock.patch.object(QtWidgets.QFileDialog, "getSaveFileName",
                               return_value=("/nowhere/at/all.csv", "")):
            view.widget().save.menu().actions()[1].trigger()
        self.assertIn("/nowhere/at", view.widget().line.text())

    def test_it_is_dark_where_the_window_is(self):
        sheet = "QWidget { color: white; background-color: black }"  # as GNU Radio's dark.qss has
        for kind in (displays.spectrum, displays.matrix, displays.sky, displays.uv_coverage):
            with self.subTest(display=kind.__name__):
                of = (self.obs, 16) if kind in (displays.sky, displays.uv_coverage) else (4, 16)
                view = kind(*of)
                view.widget().resize(500, 400)
                for name, how in (("light", ""), ("dark", sheet)):
                    view.widget().setStyleSheet(how)
                    picture = view.widget().grab().toImage()
                    colors = [QtGui.QColor(picture.pixel(x, y)).name()
                               for x in range(0, 500, 3) for y in range(0, 400, 3)]
                    paper = THEMES[name]["paper"]
                    self.assertGreater(colors.count(paper), 0.1 * len(colors))
                    other = THEMES["dark" if name == "light" else "light"]["paper"]
                    self.assertLess(colors.count(other), 0.02 * len(colors))
        palette = QtGui.QPalette(QtGui.QColor("#202020"))
        palette.setColor(QtGui.QPalette.WindowText, QtGui.QColor("#eeeeee"))
        view = displays.spectrum(4, 16)
        view.widget().setPalette(palette)
        picture = view._panels.phase.widget.grab().toImage()
        self.assertEqual(QtGui.QColor(picture.pixel(1, 1)).name(), THEMES["dark"]["paper"])


if __name__ == "__main__":
    done = unittest.main(exit=False)
    # Qt takes its windows down in an order of its own, and trips over it.
    os._exit(0 if done.result.wasSuccessful() else 1)
