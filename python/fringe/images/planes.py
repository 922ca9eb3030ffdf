#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From products of inputs to the visibilities of an image: Stokes parameters and hands."""

import functools

import numpy as np

#: Of linear and circular feeds: (hands, factor) of the two products that are added up.
LINEAR = {'I': (('XX', 1), ('YY', 1)), 'Q': (('XX', 1), ('YY', -1)),
          'U': (('XY', 1), ('YX', 1)), 'V': (('XY', -1j), ('YX', 1j))}
CIRCULAR = {'I': (('RR', 1), ('LL', 1)), 'Q': (('RL', 1), ('LR', 1)),
            'U': (('RL', -1j), ('LR', 1j)), 'V': (('RR', 1), ('LL', -1))}


class plane_maker:
    """Visibilities of one plane from those of `visibilities`."""

    def __init__(self, vis, name):
        hands = ''.join(sorted({hand for _, hand in vis.inputs}))
        self.parts = self._parts(vis, name, hands)
        self._check_correlations(vis, name)
        self.pairs, self.products, self.conjugated = _pairs(
            tuple(vis.inputs), tuple(two for two, _ in self.parts), name == 'I')
        if not len(self.pairs):
            raise ValueError(f'pol: {name}: {vis.path} has no baseline with it; its inputs are '
                             f'of polarization {", ".join(hands)}')
        self.mean = name == 'I'

    def _parts(self, vis, name, hands):
        if len(name) == 2:
            return ((name, 1),)
        if len(hands) == 1:
            if name != 'I':
                raise ValueError(f'pol: {name}: {vis.path} has polarization {hands} alone')
            return ((2 * hands, 1),)
        return (CIRCULAR if hands[0] in 'LR' else LINEAR)[name]

    def _check_correlations(self, vis, name):
        """Raises ValueError where the file has none of those that a plane is made of."""
        there = vis.correlations
        needed = [two for two, _ in self.parts]
        missing = [two for two in needed if there is not None and not {two, two[::-1]} & there]
        if len(missing) == len(needed) or missing and name != 'I':
            raise ValueError(f'pol: {name}: is made of {" and ".join(needed)}; {vis.path} has '
                             + ', '.join(sorted(there)))

    def take(self, vis, channels):
        """(data, weights), both [dump][pair][channel]."""
        parts = [self._product(vis, k, channels) for k in range(len(self.parts))]
        if len(parts) == 1:
            return parts[0]
        (a, wa), (b, wb) = parts
        if self.mean:  # of what is there, by weight
            weights = wa + wb
            data = (wa * a + wb * b) / np.where(weights > 0, weights, 1)
            return data, weights
        both = (wa > 0) & (wb > 0)
        weights = np.where(both, 4 * wa * wb / np.where(both, wa + wb, 1), np.float32(0))
        return (self.parts[0][1] * a + self.parts[1][1] * b).astype(np.complex64) / 2, weights

    def _product(self, vis, part, channels):
        index = self.products[part]
        where = np.ix_(np.arange(len(vis.data)), channels, np.maximum(index, 0))
        data = vis.data[where].transpose(0, 2, 1)
        weights = np.where(vis.flags[where], np.float32(0), vis.weights[where]).transpose(0, 2, 1)
        data = np.where(self.conjugated[part][:, None], data.conj(), data)
        return data, np.where(index[:, None] < 0, np.float32(0), weights)


@functools.lru_cache(maxsize=16)
def _pairs(inputs, hands, some):
    """Pairs of antennas [pair][2] that have a product for each of some hands, XX say, their
    products [hand][pair], and whether these are conjugated. some: one hand is enough; -1 stands
    for the others. Sets of one array have the same."""
    antennas = sorted({antenna for antenna, _ in inputs})
    row = {antenna: k for k, antenna in enumerate(antennas)}
    number = {hand: np.full(len(antennas), -1) for two in hands for hand in two}
    for k, (antenna, hand) in enumerate(inputs):
        if hand in number:
            number[hand][row[antenna]] = k
    a, b = np.triu_indices(len(antennas), 1)
    i, j = (np.array([number[two[end]][of_pair] for two in hands])
            for end, of_pair in ((0, a), (1, b)))
    known = (i >= 0) & (j >= 0)
    kept = known.any(axis=0) if some else known.all(axis=0)
    i, j, known = (values[:, kept] for values in (i, j, known))
    products = np.where(known, _product(np.minimum(i, j), np.maximum(i, j), len(inputs)), -1)
    names = np.array(antennas)
    return np.stack([names[a[kept]], names[b[kept]]], axis=1), products, known & (i > j)


def _product(i, j, count):
    return i * count - i * (i - 1) // 2 + j - i
