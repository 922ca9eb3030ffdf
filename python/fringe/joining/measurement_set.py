#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets joined along frequency."""
import contextlib
import os

import numpy as np

from ..certificates.ms import COLUMNS
from ..certificates.sums import row_sums
from ..readers.measurement_set import open_ms, read_cell, read_column, read_rows, subtable
from ..readers.ms_columns import flags_of
from ..readers.ms_measures import factors
from ..readers.ms_rows import chosen_ms_rows
from ..readers.selection import in_words, wrong_part
from ..certificates.ms_history import add_history
from .rows import check_uvw, chosen_rows, parts_of_rows

#: Columns [channel][correlation], and what stands in channels that no file has.
SPECTRA = {'DATA': 0, 'CORRECTED_DATA': 0, 'MODEL_DATA': 0, 'FLOAT_DATA': 0, 'FLAG': True,
           'WEIGHT_SPECTRUM': 0, 'SIGMA_SPECTRUM': 1}
MAX_TILE_CHANNELS = 4096
TILE_BYTES = 2**20


def width_of_ms(vis):
    """Width of a channel in Hz."""
    row = vis.selection.spw
    if not isinstance(row, int):
        raise wrong_part(f'{vis.path}: spw={in_words(row)}: one window of each file is joined')
    with subtable(vis.path, 'SPECTRAL_WINDOW') as table:
        width = read_cell(table, 'CHAN_WIDTH', row, vis.path)[0]
        return abs(float(width * factors(table, 'CHAN_WIDTH', 'Hz', vis.path)))


def join_ms(copies, plan):
    """Writes the MeasurementSet copies[0]; row_sums of its spectra."""
    sums = row_sums()
    with contextlib.ExitStack() as stack:
        tables = [stack.enter_context(contextlib.closing(open_ms(path))) for path in plan.paths]
        groups = [_group_of(table, vis) for table, vis in zip(tables, plan.files)]
        rows = [group.rows[here] for group, here in zip(groups, chosen_rows(
            plan, [(group.ant1, group.ant2, group.dump) for group in groups]))]
        names = [name for name in tables[0].colnames()
                 if name in SPECTRA and tables[0].iscelldefined(name, int(rows[0][0]))]
        for table, path, here in zip(tables, plan.paths, rows):
            for name in names:
                if name not in table.colnames() or not table.iscelldefined(name, int(here[0])):
                    raise ValueError(f'{path}: has no column {name}, as {plan.paths[0]} has')
        new = stack.enter_context(contextlib.closing(
            _copy_of_rest(tables[0], rows[0], copies[0], names, plan)))
        correlations = tables[0].getcell('DATA', int(rows[0][0])).shape[1]
        for start, parts in parts_of_rows(rows, plan.channels * correlations * 26):
            _join_part(new, tables, plan, names, start, parts, sums)
    _describe_band(copies[0], plan)
    _write_history(copies[0], plan)
    return sums


def _group_of(table, vis):
    """The rows that were described: rows_alike."""
    first, *others = chosen_ms_rows(table, vis.path, vis.selection).groups
    if others:
        raise ValueError(f'{vis.path}: has rows with {" ".join(first.correlations)} and rows with '
                         f'{" ".join(others[0].correlations)}; sets of one kind are joined')
    return first


def _copy_of_rest(table, rows, path, names, plan):
    """A MeasurementSet with all but the spectra of those rows, and empty columns for spectra."""
    from casacore import tables
    rest = [name for name in table.colnames() if name not in SPECTRA]
    with contextlib.closing(table.selectrows(rows)) as chosen, \
            contextlib.closing(chosen.select(','.join(rest))) as part:
        part.copy(path, deep=True, valuecopy=True).close()
    new = tables.table(path, readonly=False, ack=False)
    channels = plan.channels
    for name in names:
        cell = table.getcell(name, int(rows[0]))
        about = table.getcoldesc(name)
        fixed = 'shape' in about
        if fixed:
            about['shape'] = [channels, cell.shape[1]]
        count = min(channels, MAX_TILE_CHANNELS)
        tile = [cell.shape[1], count,
                int(np.clip(TILE_BYTES // (count * cell.shape[1] * 8), 1, 1024))]
        manager = {'TYPE': 'TiledColumnStMan' if fixed else 'TiledShapeStMan',
                   'NAME': f'Joined{name}', 'SPEC': {'DEFAULTTILESHAPE': tile}}
        about['dataManagerType'], about['dataManagerGroup'] = manager['TYPE'], manager['NAME']
        new.addcols(tables.maketabdesc(tables.makecoldesc(name, about)), manager)
    return new


def _join_part(new, tables, plan, names, start, parts, sums):
    count = len(parts[0])
    sources = list(zip(tables, plan.paths, parts))

    def of_all(name):
        if name == 'FLAG':
            return [flags_of(*source) for source in sources]
        return [read_rows(table, name, path, rows) for table, path, rows in sources]

    check_uvw(plan, of_all('UVW'))
    spectra = {}
    for name in names:
        joined = plan.spread(of_all(name), 1, SPECTRA[name])
        new.putcol(name, joined, start, count)
        if name in COLUMNS:
            sums.add(name, start, joined)
        if name in ('FLAG', 'WEIGHT_SPECTRUM'):
            spectra[name] = joined
    if 'FLAG' in spectra:
        new.putcol('FLAG_ROW', spectra['FLAG'].all((1, 2)), start, count)
    if len(spectra) == 2:
        sums.count(spectra['FLAG'], spectra['WEIGHT_SPECTRUM'])
    if 'WEIGHT_SPECTRUM' in spectra:
        # In the order of the channels, and in the precision, in which a writer of all adds up.
        sums = np.cumsum(spectra['WEIGHT_SPECTRUM'], 1, np.float32)[:, -1]
    else:
        sums = sum(len(vis.frequencies) * weight for vis, weight in
                   zip(plan.files, of_all('WEIGHT'))).astype(np.float32)
    weights = sums / np.float32(plan.channels)
    with np.errstate(divide='ignore'):
        sigmas = np.where(weights > 0, np.float32(1) / np.sqrt(weights), np.float32(1))
    new.putcol('WEIGHT', weights, start, count)
    new.putcol('SIGMA', sigmas, start, count)
    exposures = of_all('EXPOSURE')
    if any((row != exposures[0]).any() for row in exposures):
        new.putcol('EXPOSURE', np.max(exposures, axis=0), start, count)


def _describe_band(path, plan):
    from casacore import tables
    with contextlib.closing(tables.table(os.path.join(path, 'SPECTRAL_WINDOW'), readonly=False,
                                         ack=False)) as window:
        row = plan.files[0].selection.spw
        width = window.getcell('CHAN_WIDTH', row)[0]
        window.putcell('NUM_CHAN', row, plan.channels)
        for name, value in (('CHAN_FREQ', plan.band.frequencies),
                            ('TOTAL_BANDWIDTH', plan.band.width * plan.channels),
                            ('REF_FREQUENCY', plan.reference)):
            window.putcell(name, row, value / factors(window, name, 'Hz', path))
        for name in ('CHAN_WIDTH', 'EFFECTIVE_BW', 'RESOLUTION'):
            window.putcell(name, row, np.full(plan.channels, width))


def _write_history(path, plan):
    """The lines of the other files, and one on this."""
    from casacore import tables
    lines = []
    for other in plan.paths[1:]:
        with contextlib.closing(open_ms(other, 'HISTORY')) as table:
            if table.nrows():
                name = os.path.basename(other)
                lines += [f'{name}: {line}' for line in read_column(table, 'MESSAGE', other)]
    with contextlib.closing(tables.table(os.path.join(path, 'HISTORY'), readonly=False,
                                         ack=False)) as table:
        rows = table.nrows()
        time = table.getcell('TIME', rows - 1) if rows else 0.0
        for row in range(rows):
            if table.iscelldefined('APP_PARAMS', row):
                texts = list(np.ravel(table.getcell('APP_PARAMS', row)))
                if texts and 'antennas:' in texts[0]:
                    table.putcell('APP_PARAMS', row, [plan.observation(texts[0]), *texts[1:]])
    add_history(path, [*lines, plan.history], time)
