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
    """One curve over an even axis; `sink` takes float vectors of `length`, from a dump_tap.

    dots: phases jump from one end to the other, where a line would only confuse.
    """

    def __init__(self, length, title, x_label, y_label, low, high, dots=False):
        self.widget = curve_plot(x_label, y_label, dots)
        self.widget.title, self.widget.y = title, (low, high)
        self.sink, self._length = curve_sink(self.widget, length), length

    def set_x(self, first, last, label=None, shown=None):
        """The axis goes from `first` to `last`, or over a part of it, and has another label if
        one is given."""
        self.widget.x_label = label or self.widget.x_label
        self.widget.set_x(first, last, self._length, shown)

    def set_y(self, low, high):
        """Ends of the other axis."""
        self.widget.y = (low, high)
        self.widget.changed()

    def set_title(self, title):
        """What is shown."""
        self.widget.title = title
        self.widget.changed()


class auto_scale:
    """The upper end of an axis that follows the largest value: 1, 2 or 5 times a power of ten.

    It grows at once and shrinks when nothing has come near a third of it for `patience` dumps.
    Finer `steps`, up to 10, are for colours, of which those never reached are lost.
    """

    def __init__(self, patience=40, steps=(1, 2, 5, 10)):
        self.limit, self._idle, self._patience, self._steps = 0.0, 0, patience, steps

    def changed(self, values):
        """True when the limit has changed for these values."""
        top = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
        if not np.isfinite(top) or top == 0:
            return False
        self._idle = 0 if top > self.limit / 3 else self._idle + 1
        if top <= self.limit and self._idle < self._patience:
            return False
        ten = 10 ** np.floor(np.log10(1.05 * top))
        limit = next(m * ten for m in self._steps if m * ten >= 1.05 * top)
        self._idle = 0
        changed, self.limit = limit != self.limit, limit
        return changed


def side_by_side(*widgets):
    """A widget that holds others in a row, all as wide."""
    box = QtWidgets.QWidget()
    row = QtWidgets.QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget, 1)
    return box


class amplitude_and_phase:
    """Two panels: amplitude from 0 to `maximum` (0 = it follows the data), phase in degrees."""

    def __init__(self, length, x_label, normalise, maximum, gui):
        self._gui, self._maximum = gui, maximum
        self._scale = auto_scale()
        name = "Correlation coefficient" if normalise else "Amplitude (power)"
        self.amplitude = curve(length, "", x_label, name, 0, maximum or 1)
        self.phase = curve(length, "", x_label, "Phase (degrees)", -180, 180, dots=True)
        self.widget = side_by_side(self.amplitude.widget, self.phase.widget)

    def set_titles(self, what, has_phase=True):
        """What is shown, for the titles; powers have no phase worth a panel."""
        self.phase.widget.setVisible(has_phase)
        self.amplitude.set_title(f"Amplitude{what}")
        self.phase.set_title(f"Phase{what}")

    def set_x(self, first, last, label=None):
        """The axis of both."""
        self.amplitude.set_x(first, last, label)
        self.phase.set_x(first, last, label)

    def set_maximum(self, maximum):
        """Upper end of the amplitudes; 0 = it follows the data."""
        self._maximum = float(maximum)
        limit = self._maximum or self._scale.limit or 1.0
        self._gui(lambda: self.amplitude.set_y(0, limit))

    def vectors(self, values):
        """The vectors of both sinks for complex values."""
        amplitude = np.abs(values)
        if self._scale.changed(amplitude) and not self._maximum:
            limit = self._scale.limit
            self._gui(lambda: self.amplitude.set_y(0, limit))
        return amplitude, np.degrees(np.angle(values))
