#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Times, weights and flags of a file."""
import numpy as np

from .finding import FITS, UNKNOWN, WRONG, finding

ROUNDING = 1e-4  #: s, of Julian dates in a double
#: What is wrong with visibilities that are not flagged.
FAULTS = {"are no number": lambda data, weights: ~np.isfinite(data),
          "have a weight that is no number": lambda data, weights: ~np.isfinite(weights),
          "have a negative weight": lambda data, weights: weights < 0}


def check_dumps(vis):
    """Whether dumps follow each other, and are as long as they say."""
    if not vis.has_times or len(vis.seconds) < 2:
        return [finding("dumps", UNKNOWN, "there are fewer than two, or they have no times")]
    steps = np.diff(vis.seconds) + np.diff(vis.fractions)
    lengths = (vis.intervals[1:] + vis.intervals[:-1]) / 2
    overlap = steps < 0.98 * lengths - ROUNDING
    if (vis.intervals <= 0).any():
        return [finding("dumps", WRONG, f"{int((vis.intervals <= 0).sum())} have no length")]
    if overlap.any():
        k = int(overlap.argmax())
        return [finding("dumps", WRONG, f"{int(overlap.sum())} overlap the one before: dump "
                        f"{k + 1} comes {steps[k]:.6g} s after one of {vis.intervals[k]:.6g} s")]
    if (vis.exposures > 1.001 * vis.intervals).any():
        return [finding("dumps", WRONG, "exposures are longer than the dumps")]
    return [finding("dumps", FITS, f"{len(vis.seconds)}, one after the other")]


class number_check:
    """What the numbers of a file are, before a reader flags what cannot be used: add() for each
    piece of its rows."""

    def __init__(self, column=None):
        self._column, self._counts = column, dict.fromkeys(FAULTS, 0)
        self._used = self._empty = 0
        self._low, self._high = np.inf, -np.inf
        self._read = False

    def add(self, piece):
        found = piece.values and piece.values(self._column)
        if not found:
            return
        self._read = True
        data, weights, flags = found
        good = ~np.asarray(flags, bool)
        self._used += int(good.sum())
        self._empty += int((good & (weights == 0)).sum())
        for words, fault in FAULTS.items():
            self._counts[words] += int((good & fault(data, weights)).sum())
        if good.any():
            self._low = min(self._low, weights[good].min())
            self._high = max(self._high, weights[good].max())

    def findings(self):
        if not self._read:
            return [finding("numbers", UNKNOWN, "the file has no weights and no flags")]
        found = [finding("numbers", WRONG, f"{count} visibilities that are not flagged {words}")
                 for words, count in self._counts.items() if count]
        if not found:
            found = [finding("numbers", FITS, f"{self._used} visibilities that are not flagged "
                             "have a value and a weight")]
        if self._empty:  # many programs mean a flag by it
            found.append(finding("weights", UNKNOWN, f"{self._empty} visibilities that are not "
                                 "flagged have the weight 0: they count for nothing"))
        if self._used and self._low == self._high:
            found.append(finding("weights", UNKNOWN, f"all are {self._low:g}: they say nothing of "
                                 "lost samples or noise"))
        return found
