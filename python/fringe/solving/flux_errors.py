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

X_t = H_t^-1 C_t, times half of the noise. If the sky is so strong that baselines share noise, they
follow from the first derivatives: u_t by the gains and v by the fluxes have the covariances that
shared_noise knows, s = Z (v - sum_t X_t^T u_t), and the gains change by H_t^-1 u_t - X_t s.

Where no flux is known, a common factor of all of them is free: it is that of which the reference's
amplitude is 1 in the mean.
"""

from dataclasses import dataclass

import numpy as np

from ..calibration.shared_noise import shared_noise
from ..calibration.stefcal import AMPLITUDES, PHASES

#: Relative size of eigenvalues that are 0.
SINGULAR = 1e-9


def flux_errors(sums, gains, model, p, reference, term, noise):
    """(errors of the fluxes, [source], by how much the squares of the errors of log amplitudes and
    of phases are more than with fluxes that are known, each as the gains).

    gains: [interval of time][of frequency][antenna], those of the `solved_term`.
    """
    some, flux = model.unknown, model.flux[p][:, sums.groups.starts]
    power = np.abs(sums.of_gains(gains)) ** 2
    # w |g_i g_j|^2 M_k conj(M), [interval][source][pair].
    mixed = np.einsum("tgp,lg,tgklp->tgkp", power, flux, sums.b, optimize=True)[:, :, some]
    whole = np.einsum("tgp,tgklp->kl", power, sums.b, optimize=True).real[np.ix_(some, some)]
    strength = np.einsum("tgp,kg,lg,tgklp->tgp", power, flux, flux, sums.b, optimize=True).real
    strength = strength.reshape(-1, strength.shape[-1])
    antennas = gains.shape[-1]
    inverses, steps = [], []
    for matrix, cross in zip(strength, mixed.reshape(-1, *mixed.shape[2:])):
        inverse, between = _eliminated(sums.samples, matrix, cross, reference, term.mode)
        inverses.append(inverse)
        steps.append(inverse @ between)
        whole = whole - between.T @ steps[-1]
    inverses, steps = np.array(inverses), np.array(steps)
    inverse = np.linalg.pinv(whole, rcond=SINGULAR, hermitian=True)
    counts = sums.samples.independent(p, term.time, term.frequency)
    if counts is None or not np.isfinite(noise).all():
        found = _scatter.of_baselines(whole, inverses, reference, np.mean(noise) / 2)
    else:
        found = _scatter.of_sky(sums.samples, model, p, (term, counts.ravel(), reference),
                                (sums.samples.matrices(strength).real, noise), inverses, steps)
    covariance, towards = inverse @ found.fluxes @ inverse, found.between @ inverse
    more = np.zeros(steps.shape[:2])
    if model.relative and term.mode != PHASES:
        # Amplitudes less the mean of the reference's, fluxes plus twice that.
        values, count = model.flux[p][some].mean(axis=-1), len(steps)
        mean, own = steps[:, reference].mean(axis=0), found.reference[:, reference].mean()
        near = towards[:, reference].mean(axis=0)
        more[:, :antennas] = (own - 2 * found.reference) / count
        steps[:, :antennas] -= mean
        towards[:, :antennas] -= near
        turn = np.eye(len(whole)) - 2 * np.outer(values, mean)
        both = 2 * np.outer(turn @ near, values)
        both = (turn @ covariance @ turn.T + both + both.T
                + 4 * np.outer(values, values) * own / count)
    else:
        both = covariance
    more += np.einsum("qik,kl,qil->qi", steps, covariance, steps) - 2 * (towards * steps).sum(-1)
    errors = np.zeros(len(some))
    errors[some] = np.sqrt(np.maximum(np.diagonal(both), 0))
    return (errors, *(part.reshape(gains.shape) for part in
                      (more[:, :antennas], more[:, antennas:])))


@dataclass
class _scatter:
    """What noise makes of the first derivatives, those of the fluxes with the gains eliminated."""
    fluxes: np.ndarray     #: their covariance, [source][source]
    between: np.ndarray    #: that of H^-1 u with them, [solution][amplitude, then phase][source]
    reference: np.ndarray  #: that of amplitudes in H^-1 u with the reference's, [solution][antenna]

    @staticmethod
    def of_baselines(whole, inverses, reference, half):
        """Of noise that no two baselines share."""
        count = inverses.shape[1]
        return _scatter(half * whole, np.zeros((len(inverses), count, len(whole))),
                        half * inverses[:, :count // 2, reference])

    @staticmethod
    def of_sky(samples, model, p, term, strength, inverses, steps):
        """Of the sky's and the receivers', interval by interval. term: (term, independent samples,
        reference); strength: (W, noise)."""
        (term, counts, reference), (strength, noise) = term, strength
        count, fluxes, between, own = len(samples.antennas), 0.0, [], []
        for q, inverse in enumerate(inverses):
            t, g = divmod(q, len(term.frequency))
            m, *each = (samples.skies(p, term.time, term.frequency, slice(t, t + 1), sky)[:, 0, g]
                        for sky in (model, *(source for source, unknown in zip(
                            model.sources, model.unknown) if unknown)))
            shared = shared_noise(strength[q:q + 1], noise, counts[q:q + 1], m[:, None])
            numbers = []
            for made, step in zip(each, steps[q].T):
                change = step[:count] + 1j * step[count:]
                numbers.append(made - (change[:, None] + change.conj()) * m)
            part, mixed = shared.of_numbers(0, m[:, None], np.stack(numbers, axis=1))
            fluxes = fluxes + part
            between.append(inverse @ np.concatenate([mixed.real, mixed.imag]))
            amplitudes, both = inverse[:count, :count], sum(shared.of_gains(m[:, None]))[0] / 2
            own.append(amplitudes @ both @ amplitudes[:, reference])
        return _scatter(fluxes, np.array(between), np.array(own))


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
