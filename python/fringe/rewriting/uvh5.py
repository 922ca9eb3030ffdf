#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Other visibilities in a UVH5 file."""

import numpy as np

from ..certificates.sums import row_sums
from ..readers.row_index import runs
from ..readers.uvh5_rows import rows_of_uvh5
from .rows import rewritten_rows


class rewritten_uvh5(rewritten_rows):
    def __init__(self, path, vis, *_, before=None):
        import h5py
        self.sums = row_sums(before)
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
                    old = column.copy()
                    # Old files have an axis of spectral windows.
                    flat = column.reshape(len(column), -1, column.shape[-1])
                    new = self.values(here, first, cube)
                    # <conj(x_1) x_2> in this format.
                    flat[inside] = new.conj() if cube is data else flat[inside] | new
                    self._file[name][part] = flat.reshape(column.shape)
                    self.sums.replace(name.split('/')[1], np.arange(part.start, part.stop), old,
                                      flat.reshape(column.shape))

    def close(self):
        self._file.close()
