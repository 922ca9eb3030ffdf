#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Powers folded at the period of a pulsar."""
import dataclasses

import numpy as np

from ..observing.pulse_phases import delay, turns


@dataclasses.dataclass
class folded:
    """Some seconds of a pulsar."""
    start: object  #: epoch of the first sample
    seconds: float  #: of samples, without gaps
    profile: np.ndarray  #: [plane][channel][bin]
    counts: np.ndarray  #: [channel][bin]


class folder:
    """Adds powers up by the phase at which they were sent.

    A channel is folded at the time at which the frequency for which `phase` is made would have
    arrived: its delay D DM (1/f^2 - 1/f'^2) is taken off.

      phase: pulse_phase; bins: of a turn; frequencies: Hz [channel]
    """

    def __init__(self, phase, bins, planes, frequencies, dm):
        self._phase, self.bins, self.dm = phase, bins, dm
        self.frequencies = np.asarray(frequencies, float)
        self._late = delay(dm, self.frequencies) - delay(dm, phase.frequency or np.inf)
        self.sums = np.zeros((planes, len(self.frequencies), bins))
        self.counts = np.zeros((len(self.frequencies), bins))

    def add(self, start, interval, powers):
        """Powers [plane][channel][time], `interval` seconds each, from `start` (an epoch) on. What
        is not finite is left out."""
        planes, channels, length = powers.shape
        offsets = (np.arange(length) + 0.5) * interval - self._late[:, None]
        phases = turns(self._phase, start, offsets) % 1
        cells = np.minimum((phases * self.bins).astype(int), self.bins - 1)
        cells = (cells + self.bins * np.arange(channels)[:, None]).ravel()
        there = np.isfinite(powers).all(axis=0).ravel()
        cells, size = cells[there], self.counts.size
        self.counts += np.bincount(cells, minlength=size).reshape(self.counts.shape)
        for plane in range(planes):
            self.sums[plane] += np.bincount(
                cells, powers[plane].ravel()[there], size).reshape(self.counts.shape)

    def profile(self):
        """The means [plane][channel][bin]; not a number where there was nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.sums / self.counts


def together(parts):
    """(profile, counts) of several, as folder has them: the means of all their samples."""
    counts = sum(part.counts for part in parts)
    sums = sum(np.nan_to_num(part.profile) * part.counts for part in parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / counts, counts


def scrunched(profile, counts):
    """Means over the channels, [plane][bin], of what folder has; not a number where there was
    nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nansum(profile * counts, axis=1) / counts.sum(axis=0)
