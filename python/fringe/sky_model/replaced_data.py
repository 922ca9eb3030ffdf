#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Copies of visibility files with other visibilities in them."""

import contextlib
import os
import shutil

import numpy as np

from .. import fringe_python as fp
from ..new_file import check_new_file
from ..readers.acc_file import describe_raw
from ..readers.antenna_pairs import products_of_rows
from ..readers.lfile import pair_of
from ..readers.measurement_set import read_rows
from ..readers.ms_rows import chosen_ms_rows
from ..readers.read_visibilities import KINDS
from ..readers.row_index import runs
from ..readers.uvfits_groups import open_groups
from ..readers.uvfits_rows import rows_of_uvfits
from ..readers.uvh5_rows import rows_of_uvh5
from ..staged_files import staged_files


@contextlib.contextmanager
def replaced_data(vis, path, overwrite=False):
    """A copy of a described visibility file, whose data the body of the with statement replaces:

        file.write(first, data, flags)    data: [dump][channel][product] as in `visibilities`,
                                          from dump number `first` on; flags: True = bad, too

    All else stays as it is. The copy gets its name at the end, whole, or never. Raises ValueError
    where `path` has another ending than the source, or cannot be written.
    """
    source, path = vis.path, os.path.normpath(path)
    ending = os.path.splitext(source)[1].lower()
    check_copy(source, path, overwrite)
    names = files_of(path)
    with staged_files(names) as copies:
        for original, copy in zip(files_of(source), copies):
            if os.path.isdir(original):
                shutil.copytree(original, copy)
            else:
                shutil.copyfile(original, copy)
        with contextlib.closing(WRITERS[ending](copies[0], vis)) as file:
            yield file
        check_copy(source, path, overwrite)


def check_copy(source, path, overwrite=False):
    """Raises what replaced_data() would about its names."""
    endings = [os.path.splitext(os.path.normpath(one))[1].lower() for one in (source, path)]
    if endings[0] not in KINDS:
        raise ValueError(f'{source}: is no visibility file that can be read here; they end in '
                         + ', '.join(KINDS.values()))
    if endings[0] != endings[1]:
        raise ValueError(f'--output: {path}: must end in {endings[0]}, as {source} does: the file '
                         'is a copy of it with other data')
    check_names(path, overwrite)


def check_names(path, overwrite=False):
    """Raises ValueError where the files of a visibility file of this name cannot be written."""
    for name in files_of(path):
        if not path.lower().endswith('.ms'):
            check_new_file(name, overwrite)
        elif os.path.lexists(name):
            _check_folder(name, overwrite)
        elif not os.path.isdir(os.path.dirname(os.path.abspath(name))):
            raise ValueError(f'{name}: there is no folder {os.path.dirname(name)}')


def _check_folder(name, overwrite):
    if not overwrite:
        raise ValueError(f'{name}: exists; choose another name, remove it or allow overwriting '
                         '(--overwrite)')
    if os.path.islink(name) or not os.path.isfile(os.path.join(name, 'table.dat')):
        raise ValueError(f'{name}: is no MeasurementSet, which alone is replaced')
    lost = fp.read_in_place_of(name)
    if lost:
        raise ValueError(f'{name}: would replace {lost}, which is read')


def files_of(path):
    """All files of a visibility file: of raw ones several."""
    ending = os.path.splitext(path)[1].lower()
    if ending == '.acc':
        return [path, path + '.yml']
    if ending in ('.lccspc', '.lacspc'):
        crosses, autos = pair_of(path)
        return [crosses, autos, crosses + '.yml']
    return [path]


class _rows:
    """Of a file that has a row for each pair of antennas and dump."""

    def place(self, vis, correlations, ant1, ant2, dump):
        self._dump = dump
        self._table = []
        count = len(vis.inputs)
        number = {entry: k for k, entry in enumerate(vis.inputs)}
        for (product, conjugated), hands in zip(
                products_of_rows(vis, correlations, ant1, ant2), correlations):
            # YX of one antenna repeats its XY.
            for row in np.flatnonzero(product < 0):
                i, j = (number[ant1[row], hand] for hand in hands)
                low, high = min(i, j), max(i, j)
                product[row] = low * count - low * (low - 1) // 2 + high - low
            self._table.append((product, conjugated))

    def rows(self, first, count):
        return np.flatnonzero((self._dump >= first) & (self._dump < first + count))

    def values(self, rows, first, cube):
        """[row][channel][correlation] of a cube [dump][channel][product]."""
        out = np.empty((len(rows), cube.shape[1], len(self._table)), cube.dtype)
        for k, (product, conjugated) in enumerate(self._table):
            part = cube[self._dump[rows] - first, :, product[rows]]
            turned = conjugated[rows][:, None] & np.iscomplexobj(part)
            out[:, :, k] = np.where(turned, part.conj(), part)
        return out


class _ms:
    """The rows of a MeasurementSet that were read, and the column."""

    def __init__(self, path, vis):
        from casacore import tables
        self._path, self._column = path, vis.selection.column
        self._main = tables.table(path, readonly=False, ack=False)
        self._parts = [_ms_part(vis, group) for group in
                       chosen_ms_rows(self._main, path, vis.selection).groups]

    def write(self, first, data, flags=None):
        for part in self._parts:
            rows = part.rows(first, len(data))
            if len(rows):
                self._put(part, rows, first, self._column, data)
                if flags is not None:
                    self._put(part, rows, first, 'FLAG', flags)

    def _put(self, part, rows, first, name, cube):
        at = part.group.rows[rows]
        values = read_rows(self._main, name, self._path, at)
        new = part.values(rows, first, cube[:, part.group.channels])
        places = part.group.places
        values[..., places] = new if name != 'FLAG' else values[..., places] | new
        with contextlib.closing(self._main.selectrows(at)) as chosen:
            chosen.putcol(name, values)

    def close(self):
        self._main.close()


class _ms_part(_rows):
    """Rows of one spectral window and its correlations."""

    def __init__(self, vis, group):
        self.group = group
        self.place(vis, group.correlations, group.ant1, group.ant2, group.dump)


class _uvh5(_rows):
    def __init__(self, path, vis):
        import h5py
        self._file = h5py.File(path, 'r+')
        self._found = rows_of_uvh5(path, self._file, vis.selection)
        self.place(vis, self._found.correlations, self._found.ant1, self._found.ant2,
                   self._found.dump)
        if self._file['Data/visdata'].dtype.names:
            self._file.close()
            raise ValueError(f'{vis.path}: its visibilities are integers, which cannot hold '
                             'others')

    def write(self, first, data, flags=None):
        rows, found = self.rows(first, len(data)), self._found
        for run in runs(found.at[rows], len(rows)):
            part, here = slice(run[0], run[-1] + 1), np.searchsorted(found.at, run)
            inside = np.ix_(run - run[0], found.window.channels, found.places)
            for name, cube in (('Data/visdata', data), ('Data/flags', flags)):
                if cube is not None:
                    column = self._file[name][part]
                    # Old files have an axis of spectral windows.
                    flat = column.reshape(len(column), -1, column.shape[-1])
                    new = self.values(here, first, cube)
                    # <conj(x_1) x_2> in this format.
                    flat[inside] = new.conj() if cube is data else flat[inside] | new
                    self._file[name][part] = flat.reshape(column.shape)

    def close(self):
        self._file.close()


class _uvfits(_rows):
    def __init__(self, path, vis):
        self._path, self._open = vis.path, open_groups(path, 'update')
        self._groups, tables = self._open.__enter__()
        header = self._groups.header
        self._scale = float(header.get('BSCALE', 1)), float(header.get('BZERO', 0))
        if header['BITPIX'] > 0:
            self.close()
            raise ValueError(f'{vis.path}: its visibilities are integers, which cannot hold '
                             'others')
        self._found = rows_of_uvfits(path, self._groups, tables, vis.selection)
        self.place(vis, self._found.correlations, self._found.ant1, self._found.ant2,
                   self._found.dump)

    def write(self, first, data, flags=None):
        for number in range(len(self._found.window.setups)):
            rows = self.rows(first, len(data))
            rows = rows[self._found.setup[rows] == number]
            channels = self._found.window.channels(number)
            for run in runs(self._found.at[rows], len(rows)):
                self._write(run, first, data[:, channels],
                            None if flags is None else flags[:, channels])

    def _write(self, run, first, data, flags):
        found = self._found
        here = np.searchsorted(found.at, run)
        view = self._groups.values(slice(run[0], run[-1] + 1))
        inside = np.ix_(run - run[0], found.window.windows, np.arange(view.shape[2]), found.places)
        scale, zero = self._scale
        new = self.values(here, first, data).reshape(view[..., 0][inside].shape)
        view[..., 0][inside] = (new.real - zero) / scale
        view[..., 1][inside] = (new.imag - zero) / scale
        if flags is None:
            return
        flags = self.values(here, first, flags).reshape(new.shape)
        if view.shape[-1] == 3:
            weights = view[..., 2][inside]
            view[..., 2][inside] = np.where(flags, -np.abs(weights), weights)
        elif flags.any():
            raise ValueError(f'{self._path}: has no weights, which flags are in this format')

    def close(self):
        self._open.__exit__(None, None, None)


class _raw:
    """An ACC file, or a pair of L-files: [dump][product][channel], 0 where nothing is valid."""

    def __init__(self, path, vis):
        crosses = os.path.splitext(path)[1].lower() != '.acc'
        order = describe_raw(path, path + '.yml', None, None)[1]
        i, j = vis.products
        parts = [(path, 'c8', np.ones(len(i), bool))]
        if crosses:
            parts = [(name, kind, which) for name, kind, which in zip(
                pair_of(path), ('c8', 'f4'), (i != j, i == j)) if which.any()]
        shape = len(vis.seconds), len(vis.frequencies)
        self._parts = [(np.memmap(name, np.dtype(order + kind), 'r+',
                                  shape=(shape[0], np.count_nonzero(which), shape[1])), which)
                       for name, kind, which in parts]

    def write(self, first, data, flags=None):
        if flags is not None:
            data = np.where(flags, 0, data)
        for raw, which in self._parts:
            new = data[:, :, which].transpose(0, 2, 1)
            raw[first:first + len(data)] = new if raw.dtype.kind == 'c' else new.real

    def close(self):
        for raw, _ in self._parts:
            raw.flush()


WRITERS = {'.ms': _ms, '.uvh5': _uvh5, '.uvfits': _uvfits, '.acc': _raw, '.lccspc': _raw,
           '.lacspc': _raw}
