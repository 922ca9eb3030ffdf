#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays and phases of all antennas together, from baselines over the channels."""

from typing import NamedTuple

import numpy as np

from .shared_noise import shared_noise

#: Newton's steps; each squares the error.
STEPS = 24
#: Shortest step, in radians over the band, after which there is no other.
SETTLED = 1e-10
#: Added to the diagonal of matrices, which is 1.
RIDGE = 1e-12


class fringe_fit(NamedTuple):
    """What fit_fringes() finds, of each antenna; 0 for the reference."""
    delay: np.ndarray        #: s by which its signal is late
    phase: np.ndarray        #: radians by which it is ahead in the middle of the band
    delay_error: np.ndarray  #: standard error, s
    phase_error: np.ndarray  #: standard error, radians
    turned: np.ndarray       #: the baselines with the fit taken out, [channel][pair]


def fit_fringes(values, noise, frequencies, pairs, delay, phase, reference, independent=None,
                with_delay=True, sky=None):
    r"""The delays tau and phases phi of the largest

        sum_f sum_ij Re{c_ij(f) exp(-i (phi_i - phi_j) + 2 pi i (f - f_0) (tau_i - tau_j))},

    f_0 the mean frequency, by Newton's method in all of them together (global fringe fitting:
    Schwab & Cotton, AJ 88, 688, 1983).

      values: c, [channel][pair]
      noise: variance of the complex c, the same shape or one that broadcasts
      frequencies: Hz, [channel]
      pairs: (antennas i, antennas j), [pair] each
      delay, phase: to begin with, [antenna]: within a turn over the band of the truth
      reference: the antenna whose delay and phase stay as they are
      independent: independent samples of a channel, of a sky that may be strong; None: the noise
          of baselines is independent
      with_delay: False: the delays stay as they are
      sky: what the sky makes of the baselines, [cell][antenna][antenna]: see shared_noise

    The errors are those of the noise, by H^-1 N H^-1, H the second derivatives at the top and N
    the covariance of the first ones. Antennas without a baseline keep their values, their errors
    are NaN.
    """
    first, second = pairs
    antennas = len(delay)
    offset = np.asarray(frequencies, float) - np.mean(frequencies)
    scale = max(np.ptp(offset), 1.0)
    x = -2 * np.pi * offset / scale
    delay, phase = np.array(delay, float), np.array(phase, float)
    with_data = np.zeros(antennas, bool)
    for ends in pairs:
        with_data[ends[(np.abs(values) > 0).any(axis=0)]] = True
    free = np.flatnonzero(with_data & (np.arange(antennas) != reference))
    both = np.concatenate([free, antennas + free]) if with_delay else free
    last = None
    for _ in range(STEPS):
        gains = np.exp(1j * (phase + np.outer(x, delay * scale)))
        z = values * gains[:, first].conj() * gains[:, second]
        # Far from the top Newton's step may lead down; with the moduli, which bound the second
        # derivatives, it never does.
        down = last is not None and z.real.sum() < last[2].real.sum()
        if down:
            phase, delay, z = last
        last = phase.copy(), delay.copy(), z
        slope = np.concatenate([_differences(x ** n @ z.imag, pairs, antennas) for n in (0, 1)])
        bend = _blocks([x ** n @ (np.abs(z) if down else z.real) for n in (0, 1, 2)], pairs,
                       antennas)
        step = np.zeros(2 * antennas)
        matrix, size = _normalized(bend[np.ix_(both, both)])
        step[both] = np.linalg.solve(matrix, slope[both] / size) / size
        phase = phase + step[:antennas]
        delay = delay + step[antennas:] / scale
        if np.abs(step).max(initial=0) < SETTLED:
            break
    bend = _blocks([x ** n @ z.real for n in (0, 1, 2)], pairs, antennas)
    noise = np.broadcast_to(noise, values.shape)
    if independent is None:
        scatter = _blocks([x ** n @ noise / 2 for n in (0, 1, 2)], pairs, antennas)
    else:
        own = _shared(z.real.mean(axis=0), noise.mean(axis=0), pairs, antennas, independent, sky)
        scatter = np.kron([[len(x), x.sum()], [x.sum(), (x ** 2).sum()]], own)
    matrix, size = _normalized(bend[np.ix_(both, both)])
    inverse = np.linalg.inv(matrix) / np.outer(size, size)
    variance = np.full(2 * antennas, np.nan)
    variance[[reference, antennas + reference]] = 0
    variance[both] = np.diagonal(inverse @ scatter[np.ix_(both, both)] @ inverse)
    errors = np.sqrt(np.maximum(variance, 0))
    return fringe_fit(delay, phase, errors[antennas:] / scale, errors[:antennas], z)


def _shared(signal, noise, pairs, antennas, independent, sky):
    """Covariance of sum_j Im z_ij of a channel, [antenna][antenna]."""
    first, second = pairs
    strength, share = np.zeros((2, antennas, antennas))
    signal = np.maximum(signal, 1e-300)
    for i, j in ((first, second), (second, first)):
        np.add.at(strength, (i, j), np.where(noise > 0, signal, 0))
        np.add.at(share, (i, j), noise / signal)
    share = np.where(strength > 0, share, 1)
    sky = sky[:, None]
    both, pseudo = shared_noise(strength[None], share[None], [independent], sky).of_gains(sky)
    return (both - pseudo)[0] / 2


def _normalized(matrix):
    """A matrix with 1 on its diagonal, and the scale of its rows: antennas may have very different
    weights. What baselines do not connect with the reference stays as it is."""
    scale = np.sqrt(np.abs(np.diagonal(matrix)))
    scale = np.where(scale > 0, scale, 1)
    return matrix / np.outer(scale, scale) + RIDGE * np.eye(len(matrix)), scale


def _differences(values, pairs, antennas):
    """Sums over the baselines of each antenna, those that end at it with the other sign."""
    first, second = pairs
    return (np.bincount(first, values, antennas) - np.bincount(second, values, antennas))


def _blocks(moments, pairs, antennas):
    """The matrix of second derivatives by phases and delays."""
    first, second = pairs
    made = np.zeros((2, antennas, 2, antennas))
    for row, column, moment in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)):
        block = np.bincount(first * antennas + second, -moments[moment], antennas ** 2)
        block = block.reshape(antennas, antennas)
        block = block + block.T
        block[np.arange(antennas), np.arange(antennas)] = -block.sum(axis=0)
        made[row, :, column] = block
    return made.reshape(2 * antennas, 2 * antennas)
