#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A visibility file read some dumps at a time."""

from .read_visibilities import read_visibilities

#: Bytes of visibilities that are in memory at a time.
MEMORY = 2**29
#: Of each visibility, with what is computed from it.
BYTES = 60


def read_in_parts(described, memory=MEMORY, step=None, limit=None, inputs=None, channels=None):
    """(number of the first dump, visibilities with data) of a described file, a part at a time.

    step: parts are multiples of this number of dumps. limit: bytes that are read in all; of a
    larger file parts at even intervals. inputs, channels: as read_visibilities() has them.
    """
    dumps = len(described.seconds)
    width = channels if described.frequencies is None else len(described.frequencies)
    dump_bytes = width * len(described.products[0]) * BYTES
    unit = step or 1
    count = max(1, int(memory // (dump_bytes * unit))) * unit
    every = 1 if limit is None else max(1, -(-dumps * dump_bytes // limit))
    for first in range(0, dumps, count * every):
        yield first, read_visibilities(described.path, inputs, channels,
                                       dumps=range(first, min(first + count, dumps)),
                                       **described.selection.keywords())
