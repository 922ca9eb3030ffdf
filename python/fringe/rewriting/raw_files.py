#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Other visibilities in an ACC file, or in a pair of L-files."""

import os

import numpy as np

from ..certificates.raw import column_of
from ..certificates.sums import row_sums
from ..readers.acc_file import describe_raw
from ..readers.lfile import pair_of


class rewritten_raw:
    """An ACC file, or a pair of L-files: [dump][product][channel], 0 where nothing is valid."""

    def __init__(self, path, vis, *_, before=None):
        self.sums = row_sums(before)
        crosses = os.path.splitext(path)[1].lower() != '.acc'
        order = describe_raw(path, path + '.yml', None, None)[1]
        i, j = vis.products
        parts = [(path, 'c8', np.ones(len(i), bool))]
        if crosses:
            parts = [(name, kind, which) for name, kind, which in zip(
                pair_of(path), ('c8', 'f4'), (i != j, i == j)) if which.any()]
        self._columns = [column_of(name) for name, _, _ in parts]
        shape = len(vis.seconds), len(vis.frequencies)
        self._parts = [(np.memmap(name, np.dtype(order + kind), 'r+',
                                  shape=(shape[0], np.count_nonzero(which), shape[1])), which)
                       for name, kind, which in parts]

    def write(self, first, data, flags=None):
        if flags is not None:
            data = np.where(flags, 0, data)
        for column, (raw, which) in zip(self._columns, self._parts):
            old = raw[first:first + len(data)].copy()
            new = data[:, :, which].transpose(0, 2, 1)
            raw[first:first + len(data)] = new if raw.dtype.kind == 'c' else new.real
            self.sums.replace(column, np.arange(first, first + len(data)), old,
                              raw[first:first + len(data)])

    def finish(self, history):
        """Nothing is left to be done."""

    def close(self):
        for raw, _ in self._parts:
            raw.flush()
