#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where an image looks: its center and axes, and visibilities turned to them."""

from dataclasses import dataclass

import numpy as np

from ..ground.axes import axes_towards

#: A phase center within this number of degrees of the zenith is the zenith.
NEAR_ZENITH = 1.0
#: Meters: stations further apart (a degree on the Earth) have horizons of their own.
COMMON_HORIZON = 1.1e5


@dataclass
class image_frame:
    """Axes l, m, n of an image; n points to its center."""
    center: tuple          #: (right ascension, declination) in radians; None: the zenith
    name: str              #: of what is at the center
    rotation: np.ndarray   #: (l, m, n) = rotation (east, north, up) in mid-run; None = not known
    all_sky: bool
    phased: bool           #: the center is the file's phase center
    turn: float = 0.0      #: of m, radians from north to east
    instant: tuple = None  #: (seconds, fraction) of `rotation`; None = not known


def frame_axes(frame):
    """Rows: unit vectors of l, m and n, equatorial."""
    east, north, towards = axes_towards(*frame.center)
    c, s = np.cos(frame.turn), np.sin(frame.turn)
    return np.array([c * east - s * north, s * east + c * north, towards])


def frame_of(vis, all_sky=None):
    """The frame for `visibilities`: their phase center, or the zenith.

    all_sky: True = the sky above the horizon around the zenith of mid-run; False = around the
    phase center; None = around the zenith where that is the phase center, or without one.
    """
    try:
        rotation = antenna_places(vis)[1]
    except ValueError:
        if vis.uvw is None:
            raise
        rotation = None  # too few antennas to tell where the zenith is
    if rotation is not None and np.ptp(vis.positions, axis=0).max() > COMMON_HORIZON:
        rotation = None
    if vis.uvw is None:
        if all_sky is False:
            raise ValueError(f'{vis.path}: has no phase center, so its image is that of the '
                             'whole sky; leave out all_sky=False')
        return image_frame(None, 'zenith', rotation, True, False)
    name, ra, dec = vis.phase_center
    middle = len(vis.uvw) // 2
    instant = ((int(vis.seconds[middle]), float(vis.fractions[middle])) if vis.has_times
               else None)
    near = rotation is not None and rotation[2, 2] > np.cos(np.radians(NEAR_ZENITH))
    if all_sky is None:
        all_sky = bool(near)
    if not all_sky:
        return image_frame((ra, dec), name, rotation, False, True, instant=instant)
    if rotation is None:
        raise ValueError(f'{vis.path}: all_sky=True needs three antennas or more that do not stand '
                         'in one line, within 110 km, and their places: they tell where the '
                         'zenith is')
    if near:
        return image_frame((ra, dec), name, rotation, True, True, instant=instant)
    axes = axes_towards(ra, dec)
    up = axes.T @ rotation[:, 2]
    center = float(np.arctan2(up[1], up[0]) % (2 * np.pi)), float(np.arcsin(up[2]))
    turned = axes_towards(*center) @ axes.T @ rotation
    return image_frame(center, 'zenith', turned, True, False, instant=instant)


def antenna_places(vis):
    """Coordinates that give the phases, [dump][antenna][3], and the turn of the horizon."""
    if vis.frequencies is None:
        raise ValueError('no image: the file does not say at which frequencies it was made')
    if vis.frequencies.min() < 0:
        raise ValueError('no image: the center frequency was not given (center_frequency of '
                         'an observation file, or center_frequency=HZ)')
    if vis.positions is None:
        raise ValueError('no image: the file does not say where the antennas stand')
    spread = np.linalg.svd(vis.positions - vis.positions.mean(axis=0), compute_uv=False)
    if len(vis.antennas) < 3 or spread[1] < 1e-3 * spread[0]:
        raise ValueError('no image: that needs three antennas or more that do not stand in '
                         'one line')
    if vis.uvw is None:
        return vis.positions[None], np.eye(3)
    uvw = np.nan_to_num(vis.uvw)
    middle = vis.uvw[len(uvw) // 2]
    known = np.isfinite(middle).all(axis=1)
    enu = vis.positions[known] - vis.positions[known].mean(axis=0)
    # The rotation of east, north, up onto u, v, w (Kabsch).
    left, _, right = np.linalg.svd((middle[known] - middle[known].mean(axis=0)).T @ enu)
    turn = np.diag([1, 1, np.sign(np.linalg.det(left @ right))])
    return uvw, left @ turn @ right


def turned(frame, vis, uvw):
    """Antennas' uvw [dump][antenna][3] of `vis` in the axes of a frame, and the length that w
    changes by: visibilities are to be multiplied by exp(+2 pi i f change / c)."""
    if vis.uvw is None:
        return uvw, -uvw[..., 2]
    if tuple(vis.phase_center[1:]) == tuple(frame.center) and not frame.turn:
        return uvw, None
    turn = frame_axes(frame) @ axes_towards(*vis.phase_center[1:]).T
    new = uvw @ turn.T
    return new, uvw[..., 2] - new[..., 2]


def turned_baselines(frame, vis, pairs, dumps=slice(None)):
    """As turned(), of baselines: pairs of antennas [pair][2]; both [dump][pair]..."""
    first, second = np.asarray(pairs).T
    if vis.row_uvw is not None:
        return turned(frame, vis, vis.baseline_uvw(pairs, dumps))
    places = vis.positions[None] if vis.uvw is None else vis.uvw[dumps]
    if vis.uvw is None:
        places = np.broadcast_to(places, (len(vis.seconds[dumps]), *vis.positions.shape))
    places, change = turned(frame, vis, places)
    uvw = places[:, first] - places[:, second]
    return uvw, None if change is None else change[:, first] - change[:, second]


def longest_baseline(frame, vis):
    """The longest projected baseline in meters, of some dumps through the run."""
    used = sorted({antenna for antenna, _ in vis.inputs})
    if vis.uvw is None:
        places = vis.positions[None]
    else:
        some = np.unique(np.linspace(0, len(vis.uvw) - 1, 9).astype(int))
        places = turned(frame, vis, vis.uvw[some])[0]
    longest = 0.0
    for place in places[:, used, :2]:
        place = place[np.isfinite(place).all(axis=1)]
        for antenna in place:
            longest = max(longest, np.hypot(*(place - antenna).T).max())
    return float(longest)
