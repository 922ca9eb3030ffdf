#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Bandpasses smoothed by polynomials of the frequency."""

import numpy as np

#: Newton's steps; the first begin at the logarithms.
STEPS = 4


def smoothed(gains, weights, frequencies, degree):
    r"""(gains, share of the errors' squares that is left) of gains [interval][antenna].

    Legendre polynomials P_k of the frequency for the logarithm of the amplitude, and for the phase,

        log g(f) = sum_k (a_k + i b_k) P_k(x),    x = -1 ... 1 over the band,

    that make sum_f w |g_f - g(f)|^2 smallest. weights: w |g|^2, the squares of the signal-to-noise
    ratios, 0 = no solution. Gains without a solution between others get the polynomial's value.
    Where fewer than degree + 1 have one, nothing is changed.

    The second array is P (sum P P^T w)^-1 P^T, in the unit of 1 / w: with w = 1 / error^2 the
    square of the error of the logarithm.
    """
    f = np.asarray(frequencies, float)
    span = np.ptp(f)
    x = 2 * (f - f.min()) / span - 1 if span > 0 else np.zeros(len(f))
    base = np.polynomial.legendre.legvander(x, degree)
    made, left = np.array(gains, complex), np.where(weights > 0, 1 / np.maximum(weights, 1e-300), 0)
    for k in range(gains.shape[1]):
        w = weights[:, k]
        use = w > 0
        if use.sum() < degree + 1:
            continue
        inverse = np.linalg.pinv((base.T * w) @ base)
        logs = np.zeros(len(f), complex)
        logs[use] = np.log(np.abs(gains[use, k])) + 1j * np.unwrap(np.angle(gains[use, k]))
        fit = base @ (inverse @ (base.T @ (w * logs)))
        for _ in range(STEPS):
            rest = np.where(use, gains[:, k] * np.exp(-fit) - 1, 0)
            fit = fit + base @ (inverse @ (base.T @ (w * rest)))
        made[:, k] = np.exp(fit)
        left[:, k] = np.einsum("fi,ij,fj->f", base, inverse, base)
    return made, left
