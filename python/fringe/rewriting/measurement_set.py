#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Other visibilities in a MeasurementSet: a column beside the others."""

import contextlib
import os
import shutil
import time

import numpy as np

from ..certificates.sums import row_sums
from ..ground.dates import MJD_SECONDS_OF_1970
from ..readers.measurement_set import read_rows
from ..readers.ms_rows import chosen_ms_rows
from ..certificates.ms_history import add_history
from .rows import rewritten_rows

#: Behind the name of a column that is not whole.
UNFINISHED = '_UNFINISHED'
#: Bytes of a column in memory at a time.
MEMORY = 2**27


class rewritten_ms:
    """A MeasurementSet that gets, or has, a column of data, of which the rows that were read are
    written. Elsewhere it is as it was; a new one is 0 there, or, if it is CORRECTED_DATA, as what
    was read. It has its name when all is written."""

    def __init__(self, path, vis, column, overwrite=False, before=None):
        from casacore import tables
        self.sums = row_sums(before)
        self._path, self._column, self._new = path, column, column + UNFINISHED
        if not os.access(os.path.join(path, 'table.dat'), os.W_OK):
            raise ValueError(f'{path}: may not be written')
        self._main = tables.table(path, readonly=False, ack=False)
        try:
            if not overwrite and column in self._main.colnames():
                raise ValueError(f'{path}: has a column {column}; allow overwriting it '
                                 '(overwrite=True)')
            self._remove(self._new)
            self._make_column(vis.selection.column)
            self._flags = []  # (number of the first dump, bits, their shape), put when all is well
            self._parts = [_ms_part(vis, group) for group in
                           chosen_ms_rows(self._main, path, vis.selection).groups]
        except BaseException:
            self.close()
            raise

    def write(self, first, data, flags=None):
        """As replaced_data() has it."""
        for part in self._parts:
            self._put(part, first, self._new, data)
        if flags is not None and flags.any():
            self._flags.append((first, np.packbits(flags), flags.shape))

    def finish(self, history):
        """The column gets its name, the set its flags, and HISTORY a line."""
        self._remove(self._column)
        self._main.renamecol(self._new, self._column)
        self.sums.sums[self._column] = self.sums.sums.pop(self._new)
        for first, bits, shape in self._flags:
            flags = np.unpackbits(bits, count=int(np.prod(shape))).reshape(shape).astype(bool)
            for part in self._parts:
                self._put(part, first, 'FLAG', flags)
        self._main.flush(recursive=True)
        add_history(self._path, [history], time.time() + MJD_SECONDS_OF_1970)

    def close(self):
        """Without finish() the set is as it was."""
        self._remove(self._new)
        self._main.close()

    def _remove(self, name):
        if name in self._main.colnames():
            self._main.removecols(name)

    def _make_column(self, like):
        from casacore import tables
        about, manager = self._main.getcoldesc(like), self._main.getdminfo(like)
        manager['NAME'] = about['dataManagerGroup'] = _free_name(self._main, self._column)
        self._main.addcols(tables.maketabdesc(tables.makecoldesc(self._new, about)), manager)
        source = self._column if self._column in self._main.colnames() else like
        keep = source == self._column or self._column == 'CORRECTED_DATA'
        kinds = self._main.getcol('DATA_DESC_ID')
        for kind in np.unique(kinds):
            rows = np.flatnonzero(kinds == kind)
            if not self._main.iscelldefined(source, int(rows[0])):
                continue
            step = max(1, MEMORY // (8 * self._main.getcell(source, int(rows[0])).size))
            for start in range(0, len(rows), step):
                some = rows[start:start + step]
                values = read_rows(self._main, source, self._path, some)
                values = values if keep else np.zeros_like(values)
                self._put_rows(self._new, some, values)
                self.sums.add(self._new, some, values)

    def _put(self, part, first, name, cube):
        rows = part.rows(first, len(cube))
        if not len(rows):
            return
        at = part.group.rows[rows]
        old = read_rows(self._main, name, self._path, at)
        new = part.values(rows, first, cube[:, part.group.channels])
        places, values = part.group.places, old.copy()
        values[..., places] = new if name != 'FLAG' else values[..., places] | new
        self._put_rows(name, at, values)
        if name == 'FLAG':
            whole = read_rows(self._main, 'FLAG_ROW', self._path, at)[:, None, None]
            old, values = old | whole, values | whole
        self.sums.replace(name, at, old, values)

    def _put_rows(self, name, rows, values):
        with contextlib.closing(self._main.selectrows(rows)) as chosen:
            chosen.putcol(name, values)


def _free_name(table, name):
    """A name for a storage manager that the table has not."""
    taken = {manager['NAME'] for manager in table.getdminfo().values()}
    return next(candidate for candidate in (f'gr-fringe {name} {k}' for k in range(len(taken) + 1))
                if candidate not in taken)


def linked_copy(path, copy, columns):
    """A copy of a MeasurementSet in which these columns may be changed. Files of other columns
    are the same ones, where the file system can do that."""
    from casacore import tables
    with contextlib.closing(tables.table(path, ack=False)) as main:
        shared = [manager['SEQNR'] for manager in main.getdminfo().values()
                  if not set(columns) & set(manager['COLUMNS'])]

    def copied(source, target):
        stem = os.path.relpath(source, path).split('_')[0]
        if stem in [f'table.f{number}' for number in shared]:
            with contextlib.suppress(OSError):
                os.link(source, target)
                return target
        return shutil.copy2(source, target)
    shutil.copytree(path, copy, copy_function=copied)


class _ms_part(rewritten_rows):
    """Rows of one spectral window and its correlations."""

    def __init__(self, vis, group):
        self.group = group
        self.place(vis, group.correlations, group.ant1, group.ant2, group.dump)
