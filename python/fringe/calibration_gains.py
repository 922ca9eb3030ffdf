#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Complex gains of the inputs from visibilities and a model of the sky (StefCal)."""

from dataclasses import dataclass

import numpy as np

from .calibration_equations import equations

#: Smallest change, relative, at which the iteration ends, and the most of them.
TOLERANCE, MOST_STEPS = 1e-11, 5000
#: Signal-to-noise ratio under which an input is called bad, and how many times the residual
#: of the others its own may be.
LOWEST_SNR, LARGEST_MISFIT = 5.0, 4.0
#: Largest part of the visibilities, noise taken off, that the model may leave unexplained.
MOST_UNEXPLAINED = 0.5
LOOK = ("are the sources' directions, the time, the antennas' positions and the order of the "
        "inputs right, and is anything else in the sky?")


class unsolved(ValueError):
    """There are data, but no gains that can be trusted follow from them."""


@dataclass
class gain_solution:
    """What solve_gains() finds; NaN where an input is bad."""
    gain: np.ndarray     #: complex, [solution][input]; V_ij = g_i conj(g_j) M_ij
    snr: np.ndarray      #: |gain| over its standard deviation, [solution][input]
    flux: np.ndarray     #: [solution][group][source]
    bad: dict            #: input: why
    reference: int       #: the input whose phase is 0
    unexplained: float   #: part of the visibilities' rms that is neither model nor noise
    chi2: float          #: mean w |V - model|^2: 1 for noise alone, w being 1 / variance
    steps: int
    closure: tuple = (np.nan, np.nan)  #: degrees rms of V over the model; that of noise

    @property
    def phase_error(self):
        """Standard deviation of the phases in degrees, [solution][input]."""
        return np.degrees(np.minimum(1 / (np.sqrt(2) * np.maximum(self.snr, 1e-9)), np.pi))


def solve_gains(visibilities, model, weights=None, flux=None, reference=None,
                phases_only=False, known_bad=(), most_unexplained=MOST_UNEXPLAINED):
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
      most_unexplained: see below

    Where the fluxes are fitted, the gain of the reference is 1. Inputs without data, those whose
    gain is not 5 times its error, and those that fit 4 times worse than the others are left out,
    and named in `bad`. Errors are those of what the model leaves over, noise or not.

    **What it cannot see**: one source in a wrong direction, at one instant and frequency, fits
    as well as in the right one, since the gains take up the difference. Several sources, a
    wide band with one gain for all of it, or a source that moves tell.

    Raises ValueError for shapes that do not fit, and `unsolved`, a ValueError, where fewer than
    three inputs (two for phases) or fewer than half of those with data are left, the iteration
    does not converge, or more than `most_unexplained` of the visibilities (rms, noise taken
    off) is left over.
    """
    return solve_equations(equations.of(visibilities, model, weights, flux), flux is None,
                           reference, phases_only, known_bad, most_unexplained)


def solve_equations(eq, fit_flux=True, reference=None, phases_only=False, known_bad=(),
                    most_unexplained=MOST_UNEXPLAINED):
    """solve_gains() of samples that were added up; several `equations` add."""
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
        found = _judged(eq, g, fluxes, steps, bad, phases_only)
        worse = _worse(eq, found, good, phases_only)
        if not worse:
            break
        bad.update(worse)
    if not found.unexplained <= most_unexplained:
        raise unsolved(
            f"the model leaves {100 * found.unexplained:.0f} % of the visibilities unexplained "
            f"(up to {100 * most_unexplained:.0f} % is taken); " + LOOK)
    found = _referred(found, good, reference, fit_flux and not phases_only)
    found.closure = eq.closure(found.flux, good, found.reference)
    return found


def _too_few(good, needed, bad):
    why = "; ".join(f"input {k}: {reason}" for k, reason in sorted(bad.items())[:6])
    return (f"{good.sum()} good input{'' if good.sum() == 1 else 's'}, and it needs {needed}"
            + ("" if needed == 2 else " (2 with phases only)") + (f" ({why})" if why else ""))


def _iterate(eq, good, fit_flux, phases_only):
    """Alternating least squares: gains [solution][input], fluxes, steps."""
    g = eq.first_gains(good)
    if phases_only:
        g = _unit(g)
    flux = np.ones((eq.solutions, eq.groups, eq.sources))
    if fit_flux:
        flux = eq.fluxes(g)
    a, b = eq.collapsed(flux, good)
    for step in range(1, MOST_STEPS + 1):
        new = np.einsum("sij,sj->si", a, g)
        below = np.einsum("sij,sj->si", b, np.abs(g) ** 2)
        new = new / np.where(below > 0, below, 1)
        if phases_only:
            new = _unit(new)
        change = np.abs(new - g).max(axis=1)
        if step % 2 == 0:
            new = (new + g) / 2
            new = _unit(new) if phases_only else new
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
    raise unsolved(f"the gains still change after {MOST_STEPS} steps: there is too little signal "
                   "for so many solutions (try one for the whole band), or the model does not "
                   "hold")


def _unit(g):
    size = np.abs(g)
    return np.where(size > 0, g / np.where(size > 0, size, 1), 0)


def _judged(eq, g, flux, steps, bad, phases_only):
    """A gain_solution with its quality."""
    good = np.array([k not in bad for k in range(eq.inputs)])
    total, left, count = eq.residual(g, flux, good)
    free = (0.5 if phases_only else 1.0) * good.sum() * eq.solutions
    chi2 = left.sum() / 2 / max(count.sum() / 2 - free, 1)
    noise = min(count.sum() / 2 - free, left.sum() / 2) if eq.absolute else 0
    rest = max(left.sum() / 2 - noise, 0) / max(total.sum() / 2 - max(noise, 0), 1e-300)
    weight = eq.model_weight(np.abs(g), flux) * (np.abs(g) > 0)
    spread = np.sqrt(max(chi2, 1e-300))
    gain = eq.estimate(g, flux, good) if phases_only else g
    snr = np.abs(gain) * np.sqrt(weight) / spread
    return gain_solution(g, snr, flux, dict(bad), -1, float(np.sqrt(rest)), float(chi2), steps)


def _worse(eq, found, good, phases_only):
    """Inputs that have to be left out, too, the worst kind first: {input: why}."""
    solutions = eq.solutions
    mean = (np.minimum(found.snr, 1e150) ** 2).mean(axis=0)
    least = 1 + (LOWEST_SNR ** 2 - 1) * (1 / solutions + 1 / np.sqrt(solutions)) / 2
    deaf = {int(k): f"hears nothing of the model ({np.sqrt(mean[k]):.1f} times the noise)"
            for k in np.flatnonzero(good & (mean < least) & (mean <= 2 * mean[good].min()))}
    if deaf:
        return deaf
    _, left, count = eq.residual(found.gain, found.flux, good)
    count = count.sum(axis=0)
    pairs = np.where(count > 0, left.sum(axis=0) / np.maximum(count, 1), np.nan)
    # By the median of its baselines: one bad input is on one baseline of each other.
    share = np.array([np.sqrt(np.nanmedian(row)) if np.isfinite(row).any() else 0
                      for row in pairs])
    usual = np.median(share[good])
    # Rounding alone is no misfit.
    if good.sum() < 5 or found.unexplained < 1e-4 or share[good].max() < LARGEST_MISFIT * usual:
        return {}
    worst = int(np.argmax(np.where(good, share, 0)))
    return {worst: f"fits the model {share[worst] / usual:.0f} times worse than the others"}


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
    found.gain = np.where(good, found.gain * _unit(turn).conj() / size, np.nan)
    found.flux = found.flux * np.reshape(size, (-1, 1, 1)) ** 2 if relative else found.flux
    found.snr = np.where(good, found.snr, np.nan)
    return found
