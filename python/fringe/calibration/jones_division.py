#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities divided by Jones matrices: with gains alone, and with leakage."""

import numpy as np

#: Bytes of matrices that are in memory at a time, of which there are some copies.
MEMORY = 2**27


def without_gains(data, flags, gains, products):
    """(V_ij / (g_i conj(g_j)), flags): what has a gain that is no number, or 0, is flagged.

    data, flags: [...][channel][product]; gains: the same with [input], or what broadcasts.
    """
    i, j = products
    usable = np.isfinite(gains) & (gains != 0)
    inverse = np.where(usable, 1 / np.where(usable, gains, 1), 0)
    factor = inverse[..., i] * inverse[..., j].conj()
    return (data * factor).astype(np.complex64), flags | (factor == 0)


class matrices_of_pairs:
    """Products of inputs as coherencies ((XX, XY), (YX, YY)) of pairs of antennas.

      inputs: (antenna, number of the polarization, 0 or 1) of each
      products: inputs i and j of each product
    """

    def __init__(self, inputs, products):
        count = 1 + max(antenna for antenna, _ in inputs)
        self.first, self.second = np.triu_indices(count)
        pair = np.zeros((count, count), int)
        pair[self.first, self.second] = np.arange(len(self.first))
        #: Of each place in a matrix the number of its product, -1 = there is none, and whether
        #: it is its conjugate.
        self._product = np.full((len(self.first), 2, 2), -1)
        self._turned = np.zeros(self._product.shape, bool)
        for number, (i, j) in enumerate(zip(*products)):
            (a, p), (b, q) = inputs[i], inputs[j]
            if a <= b:
                self._product[pair[a, b], p, q] = number
            if a >= b:
                self._product[pair[b, a], q, p] = number
                self._turned[pair[b, a], q, p] = (a, p) != (b, q)

    def without(self, data, flags, jones, usable):
        """(J_i^-1 V_ij J_j^-H, flags) of one dump [channel][product].

        jones: [channel][antenna][2][2]; usable: [channel][antenna]. A pair of antennas of which
        a product is flagged, or is not there, is flagged: each product takes all four.
        """
        out, marks = np.empty_like(data), np.empty_like(flags)
        step = max(1, MEMORY // (64 * len(self.first)))
        for first in range(0, len(data), step):
            some = slice(first, first + step)
            out[some], marks[some] = self._some_channels(data[some], flags[some], jones[some],
                                                         usable[some])
        return out, marks

    def _some_channels(self, data, flags, jones, usable):
        there = self._product >= 0
        places = np.where(there, self._product, 0)
        cube = data[:, places].astype(complex)
        cube = np.where(self._turned, cube.conj(), cube)
        bad = (flags[:, places] | ~there).any(axis=(-1, -2))
        size = np.linalg.det(jones)
        usable = usable & np.isfinite(size) & (size != 0)
        inverse = np.linalg.inv(np.where(usable[..., None, None], jones, np.eye(2)))
        bad |= ~(usable[:, self.first] & usable[:, self.second])
        cube = np.where(bad[..., None, None], 0, cube)
        cube = inverse[:, self.first] @ cube @ inverse[:, self.second].conj().swapaxes(-1, -2)
        out, marks = data.copy(), np.ones(flags.shape, bool)
        cube = np.where(self._turned, cube.conj(), cube)
        good = there & ~bad[..., None, None]
        out[:, places[there]] = np.where(good[:, there], cube[:, there], out[:, places[there]])
        marks[:, places[there]] = ~good[:, there]
        return out, marks
