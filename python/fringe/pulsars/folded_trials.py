#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The dispersion at which the profile of a pulsar is strongest.

Powers are folded once, channel by channel, at the middle of the dispersions. Another dispersion
turns the profile of each channel by the difference of the delays, so that all of them are tried on
the profiles. The signal to noise of a pulse of w of n bins is

    S = (sum of its bins - w mean) / (sigma sqrt(w (1 - w / n)))

S^2 is what a pulse takes away of chi squared, so that the standard error of the dispersion is where
S^2 is less by 1 than at its maximum; a parabola through S^2 says where that is.
"""
import dataclasses

import numpy as np

from ..observing.pulse_phases import delay, frequency
from .profiles import folder
from .psrfits_fold import filled, later

FINE = 41  #: dispersions around the best one to which the parabola is fitted
DEEP = 0.8  #: it is fitted where S^2 is more than this part of its maximum


@dataclasses.dataclass
class folded_search:
    """What came of the dispersions."""
    dms: np.ndarray  #: pc / cm^3 [dm]
    snr: np.ndarray  #: [dm]
    widths: np.ndarray  #: bins [dm]
    phases: np.ndarray  #: turns, the middle of the pulse [dm], at the frequency of the phase
    best: float  #: pc / cm^3
    error: float  #: its standard error; not a number where it is not known
    strongest: float  #: S at the best dispersion
    width: int  #: bins, there
    profile: np.ndarray  #: [bin], at the best dispersion, in standard deviations of a bin
    channels: np.ndarray  #: [channel][bin], the same
    period: float  #: seconds
    inside: bool  #: whether the maximum lies between the ends of the dispersions


def strongest_box(profile):
    """(S, width in bins, its first bin) of the strongest box in a profile [bin] whose bins have the
    standard deviation 1; a box may go over the end."""
    bins, best = len(profile), (-np.inf, 1, 0)
    totals = np.concatenate([[0.0], np.cumsum(np.tile(profile - profile.mean(), 2))])
    for width in range(1, bins // 2 + 1):
        sums = (totals[width:width + bins] - totals[:bins]) / np.sqrt(width * (1 - width / bins))
        first = int(np.argmax(sums))
        if sums[first] > best[0]:
            best = float(sums[first]), width, first
    return best


class folded_trials:
    """Folds levels, see file_levels, of one direction at a phase, and tries dispersions.

      phase: pulse_phase; bins: of a turn; dms: pc / cm^3
    """

    def __init__(self, levels, direction, phase, bins, dms):
        self._levels, self._direction, self._phase = levels, direction, phase
        self._bins, self._dms = bins, np.asarray(dms, float)
        self._middle = float(self._dms[[0, -1]].mean())

    def run(self, progress=None):
        """folded_search of the whole file. progress(done, all): means. Raises ValueError where
        nothing can be folded."""
        file = self._levels.file
        fold = folder(self._phase, self._bins, 1, self._levels.frequencies, self._middle)
        size = self._levels.piece(0)
        for first, piece in self._levels.pieces(size):
            powers = piece[self._direction]
            fold.add(file.start.plus_seconds(first * file.interval), file.interval, powers[None])
            if progress:
                progress(first + powers.shape[1], file.length)
        whole, enough = filled(fold.profile())
        if enough.sum() < 2:
            raise ValueError(f"{file.path}: fewer than two channels have {self._bins // 2} of the "
                             f"{self._bins} bins; take fewer bins")
        counts = fold.counts.sum(axis=1) * enough
        # A bin of a channel is the mean of count / bins levels of deviation 1.
        self._profiles = whole[0] * np.sqrt(counts / self._bins)[:, None]
        self._shares = np.sqrt(counts / counts.sum())[:, None]
        self._period = 1 / frequency(self._phase, file.start.plus_seconds(
            file.length * file.interval / 2))
        return self._searched()

    def _turned(self, dm, against=None):
        """The profiles [channel][bin] at a dispersion, for delays against so many seconds; None:
        against their mean, so that pulses of all dispersions are at the same phase."""
        late = delay(dm - self._middle, self._levels.frequencies)
        against = self._away(dm) if against is None else against
        return later(self._profiles, (against - late) / self._period)

    def _of_phase(self, dm):
        """The delay at the frequency of the phase, as _turned() takes it."""
        return delay(dm - self._middle, self._phase.frequency or np.inf)

    def _away(self, dm):
        """Seconds by which a pulse at the mean of the delays is later than at the frequency of the
        phase, in profiles that were folded at the middle dispersion."""
        return (delay(dm - self._middle, self._levels.frequencies)
                * self._shares[:, 0]**2).sum()

    def _profile(self, dm):
        return (self._turned(dm) * self._shares).sum(axis=0)

    def _searched(self):
        found = [strongest_box(self._profile(dm)) for dm in self._dms]
        snr, widths, firsts = (np.array(values) for values in zip(*found))
        late = np.array([self._away(dm) - self._of_phase(dm) for dm in self._dms])
        phases = ((firsts + widths / 2) / self._bins - late / self._period) % 1
        at = int(np.argmax(snr))
        best, error, inside = self._refined(at, found[at])
        strongest, width, _ = strongest_box(self._profile(best))
        channels = self._turned(best, self._of_phase(best))
        profile = (channels * self._shares).sum(axis=0)
        return folded_search(self._dms, snr, widths, phases, best, error, strongest, width,
                             profile - np.median(profile), channels, self._period, inside)

    def _refined(self, at, box):
        """(best dispersion, its error, whether that is a maximum) around the strongest trial."""
        start, (snr, width, _) = float(self._dms[at]), box
        f = self._levels.frequencies
        reach = width / self._bins * self._period / (delay(1.0, f.min()) - delay(1.0, f.max()))
        near = start + reach * np.linspace(-1, 1, FINE)
        squares = np.array([self._of_width(dm, width)**2 for dm in near])
        top = int(np.argmax(squares))
        inner = squares >= DEEP * squares[top]
        low = high = top  # those that are connected with the maximum
        while low > 0 and inner[low - 1]:
            low -= 1
        while high < FINE - 1 and inner[high + 1]:
            high += 1
        some = slice(max(0, min(low, top - 1)), min(FINE, max(high, top + 1) + 1))
        curve = np.polyfit(near[some] - start, squares[some], 2)
        if snr <= 0 or curve[0] >= 0 or not abs(curve[1] / curve[0]) <= 2 * reach:
            return start, np.nan, False
        best = start - curve[1] / (2 * curve[0])
        inside = len(self._dms) == 1 or self._dms[0] <= best <= self._dms[-1]
        return float(best), float(1 / np.sqrt(-curve[0])), bool(inside)

    def _of_width(self, dm, width):
        profile = self._profile(dm)
        totals = np.concatenate([[0.0], np.cumsum(np.tile(profile - profile.mean(), 2))])
        sums = totals[width:width + self._bins] - totals[:self._bins]
        return float(sums.max() / np.sqrt(width * (1 - width / self._bins)))
