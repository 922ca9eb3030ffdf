#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dispersed pulses in powers that come one mean after the other."""
import dataclasses

import numpy as np

from .dispersion import delay, dm_trials, trials
from .levels import box_deviations, channel_levels

MAX_TRIALS = 4096


@dataclasses.dataclass
class pulse:
    """The strongest sum of some means."""
    snr: float  #: standard deviations
    dm: float  #: pc / cm^3
    delay: float  #: seconds by which the lowest channel is later than the highest
    width: int  #: means
    beam: int
    ago: int  #: means, from its begin in the highest channel to the end of what has come


def widths_to(widest):
    """Means that are averaged: 1, 2, 4 ..."""
    return [2**k for k in range(int(np.log2(widest)) + 1)]


class pulse_search:
    """Sums powers over channels along dispersions, and over time.

    Trials of the dispersion are so far from each other that the delay over the band differs by a
    mean. A search is made of each quarter of `history` means that is new, beginning when there
    are `history` of them. A pulse has weaker sums near it, with other dispersions: a sum is a pulse
    only when all sums up to the longest delay behind it are known, and none of them is stronger.

      frequencies: Hz, of each channel; interval: seconds of a mean; highest: pc / cm^3; widest:
      means that are averaged, at most; history: means

    Raises ValueError for more trials than can be done.
    """

    def __init__(self, frequencies, interval, highest, widest, history):
        self._frequencies, self._interval = np.asarray(frequencies, float), interval
        count = int(np.ceil(highest * self._delay(1.0) / interval)) + 1
        if count > MAX_TRIALS:
            raise ValueError(f"dm: {highest:g}: would be {count} trials, whose delays over the "
                             f"band differ by a mean, {interval:g} s; the limit is {MAX_TRIALS}: "
                             "make means longer, or the highest dispersion smaller")
        self.dms = dm_trials(self._frequencies, interval, 0.0, highest)
        self._widths = widths_to(widest)
        #: means by which the lowest channel can be late, and a pulse wide
        self._overlap = int(np.rint(self._delay(highest) / interval)) + self._widths[-1] - 1
        self._history, self._step = history, max(1, history // 4)
        self._rows, self._new = [], 0

    def _delay(self, dm):
        return float(delay(dm, self._frequencies.min()) - delay(dm, self._frequencies.max()))

    def restart(self):
        """What comes does not follow what came before."""
        self._rows, self._new = [], 0

    def add(self, powers):
        """Takes a mean [beam][channel]; returns the strongest pulse of a search, if one was made,
        in a list."""
        self._rows.append(powers)
        self._new += 1
        if self._new < self._step or len(self._rows) < self._history + 2 * self._overlap:
            return []
        del self._rows[:-self._history - 2 * self._overlap]
        new, self._new = min(self._new, self._history), 0
        every = np.stack(self._rows, axis=-1)  # [beam][channel][time]
        found = max((self._strongest(beam, rows, new + self._overlap)
                     for beam, rows in enumerate(every)), key=lambda found: found.snr)
        return [found] if found.ago > 2 * self._overlap else []

    def _strongest(self, beam, powers, new):
        levels = np.nan_to_num(channel_levels(np.asarray(powers, np.float64)))
        sums = trials(levels, self._frequencies, self._interval, self.dms)
        length = sums.shape[1] - self._widths[-1] + 1
        best = None
        for width, means in box_deviations(sums, self._widths):
            means = means[:, -new:]
            trial, at = np.unravel_index(np.argmax(means), means.shape)
            if best is None or means[trial, at] > best.snr:
                ago = powers.shape[1] - (length - means.shape[1] + int(at))
                dm = float(self.dms[trial])
                best = pulse(float(means[trial, at]), dm, self._delay(dm), width, beam, ago)
        return best
