#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of the rows of a file's columns."""
import numpy as np

from .. import fringe_python as fp

#: What is counted: see count().
COUNTS = ('visibilities', 'flagged', 'lost')


class row_sums:
    """By column: the sum over rows r of (r + 1) CRC-32C(bytes of row r) mod 2^64; and counts.

    Rows may come in any order, and may be replaced. before: a certificate to go on from.
    """

    def __init__(self, before=None):
        self.sums = dict(before.sums) if before else {}
        self.rows = before.rows if before else 0
        self.counts = {name: before.others.get(name, 0) if before else 0 for name in COUNTS}

    def add(self, column, rows, values):
        """values: [row]...; rows: their numbers, or that of the first."""
        self._change(column, rows, values, 1)

    def replace(self, column, rows, old, new):
        """Other values in rows that were added."""
        self._change(column, rows, old, -1)
        self._change(column, rows, new, 1)
        if np.asarray(new).dtype == bool:
            self.counts['flagged'] += int(np.count_nonzero(new)) - int(np.count_nonzero(old))

    def count(self, flags, weights):
        """Visibilities, those that are flagged, and those without a weight."""
        self.counts['visibilities'] += int(np.size(flags))
        self.counts['flagged'] += int(np.count_nonzero(flags))
        self.counts['lost'] += int(np.size(weights) - np.count_nonzero(np.asarray(weights) > 0))

    def forget(self, column):
        """All rows of a column are to be added again."""
        self.sums.pop(column, None)

    def _change(self, column, rows, values, sign):
        values = np.ascontiguousarray(values)
        if np.ndim(rows) == 0:
            rows = np.arange(rows, rows + len(values))
        number = 0
        if values.size:
            number = fp.sum_of_rows(np.asarray(rows, np.uint64),
                                    values.reshape(len(values), -1).view(np.uint8))
            self.rows = max(self.rows, int(np.max(rows)) + 1)
        self.sums[column] = (self.sums.get(column, 0) + sign * number) % 2**64


def add_pieces(sums, pieces):
    """Adds all columns of row_pieces to row_sums; returns these."""
    for piece in pieces:
        for name, values in piece.columns.items():
            sums.add(name, piece.rows, values)
    return sums


def crc_of(values):
    """CRC-32C of the bytes of an array, in the order of its axes."""
    return fp.crc32c(np.ascontiguousarray(values).tobytes())


def crc_of_texts(texts):
    """Of texts, each with a new line behind it."""
    return fp.crc32c(''.join(f'{text}\n' for text in texts).encode())
