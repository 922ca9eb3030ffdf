#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An array in colors."""

import numpy as np
from PyQt5 import QtCore, QtGui

from .colors import color_map, to_image
from .numbers_of_axes import in_words
from .plots import plot


class heat_map(plot):
    """An array in colors; show_values() may be called from any thread.

    values [row][column], the first row at the top, spread over the axes; NaN is paper. low,
    high: values at the ends of the colors. smooth: colors between those of neighbors.
    """

    def __init__(self, x_label, y_label, square=False):
        super().__init__(x_label, y_label, square)
        self.values, self._image, self.smooth = None, None, False

    def show_values(self, values, low, high, label, colors="heat", **more):
        """Shows another array, and changes more."""
        values = np.asarray(values, float)
        scaled = (values - low) / ((high - low) or 1)
        self.change(values=values, _image=to_image(scaled, color_map(colors)),
                    bar=(colors, low, high, label), **more)

    def paint(self, painter):
        """The picture, stretched over the axes."""
        if self._image is not None:
            painter.setRenderHint(QtGui.QPainter.SmoothPixmapTransform, self.smooth)
            painter.drawImage(QtCore.QRectF(
                QtCore.QPointF(*self.at(self.x[0], self.y[1])),
                QtCore.QPointF(*self.at(self.x[1], self.y[0]))), self._image)

    def cell(self, x, y):
        """(row, column) of a place on the axes; None outside."""
        rows, columns = self.values.shape
        part = (self.y[1] - y) / (self.y[1] - self.y[0]), (x - self.x[0]) / (self.x[1] - self.x[0])
        row, column = int(np.floor(part[0] * rows)), int(np.floor(part[1] * columns))
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def middles(self):
        """(x of the columns, y of the rows), of their middles."""
        return tuple(first + (np.arange(count) + 0.5) / count * (last - first)
                     for count, (first, last) in zip(self.values.shape[::-1],
                                                     (self.x, self.y[::-1])))

    def reading(self, x, y):
        """plot's."""
        at = self.cell(x, y) if self.values is not None else None
        if at is None:
            return None
        across, up = self.middles()
        return None, "   ".join((in_words(self.bar[3], self.values[at], 4),
                                 self.x_words(across[at[1]]), self.y_words(up[at[0]])))

    def x_words(self, value):
        """A place along x."""
        return self._place(self.x_label, value)

    def y_words(self, value):
        """A place along y."""
        return self._place(self.y_label, value)

    def _place(self, label, value):
        return (f"{label} {self.names[int(round(value))]}" if self.names else
                in_words(label, value, 8))

    def columns(self):
        """plot's: a line for each value."""
        if self.values is None:
            return [], ("", np.empty(0))
        (across, up), (rows, columns) = self.middles(), self.values.shape
        return ([(label, np.repeat(entries, columns) if k else np.tile(entries, rows))
                 for k, (label, entries) in enumerate(((self.x_label, self.x_entries(across)),
                                                       self.y_column(up)))],
                (self.named(self.bar[3]), self.values.ravel()))

    def x_entries(self, values):
        """Entries of a column for places along x."""
        return (np.array([self.names[int(round(value))] for value in values]) if self.names else
                values)

    def y_column(self, values):
        """(name, entries) of a column for places along y."""
        return self.y_label, self.x_entries(values)
