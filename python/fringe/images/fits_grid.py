#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where the pixels of a FITS image are on the sky, as its header says (Greisen & Calabretta 2002,
Calabretta & Greisen 2002)."""

from dataclasses import dataclass

import numpy as np

from ..readers.references import to_icrs
from ..readers.uvfits_sources import frame_of
from .frame import frame_axes, image_frame

#: A step to the south or the north, radians.
STEP = 1e-5
#: Radians by which the steps of columns and rows may be other than at right angles, or unequal
#: from row to row.
SKEW = 1e-6
#: Direction cosines (l, m) where n is, of the distance from the middle in each projection.
PROJECTIONS = {'SIN': lambda n: np.ones_like(n), 'NCP': lambda n: np.ones_like(n),
               'TAN': lambda n: 1 / n,
               'ARC': lambda n: np.arccos(n) / np.maximum(np.sqrt(1 - n * n), 1e-30),
               'STG': lambda n: 2 / (1 + n), 'ZEA': lambda n: np.sqrt(2 / (1 + n))}
#: Frames of the first axis but right ascension.
LONGITUDES = {'GLON': 'GALACTIC', 'ELON': 'ECLIPTIC', 'SLON': 'SUPERGAL'}


@dataclass
class fits_grid:
    """Axes l to the east and m to the north of an image, turned by the frame's angle, and pixels
    in them."""
    frame: image_frame    #: center None: direction cosines to the east and north of the zenith
    columns: int
    rows: int
    column: float         #: of l = m = 0, counted from 0
    row: float
    step: tuple           #: radians of a column and a row
    mirrored: bool        #: columns go to the east
    projection: str       #: SIN, TAN, ...
    slant: tuple = (0.0, 0.0)  #: of SIN

    def pixels(self, l, m, n):
        """(column, row), fractions of pixels, of directions in the axes of the frame."""
        with np.errstate(divide='ignore', invalid='ignore'):
            far = PROJECTIONS[self.projection](n)
            x, y = (far * axis + slant * (1 - n) for axis, slant in zip((l, m), self.slant))
        x = x if self.mirrored else -x
        return self.column + x / self.step[0], self.row + y / self.step[1]


def grid_of(path, header):
    """The `fits_grid` of a header, a dictionary; ValueError with a sentence."""
    columns, rows = header['NAXIS1'], header['NAXIS2']
    kinds = [str(header.get(f'CTYPE{k}', '')).strip().upper() for k in (1, 2)]
    matrix = _matrix(path, header)
    column, row = (number(path, header, f'CRPIX{k}') - 1 for k in (1, 2))
    if kinds == ['L', 'M']:
        step, mirrored, turn = _decomposed(path, matrix)
        if abs(turn) > SKEW:
            raise ValueError(f'{path}: its rows do not go from south to north (CDELT2, CROTA2)')
        column, row = (at - number(path, header, f'CRVAL{k}', 0.0) / matrix[k - 1, k - 1]
                       for k, at in ((1, column), (2, row)))
        frame = image_frame(None, 'zenith', None, True, False)
        return fits_grid(frame, columns, rows, column, row, step, mirrored, 'SIN')
    frame, projection = _frame_and_projection(path, header, kinds)
    step, mirrored, turn = _decomposed(path, np.radians(matrix))
    center, north = _place(path, header, *frame)
    lon_pole = number(path, header, 'LONPOLE', 180.0 if header['CRVAL2'] < 90 else 0.0)
    slant = _slant(path, header, projection)
    if any(slant) and abs(turn) > SKEW:
        raise ValueError(f'{path}: its projection is {projection}, slanted, and its rows are '
                         'turned')
    turn += north + np.radians(lon_pole - 180)
    turn = float(np.arctan2(np.sin(turn), np.cos(turn)))
    return fits_grid(
        image_frame(center, '', None, False, True, 0.0 if abs(turn) < 1e-12 else turn), columns,
        rows, column, row, step, mirrored, projection, slant)


def number(path, header, name, usual=None):
    """A number of a header; ValueError where it is none."""
    value = header.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise ValueError(f'{path}: its header has no number {name}')
    return float(value)


def places_of(grid, frame, l, m):
    """(column, row) on a grid of directions (l, m) of another frame; not numbers below its
    horizon."""
    n2 = 1 - l * l - m * m
    n = np.sqrt(np.where(n2 > 0, n2, np.nan))
    if grid.frame.center is not None and not np.array_equal(frame_axes(frame),
                                                            frame_axes(grid.frame)):
        turn = frame_axes(grid.frame) @ frame_axes(frame).T
        l, m, n = np.tensordot(turn, np.stack(np.broadcast_arrays(l, m, n)), axes=1)
    return grid.pixels(l, m, np.where(n > 0, n, np.nan))


def _matrix(path, header):
    """Degrees to the east and north of each pixel to the right and up, before projection."""
    for k in (1, 2):
        unit = str(header.get(f'CUNIT{k}', 'deg')).strip().lower()
        if unit not in ('deg', 'degree', 'degrees', ''):
            raise ValueError(f'{path}: CUNIT{k}: {unit}: must be deg')
    if any(f'CD{i}_{j}' in header for i in (1, 2) for j in (1, 2)):
        return np.array([[number(path, header, f'CD{i}_{j}', 0.0) for j in (1, 2)]
                         for i in (1, 2)])
    steps = np.array([number(path, header, f'CDELT{k}') for k in (1, 2)])
    if any(f'PC{i}_{j}' in header for i in (1, 2) for j in (1, 2)):
        turn = np.array([[number(path, header, f'PC{i}_{j}', float(i == j)) for j in (1, 2)]
                         for i in (1, 2)])
        return steps[:, None] * turn
    angle = np.radians(number(path, header, 'CROTA2', 0.0))
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c * steps[0], -s * steps[1]], [s * steps[0], c * steps[1]]])


def _decomposed(path, matrix):
    """(steps, whether columns go to the east when rows go to the north, the direction of rows
    from +y to +x) of a matrix."""
    step = np.hypot(*matrix)
    area = np.linalg.det(matrix)
    if not step.all() or abs(abs(area) / step.prod() - 1) > SKEW:
        raise ValueError(f'{path}: its columns and rows are not at right angles (CDELT, PC, CD)')
    return tuple(map(float, step)), bool(area > 0), float(np.arctan2(matrix[0, 1], matrix[1, 1]))


def _frame_and_projection(path, header, kinds):
    """((frame, equinox), projection)."""
    (first, code), (second, other) = ((kind[:4].rstrip('-'), kind[5:].strip('-'))
                                      for kind in kinds)
    pairs = {'RA': 'DEC', 'GLON': 'GLAT', 'ELON': 'ELAT', 'SLON': 'SLAT'}
    if pairs.get(first) != second or code != other:
        raise ValueError(f'{path}: its axes are {kinds[0] or "not named"} and '
                         f'{kinds[1] or "not named"} (CTYPE1, CTYPE2): where its pixels are on the '
                         'sky is read of RA---SIN and DEC--SIN, or L and M')
    if code not in PROJECTIONS:
        raise ValueError(f'{path}: its projection is {code or "none"} (CTYPE1); what is read is '
                         + ', '.join(PROJECTIONS))
    if first != 'RA':
        return (LONGITUDES[first], None), code
    frame = frame_of(path, header, None)
    # Programs write FK5 for the J2000 of a MeasurementSet, which is ICRS.
    return ('ICRS', None) if frame in (('FK5', 2000.0), ('FK5', None)) else frame, code


def _place(path, header, frame, epoch):
    """(right ascension, declination) of the middle, and the direction of the frame's north there,
    from the north of ICRS to the east."""
    lon, lat = (np.radians(number(path, header, f'CRVAL{k}')) for k in (1, 2))
    center = to_icrs(path, 'its middle', frame, epoch, lon, lat)
    if frame == 'ICRS':
        return center, 0.0
    away = STEP if lat < 0 else -STEP
    ra, dec = to_icrs(path, 'its middle', frame, epoch, lon, lat + away)
    axes = frame_axes(image_frame(center, '', None, False, True))
    east, north, _ = axes @ [np.cos(ra) * np.cos(dec), np.sin(ra) * np.cos(dec), np.sin(dec)]
    return center, float(np.arctan2(east * np.sign(away), north * np.sign(away)))


def _slant(path, header, projection):
    if projection == 'NCP':
        return 0.0, 1 / np.tan(np.radians(number(path, header, 'CRVAL2')))
    if projection == 'SIN':
        return tuple(number(path, header, f'PV2_{k}', 0.0) for k in (1, 2))
    return 0.0, 0.0
