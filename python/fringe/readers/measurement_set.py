#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads MeasurementSets (.ms) through python3-casacore."""

import os
import stat

import numpy as np

from .antenna_pairs import empty_data, enu_of_itrf, products_of_rows, put_rows, set_uvw
from .selection import selection
from .visibilities import clean, is_dated, is_partial, thin_out, visibilities

#: Seconds from the Modified Julian Date's zero to 1970-01-01.
MJD_OF_1970 = 40587 * 86400
#: CORR_TYPE numbers of a MeasurementSet to the polarisations of the two inputs.
CORRELATIONS = {5: 'RR', 6: 'RL', 7: 'LR', 8: 'LL', 9: 'XX', 10: 'XY', 11: 'YX', 12: 'YY'}


#: Files of a MeasurementSet, more than any has.
MOST_FILES = 100_000
#: Times that a MeasurementSet is opened again when its writer replaced it meanwhile.
ATTEMPTS = 10


def read_ms(path, limit, chosen=selection()):
    """`visibilities` of a MeasurementSet; without data where limit is None."""
    for left in reversed(range(ATTEMPTS)):
        before = _identity(path)
        try:
            vis = _read_ms(path, limit)
        except ValueError:
            if not left or _identity(path) in (before, None):
                raise
            continue
        if not left or _identity(path) in (before, None):
            return vis


def _identity(path):
    """What tells one folder from another that took its place; None when it is gone."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _read_ms(path, limit):
    main = open_ms(path)
    try:
        missing = {'DATA', 'UVW', 'TIME', 'ANTENNA1', 'ANTENNA2'} - set(main.colnames())
        if missing:
            raise ValueError(f'{path}: is no MeasurementSet of visibilities; it has no column '
                             + ', '.join(sorted(missing)))
        if main.nrows() == 0:
            raise ValueError(f'{path}: holds no visibilities (no rows)')
        rows = np.flatnonzero(read_column(main, 'DATA_DESC_ID', path)
                              == main.getcell('DATA_DESC_ID', 0))
        ant1 = read_column(main, 'ANTENNA1', path)[rows]
        ant2 = read_column(main, 'ANTENNA2', path)[rows]
        instants, first, dump = np.unique(read_column(main, 'TIME', path)[rows],
                                          return_index=True, return_inverse=True)
        vis = _describe_ms(path, main, instants, rows[first])
        if len(rows) != main.nrows():
            vis.remarks.append('only the first of several spectral windows is read')
        if max(ant1.max(), ant2.max()) >= len(vis.antennas):
            raise ValueError(f'{path}: damaged, its rows name antenna '
                             f'{max(ant1.max(), ant2.max())} and the ANTENNA table has '
                             f'{len(vis.antennas)}')
        present = np.union1d(ant1, ant2)
        vis.inputs = [entry for entry in vis.inputs if entry[0] in present]
        types, = _subtable(path, 'POLARIZATION', 'CORR_TYPE')
        products = products_of_rows(vis, [CORRELATIONS[t] for t in types[0]], ant1, ant2)
        set_uvw(vis, read_column(main, 'UVW', path)[rows], dump, ant1, ant2)
        if limit is not None:
            place = np.full(len(instants), -1)
            kept = thin_out(vis, len(vis.frequencies), limit)
            place[kept] = np.arange(len(kept))
            _fill_from_ms(vis, main, path, rows, place[dump], products)
        return vis
    finally:
        main.close()


def _check_plain(path):
    """Refuses a folder with pipes or devices, which casacore would wait for or read without end."""
    left = MOST_FILES
    for folder, folders, files in os.walk(path, followlinks=True):
        left -= len(folders) + len(files)
        if left < 0:
            raise ValueError(f'{path}: holds more than {MOST_FILES} files, which no MeasurementSet '
                             'does')
        for name in files:
            one = os.path.join(folder, name)
            try:
                mode = os.stat(one).st_mode
            except FileNotFoundError:  # its writer has removed it
                continue
            except OSError as error:
                raise ValueError(f'{one}: cannot be read: {error.strerror}') from None
            if not stat.S_ISREG(mode):
                raise ValueError(f'{one}: is not a plain file, and stands in a MeasurementSet')


def open_ms(path, subtable=''):
    """Opens a table of a MeasurementSet, read only. Throws ValueError."""
    try:
        from casacore import tables
    except ImportError:
        raise ValueError(f'{path}: reading a MeasurementSet needs python3-casacore '
                         '(apt install python3-casacore)') from None
    if not os.path.isfile(os.path.join(path, 'table.dat')):
        raise ValueError(f'{path}: is not a MeasurementSet (it holds no table.dat)')
    if not subtable:
        _check_plain(path)
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


def flagged_fraction(path):
    """Fraction of flagged values, read a part at a time."""
    table, flagged, total = open_ms(path), 0, 0
    try:
        rows = table.nrows()
        step = max(1, 2**25 // max(1, table.getcell('FLAG', 0).size))
        for start in range(0, rows, step):
            part = read_column(table, 'FLAG', path, start, min(step, rows - start))
            flagged += int(np.count_nonzero(part))
            total += part.size
    finally:
        table.close()
    return flagged / total if total else 0.0


def _subtable(path, name, *columns):
    """Columns of a subtable, read whole."""
    table = open_ms(path, name)
    try:
        if table.nrows() == 0:
            raise ValueError(f'{path}: damaged, its table {name} is empty')
        return [read_column(table, column, path) for column in columns]
    finally:
        table.close()


def _describe_ms(path, main, instants, first):
    names, position = _subtable(path, 'ANTENNA', 'NAME', 'POSITION')
    frequencies, = _subtable(path, 'SPECTRAL_WINDOW', 'CHAN_FREQ')
    direction, field_name = _subtable(path, 'FIELD', 'PHASE_DIR', 'NAME')
    telescope, = _subtable(path, 'OBSERVATION', 'TELESCOPE_NAME')
    types, = _subtable(path, 'POLARIZATION', 'CORR_TYPE')
    unknown = [t for t in types[0] if t not in CORRELATIONS]
    if unknown:
        raise ValueError(f'{path}: CORR_TYPE {unknown[0]} of its POLARIZATION table is not a '
                         'product of X and Y or R and L')
    seconds = np.floor(instants).astype(np.int64)
    # A double of MJD seconds resolves half a microsecond; more digits would be noise.
    fractions = np.round(instants - seconds, 6)
    vis = visibilities(
        path=path, telescope=telescope[0], antennas=list(names), inputs=[],
        frequencies=frequencies[0], seconds=seconds - MJD_OF_1970, fractions=fractions,
        intervals=read_column(main, 'INTERVAL', path)[first],
        exposures=read_column(main, 'EXPOSURE', path)[first],
        positions=enu_of_itrf(position) if np.ptp(position, axis=0).max() > 1e-6 else None,
        partial=is_partial(path),
        phase_center=(field_name[0], *np.ravel(direction[0])[:2]))
    vis.has_times = is_dated(vis.seconds)
    hands = sorted({hand for t in types[0] for hand in CORRELATIONS[t]}, key='XYRL'.index)
    vis.inputs = [(a, hand) for a in range(len(names)) for hand in hands]
    return vis


def _fill_from_ms(vis, main, path, rows, dump, products):
    shape = empty_data(vis)
    spectral = 'WEIGHT_SPECTRUM' in main.colnames() and main.iscelldefined('WEIGHT_SPECTRUM',
                                                                           rows[0])
    step = max(1, 2**24 // (shape[1] * len(products)))
    for first in range(0, main.nrows(), step):
        n = min(step, main.nrows() - first)
        part = np.flatnonzero((rows >= first) & (rows < first + n) & (dump >= 0))
        if len(part) == 0:
            continue
        here = rows[part] - first
        data = read_column(main, 'DATA', path, first, n)[here]
        flags = read_column(main, 'FLAG', path, first, n)[here]
        name = 'WEIGHT_SPECTRUM' if spectral else 'WEIGHT'
        weights = read_column(main, name, path, first, n)[here]
        if data.shape[1] != shape[1]:
            raise ValueError(f'{path}: damaged, DATA has {data.shape[1]} channels and its '
                             f'SPECTRAL_WINDOW table {shape[1]}')
        if not spectral:
            weights = np.repeat(weights[:, None], shape[1], axis=1)
        put_rows(vis, products, part, dump[part], data, weights, flags)
    clean(vis)
