#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From rows of antenna pairs, as files hold them, to products of inputs."""

import numpy as np

from ..ground.axes import axes_towards
from .visibilities import SPEED_OF_LIGHT, pair_number

#: Waves, of the highest frequency, by which uvw of baselines may differ from those of antennas.
CLOSES = 1e-3
#: Places nearer to the center of the Earth than this (m) are not on the ground.
ON_EARTH = 1e6


def products_of_rows(vis, correlations, ant1, ant2):
    """For each correlation: (product of each row or -1, True where to be conjugated).

    correlations: the polarizations of the two inputs of each, as XY.
    A row of antennas 1 and 2 holds <x_1 conj(x_2)>.
    """
    number = {entry: k for k, entry in enumerate(vis.inputs)}
    count, antennas, table = len(vis.inputs), np.arange(len(vis.antennas)), []
    for hand1, hand2 in correlations:
        i = np.array([number.get((a, hand1), 0) for a in antennas])[ant1]
        j = np.array([number.get((a, hand2), 0) for a in antennas])[ant2]
        low, high = np.minimum(i, j), np.maximum(i, j)
        product = low * count - low * (low - 1) // 2 + high - low
        # YX of one antenna repeats its XY.
        product[(ant1 == ant2) & (i > j)] = -1
        table.append((product, i > j))
    return table


def antenna_uvw(uvw, dump, ant1, ant2, dumps, antennas):
    """uvw of antennas from those of baselines, uvw_1 - uvw_2.

    Counted from the first antenna of each dump, or of each group of antennas that no chain of
    baselines joins to the others. dump: the one of each row.
    """
    result = np.full((dumps, antennas, 3), np.nan)
    cross = np.flatnonzero((ant1 != ant2) & np.isfinite(uvw).all(axis=1))
    while len(cross):
        at, left, right = dump[cross], ant1[cross], ant2[cross]
        # The first antenna of the baselines that are left stands at 0.
        first = np.full(dumps, antennas)
        np.minimum.at(first, at, np.minimum(left, right))
        seeded = np.flatnonzero(first < antennas)
        result[seeded, first[seeded]] = 0
        while True:
            known = np.isfinite(result[..., 0])
            forward = known[at, left] & ~known[at, right]
            back = known[at, right] & ~known[at, left]
            if not forward.any() and not back.any():
                break
            result[at[forward], right[forward]] = (result[at[forward], left[forward]]
                                                   - uvw[cross[forward]])
            result[at[back], left[back]] = result[at[back], right[back]] + uvw[cross[back]]
        cross = cross[~(known[at, left] & known[at, right])]
    alone = ~np.isfinite(result).any(axis=(1, 2))
    result[alone, min(ant1.min(), ant2.min())] = 0
    return result


def set_uvw(vis, uvw, dump, ant1, ant2, precision=0.0):
    """Puts uvw of rows, [row][3] in meters, into `visibilities`: of antennas, and of pairs of them
    where those do not close.

    dump: the one of each row. precision: of the numbers in the file, as a part of the largest.
    """
    dumps, antennas = len(vis.seconds), len(vis.antennas)
    vis.uvw = antenna_uvw(uvw, dump, ant1, ant2, dumps, antennas)
    off = np.abs(vis.uvw[dump, ant1] - vis.uvw[dump, ant2] - uvw)
    off = off[np.isfinite(off)]
    largest = np.abs(uvw[np.isfinite(uvw)]).max(initial=0)
    # A baseline may be the sum of two others, each as precise as the file has it.
    wave = SPEED_OF_LIGHT / max(1.0, np.max(np.abs(vis.frequencies)))
    closes = CLOSES * wave + 4 * precision * largest
    if off.max(initial=0) <= closes:
        return
    vis.row_uvw = np.full((dumps, antennas * (antennas + 1) // 2, 3), np.nan)
    sign = np.where(ant1 > ant2, -1, 1)[:, None]
    vis.row_uvw[dump, pair_number(ant1, ant2, antennas)] = sign * uvw
    vis.remarks.append(f'uvw of its baselines do not close over antennas, by up to '
                       f'{off.max():.3g} m: those of the rows are used')


def turn_uvw(vis, angle):
    """Turns u and v by an angle (radians, north to east) from the north that they have to that of
    ICRS."""
    vis.north = angle
    vis.uvw = turned_uvw(vis.uvw, angle)
    if vis.row_uvw is not None:
        vis.row_uvw = turned_uvw(vis.row_uvw, angle)


def turned_uvw(uvw, angle):
    """uvw, [...][3], with u and v turned as turn_uvw() does it."""
    if angle == 0:
        return uvw
    turn = np.eye(3)
    turn[:2, :2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return uvw @ turn.T


def empty_data(vis):
    """Makes room for the data, all of it flagged; returns its shape."""
    shape = (len(vis.seconds), len(vis.frequencies), len(vis.products[0]))
    vis.data = np.zeros(shape, np.complex64)
    vis.weights = np.zeros(shape, np.float32)
    vis.flags = np.ones(shape, bool)
    vis.missing = np.ones(shape, bool)
    return shape


def put_rows(vis, products, rows, dump, data, weights, flags, channels=slice(None)):
    """Puts rows of values, [row][channel][correlation], where they belong.

    products: of products_of_rows;  rows: which of its rows they are;  dump: of each;  channels: of
    the axis, that they are of
    """
    for k, (product, conjugated) in enumerate(products):
        use = product[rows] >= 0
        to = (dump[use], channels, product[rows][use])
        value = data[use, :, k]
        vis.data[to] = np.where(conjugated[rows][use, None], value.conj(), value)
        vis.flags[to] = flags[use, :, k]
        vis.weights[to] = weights[use, :, k]
        vis.missing[to] = False


def enu_of_itrf(positions):
    """East, north, up (m) around the mean of ITRF positions (m), [antenna][3]."""
    center = positions.mean(axis=0)
    if np.linalg.norm(center) < ON_EARTH:
        # Not on the Earth's surface: local coordinates were written as they were.
        return positions - center
    return (positions - center) @ axes_towards(*longitude_latitude(center)).T


def longitude_latitude(place):
    """Of a place in ITRF (m), by WGS84: radians."""
    x, y, z = place
    distance = np.hypot(x, y)
    # Bowring's formula; exact to 1e-9 rad near the ground.
    a, b = 6378137.0, 6356752.314245
    theta = np.arctan2(z * a, distance * b)
    return np.arctan2(y, x), np.arctan2(z + (a * a - b * b) / b * np.sin(theta)**3,
                                        distance - (a * a - b * b) / a * np.cos(theta)**3)
