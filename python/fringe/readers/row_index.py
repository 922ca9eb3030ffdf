#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which rows of a UVH5 or UVFITS file were chosen, and what each holds: for readers and for
whatever writes into the same rows."""

from dataclasses import dataclass

import numpy as np

from .polarizations import in_order
from .selection import selection

#: Seconds by which times of one dump may differ: two steps of a Julian date in a double ...
SAME_TIME = 1e-4
#: ... and as a part of a dump, for numbers that were rounded otherwise.
SAME_PART = 1e-3


@dataclass
class row_index:
    """The rows of a choice; arrays [row]."""
    at: np.ndarray           #: number in the file
    ant1: np.ndarray         #: index into the antennas
    ant2: np.ndarray
    dump: np.ndarray
    first: np.ndarray        #: of each dump, the first of these rows
    places: list             #: along the axis of polarizations
    correlations: list       #: at each of these places, the polarizations of the two inputs
    chosen: selection        #: complete


def indices_of(numbers, wanted):
    """Place of each of the wanted numbers in a list of them; -1 where it has none."""
    index = {int(number): k for k, number in enumerate(numbers)}
    found, inverse = np.unique(wanted, return_inverse=True)
    return np.array([index.get(int(number), -1) for number in found])[inverse]


def dumps_of(seconds, intervals):
    """(the first row of each dump, the dump of each row), in the order of time.

    seconds: of each row. intervals: lengths of dumps, s, where they are known.
    """
    instants, first, dump = np.unique(seconds, return_index=True, return_inverse=True)
    known = intervals[np.isfinite(intervals) & (intervals > 0)]
    length = float(known.min()) if len(known) else SAME_TIME
    apart = np.diff(instants) > min(max(SAME_TIME, SAME_PART * length), length / 4)
    number = np.concatenate([[0], np.cumsum(apart)]).astype(int)
    begins = np.concatenate([[True], apart])
    return first[begins], number[dump]


def longest_of_dumps(values, dump, dumps):
    """The largest value of the rows of each dump: the interval that covers all its baselines."""
    longest = np.full(dumps, -np.inf)
    np.maximum.at(longest, dump, values)
    return longest


def apart(ant1, ant2, first, dump, kind=0):
    """As dumps_of(), with a dump of its own for each row that repeats antennas and time.

    kind: of each row; those of different kinds do not repeat each other.
    """
    low, high = np.minimum(ant1, ant2), np.maximum(ant1, ant2)
    count = int(high.max()) + 1
    key = ((np.int64(kind) * (dump.max() + 1) + dump) * count + low) * count + high
    order = np.argsort(key, kind='stable')
    begins = np.concatenate([[True], np.diff(key[order]) != 0])
    nth = np.arange(len(key)) - np.maximum.accumulate(np.where(begins, np.arange(len(key)), 0))
    repeat = np.empty(len(key), np.int64)
    repeat[order] = nth
    if not repeat.any():
        return first, dump, []
    _, first, dump = np.unique(dump * (repeat.max() + 1) + repeat, return_index=True,
                               return_inverse=True)
    return first, dump, [f'{np.count_nonzero(repeat)} of its rows repeat a baseline and time: they '
                         'are dumps of their own']


def runs(rows, limit):
    """Parts of ascending row numbers: at most `limit` each, without long gaps inside, so that
    what lies between them need not be read."""
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(rows) > 64) + 1
    return [run[k:k + limit] for run in np.split(rows, cuts) for k in range(0, len(run), limit)]


def inputs_of(rows):
    """Inputs of the antennas that rows name, (index, polarization)."""
    hands = in_order(''.join(rows.correlations))
    return [(int(a), hand) for a in np.union1d(rows.ant1, rows.ant2) for hand in hands]
