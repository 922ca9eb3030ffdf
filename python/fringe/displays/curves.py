#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Curves as panels of a display."""

import numpy as np
from PyQt5 import QtWidgets

from .curve_plot import curve_plot, curve_sink


class curve:
    """One curve over an axis; `sink` takes float vectors of `length`, from a dump_tap.

    dots: phases jump from one end to the other, where a line would only confuse. What is behind
    the values that have a place on the axis (set_x of the widget) is not shown.
    """

    def __init__(self, length, x_label, y_label, low, high, dots=False):
        self.widget = curve_plot(x_label, y_label, dots)
        self.widget.y = (low, high)
        self.sink, self.length = curve_sink(self.widget, length), length

    def set_title(self, title, what):
        """What is shown, and of which inputs."""
        self.widget.change(title=title, what=what)


def side_by_side(*widgets):
    """A widget that holds others in a row, all as wide."""
    box = QtWidgets.QWidget()
    row = QtWidgets.QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget, 1)
    return box


def over_time(points, seconds):
    """The places of `points` values of the last seconds, as a history gives them."""
    return ((np.arange(points) + 0.5) / points - 1) * seconds


def padded(values, length):
    """As many values as a sink takes."""
    return np.append(values, np.full(length - len(values), np.nan))


class amplitude_and_phase:
    """Two panels: the amplitude on its axis, an amplitude_axis, and the phase in degrees."""

    def __init__(self, length, x_label, axis):
        self._axis = axis
        self.amplitude = curve(length, x_label, axis.label, *axis.ends())
        self.phase = curve(length, x_label, "Phase (degrees)", -180, 180, dots=True)
        self.widget = side_by_side(self.amplitude.widget, self.phase.widget)

    def set_titles(self, what, has_phase=True):
        """Of which inputs, for the titles; powers have no phase worth a panel."""
        self.phase.widget.setVisible(has_phase)
        self.amplitude.set_title(f"Amplitude, {what}", what)
        self.phase.set_title(f"Phase, {what}", what)

    def set_x(self, xs, label=None, shown=None):
        """The axis of both."""
        self.amplitude.widget.set_x(xs, label, shown)
        self.phase.widget.set_x(xs, label, shown)

    def set_maximum(self, maximum):
        """Upper end of the amplitudes; 0 = it follows the data."""
        self._axis.maximum = float(maximum)
        self.amplitude.widget.change(y=self._axis.ends())

    def vectors(self, values):
        """The vectors of both sinks for complex values."""
        amplitude = self._axis.of(values)
        if self._axis.changed(amplitude):
            self.amplitude.widget.change(y=self._axis.ends())
        return tuple(padded(shown, self.amplitude.length)
                     for shown in (amplitude, np.degrees(np.angle(values))))
