#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets joined along frequency."""
import contextlib
import os

import numpy as np

from ..readers.measurement_set import open_ms, read_column
from .rows import check_uvw, chosen_rows, parts_of_rows

#: Columns [channel][correlation], and what stands in channels that no file has.
SPECTRA = {'DATA': 0, 'CORRECTED_DATA': 0, 'MODEL_DATA': 0, 'FLOAT_DATA': 0, 'FLAG': True,
           'WEIGHT_SPECTRUM': 0, 'SIGMA_SPECTRUM': 1}
MOST_TILE_CHANNELS = 4096
TILE_BYTES = 2**20


def width_of_ms(vis):
    """Width of a channel in Hz."""
    with contextlib.closing(open_ms(vis.path, 'SPECTRAL_WINDOW')) as table:
        return abs(float(read_column(table, 'CHAN_WIDTH', vis.path)[0][0]))


def join_ms(copies, plan):
    """Writes the MeasurementSet copies[0]."""
    with contextlib.ExitStack() as stack:
        tables = [stack.enter_context(contextlib.closing(open_ms(path))) for path in plan.paths]
        rows = chosen_rows(plan, [_rows_of(table, path) for table, path in zip(tables, plan.paths)])
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
            _join_part(new, tables, plan, names, start, parts)
    _describe_band(copies[0], plan)
    _write_history(copies[0], plan)


def _rows_of(table, path):
    ant1, ant2, times, kinds = (read_column(table, name, path) for name in
                                ('ANTENNA1', 'ANTENNA2', 'TIME', 'DATA_DESC_ID'))
    if (kinds != kinds[0]).any():
        raise ValueError(f'{path}: has several spectral windows, and files of one are joined')
    return ant1, ant2, np.unique(times, return_inverse=True)[1]


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
        count = min(channels, MOST_TILE_CHANNELS)
        tile = [cell.shape[1], count,
                int(np.clip(TILE_BYTES // (count * cell.shape[1] * 8), 1, 1024))]
        manager = {'TYPE': 'TiledColumnStMan' if fixed else 'TiledShapeStMan',
                   'NAME': f'Joined{name}', 'SPEC': {'DEFAULTTILESHAPE': tile}}
        about['dataManagerType'], about['dataManagerGroup'] = manager['TYPE'], manager['NAME']
        new.addcols(tables.maketabdesc(tables.makecoldesc(name, about)), manager)
    return new


def _read(table, path, name, rows):
    low = int(rows.min())
    return read_column(table, name, path, low, int(rows.max()) - low + 1)[rows - low]


def _join_part(new, tables, plan, names, start, parts):
    count = len(parts[0])
    sources = list(zip(tables, plan.paths, parts))

    def of_all(name):
        return [_read(*source[:2], name, source[2]) for source in sources]

    check_uvw(plan, of_all('UVW'))
    spectra = {}
    for name in names:
        joined = plan.spread(of_all(name), 1, SPECTRA[name])
        new.putcol(name, joined, start, count)
        if name in ('FLAG', 'WEIGHT_SPECTRUM'):
            spectra[name] = joined
    if 'FLAG' in spectra:
        new.putcol('FLAG_ROW', spectra['FLAG'].all((1, 2)), start, count)
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
    if any((one != exposures[0]).any() for one in exposures):
        new.putcol('EXPOSURE', np.max(exposures, axis=0), start, count)


def _describe_band(path, plan):
    from casacore import tables
    with contextlib.closing(tables.table(os.path.join(path, 'SPECTRAL_WINDOW'), readonly=False,
                                         ack=False)) as window:
        widths = np.full(plan.channels, window.getcell('CHAN_WIDTH', 0)[0])
        window.putcell('NUM_CHAN', 0, plan.channels)
        window.putcell('CHAN_FREQ', 0, plan.band.frequencies)
        for name in ('CHAN_WIDTH', 'EFFECTIVE_BW', 'RESOLUTION'):
            window.putcell(name, 0, widths)
        window.putcell('TOTAL_BANDWIDTH', 0, plan.band.width * plan.channels)
        window.putcell('REF_FREQUENCY', 0, plan.reference)


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
        for line in [*lines, plan.history]:
            row = table.nrows()
            table.addrows(1)
            for name, value in (('TIME', time), ('OBSERVATION_ID', 0), ('OBJECT_ID', 0),
                                ('MESSAGE', line), ('PRIORITY', 'NORMAL'), ('ORIGIN', 'gr-fringe'),
                                ('APPLICATION', 'gr-fringe'), ('CLI_COMMAND', [line]),
                                ('APP_PARAMS', [''])):
                table.putcell(name, row, value)
