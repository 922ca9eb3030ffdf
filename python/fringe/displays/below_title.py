#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A title above a display."""

from PyQt5 import QtCore, QtWidgets


def below_title(title, widget):
    """A widget with a line of text above another one; it has the same smallest width, so a long
    title does not make the window wider."""
    box, line = QtWidgets.QWidget(), QtWidgets.QLabel(title)
    line.setTextFormat(QtCore.Qt.PlainText)
    line.setAlignment(QtCore.Qt.AlignCenter)
    line.setSizePolicy(QtWidgets.QSizePolicy.Ignored, QtWidgets.QSizePolicy.Fixed)
    line.setStyleSheet("background: white; color: #202020; font-weight: bold; padding-top: 4px")
    line.setToolTip(title)
    column = QtWidgets.QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(line)
    column.addWidget(widget, 1)
    return box
