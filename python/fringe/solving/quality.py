#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which solutions are good enough."""

import numpy as np

from ..calibration.quality import MAX_MISFIT, excess
from ..calibration.stefcal import BOTH

#: Fewest antennas, with two baselines more than gains, whose fit can be tested.
FEWEST = 4


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
