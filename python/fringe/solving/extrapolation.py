#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Passes that go faster: leakages, extrapolated."""

import numpy as np

#: Largest ratio of two changes in sequence from which the end is foreseen.
LARGEST_RATIO = 0.98


class extrapolation:
    """Aitken's method for leakages.

    They take up most of an error of the phase between the polarizations, and the other way round,
    so that pass by pass both come nearer by a constant factor r only. From three values the end of
    such a sequence is x_2 + (x_2 - x_1) r / (1 - r), r = <x_1 - x_0, x_2 - x_1> / |x_1 - x_0|^2
    over the antennas. All terms are solved again afterwards, so an extrapolation that is wrong
    costs passes and nothing else.
    """

    def __init__(self, terms):
        self._terms = [term for term in terms if term.kind == "D"]
        self._seen = [[] for _ in self._terms]

    def step(self):
        """To be called after each pass; each third time the leakages are moved."""
        for term, seen in zip(self._terms, self._seen):
            seen.append(term.values.copy())
            if len(seen) < 3:
                continue
            first, second = seen[1] - seen[0], seen[2] - seen[1]
            size = (np.abs(first) ** 2).sum(axis=(2, 3), keepdims=True)
            both = (first.conj() * second).real.sum(axis=(2, 3), keepdims=True)
            ratio = np.clip(both / np.where(size > 0, size, 1), 0, LARGEST_RATIO)
            term.values = term.values + second * ratio / (1 - ratio)
            seen.clear()
