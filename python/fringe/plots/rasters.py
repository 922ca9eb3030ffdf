#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Rows of values as colors."""

import numpy as np

from ..ground.colors import color_map


def binned(rows, limit):
    """[row][channel] averaged to at most `limit` channels."""
    channels = rows.shape[1]
    if channels <= limit:
        return rows
    edges = np.linspace(0, channels, limit + 1).astype(int)[:-1]
    valid = np.isfinite(rows)
    count = np.add.reduceat(valid, edges, axis=1)
    with np.errstate(invalid='ignore', divide='ignore'):
        return np.add.reduceat(np.where(valid, rows, 0), edges, axis=1) / count


def raster(figure, panel, values, x, kind):
    """Draws values [row][channel], the first row at the top. kind: 'phase' (degrees), 'dB' or None;
    x: of the channels."""
    step = (x[-1] - x[0]) / (len(x) - 1) if len(x) > 1 else 1.0
    extent = (x[0] - step / 2, x[-1] + step / 2, len(values), 0)
    finite = values[np.isfinite(values)]
    if kind == 'phase':
        colors, low, high = color_map('phase'), -180, 180
    elif kind == 'dB':
        colors = color_map('heat')
        low, high = np.percentile(finite, [2, 99.5]) if len(finite) else (-1, 0)
    else:
        colors, low = color_map('heat'), 0
        high = np.percentile(finite, 99.5) if len(finite) else 1
    colors.set_bad('0.75')
    shown = panel.imshow(values, aspect='auto', interpolation='nearest', extent=extent,
                         cmap=colors, vmin=low,
                         vmax=high if kind == 'dB' else high or 1)
    bar = figure.colorbar(shown, ax=panel, pad=0.02, fraction=0.05)
    if kind == 'phase':
        bar.set_ticks(range(-180, 181, 90))
