#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Directions that change with time: places at given times, proper motions."""

import numpy as np

from ..ground.axes import axes_towards

#: Radians in a thousandth of an arcsecond.
MAS = np.pi / 180 / 3600e3
#: Parsecs in a Julian year at 1 km/s.
PARSECS_A_YEAR = 365.25 * 86400 / 3.0856775814913673e13


def unit_vector(longitude, latitude):
    """[...][3]"""
    return np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude),
                     np.sin(latitude)], axis=-1)


def direction_of(vector):
    """(longitude, latitude) of a vector."""
    return (float(np.arctan2(vector[1], vector[0]) % (2 * np.pi)),
            float(np.arctan2(vector[2], np.hypot(vector[0], vector[1]))))


def place_at(path, what, times, longitude, latitude, when):
    """The direction at an instant, by a parabola through the three nearest of the times given.

    Raises ValueError where the instant lies outside them by more than one step.
    """
    times, order = np.unique(times, return_index=True)
    vectors = unit_vector(longitude, latitude)[order]
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    outside = max(times[0] - when, when - times[-1])
    if outside > step:
        raise ValueError(f'{path}: {what}: end {outside:.6g} s away from the data')
    near = np.sort(np.argsort(np.abs(times - when), kind='stable')[:3])
    weights = [np.prod([(when - times[other]) / (times[k] - times[other])
                        for other in near if other != k]) for k in near]
    # Angles from the middle one: uniform along a great circle, and no pole is near.
    axes = _axes_at(vectors[near[len(near) // 2]])
    east, north = np.dot(weights, _angles(vectors[near] @ axes.T))
    angle = np.hypot(east, north)
    across = np.sinc(angle / np.pi)
    return direction_of(np.array([np.cos(angle), across * east, across * north]) @ axes)


def _angles(vectors):
    """Angles east and north of the first axis, [direction][2]."""
    across = np.hypot(vectors[:, 1], vectors[:, 2])
    angle = np.arctan2(across, vectors[:, 0])
    return vectors[:, 1:] * np.where(across > 0, angle / np.where(across > 0, across, 1),
                                     1.0)[:, None]


def _axes_at(vector):
    """A direction and two axes across it, [axis][3]."""
    east = np.cross([0.0, 0.0, 1.0], vector)
    east = east / np.linalg.norm(east) if np.linalg.norm(east) > 1e-9 else np.array([0.0, 1, 0])
    return np.stack([vector, east, np.cross(vector, east)])


def moved_by_proper_motion(longitude, latitude, pm_longitude, pm_latitude, velocity, distance,
                           years):
    """The direction some years later.

    pm_longitude (times the cosine of the latitude), pm_latitude: mas a year. velocity: along the
    line of sight, km/s. distance: pc; 0 = not known.
    """
    east, north, start = axes_towards(longitude, latitude)
    across = MAS * (pm_longitude * east + pm_latitude * north)
    along = velocity * PARSECS_A_YEAR / distance if distance else 0.0
    return direction_of(start * (1 + along * years) + across * years)
