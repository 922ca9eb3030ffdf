#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A source of the flux scale as a model of the sky."""

import numpy as np

from ..calibration.sources import source_at
from ..images.turned_planes import is_turnable
from ..readers.polarizations import STOKES
from .flux_scale import standard_flux, standard_stokes
from .model_sky import PARTS, frame_of_file, pair_phases, point_sources
from .turned_model import received

#: Largest distance from the phase center, direction cosine.
FARTHEST = 0.05


class standard_model:
    """A `flux_standard` at its place, with its spectrum; polarized where the file says how the
    feeds stand, or they are circular."""

    def __init__(self, known, vis):
        frame = frame_of_file(vis)
        source = source_at(known.position, False, known.name)
        self._point = point_sources([source], vis, frame)[0]
        away = np.hypot(*self._point.direction[:2])
        if vis.uvw is not None and (away > FARTHEST or self._point.direction[2] < 0):
            raise ValueError(f"model: {known.name}: is {np.degrees(np.arcsin(min(away, 1))):.3g} "
                             f"degrees or more from the phase center of {vis.path}")
        self._known, self._frame = known, frame
        self.polarized = bool(known.polarized) and is_turnable(vis)
        middle = np.median(vis.frequencies)
        self.words = (f"{known.name}, {standard_flux(known, [middle])[0]:.5g} Jy at "
                      f"{middle / 1e9:.5g} GHz (Perley & Butler 2017)"
                      + (", polarized" if self.polarized else ""))

    def visibilities(self, vis):
        """complex64 [dump][channel][product]."""
        i, j = vis.products
        pairs = np.array([(vis.inputs[a][0], vis.inputs[b][0]) for a, b in zip(i, j)])
        hands = [vis.inputs[a][1] + vis.inputs[b][1] for a, b in zip(i, j)]
        if self.polarized:
            stokes = standard_stokes(self._known, vis.frequencies)
        else:
            stokes = standard_flux(self._known, vis.frequencies)[None]
        factors = np.array([[PARTS[name].get(hand, 0) for hand in hands]
                            for name in STOKES[:len(stokes)]])
        turned, = pair_phases(vis, self._frame, [self._point.direction], pairs)
        made = (turned * (stokes.T @ factors)).astype(np.complex64)
        return received(vis, made) if self.polarized else made
