#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads MeasurementSets (.ms)."""

import contextlib
import os
from dataclasses import dataclass, replace

import numpy as np

from .antenna_pairs import empty_data, products_of_rows, put_rows, set_uvw, turn_uvw
from .damage import damage_reported
from .measurement_set import open_ms, read_rows, subtables_open
from .ms_columns import COLUMNS, data_column, flags_of, weight_column, weights_of
from .ms_description import describe_ms
from .ms_measures import factors
from .ms_rows import chosen_ms_rows, ms_parts
from .selection import selection
from .visibilities import clean, thin_out

#: Times that a MeasurementSet is opened again when its writer replaced it meanwhile.
ATTEMPTS = 10
#: Values of a column that are in memory at a time.
STEP = 2**24
NEEDED = {'UVW', 'TIME', 'ANTENNA1', 'ANTENNA2', 'FIELD_ID', 'DATA_DESC_ID'}


def read_ms(path, limit, chosen=selection()):
    """`visibilities` of a part of a MeasurementSet; without data where limit is None."""
    return _unchanged(path, lambda main: _read(main, path, limit, chosen))


def parts_of_ms(path):
    """A `selection` for each field, spectral window and subarray that rows name."""
    return _unchanged(path, lambda main: ms_parts(path, main))


def _unchanged(path, read):
    """What `read` makes of the open set, once more when its writer has replaced it meanwhile."""
    for left in reversed(range(ATTEMPTS)):
        before = _identity(path)
        try:
            with (contextlib.closing(open_ms(path)) as main, subtables_open(),
                  damage_reported(path, 'MeasurementSet')):
                _check(main, path)
                result = read(main)
        except ValueError:
            if not left or _identity(path) in (before, None):
                raise
            continue
        if not left or _identity(path) in (before, None):
            return result


def _identity(path):
    """What tells one folder from another that took its place; None when it is gone."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _check(main, path):
    missing = NEEDED - set(main.colnames())
    if not set(COLUMNS) & set(main.colnames()):
        missing.add('DATA')
    if missing:
        raise ValueError(f'{path}: is no MeasurementSet of visibilities; it has no column '
                         + ', '.join(sorted(missing)))
    if main.nrows() == 0:
        raise ValueError(f'{path}: holds no visibilities (no rows)')


def _read(main, path, limit, chosen):
    described = _describe(main, path, chosen)
    if limit is not None:
        return described.read(main, limit)
    vis = described.vis
    return replace(vis, remarks=list(vis.remarks), inputs=list(vis.inputs), reader=described)


def _describe(main, path, chosen):
    found = chosen_ms_rows(main, path, chosen)
    vis, north = describe_ms(main, path, found)
    column = data_column(main, path, found, vis)
    weights = weight_column(main, path, found, vis)
    vis.selection = replace(found.selection, column=column)
    uvw = [read_rows(main, 'UVW', path, group.rows, (3,)) for group in found.groups]
    set_uvw(vis, np.concatenate(uvw) * factors(main, 'UVW', 'm', path),
            *(np.concatenate([getattr(group, name) for group in found.groups])
              for name in ('dump', 'ant1', 'ant2')))
    turn_uvw(vis, north)
    return described_set(path, _identity(path), vis, found.groups, column, weights)


@dataclass
class described_set:
    """What was found in a MeasurementSet: its data are read later, in parts."""
    path: str
    identity: object
    vis: object             #: `visibilities`
    groups: list            #: rows_alike
    column: str
    weights: str            #: the column of weights; None: all are 1

    def __call__(self, dumps):
        """`visibilities` of a range of dumps; None where another set is in its place now."""
        if _identity(self.path) != self.identity:
            return None
        with (contextlib.closing(open_ms(self.path, checked=True)) as main,
              damage_reported(self.path, 'MeasurementSet')):
            return self.read(main, dumps)

    def read(self, main, limit):
        """Of a range of dumps, or as many of all as need `limit` bytes."""
        vis = replace(self.vis, remarks=list(self.vis.remarks), inputs=list(self.vis.inputs))
        place = np.full(len(vis.seconds), -1)
        kept = thin_out(vis, len(vis.frequencies), limit)
        place[kept] = np.arange(len(kept))
        empty_data(vis)
        for group in self.groups:
            _fill(vis, main, self.path, group, place[group.dump], self.column, self.weights)
        clean(vis)
        return vis


def _fill(vis, main, path, group, dump, column, weight_name):
    products = products_of_rows(vis, group.correlations, group.ant1, group.ant2)
    held = group.channels.stop - group.channels.start, group.held
    read = slice(None) if len(group.places) == group.held else group.places
    wanted = np.flatnonzero(dump >= 0)
    step = max(1, STEP // (held[0] * held[1]))
    for start in range(0, len(wanted), step):
        here = wanted[start:start + step]
        rows = group.rows[here]
        data = read_rows(main, column, path, rows, held)
        flags = flags_of(main, path, rows, held)
        weights = weights_of(main, path, rows, held, weight_name)
        put_rows(vis, products, here, dump[here], *(
            values[..., read] for values in (data, weights, flags)), group.channels)
