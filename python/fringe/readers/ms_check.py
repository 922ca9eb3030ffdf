#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets of unknown origin: casacore survives reading them, or they are refused."""

import contextlib
import os
import stat

import numpy as np

from .tried_apart import try_apart

#: Files of a MeasurementSet, more than any has.
MAX_FILES = 100_000
#: A set of fewer bytes is read through; of a larger one some cells of each column of arrays.
READ_THROUGH = 2**26
SOME_CELLS = 64
#: Rows of a column that are read at a time.
STEP = 2**18
#: The same, of a column of arrays.
ARRAYS = 2**12

#: State of the files of the sets that have passed, by the folder's real path.
_passed = {}
#: Sets that this process writes.
_own = set()


def check_ms(path, kind='MeasurementSet'):
    """Raises ValueError for a folder with pipes or devices, which casacore would wait for or read
    without end, and for a set that casacore does not survive.

    kind: what the tables are, in words."""
    state, size = _state(path, kind)
    place = os.path.realpath(path)
    if place in _own or _passed.get(place) == state:
        return
    wrong = try_apart(lambda: _read_tables(path, size <= READ_THROUGH))
    if wrong:
        raise ValueError(f'{path}: is a damaged {kind}: {wrong}')
    _passed[place] = state


def check_together(paths):
    """Checks several sets in one process, which is quicker than check_ms() for each. It raises
    nothing: what does not pass is for check_ms() to say."""
    found = {}
    for path in paths:
        place = os.path.realpath(path)
        with contextlib.suppress(ValueError):
            state, size = _state(path, 'MeasurementSet')
            if place not in _own and _passed.get(place) != state:
                found[place] = path, state, size
    if len(found) < 2:
        return

    def read():
        for path, _, size in found.values():
            _read_tables(path, size <= READ_THROUGH)
    if not try_apart(read):
        _passed.update({place: state for place, (_, state, _) in found.items()})


@contextlib.contextmanager
def written_here(path):
    """While the body writes a set, it is taken as sound."""
    place = os.path.realpath(path)
    _own.add(place)
    try:
        yield
    finally:
        _own.discard(place)


def _state(path, kind):
    """What tells files from changed ones, and their bytes."""
    left, found, size = MAX_FILES, [], 0
    for folder, folders, files in os.walk(path, followlinks=True):
        left -= len(folders) + len(files)
        if left < 0:
            raise ValueError(f'{path}: holds more than {MAX_FILES} files, which no {kind} does')
        for name in files:
            member = os.path.join(folder, name)
            try:
                status = os.stat(member)
            except FileNotFoundError:  # its writer has removed it
                continue
            except OSError as error:
                raise ValueError(f'{member}: cannot be read: {error.strerror}') from None
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f'{member}: is not a plain file, and stands in a {kind}')
            found.append((member, status.st_ino, status.st_size, status.st_mtime_ns))
            size += status.st_size
    return found, size


def _read_tables(path, whole):
    """Reads the table and its subtables; what casacore refuses is left to the reader."""
    from casacore import tables
    names = [''] + [name for name in sorted(os.listdir(path))
                    if os.path.isfile(os.path.join(path, name, 'table.dat'))]
    for name in names:
        with contextlib.suppress(RuntimeError), contextlib.closing(
                tables.table(os.path.join(path, name), ack=False)) as table:
            for column in table.colnames():
                with contextlib.suppress(RuntimeError):
                    _read_column(table, column, whole or bool(name))


def _read_column(table, column, whole):
    rows = table.nrows()
    if table.isscalarcol(column):
        for start in range(0, rows, STEP):
            table.getcol(column, start, min(STEP, rows - start))
    elif whole:
        for start in range(0, rows, ARRAYS):
            _read_arrays(table, column, start, min(ARRAYS, rows - start))
    else:
        _read_cells(table, column, np.unique(np.linspace(0, rows - 1, SOME_CELLS).astype(int)))


def _read_arrays(table, column, start, count):
    """Arrays of one shape are read together, which is quick; casacore dies of others."""
    alike = 'shape' in table.getcoldesc(column)  # by the column's description
    with contextlib.suppress(RuntimeError):
        alike = alike or len(set(table.getcolshapestring(column, start, count))) == 1
    if alike:
        with contextlib.suppress(RuntimeError):
            table.getcol(column, start, count)
            return
    _read_cells(table, column, range(start, start + count))


def _read_cells(table, column, rows):
    for row in rows:
        with contextlib.suppress(RuntimeError):
            if table.iscelldefined(column, int(row)):
                table.getcell(column, int(row))
