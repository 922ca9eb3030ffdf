#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Values in time, on an even axis that ends with the newest dump."""

import collections
import dataclasses

import numpy as np


class history:
    """The last values of a display, placed by the time of their dumps.

    A dump fills its own span, and that of the dumps passed over after it; what was lost is a
    gap, NaN. Dumps without time are counted, one second each.
    """

    def __init__(self, longest=20000):
        self._entries = collections.deque(maxlen=longest)
        self._origin = self._end = None

    def add(self, dump, value):
        """Another dump; one from before the last begins anew, as when a recording is looped."""
        if self._origin is None:
            self._origin = dump.seconds
        start = dump.seconds - self._origin + dump.fraction
        interval = dump.interval
        self._end = dump.seconds + dump.fraction + interval if interval > 0 else None
        if interval <= 0:
            start, interval = float(dump.number), 1.0
        if self._entries and start < self._entries[-1][0]:
            self._entries.clear()
        self._entries.append((start, interval, dump.number, value))

    def __len__(self):
        return len(self._entries)

    def clear(self):
        """Forgets all."""
        self._entries.clear()

    @property
    def end(self):
        """End of the newest dump, UTC seconds since 1970; None where dumps have no time."""
        return self._end

    def values(self):
        """All values, the newest last."""
        return np.array([entry[3] for entry in self._entries])

    def on_grid(self, points, span):
        """Values at `points` even times of the last `span` seconds, the newest last."""
        entries = list(self._entries)
        out = np.full((points,) + np.shape(entries[-1][3]), np.nan, np.complex64)
        start, interval, number = (np.array([e[k] for e in entries]) for k in range(3))
        # The first dump of a recording may be cut short: the longer of two neighbors counts.
        length = np.maximum(interval, np.append(interval[1:], 0))
        until = start + interval
        until[:-1] = np.minimum(start[1:], start[:-1] + 1.001 * length[:-1] * np.diff(number))
        times = until[-1] + ((np.arange(points) + 0.5) / points - 1) * span
        k = np.searchsorted(start, times, side="right") - 1
        filled = (k >= 0) & (times < until[k])
        out[filled] = self.values()[k[filled]]
        return out


class joined_rows:
    """Joins dumps that are shorter than a row of a picture: their mean is one row.

    Dumps on both sides of a gap are not joined.
    """

    def __init__(self):
        self._number = 0
        self.clear()

    def clear(self):
        """Forgets dumps that are not in a row yet."""
        self._first, self._count = None, 0

    def add(self, dump, values, seconds):
        """Another dump; returns the rows [(dump, values)] of at least `seconds` that are
        whole now. The dumps of rows are numbered one after the other."""
        whole = []
        if self._first is not None and not self._follows(dump):
            whole.append(self._row())
        if self._first is None:
            self._first, self._sum = dump, np.zeros_like(values)
        self._sum, self._last, self._count = self._sum + values, dump, self._count + 1
        if dump.interval <= 0 or self._span() >= 0.999 * seconds:
            whole.append(self._row())
        return whole

    def rest(self):
        """The row of the dumps that are left, if there are any."""
        return [self._row()] if self._first is not None else []

    def _follows(self, dump):
        start = dump.seconds - self._first.seconds + dump.fraction - self._first.fraction
        return abs(start - self._span()) < 0.5 * dump.interval

    def _span(self):
        first, last = self._first, self._last
        return last.seconds - first.seconds + last.fraction - first.fraction + last.interval

    def _row(self):
        row = dataclasses.replace(self._first, number=self._number, interval=self._span())
        values = self._sum / self._count
        self._number += 1
        self.clear()
        return row, values
