#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The size that a flowgraph's window opens with."""

from PyQt5 import QtCore, QtWidgets

#: Pixels that the frame of a window takes, to the right and below.
FRAME = QtCore.QSize(16, 48)


class first_size(QtCore.QObject):
    """Makes the window of a widget as large as its contents want to be, when it opens.

    The windows of GNU Radio Companion have their contents in a scroll area, and so open with a
    size that is the same for all, and too small. A window stays within the screen. One whose size
    was stored when it was last closed keeps that.
    """

    def __init__(self, widget):
        super().__init__(widget)
        self._done = False
        widget.installEventFilter(self)

    def eventFilter(self, _, event):
        """Qt's."""
        if event.type() == QtCore.QEvent.Show and not self._done:
            self._done = True
            QtCore.QTimer.singleShot(0, self._resize)
        return False

    def _resize(self):
        window = self.parent().window()
        area = window.findChild(QtWidgets.QScrollArea)
        if area is None or area.widget() is None or window.property("fringe_sized"):
            return
        window.setProperty("fringe_sized", True)
        settings = getattr(window, "settings", None)
        if settings is not None and settings.value("geometry") is not None:
            return
        wanted = area.widget().sizeHint() + window.size() - area.viewport().size()
        room = window.screen().availableGeometry().size() - FRAME
        window.resize(wanted.boundedTo(room).expandedTo(window.size()))
