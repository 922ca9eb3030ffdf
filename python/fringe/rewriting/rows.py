#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Values for a file that has a row for each pair of antennas and dump."""

import numpy as np

from ..readers.antenna_pairs import products_of_rows


class rewritten_rows:
    """Of a file that has a row for each pair of antennas and dump."""

    def place(self, vis, correlations, ant1, ant2, dump):
        self._dump = dump
        self._table = []
        count = len(vis.inputs)
        number = {entry: k for k, entry in enumerate(vis.inputs)}
        for (product, conjugated), hands in zip(
                products_of_rows(vis, correlations, ant1, ant2), correlations):
            # YX of one antenna repeats its XY.
            for row in np.flatnonzero(product < 0):
                i, j = (number[ant1[row], hand] for hand in hands)
                low, high = min(i, j), max(i, j)
                product[row] = low * count - low * (low - 1) // 2 + high - low
            self._table.append((product, conjugated))

    def finish(self, history):
        """Nothing is left to be done."""

    def rows(self, first, count):
        return np.flatnonzero((self._dump >= first) & (self._dump < first + count))

    def values(self, rows, first, cube):
        """[row][channel][correlation] of a cube [dump][channel][product]."""
        out = np.empty((len(rows), cube.shape[1], len(self._table)), cube.dtype)
        for k, (product, conjugated) in enumerate(self._table):
            part = cube[self._dump[rows] - first, :, product[rows]]
            turned = conjugated[rows][:, None] & np.iscomplexobj(part)
            out[:, :, k] = np.where(turned, part.conj(), part)
        return out
