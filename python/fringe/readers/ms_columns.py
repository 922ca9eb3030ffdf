#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which columns of a MeasurementSet data and weights are read from."""

import numpy as np

from .measurement_set import read_rows
from .selection import wrong_part
from .visibilities import UNITS, UNWEIGHTED

COLUMNS = ('DATA', 'CORRECTED_DATA', 'MODEL_DATA')
#: Rows of which weights are read at first, to see whether one is positive.
SOME_ROWS = 64


def data_column(main, path, found, vis):
    """Name of the column that is chosen; by default CORRECTED_DATA where it is.

    A set with more than DATA gets a remark that says which is read.
    """
    row = int(found.groups[0].rows[0])
    there = [name for name in COLUMNS if _is_there(main, name, row)]
    if not there:
        raise ValueError(f'{path}: holds no visibilities: its columns {", ".join(COLUMNS)} are '
                         'missing or empty')
    name = found.selection.column
    if name is None:
        name = next(name for name in ('CORRECTED_DATA', 'DATA', 'MODEL_DATA') if name in there)
    elif name.upper() not in there:
        raise wrong_part(f'{path}: column={name}: is not in the set, which has '
                                   + ', '.join(there))
    name = name.upper()
    words = main.getcolkeywords(name)
    unit = str(np.ravel(words.get('QuantumUnits', words.get('UNIT', '')))[0])
    vis.unit = UNITS.get(unit.lower().replace('.', ' '), vis.unit)
    if len(there) > 1:
        others = ' and '.join(column for column in there if column != name)
        vis.remarks.append(f'its column {name} is read, not {others}')
    return name


def _is_there(main, name, row):
    return name in main.colnames() and main.iscelldefined(name, row)


def weight_column(main, path, found, vis):
    """WEIGHT_SPECTRUM or WEIGHT: the first that has a positive weight; None where neither has,
    with a remark."""
    for name in ('WEIGHT_SPECTRUM', 'WEIGHT'):
        if all(_is_there(main, name, int(group.rows[0])) for group in found.groups) and any(
                _is_positive(main, name, path, group.rows) for group in found.groups):
            return name
    vis.remarks.append(UNWEIGHTED)
    return None


def weights_of(main, path, rows, shape, name):
    """[row][channel][correlation], from the column `name`; None: all 1."""
    weights = np.ones((len(rows), *shape), np.float32)
    if name == 'WEIGHT':
        weights *= read_rows(main, name, path, rows, shape[1:])[:, None]
    elif name:
        weights *= read_rows(main, name, path, rows, shape)
    return weights


def flags_of(main, path, rows, shape=None):
    """[row][channel][correlation]; of a flagged row all are."""
    flags = read_rows(main, 'FLAG', path, rows, shape)
    if 'FLAG_ROW' in main.colnames():
        flags |= read_rows(main, 'FLAG_ROW', path, rows)[:, None, None]
    return flags


def _is_positive(main, name, path, rows):
    start, count = 0, SOME_ROWS
    while start < len(rows):
        values = read_rows(main, name, path, rows[start:start + count])
        if (values > 0).any():
            return True
        start, count = start + count, 2 * count
    return False
