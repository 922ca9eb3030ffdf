#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How well gains of inputs and a model of the sky fit, and what is not good enough."""

import numpy as np

from ..calibration.quality import (LARGEST_MISFIT, LOOK, MAX_MISFIT, MAX_NOISE, MAX_UNEXPLAINED,
                                   excess, unsolved)
from .closure import closure_phases
from .fit import squares
from .intervals import in_parts
from .quality import check_residual
from .sums import batches

#: Parts of the time in which the model has to hold, and of the band.
PARTS, BANDS = 8, 16
#: How far baselines may differ from the model in parts of the band, rms, noise taken off.
MAX_RIPPLE = 0.05
#: Rounding alone is no misfit.
ROUNDING = 1e-4


def unexplained_of(left, total, count, free):
    """Part of the visibilities' rms that is neither model nor noise."""
    noise = min(count.sum() - free, left.sum())
    return float(np.sqrt(max(left.sum() - noise, 0) / max(total.sum() - max(noise, 0), 1e-300)))


def _free(good, phases_only):
    """Complex numbers that were solved for."""
    return (0.5 if phases_only else 1.0) * good.sum()


def worst_input(samples, terms, good, phases_only):
    """{input: why} of the input whose baselines fit much worse than those of the others, or {}.

    By the median of its baselines: one bad input is on one baseline of each other.
    """
    left, total, count, _ = squares(samples, terms, 0)
    if good.sum() < 5 or unexplained_of(left, total, count, _free(good, phases_only)) < ROUNDING:
        return {}
    mean = np.where(count > 0, left / np.maximum(count, 1), np.nan)
    share = np.zeros(len(good))
    for k in np.flatnonzero(good):
        own = mean[(samples.first == k) | (samples.second == k)]
        share[k] = np.sqrt(np.nanmedian(own)) if np.isfinite(own).any() else 0
    usual, worst = np.median(share[good]), int(np.argmax(share))
    if share[worst] < LARGEST_MISFIT * usual:
        return {}
    return {worst: f"fits the model {share[worst] / usual:.0f} times worse than the others"}


def check_fit(samples, terms, left, good, phases_only, reference, taken):
    """(unexplained, misfit, chi2, closure phases, those of noise), degrees; raises `unsolved` where
    one of them is beyond what is taken, `limits`.

    left: the residual of the terms.
    """
    square, total, count, _ = squares(samples, terms, 0)
    free = _free(good, phases_only)
    chi2 = float(square.sum() / max(count.sum() - free, 1))
    unexplained = unexplained_of(square, total, count, free)
    if not unexplained <= taken.max_unexplained:
        raise unsolved(
            f"the model leaves {100 * unexplained:.0f} % of the visibilities unexplained "
            f"(up to {100 * taken.max_unexplained:.0f} % is taken, max_unexplained=PART takes "
            "more); " + LOOK)
    whole_time, band = (in_parts(axis, width, 1) for axis, width in (
        (samples.times, samples.lengths), (samples.frequencies, samples.widths)))
    whole = _sums(samples, terms, whole_time, band)
    times = _sums(samples, terms, in_parts(samples.times, samples.lengths, PARTS), band)
    found = [_misfit(some, chi2, good, phases_only) for some in (whole, times)]
    misfit, sure = np.max(found, axis=0)
    limit = _limit(taken, MAX_MISFIT)
    if sure > limit:
        raise unsolved(
            f"single baselines differ from the model by {100 * misfit:.1f} %, which is not "
            f"noise (up to {100 * limit:.3g} % is taken, max_misfit=PART takes more): the gains "
            "would be wrong; is anything else in the sky, are all fluxes right, is a source "
            "polarized or extended, and are the antennas' positions right?")
    if not taken.accept_untested:
        check_residual(left)
    bands = _sums(samples, terms, whole_time,
                  in_parts(samples.frequencies, samples.widths, BANDS))
    ripple, sure = _misfit(bands, chi2, good, phases_only)
    limit = max(MAX_RIPPLE, taken.max_misfit or 0, 0 if taken.max_unexplained == MAX_UNEXPLAINED
                else taken.max_unexplained)
    if sure > limit:
        raise unsolved(
            f"along the band the baselines differ from the model by {100 * ripple:.1f} %, which "
            f"is not noise (up to {100 * limit:.3g} % is taken, max_misfit=PART takes more): one "
            "gain and one delay an input do not hold for these channels; take fewer "
            "(channels=A-B), and is a delay missing (delays=True)?")
    matrices = (samples.matrices(part[0]) for part in whole)
    return (unexplained, float(misfit), chi2, *closure_phases(*matrices, good, reference))


def _limit(taken, usual):
    """How far baselines may differ: as given, else as far as the whole may."""
    if taken.max_misfit is not None:
        return taken.max_misfit
    return usual if taken.max_unexplained == MAX_UNEXPLAINED else taken.max_unexplained


def _sums(samples, terms, time, frequency):
    """Sums of w V conj(M) and of w |M|^2 of parts, M through the terms, [part][pair]."""
    found = [sums for _, sums in batches(samples, terms, 0, time, frequency)]
    return tuple(np.concatenate(each).reshape(-1, len(samples.first)) for each in zip(*found))


def _misfit(sums, chi2, good, phases_only):
    """How far the products differ from the model, rms, each averaged over the samples of a part,
    with the noise taken off: as it is expected, and as noise hardly ever is.

    e = A / B - 1 has the variance 1 / B. With phases_only twice the imaginary part stands for e:
    amplitudes may differ.
    """
    a, b = sums
    used = b > 0
    e, w = a[used] / b[used] - 1, b[used]
    square = (w * (2 * e.imag ** 2 if phases_only else np.abs(e) ** 2)).sum()
    noise, count = np.clip(chi2, 1.0, MAX_NOISE), int(used.sum())
    # One phase is the reference's.
    free = max(count - _free(good, phases_only) + 0.5, 0)
    if not count or free == 0:
        return 0.0, 0.0
    # The rest of the misfit is in the gains.
    expected = np.sqrt(max(square - noise * free, 0) / (w.sum() * free / count))
    return float(expected), float(excess(square / noise, w.sum() / noise, free, count))
