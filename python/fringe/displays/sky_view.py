#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The sky as seen from below, with what stands in it."""

import numpy as np
from PyQt5 import QtCore, QtGui, QtWidgets

from .. import fringe_python as fp
from .colors import color_map
from .heat_map import heat_map
from .plots import BAR, TOP

#: Half the width of the map, in direction cosines: the horizon and the letters around it.
HALF = 1.13
MARK = QtGui.QColor("#7fe7ff")
RADIUS = 9  #: of the mark of a source, pixels


class sky_map(heat_map):
    """The sky over the array: north up, east to the left.

    `picture` is the sky_picture that is shown; `sources` are (name, l, m, is a satellite);
    `notes` are the texts in the corners: upper left, upper right, lower left, lower right.
    `radec(azimuth, elevation, when)` gives the ICRS direction in radians, or None.
    """

    def __init__(self, radec):
        super().__init__("l, towards east", "m, towards north", square=True)
        self._radec = radec
        self.smooth, self.picture, self.sources, self.notes = True, None, [], ("",) * 4
        self.x, self.y = (HALF, -HALF), (-HALF, HALF)
        self.setMinimumSize(340, 300)

    def area(self):
        """The square of the map: there are no numbers at its axes."""
        room = QtCore.QRectF(self.rect()).adjusted(10, TOP, -BAR, -10)
        side = min(room.width(), room.height())
        middle = room.center()
        return QtCore.QRectF(middle.x() - side / 2, middle.y() - side / 2, side, side)

    def show_sky(self, picture, values, low, high, label, colors, **more):
        """Shows values [m][l] on the axes of a `sky_picture`, and changes more."""
        # North up, and east to the left.
        self.show_values(values[::-1, ::-1], low, high, label, colors, picture=picture, **more)

    def middles(self):
        """heat_map's: the centers of the outer pixels are on the horizon."""
        return tuple(np.linspace(1, -1, count) for count in self.values.shape[::-1])

    def cell(self, x, y):
        """heat_map's."""
        size = len(self.values)
        return tuple(int(round((1 - part) / 2 * (size - 1))) for part in (y, x))

    def reading(self, x, y):
        """plot's: where on the sky that is; nothing below the horizon."""
        if not x * x + y * y < 1:
            return None
        azimuth = np.arctan2(x, y) % (2 * np.pi)
        elevation = np.arccos(min(1.0, np.hypot(x, y)))
        words = [f"az {np.degrees(azimuth):.1f}°  el {np.degrees(elevation):.1f}°"]
        picture, values = self.picture, self.values
        place = self._radec(azimuth, elevation, picture.when) if picture is not None else None
        if place is not None:
            words.append(f"RA {hours(place[0])}  Dec {degrees(place[1])}")
        if values is not None and np.isfinite(values[self.cell(x, y)]):
            words.append(f"value {values[self.cell(x, y)]:.3g}")
        return None, "    ".join(words)

    def paint(self, painter):
        """The image inside the horizon, circles of elevation, sources."""
        (left, top), (right, bottom) = self.at(1, 1), self.at(-1, -1)
        disc = QtCore.QRectF(QtCore.QPointF(left, top), QtCore.QPointF(right, bottom))
        horizon = QtGui.QPainterPath()
        horizon.addEllipse(disc)
        colors = color_map(self.bar[0] if self.bar else "heat")
        painter.fillPath(horizon, QtGui.QColor.fromRgb(
            int(colors[128 if self.bar and self.bar[1] < 0 else 0])))
        painter.setClipPath(horizon, QtCore.Qt.IntersectClip)
        if self._image is not None:
            painter.setRenderHint(QtGui.QPainter.SmoothPixmapTransform, self.smooth)
            # The centers of the outer pixels are on the horizon.
            half = disc.width() / (self._image.width() - 1) / 2
            painter.drawImage(disc.adjusted(-half, -half, half, half), self._image)
        self._circles(painter)
        painter.setClipRect(self.area())
        self._sources(painter)

    def _circles(self, painter):
        painter.setBrush(QtCore.Qt.NoBrush)
        middle, scale = QtCore.QPointF(*self.at(0, 0)), self.at(-1, 0)[0] - self.at(0, 0)[0]
        for elevation in (0, 30, 60):
            width, line = (1, QtCore.Qt.DashLine) if elevation else (3, QtCore.Qt.SolidLine)
            painter.setPen(QtGui.QPen(self.theme.gray, width, line))
            radius = np.cos(np.radians(elevation)) * scale
            painter.drawEllipse(middle, radius, radius)
            if elevation:
                x, y = self.at(0, -np.cos(np.radians(elevation)))
                self._word(painter, x + 2, y - 9, f"{elevation}°", QtGui.QColor("#c0c0c0"))

    def _sources(self, painter):
        marks = [QtCore.QRectF(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS)
                 for x, y in (self.at(l, m) for _, l, m, _ in self.sources)]
        taken = list(marks)
        for (name, _, _, satellite), mark in zip(self.sources, marks):
            painter.setPen(QtGui.QPen(MARK, 1.6))
            painter.setBrush(QtCore.Qt.NoBrush)
            if satellite:
                painter.drawRect(mark.adjusted(1.5, 1.5, -1.5, -1.5))
            else:
                painter.drawEllipse(mark)
            place = self._place_of_name(painter, name, mark, taken)
            taken.append(place)
            self._word(painter, place.left(), place.top(), name, MARK)

    def _place_of_name(self, painter, name, mark, taken):
        """Beside its mark, at the side with more room first, where it covers no other name."""
        width = painter.fontMetrics().horizontalAdvance(name)
        middle = mark.center()
        sides = [mark.right() + 4, mark.left() - 4 - width]
        if middle.x() > self.area().center().x() + self.area().width() / 8:
            sides.reverse()
        places = [QtCore.QRectF(x, middle.y() - 9, width, 18) for x in sides]
        places += [QtCore.QRectF(middle.x() - width / 2, y, width, 18)
                   for y in (mark.bottom() + 1, mark.top() - 19)]
        return next((place for place in places if not any(map(place.intersects, taken))), places[0])

    @staticmethod
    def _word(painter, x, y, word, color):
        """A word that can be read on any color: it has a dark rim."""
        path = QtGui.QPainterPath()
        path.addText(x, y + 13, painter.font(), word)
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.setPen(QtGui.QPen(QtGui.QColor(0, 0, 0, 170), 3, QtCore.Qt.SolidLine,
                                  QtCore.Qt.RoundCap, QtCore.Qt.RoundJoin))
        painter.drawPath(path)
        painter.fillPath(path, color)

    def _frame(self, painter):
        """Title, points of the compass, and the notes in the corners."""
        a, middle = self.area(), QtCore.Qt.AlignCenter
        bold = QtGui.QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(self.theme.ink)
        painter.drawText(QtCore.QRectF(a.center().x() - 300, a.top() - TOP, 600, TOP), middle,
                         self.title)
        for name, l, m in (("N", 0, 1), ("E", 1, 0), ("S", 0, -1), ("W", -1, 0)):
            x, y = self.at(1.065 * l, 1.065 * m)
            if not a.contains(x, y):
                continue
            painter.drawText(QtCore.QRectF(x - 20, y - 12, 40, 24), middle, name)
        painter.setFont(self.font())
        painter.setPen(self.theme.ink)
        # To the left there may be room beside the map.
        corners = a.adjusted(max(10 - a.left(), -90), 0, 0, 0)
        for note, where in zip(self.notes, (
                QtCore.Qt.AlignLeft | QtCore.Qt.AlignTop, QtCore.Qt.AlignRight | QtCore.Qt.AlignTop,
                QtCore.Qt.AlignLeft | QtCore.Qt.AlignBottom,
                QtCore.Qt.AlignRight | QtCore.Qt.AlignBottom)):
            painter.drawText(corners, int(where), note)


class sky_view(QtWidgets.QWidget):
    """A sky map, and a box that chooses the difference from the mean."""

    def __init__(self, radec, choose_difference):
        super().__init__()
        self.map, self.box = sky_map(radec), QtWidgets.QCheckBox("Difference from the mean")
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.map, 1)
        self.box.setContentsMargins(10, 2, 10, 2)
        column.addWidget(self.box)
        self.box.toggled.connect(choose_difference)


def radec_of(observation):
    """The function that a sky_view asks for right ascension and declination."""
    def radec(azimuth, elevation, when):
        if when is None or not observation.has_site:
            return None
        return fp.radec_of_azel(observation, float(azimuth), float(elevation), when)
    return radec


def hours(angle):
    """12h34m."""
    minutes = int(round(np.degrees(angle) % 360 * 4)) % 1440
    return f"{minutes // 60:02}h{minutes % 60:02}m"


def degrees(angle):
    """+12°34'."""
    minutes = int(round(abs(np.degrees(angle)) * 60))
    return f"{'-' if angle < 0 else '+'}{minutes // 60:02}°{minutes % 60:02}'"
