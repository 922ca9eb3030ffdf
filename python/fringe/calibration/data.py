#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a file as the solvers take them: chosen, weighted, a dump at a time."""

import numpy as np

from .quality import unsolved


def chosen_channels(vis, channels):
    """Indices of the channels to use, their frequencies ascending. Raises ValueError."""
    if vis.data is None or len(vis.data) == 0:
        raise ValueError(f"{vis.path}: holds no visibilities")
    if vis.frequencies is None:
        raise ValueError(f"{vis.path}: does not say at which frequencies it was made")
    use = np.arange(len(vis.frequencies))[slice(None) if channels is None else channels]
    if len(use) == 0:
        raise ValueError(f"channels: none is left of the {len(vis.frequencies)}")
    return use[np.argsort(vis.frequencies[use], kind="stable")]


def mean_dump(vis, use):
    """Mean of the dumps, NaN where nothing is valid, [channel][product]."""
    total, weight = 0, 0
    for data, flags, weights in zip(vis.data, vis.flags, vis.weights):
        w = np.where(flags[use], 0.0, weights[use])
        total, weight = total + w * data[use], weight + w
    return np.where(weight > 0, total / np.where(weight > 0, weight, 1), np.nan)


def powers(mean):
    """sqrt(P_i P_j) of mean visibilities [channel][product]; 0 where one is not known."""
    inputs = int(np.sqrt(2 * mean.shape[-1]))
    i, j = np.triu_indices(inputs)
    power = np.maximum(np.nan_to_num(mean[..., i == j].real), 0)
    return np.sqrt(power[..., i] * power[..., j])


def channel_width(vis):
    """Hz of a channel: what the file says, else the distance of the channels. Raises `unsolved`
    where neither is known: how many samples a visibility is made of, and so its noise, is not."""
    if vis.channel_width:
        return vis.channel_width
    f = vis.frequencies
    if len(f) < 2:
        raise unsolved(f"{vis.path}: has one channel and does not say how wide it is, so that its "
                       "noise is not known; write a MeasurementSet, UVH5 or UVFITS, which say it")
    return float(np.min(np.abs(np.diff(f))))


class prepared:
    """Data and 1 / variance of a file's dumps.

    samples: independent ones of a visibility, to a unit of its weight. width: of a channel, Hz.
    exposure: the longest, s.

    The variance of a product is P_i P_j over the number of independent samples, the dump's length
    times the channel's width. coefficients: the data are divided by sqrt(P_i P_j). off: taken
    from the data first, [channel][product].
    """

    def __init__(self, vis, use, coefficients, off=None):
        self.vis, self.use, self.f = vis, use, vis.frequencies[use]
        self.coefficients, self.off = coefficients, off
        self.mean = mean_dump(vis, use)
        self.width = channel_width(vis)
        largest = max((w[use][~flags[use]].max(initial=0)
                       for w, flags in zip(vis.weights, vis.flags)), default=0)
        if not largest > 0:
            raise unsolved(f"{vis.path}: everything is flagged")
        self.exposure = float(np.nanmax(vis.exposures))
        self.samples = self.exposure * self.width / largest
        scale = powers(self.mean)
        if not scale.any():
            raise ValueError(f"{vis.path}: has no autocorrelations; the noise is known by them")
        self._below = np.where(scale > 0, scale, np.inf)

    def __len__(self):
        return len(self.vis.data)

    def dump(self, number, pairs):
        """(data, 1 / variance) of one dump and some products, [channel][product]."""
        at = np.ix_(self.use, pairs)
        data = self.vis.data[number][at].astype(complex)
        if self.off is not None:
            data -= np.nan_to_num(self.off[:, pairs])
        samples = np.where(self.vis.flags[number][at], 0.0,
                           self.vis.weights[number][at]) * self.samples
        below = self._below[:, pairs]
        if self.coefficients:
            return data / below, np.where(np.isfinite(below), samples, 0)
        return data, samples / below ** 2
