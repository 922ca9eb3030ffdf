#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the means of beams are: directions, products, times and frequencies."""
import dataclasses

import numpy as np

from .. import fringe_python as fp
from ..observing.phase_centers import towards

#: Rows of a direction, by product: for each polarization of "XY", or these.
STOKES = ("I", "Q", "U", "V")
#: What means are of.
PRODUCTS = ("power", "incoherent", "cross", "stokes")


@dataclasses.dataclass
class beam_axes:
    """The axes of means [time][row][channel] that a beamformer sends."""
    obs: object  #: the observation
    directions: list  #: as the beamformer takes them
    products: str
    polarizations: str  #: of the beams of a direction: "X", "XY", "RL" ...
    frequencies: np.ndarray  #: Hz, ascending, of averaged channels
    width: float  #: Hz, of these
    interval: float  #: seconds, of a mean
    dispersion: float = 0.0  #: pc / cm3, taken out within channels

    @classmethod
    def of(cls, obs, directions, products, average, complex_samples, interval):
        """Those of a beamformer of an observation."""
        there = {entry.polarization for entry in obs.inputs}
        f = np.array(obs.channel_frequencies(obs.channels, complex_samples))
        width = obs.sample_rate / (obs.channels if complex_samples else 2 * obs.channels)
        return cls(obs, list(directions), products, "".join(p for p in "XYRL" if p in there),
                   f.reshape(-1, average).mean(axis=1), width * average, interval)

    @property
    def planes(self):
        """Names of the rows of a direction."""
        return STOKES if self.products == "stokes" else tuple(self.polarizations)

    @property
    def rows(self):
        """Rows of all directions."""
        return len(self.directions) * len(self.planes)

    @property
    def beams(self):
        """Beams, to which the weights belong."""
        return len(self.directions) * len(self.polarizations)

    def towards(self, direction, when):
        """The observation turned to where a direction is at an instant."""
        obs = fp.observation(self.obs)
        obs.start_time = when
        turned = towards(obs, direction)
        turned.phase_center.name = turned.phase_center.name or direction
        return turned

    def radec(self, direction, when):
        """(right ascension, declination) of a direction at an instant, radians."""
        return fp.phase_center_radec(self.towards(direction, when), when)
