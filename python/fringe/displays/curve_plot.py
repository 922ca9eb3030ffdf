#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A curve or dots, drawn with Qt alone, and the block that takes their values."""

import numpy as np
from gnuradio import gr
from PyQt5 import QtCore, QtGui

from .colours import BLUE, FAINT
from ..ground.dump_tap import NO_VALUE
from .plots import plot


class curve_plot(plot):
    """Values over an even axis; show() may be called from any thread. NO_VALUE is a gap."""

    def __init__(self, x_label, y_label, dots=False):
        super().__init__(x_label, y_label)
        self._dots, self._values = dots, np.empty(0)
        self._ends = self.x
        self.setMinimumSize(250, 180)

    def set_x(self, first, last, length, shown=None):
        """The first and the last of `length` values stand there; the axis ends at two others if
        they are given."""
        self._ends = first, last
        low, high = (first, last) if shown is None else shown
        half = abs(last - first) / max(1, length - 1) / 2
        self.x = (low - half, high + half) if first != last else (first - 0.5, first + 0.5)
        self.changed()

    def show(self, values):
        """Shows other values."""
        self._values = np.where(values > NO_VALUE / 2, values, np.nan)
        self.changed()

    def paint(self, painter):
        """Lines at the numbers of the axes, and the curve."""
        painter.setPen(FAINT)
        for value, _ in self.x_numbers(painter):
            x = self.at(value, 0)[0]
            painter.drawLine(QtCore.QPointF(x, self.area().top()),
                             QtCore.QPointF(x, self.area().bottom()))
        for value, _ in self.y_numbers():
            y = self.at(0, value)[1]
            painter.drawLine(QtCore.QPointF(self.area().left(), y),
                             QtCore.QPointF(self.area().right(), y))
        if not len(self._values):
            return
        xs, ys = self.at(np.linspace(*self._ends, len(self._values)), self._values)
        there = np.isfinite(ys)
        painter.setPen(QtGui.QPen(BLUE, 4 if self._dots else 2, QtCore.Qt.SolidLine,
                                  QtCore.Qt.SquareCap, QtCore.Qt.RoundJoin))
        if self._dots:
            painter.drawPoints(_points(xs[there], ys[there]))
            return
        # Each stretch without a gap is a line of its own.
        ends = np.flatnonzero(np.diff(np.concatenate(([0], there.astype(int), [0]))))
        for first, last in ends.reshape(-1, 2):
            painter.drawPolyline(_points(*thinned(xs[first:last], ys[first:last])))


def thinned(xs, ys, most=1500):
    """The same line with fewer points: the highest and the lowest of neighbours."""
    together = -(-len(xs) // most)
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
