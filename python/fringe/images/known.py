#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where known sources are in an image."""

import numpy as np

from .. import fringe_python as fp
from ..calibration.sources import is_file_name, sources_of
from ..ground.axes import axes_towards
from .imaging import true_positions
from .square_image import as_picture


def sky_of(text):
    """What a list of sources names: the observation of an observation file, or a list of
    calibration_source, from a catalogue as fringe calibrate takes it, or from names with commas
    between, such as "Sun,CasA" (fringe.source_names() has all). Raises ValueError."""
    if not is_file_name(text):
        return sources_of(text)
    lines = (line.strip() for line in fp.read_text_file(text).splitlines())
    first = next((line for line in lines if line and not line.startswith(('#', '---'))), '')
    return sources_of(text) if first.startswith(('-', '[')) else fp.observation.from_file(text)


def read_known(text):
    """As sky_of(); an observation without a sky is refused."""
    known = sky_of(text)
    if isinstance(known, fp.observation) and not known.sky:
        raise ValueError(f'sky: {text} has no sources in its section sky')
    return known


def known_sources(known, made):
    """(name, l, m) of each that is on the side of the sky that a `sky_image` shows."""
    return places_of_known(known, as_picture(made), made.frame,
                           made.middle if made.has_times else None)


def places_of_known(known, picture, frame, instant):
    """The same for an `image` with its frame, at an instant (seconds, fraction)."""
    if isinstance(known, fp.observation):
        fixed = picture.phased and all(source.frame == type(source).kind.lm for source in known.sky)
        if frame.rotation is None and not fixed:
            raise ValueError('sky: where the zenith is cannot be told; give sources by right '
                             'ascension and declination in a catalogue, or by name')
        return [source[:3] for source in true_positions(known, picture)]
    found = []
    for source in known:
        where = axes_of_source(source, frame, instant)
        if where is not None and where[2] > 0:
            found.append((source.name, float(where[0]), float(where[1])))
    if not found:
        raise ValueError('sky: none of the sources is above the horizon of the image, or the '
                         'file does not say where its sky is')
    return found


def axes_of_source(source, frame, instant=None):
    """(l, m, n) of a source at an instant, (seconds, fraction); None where that cannot be told."""
    place = source.direction
    if not isinstance(place, fp.phase_center):
        return None
    longitude, latitude = place.longitude, place.latitude
    if place.frame == fp.phase_center.kind.azel:
        if frame.rotation is None:
            return None
        return frame.rotation @ [np.sin(longitude) * np.cos(latitude),
                                 np.cos(longitude) * np.cos(latitude), np.sin(latitude)]
    if frame.center is None:
        return None
    if place.frame == fp.phase_center.kind.body:
        if frame.rotation is None or frame.instant is None or instant is None:
            return None
        longitude, latitude = _of_body(source, frame, instant)
    # The third row of a direction's axes points there.
    return axes_towards(*frame.center) @ axes_towards(longitude, latitude)[2]


def _of_body(source, frame, instant):
    """Right ascension and declination of a body of the solar system, from where the array is."""
    observation = fp.observation.example(1)
    observation.set_site(*_site(frame), 0)
    observation.phase_center = source.direction
    return fp.phase_center_radec(observation, fp.epoch(*instant))


def _site(frame):
    """Latitude and longitude of an array in degrees, from where its zenith is."""
    up = axes_towards(*frame.center).T @ frame.rotation[:, 2]
    longitude, latitude = _angles(fp.axes_of_radec(*_angles(up), fp.epoch(*frame.instant))[2])
    return np.degrees(latitude), np.degrees(longitude)


def _angles(vector):
    """Longitude and latitude of a unit vector, radians."""
    return float(np.arctan2(vector[1], vector[0])), float(np.arcsin(np.clip(vector[2], -1, 1)))
