#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A plot drawn with Qt alone, for what qtgui has no sink for."""

import numpy as np
from PyQt5 import QtCore, QtGui, QtWidgets

from .colours import GREY, INK, PAPER, colour_map, to_image

TURN = (-180, 180)  # ends of an axis of phases, degrees
LEFT, RIGHT, TOP, BOTTOM, BAR = 78, 14, 30, 50, 110


def ticks(low, high, most=6):
    """Round numbers from low to high: 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        return np.array([low])
    raw = (high - low) / most
    ten = 10 ** np.floor(np.log10(raw))
    step = next(m * ten for m in (1, 2, 5, 10) if m * ten >= raw * (1 - 1e-9))
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step


def words(values):
    """The numbers of an axis, all with as many decimals."""
    step = np.diff(values).min() if len(values) > 1 else abs(values[0]) or 1
    decimals = int(max(0, np.ceil(-np.log10(step) - 1e-9)))
    return [f"{0 if abs(v) < step / 1e6 else v:.{decimals}f}" for v in values]


class plot(QtWidgets.QWidget):
    """Title, axes and their labels; a subclass draws inside with paint(painter).

    square: both axes have the same scale. `changed` may be called from any thread.
    """
    _redraw = QtCore.pyqtSignal()

    def __init__(self, x_label, y_label, square=False):
        super().__init__()
        self.title, self.x_label, self.y_label = "", x_label, y_label
        self.x, self.y = (0.0, 1.0), (0.0, 1.0)  # left and right, bottom and top
        self.whole_x = self.whole_y = False      # ticks at whole numbers only
        self.names = None                        # of whole numbers, where they are names
        self.square, self.bar = square, None     # bar: (colour map, low, high, label)
        self.left = LEFT                         # pixels for the numbers along y and their label
        self.setMinimumSize(300, 180)
        self._redraw.connect(self.update)

    def sizeHint(self):
        """Qt's."""
        return QtCore.QSize(460, 380)

    def changed(self):
        """There is something new to draw."""
        self._redraw.emit()

    def area(self):
        """The rectangle inside the axes."""
        right = RIGHT if self.bar is None else BAR
        room = QtCore.QRectF(self.rect()).adjusted(self.left, TOP, -right, -BOTTOM)
        if self.square:
            side = min(room.width() / abs(self.x[1] - self.x[0]),
                       room.height() / abs(self.y[1] - self.y[0]))
            width, height = (side * abs(a[1] - a[0]) for a in (self.x, self.y))
            middle = room.center()
            room = QtCore.QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
        return room

    def at(self, x, y):
        """Where a point, or arrays of them, lie in the widget."""
        a = self.area()
        return (a.left() + (x - self.x[0]) / (self.x[1] - self.x[0]) * a.width(),
                a.bottom() - (y - self.y[0]) / (self.y[1] - self.y[0]) * a.height())

    def paintEvent(self, _):
        """Qt's."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        painter.fillRect(self.rect(), PAPER)
        painter.save()
        painter.setClipRect(self.area())
        self.paint(painter)
        painter.restore()
        self._frame(painter)
        if self.bar is not None:
            self._colour_bar(painter)
        painter.end()

    def paint(self, painter):
        """Draws what is inside the axes."""

    def _frame(self, painter):
        a, middle = self.area(), QtCore.Qt.AlignCenter
        painter.setPen(GREY)
        painter.drawRect(a)
        painter.setPen(INK)
        bold = QtGui.QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        # Where there is no room for all of the title, its end is left out.
        title = painter.fontMetrics().elidedText(self.title, QtCore.Qt.ElideRight,
                                                 self.width() - 8)
        half = painter.fontMetrics().horizontalAdvance(title) / 2 + 4
        centre = min(max(a.center().x(), half), max(half, self.width() - half))
        # It ends above the highest number along y, which it may reach to.
        painter.drawText(QtCore.QRectF(centre - half, a.top() - TOP, 2 * half, TOP - 9), middle,
                         title)
        painter.setFont(self.font())
        for value, word in self.x_numbers(painter):
            x = self.at(value, 0)[0]
            painter.drawLine(QtCore.QPointF(x, a.bottom()), QtCore.QPointF(x, a.bottom() + 4))
            painter.drawText(QtCore.QRectF(x - 45, a.bottom() + 6, 90, 18), middle, word)
        for value, word in self.y_numbers():
            y = self.at(0, value)[1]
            painter.drawLine(QtCore.QPointF(a.left() - 4, y), QtCore.QPointF(a.left(), y))
            room = self.left - 25
            painter.drawText(QtCore.QRectF(a.left() - 7 - room, y - 9, room, 18),
                             QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter,
                             painter.fontMetrics().elidedText(word, QtCore.Qt.ElideMiddle, room))
        half = painter.fontMetrics().horizontalAdvance(self.x_label) / 2 + 2
        centre = min(a.center().x(), self.width() - half)
        painter.drawText(QtCore.QRectF(centre - half, a.bottom() + 26, 2 * half, 20), middle,
                         self.x_label)
        self._upright(painter, a.left() - self.left + 10, a.center().y(), self.y_label)

    def x_numbers(self, painter):
        """(value, word) along x: as many as do not touch."""
        width, found = self.area().width(), []
        for most in range(max(2, int(width / 45)), 1, -1):
            # With a few wide steps there may be no round number on the axis at all.
            found = list(self._numbers(self.x, self.whole_x, most)) or found[:1]
            widest = max((painter.fontMetrics().horizontalAdvance(word) for _, word in found),
                         default=0)
            values = [value for value, _ in found]
            apart = np.diff(values).min(initial=np.inf) / abs(self.x[1] - self.x[0]) * width
            if widest + 10 <= apart:
                return found
        return found[:1]

    def y_numbers(self):
        """(value, word) along y."""
        return list(self._numbers(self.y, self.whole_y, self.area().height() / 34))

    def _numbers(self, ends, whole, most):
        if tuple(ends) == TURN:
            return [(value, f"{value}") for value in (-180, -90, 0, 90, 180)]
        values = ticks(min(ends), max(ends), max(2, int(min(most, 8))))
        if whole:
            values = values[np.abs(values - np.round(values)) < 1e-6]
            if self.names:
                return [(k, self.names[int(round(k))]) for k in values
                        if -0.5 < k < len(self.names) - 0.5]
        return zip(values, words(values)) if len(values) else ()

    def _upright(self, painter, x, y, word):
        """A label along y, in smaller letters where there is no room for it."""
        room = self.height() - 4
        font = QtGui.QFont(self.font())
        width = painter.fontMetrics().horizontalAdvance(word) + 2
        if width > room:
            font.setPointSizeF(font.pointSizeF() * max(0.6, room / width))
            width = min(width, room)
        y = min(max(y, 2 + width / 2), self.height() - 2 - width / 2)
        painter.save()
        painter.setFont(font)
        painter.translate(x, y)
        painter.rotate(-90)
        painter.drawText(QtCore.QRectF(-room / 2, -10, room, 20), QtCore.Qt.AlignCenter, word)
        painter.restore()

    def _colour_bar(self, painter):
        (colours, low, high, label), a = self.bar, self.area()
        strip = QtCore.QRectF(a.right() + 12, a.top(), 12, a.height())
        ramp = to_image(np.linspace(1, 0, 256)[:, None], colour_map(colours))
        painter.drawImage(strip, ramp)
        painter.setPen(GREY)
        painter.drawRect(strip)
        painter.setPen(INK)
        for value, word in self._numbers((low, high), False, a.height() / 34):
            y = strip.bottom() - (value - low) / ((high - low) or 1) * strip.height()
            painter.drawText(QtCore.QRectF(strip.right() + 5, y - 9, 60, 18),
                             QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, word)
        self._upright(painter, strip.right() + 66, a.center().y(), label)


class heat_map(plot):
    """An array in colours; show(values) may be called from any thread.

    values [row][column], the first row at the top, spread over the axes; NaN is paper. low,
    high: values at the ends of the colours.
    """

    def __init__(self, x_label, y_label, square=False):
        super().__init__(x_label, y_label, square)
        self.values, self._image, self.smooth = None, None, False

    def show_values(self, values, low, high, label, colours="heat"):
        """Shows another array."""
        values = np.asarray(values, float)
        scaled = (values - low) / ((high - low) or 1)
        image = to_image(scaled, colour_map(colours))
        self.values, self._image, self.bar = values, image, (colours, low, high, label)
        self.changed()

    def paint(self, painter):
        """The picture, stretched over the axes."""
        if self._image is not None:
            painter.setRenderHint(QtGui.QPainter.SmoothPixmapTransform, self.smooth)
            painter.drawImage(self.area(), self._image)
