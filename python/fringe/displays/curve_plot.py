#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A curve or dots, drawn with Qt alone, and the block that takes their values."""

import numpy as np
from gnuradio import gr
from PyQt5 import QtCore, QtGui

from ..ground.dump_tap import NO_VALUE
from .numbers_of_axes import in_words
from .plots import plot


class curve_plot(plot):
    """Values over an axis; show() may be called from any thread. NO_VALUE is a gap."""

    def __init__(self, x_label, y_label, dots=False):
        super().__init__(x_label, y_label)
        self._dots, self._values, self._xs = dots, np.empty(0), np.empty(0)
        self.setMinimumSize(250, 180)

    def axis(self, which):
        """A part of y is kept where the axis follows the data."""
        return self.y_label if which else super().axis(which)

    def set_x(self, xs, label=None, shown=None):
        """The values stand at `xs`, even steps apart; the axis ends at two others if they are
        given, and has another label if one is given."""
        low, high = (xs[0], xs[-1]) if shown is None else shown
        half = (xs[-1] - xs[0]) / max(1, len(xs) - 1) / 2
        ends = (low - half, high + half) if len(xs) > 1 else (low - 0.5, low + 0.5)
        self.change(_xs=np.asarray(xs, float), x=ends, x_label=label or self.x_label)

    def show(self, values):
        """Shows other values, of which those without a place are left out."""
        self.change(_values=np.where(values > NO_VALUE / 2, values, np.nan))

    def shown(self):
        """(xs, values) of the curve."""
        xs, values = self._xs, self._values
        count = min(len(xs), len(values))
        return xs[:count], values[:count]

    def reading(self, x, y):
        """plot's: the value that is nearest along x."""
        xs, values = self.shown()
        if not len(xs):
            return None
        k = int(np.abs(xs - x).argmin())
        there = np.isfinite(values[k])
        return (xs[k], values[k]) if there else None, "   ".join(
            (in_words(self.y_label, values[k], 4), in_words(self.x_label, xs[k], 8)))

    def columns(self):
        """plot's."""
        xs, values = self.shown()
        return [(self.x_label, xs)], (self.named(self.y_label), values)

    def paint(self, painter):
        """Lines at the numbers of the axes, and the curve."""
        painter.setPen(self.theme.faint)
        for value, _ in self.x_numbers(painter):
            x = self.at(value, self.y[0])[0]
            painter.drawLine(QtCore.QPointF(x, self.area().top()),
                             QtCore.QPointF(x, self.area().bottom()))
        for value, _ in self.y_numbers():
            y = self.at(self.x[0], value)[1]
            painter.drawLine(QtCore.QPointF(self.area().left(), y),
                             QtCore.QPointF(self.area().right(), y))
        if not len(self.shown()[0]):
            return
        xs, ys = self.at(*self.shown())
        there = np.isfinite(ys)
        painter.setPen(QtGui.QPen(self.theme.blue, 4 if self._dots else 2, QtCore.Qt.SolidLine,
                                  QtCore.Qt.SquareCap, QtCore.Qt.RoundJoin))
        if self._dots:
            painter.drawPoints(_points(xs[there], ys[there]))
            return
        # Each stretch without a gap is a line of its own.
        ends = np.flatnonzero(np.diff(np.concatenate(([0], there.astype(int), [0]))))
        for first, last in ends.reshape(-1, 2):
            painter.drawPolyline(_points(*thinned(xs[first:last], ys[first:last])))


def thinned(xs, ys, limit=1500):
    """The same line with fewer points: the highest and the lowest of neighbors."""
    together = -(-len(xs) // limit)
    if together < 2:
        return xs, ys
    starts = np.arange(0, len(xs), together)
    ends = np.stack([np.minimum.reduceat(ys, starts), np.maximum.reduceat(ys, starts)], axis=1)
    return np.repeat(xs[starts], 2), ends.ravel()


def _points(xs, ys):
    return QtGui.QPolygonF([QtCore.QPointF(x, y) for x, y in zip(xs.tolist(), ys.tolist())])


class curve_sink(gr.sync_block):
    """Shows the newest of the vectors that come."""

    def __init__(self, shown, length):
        gr.sync_block.__init__(self, "fringe_curve", [(np.float32, length)], None)
        self._shown = shown

    def work(self, input_items, output_items):
        """Takes all that is there."""
        self._shown.show(input_items[0][-1].copy())
        return len(input_items[0])
