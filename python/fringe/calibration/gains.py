#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Complex gains of the inputs from visibilities and a model of the sky (StefCal)."""

from functools import reduce
from operator import add

import numpy as np

from .equations import equations
from .gain_errors import gain_errors
from .quality import (LOOK, MAX_MISFIT, MAX_UNEXPLAINED, check_misfit,  # noqa: F401
                      known_noise, unsolved, with_quality, worse_inputs)
from .stefcal import BOTH, PHASES, stefcal_step, unit
from .trust import MIN_RESIDUAL, limit_of_misfit

#: Smallest change, relative, at which the iteration ends, and the most of them.
TOLERANCE, MAX_STEPS = 1e-11, 5000


def solve_gains(visibilities, model, weights=None, flux=None, reference=None,
                phases_only=False, known_bad=(), max_unexplained=MAX_UNEXPLAINED,
                max_misfit=None):
    r"""Complex gain of every input from visibilities and the model of the sky.

    The gains g that make

        sum_(samples, i<j) w_ij |V_ij - g_i conj(g_j) M_ij|^2,    M_ij = sum_k flux_k M_k,ij

    smallest, one for each solution. Each step solves for every input with those of all others
    held, g_i = sum_j A_ij g_j / sum_j B_ij |g_j|^2, where A = sum w V conj(M) and
    B = sum w |M|^2, and every second one takes the mean with the step before (StefCal: Salvini &
    Wijnholds, A&A 571, A97, 2014). It begins at the first eigenvector of A, and ends when the
    gains change by less than 1e-11.

      visibilities: [solution][group][sample][product]; products (i, j), i <= j, row-major.
          Samples (dumps, channels) share gains and fluxes, groups share gains only.
          Autocorrelations do not count
      model: [source] and the same shape, a source of flux 1, exp(-2 pi i f (tau_i - tau_j)).
          Products of which the model is 0 (cross-hands) do not count
      weights: 1 / variance of each visibility, the same shape or one that broadcasts;
          0 = flagged
      flux: of each source; None: fitted as well, none below 0
      reference: the input whose phase is 0; None: the good one with the most signal
      phases_only: |g| = 1
      known_bad: inputs to leave out: numbers, or {number: why}
      max_unexplained, max_misfit: see below

    Where the fluxes are fitted, the gain of the reference is 1. Inputs without data, those whose
    gain is not 5 times its error, and those that fit 4 times worse than the others are left out,
    and named in `bad`. Errors are those of what the model leaves over, noise or not.

    **What it cannot see**: one source in a wrong direction, at one instant and frequency, fits
    as well as in the right one, since the gains take up the difference. Several sources, a
    wide band with one gain for all of it, or a source that moves tell.

    Raises ValueError for shapes that do not fit, and `unsolved`, a ValueError, where fewer than
    three inputs (two for phases) or fewer than half of those with data are left, the iteration
    does not converge, more than `max_unexplained` of the visibilities (rms, noise taken
    off) is left over, or the means of the products differ from the model by more than
    `max_misfit` (rms, noise taken off; default 0.015, or max_unexplained where another one than
    0.5 is given). The gains are wrong by about as much, over the root of the number of inputs,
    and by more where the model's fluxes are wrong.
    """
    return solve_equations([equations.of(visibilities, model, weights, flux)], flux is None,
                           reference, phases_only, known_bad, max_unexplained, max_misfit)


def solve_equations(parts, fit_flux=True, reference=None, phases_only=False, known_bad=(),
                    max_unexplained=MAX_UNEXPLAINED, max_misfit=None, independent=None):
    """solve_gains() of samples that were added up, in some parts of the time, a list of
    `equations`: the model has to hold in each of them. independent: samples of a solution that are
    independent, where they are of one point source (see gain_errors)."""
    eq = reduce(add, parts)
    max_misfit = limit_of_misfit(max_unexplained, max_misfit)
    bad = (dict(known_bad) if isinstance(known_bad, dict)
           else {int(k): "known bad" for k in known_bad})
    power = eq.model_weight(np.ones((eq.solutions, eq.inputs)))
    bad.update({int(k): "no data" for k in np.flatnonzero(power.max(axis=0) <= 0)
                if k not in bad})
    there, needed = eq.inputs - len(bad), 2 if phases_only else 3
    while True:
        good = np.array([k not in bad for k in range(eq.inputs)])
        if good.sum() < needed:
            raise unsolved(_too_few(good, needed, bad))
        if good.sum() < there / 2:
            raise unsolved(f"more than half of the {there} inputs with data hear nothing of the "
                           "model; " + LOOK)
        g, fluxes, steps = _iterate(eq, good, fit_flux, phases_only)
        found = with_quality(eq, g, fluxes, steps, bad, phases_only)
        worse = worse_inputs(eq, found, good, phases_only)
        if not worse:
            break
        bad.update(worse)
    if not found.unexplained <= max_unexplained:
        raise unsolved(
            f"the model leaves {100 * found.unexplained:.0f} % of the visibilities unexplained "
            f"(up to {100 * max_unexplained:.0f} % is taken, max_unexplained=PART takes more); "
            + LOOK)
    check_misfit(found, parts, good, phases_only, max_misfit)
    found = _referred(found, good, reference, fit_flux and not phases_only)
    found.closure = eq.closure(found.flux, good, found.reference)
    found.phase_error = np.degrees(_phase_errors(eq, found, good, independent))
    return found


def _phase_errors(eq, found, good, independent):
    """Standard errors of the phases against the reference's, radians, [solution][input]."""
    size = np.where(good, np.abs(np.nan_to_num(found.gain)), 0) ** 2
    strength = eq.collapsed(found.flux, good)[1] * size[:, :, None] * size[:, None, :]
    freedom = eq.count.sum() - 2 * good.sum() * eq.solutions
    known = eq.absolute and (independent is not None or found.chi2 > MIN_RESIDUAL)
    noise = known_noise(found.chi2, freedom) if known else found.chi2
    if independent is not None:
        independent = np.full(len(strength), float(independent))
    return np.minimum(gain_errors(strength, max(noise, 1e-30), found.reference, independent)[1],
                      np.pi)


def _too_few(good, needed, bad):
    why = "; ".join(f"input {k}: {reason}" for k, reason in sorted(bad.items())[:6])
    return (f"{good.sum()} good input{'' if good.sum() == 1 else 's'}, and it needs {needed}"
            + ("" if needed == 2 else " (2 with phases only)") + (f" ({why})" if why else ""))


def _iterate(eq, good, fit_flux, phases_only):
    """Alternating least squares: gains [solution][input], fluxes, steps."""
    mode = PHASES if phases_only else BOTH
    g = eq.first_gains(good, mode)
    flux = np.ones((eq.solutions, eq.groups, eq.sources))
    if fit_flux:
        flux = eq.fluxes(g)
    a, b = eq.collapsed(flux, good)
    for step in range(1, MAX_STEPS + 1):
        new = stefcal_step(a, b, g, mode)
        change = np.abs(new - g).max(axis=1)
        if step % 2 == 0:
            new = (new + g) / 2
            new = unit(new) if phases_only else new
        size = np.abs(new).max(axis=1)
        g = new
        if fit_flux and (step % 4 == 0):
            before, flux = flux, eq.fluxes(g)
            a, b = eq.collapsed(flux, good)
            moved = np.abs(flux - before).max(axis=(1, 2)) / np.maximum(flux.max(axis=(1, 2)),
                                                                        1e-300)
            if not phases_only:
                scale = np.sqrt((np.abs(g) ** 2).sum(axis=1) / good.sum())[:, None]
                g = g / np.where(scale > 0, scale, 1)
                flux = flux * scale[:, :, None] ** 2
                a, b = eq.collapsed(flux, good)
            if (np.maximum(change / np.maximum(size, 1e-300), moved) < TOLERANCE).all():
                return g, flux, step
        elif not fit_flux and (change <= TOLERANCE * size).all():
            return g, flux, step
        if step > 500 and (change <= 1e-4 * size).all() and step % 500 == 0:
            # Far below any noise there is: degenerate or noisy solutions end here.
            return g, flux, step
    raise unsolved(f"the gains still change after {MAX_STEPS} steps: there is too little signal "
                   "for this number of solutions (try one for the whole band), or the model does "
                   "not hold")


def _referred(found, good, reference, relative):
    """The same with the reference's phase 0, its gain 1 if `relative`, and NaN for bad ones."""
    if reference is None:
        found.reference = int(np.argmax(np.where(good, found.snr.mean(axis=0), -1)))
    elif good[reference]:
        found.reference = int(reference)
    else:
        raise unsolved(f"the reference, input {reference}, cannot be used: "
                       f"{found.bad[reference]}")
    turn = found.gain[:, found.reference][:, None]
    size = np.abs(turn) if relative else 1.0
    found.gain = np.where(good, found.gain * unit(turn).conj() / size, np.nan)
    found.flux = found.flux * np.reshape(size, (-1, 1, 1)) ** 2 if relative else found.flux
    found.snr = np.where(good, found.snr, np.nan)
    return found
