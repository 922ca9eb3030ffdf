#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Opens MeasurementSets (.ms) through python3-casacore, and reads columns and cells of their
tables."""

import contextlib
import contextvars
import os

import numpy as np

from .ms_check import check_ms


def open_ms(path, subtable='', checked=False):
    """Opens a table of a MeasurementSet, read only; checked: it was sound a moment ago. Throws
    ValueError."""
    try:
        from casacore import tables
    except ImportError:
        raise ValueError(f'{path}: reading a MeasurementSet needs python3-casacore '
                         '(apt install python3-casacore)') from None
    if not os.path.isfile(os.path.join(path, 'table.dat')):
        raise ValueError(f'{path}: is not a MeasurementSet (it holds no table.dat)')
    if not subtable and not checked:
        check_ms(path)
    try:
        return tables.table(os.path.join(path, subtable), ack=False)
    except RuntimeError as error:
        raise ValueError(f'{path}: cannot be opened as a MeasurementSet: {error}') from None


def read_column(table, name, path, *rows):
    """Rows of a column of an open table. Throws ValueError."""
    try:
        return table.getcol(name, *rows)
    except RuntimeError as error:
        raise ValueError(f'{path}: damaged, the column {name} cannot be read: '
                         f'{error}') from None


def read_cell(table, name, row, path, shape=None):
    """One cell of an open table, of a shape in which None is any number but 0.

    Throws ValueError.
    """
    try:
        cell = table.getcell(name, int(row))
    except RuntimeError as error:
        raise ValueError(f'{path}: damaged, row {row} of the column {name} cannot be read: '
                         f'{error}') from None
    if shape is not None:
        _check_shape(np.shape(cell), shape, f'{path}: damaged, row {row} of the column {name}')
    return cell


def _check_shape(found, shape, what):
    if len(found) != len(shape) or not all(
            n > 0 and right in (None, n) for n, right in zip(found, shape)):
        words = ' x '.join('n' if right is None else str(right) for right in shape)
        raise ValueError(f'{what} has {" x ".join(map(str, found)) or 1} values; it must have '
                         f'{words}')


def read_rows(table, name, path, rows, shape=None):
    """Rows of a column of an open table, by their rising numbers. Throws ValueError.

    shape: of a cell, as read_cell() has it.
    """
    first, count = int(rows[0]), len(rows)
    if rows[-1] - first + 1 == count:
        values = read_column(table, name, path, first, count)
    else:  # the cells of other rows, which may have other shapes, are not read
        with contextlib.closing(table.selectrows(rows)) as chosen:
            values = read_column(chosen, name, path)
    if shape is not None:
        _check_shape(values.shape[1:], shape, f'{path}: damaged, a cell of its column {name}')
    return values


#: Subtables that stay open for a while, by path and name; None: each is closed after its use.
_open = contextvars.ContextVar('open subtables', default=None)


@contextlib.contextmanager
def subtables_open():
    """While the body reads them, subtables are opened once each."""
    with contextlib.ExitStack() as stack:
        kept = _open.set({})
        stack.callback(_open.reset, kept)
        stack.callback(lambda tables: [table.close() for table in tables.values()], _open.get())
        yield


@contextlib.contextmanager
def subtable(path, name):
    """An open subtable, which has rows."""
    kept = _open.get()
    if kept is not None and (path, name) in kept:
        yield kept[path, name]
        return
    with contextlib.ExitStack() as stack:
        table = open_ms(path, name)
        if kept is None:
            stack.callback(table.close)
        else:
            kept[path, name] = table
        if table.nrows() == 0:
            raise ValueError(f'{path}: damaged, its table {name} is empty')
        yield table
