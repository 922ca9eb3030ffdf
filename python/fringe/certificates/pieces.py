#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Rows of a file as they stand in it, some at a time."""
from dataclasses import dataclass

import numpy as np

#: Bytes of rows that are in memory at a time.
MEMORY = 2**27


@dataclass
class row_piece:
    """Some rows, and their columns, [row]..., by the names that the certificate has."""
    rows: np.ndarray    #: their numbers in the file
    columns: dict
    #: (column) -> data, weights, flags of the same shape; None where the file has data only
    values: object = None


def packed(*columns):
    """[row] of columns beside each other, without gaps between them."""
    columns = [np.ascontiguousarray(column) for column in columns]
    kind = np.dtype([(f'f{k}', column.dtype, column.shape[1:])
                     for k, column in enumerate(columns)])
    out = np.empty(len(columns[0]), kind)
    for k, column in enumerate(columns):
        out[f'f{k}'] = column
    return out
