#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Feeds of antennas, as visibility files describe them: mounts, types and angles."""

from dataclasses import dataclass, field

import numpy as np

from .damage import damage_reported

#: Mounts by their names in files, in capital letters.
MOUNTS = ('ALT-AZ', 'EQUATORIAL', 'X-Y', 'FIXED', 'ALT-AZ+NASMYTH-R', 'ALT-AZ+NASMYTH-L')
OTHER_NAMES = {'NASMYTH-RIGHT': 'ALT-AZ+NASMYTH-R', 'NASMYTH-LEFT': 'ALT-AZ+NASMYTH-L',
               'ALTAZ': 'ALT-AZ', 'AZEL': 'ALT-AZ', 'XY': 'X-Y'}
#: Radians that angles of feeds may differ by.
NEAR = 1e-3
LINEAR, CIRCULAR = 'XY', 'RL'


@dataclass
class antenna_feeds:
    """Of each antenna, how it is mounted and how its feed stands.

    The angle of a feed counts from the fixed axis of the mount, as it is seen in the sky, from
    north to east: from the zenith for alt-az, from the celestial pole for equatorial.
    """

    mounts: list           #: in capital letters; '' = not said
    types: list            #: XY or RL; '' = not said
    angles: np.ndarray     #: radians, [antenna][X or R, Y or L]
    itrf: np.ndarray       #: m, [antenna][3]
    trouble: str = ''      #: why the file's words on feeds cannot be used
    made: tuple = field(default=None, repr=False)  #: what was last computed: (key, value)

    @property
    def known(self):
        """Whether the file says how the antennas are mounted."""
        return bool(self.trouble) or any(self.mounts)


def mount_of(word):
    """The name that is known here, of a name in a file."""
    name = str(word).strip().upper()
    return OTHER_NAMES.get(name, name)


def feeds_of(path, mounts, receptors, itrf):
    """The antenna_feeds of antennas.

    receptors: of each antenna, {polarization: radians}; empty = not said.
    """
    types, angles, trouble = [], np.zeros((len(mounts), 2)), ''
    for k, feed in enumerate(receptors):
        kind = next((kind for kind in (LINEAR, CIRCULAR) if set(feed) & set(kind)), '')
        types.append(kind)
        if set(feed) - set(kind):
            trouble = trouble or (f'{path}: antenna {k} has a feed of '
                                  f'{" and ".join(sorted(feed))}; it must be X and Y, or R and L')
            continue
        angles[k], why = _two_angles(kind or LINEAR, feed)
        trouble = trouble or (f'{path}: the feed of antenna {k}: {why}' if why else '')
    return antenna_feeds([mount_of(word) for word in mounts], types, angles,
                         np.asarray(itrf, float), trouble)


def feeds_of_observation(path, observation):
    """The antenna_feeds of the antennas of an observation."""
    receptors = [{} for _ in observation.antennas]
    for entry in observation.inputs:
        first, second = observation.antennas[entry.antenna].feed_angle
        receptors[entry.antenna][entry.polarization] = np.radians(
            second if entry.polarization == 'Y' else first)
    return feeds_of(path, [antenna.mount for antenna in observation.antennas], receptors,
                    [antenna.itrf for antenna in observation.antennas])


def feeds_in_trouble(path, count, read):
    """What read() gives; where the file is damaged there, feeds whose trouble says so.

    An image of Stokes I needs nothing of it.
    """
    try:
        with damage_reported(path, 'description of feeds'):
            return read()
    except ValueError as error:
        return antenna_feeds([''] * count, [''] * count, np.zeros((count, 2)),
                             np.zeros((count, 3)), str(error))


def _two_angles(kind, angles):
    """Radians of X and Y, or R and L; a sentence where they make no feed."""
    first, second = (angles.get(hand) for hand in kind)
    if first is None and second is None:
        return ((0.0, np.pi / 2) if kind == LINEAR else (0.0, 0.0)), ''
    if kind == CIRCULAR:
        # A feed turns as one; some writers count L from 90 degrees.
        angle = second if first is None else first
        return (angle, angle), ''
    if first is None:
        return (second - np.pi / 2, second), ''
    if second is None or abs(_wrapped(second - first)) < NEAR:
        return (first, first + np.pi / 2), ''  # writers that give one angle for both
    if abs(abs(_wrapped(second - first)) - np.pi / 2) > NEAR:
        return (first, second), (f'X is at {np.degrees(first):.6g} and Y at '
                                 f'{np.degrees(second):.6g} degrees; they must be 90 degrees apart')
    return (first, first + np.sign(_wrapped(second - first)) * np.pi / 2), ''


def _wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi
