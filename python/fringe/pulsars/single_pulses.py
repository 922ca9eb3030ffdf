#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dispersed pulses in a file of powers: what a pulse_search finds in a flowgraph, but all of it,
and of a file that may be larger than memory."""
import concurrent.futures
import dataclasses
import math

import numpy as np

from .. import fringe_python as fp
from .candidates import HIT, strongest
from .dispersion import shifts_of, trials
from .levels import LEAST, box_deviations

GROUP = 8  #: dispersions whose sums are in memory at a time, for each thread
COLUMNS = 800  #: of the map


@dataclasses.dataclass
class pulse_map:
    """The largest sum of each dispersion in each part of the time."""
    dms: np.ndarray  #: pc / cm^3 [dm]
    values: np.ndarray  #: standard deviations [direction][dm][part]
    seconds: float  #: of all parts


def chance(threshold, sums):
    """How many of so many sums of Gaussian noise are above a threshold, at most: sums that share
    means are not independent of each other."""
    return sums * 0.5 * math.erfc(threshold / math.sqrt(2))


class single_pulses:
    """Searches levels, see file_levels, at dispersions `dms` for pulses of `widths` means.

    run() -> candidates as in candidates.py, and then: map, a pulse_map; sums: how many were
    compared with the threshold.
    """

    def __init__(self, levels, dms, widths, threshold):
        self._levels, self.dms, self._threshold = levels, np.asarray(dms, float), threshold
        self._widths, self.sums = list(widths), 0
        file = levels.file
        shifts = shifts_of(levels.frequencies, file.interval, self.dms)
        self._overlap = int(shifts.max()) + self._widths[-1] - 1
        self.size = levels.piece(self._overlap)
        columns = min(COLUMNS, file.length)
        self._columns = np.linspace(0, file.length, columns + 1).astype(int)
        self.map = pulse_map(self.dms, np.full((len(file.directions), len(self.dms), columns),
                                               np.nan), file.length * file.interval)

    def run(self, progress=None):
        """The pulses of the file, in order of time. progress(done, all): means."""
        length, found = self._levels.file.length, []
        groups = [range(k, min(k + GROUP, len(self.dms))) for k in range(0, len(self.dms), GROUP)]
        with concurrent.futures.ThreadPoolExecutor(fp.threads()) as pool:
            for first, piece in self._levels.pieces(self.size, self._overlap):
                for direction, levels in enumerate(piece):
                    there = np.isfinite(levels)
                    whole = (np.nan_to_num(levels), None if there.all() else there)
                    searches = [pool.submit(self._search, direction, first, *whole, group)
                                for group in groups]
                    rows = [row for search in searches for row in search.result()]
                    self.sums += sum(compared for _, compared in rows)
                    found.append(strongest(np.concatenate([hits for hits, _ in rows]),
                                           self._levels))
                if progress:
                    progress(min(first + self.size, length), length)
        # Near the edges of pieces stand weaker sums of pulses that belong to the next one.
        return np.sort(strongest(np.concatenate(found), self._levels),
                       order=("time", "direction"))

    def _search(self, direction, first, levels, there, group):
        """Hits of a piece, of some dispersions."""
        file, dms = self._levels.file, self.dms[group]
        size = levels.shape[1] - self._overlap
        length = size + self._widths[-1] - 1
        added = levels, self._levels.frequencies, file.interval, dms, length
        sums = trials(*added)
        if there is not None:
            counts = trials(there.astype(np.float32), *added[1:])
            sums = np.divide(sums, np.sqrt(counts), out=np.full_like(sums, np.nan),
                             where=counts >= LEAST * len(levels))
        return [self._hits(direction, first, number, row[:length], size)
                for number, row in zip(group, sums)]

    def _hits(self, direction, first, number, sums, size):
        """(those of the sums [time] of one dispersion that are above the threshold and not below
        their neighbors, each with its best width; how many were compared)."""
        best, widths, compared = np.full(size, -np.inf), np.zeros(size, np.int32), 0
        for width, means in box_deviations(sums, self._widths):
            better = means > best  # false of what is not there
            best[better], widths[better] = means[better], width
            compared += int(np.isfinite(means).sum())
        self._draw(direction, first, number, best)
        around = np.pad(best, 1, constant_values=-np.inf)
        at = np.flatnonzero((best > self._threshold) & (best >= around[:-2]) & (best > around[2:]))
        hits = np.empty(len(at), HIT)
        hits["direction"], hits["time"], hits["dm"] = direction, first + at, self.dms[number]
        hits["width"], hits["snr"] = widths[at], best[at]
        return hits, compared

    def _draw(self, direction, first, number, best):
        edges = self._columns
        low = int(np.searchsorted(edges, first, "right")) - 1
        high = int(np.searchsorted(edges, first + len(best)))
        begins = np.maximum(edges[low:high] - first, 0)
        part = self.map.values[direction, number, low:high]
        found = np.maximum.reduceat(best, begins)
        part[:] = np.fmax(part, np.where(np.isfinite(found), found, np.nan))
