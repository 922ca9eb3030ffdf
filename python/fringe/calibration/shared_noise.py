#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
r"""The noise of a sky that is not weak beside the receivers' noise: all baselines share it.

The visibilities of n independent samples deviate from their mean by d_ij, with

    <d_ij conj(d_kl)> = R_ik conj(R_jl) / n,    R_ij = M_ij,    R_ii = q_i,

behind the gains, in the unit of the sky M; q_i is the power of an antenna. The weight of a
baseline, n / (q_i q_j), tells q. Of numbers u_i = sum_j X_ij d_ij of the antennas then

    <u_i conj(u_k)> = R_ik (X conj(R) X^H)_ik / n,
    <u_i u_k> = (X conj(R))_ik (X conj(R))_ki / n,

and of single numbers v = sum_ij X_ij d_ij with hermitian X

    <u_i v> = sum_j X_ij (R conj(X_v) R^H)_ij / n.

With a weak sky R is diagonal, and the noise of baselines is independent. With many antennas it is
not: an array of 256 dipoles that receive 0.1 of the noise from the sky knows the voltages of the
sky well, and what is left is the noise of each receiver.
"""

import numpy as np

#: Added to matrices of what may not be known.
SINGULAR = 1e-9


class shared_noise:
    """Of some solutions, each the mean over some `cells` of dump and channel in it.

      strength: W, sum of w |g_i g_j M|^2, [solution][antenna][antenna], 0 where there is no
          baseline
      noise: how many times stronger the noise is than the weights w say; broadcasts to W
      independent: n, [solution]
      sky: M, [cell][solution][antenna][antenna], hermitian
    """

    def __init__(self, strength, noise, independent, sky):
        self._n = np.asarray(independent, float)
        #: mean square of the sky
        size = (np.abs(sky) ** 2).mean(axis=0)
        weight = np.where(noise > 0, strength / np.where(noise > 0, noise, 1), 0)
        linked = (weight > 0) & (size > 0)
        #: w |g_i g_j|^2
        self._weights = np.where(linked, strength / np.where(linked, size, 1), 0)
        # log q_i + log q_j = log(n / weight), of all baselines, best where the sky is bright.
        ratio = self._n[:, None, None] * size / np.where(linked, weight, 1)
        share = np.where(linked, size / np.maximum(size.max(axis=(-2, -1), keepdims=True), 1e-300),
                         0)
        logs = share * np.log(np.where(linked, ratio, 1))
        at = np.arange(strength.shape[-1])
        share[:, at, at] = share.sum(axis=-1) + SINGULAR  # two antennas share what is known of them
        q = np.exp(np.linalg.solve(share, logs.sum(axis=-1)[..., None])[..., 0])
        self._response = np.array(sky, complex)
        # The power is not less than what a baseline has in common.
        self._response[..., at, at] = np.maximum(q, np.abs(sky).max(axis=-1))

    def of_gains(self, sky):
        """(C, P) of u_i = sum_j w conj(g_i conj(g_j) M_ij) d_ij: means of u_i conj(u_k) and of
        u_i u_k; real parts, [solution][antenna][antenna]."""
        both = pseudo = 0
        for response, x in zip(self._response, self._weights * sky.conj()):
            half = np.matmul(x, response.conj())
            both = both + (response * np.matmul(half, x.conj().swapaxes(-1, -2))).real
            pseudo = pseudo + (half * half.swapaxes(-1, -2)).real
        scale = self._n[:, None, None] * len(sky)
        return both / scale, pseudo / scale

    def of_numbers(self, solution, sky, numbers):
        """Of one solution, numbers v_k = sum_ij w conj(D_ij) d_ij / 2, D hermitian, in the unit
        of the sky: (means of v_k v_l, [number][number], means of u_i v_k, complex [antenna]
        [number]).

          numbers: D, [cell][number][antenna][antenna]
        """
        between, own = 0, 0
        for response, m, d in zip(self._response[:, solution], sky[:, solution], numbers):
            x = self._weights[solution] * d.conj() / 2
            moved = np.matmul(np.matmul(response, x.conj()), response.conj().T)
            own = own + np.einsum("kij,lij->kl", x, moved).real
            between = between + np.einsum("ij,kij->ik", self._weights[solution] * m.conj(), moved)
        scale = self._n[solution] * len(numbers)
        return own / scale, between / scale
