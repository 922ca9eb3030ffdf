#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Colours of the plots that are drawn with Qt alone."""

import functools

import numpy as np
from PyQt5 import QtGui

INK, GREY, PAPER = (QtGui.QColor(c) for c in ("#202020", "#808080", "#ffffff"))
BLUE, ORANGE = QtGui.QColor("#1f5fbf"), QtGui.QColor("#e06000")

# Red, green, blue at even steps. "heat" gets lighter all the way; "phase" ends where it begins
# and has four colours a quarter of a turn apart; "difference" is dark in the middle, where there
# is none.
ANCHORS = {
    "heat": ((0, 0, 4), (34, 12, 74), (88, 16, 110), (140, 41, 99), (188, 55, 84),
             (226, 88, 50), (246, 136, 20), (250, 192, 50), (252, 255, 164)),
    "phase": ((60, 60, 66), (44, 96, 190), (120, 180, 225), (238, 236, 232), (232, 168, 92),
              (176, 60, 52), (60, 60, 66)),
    "difference": ((190, 225, 255), (90, 160, 235), (35, 95, 190), (15, 42, 95), (10, 10, 14),
                   (95, 32, 12), (190, 75, 20), (240, 150, 50), (255, 225, 160)),
}


@functools.lru_cache(None)
def colour_map(name):
    """256 colours as QImage's 32-bit numbers."""
    anchors = np.array(ANCHORS[name], float)
    at = np.linspace(0, len(anchors) - 1, 256)
    red, green, blue = (np.interp(at, np.arange(len(anchors)), anchors[:, k]).astype(np.uint32)
                        for k in range(3))
    return 0xff000000 | red << 16 | green << 8 | blue


def to_image(scaled, colours):
    """A QImage of values 0 ... 1 [row][column]; NaN is transparent."""
    shown = np.isfinite(scaled)
    index = np.clip(np.where(shown, scaled, 0) * 255.999, 0, 255).astype(int)
    pixels = np.ascontiguousarray(np.where(shown, colours[index], 0).astype(np.uint32))
    rows, columns = pixels.shape
    return QtGui.QImage(pixels.data, columns, rows, 4 * columns,
                        QtGui.QImage.Format_ARGB32).copy()
