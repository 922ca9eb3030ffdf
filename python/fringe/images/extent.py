#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How far an image reaches: its pixels, and those of them that are below the horizon."""

import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT
from .frame import longest_baseline
from .middle import cosines_of

#: Pixels to a wave of the longest baseline, sides that are chosen, and the largest.
PIXELS_A_WAVE, FIELD, LARGEST = 4, 1024, 4096
#: Pixels beyond the horizon.
BORDER = 4


def size_of(s, frame, files):
    """Columns, rows, pixel, remarks."""
    remarks = []
    finest = max(longest_baseline(frame, vis) * vis.frequencies.max() for vis in files)
    if not finest > 0:
        raise ValueError(f'{files[0].path}: no image: its antennas stand at one place, as far as '
                         'the file says')
    wave = SPEED_OF_LIGHT / finest
    pixel = s.scale or min(wave / PIXELS_A_WAVE, 0.05)
    if s.size is None:
        side = int(np.ceil(2 / pixel)) + BORDER if frame.all_sky else min(FIELD, int(2 / pixel))
        if frame.all_sky and side > LARGEST:
            remarks.append(f'the array resolves {2 / pixel:.0f} pixels from horizon to horizon; '
                           f'the image has {LARGEST} (size, scale)')
            side = LARGEST
            pixel = s.scale or 2 / (side - BORDER)
        size = (side + side % 2,) * 2
    else:
        size = s.size
        if frame.all_sky and s.scale is None:
            pixel = 2 / (min(size) - BORDER)
    if pixel > wave / 2:
        remarks.append(f'pixels are wider than half a wave of the longest baseline, '
                       f'{np.degrees(wave / 2):.3g} degrees: sources are not resolved as the '
                       'array could')
    return *size, pixel, remarks


def hidden_pixels(frame, columns, rows, pixel):
    """True for pixels below the horizon."""
    l, ms = cosines_of(columns, rows, pixel)
    hidden = np.zeros((rows, columns), bool)
    up = None
    if frame.rotation is not None and (frame.all_sky or frame.rotation[2, 2] > 0):
        up = frame.rotation[:, 2]
    reach = np.hypot(np.abs(l).max(), np.abs(ms).max())
    if reach < 1 and (up is None or reach < up[2]):
        return hidden  # the corner is nearer to the center than the horizon is
    for row, m in zip(hidden, ms):  # an image of doubles would be large
        n2 = 1 - l * l - m * m
        row[:] = n2 <= 0
        if up is not None:
            row |= up[0] * l + up[1] * m + up[2] * np.sqrt(np.maximum(n2, 0)) <= 0
    return hidden
