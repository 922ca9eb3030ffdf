#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How feeds stand in the sky: matrices from the voltages of a feed to those of north and east.

The fixed axis a of an antenna's mount (the zenith of alt-az, the pole of equatorial, the east of
X-Y, the horizon's north of dipoles that do not move) has, at the phase center with the unit vectors
N to the north and E to the east, the position angle

    chi = atan2(a.E, a.N)

For alt-az it is the parallactic angle. A receptor whose angle in the file is b stands at
psi = chi + b, north through east, and receives

    X = cos psi_X N + sin psi_X E        Y = cos psi_Y N + sin psi_Y E, psi_Y = psi_X + 90 degrees
    R = exp(-i psi) R_sky                L = exp(+i psi) L_sky
"""

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import axes_towards
from ..readers.antenna_pairs import ON_EARTH, longitude_latitude
from ..readers.feeds import CIRCULAR, LINEAR, MOUNTS

#: Of EAST, NORTH, UP at an antenna, the fixed axis of a mount; the pole is that of the Earth.
AXES = {'ALT-AZ': 2, 'ALT-AZ+NASMYTH-R': 2, 'ALT-AZ+NASMYTH-L': 2, 'X-Y': 0, 'FIXED': 1}
#: The elevation turns a Nasmyth focus, too.
NASMYTH = {'ALT-AZ+NASMYTH-R': 1, 'ALT-AZ+NASMYTH-L': -1}


def kind_of(vis):
    """XY or RL: of which feeds the products of a file are; '' where of others."""
    hands = {hand for _, hand in vis.inputs}
    return next((kind for kind in (LINEAR, CIRCULAR) if hands and hands <= set(kind)), '')


def trouble_of(vis):
    """A sentence on why feeds cannot be turned; '' where they can."""
    feeds = vis.feeds
    if feeds.trouble:
        return feeds.trouble
    used = sorted({antenna for antenna, _ in vis.inputs})
    for a in used:
        where = f'{vis.path}: antenna {vis.antennas[a]}'
        if feeds.mounts[a] not in MOUNTS:
            return (f'{where}: mount {feeds.mounts[a] or "not said"}: must be one of '
                    f'{", ".join(MOUNTS)} for its feed to be turned to the sky')
        if feeds.types[a] not in ('', kind_of(vis)):
            return (f'{where}: its feed is {" and ".join(feeds.types[a])}, its products are of '
                    f'{" and ".join(kind_of(vis))}: mixed feeds are not turned to the sky')
        if not np.linalg.norm(feeds.itrf[a]) > ON_EARTH:
            return f'{where}: its place on the Earth, and so its zenith, is not known'
    return ''


def position_angles(vis):
    """psi of X and Y, or R and L: radians, [dump][antenna][2]."""
    feeds = vis.feeds
    key = (tuple(vis.phase_center[1:]), vis.seconds.tobytes(), vis.fractions.tobytes())
    if feeds.made is None or feeds.made[0] != key:
        feeds.made = key, _axis_angles(vis)[..., None] + feeds.angles
    return feeds.made[1]


def _axis_angles(vis):
    """chi, [dump][antenna]; 0 where the antenna is not in use."""
    feeds = vis.feeds
    axes = [_fixed_axis(mount, place) for mount, place in zip(feeds.mounts, feeds.itrf)]
    up = np.array([_horizon(place)[2] for place in feeds.itrf])
    nasmyth = np.array([NASMYTH.get(mount, 0) for mount in feeds.mounts])
    chi = np.empty((len(vis.seconds), len(axes)))
    for dump, instant in enumerate(zip(vis.seconds.tolist(), vis.fractions.tolist())):
        u, v, w = fp.axes_of_radec(*vis.phase_center[1:], fp.epoch(*instant))
        chi[dump] = np.arctan2(axes @ u, axes @ v) + nasmyth * np.arcsin(up @ w)
    return chi


def _fixed_axis(mount, place):
    return _horizon(place)[AXES[mount]] if mount in AXES else np.array([0.0, 0.0, 1.0])


def _horizon(place):
    """East, north, up at a place, in ITRF."""
    if not np.linalg.norm(place) > ON_EARTH:
        return np.eye(3)
    # Of the geodetic latitude: the mount stands plumb.
    return axes_towards(*longitude_latitude(place))


def to_feeds(vis):
    """Matrices from (north, east), or (R, L) of the sky, to (X, Y), or (R, L), of each feed:
    complex [dump][antenna][2][2]."""
    psi = position_angles(vis)
    made = np.zeros((*psi.shape, 2), complex)
    if kind_of(vis) == LINEAR:
        made[..., 0], made[..., 1] = np.cos(psi), np.sin(psi)
    else:
        made[..., 0, 0], made[..., 1, 1] = np.exp(-1j * psi[..., 0]), np.exp(1j * psi[..., 1])
    return made


def to_sky(vis):
    """The inverse of to_feeds(), whose matrices are unitary."""
    return to_feeds(vis).conj().swapaxes(-1, -2)
