#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which spectra lie in which part of a pulsar's turn."""
import numpy as np

from .pulse_phases import delay, turns

MAX_GATES = 64  #: gates: each has an X-engine of its own


class pulse_gates:
    """Gates (from, to) in turns, 0 <= from < 1, from < to <= from + 1.

    A channel of frequency f is taken at the phase of the instant t - D DM (1/f^2 - 1/f0^2). f0 is
    the frequency for which `phase` holds, or infinite where that has none.

      phase: pulse_phase; gates: [(from, to)]; dm: pc / cm^3; frequencies: Hz, of the channels
      early: seconds, half a sample of the receivers: they are taken at their instants, and spectra
      are dated from the begin of a sample to the end of one
      words: what gives the phase, for the history of files
    """

    def __init__(self, phase, gates, dm, frequencies, early=0.0, words=""):
        self.phase, self.gates, self.dm, self._words = phase, list(gates), dm, words
        self._early = early
        self._late = (delay(dm, np.asarray(frequencies, float))
                      - delay(dm, phase.frequency or np.inf) if dm else np.zeros(1))

    def __len__(self):
        return len(self.gates)

    @property
    def by_channel(self):
        """True where the channels are taken at different phases."""
        return len(self._late) > 1

    def span(self, seconds):
        """Between which offsets (s) from the begin of so many seconds phases are asked for."""
        return (-self._early - self._late.max(), seconds - self._early - self._late.min())

    def inside(self, start, interval, count):
        """Whether spectra lie in the gates by the phase of their middles, [gate][channel][time],
        or [gate][1][time] where that is the same in all channels. `count` spectra of `interval`
        seconds, the first from `start` (an epoch) on."""
        middles = (np.arange(count) + 0.5) * interval - self._early - self._late[:, None]
        phases = turns(self.phase, start, middles) % 1
        return np.array([(phases >= low) & (phases < high) | (phases + 1 < high)
                         for low, high in self.gates])

    def sentence(self, number):
        """What a gate is, for the history of its file."""
        low, high = self.gates[number]
        dispersion = f", DM {self.dm:g}" if self.dm else ""
        return f"spectra of the phases {low:.9g} to {high:.9g} of {self._words}{dispersion}"


def equal_gates(bins):
    """The gates of so many equal bins."""
    edges = np.arange(bins + 1) / bins
    return list(zip(edges[:-1].tolist(), edges[1:].tolist()))
