#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a MeasurementSet, as lib/io/visibilities/writers/ms_certificate.cc computes them."""
import contextlib

import numpy as np

from ..readers.measurement_set import open_ms, read_column, read_rows
from .pieces import MEMORY, packed, row_piece
from .sums import crc_of, crc_of_texts

#: Columns [channel][correlation], which a row may have or not.
DATA = ('DATA', 'CORRECTED_DATA', 'MODEL_DATA', 'FLOAT_DATA')
COLUMNS = ('TIME', 'UVW', 'FLAG', 'WEIGHT', 'WEIGHT_SPECTRUM', *DATA)
#: What makes TIME, in this order: what a row belongs to.
KEY = (('TIME', 'f8'), ('INTERVAL', 'f8'), ('EXPOSURE', 'f8'), ('ANTENNA1', 'i4'),
       ('ANTENNA2', 'i4'), ('DATA_DESC_ID', 'i4'), ('FIELD_ID', 'i4'))
TABLES = ('ANTENNA.NAME', 'ANTENNA.POSITION', 'FEED.RECEPTOR_ANGLE', 'FIELD.NAME',
          'FIELD.PHASE_DIR', 'POLARIZATION.CORR_TYPE', 'SPECTRAL_WINDOW.CHAN_FREQ',
          'SPECTRAL_WINDOW.CHAN_WIDTH')


def pieces_of_ms(path, without=()):
    """row_pieces, without some of the columns, of the windows one after the other."""
    with contextlib.closing(open_ms(path)) as main:
        there = [name for name in COLUMNS if name in main.colnames()
                 and name not in without]
        if not there:
            return
        kinds = read_column(main, 'DATA_DESC_ID', path)
        for kind in np.unique(kinds):
            rows = np.flatnonzero(kinds == kind)
            held = [name for name in there if name == 'TIME'
                    or main.iscelldefined(name, int(rows[0]))]
            cells = max([np.size(main.getcell(name, int(rows[0])))
                         for name in held if name != 'TIME'] or [1])
            step = max(1, MEMORY // (8 * cells))
            for start in range(0, len(rows), step):
                some = rows[start:start + step]
                yield _piece(main, path, some, held)


def _piece(main, path, rows, names):
    def read(name):
        return read_rows(main, name, path, rows)
    found = {}
    for name in names:
        if name == 'TIME':
            found[name] = packed(*(read(column).astype(kind) for column, kind in KEY))
        else:
            found[name] = read(name)
    if 'FLAG' in found and 'FLAG_ROW' in main.colnames():
        found['FLAG'] = found['FLAG'] | read('FLAG_ROW')[:, None, None]
    return row_piece(rows, found, lambda column: _values(found, column))


def _values(found, column):
    """Of data as they stand in the file; of any column of data where there is no such one."""
    column = column if column in found else next(name for name in DATA if name in found)
    data = found[column]
    weights = found.get('WEIGHT_SPECTRUM')
    if weights is None or weights.shape != data.shape:
        weights = np.broadcast_to(found['WEIGHT'][:, None], data.shape)
    return data, weights, found['FLAG']


def tables_of_ms(path):
    """CRC-32C of what describes the rows."""
    return tables_of(path, TABLES)


def tables_of(path, names):
    """CRC-32C of columns of subtables, TABLE.COLUMN."""
    found = {}
    for name in names:
        table, column = name.split('.')
        with contextlib.closing(open_ms(path, table)) as opened:
            rows = range(opened.nrows())
            if column == 'NAME':
                found[name] = crc_of_texts(opened.getcell(column, row) for row in rows)
            else:
                cells = [np.ascontiguousarray(opened.getcell(column, row)).tobytes()
                         for row in rows if opened.iscelldefined(column, row)]
                found[name] = crc_of(np.frombuffer(b''.join(cells), np.uint8))
    return found


def history_of_ms(path):
    """Lines."""
    with contextlib.closing(open_ms(path, 'HISTORY')) as table:
        return '\n'.join(read_column(table, 'MESSAGE', path)) if table.nrows() else ''
