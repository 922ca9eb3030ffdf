#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where known sources are in an image."""

import numpy as np

from .. import fringe_python as fp
from ..calibration.sources import read_catalogue
from .imaging import true_positions
from .frame import axes_towards
from .make import as_picture


def read_known(path):
    """An observation with a sky, or a catalogue as fringe calibrate takes it (a list)."""
    lines = (line.strip() for line in fp.read_text_file(path).splitlines())
    first = next((line for line in lines if line and not line.startswith(('#', '---'))), '')
    if first.startswith(('-', '[')):
        return read_catalogue(path)
    sky = fp.observation.from_file(path)
    if not sky.sky:
        raise ValueError(f'--sky: {path} has no sources in its section sky')
    return sky


def known_sources(known, made):
    """(name, l, m) of each that is on the side of the sky that the image shows."""
    if isinstance(known, fp.observation):
        return [source[:3] for source in true_positions(known, as_picture(made))]
    found = []
    for source in known:
        where = axes_of_source(source, made.frame)
        if where is not None and where[2] > 0:
            found.append((source.name, float(where[0]), float(where[1])))
    if not found:
        raise ValueError('--sky: no source of the catalogue is above the horizon of the image, or '
                         'the file does not say where its sky is')
    return found


def axes_of_source(source, frame):
    """(l, m, n) of a source; None where that is not known."""
    place = source.direction
    if not isinstance(place, fp.phase_center):
        return None
    if place.frame == fp.phase_center.kind.body:
        return None
    longitude, latitude = place.longitude, place.latitude
    if place.frame == fp.phase_center.kind.azel:
        if frame.rotation is None:
            return None
        return frame.rotation @ [np.sin(longitude) * np.cos(latitude),
                                 np.cos(longitude) * np.cos(latitude), np.sin(latitude)]
    if frame.center is None:
        return None
    # The third row of a direction's axes points there.
    return axes_towards(*frame.center) @ axes_towards(longitude, latitude)[2]
