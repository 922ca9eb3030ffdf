#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Products of a model of the sky, as feeds that turn against it receive them."""

import numpy as np

from ..images.feed_turn import kind_of, to_feeds, trouble_of
from ..images.turned_planes import is_turnable


def received(vis, made):
    """Products of north and east, or of R and L of the sky, as the feeds of a file have them:
    V = J_1 B J_2^H, J as to_feeds() has it. Both complex64 [dump][channel][product].

    Products stay as they are where the file does not say how feeds stand. Raises ValueError where
    it says it in words that are not known, or an antenna has one receptor.
    """
    if not is_turnable(vis):
        return made
    trouble = trouble_of(vis)
    if trouble:
        raise ValueError(f'{trouble}; a polarized model needs it')
    number = {entry: k for k, entry in enumerate(vis.inputs)}
    antennas = sorted({antenna for antenna, _ in vis.inputs})
    single = [a for a in antennas if any((a, hand) not in number for hand in kind_of(vis))]
    if single:
        raise ValueError(f'{vis.path}: antenna {vis.antennas[single[0]]} has one polarization; a '
                         f'polarized model needs {" and ".join(kind_of(vis))} of all')
    inputs = np.array([[number[a, hand] for hand in kind_of(vis)] for a in antennas])
    first, second = np.triu_indices(len(antennas))
    i, j = (index[:, :, None] if k == 0 else index[:, None, :] for k, index in
            enumerate((inputs[first], inputs[second])))
    i, j = np.broadcast_arrays(i, j)
    low, high = np.minimum(i, j), np.maximum(i, j)
    product = low * len(vis.inputs) - low * (low - 1) // 2 + high - low
    turn = to_feeds(vis)[:, antennas]
    sky = made[:, :, product]
    sky = np.where(i > j, sky.conj(), sky)
    seen = np.einsum('dnpk,dcnkl,dnql->dcnpq', turn[:, first], sky, turn[:, second].conj(),
                     optimize=True)
    turned = np.zeros_like(made)
    turned[:, :, product] = np.where(i > j, seen.conj(), seen)
    return turned
