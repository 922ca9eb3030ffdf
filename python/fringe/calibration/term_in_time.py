#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A term of a calibration at any time: between solutions, and outside of them."""

import numpy as np

#: Seconds that a solution may be away, or two that are interpolated may be apart, where a user
#: names no other limit.
MAX_GAP = 86400.0


class term_in_time:
    """The values of a `term_solution` at instants.

    Between two solutions of the same antenna, polarization and interval in frequency, delays and
    leakages are linear in time; gains are linear in amplitude, and in phase by the shorter way
    round. Before the first and after the last one it is the nearest. Flagged solutions are as if
    they were not there. There is no value where the two solutions are more than `max_gap` seconds
    apart, or the nearest is more than that away; within its own interval a solution always holds.
    """

    def __init__(self, term, max_gap=MAX_GAP):
        if not max_gap >= 0:
            raise ValueError(f"max_gap: {max_gap:g}: must be 0 s or more")
        self._term, self._limit = term, max_gap
        index = np.arange(len(term.times), dtype=np.int32)[:, None, None, None]
        index = np.broadcast_to(index, term.flags.shape)
        # Of each entry the number of the last solution that is not later, and of the next one.
        self._last = np.maximum.accumulate(np.where(term.flags, -1, index), axis=0)
        later = np.where(term.flags, len(term.times), index)[::-1]
        self._next = np.minimum.accumulate(later, axis=0)[::-1]

    def at(self, seconds):
        """(values, usable) at an instant, s since 1970: [F][antenna][polarization]."""
        term, count = self._term, len(self._term.times)
        place = int(np.searchsorted(term.times, seconds, "right"))
        nobody = np.full(term.flags.shape[1:], -1, np.int32)
        low = self._last[place - 1] if place else nobody
        high = self._next[place] if place < count else nobody + 1 + count
        there = low >= 0, high < count
        low, high = np.maximum(low, 0), np.minimum(high, count - 1)
        away = np.where(there[0], seconds - term.times[low], np.inf)
        until = np.where(there[1], term.times[high] - seconds, np.inf)
        inside = (away <= term.intervals[low] / 2, until <= term.intervals[high] / 2)
        between = there[0] & there[1] & ((away + until <= self._limit) | (inside[0] & inside[1]))
        part = np.where(between, away / np.where(between, away + until, 1), away > until)
        near = np.where(between, 0, np.minimum(away, until))
        # Of two that are too far apart to be interpolated, one may hold by its own interval.
        alone = there[0] ^ there[1]
        usable = between | inside[0] | inside[1] | (alone & (near <= self._limit))
        part = np.where(between | alone, part, np.where(inside[1], 1.0, 0.0))
        return self._mixed(low, high, part), usable

    def _mixed(self, low, high, part):
        places = np.indices(low.shape, sparse=True)
        first, second = self._term.values[(low, *places)], self._term.values[(high, *places)]
        # What is not used may be no number.
        first, second = np.where(part < 1, first, second), np.where(part > 0, second, first)
        if self._term.is_delay or self._term.kind == "D":
            return first + part * (second - first)
        size = np.abs(first) + part * (np.abs(second) - np.abs(first))
        return size * np.exp(1j * (np.angle(first) + part * np.angle(second * first.conj())))
