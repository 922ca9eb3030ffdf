#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Colors of the plots that are drawn with Qt alone."""

import functools
from types import SimpleNamespace

import numpy as np
from PyQt5 import QtGui

from ..ground.colors import THEMES, color_table


def theme_of(widget):
    """The colors for a widget, QColors by name: light or dark as its palette is, which a style
    sheet of GNU Radio changes, too."""
    palette = widget.palette()
    dark = (palette.color(QtGui.QPalette.Window).lightness()
            < palette.color(QtGui.QPalette.WindowText).lightness())
    return _theme("dark" if dark else "light")


@functools.lru_cache(None)
def _theme(name):
    return SimpleNamespace(**{part: QtGui.QColor(c) for part, c in THEMES[name].items()})


@functools.lru_cache(None)
def color_map(name):
    """256 colors as QImage's 32-bit numbers."""
    red, green, blue = color_table(name).T
    return 0xff000000 | red << 16 | green << 8 | blue


def to_image(scaled, colors):
    """A QImage of values 0 ... 1 [row][column]; NaN is transparent."""
    shown = np.isfinite(scaled)
    index = np.clip(np.where(shown, scaled, 0) * 255.999, 0, 255).astype(int)
    pixels = np.ascontiguousarray(np.where(shown, colors[index], 0).astype(np.uint32))
    rows, columns = pixels.shape
    return QtGui.QImage(pixels.data, columns, rows, 4 * columns,
                        QtGui.QImage.Format_ARGB32).copy()
