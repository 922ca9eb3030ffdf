#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays: a fringe fit of all antennas and channels together, interval by interval."""

import numpy as np

from ..calibration.fringe_fit import fit_fringes
from .coarse_delays import coarse_delays
from .intervals import of_frequency
from .moved_reference import continue_without_reference, reference_of_each
from .sums import batches

#: The fewest channels that tell a delay.
MIN_CHANNELS = 4
#: Least signal-to-noise ratio of a fringe: the highest point of noise alone reaches 4 to 5.
LEAST_FRINGE = 6.0


def solve_delays(samples, term, others, reference, noise=None):
    """Solves for the delays of a `solved_term`, those of `others` held; returns the largest
    change, in turns of phase over the band. The rest as solve_gains() has it."""
    f = samples.frequencies
    every = of_frequency(f, samples.widths, channels=1)
    largest = np.inf if not term.solved else 0.0
    for p in range(samples.hands):
        counts = samples.independent(p, term.time, every)
        earlier, away = term.values[..., p].copy(), np.zeros(term.values.shape[:2], bool)
        for some, (c, b) in batches(samples, others, p, term.time, every):
            sky = None if counts is None or noise is None else samples.skies(
                p, term.time, term.frequency, some)
            for t in range(some.start, some.stop):
                for g in range(len(term.frequency)):
                    use = term.frequency.numbers == g
                    n = None if counts is None else counts[t, use].mean()
                    near = _reference(samples, b[t - some.start][use], reference)
                    away[t, g] = near != reference
                    common = None if sky is None else sky[:, t - some.start, g]
                    _solve(samples, term, (t, g, slice(None), p), c[t - some.start][use],
                           b[t - some.start][use], f[use], near,
                           None if noise is None else (noise.noise[p], n, common))
        continue_without_reference(term, p, away)
        largest = max(largest, np.abs(term.values[..., p] - earlier).max() * np.ptp(f))
    term.solved = True
    return largest


def _reference(samples, b, reference):
    """The reference, or the antenna with most signal where it has no data."""
    signal = _of_antennas(b, (samples.first, samples.second), len(samples.antennas))
    return int(reference_of_each(signal[None], reference)[0])


def _solve(samples, term, at, c, b, f, reference, noise):
    """The delays of one interval, from sums [channel][pair]."""
    if len(f) < MIN_CHANNELS:
        raise ValueError(f"terms: K: an interval of {len(f)} channels; a delay is the slope of the "
                         f"phase over {MIN_CHANNELS} channels or more")
    pairs, antennas = (samples.first, samples.second), len(samples.antennas)
    first = term.values[at] if term.solved else None
    delay, phase = coarse_delays(c, b, f, pairs, antennas, reference, first)
    factor, independent, sky = noise or (1.0, None, None)
    factor = factor if np.ndim(factor) < 2 else factor[pairs]
    found = fit_fringes(c, b * factor, f, pairs, delay, phase, reference, independent, sky=sky)
    # The sum of all baselines of an antenna in phase, over its noise.
    signal = _of_antennas(found.turned.real, pairs, antennas)
    power = _of_antennas(b * factor, pairs, antennas) / 2
    snr = signal / np.sqrt(np.maximum(power, 1e-300))
    term.values[at] = np.where(power > 0, found.delay, 0)
    term.refuse(power <= 0, "no data", at)
    if noise is not None:
        term.errors[at], term.snr[at] = found.delay_error, snr
        weak = (snr < LEAST_FRINGE) & (np.arange(antennas) != reference)
        term.refuse(weak, f"no fringe is {LEAST_FRINGE:g} times the noise", at)


def _of_antennas(values, pairs, antennas):
    """Sums of [channel][pair] over the channels and the baselines of each antenna."""
    total = values.sum(axis=0)
    return sum(np.bincount(ends, total, antennas) for ends in pairs)

