#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Units of columns of the tables of UVFITS files."""

import numpy as np

METERS = {**dict.fromkeys(('', 'METERS', 'METRES', 'METER', 'METRE', 'M'), 1.0), 'KM': 1e3}
HERTZ = {'': 1.0, 'HZ': 1.0, 'KHZ': 1e3, 'MHZ': 1e6, 'GHZ': 1e9}
RADIANS = {**dict.fromkeys(('', 'DEGREES', 'DEGREE', 'DEG'), np.pi / 180),
           **dict.fromkeys(('RADIANS', 'RADIAN', 'RAD'), 1.0)}


def column_of(table, name):
    """The column of a name, whatever blanks and small letters the file has in it; or None."""
    return next((column for column in table.columns if column.name.strip().upper() == name), None)


def factor_of(path, table, name, units):
    """What numbers of a column are multiplied by, of the units that it may have; 1 without it."""
    column = column_of(table, name)
    unit = str(column.unit or '').strip().upper() if column is not None else ''
    if unit not in units:
        raise ValueError(f'{path}: {table.name}: {name}: unit {unit}: must be '
                         + ', '.join(word for word in units if word))
    return units[unit]
