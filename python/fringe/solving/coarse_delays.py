#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays near the truth, to begin a fringe fit with: antenna by antenna, the surest first."""

import numpy as np

from ..calibration.delay_spectra import channel_places, delay_spectra

#: Points of the delay spectrum to a resolution.
OVERSAMPLING = 8
#: Signal-to-noise ratio of a peak that is no chance: noise alone reaches 4 to 5.
SURE = 8.0


def coarse_delays(c, noise, f, pairs, antennas, reference, delay=None):
    """(delays, s, phases at the mean frequency, rad), [antenna], those of the reference 0.

    Of the antennas that are known, at first the one with most signal, the baselines with each other
    antenna are turned by their delays and phases and added up. Those whose sum peaks for sure, or
    the one that peaks most, are then known, too. So an antenna whose baseline to the reference is
    weak follows from all others. Antennas without data have 0.

      c: sums of w V conj(M), [channel][pair]; noise: their variance, same shape
      f: of the channels, Hz; pairs: (first, second antennas), [pair] each; antennas: how many
      delay: of the antennas, where they are known and the phases are not
    """
    first, second = pairs
    places, offset = channel_places(f, "terms: K: the frequencies"), f - f.mean()
    search = delay is None
    delay, phase = np.zeros(antennas) if search else np.array(delay, float), np.zeros(antennas)
    scale = np.where(noise > 0, noise, 1)
    signal = np.where(noise > 0, np.abs(c) ** 2 / scale, 0).sum(axis=0)
    signal = sum(np.bincount(ends, signal, antennas) for ends in pairs)
    own, power = np.zeros((antennas, len(f)), complex), np.zeros(antennas)
    left = signal > 0
    new = np.array([int(np.argmax(signal))])
    while len(new) and left.any():
        left[new] = False
        gains = np.exp(1j * (phase[:, None] - 2 * np.pi * np.outer(delay, offset)))
        for ends, others, turned in ((first, second, c), (second, first, c.conj())):
            some = np.isin(others, new) & left[ends]
            np.add.at(own, ends[some], turned[:, some].T * gains[others[some]])
            power += np.bincount(ends[some], noise[:, some].sum(axis=0), antennas)
        linked = np.flatnonzero(left & (power > 0))
        if not len(linked):
            break
        found = delay[linked]
        if search:
            delays, heights = delay_spectra(own[linked], places, np.diff(f).min(), OVERSAMPLING)
            found = delays[np.argmax(heights, axis=1)]
        peaks = (own[linked] * np.exp(2j * np.pi * np.outer(found, offset))).sum(axis=1)
        ratio = np.abs(peaks) / np.sqrt(power[linked])
        surest = np.flatnonzero(ratio >= min(SURE, ratio.max()))
        new = linked[surest]
        delay[new], phase[new] = found[surest], np.angle(peaks[surest])
    there = signal > 0
    return (np.where(there, delay - delay[reference], 0),
            np.where(there, phase - phase[reference], 0))
