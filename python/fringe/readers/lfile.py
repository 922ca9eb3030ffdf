#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads pairs of L-files: x.LCCSPC, the cross-correlations, and x.LACSPC, the
autocorrelations, with x.LCCSPC.yml that describes them."""

import os

import numpy as np

from .. import fringe_python as fp
from .acc_file import count_dumps, cut_dumps, describe_raw, fill_raw
from .visibilities import thin_out


def pair_of(path):
    """Paths of the two files of a pair: crosses, autos; `path` is either."""
    stem, ending = os.path.splitext(path)
    small = ending.islower()
    return tuple(stem + (name.lower() if small else name) for name in ('.LCCSPC', '.LACSPC'))


def files_of_lfiles(path):
    """The two files of a pair, and the one that describes them."""
    crosses, autos = pair_of(path)
    return [crosses, autos, crosses + '.yml']


def read_lfiles(path, inputs, channels, limit):
    """`visibilities` of a pair of L-files; without data where limit is None."""
    crosses, autos = pair_of(path)
    for half in (crosses, autos):
        if not os.path.exists(half):
            raise ValueError(f'{path}: its other half, {half}, is missing')
        fp.note_read(half)
    vis, order = describe_raw(path, crosses + '.yml', inputs, channels)
    channels = channels if vis.frequencies is None else len(vis.frequencies)
    count = len(vis.inputs)
    i, j = vis.products
    parts = [(autos, 'f4', i == j)] + ([(crosses, 'c8', i != j)] if count > 1 else [])
    held = [count_dumps(vis, name, np.count_nonzero(which) * channels * int(kind[1]))
            for name, kind, which in parts]
    dumps = min(held)
    if max(held) > dumps and not vis.partial:
        raise ValueError(f'{path}: damaged, {crosses} and {autos} do not hold the same dumps '
                         'of these inputs and channels')
    # Of a partial pair the last dump may be in one of them only.
    cut_dumps(vis, dumps)
    if limit is not None:
        dumps_read = thin_out(vis, channels, limit)
        vis.data = np.empty((len(dumps_read), channels, len(i)), np.complex64)
        for name, kind, which in parts:
            shape = (dumps, np.count_nonzero(which), channels)
            try:
                raw = np.memmap(name, np.dtype(order + kind), 'r', shape=shape)
            except OSError as error:
                raise ValueError(f'{name}: cannot be read: {error.strerror}') from None
            vis.data[:, :, which] = raw[dumps_read].transpose(0, 2, 1)
        fill_raw(vis)
    return vis
