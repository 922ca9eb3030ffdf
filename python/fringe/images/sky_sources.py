#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where sources and satellites stand over the horizon."""

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import site_axes
from ..calibration.sources import calibration_source
from ..ground.example_files import example_file
from .known import sky_of

EXAMPLE = "example:"


def read_sources(text):
    """Sources for a display: what sky_of() takes, or "example:NAME", a file of the examples.
    Raises ValueError."""
    if not text:
        return []
    found = sky_of(example_file(text[len(EXAMPLE):]) if text.startswith(EXAMPLE) else text)
    return list(found.sky) if isinstance(found, fp.observation) else found


class source_places:
    """Directions of the sources of an observation, and of others, at an instant."""

    def __init__(self, observation, sources):
        self._obs = observation
        self._sources = [(source.name or f"source {k + 1}", source)
                         for k, source in enumerate([*observation.sky, *sources])]

    def above(self, when):
        """(name, l, m, is a satellite) of those above the horizon; when: an `epoch`, or None
        where the time is not known. Items without a known time are left out."""
        found = []
        for name, source in self._sources:
            try:
                towards = self._direction(source, when)
            except (ValueError, RuntimeError):
                continue
            if towards is not None and towards[2] > 0:
                found.append((name, float(towards[0]), float(towards[1]), _is_satellite(source)))
        return found

    def _direction(self, source, when):
        """Unit vector (east, north, up)."""
        if not isinstance(source, calibration_source):
            kind = type(source).kind
            if source.frame == kind.azel:
                return _of_azel(source.a, source.b)
            if source.frame == kind.lm and not self._obs.has_site:
                return np.array([source.a, source.b,
                                 np.sqrt(max(0.0, 1 - source.a**2 - source.b**2))])
            if when is None:
                when = fp.epoch(0, 0.0)
            return site_axes(self._obs) @ fp.source_direction(self._obs, source, when)
        place = source.direction
        if _is_satellite(source):
            if when is None:
                return None
            far = fp.enu_from_itrf(self._obs, np.array(place.at(when)))
            return np.array(far) / np.linalg.norm(far)
        if place.frame == fp.phase_center.kind.azel:
            return _of_azel(place.longitude, place.latitude)
        if when is None or not self._obs.has_site:
            return None
        return site_axes(self._obs) @ source.towards(self._obs, when)


def _is_satellite(source):
    return (isinstance(source, calibration_source)
            and not isinstance(source.direction, fp.phase_center))


def _of_azel(azimuth, elevation):
    return np.array([np.cos(elevation) * np.sin(azimuth), np.cos(elevation) * np.cos(azimuth),
                     np.sin(elevation)])
