#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Terms of a calibration solved for one after the other, until none changes."""

import numpy as np

from ..calibration.quality import unsolved
from ..calibration.solutions import CROSSES, solutions
from ..calibration.stefcal import BOTH
from . import delays, gains, leakages
from .clip import LARGEST_PART, ROUNDS, find_outliers, with_clipped
from .crosses import solve_crosses
from .extrapolation import extrapolation
from .fit import left_over
from .fluxes import check_fluxes, fitted_model
from .intervals import of_frequency, of_time
from .quality import refuse_misfits, refuse_weak
from .solved_term import solved_term
from .terms import term

#: Passes over all terms, and the change at which they end: relative, or turns over the band.
PASSES, SETTLED = 30, 1e-4
#: Factor for the changes of terms that settle slowly.
SLOW = 10.0
#: Least signal-to-noise ratio of a solution.
MIN_SNR = 3.0
#: Terms in the order in which the signal passes them.
ORDER = ("D", "Kcross", "Pcross", "G", "K", "B")


def solve_terms(samples, terms, reference=None, min_snr=MIN_SNR, max_misfit=None, clip=None):
    r"""`solutions` of some terms, from visibilities and a model of the sky: arrays, for live use.

    They make

        sum w |V - J_i M J_j^H|^2,    J = B K G Kcross D,

    smallest, w = 1 / variance: each term in its intervals, one term after the other with all
    others held, in passes over the terms until nothing changes. Gains follow by alternating least
    squares (StefCal), delays from a global fringe fit, leakages from linear equations.

      samples: see there
      terms: list of `term`, in the order in which they are solved for first
      reference: number of the antenna whose phase and delay are 0; None: that with most signal
      min_snr: solutions of a smaller signal-to-noise ratio are flagged
      max_misfit: by how much the baselines of a solution may differ from the model, rms, noise
          taken off; beyond, it is flagged
      clip: how many times the noise the residuals are of baselines that are left out of a dump;
          None: none is

    Errors are those of the residuals: see gain_errors and fit_fringes. With two antennas the
    product of their amplitudes is what is known: they get the same.

    Raises ValueError for terms that the samples cannot tell, and `unsolved` where no solution of
    a term is left.
    """
    return terms_solver(samples, terms, reference, min_snr, max_misfit, clip).solve()


class terms_solver:
    """solve_terms(), and afterwards what it leaves over: `left`, a `residual`; `clipped`, True for
    dumps of baselines that were left out, [dump][pair]; `states`, the `solved_term` of each term;
    and `reference`, a number."""

    def __init__(self, samples, terms, reference=None, min_snr=MIN_SNR, max_misfit=None,
                 clip=None):
        if not terms:
            raise ValueError("solve_terms: no term is given")
        check_fluxes(samples, terms)
        self._samples, self._terms = samples, terms
        self.reference = _strongest(samples) if reference is None else reference
        self._min_snr, self._max_misfit = min_snr, max_misfit
        self._clip = clip
        self.left, self.states = None, []
        self.clipped = np.zeros((len(samples.times), len(samples.first)), bool)

    def solve(self):
        """The `solutions`."""
        samples, terms, reference = self._samples, self._terms, self.reference
        work = [(spec, _begun(samples, spec)) for spec in terms]
        every = self.states = [state for _, states in work for state in states]
        _settle(samples, work, every, reference)
        if isinstance(samples.model, fitted_model) and any(spec.kind == "K" for spec in terms):
            # With fluxes that were not known yet a delay may have been led to a wrong peak.
            _settle_anew(samples, work, every, reference)
        for _ in range(0 if self._clip is None else ROUNDS):
            new = self._outliers(samples, every) & ~self.clipped
            if not new.any() or (self.clipped | new).mean() > LARGEST_PART:
                break
            samples = self._left_out(self.clipped | new, work, every)
        if self.clipped.any():  # what fits without the others was no outlier
            fits = self.clipped & ~self._outliers(self._samples, every, np.inf)
            if fits.any():
                samples = self._left_out(self.clipped & ~fits, work, every)
        self.left = left_over(samples, every + _hidden(samples, terms, every, reference))
        for spec, states in work:
            _solve(samples, spec, states, every, reference, self.left)
            for state in states:
                refuse_weak(state, self._min_snr)
                refuse_misfits(state, self._max_misfit)
        return _finished(samples, every, reference)

    def _outliers(self, samples, every, *near_worst):
        hidden = _hidden(samples, self._terms, every, self.reference)
        return find_outliers(samples, every + hidden, self._clip, *near_worst)

    def _left_out(self, outliers, work, every):
        """The samples without some, after all terms are solved anew from them."""
        self.clipped = outliers
        samples = with_clipped(self._samples, outliers)
        _settle_anew(samples, work, every, self.reference)  # or it may have led a delay away
        return samples


def _settle_anew(samples, work, every, reference):
    """From the start, but with the fluxes that were found."""
    for state in every:
        state.solved = False
    _settle(samples, work, every, reference)


def _settle(samples, work, every, reference):
    """Passes over all terms until none changes."""
    ahead = extrapolation(every)
    for _ in range(PASSES):
        changes = [_solve(samples, spec, states, every, reference)
                   * (SLOW if spec.kind in CROSSES else 1) for spec, states in work]
        if max(changes) < SETTLED or len(work) == 1:
            break
        ahead.step()


def _begun(samples, spec):
    time = of_time(samples.times, samples.lengths, spec.seconds)
    frequency = of_frequency(samples.frequencies, samples.widths, spec.channels, spec.hertz)
    if spec.kind in CROSSES and not samples.has_crosses:
        raise ValueError(f"terms: {spec.kind}: takes products of two polarizations, and the data "
                         "have none")
    kinds = (spec.kind,)
    if spec.kind == "Kcross":
        # One channel, or few, tell no delay.
        many = len(samples.frequencies) >= delays.MIN_CHANNELS
        kinds = ("Kcross", "Pcross") if many else ("Pcross",)
    if spec.degree is not None and spec.degree >= len(frequency):
        raise ValueError(f"terms: {spec.kind}:poly{spec.degree}: takes more than {spec.degree} "
                         f"intervals in frequency, and there are {len(frequency)}")
    made = [solved_term.new(kind, time, frequency, len(samples.antennas), samples.hands, spec.mode)
            for kind in kinds]
    for state in made:
        state.degree = spec.degree
    return made


def _hidden(samples, terms, every, reference):
    """Gains in the shortest interval, where the terms have none: what they would be is no noise."""
    if any(spec.kind in ("G", "B") and spec.mode == BOTH for spec in terms):
        return []
    shortest = min((spec.seconds for spec in terms if spec.seconds), default=None)
    spec = term("G", shortest)
    states = _begun(samples, spec)
    _solve(samples, spec, states, every + states, reference, with_fluxes=False)
    return states


def _solve(samples, spec, states, every, reference, left=None, with_fluxes=True):
    """One pass over a term: the largest change. With a `residual` there are errors, too."""
    others = [state for state in every if state not in states and state.solved]
    if spec.kind == "K":
        return delays.solve_delays(samples, states[0], others, reference, left)
    if spec.kind in ("G", "B"):
        divide = spec.kind == "B" and any(other.kind == "G" for other in others)
        return gains.solve_gains(samples, states[0], others, reference, left, divide,
                                 with_fluxes)
    crosses = None if left is None else left.crosses
    if spec.kind == "D":
        return leakages.solve_leakages(samples, states[0], others, reference, crosses)
    return solve_crosses(samples, states[0] if len(states) == 2 else None, states[-1], others,
                         crosses)


def _strongest(samples):
    """The antenna with the most signal, in units of the noise: one without power has large weights
    and nothing else."""
    total = np.zeros(len(samples.antennas))
    for p in range(samples.hands):
        for k in range(len(samples.times)):
            v, w, _ = samples.part(p, p, slice(k, k + 1))
            weight = (w * np.abs(v) ** 2).sum(axis=(0, 1))
            for ends in (samples.first, samples.second):
                np.add.at(total, ends, weight)
    if not total.any():
        raise unsolved("no visibility is left: all are flagged, or the model is 0")
    return int(np.argmax(total))


def _finished(samples, every, reference):
    for state in every:
        if state.flags.all():
            raise unsolved(f"{state.kind}: no solution is left: " + "; ".join(
                f"{reason} ({count} values)" for reason, count in state.why.items()))
    every = sorted(every, key=lambda state: ORDER.index(state.kind))
    made = [state.as_solution(samples.band) for state in every]
    return solutions(samples.antennas, samples.polarizations, made, samples.antennas[reference])
