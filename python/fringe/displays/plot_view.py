#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which part of a plot is shown, and where the pointer is."""

from PyQt5 import QtCore, QtWidgets

from .held_changes import held_changes

#: How much one step of the wheel leaves of an axis; pixels below which a drag is none.
WHEEL, DRAG = 0.8, 8


class plot_view(held_changes, QtWidgets.QWidget):
    """A widget with two axes, of which a user chooses a part.

    The wheel zooms around the pointer, beside an axis that one alone; dragging chooses a rectangle,
    or, along one direction, a part of one axis; a double click and the key Home show all. square:
    both axes have the same scale, and keep it.

    A subclass has area(), the rectangle inside the axes.
    """
    _redraw = QtCore.pyqtSignal()
    #: something was drawn anew, or the pointer was moved
    news = QtCore.pyqtSignal()
    #: (0 for x or 1 for y, its ends or None for all): the user has chosen
    zoomed = QtCore.pyqtSignal(int, object)

    def __init__(self, square=False):
        QtWidgets.QWidget.__init__(self)
        held_changes.__init__(self)
        self.square = square
        self.x, self.y = (0.0, 1.0), (0.0, 1.0)  # left and right, bottom and top
        self.x_label = self.y_label = ""
        #: (x, y) under the pointer, None = it is elsewhere
        self.pointer = None
        self._parts, self._drag = [None, None], None
        self.setMouseTracking(True)
        self.setFocusPolicy(QtCore.Qt.ClickFocus)
        self._redraw.connect(self.update)
        self._redraw.connect(self.news)

    def changed(self):
        """There is something new to draw."""
        self._redraw.emit()

    def axis(self, which):
        """What a chosen part belongs to: when this is another, all is shown again."""
        return (self.x, self.x_label) if which == 0 else self.y

    def ends(self):
        """(left and right, bottom and top) of what is shown."""
        return tuple(part[1] if part is not None and part[0] == self.axis(which) else whole
                     for which, (part, whole) in enumerate(zip(self._parts, (self.x, self.y))))

    def zoom(self, which, ends):
        """Shows a part of the axis x (0) or y (1); None = all of it."""
        self._parts[which] = None if ends is None else (self.axis(which), tuple(ends))
        self.changed()

    def zoom_out(self):
        """Shows all."""
        for which in (0, 1):
            self._choose(which, None)

    def at(self, x, y):
        """Where a point, or arrays of them, lie in the widget."""
        a, ((left, right), (bottom, top)) = self.area(), self.ends()
        return (a.left() + (x - left) / (right - left) * a.width(),
                a.bottom() - (y - bottom) / (top - bottom) * a.height())

    def place(self, point):
        """(x, y) of a point of the widget."""
        a, ((left, right), (bottom, top)) = self.area(), self.ends()
        return (left + (point.x() - a.left()) / (a.width() or 1) * (right - left),
                bottom + (a.bottom() - point.y()) / (a.height() or 1) * (top - bottom))

    def dragged(self):
        """The rectangle that is being chosen, in the widget, or None."""
        if self._drag is None or self._drag[1] is None:
            return None
        a, box = self.area(), QtCore.QRectF(*self._drag).normalized()
        if self.square:
            side = max(box.width() / a.width(), box.height() / a.height())
            middle, box = box.center(), QtCore.QRectF(0, 0, side * a.width(), side * a.height())
            box.moveCenter(middle)
        elif box.height() < DRAG:
            box.setTop(a.top())
            box.setBottom(a.bottom())
        elif box.width() < DRAG:
            box.setLeft(a.left())
            box.setRight(a.right())
        return box.intersected(a) if not self.square else box

    def _choose(self, which, ends):
        whole = (self.x, self.y)[which]
        if ends is not None and abs(ends[1] - ends[0]) >= 0.999 * abs(whole[1] - whole[0]):
            ends = None
        elif ends is not None and not self.square:
            ends = tuple(min(max(end, min(whole)), max(whole)) for end in ends)
        self.zoom(which, ends)
        self.zoomed.emit(which, ends)

    def wheelEvent(self, event):
        """Qt's."""
        a, point, left = self.area(), event.position(), WHEEL ** (event.angleDelta().y() / 120)
        for which, beside in ((0, point.x() < a.left()), (1, point.y() > a.bottom())):
            if self.square or not beside:
                here, ends = self.place(point)[which], self.ends()[which]
                self._choose(which, [here + (end - here) * left for end in ends])
        event.accept()

    def mousePressEvent(self, event):
        """Qt's."""
        if event.button() == QtCore.Qt.LeftButton and self.area().contains(event.localPos()):
            self._drag = [event.localPos(), None]

    def mouseMoveEvent(self, event):
        """Qt's."""
        if self._drag is not None and event.buttons() & QtCore.Qt.LeftButton:
            self._drag[1] = event.localPos()
        inside = self.area().contains(event.localPos())
        self.pointer = self.place(event.localPos()) if inside else None
        self.changed()

    def mouseReleaseEvent(self, event):
        """Qt's."""
        box, moved = self.dragged(), self._drag
        self._drag = None
        if box is not None and (moved[1] - moved[0]).manhattanLength() >= DRAG:
            (left, bottom), (right, top) = self.place(box.bottomLeft()), self.place(box.topRight())
            self._choose(0, (left, right))
            self._choose(1, (bottom, top))
        self.changed()

    def mouseDoubleClickEvent(self, _):
        """Qt's."""
        self.zoom_out()

    def leaveEvent(self, _):
        """Qt's."""
        self.pointer = None
        self.changed()
