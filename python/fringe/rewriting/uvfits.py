#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Other visibilities in a UVFITS file."""

import numpy as np

from ..certificates.sums import row_sums
from ..certificates.uvfits import columns_of_groups
from ..readers.row_index import runs
from ..readers.uvfits_groups import open_groups
from ..readers.uvfits_rows import rows_of_uvfits
from .rows import rewritten_rows

#: Columns, as the certificate has them, that are written.
CHANGED = ('DATA', 'WEIGHT')


class rewritten_uvfits(rewritten_rows):
    def __init__(self, path, vis, *_, before=None):
        self.sums = row_sums(before)
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
                whole = np.arange(run[0], run[-1] + 1)
                old = columns_of_groups(self._groups, whole, CHANGED)
                self._write(run, first, data[:, channels],
                            None if flags is None else flags[:, channels])
                new = columns_of_groups(self._groups, whole, CHANGED)
                for name in CHANGED:
                    self.sums.replace(name, whole, old[name], new[name])
                self.sums.counts['flagged'] += int(np.count_nonzero(~(new['WEIGHT'] > 0))
                                                   - np.count_nonzero(~(old['WEIGHT'] > 0)))

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
