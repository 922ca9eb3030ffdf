#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities that are gridded together: a gridder transforms its image for every call, so what is
read in small pieces is put into larger arrays first."""

import numpy as np

#: Bytes of a row (uvw) and of each of its visibilities (data and weight).
BYTES = 24, 12


class batches:
    """Parts (plane, group, uvw [row][3], frequencies, data, weights [row][channel]) of all pieces.

    pieces: (begin, end) -> lists of such parts, all of one list for all planes and groups. size:
    bytes of all; limit: bytes of a batch. Where all fits into one it is read once, and `kept`.
    """

    def __init__(self, pieces, size, limit):
        self._pieces, self._limit = pieces, limit
        self._keep, self._size = size <= limit, size
        self.kept = None      #: all parts
        self.changed = False  #: whether their weights are those of the image

    def read(self, begin=None, end=None):
        """All parts, those of one batch after the other: they may be overwritten afterwards."""
        if self.kept is not None:
            yield from self.kept
            return
        open_ones, kept = None, []
        for piece in self._pieces(begin, end):
            if open_ones is None or not all(map(_batch.takes, open_ones, piece)):
                if open_ones is not None:
                    kept += [batch.part() for batch in open_ones]
                    yield from kept[-len(open_ones):]
                    kept = kept if self._keep else []
                open_ones = self._begun(piece, open_ones)
            for batch, part in zip(open_ones, piece):
                batch.add(part)
        if open_ones is not None:
            kept += [batch.part() for batch in open_ones]
            yield from kept[-len(open_ones):]
        if self._keep:
            self.kept = kept

    def _begun(self, piece, before):
        """Empty batches for parts like these, in the memory of those before where it fits."""
        row = sum(BYTES[0] + BYTES[1] * len(part[3]) for part in piece)
        rows = min(self._limit, self._size) // row
        if before and not self._keep and all(
                len(batch.uvw) >= len(part[2]) and np.array_equal(batch.frequencies, part[3])
                for batch, part in zip(before, piece)):
            for batch in before:
                batch.rows = 0
            return before
        return [_batch(part, max(rows, len(part[2]))) for part in piece]


class _batch:
    """Parts of one plane and group, joined."""

    def __init__(self, part, rows):
        self.plane, self.group, _, self.frequencies, _, _ = part
        shape = rows, len(self.frequencies)
        self.rows, self.uvw = 0, np.empty((rows, 3))
        self.data, self.weights = np.empty(shape, np.complex64), np.empty(shape, np.float32)

    def takes(self, part):
        """Whether there is room for a part of the same frequencies."""
        return (self.rows + len(part[2]) <= len(self.uvw)
                and np.array_equal(self.frequencies, part[3]))

    def add(self, part):
        here = slice(self.rows, self.rows + len(part[2]))
        self.uvw[here], self.data[here], self.weights[here] = part[2], part[4], part[5]
        self.rows = here.stop

    def part(self):
        here = slice(self.rows)
        return (self.plane, self.group, self.uvw[here], self.frequencies, self.data[here],
                self.weights[here])
