#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How many visibilities of a file are flagged: those that it holds, and that are no good."""

import numpy as np

from .in_parts import read_in_parts

#: Bytes of visibilities in memory at a time, and in all, with what is computed from them.
MEMORY, MAX_BYTES = 2**28, 2**33


def count_flagged(vis):
    """(flagged visibilities, all) that the file holds.

    Flagged is what the flags of the file say, what has no weight, and what is not a number. A
    baseline that has no row in a dump, and a correlation that is not in the file, do not count.
    """
    times = _times_held(vis)
    held = np.ones(vis.flags.shape, bool) if vis.missing is None else ~vis.missing
    return (int(np.count_nonzero(vis.flags & held, (0, 1)) @ times),
            int(np.count_nonzero(held, (0, 1)) @ times))


def _times_held(vis):
    """How often a file has each product: XY of one antenna twice, if it has YX, its conjugate."""
    i, j = vis.products
    antenna = np.array([number for number, _ in vis.inputs])
    hands = [hand for _, hand in vis.inputs]
    held = vis.correlations or ()
    return np.array([2 if a != b and antenna[a] == antenna[b]
                     and {hands[a] + hands[b], hands[b] + hands[a]} <= set(held) else 1
                     for a, b in zip(i, j)])


def share_in_words(flagged, total):
    """Of visibilities: "0.3 %"."""
    return f'{100 * flagged / max(total, 1):.3g} %'


def flagged_in_words(described, inputs=None, channels=None):
    """How many visibilities of a described file are flagged, in words."""
    flagged = total = dumps = 0
    for _, vis in read_in_parts(described, MEMORY, limit=MAX_BYTES, inputs=inputs,
                                channels=channels):
        counts = count_flagged(vis)
        flagged, total, dumps = flagged + counts[0], total + counts[1], dumps + len(vis.seconds)
    some = f' of {dumps} of its {len(described.seconds)} dumps' * (dumps < len(described.seconds))
    return f'{share_in_words(flagged, total)} of the visibilities{some}'
