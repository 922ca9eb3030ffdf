#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A term while it is solved for: its values, and what they do to the model of the sky."""

from dataclasses import dataclass, field

import numpy as np

from ..calibration.solutions import DELAYS, term_solution
from ..calibration.stefcal import BOTH
from ..calibration.term_in_time import term_in_time
from .intervals import intervals


@dataclass(eq=False)  # arrays: a term is itself alone
class solved_term:
    """Values [interval of time][interval of frequency][antenna][polarization]."""
    kind: str             #: as term_solution has it
    time: intervals
    frequency: intervals
    values: np.ndarray
    errors: np.ndarray = None
    phase_errors: np.ndarray = None
    flags: np.ndarray = None
    snr: np.ndarray = None
    why: dict = field(default_factory=dict)  #: reason: number of values that it flags
    solved: bool = False
    moved: np.ndarray = None   #: True = the reference has no data, [time][frequency][polarization]
    mode: str = BOTH      #: which part of a gain is solved for
    degree: int = None    #: of the polynomials that smooth a bandpass
    misfit: np.ndarray = None  #: of the baselines, [time][frequency][polarization]

    @staticmethod
    def new(kind, time, frequency, antennas, hands, mode=BOTH):
        """One that does nothing yet."""
        shape = len(time), len(frequency), antennas, hands
        neutral = 0.0 if kind in DELAYS else 0j if kind == "D" else 1 + 0j
        made = solved_term(kind, time, frequency, np.full(shape, neutral), mode=mode)
        made.errors, made.snr = np.full(shape, np.nan), np.zeros(shape)
        made.flags, made.moved = np.zeros(shape, bool), np.zeros((*shape[:2], hands), bool)
        return made

    @property
    def is_delay(self):
        """True where the values are seconds."""
        return self.kind in DELAYS

    @property
    def times(self):
        """Centers of the intervals."""
        return self.time.centers

    @property
    def intervals(self):
        """Their lengths."""
        return self.time.widths

    def refuse(self, wrong, reason, at=...):
        """Flags values: `wrong` a bool array that broadcasts to those at the index `at`."""
        new = wrong & ~self.flags[at]
        if new.any():
            self.flags[at] |= new
            self.why[reason] = self.why.get(reason, 0) + int(new.sum())

    def at(self, times):
        """Values at some times, [time][interval of frequency][antenna][polarization], and whether
        they are known; 0, or no delay, where there is no solution."""
        between = term_in_time(self, np.inf)
        values, there = map(np.stack, zip(*map(between.at, self._different(times))))
        values = np.where(there, values, 0)
        return tuple(np.broadcast_to(array, (len(times), *array.shape[1:]))
                     for array in (values, there))

    def _different(self, times):
        """Those of some times at which the values are others: what has one interval is the same
        at all."""
        return times[:1] if len(self.times) == 1 else times

    def factors(self, times, frequencies):
        """What a diagonal term does, complex [time][channel][antenna][polarization]; 0 where
        there is no solution."""
        values, there = (array[:, self.frequency.numbers]
                         for array in self.at(self._different(times)))
        if self.is_delay:
            offset = frequencies - self.frequency.centers[self.frequency.numbers]
            values = np.exp(-2j * np.pi * offset[:, None, None] * values)
        values = np.where(there, values, 0)
        return np.broadcast_to(values, (len(times), *values.shape[1:]))

    def leakages(self, times):
        """Of D, [time][channel][antenna][polarization]."""
        return self.at(times)[0][:, self.frequency.numbers]

    def as_solution(self, band=None):
        """The term_solution of it. band: Hz, for which a solution of the whole band holds."""
        why = [f"{reason}: {count} of {self.values.size} values"
               for reason, count in self.why.items()]
        moved = self.moved.any(axis=-1)
        if moved.any():
            why.append(f"the reference has no data in {moved.sum()} of {moved.size} intervals: "
                       "there the mean phase of the others is that of the nearest interval that "
                       "has it")
        values = np.where(self.flags, 0, self.values)
        widths = self.frequency.widths
        if band is not None and len(widths) == 1 and self.kind != "B":
            widths = 2 * np.abs(np.array(band) - self.frequency.centers).max(keepdims=True)
        made = term_solution(self.kind, self.time.centers, self.time.widths,
                             self.frequency.centers, widths, values,
                             np.where(self.flags, np.nan, self.errors), self.flags,
                             np.where(self.flags, 0, self.snr), why)
        if self.phase_errors is not None:
            made.phase_errors = np.where(self.flags, np.nan, self.phase_errors)
        return made
