#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Primary beams on the sky of visibility files, and images that are corrected for them.

An image of visibilities shows B I, the sky times the mean B of the beam over their times and
channels.
"""

import numpy as np

from ..ground.axes import axes_towards
from .frame import frame_axes, frame_of
from .middle import cosines_of

#: Radians that the Earth turns in a second.
EARTH = 7.292115e-5
#: Times and frequencies that a mean is made of, at most.
SOME_TIMES, SOME_CHANNELS = 9, 8


def powers(beam, vis, frame, directions, frequencies, dumps=(None,)):
    """Of X and Y from directions of a frame: [dump][frequency][direction][2].

    directions: (l, m, n), [direction][3], nan: none; dumps: numbers; where the beam follows the
    sky one stands for all. vis: `visibilities` that point to their phase center.
    """
    if beam.fixed:
        turns = _horizons(vis, dumps)
    else:
        turns = [np.eye(3)]
        if vis.uvw is None:
            raise ValueError(f'{vis.path}: beam: {beam.words}: points to the phase center, and the '
                             'file has none; dipole and mwa stand on the ground')
    if vis.uvw is not None and frame.center is not None:
        directions = directions @ frame_axes(frame) @ axes_towards(*vis.phase_center[1:]).T
    return np.array([[np.nan_to_num(beam.power(directions @ turn, f)) for f in frequencies]
                     for turn in turns])


def _horizons(vis, dumps):
    """Matrices (l, m, n of the phase center) = matrix (east, north, up), at some dumps."""
    if vis.uvw is None:
        return [np.eye(3)] * len(dumps)
    own = frame_of(vis, False)
    if own.rotation is None or own.instant is None:
        raise ValueError(f'{vis.path}: beam: the file does not say where the zenith is: that takes '
                         'three antennas that do not stand in one line, and times')
    axes = axes_towards(*own.center)
    turned = []
    for dump in dumps:
        angle = EARTH * ((vis.seconds[dump] - own.instant[0])
                         + (vis.fractions[dump] - own.instant[1]))
        c, s = np.cos(angle), np.sin(angle)
        # The zenith moves to the east among the stars.
        day = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        turned.append(axes @ day @ axes.T @ own.rotation)
    return turned


def mean_powers(beam, vis, frame, directions, frequencies):
    """As powers(), the mean over some times and frequencies: [direction][2]."""
    some = np.unique(np.linspace(0, len(vis.seconds) - 1, SOME_TIMES).astype(int))
    part = np.unique(np.linspace(0, len(frequencies) - 1, SOME_CHANNELS).astype(int))
    total = 0
    for dump in some if beam.fixed else (None,):
        for f in np.asarray(frequencies)[part]:
            total = total + powers(beam, vis, frame, directions, [f], [dump])[0, 0]
    return total / (len(part) * (len(some) if beam.fixed else 1))


def by_plane(beam, names, of_hands):
    """[plane][...] of the powers of X and Y, [...][2]: I is their mean, where X and Y differ Q, U
    and V are refused."""
    parts = []
    for name in names:
        if not beam.alike and name not in ('I', 'XX', 'YY'):
            raise ValueError(f'beam: pol: {name}: {beam.words} receives X and Y differently, which '
                             'mixes I into Q, U and V; I, XX and YY alone are corrected for it')
        parts.append({'XX': of_hands[..., 0], 'YY': of_hands[..., 1]}.get(
            name, of_hands.mean(axis=-1)))
    return np.array(parts)


def beam_values(beam, vis, frame, names, groups, columns, rows, pixel):
    """The beam in an image of groups of channels: float32 [plane][group][m][l]. pixel: one width,
    or those of a column and a row."""
    l, m = cosines_of(columns, rows, 1.0)
    l, m = np.meshgrid(*(line * width for line, width in zip((l, m), np.broadcast_to(pixel, 2))))
    n2 = 1 - l * l - m * m
    directions = np.stack([l, m, np.sqrt(np.where(n2 > 0, n2, np.nan))], axis=-1).reshape(-1, 3)
    made = [by_plane(beam, names, mean_powers(beam, vis, frame, directions, vis.frequencies[g]))
            for g in groups]
    return np.stack(made, axis=1).reshape(len(names), len(groups), rows, columns).astype(np.float32)


def check_beam(beam, names, frame, files, groups):
    """Raises ValueError, before there is an image, where it could not be corrected."""
    for vis in files:
        for group in groups:
            by_plane(beam, names, mean_powers(beam, vis, frame, np.array([[0.0, 0, 1]]),
                                              vis.frequencies[group]))


def correct(made, beam, limit, files, groups):
    """Divides the values of a `sky_image` by the mean beam of its files; not numbers where that is
    below a limit. The model and the residual stay as the array sees the sky."""
    grid = made.frame, made.planes, groups, *made.values.shape[:1:-1], made.pixel
    made.primary_beam = np.average([beam_values(beam, vis, *grid) for vis in files], axis=0,
                                   weights=[vis.intervals.sum() for vis in files])
    made.apparent = made.values
    made.values = by_beam(made.values, made.primary_beam, limit)
    made.remarks.append(f'values are divided by the primary beam, {beam.words}; not numbers where '
                        f'it is below {limit:g}')


def by_beam(values, power, limit):
    """values / power, not numbers where the power is below a limit."""
    there = power >= limit
    return np.where(there, values / np.where(there, power, 1), np.nan).astype(np.float32)
