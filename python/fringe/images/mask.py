#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Masks: FITS images that are not 0 where CLEAN may find components."""

import numpy as np

from ..readers.fits_image import read_fits_image
from .fits_grid import grid_of, places_of
from .middle import cosines_of


def read_mask(path, frame, columns, rows, pixel):
    """True where components may be, [m][l], in an image of a frame: where the nearest pixel of the
    mask is not 0. The mask may have another middle, scale, projection or frame."""
    values, header = read_fits_image(path)
    count = values.size // (values.shape[-1] * values.shape[-2])
    if count != 1:
        raise ValueError(f'mask: {path}: holds {count} images; a mask is one')
    grid = grid_of(f'mask: {path}', header)
    if (grid.frame.center is None) != (frame.center is None):
        raise ValueError(f'mask: {path}: of mask and image one has right ascensions, and the '
                         'other direction cosines around the zenith')
    plane = values.reshape(grid.rows, grid.columns)
    plane = np.isfinite(plane) & (plane != 0)
    if not plane.any():
        raise ValueError(f'mask: {path}: is 0 everywhere, so nothing may be cleaned')
    mask = _nearest(plane, *places_of(grid, frame, *np.meshgrid(*cosines_of(columns, rows, pixel))))
    if not mask.any():
        raise ValueError(f'mask: {path}: nowhere in the image is it other than 0: it is of '
                         f'another part of the sky, around {_words(grid.frame)}')
    return mask


def _nearest(plane, column, row):
    rows, columns = plane.shape
    with np.errstate(invalid='ignore'):
        inside = (column > -0.5) & (column < columns - 0.5) & (row > -0.5) & (row < rows - 0.5)
    at = (np.where(inside, np.rint(place), 0).astype(int) for place in (row, column))
    return inside & plane[tuple(at)]


def _words(frame):
    if frame.center is None:
        return 'the zenith'
    ra, dec = np.degrees(frame.center)
    return f'right ascension {ra:.4f}, declination {dec:+.4f} degrees'
