#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays in the spectrum of one baseline: the delay spectrum, its peak, and a fit."""
import numpy as np

from .fringes import CHANCE, chance_of_noise, refined_rate

#: Steps of a delay spectrum in one resolution.
OVERSAMPLING = 4


def delay_axis(channels, width):
    """The delays of a delay spectrum, s: from -1/2 to 1/2 of 1 / (channel width, Hz)."""
    return np.fft.fftshift(np.fft.fftfreq(OVERSAMPLING * channels, width))


def delay_spectrum(values, channels):
    """|sum_c h_c V_c exp(-2 pi i f_c tau)| / sum_c h_c at the delays of delay_axis(channels, ...).

    h: a Hann window over the values, which are neighboring channels of a cross spectrum; nan is
    left out.
    """
    there = ~np.isnan(values)
    window = np.where(there, np.hanning(len(values) + 2)[1:-1], 0)
    spectrum = np.fft.fft(np.where(there, values, 0) * window, OVERSAMPLING * channels)
    return np.abs(np.fft.fftshift(spectrum)) / (window.sum() or 1)


def highest(axis, lags, inside=True):
    """(delay, height) of the peak of a delay spectrum where `inside` is true, by a parabola."""
    k = int(np.argmax(np.where(inside, lags, -1)))
    if not 0 < k < len(lags) - 1:
        return axis[k], lags[k]
    a, b, c = lags[k - 1:k + 2]
    curvature = a - 2 * b + c
    offset = 0.5 * (a - c) / curvature if curvature < 0 else 0.0
    return axis[k] + offset * (axis[1] - axis[0]), b - 0.25 * (a - c) * offset


def delay_unit(end):
    """(factor, name) of the unit in which delays up to `end` s are numbers below 2000."""
    return next((factor, unit) for factor, unit in ((1e9, "ns"), (1e6, "\u00b5s"), (1e3, "ms"),
                                                    (1, "s")) if end * factor < 2000 or factor == 1)


def fit_delay(frequencies, values):
    """(delay, error) in s of a cross spectrum V_c ~ exp(2 pi i f_c tau), by least squares.

        error = scatter of the phases / (2 pi sqrt(sum_c (f_c - mean f)^2))

    frequencies: of the channels, Hz, even steps apart; in channels the delay is in turns per
    channel. values: complex [channel]; nan is left out. (nan, nan) where noise alone would do as
    well, or of fewer than 8 channels.
    """
    there = np.isfinite(values)
    if np.count_nonzero(there) < 8 or not np.any(values[there]):
        return np.nan, np.nan
    width, v = frequencies[1] - frequencies[0], values[there].astype(complex)
    f = frequencies[there] - np.mean(frequencies[there])
    powers = np.abs(np.fft.fft(np.where(there, values, 0), OVERSAMPLING * len(values))) ** 2
    best = int(powers.argmax())
    if chance_of_noise(v, powers[best], len(values) * 2) > CHANCE:
        return np.nan, np.nan
    start = np.fft.fftfreq(OVERSAMPLING * len(values), width)[best]
    return refined_rate(f, v, start)
