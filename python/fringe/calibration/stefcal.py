#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains of antennas from the sums over their baselines, by alternating least squares (StefCal)."""

import numpy as np

BOTH, PHASES, AMPLITUDES = "both", "phase", "amplitude"
#: Smallest change of the gains, relative, at which the iteration ends, and its longest run.
TOLERANCE, MAX_STEPS = 1e-9, 2000
#: The change that is small enough after the longest run.
LAST_TOLERANCE = 1e-4
#: Steps of the power iteration that finds the first gains.
FIRST_STEPS = 20


def stefcal_step(a, b, gains, mode=BOTH):
    r"""The gain of each antenna with those of the others held.

        g_i = sum_j A_ij g_j / sum_j B_ij |g_j|^2

    a, b: sum w V conj(M) and sum w |M|^2, hermitian with the diagonal 0, [...][antenna][antenna];
    gains: [...][antenna]. mode: BOTH, PHASES (|g| = 1) or AMPLITUDES (g real, not negative).
    """
    above = np.matmul(a, gains[..., None])[..., 0]
    if mode == PHASES:
        return unit(above)
    below = np.matmul(b, (np.abs(gains) ** 2)[..., None])[..., 0]
    new = above / np.where(below > 0, below, 1)
    return np.maximum(new.real, 0) + 0j if mode == AMPLITUDES else new


def stefcal(a, b, first, mode=BOTH, tolerance=TOLERANCE, max_steps=MAX_STEPS):
    """(gains, converged) of sums [solution][antenna][antenna], from first gains on.

    Every second step takes the mean with the step before (Salvini & Wijnholds, A&A 571, A97,
    2014). Solutions that have settled take no further part.
    """
    gains = np.array(first, complex)
    left = np.arange(len(gains))
    some_a, some_b = a, b
    for step in range(1, max_steps + 1):
        old = gains[left]
        new = stefcal_step(some_a, some_b, old, mode)
        if step % 2 == 0:
            new = (new + old) / 2
            new = unit(new) if mode == PHASES else new
        gains[left] = new
        if step % 2 == 0:
            moved = np.linalg.norm(new - old, axis=-1)
            # In the end, far below any noise is enough: weak solutions settle slowly.
            least = tolerance if step < max_steps - 1 else LAST_TOLERANCE
            active = moved > least * np.linalg.norm(new, axis=-1)
            if not active.any():
                left = left[:0]
                break
            if active.sum() < 0.7 * len(left) or step >= max_steps - 1:
                left, some_a, some_b = left[active], a[left[active]], b[left[active]]
    converged = np.ones(len(gains), bool)
    converged[left] = False
    return gains, converged


def first_gains(a, b, mode=BOTH):
    """Gains to begin with: phases near those of the first eigenvector of A / sqrt(B), and a size
    that is about right."""
    if mode == AMPLITUDES:
        gains = np.ones(a.shape[:-1], complex)
    else:
        normal = a / np.sqrt(np.where(b > 0, b, 1))
        size = np.abs(normal).sum(axis=-1)
        strongest = np.argmax(size, axis=-1)
        gains = np.take_along_axis(normal, strongest[:, None, None], axis=-1)[..., 0]
        at = np.arange(len(a))
        gains[at, strongest] = size.max(axis=-1)
        # The shift keeps negative eigenvalues, -1 of two antennas, from taking part.
        shift = size.max(axis=-1)[:, None]
        for _ in range(FIRST_STEPS):
            gains = np.matmul(normal, gains[..., None])[..., 0] + shift * gains
            largest = np.abs(gains).max(axis=-1)[:, None]
            gains = gains / np.where(largest > 0, largest, 1)
        # An antenna of little weight is no antenna of little gain.
        gains = unit(gains)
    if mode != PHASES:
        strength = np.abs(a).sum(axis=(1, 2)) / np.maximum(b.sum(axis=(1, 2)), 1e-300)
        gains = gains * np.sqrt(strength)[:, None]
    return gains * (b.sum(axis=-1) > 0)


def unit(gains):
    """Gains of the same phases and the size 1; 0 where they are 0."""
    size = np.abs(gains)
    return np.where(size > 0, gains / np.where(size > 0, size, 1), 0)
