#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The values of a dump that are shown: those of some baselines, their means and frequencies."""

import numpy as np

from .. import fringe_python as fp


def frequencies_of(middle, width, complex_samples, channels):
    """Sky frequencies of channels so far apart, Hz, with the band's middle at one frequency."""
    band = fp.observation()
    band.center_frequency = middle
    band.sample_rate = width * channels * (1 if complex_samples else 2)
    return np.array(band.channel_frequencies(channels, complex_samples))


def mean_over_channels(values):
    """The mean of [channel] ... values without the channels that are left out, NaN; NaN where
    nothing is left."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    total = np.where(there, values, 0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def product(i, j, inputs):
    """Index of product (i, j), i <= j, in a row of visibilities."""
    return i * inputs - i * (i - 1) // 2 + j - i


def inverse_root(power):
    """1 / sqrt(power), the factor of a coefficient; 0 where there is no power."""
    return np.where(power > 0, 1 / np.sqrt(np.where(power > 0, power, 1)), 0)


def pair_columns(pairs, inputs):
    """Products from which coefficients() makes those of the pairs: V_ij, V_ii, V_jj of each."""
    return np.array([product(min(p), max(p), inputs)
                     for i, j in pairs for p in ((i, j), (i, i), (j, j))])


def coefficients(values, pairs, normalize):
    """V_ij [channel][pair] of columns as pair_columns() asks for; conj(V_ji) for i > j.

    With normalize V_ij / sqrt(V_ii V_jj), and 0 where a power is 0.
    """
    vis = values[:, 0::3].copy()
    for k, (i, j) in enumerate(pairs):
        if i > j:
            vis[:, k] = vis[:, k].conj()
    if normalize:
        vis *= inverse_root(values[:, 1::3].real * values[:, 2::3].real)
    return vis
