#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The last dumps of a stream, reduced to what the page draws."""
import numpy as np

from .. import fringe_python as fp
from ..ground.dump_values import inverse_root, pair_columns, product
from ..readers.visibilities import is_dated
from .delay_message import delay_message
from .messages import encode, finite

BINS = 256            # channels of a spectrum on the page, at most
POINTS, ROWS = 4000, 128    # of a fringe in time, and of a waterfall, at most
MEMORY = 64 << 20     # bytes for each of these two


class ring:
    """The last rows of an array; `count` is how many there were."""

    def __init__(self, length, shape, dtype):
        self._rows, self.count = np.zeros((length, *shape), dtype), 0

    def add(self, values):
        """Another row, in the place of the oldest one."""
        self._rows[self.count % len(self._rows)] = values
        self.count += 1

    def last(self, since=0, column=slice(None)):
        """The rows [row][...][column] from number `since` on that are still there, the newest
        last."""
        first = max(since, self.count - len(self._rows), 0)
        return self._rows[..., column][np.arange(first, self.count) % len(self._rows)]


class recent_dumps:
    """Takes the dumps of one stream; says what the page shows of two inputs.

    Values are those of the displays: the mean over channels without those that have no weight or
    hold both edges of the band, and correlation coefficients V_ij / sqrt(V_ii V_jj) of each
    channel. Spectra have at most BINS channels, the means of neighbors.
    """

    def __init__(self, first):
        channels, products = first.visibilities.shape
        self.names, self.frequencies = first.names, first.frequencies
        self._i, self._j = np.triu_indices(len(first.names))
        self._autos = np.flatnonzero(self._i == self._j)
        together = -(-channels // BINS)
        self._edges = np.arange(0, channels, together)
        #: the frequency of each channel of the spectra, Hz
        self.bins = np.add.reduceat(first.frequencies, self._edges) / np.diff(
            np.append(self._edges, channels))
        points = int(np.clip(MEMORY // (16 * products), 2, POINTS))
        rows = int(np.clip(MEMORY // (12 * products * len(self.bins)), 1, ROWS))
        self._times = ring(points, (2,), float)
        self._means = ring(points, (2, products), np.complex64)
        self._row_times = ring(rows, (2,), float)
        self._spectra = ring(rows, (len(self.bins), products), np.complex64)
        self._weights = ring(1, (len(self.bins), products), np.float32)
        self._newest = None
        #: how often the times have begun anew
        self.restarts = 0
        self._origin = first.seconds

    def fits(self, dump):
        """True when a dump is of the same stream."""
        return (dump.names == self.names
                and np.array_equal(dump.frequencies, self.frequencies))

    @property
    def points(self):
        """How many dumps were taken."""
        return self._times.count

    def inputs(self):
        """[(name, power, weight)] of the newest dump, means over the channels; power NaN where
        nothing is valid."""
        powers = self._means.last(self.points - 1)[0, 0, self._autos].real
        weights = self._weights.last()[0][:, self._autos].mean(axis=0)
        return list(zip(self.names, powers, weights))

    def reduce(self, dump):
        """What add() takes: the part of the work that needs no lock."""
        there = (dump.weights > 0) & np.isfinite(dump.visibilities)
        if dump.edge_channel is not None and len(there) > 1:
            there[dump.edge_channel] = False
        values = np.where(there, dump.visibilities, 0)
        power = values[:, self._autos].real
        coefficient = values * inverse_root(power[:, self._i] * power[:, self._j])
        count = there.sum(axis=0)
        counts = np.add.reduceat(there, self._edges, axis=0, dtype=np.int32)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.stack([values.sum(axis=0) / count, coefficient.sum(axis=0) / count])
            spectra = np.add.reduceat(values, self._edges, axis=0) / counts
        channels = np.diff(np.append(self._edges, len(there)))[:, None]
        weights = np.add.reduceat(dump.weights, self._edges, axis=0) / channels
        return dump, means, spectra, weights

    def add(self, reduced):
        """Takes a dump that reduce() has prepared. One from before the last begins anew, as when a
        recording is looped."""
        dump, means, spectra, weights = reduced
        start = dump.seconds - self._origin + dump.fraction
        interval = dump.interval
        if not interval > 0:  # no times: a second each
            start, interval = float(dump.number), 1.0
        if self._times.count and start < self._times.last(self._times.count - 1)[0, 0]:
            for buffer in (self._times, self._means, self._row_times, self._spectra):
                buffer.count = 0
            self.restarts += 1
        self._times.add((start, interval))
        self._means.add(means)
        self._row_times.add((start, interval))
        self._spectra.add(spectra)
        self._weights.add(weights)
        self._newest = dump, float(weights.mean())

    def frame(self, i, j, k, since, **more):
        """The message of the newest dump for the pair (i, j), with the points of the fringe from
        number `since` on, and the closure phase with input k (None = without); `more` goes into
        its header."""
        dump, weight = self._newest
        column = self._product(i, j)
        spectrum = self._of_pair(self._spectra, self._spectra.count - 1, i, j)
        weights = self._weights.last()[0][:, column]
        dated = is_dated([dump.seconds])
        delay, lags = delay_message(dump, i, j, pair_columns([(i, j)], len(self.names)))
        middle = fp.epoch(int(dump.seconds), float(dump.fraction)).plus_seconds(
            dump.interval / 2)
        return encode(
            "frame", {"pair": [i, j], "first": max(since, 0), "dump": dump.number,
                      "utc": middle.iso(1 if dump.interval < 10 else 0) if dated else None,
                      "interval": finite(dump.interval), "exposure": finite(dump.exposure),
                      "weight": finite(weights.mean()), "weight_all": finite(weight),
                      "third": k, "delay": delay, **more},
            **self._fringe(i, j, since), **spectrum, weight=weights, **lags,
            **self._closure(i, j, k, since))

    def history(self, i, j, k, **more):
        """The message of all that there is of the pair (i, j), and of the closure with k."""
        rows = self._of_pair(self._spectra, 0, i, j)
        return encode("history", {"pair": [i, j], "third": k, **more}, **self._fringe(i, j, 0),
                      row_times=self._row_times.last(), **rows, **self._closure(i, j, k, 0))

    def _product(self, i, j):
        return product(min(i, j), max(i, j), len(self.names))

    def _fringe(self, i, j, since):
        means = self._means.last(since, self._product(i, j))
        means = means.conj() if i > j else means
        return {"times": self._times.last(since), "mean": means[:, 0], "coefficient": means[:, 1]}

    def _of_pair(self, spectra, since, i, j):
        """Spectra [row][channel] of a pair and of its two inputs, from row `since` on."""
        cross = spectra.last(since, self._product(i, j))
        return {"cross": cross.conj() if i > j else cross,
                "auto_i": spectra.last(since, self._product(i, i)).real,
                "auto_j": spectra.last(since, self._product(j, j)).real}

    def _closure(self, i, j, k, since):
        """The closure phase of three inputs: its time and mean bispectrum for each spectrum from
        number `since` on, and the newest bispectrum; of coefficients of the spectra."""
        if k is None or k >= len(self.names) or len({i, j, k}) < 3:
            return {}
        bispectrum, first = 1.0, min(since, self._spectra.count - 1)
        for pair in ((i, j), (j, k), (k, i)):
            found = self._of_pair(self._spectra, first, *pair)
            power = found["auto_i"] * found["auto_j"]
            with np.errstate(invalid="ignore"):
                scale = np.where(power > 0, 1 / np.sqrt(np.where(power > 0, power, 1)), np.nan)
            bispectrum = bispectrum * found["cross"] * scale
        there = np.isfinite(bispectrum)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(there, bispectrum, 0).sum(axis=1) / there.sum(axis=1)
        times = self._row_times.last(since)
        return {"closure_times": times,
                "closure_mean": means[len(means) - len(times):].astype(np.complex64),
                "closure": bispectrum[-1:].astype(np.complex64)}
