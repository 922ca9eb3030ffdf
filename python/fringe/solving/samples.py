#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What terms are solved from: visibilities, weights and a model, by pairs of antennas."""

from copy import copy
from dataclasses import dataclass

import numpy as np


#: Antennas times the cells that stand for an interval in skies(), and these cells, at most.
CELLS, MAX_CELLS = 150, 4


class of_dumps:
    """An array [dump][channel][pair] of which dumps are made when they are asked for.

    make: function of the number of a dump; shape: of the whole.
    """

    def __init__(self, make, shape):
        self._make, self.shape = make, shape

    def __getitem__(self, dumps):
        if isinstance(dumps, slice):
            return np.stack([self._make(k) for k in range(*dumps.indices(self.shape[0]))])
        return self._make(dumps)


@dataclass
class samples:
    r"""Visibilities of pairs of antennas, with what the sky makes of them.

    V_ij = <x_i conj(x_j)>. Arrays by correlation: `data[p, q]` is that of polarization p of the
    first antenna and q of the second; a dict with keys (p, q), or an array [p][q]. (0, 1) and
    (1, 0) may be missing.
    """
    data: object           #: complex, [p, q][dump][channel][pair]
    weights: object        #: 1 / variance up to a factor, same shape; 0 = flagged
    model: object          #: complex, same shape
    first: np.ndarray      #: first antenna of each pair, [pair]
    second: np.ndarray     #: its second antenna, another one
    antennas: list         #: names
    polarizations: str     #: XY, RL or one letter
    times: np.ndarray      #: centers of the dumps, s since 1970 UTC, ascending
    lengths: np.ndarray    #: of the dumps, s
    frequencies: np.ndarray  #: of the channels, Hz, ascending
    widths: np.ndarray     #: of the channels, Hz
    absolute: bool = False  #: weights are 1 / variance
    band: tuple = None     #: Hz, lowest and highest, of the band that the channels are of

    def __post_init__(self):
        self.first, self.second = np.asarray(self.first, int), np.asarray(self.second, int)
        self.times, self.frequencies = (np.asarray(axis, float)
                                        for axis in (self.times, self.frequencies))
        self.lengths = np.broadcast_to(np.asarray(self.lengths, float), self.times.shape)
        self.widths = np.broadcast_to(np.asarray(self.widths, float), self.frequencies.shape)
        shape = len(self.times), len(self.frequencies), len(self.first)
        for name in ("data", "weights", "model"):
            for p in range(self.hands):
                found = np.shape(getattr(self, name)[p, p])
                if found != shape:
                    raise ValueError(f"samples: {name} of polarization {self.polarizations[p]} "
                                     f"of shape {found}; must be [dump][channel][pair], {shape}")
        count = len(self.antennas)
        if not (len(self.first) == len(self.second) > 0 and (self.first != self.second).all()
                and 0 <= min(self.first.min(), self.second.min())
                and max(self.first.max(), self.second.max()) < count):
            raise ValueError(f"samples: pairs must be of two different antennas of 0 ... "
                             f"{count - 1}, one pair or more, without autocorrelations")
        if count < 2:
            raise ValueError("samples: one antenna; a calibration needs two or more")
        for name in ("times", "frequencies"):
            if (np.diff(getattr(self, name)) <= 0).any():
                raise ValueError(f"samples: {name} must ascend")

    @property
    def hands(self):
        """Number of polarizations."""
        return len(self.polarizations)

    @property
    def has_crosses(self):
        """Whether products of two polarizations are there."""
        if self.hands != 2:
            return False
        try:
            return bool(np.any(self.weights[0, 1]) and np.any(self.weights[1, 0]))
        except KeyError:
            return False

    def part(self, p, q, dumps, any_model=False):
        """(data, weights, model) of a correlation and some dumps; what is no number has the
        weight 0, and what the model has nothing of, unless any_model."""
        v, w, m = (np.asarray(some[p, q][dumps]) for some in (self.data, self.weights, self.model))
        good = np.isfinite(v) & (w > 0) & (any_model | (m != 0))
        return np.where(good, v, 0), np.where(good, w, 0), m

    def independent(self, p, time, frequency):
        """Independent samples in each interval, [of time][of frequency]; None where that is not
        known."""
        middle = len(self.times) // 2
        known = np.mean(np.asarray(self.weights[p, p][middle]) > 0)
        samples = known * np.outer(time.sums(self.lengths, 0), frequency.sums(self.widths, 0))
        return samples if np.isfinite(samples).all() and (samples > 0).all() else None

    def skies(self, p, time, frequency, some=slice(None), model=None):
        """What a model, that of the samples by default, makes of some cells of dump and channel in
        each interval of time, of `some`, and of frequency: [cell][of time][of frequency][antenna]
        [antenna]. One cell stands for the others where there are many antennas."""
        model = self.model if model is None else model
        longest = max(axis.longest(len(places)) for axis, places in (
            (time, self.times), (frequency, self.frequencies)))
        count = max(1, min(MAX_CELLS, CELLS // len(self.antennas), longest))
        cells = []
        for part in (2 * np.arange(count) + 1) / (2 * count):
            dumps, channels = time.at(part, len(self.times))[some], frequency.at(
                part, len(self.frequencies))
            rows = [np.asarray(model[p, p][k])[channels] for k in dumps]
            cells.append(self.matrices(np.nan_to_num(rows)))
        return np.array(cells)

    def without(self, antennas):
        """The same without the data of some antennas, bool [antenna]."""
        lost = antennas[self.first] | antennas[self.second]
        made = copy(self)
        made.weights = {key: of_dumps(lambda k, key=key: np.where(lost, 0, self.weights[key][k]),
                                      np.shape(self.weights[key])) for key in self.products}
        return made

    def of_hand(self, p):
        """Those of one polarization."""
        made = copy(self)
        for name in ("data", "weights"):
            setattr(made, name, {(0, 0): getattr(self, name)[p, p]})
        made.model, made.polarizations = self._model_of_hand(p), self.polarizations[p]
        return made

    def _model_of_hand(self, p):
        of_hand = getattr(self.model, "of_hand", None)
        return of_hand(p) if of_hand else {(0, 0): self.model[p, p]}

    @property
    def products(self):
        """(p, q) of the correlations that are there."""
        return [(p, q) for p in range(self.hands) for q in range(self.hands)
                if p == q or self.has_crosses]

    def matrices(self, values):
        """Sums of pairs [...][pair] as hermitian matrices [...][antenna][antenna]."""
        count = len(self.antennas)
        full = np.zeros((*values.shape[:-1], count * count), values.dtype)
        place = self.first * count + self.second
        if len(np.unique(place)) == len(place):
            full[..., place] = values
        else:
            np.add.at(full, (..., place), values)
        full = full.reshape(*values.shape[:-1], count, count)
        return full + full.conj().swapaxes(-1, -2)
