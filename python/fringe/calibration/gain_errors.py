#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
r"""Standard errors of gains that were solved from all baselines.

With g_i -> g_i (1 + a_i + i p_i) the normalized residual of a baseline is, to first order,

    e_ij = A_ij / (g_i conj(g_j) B_ij) - 1 = (a_i + a_j) + i (p_i - p_j) + noise,

and the noise has the variance 1 / W_ij, W_ij = |g_i g_j|^2 B_ij, half of it in each part. So
amplitudes and phases are solved apart, with the matrices

    F_a = diag(sum_j W_ij) + W,    F_p = diag(sum_j W_ij) - W   (without the reference),

and their covariances are F^-1 N F^-1 / 2, with N as F of the noise W_ij s_ij: s_ij is how many
times stronger the noise is than the weights say.

A sky that is not weak beside the receivers' noise is noise itself, which all baselines share: then
N_a, N_p = C + P, C - P, with the C and P of shared_noise. For a weak sky this is the N above.
"""

import numpy as np

from .shared_noise import shared_noise

#: Part of the largest eigenvalue under which an eigenvalue counts as 0.
SINGULAR = 1e-9


def gain_errors(strength, noise, reference, independent=None, sky=None):
    """(errors of log amplitudes, errors of phases in radians), [solution][antenna].

    strength: W, [solution][antenna][antenna], 0 where there is no baseline; noise: s, a number
    or an array that broadcasts to it; reference: the antenna whose phase is 0, a number or
    [solution]; independent, sky: see shared_noise; None: the noise of baselines is
    independent. NaN where nothing is known.
    """
    there = strength.sum(axis=-1) > 0
    every = np.arange(len(strength))
    looped = closed(strength, reference)[1]
    found = []
    shared = None
    if independent is not None and np.isfinite(noise).all():
        shared = shared_noise(strength, noise, independent, sky).of_gains(sky)
    for sign in (1, -1):
        fit = _matrix(strength, sign)
        meat = _matrix(strength * noise, sign) if shared is None else shared[0] + sign * shared[1]
        if sign < 0:
            for matrix in (fit, meat):
                matrix[every, reference, :] = 0
                matrix[every, :, reference] = 0
        at = np.arange(fit.shape[-1])
        fit[:, at, at] += np.where(np.diagonal(fit, axis1=1, axis2=2) > 0, 0, 1)
        inverse = _inverse(fit, looped | (sign < 0))
        # The diagonal of F^-1 N F^-1.
        variance = np.einsum("qij,qij->qi", np.matmul(inverse, meat), inverse) / 2
        found.append(np.where(there, np.sqrt(np.maximum(variance, 0)), np.nan))
    return tuple(found)


def closed(strength, reference):
    """(antennas that baselines connect with the reference, whether amplitudes are determined):
    bool [solution][antenna] and [solution].

    Gains are known apart where baselines make a loop of an odd number, a triangle say.
    """
    linked = strength > 0
    reached = np.zeros(linked.shape[:2], bool)
    every = np.arange(len(linked))
    reached[every, reference] = linked[every, reference].any(axis=-1)
    odd = np.zeros_like(reached)
    for _ in range(2 * linked.shape[-1]):
        # odd: reached by an odd number of baselines, from the reference on.
        new_odd = odd | np.matmul(linked, reached[..., None])[..., 0]
        new = reached | np.matmul(linked, odd[..., None])[..., 0]
        if (new == reached).all() and (new_odd == odd).all():
            break
        reached, odd = new, new_odd
    return reached | odd, (reached & odd).any(axis=-1)


def _matrix(strength, sign):
    matrix = sign * strength
    at = np.arange(matrix.shape[-1])
    matrix[:, at, at] = strength.sum(axis=-1)
    return matrix


def _inverse(matrices, regular):
    """Inverses; of those that are not regular (two antennas), of what is determined."""
    inverse = np.empty_like(matrices)
    scale = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))[regular]
    scale = scale[:, :, None] * scale[:, None, :]
    inverse[regular] = np.linalg.inv(matrices[regular] / scale) / scale
    inverse[~regular] = np.linalg.pinv(matrices[~regular], rcond=SINGULAR, hermitian=True)
    return inverse
