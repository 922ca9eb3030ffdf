#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The part of a source that antennas with a primary beam receive."""

import numpy as np

from ..fringe_python import phase_center_direction
from ..ground.axes import axes_towards, site_axes


def received_power(beam, observation, direction, instant):
    """Of X, Y and circular feeds (the mean of both): {"X": power, "Y": ..., "R": ..., "L": ...}, in
    the middle of the band; 1 without a beam.

    beam: of beam_of(), or None; direction: unit vector in ITRF at `instant`, an epoch.
    """
    if beam is None:
        return dict.fromkeys("XYRL", 1.0)
    if beam.fixed:
        axes = site_axes(observation)
    else:  # these beams are round: any axes about the phase center do
        x, y, z = phase_center_direction(observation, instant)
        axes = axes_towards(np.arctan2(y, x), np.arcsin(z))
    power = beam.power((axes @ direction)[None], observation.center_frequency)[0]
    x, y = (float(value) for value in np.nan_to_num(power))
    return {"X": x, "Y": y, "R": (x + y) / 2, "L": (x + y) / 2}
