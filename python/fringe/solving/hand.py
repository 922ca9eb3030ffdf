#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The inputs of one polarization: terms K and G, and inputs that are bad left out."""

from dataclasses import dataclass

import numpy as np

from ..calibration.quality import LOOK, LOWEST_SNR, MAX_UNEXPLAINED, unsolved
from ..calibration.stefcal import BOTH, PHASES
from .delays import MIN_CHANNELS
from .fit_checks import check_fit, worst_input
from .fluxes import fitted_model
from .samples import of_dumps, samples
from .solve import terms_solver
from .terms import term


@dataclass
class limits:
    """What is taken: see calibrate_by_sources()."""
    max_unexplained: float = MAX_UNEXPLAINED
    max_misfit: float = None
    accept_untested: bool = False


@dataclass
class hand_solution:
    """What solve_hand() finds, [input]; NaN where an input is bad."""
    gain: np.ndarray         #: complex, in the middle of the band
    phase_error: np.ndarray  #: degrees
    delay: np.ndarray        #: s
    delay_error: np.ndarray  #: s
    snr: np.ndarray          #: of the gain
    flux: np.ndarray         #: means over the channels, [source]; empty where none is fitted
    reference: int           #: the input whose phase and delay are 0
    quality: tuple           #: unexplained, misfit, chi2 and both closure phases


def solve_hand(data, products, model, delays, phases_only, reference, bad, taken):
    """A `hand_solution`; inputs that turn out to be bad are added to `bad`, {input: why}.

      data: prepared; products: its products of the inputs, i <= j, row-major
      model: a fitted_model of the products i < j, or a list with it as `samples` take it
      reference: None: the good input with the most signal
      taken: limits

    Raises `unsolved`.
    """
    if delays and len(data.f) < MIN_CHANNELS:
        raise ValueError(f"delays: {len(data.f)} channels; a delay is the slope of the phase over "
                         f"{MIN_CHANNELS} or more")
    every = _samples(data, products, int(np.sqrt(2 * len(products))), model)
    terms = [term("K")] * delays + [term("G", mode=PHASES if phases_only else BOTH)]
    solver, some, good = solve_good(every, terms, reference, bad)
    return _checked(solver, some, good, phases_only, taken)


def solve_good(every, terms, reference, bad):
    """(terms_solver that has solved, `samples` of the inputs that are good, good: bool [input]).

      every: samples of one polarization
      terms: K or none, and G, each in one interval
      reference, bad: as solve_hand() has them
    """
    inputs, phases_only = len(every.antennas), terms[-1].mode == PHASES
    needed = 2 if phases_only else 3
    heard = np.zeros(inputs)
    for k in range(len(every.times)):
        weights = (every.weights[0, 0][k] > 0).any(axis=0)
        for ends in (every.first, every.second):
            heard += np.bincount(ends, weights, inputs)
    bad.update({int(k): "no data" for k in np.flatnonzero(heard == 0) if k not in bad})
    there, near = inputs - len(bad), reference
    while True:
        good = np.array([k not in bad for k in range(inputs)])
        if good.sum() < needed:
            raise unsolved(_too_few(good, needed, bad))
        if good.sum() < there / 2:
            raise unsolved(f"more than half of the {there} inputs with data hear nothing of the "
                           "model; " + LOOK)
        if reference is not None and not good[reference]:
            raise unsolved(f"the reference, input {reference}, cannot be used: {bad[reference]}")
        some = every.without(~good)
        solver = terms_solver(some, terms, near, min_snr=0, max_misfit=np.inf)
        solver.solve()
        worse = _worse(solver, some, good, phases_only)
        bad.update(worse)
        snr = solver.states[-1].snr[0, 0, :, 0]
        best = int(np.argmax(np.where(good, snr, -1)))
        if not worse and (reference is not None or best == solver.reference):
            return solver, some, good
        near = best if reference is None and best not in bad else reference


def _samples(data, products, inputs, model):
    """`samples` of the products of different inputs, a dump in memory at a time."""
    first, second = np.triu_indices(inputs)
    pair = first != second
    columns = np.asarray(products)[pair]
    shape = len(data), len(data.f), len(columns)
    long = data.exposure  # of one point source the number of independent samples matters
    return samples({(0, 0): of_dumps(lambda k: data.dump(k, columns)[0], shape)},
                   {(0, 0): of_dumps(lambda k: data.dump(k, columns)[1], shape)}, model,
                   first[pair], second[pair], [str(k) for k in range(inputs)], "X",
                   long * np.arange(len(data)), long, data.f, data.width, True)


def _worse(solver, some, good, phases_only):
    """Inputs that have to be left out, too, the worst kind first: {input: why}. One that fits much
    worse makes the signal-to-noise ratios of all small."""
    worst = worst_input(some, solver.states, good, phases_only)
    if worst:
        return worst
    for state in solver.states:
        snr = np.nan_to_num(state.snr[0, 0, :, 0])
        deaf = good & (state.flags[0, 0, :, 0] if state.is_delay else snr < LOWEST_SNR)
        # The worst ones first: without them the others may be better.
        deaf &= snr ** 2 <= 2 * snr[good].min() ** 2
        if deaf.any():
            return {int(k): f"hears nothing of the model ({snr[k]:.1f} times the noise)"
                    for k in np.flatnonzero(deaf)}
    return {}


def _too_few(good, needed, bad):
    why = "; ".join(f"input {k}: {reason}" for k, reason in sorted(bad.items())[:6])
    return (f"{good.sum()} good input{'' if good.sum() == 1 else 's'}, and it needs {needed}"
            + ("" if needed == 2 else " (2 with phases_only=True)") + (f" ({why})" if why else ""))


def _checked(solver, some, good, phases_only, taken):
    """The hand_solution, if it is good enough."""
    gain, delay = solver.states[-1], solver.states[0]
    quality = check_fit(some, solver.states, solver.left, good, phases_only, solver.reference,
                        taken)

    def of(values):
        return np.where(good, values[0, 0, :, 0], np.nan)
    nothing = np.where(good, 0.0, np.nan)
    return hand_solution(
        of(gain.values), np.degrees(np.minimum(of(gain.phase_errors), np.pi)),
        of(delay.values) if delay.is_delay else nothing,
        of(delay.errors) if delay.is_delay else nothing, of(gain.snr),
        some.model.flux[0].mean(axis=-1) if isinstance(some.model, fitted_model) else np.array([]),
        solver.reference, quality)
