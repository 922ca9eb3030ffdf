#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The Jones matrices of a calibration at an instant, for the channels of a file."""

import numpy as np

from .term_in_time import MAX_GAP, term_in_time

#: How far beyond the edge of an interval in frequency a channel may lie, in parts of its width:
#: files round their frequencies.
ROUNDED = 1e-6


def interval_of_channels(term, frequencies):
    """Number of the interval in frequency that each channel lies in, -1 where it lies in none."""
    frequencies = np.asarray(frequencies, float)
    nearest = np.abs(frequencies[:, None] - term.frequencies).argmin(axis=1)
    away = np.abs(frequencies - term.frequencies[nearest])
    edge = term.widths[nearest] * (0.5 + ROUNDED)
    return np.where(away <= edge, nearest, -1)


class jones_of_array:
    """J = J_last ... J_1 J_0 of some `solutions`, in the order of their lists.

      tables: list of `solutions`
      antennas: for each of them the numbers in it of the antennas wanted; -1 = it has none
      polarizations: for each of them the numbers in it of the polarizations wanted; -1 likewise
      frequencies: of the channels, Hz
      max_gap: as term_in_time has it

    `diagonal` is True where no term mixes polarizations.
    """

    def __init__(self, tables, antennas, polarizations, frequencies, max_gap=MAX_GAP):
        self._shape = len(frequencies), len(antennas[0]), len(polarizations[0])
        self._terms = [_placed_term(term, *places, frequencies, max_gap)
                       for table, *places in zip(tables, antennas, polarizations)
                       for term in table.terms]
        self.diagonal = all(placed.term.kind != "D" for placed in self._terms)

    def at(self, seconds):
        """(J, usable) at an instant: J [channel][antenna][polarization] of its diagonal, where
        all is diagonal, else [channel][antenna][2][2]; usable [channel][antenna][polarization]."""
        usable = np.ones(self._shape, bool)
        made = np.ones(self._shape, complex)
        if not self.diagonal:
            made = made[..., None] * np.eye(2)
        for placed in self._terms:
            values, good = placed.at(seconds)
            if placed.term.kind == "D":
                made = made + values[..., None] * made[..., ::-1, :]
                good = good.all(axis=-1, keepdims=True)
            else:
                made = made * (values if self.diagonal else values[..., None])
            usable = usable & good
        return made, usable if self.diagonal else usable & usable.all(axis=-1, keepdims=True)


def gains_in_time(found, times, frequencies, max_gap=MAX_GAP):
    """Gains of `solutions` without leakage, complex [time][channel][antenna][polarization], NaN
    where there is no solution. times: s since 1970 UTC."""
    everyone = np.arange(len(found.antennas)), np.arange(len(found.polarizations))
    array = jones_of_array([found], *([part] for part in everyone), frequencies, max_gap)
    return np.array([np.where(usable, gains, np.nan) for gains, usable in map(array.at, times)])


class _placed_term:
    """A term for the antennas, polarizations and channels of a file."""

    def __init__(self, term, antennas, polarizations, frequencies, max_gap):
        self.term, self._time = term, term_in_time(term, max_gap)
        self._interval = interval_of_channels(term, frequencies)
        self._apart = np.asarray(frequencies, float) - term.frequencies[self._interval]
        self._at = np.ix_(self._interval, antennas, polarizations)
        self._there = np.logical_and.reduce(np.broadcast_arrays(*(at >= 0 for at in self._at)))

    def at(self, seconds):
        values, usable = self._time.at(seconds)
        values, usable = values[self._at], usable[self._at]
        usable = usable & self._there
        if self.term.is_delay:
            turns = self._apart[:, None, None] * values
            values = np.exp(-2j * np.pi * (turns - np.rint(turns)))
        return np.where(usable, values, 0 if self.term.kind == "D" else 1), usable
