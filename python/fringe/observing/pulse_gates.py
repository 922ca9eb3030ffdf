#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which spectra lie in which part of a pulsar's turn."""
import numpy as np

from .. import fringe_python as fp
from .pulse_phases import delay, turns
from .recording_names import absolute

MAX_GATES = 64  #: gates: each has an X-engine of its own


def check_pulsar(period, polyco, bins, gate, dm):
    """Raises ValueError for what cannot be a pulsar and its gates, whatever is observed."""
    if bins and gate:
        raise ValueError("bins and gate: give one of the two")
    if (period is None) == (polyco is None):
        raise ValueError("period: give either it or polyco, the file of predictions")
    if period is not None and not 0 < period < float("inf"):
        raise ValueError(f"period: {period:g}: must be more than 0 seconds")
    if bins is not None and not 2 <= bins <= MAX_GATES:
        raise ValueError(f"bins: {bins}: must be 2 to {MAX_GATES}")
    if len(gate) > MAX_GATES:
        raise ValueError(f"gate: {len(gate)} are given; {MAX_GATES} at most")
    for low, high in gate:
        if not 0 <= low < 1 or not low < high <= low + 1:
            raise ValueError(f"gate: {low:g},{high:g}: must be two phases in turns, the first "
                             "from 0 to less than 1, the second behind it by a turn at most; "
                             "0.95,1.05 goes over phase 0")
    if dm is not None and not 0 <= dm < 1e5:
        raise ValueError(f"dm: {dm:g}: must be 0 to 100,000 pc / cm^3")


class pulse_gates:
    """Gates (from, to) in turns, 0 <= from < 1, from < to <= from + 1.

    A channel of frequency f is taken at the phase of the instant t - D DM (1/f^2 - 1/f0^2). f0 is
    the frequency for which `phase` holds, or infinite where that has none.

      phase: pulse_phase; gates: [(from, to)]; dm: pc / cm^3; frequencies: Hz, of the channels
      early: seconds, half a sample of the receivers: they are taken at their instants, and spectra
      are dated from the begin of a sample to the end of one
      words: what gives the phase, for the history of files
    """

    @classmethod
    def of(cls, observation, period=None, polyco=None, bins=None, gate=(), dm=None,
           complex_samples=True, channels=0):
        """The gates of a pulsar, for the spectra of an observation.

          period: seconds at the telescope, phase 0 being at 1970-01-01 UTC; or polyco: the path of
            predictions of the phase, as TEMPO, TEMPO2 and PINT write them
          bins: equal parts of a turn, 2 to 64; or gate: [(from, to)], parts in turns
          dm: pc / cm^3; None: that of the predictions, else 0
          channels: 0 = those of the observation

        Raises ValueError for what is not possible, RuntimeError for a polyco that is damaged.
        """
        check_pulsar(period, polyco, bins, gate, dm)
        if not bins and not len(gate):
            raise ValueError("bins: give either them or gate, the parts of a turn")
        channels = channels or observation.channels
        phase = (fp.pulse_phase.from_period(period) if polyco is None else
                 fp.pulse_phase.from_polyco(polyco))
        dm = phase.dispersion if dm is None else dm
        f = observation.channel_frequencies(channels, complex_samples)
        if dm and not min(f) > 0:
            raise ValueError(f"dm: {dm:g}: the lowest channel is at {min(f):g} Hz; dispersion has "
                             "no end there")
        words = f"the period {float(period)!r} s" if polyco is None else absolute(polyco)
        return cls(phase, equal_gates(bins) if bins else list(gate), dm, f,
                   0.5 / observation.sample_rate, words)

    def __init__(self, phase, gates, dm, frequencies, early=0.0, words=""):
        self.phase, self.gates, self.dm, self._words = phase, list(gates), dm, words
        self._early = early
        self._late = (delay(dm, np.asarray(frequencies, float))
                      - delay(dm, phase.frequency or np.inf) if dm else np.zeros(1))

    def __len__(self):
        return len(self.gates)

    def __repr__(self):
        return f"<{len(self)} gates of {self.words}>"

    @property
    def words(self):
        """What gives the phase, and the dispersion."""
        return self._words + (f", DM {self.dm:g}" if self.dm else "")

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
        return f"spectra of the phases {low:.9g} to {high:.9g} of {self.words}"


def equal_gates(bins):
    """The gates of so many equal bins."""
    edges = np.arange(bins + 1) / bins
    return list(zip(edges[:-1].tolist(), edges[1:].tolist()))
