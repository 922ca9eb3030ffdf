#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which solutions are good enough."""

import numpy as np

from ..calibration.quality import MAX_MISFIT, excess, unsolved
from ..calibration.stefcal import BOTH

#: Fewest antennas, with two baselines more than gains, whose fit can be tested.
FEWEST = 4
#: Smallest residual, in units of the noise's variance, and for how many of its standard
#: deviations that has to hold.
MIN_RESIDUAL, SURE = 0.1, 6.0


def check_residual(left):
    """Raises `unsolved` where less is left than the noise that the powers, the exposures and the
    width of a channel say there is: with a wrong noise nothing was tested.

    The mean of k squares of noise, 1, has the standard deviation sqrt(2 / k). left: a `residual`.
    """
    for chi2, freedom in zip(left.chi2, left.freedom):
        if freedom >= 2 and chi2 < MIN_RESIDUAL and chi2 + SURE * np.sqrt(2 / freedom) < 1:
            raise unsolved(
                f"the residual is {np.sqrt(max(chi2, 0)):.2g} of the noise, and real data leave 1: "
                "the noise is not what the powers, the exposure and the width of a channel say, or "
                "there is none, so whether the model holds cannot be tested "
                "(accept_untested=True takes it)")


def refuse_weak(term, least):
    """Flags solutions of a signal-to-noise ratio under `least`."""
    if least <= 0:
        return
    term.refuse(np.isnan(term.snr), "its noise is not known: too few visibilities for the number "
                "of solutions, and weights that are no 1 / variance")
    term.refuse(~term.flags & (term.snr < least), f"its signal-to-noise ratio is under {least:g}")


def refuse_misfits(term, limit=None):
    """Flags solutions whose baselines differ from the model by more than `limit`, rms."""
    if term.misfit is None:
        return
    limit = MAX_MISFIT if limit is None else limit
    bad = term.misfit > limit
    if bad.any():
        term.refuse(bad[:, :, None, :], f"baselines differ from the model by up to "
                    f"{100 * term.misfit.max():.1f} %, which is not noise (up to "
                    f"{100 * limit:.3g} % is taken)")


def misfit(a, strength, model, good, noise, mode):
    """How far the baselines of solutions differ from the model at least, rms, the noise taken off,
    [solution].

    a: sums of w V conj(M); model: sums of w |M|^2 times the gains of both antennas; strength: W,
    see gain_errors; all [solution][antenna][antenna]; noise: times that it is stronger than the
    weights say.
    """
    i, j = np.triu_indices(a.shape[-1], 1)
    w = strength[:, i, j]
    there = w > 0
    e = np.where(there, a[:, i, j] / np.where(there, model[:, i, j], 1) - 1, 0)
    square = np.abs(e) ** 2 if mode == BOTH else 2 * e.imag ** 2
    count, antennas = there.sum(axis=1), good.sum(axis=1)
    gains = antennas - 0.5 if mode == BOTH else (antennas - 1) / 2
    free = np.maximum(count - gains, 0)
    found = excess((w * square).sum(axis=1) / noise, w.sum(axis=1) / noise, free, count)
    return np.where(antennas >= FEWEST, found, 0)
