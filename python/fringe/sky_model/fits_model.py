#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads images of fluxes, models of the sky, from FITS files of any program."""

import re
from dataclasses import dataclass

import numpy as np

from ..images.fits_grid import grid_of, number
from ..images.frame import image_frame
from ..images.middle import middle_of
from ..readers.fits_image import read_fits_image
from ..observing.stokes import STOKES

NAMES = {number: name for name, number in STOKES.items()}
#: Units of a pixel, in small letters, in Jy or in whatever the visibilities are in.
UNITS = {'jy': 1.0, 'mjy': 1e-3, 'ujy': 1e-6, 'count': 1.0}
#: Pixels by which the reference may be beside the middle of one.
BESIDE = 1e-3
#: Pixels beyond which an image around the reference is too large.
LARGEST = 2**15


@dataclass
class fits_model:
    """Fluxes [plane][channel group][m][l], with l = m = 0 where middle_of() has it."""
    values: np.ndarray
    frame: image_frame   #: center None: direction cosines around the zenith
    pixels: tuple        #: (pixel_l, pixel_m)
    planes: list         #: names: I, XX ...
    centers: list        #: Hz, of the groups


def read_model(path):
    """The `fits_model` of a file; ValueError with a sentence."""
    values, header = read_fits_image(path)
    grid = grid_of(path, header)
    if grid.projection != 'SIN' or any(grid.slant):
        raise ValueError(f'{path}: its projection is {grid.projection}'
                         f'{", slanted" if any(grid.slant) else ""}; that of a model is SIN '
                         '(RA---SIN, DEC--SIN)')
    values, planes, centers = _planes(path, values, header)
    values = np.where(np.isfinite(values), values, 0) * _unit(path, header)
    if not grid.mirrored:
        values = values[..., ::-1]
        grid.column = grid.columns - 1 - grid.column
    values = _around_middle(path, values.astype(np.float32), grid.column, grid.row)
    return fits_model(values, grid.frame, grid.step, planes, centers)


def _planes(path, values, header):
    """(values [plane][group][row][column], names of planes, frequencies of groups)."""
    kinds = [str(header.get(f'CTYPE{k + 1}', '')).strip().upper() for k in range(values.ndim)]
    order, planes, centers = [], ['I'], [0.0]
    for kind in ('STOKES', 'FREQ'):
        if kind not in kinds[2:]:
            values, order = values[None], order + [None]
            continue
        k = kinds.index(kind, 2)
        order.append(k)
        axis = _axis(path, header, k + 1)
        if kind == 'FREQ':
            centers = axis
        else:
            planes = [NAMES.get(round(code)) for code in axis]
            if None in planes:
                raise ValueError(f'{path}: its Stokes axis has {axis}; there are '
                                 + ', '.join(f'{n} ({name})' for name, n in STOKES.items()))
    missing = order.count(None)
    left = [k for k in range(2, len(kinds)) if k not in order]
    for k in left:
        if header[f'NAXIS{k + 1}'] > 1:
            raise ValueError(f'{path}: its axis {k + 1}, {kinds[k] or "without a name"}, has '
                             f'{header[f"NAXIS{k + 1}"]} values; a model may have several along '
                             'STOKES and FREQ')
    # The last axis of an array is the file's first; new ones stand in front.
    last, front = values.ndim - 1, iter(range(missing))
    places = [next(front) if k is None else last - k for k in order]
    values = values.transpose(places + [last - k for k in left] + [last - 1, last])
    shape = *values.shape[:2], *values.shape[-2:]
    return values.reshape(shape), planes, centers


def _axis(path, header, axis):
    """Values along an axis."""
    place = np.arange(1, header[f'NAXIS{axis}'] + 1) - number(path, header, f'CRPIX{axis}', 1.0)
    step = number(path, header, f'CDELT{axis}', 1.0)
    return (number(path, header, f'CRVAL{axis}') + place * step).tolist()


def _unit(path, header):
    """What values are multiplied by to be fluxes."""
    unit = str(header.get('BUNIT', '')).strip()
    if 'beam' in unit.lower():
        raise ValueError(f'{path}: its unit is {unit}: it is no model, whose pixels are '
                         'fluxes; fringe image --clean writes x-model.fits')
    known = re.fullmatch(r'([a-z]*) *(?:/ *pixel|pixel *\*\* *-1|pixel-1|)', unit.lower())
    if not unit or (known and known[1] in UNITS):
        return UNITS[known[1]] if unit else 1.0
    raise ValueError(f'{path}: its unit is {unit} (BUNIT): that of a model is Jy/pixel or '
                     'count/pixel')


def _around_middle(path, values, column, row):
    """Values [...][m][l] in an image so large that l = m = 0 is in its middle."""
    at = round(column), round(row)
    if max(abs(column - at[0]), abs(row - at[1])) > BESIDE:
        raise ValueError(f'{path}: its reference (CRPIX1, CRPIX2) is {column - at[0]:+.3g}, '
                         f'{row - at[1]:+.3g} pixels beside the middle of a pixel; that of a model '
                         'is in the middle of one')
    rows, columns = values.shape[-2:]
    size = [_size(n, at[k], lambda n, k=k: middle_of(n, n)[k])
            for k, n in enumerate((columns, rows))]
    if size == [columns, rows]:
        return np.ascontiguousarray(values)
    if max(size) > LARGEST:
        raise ValueError(f'{path}: its reference (CRPIX1, CRPIX2) is far outside of it, '
                         f'{at[0]}, {at[1]} pixels from its corner')
    middle = middle_of(*size)
    first, below = middle[0] - at[0], middle[1] - at[1]
    larger = np.zeros((*values.shape[:2], size[1], size[0]), np.float32)
    larger[..., below:below + rows, first:first + columns] = values
    return larger


def _size(n, place, middle):
    """Of the shortest side on which all n pixels are, number `place` of them in the middle."""
    if middle(n) == place:
        return n
    size = 2 * max(place + 1, n - place) + 1
    return size + size % 2
