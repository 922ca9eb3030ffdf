#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Baselines that do not fit where all others do: interference, a broken correlator cell."""

from copy import copy

import numpy as np

from .sums import chunks, received

#: How many times the noise a residual is of a baseline that is left out.
CLIP = 6.0
#: Rounds, in each of which those within a factor of 4 of the worst, in power, go: a bad baseline
#: spoils the gains of its antennas for an interval, and so makes others of them look bad.
ROUNDS, NEAR_WORST = 10, 4.0
#: Fewest antennas, and largest part of the data that may be left out.
FEWEST, LARGEST_PART = 5, 0.2
#: Fewest channels whose scatter counts.
MANY = 8


def with_clipped(samples, outliers):
    """Samples with the weight 0 for some dumps of baselines, bool [dump][pair]."""
    made = copy(samples)
    made.weights = {key: np.where(outliers[:, None, :], 0, samples.weights[key])
                    for key in samples.products}
    return made


def find_outliers(samples, terms, clip, near_worst=NEAR_WORST):
    """True for dumps of baselines that do not fit, [dump][pair].

    Of each dump and baseline two numbers of the residuals r = V - model of all channels count: the
    part like the model, |sum w r conj(M)|^2 / sum w |M|^2, and their scatter, sum w |r|^2. They are
    compared with the medians of all. near_worst: those within this factor of the worst, in power,
    are found. With fewer than 5 antennas there are no outliers.
    """
    shape = len(samples.times), len(samples.first)
    found = np.zeros(shape, bool)
    if len(samples.antennas) < FEWEST:
        return found
    for p in range(samples.hands):
        like, scatter, counts = np.zeros((3, *shape))
        for dumps in chunks(samples, 0, shape[0]):
            v, w, _ = samples.part(p, p, dumps)
            m, = received(samples, terms, dumps, [(p, p)])
            w = np.where(m != 0, w, 0)
            power = (w * np.abs(m) ** 2).sum(axis=1)
            product = np.abs((w * (v - m) * m.conj()).sum(axis=1)) ** 2
            like[dumps] = product / np.where(power > 0, power, 1)
            scatter[dumps] = (w * np.abs(v - m) ** 2).sum(axis=1)
            counts[dumps] = (w > 0).sum(axis=1)
        there = counts > 0
        if not there.any():
            continue
        # The median of squared moduli of noise of mean 1 is ln 2.
        score = like / max(np.median(like[there]) / np.log(2), 1e-300) / clip ** 2
        if (counts[there] >= MANY).all():
            mean = scatter / np.maximum(counts, 1)
            excess = mean / max(np.median(mean[there]), 1e-300) - 1
            score = np.maximum(score, excess * np.sqrt(counts) / clip)
        score[~there] = 0
        found |= (score > 1) & (score >= score.max() / near_worst)
    return found
