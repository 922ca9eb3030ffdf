#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How well gains and a model of the sky fit the visibilities, and what is not good enough."""

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

#: Signal-to-noise ratio under which an input is called bad, and how many times the residual
#: of the others its own may be.
LOWEST_SNR, LARGEST_MISFIT = 5.0, 4.0
#: Largest part of the visibilities, noise taken off, that the model may leave unexplained.
MAX_UNEXPLAINED = 0.5
#: How far single products may differ from the model, rms, noise taken off.
MAX_MISFIT = 0.015
#: Noise may be this factor stronger than the powers say, and scatter by this factor more than
#: that of independent samples: neighbors share some.
MAX_NOISE, SHARED_NOISE = 2.0, 2.0
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
    misfit: float = 0.0  #: how far the products' means differ from the model, rms, noise off
    closure: tuple = (np.nan, np.nan)  #: degrees rms of V over the model; that of noise
    phase_error: np.ndarray = None  #: standard error of the phases against the reference's,
                                    #: degrees, [solution][input]


def known_noise(chi2, freedom):
    """How many times stronger the noise is than weights say that are 1 / variance: chi2 where that
    is more than chance (3 standard deviations), else 1.

    Not less: a strong source's own noise goes into the gains, so that less than the noise is left.
    """
    return float(chi2) if freedom > 0 and chi2 > 1 + 3 * np.sqrt(2 / freedom) else 1.0


def with_quality(eq, g, flux, steps, bad, phases_only):
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


def worse_inputs(eq, found, good, phases_only):
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


def check_misfit(found, parts, good, phases_only, limit):
    """Notes how well the products fit, over all of the time and in each of its parts, and raises
    `unsolved` where that is not well enough."""
    sure = 0.0
    for some in ([reduce(add, parts)], parts):
        misfit, least = misfit_of(found, some, good, phases_only)
        found.misfit, sure = max(found.misfit, misfit), max(sure, least)
    if sure > limit:
        raise unsolved(
            f"single baselines differ from the model by {100 * found.misfit:.1f} %, which is not "
            f"noise (up to {100 * limit:.3g} % is taken, max_misfit=PART takes more): the gains "
            "would be wrong; is anything else in the sky, are all fluxes right, is a source "
            "polarized or extended, and are the antennas' positions right?")


def misfit_of(found, parts, good, phases_only):
    """How far the products differ from the model, rms, with the noise taken off: as it is
    expected, and as noise hardly ever is."""
    noise = np.clip(found.chi2, 1.0, MAX_NOISE) if parts[0].absolute else found.chi2
    square, weight, count = np.sum(
        [part.disagreement(found.gain, found.flux, good, phases_only) for part in parts], axis=0)
    free = count - (0.5 if phases_only else 1.0) * good.sum() * parts[0].solutions
    free = max(free + 0.5 * parts[0].solutions, 0)  # one phase is the reference's
    if weight == 0 or free == 0:
        return 0.0, 0.0
    # The rest of the misfit is in the gains.
    expected = np.sqrt(max(square - noise * free, 0) / (weight * free / count))
    return float(expected), float(excess(square / noise, weight / noise, free, count))


def excess(square, weight, free, count):
    """Rms of what is left over of `count` numbers of mean square 1 / weight, of which `free` are
    degrees of freedom, beyond what noise hardly ever makes; arrays or numbers."""
    # Neighboring samples share some of their noise.
    limit = SHARED_NOISE * free + 6 * np.sqrt(count)
    over = np.maximum(square - limit, 0)
    below = weight * free / np.maximum(count, 1)
    tested = (below > 0) & np.isfinite(over)
    return np.where(tested, np.sqrt(over / np.where(tested, below, 1)), 0)
