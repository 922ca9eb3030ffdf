#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
r"""Standard errors of fluxes that were solved for together with the gains.

With g_i -> g_i (1 + a_i + i p_i) and S_k -> S_k + s_k the model of a baseline changes by

    g_i conj(g_j) ((a_i + a_j + i (p_i - p_j)) M_ij + sum_k s_k M_k,ij),

so the second derivatives of the sum of squares are those of gain_errors(), and between fluxes and
gains sums of w |g_i g_j|^2 M_k conj(M). The gains of each interval t are eliminated: from H_t,
between them, and C_t, between them and the fluxes, follows the covariance of the fluxes,

    Z = (H_S - sum_t C_t^T H_t^-1 C_t)^-1,    and that of the gains,    H_t^-1 + X_t Z X_t^T,

X_t = H_t^-1 C_t, times half of the noise. Where no flux is known, a common factor of all of them is
free: it is that of which the reference's amplitude is 1 in the mean.
"""

import numpy as np

from ..calibration.stefcal import AMPLITUDES, PHASES

#: Relative size of eigenvalues that are 0.
SINGULAR = 1e-9


def flux_errors(sums, gains, model, p, reference, mode, noise):
    """(errors of the fluxes, [source], by how much the squares of the errors of log amplitudes and
    of phases are more than with fluxes that are known, each as the gains).

    gains: [interval of time][of frequency][antenna].
    """
    some, flux = model.unknown, model.flux[p][:, sums.groups.starts]
    power = np.abs(sums.of_gains(gains)) ** 2
    # w |g_i g_j|^2 M_k conj(M), [interval][source][pair].
    mixed = np.einsum("tgp,lg,tgklp->tgkp", power, flux, sums.b, optimize=True)[:, :, some]
    whole = np.einsum("tgp,tgklp->kl", power, sums.b, optimize=True).real[np.ix_(some, some)]
    strength = np.einsum("tgp,kg,lg,tgklp->tgp", power, flux, flux, sums.b, optimize=True).real
    antennas, half = gains.shape[-1], np.mean(noise) / 2
    inverses, steps = [], []
    for matrix, cross in zip(strength.reshape(-1, strength.shape[-1]),
                             mixed.reshape(-1, *mixed.shape[2:])):
        inverse, between = _eliminated(sums.samples, matrix, cross, reference, mode)
        inverses.append(inverse)
        steps.append(inverse @ between)
        whole = whole - between.T @ steps[-1]
    inverses, steps = np.array(inverses), np.array(steps)
    covariance = np.linalg.pinv(whole, rcond=SINGULAR, hermitian=True)
    turn, more = np.eye(len(whole)), np.zeros(steps.shape[:2])
    if model.relative and mode != PHASES:
        # Amplitudes less the mean of the reference's, fluxes plus twice that.
        values, count = model.flux[p][some].mean(axis=-1), len(steps)
        mean, own = steps[:, reference].mean(axis=0), inverses[:, reference, reference].mean()
        turn = turn - 2 * np.outer(values, mean)
        more[:, :antennas] = (own - 2 * inverses[:, :antennas, reference]) / count
        steps[:, :antennas] -= mean
        both = turn @ covariance @ turn.T + 4 * np.outer(values, values) * own / count
    else:
        both = covariance
    more += np.einsum("qik,kl,qil->qi", steps, covariance, steps)
    found = np.zeros(len(some))
    found[some] = np.sqrt(np.maximum(np.diagonal(both), 0) * half)
    return (found, *(half * part.reshape(gains.shape) for part in
                     (more[:, :antennas], more[:, antennas:])))


def _eliminated(samples, strength, cross, reference, mode):
    """(inverse of the matrix of amplitudes and phases, their second derivatives with the fluxes,
    [amplitude, then phase][source])."""
    count = len(samples.antennas)
    full = np.real(samples.matrices(strength))
    sides = []
    for sign, part in ((1, cross.real), (-1, cross.imag)):
        matrix = sign * full
        matrix[np.arange(count), np.arange(count)] = full.sum(axis=-1)
        ends = [np.stack([np.bincount(end, row, count) for row in part], axis=-1)
                for end in (samples.first, samples.second)]
        between = ends[0] + sign * ends[1]
        if sign < 0:
            between[reference] = 0
            matrix[reference, :] = matrix[:, reference] = 0
        if mode == (PHASES if sign > 0 else AMPLITUDES):
            matrix, between = np.zeros_like(matrix), np.zeros_like(between)
        sides.append((np.linalg.pinv(matrix, rcond=SINGULAR, hermitian=True), between))
    inverse = np.zeros((2 * count, 2 * count))
    inverse[:count, :count], inverse[count:, count:] = sides[0][0], sides[1][0]
    return inverse, np.concatenate([sides[0][1], sides[1][1]])
