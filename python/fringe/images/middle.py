#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where the pixels of an image lie."""

import numpy as np


def middle_of(columns, rows):
    """(column, row) of l = m = 0 in an image [m][l], counted from 0.

    With east to the left, as in a FITS file, these are column columns // 2 and row rows // 2,
    FITS's pixels N / 2 + 1, as WSClean, CASA and MIRIAD have them.
    """
    return (columns - 1) // 2, rows // 2


def cosines_of(columns, rows, pixel):
    """(l of each column, m of each row)."""
    column, row = middle_of(columns, rows)
    return (np.arange(columns) - column) * pixel, (np.arange(rows) - row) * pixel
