#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A plot drawn with Qt alone, for what qtgui has no sink for."""

import numpy as np
from PyQt5 import QtCore, QtGui

from .colors import color_map, theme_of, to_image
from .numbers_of_axes import axis_numbers
from .plot_view import plot_view

LEFT, RIGHT, TOP, BOTTOM, BAR = 78, 14, 30, 50, 110


class plot(plot_view):
    """Title, axes and their labels; a subclass draws inside with paint(painter).

    It says what is under the pointer with reading(x, y): None, or ((x, y) of what is meant or
    None, words), and with columns() what is shown: [(name with unit, values)] of its axes, and of
    the values there. `what`: whose values they are, for the names of columns.
    """

    def __init__(self, x_label, y_label, square=False):
        super().__init__(square)
        self.title, self.what, self.x_label, self.y_label = "", "", x_label, y_label
        self.whole_x = self.whole_y = False      # ticks at whole numbers only
        self.names = None                        # of whole numbers, where they are names
        self.bar = None                          # (color map, low, high, label)
        self.left = LEFT                         # pixels for the numbers along y and their label
        self.theme = theme_of(self)
        self.setMinimumSize(300, 180)

    def sizeHint(self):
        """Qt's."""
        return QtCore.QSize(460, 380)

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

    def reading(self, x, y):
        """What is under the pointer at (x, y)."""

    def named(self, label):
        """The name of a column: of its axis, and whose values they are."""
        return f"{label}, {self.what}" if self.what else label

    def paintEvent(self, _):
        """Qt's."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        self.theme = theme_of(self)
        painter.fillRect(self.rect(), self.theme.paper)
        painter.save()
        painter.setClipRect(self.area())
        self.paint(painter)
        self._marks(painter)
        painter.restore()
        self._frame(painter)
        if self.bar is not None:
            self._color_bar(painter)
        painter.end()

    def paint(self, painter):
        """Draws what is inside the axes."""

    def _marks(self, painter):
        """What the pointer means, and the rectangle that is being chosen."""
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.setPen(QtGui.QPen(self.theme.orange, 2))
        found = None if self.pointer is None else self.reading(*self.pointer)
        if found is not None and found[0] is not None:
            painter.drawEllipse(QtCore.QPointF(*self.at(*found[0])), 5, 5)
        box = self.dragged()
        if box is not None:
            painter.setPen(QtGui.QPen(self.theme.orange, 1, QtCore.Qt.DashLine))
            painter.drawRect(box)

    def _frame(self, painter):
        a, middle = self.area(), QtCore.Qt.AlignCenter
        painter.setPen(self.theme.gray)
        painter.drawRect(a)
        painter.setPen(self.theme.ink)
        bold = QtGui.QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        # Where there is no room for all of the title, its end is left out.
        title = painter.fontMetrics().elidedText(self.title, QtCore.Qt.ElideRight,
                                                 self.width() - 8)
        half = painter.fontMetrics().horizontalAdvance(title) / 2 + 4
        center = min(max(a.center().x(), half), max(half, self.width() - half))
        # It ends above the highest number along y, which it may reach to.
        painter.drawText(QtCore.QRectF(center - half, a.top() - TOP, 2 * half, TOP - 9), middle,
                         title)
        painter.setFont(self.font())
        for value, word in self.x_numbers(painter):
            x = self.at(value, 0)[0]
            painter.drawLine(QtCore.QPointF(x, a.bottom()), QtCore.QPointF(x, a.bottom() + 4))
            half = painter.fontMetrics().horizontalAdvance(word) / 2 + 1
            x = min(x, self.width() - half)
            painter.drawText(QtCore.QRectF(x - 45, a.bottom() + 6, 90, 18), middle, word)
        for value, word in self.y_numbers():
            y = self.at(0, value)[1]
            painter.drawLine(QtCore.QPointF(a.left() - 4, y), QtCore.QPointF(a.left(), y))
            room = self.left - 25
            painter.drawText(QtCore.QRectF(a.left() - 7 - room, y - 9, room, 18),
                             QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter,
                             painter.fontMetrics().elidedText(word, QtCore.Qt.ElideMiddle, room))
        half = self._fit(painter, self.x_label, self.width() - 4) / 2
        center = max(min(a.center().x(), self.width() - half), half)
        painter.drawText(QtCore.QRectF(center - half, a.bottom() + 26, 2 * half, 20), middle,
                         self.x_label)
        painter.setFont(self.font())
        self._upright(painter, a.left() - self.left + 10, a.center().y(), self.y_label)

    def x_numbers(self, painter):
        """(value, word) along x: as many as do not touch."""
        width, found = self.area().width(), []
        for count in range(max(2, int(width / 45)), 1, -1):
            # With a few wide steps there may be no round number on the axis at all.
            found = self._numbers(0, count) or found[:1]
            widest = max((painter.fontMetrics().horizontalAdvance(word) for _, word in found),
                         default=0)
            values = [value for value, _ in found]
            left, right = self.ends()[0]
            apart = np.diff(values).min(initial=np.inf) / abs(right - left) * width
            if widest + 10 <= apart:
                return found
        return found[:1]

    def y_numbers(self):
        """(value, word) along y."""
        return self._numbers(1, self.area().height() / 34)

    def _numbers(self, which, count):
        return axis_numbers(self.ends()[which], (self.whole_x, self.whole_y)[which], self.names,
                            count)

    def _fit(self, painter, word, room):
        """Takes smaller letters for a word where there is no room for it; returns its width."""
        width = painter.fontMetrics().horizontalAdvance(word) + 4
        if width > room:
            font = QtGui.QFont(self.font())
            font.setPointSizeF(font.pointSizeF() * max(0.6, room / width))
            painter.setFont(font)
        return min(width, room)

    def _upright(self, painter, x, y, word):
        """A label along y."""
        room = self.height() - 4
        painter.save()
        width = self._fit(painter, word, room)
        y = min(max(y, 2 + width / 2), self.height() - 2 - width / 2)
        painter.translate(x, y)
        painter.rotate(-90)
        painter.drawText(QtCore.QRectF(-room / 2, -10, room, 20), QtCore.Qt.AlignCenter, word)
        painter.restore()

    def _color_bar(self, painter):
        (colors, low, high, label), a = self.bar, self.area()
        strip = QtCore.QRectF(a.right() + 12, a.top(), 12, a.height())
        ramp = to_image(np.linspace(1, 0, 256)[:, None], color_map(colors))
        painter.drawImage(strip, ramp)
        painter.setPen(self.theme.gray)
        painter.drawRect(strip)
        painter.setPen(self.theme.ink)
        for value, word in axis_numbers((low, high), False, None, a.height() / 34):
            y = strip.bottom() - (value - low) / ((high - low) or 1) * strip.height()
            painter.drawText(QtCore.QRectF(strip.right() + 5, y - 9, 60, 18),
                             QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, word)
        self._upright(painter, strip.right() + 66, a.center().y(), label)
