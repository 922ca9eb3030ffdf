#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Powers in standard deviations of their noise, which pulses hardly change.

What is not a number was not received.
"""
import numpy as np

SIGMA = 1.4826  # standard deviation of Gaussian noise / median deviation from the median
CUT = 3.0  #: standard deviations: what is further away does not count as noise
OF_CUT = 0.98658  #: standard deviation of Gaussian noise that is cut there
RESOLUTION = 1e-6  #: of a level: deviations below it are rounding, not noise
LIMIT = 5.0  #: of a channel in a mean: a carrier that comes and goes is no pulse
SAMPLES = 16384  #: values from which a median is taken
LEAST = 0.5  #: part of the channels of a sum, or of the means of a box, that must be there


def _median(values, axis):
    return (np.nanmedian if np.isnan(values).any() else np.median)(values, axis, keepdims=True)


def _middle(values):
    """(median, standard deviation by the median deviation) [...][1] of values [...][time]; both are
    not a number where nothing is there."""
    some = values[..., ::max(1, values.shape[-1] // SAMPLES)]
    there = np.isfinite(some).any(axis=-1, keepdims=True)
    some = np.where(there, some, 0) if not there.all() else some
    middle = _median(some, -1)
    sigma = SIGMA * _median(np.abs(some - middle), -1)
    return np.where(there, middle, np.nan), np.where(there, sigma, np.nan)


def deviations(values):
    """Values [...][time] in standard deviations from their median; 0 where all are the same."""
    middle, sigma = _middle(values)
    away = values - middle
    return np.divide(away, sigma, out=np.where(np.isnan(away), away, 0), where=sigma > 0)


def channel_levels(powers, limit=LIMIT):
    """Powers [...][time] in standard deviations from their mean, at most `limit` of them.

    Mean and deviation are those of the values within CUT deviations, so a few bits are enough for
    them, which have no exact median. A channel without noise is not a number.
    """
    middle, sigma = _middle(powers)
    # Most values of few bits can be the same.
    sigma = np.where(sigma > 0, sigma, _root_mean_square(powers - middle, np.isfinite(powers)))
    for _ in range(2):
        near = np.abs(powers - middle) <= CUT * sigma
        count = np.maximum(near.sum(axis=-1, keepdims=True), 1)
        middle = middle + np.where(near, powers - middle, 0).sum(axis=-1, keepdims=True) / count
        sigma = _root_mean_square(powers - middle, near) / OF_CUT
    sigma = np.where(sigma > RESOLUTION * np.abs(middle), sigma, np.nan)
    return np.clip((powers - middle) / sigma, -limit, limit)


def _root_mean_square(values, there):
    count = np.maximum(there.sum(axis=-1, keepdims=True), 1)
    return np.sqrt(np.where(there, np.square(values), 0).sum(axis=-1, keepdims=True) / count)


def box_deviations(sums, widths):
    """Yields (width, sums of so many values in sequence, in standard deviations [...][begin]) of
    `sums` [...][time]; the last of `widths` is the largest, and all begin as often as its sums do.
    """
    length = sums.shape[-1] - widths[-1] + 1
    lost = np.isnan(sums)
    totals, counts = (_running_sums(values) for values in (np.where(lost, 0, sums), ~lost))
    for width in widths:
        box, there = (values[..., width:width + length] - values[..., :length]
                      for values in (totals, counts))
        if lost.any():
            box = np.divide(box, np.sqrt(there), out=np.full(box.shape, np.nan),
                            where=there >= LEAST * width)
        yield width, deviations(box)


def _running_sums(values):
    before = np.zeros((*values.shape[:-1], 1))
    return np.concatenate([before, np.cumsum(values, axis=-1, dtype=float)], axis=-1)
