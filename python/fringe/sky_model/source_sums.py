#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the gains towards strong sources are solved from: sums over the cells of each baseline."""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

#: Outliers of the visibilities themselves stand out by more than those of what is left of them.
OF_ALL_FACTOR = 1.2


class outlier_search(Enum):
    """Where outliers are searched for."""
    OF_ALL = 0   #: in the visibilities, before anything is known of the sources
    OF_REST = 1  #: in what is left when the sources are subtracted


@dataclass
class source_sums:
    """Sums over the cells (dumps and channels) of each baseline, w = 0 for outliers."""
    data: np.ndarray         #: w v conj(model_k), [source k][baseline]
    models: np.ndarray       #: w model_n conj(model_k), [source k][source n][baseline]
    weights: np.ndarray      #: w, [baseline]
    all_weights: np.ndarray  #: the same with outliers
    heaviest: float          #: the largest weight of a cell
    level: float             #: median amplitude of what is left, without outliers

    def of_sources(self, some):
        """Those of some sources, by their numbers."""
        return replace(self, data=self.data[some], models=self.models[np.ix_(some, some)])


def sum_of(dumps):
    """`source_sums` of several dumps; the level is that of the first."""
    first = dumps[0]
    return source_sums(*(sum(getattr(dump, name) for dump in dumps)
                         for name in ("data", "models", "weights", "all_weights")),
                       max(dump.heaviest for dump in dumps), first.level)


class held_cells:
    """Visibilities v and weights [sample][baseline] in memory, with models [source][sample]
    [baseline]. What is `clip` times the median of amplitudes or more stands out, and so does a
    baseline of which half does."""

    def __init__(self, v, weights, models, pairs, clip):
        self._v, self._weights, self._models = v, weights, models
        self._pairs, self._clip = pairs, clip
        #: [sample][baseline], of the last search
        self.outliers = np.zeros(v.shape, bool)

    def sums(self, gains, search):
        """`source_sums` where outliers are those of a search with gains [source][antenna]."""
        left, clip = self._v, self._clip * OF_ALL_FACTOR
        if search is outlier_search.OF_REST:
            i, j = self._pairs.T
            left, clip = self._v - sum(
                ((gain[i] * gain[j].conj()) * model
                 for gain, model in zip(gains, self._models) if gain.any()), 0), self._clip
        self.outliers = found = find_outliers(left, self._weights, clip)
        w = np.where(found, 0, self._weights)
        used = w > 0
        v, count = np.where(used, self._v, 0), len(self._models)
        data = np.zeros((count, v.shape[1]), complex)
        models = np.zeros((count, count, v.shape[1]), complex)
        for k, model in enumerate(self._models):
            weighted = w * model.conj()
            data[k] = (weighted * v).sum(axis=0)
            for n in range(k + 1):
                models[k, n] = (weighted * self._models[n]).sum(axis=0)
                models[n, k] = models[k, n].conj()
        return source_sums(data, models, w.sum(axis=0), self._weights.sum(axis=0),
                           float(w.max(initial=0)),
                           float(np.median(np.abs(left[used]))) if used.any() else 0.0)


def find_outliers(values, weights, clip):
    """True for cells [sample][baseline] of more than `clip` times the median amplitude, and for
    baselines of which half are such cells."""
    used = weights > 0
    size = np.abs(values)
    if not used.any():
        return ~used
    found = used & (size > clip * np.median(size[used]))
    bad = found.sum(axis=0) * 2 > used.sum(axis=0)
    return found | (used & bad)
