#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How well gains and a model of the sky fit the visibilities, and what is not good enough."""

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


def known_noise(chi2, freedom):
    """How many times stronger the noise is than weights say that are 1 / variance: chi2 where that
    is more than chance (3 standard deviations), else 1.

    Not less: a strong source's own noise goes into the gains, so that less than the noise is left.
    """
    return float(chi2) if freedom > 0 and chi2 > 1 + 3 * np.sqrt(2 / freedom) else 1.0


def excess(square, weight, free, count):
    """Rms of what is left over of `count` numbers of mean square 1 / weight, of which `free` are
    degrees of freedom, beyond what noise hardly ever makes; arrays or numbers."""
    # Neighboring samples share some of their noise.
    limit = SHARED_NOISE * free + 6 * np.sqrt(count)
    over = np.maximum(square - limit, 0)
    below = weight * free / np.maximum(count, 1)
    tested = (below > 0) & np.isfinite(over)
    return np.where(tested, np.sqrt(over / np.where(tested, below, 1)), 0)
