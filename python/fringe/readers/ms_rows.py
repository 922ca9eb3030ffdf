#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which rows of a MeasurementSet belong to a selection, and what they name in the subtables."""

from dataclasses import dataclass, replace

import numpy as np

from .measurement_set import read_cell, read_column, subtable
from .ms_measures import factors, read_direction, read_frequencies
from .polarizations import correlations_named
from .row_index import apart, dumps_of
from .selection import (ALL, choose, choose_some, in_words, is_all, part, selection,
                        wrong_part)

#: Numbers of CORR_TYPE.
CODES = {1: 'I', 2: 'Q', 3: 'U', 4: 'V', 5: 'RR', 6: 'RL', 7: 'LR', 8: 'LL', 9: 'XX', 10: 'XY',
         11: 'YX', 12: 'YY'}


@dataclass
class rows_alike:
    """Rows of one spectral window with the same correlations."""
    rows: np.ndarray        #: their numbers, rising
    ant1: np.ndarray        #: of each, index into ms_rows.antennas
    ant2: np.ndarray
    dump: np.ndarray        #: of each, its number
    window: int             #: row of SPECTRAL_WINDOW
    places: list            #: of the correlations that are read
    correlations: list      #: polarizations of the two inputs of each, XY
    channels: slice         #: of the axis of all windows
    types: list             #: CORR_TYPE of the correlations in each row, read or not

    @property
    def held(self):
        """Correlations in each row."""
        return len(self.types)


@dataclass
class ms_rows:
    """The rows of a selection."""
    selection: selection    #: complete
    field: int              #: row of FIELD
    windows: list           #: rows of SPECTRAL_WINDOW
    antennas: np.ndarray    #: rows of ANTENNA that are named
    observations: np.ndarray  #: rows of OBSERVATION that are named
    first: np.ndarray       #: the first row of each dump
    groups: list            #: rows_alike
    remarks: list


def ms_parts(path, main):
    """A `selection` for each field, spectral window and subarray that rows name."""
    index = _index(main, path)
    kinds = np.stack([index.field, index.window, index.array])
    return [selection(*map(int, kind)) for kind in np.unique(kinds, axis=1).T]


def chosen_ms_rows(main, path, chosen):
    """The `ms_rows` of an open table for a selection. Raises several_parts and ValueError."""
    index = _index(main, path)
    rows = np.arange(main.nrows())
    kinds = [('field', index.field, _field_part), ('spw', index.window, _window_part),
             ('subarray', index.array, lambda _, number: part(number, ''))]
    found = {}
    # What is chosen goes first: it may leave one of the others.
    for name, numbers, describe in sorted(kinds, key=lambda k: getattr(chosen, k[0]) is None):
        if name == 'spw' and is_all(chosen.spw):
            found[name] = ALL
            continue
        there = [describe(path, int(number)) for number in np.unique(numbers[rows])]
        if name == 'spw':
            some = [part.number for part in choose_some(path, name, there, chosen.spw)]
        else:
            some = [choose(path, name, there, getattr(chosen, name)).number]
        found[name] = some[0] if len(some) == 1 else tuple(some)
        rows = rows[np.isin(numbers[rows], some)]
    return _grouped(main, path, index, rows, replace(chosen, **found))


@dataclass
class _rows_index:
    """What each row of the set names."""
    field: np.ndarray
    window: np.ndarray
    setup: np.ndarray
    array: np.ndarray


def _index(main, path):
    kinds = read_column(main, 'DATA_DESC_ID', path)
    check_rows(path, 'DATA_DESC_ID', kinds, 'DATA_DESCRIPTION')
    with subtable(path, 'DATA_DESCRIPTION') as table:
        windows, setups = (read_column(table, name, path)[kinds]
                           for name in ('SPECTRAL_WINDOW_ID', 'POLARIZATION_ID'))
    fields = read_column(main, 'FIELD_ID', path)
    check_rows(path, 'SPECTRAL_WINDOW_ID', windows, 'SPECTRAL_WINDOW')
    check_rows(path, 'POLARIZATION_ID', setups, 'POLARIZATION')
    check_rows(path, 'FIELD_ID', fields, 'FIELD')
    return _rows_index(fields, windows, setups, read_column(main, 'ARRAY_ID', path))


def check_rows(path, column, numbers, name):
    """Raises ValueError where numbers of rows are not those of a subtable."""
    with subtable(path, name) as table:
        wrong = numbers[(numbers < 0) | (numbers >= table.nrows())]
        if len(wrong):
            raise ValueError(f'{path}: damaged, its {column} names row {wrong[0]} of the table '
                             f'{name}, which has {table.nrows()}')


def _field_part(path, number):
    with subtable(path, 'FIELD') as table:
        name = read_cell(table, 'NAME', number, path)
        ra, dec = np.degrees(read_direction(table, number, path)[0])
    return part(number, name, f'{ra % 360:.4f} {dec:+.4f}')


def _window_part(path, number):
    with subtable(path, 'SPECTRAL_WINDOW') as table:
        name = read_cell(table, 'NAME', number, path) if 'NAME' in table.colnames() else ''
        hertz = read_frequencies(table, number, path)
    channels = f'{len(hertz)} channel' + ('s' if len(hertz) > 1 else '')
    return part(number, name, f'{channels}, {hertz.min() / 1e6:.10g} to {hertz.max() / 1e6:.10g} '
                              'MHz')


def _grouped(main, path, index, rows, chosen):
    ant1, ant2 = (read_column(main, name, path)[rows] for name in ('ANTENNA1', 'ANTENNA2'))
    times, intervals = (read_column(main, name, path)[rows] * factors(main, name, 's', path)
                        for name in ('TIME', 'INTERVAL'))
    antennas = np.union1d(ant1, ant2)
    check_rows(path, 'ANTENNA1 or ANTENNA2', antennas, 'ANTENNA')
    _check_feeds(main, path, rows, ant1, ant2)
    ant1, ant2 = (np.searchsorted(antennas, numbers) for numbers in (ant1, ant2))
    window = index.window[rows]
    setup, read, remarks = _setups(path, index.setup[rows])
    kind = window * (int(setup.max()) + 1) + setup
    first, dump = dumps_of(times, intervals)
    first, dump, repeats = apart(ant1, ant2, first, dump, kind)
    windows, places = _axis(path, window)
    groups = []
    for number in np.unique(kind):
        here = np.flatnonzero(kind == number)
        at = int(window[here[0]])
        which, names, _, types = read[int(setup[here[0]])]
        groups.append(rows_alike(rows[here], ant1[here], ant2[here], dump[here], at, which, names,
                                 places[at], types))
    _check_same(path, in_words(chosen.spw), windows, groups)
    observations = np.unique(read_column(main, 'OBSERVATION_ID', path)[rows])
    return ms_rows(chosen, int(index.field[rows[0]]), windows, antennas, observations, rows[first],
                   groups, remarks + repeats)


def _check_feeds(main, path, rows, ant1, ant2):
    """Raises ValueError where an antenna has several feeds: no product says of which it is."""
    feeds = [read_column(main, name, path)[rows] for name in ('FEED1', 'FEED2')]
    if all((of_rows == feeds[0][0]).all() for of_rows in feeds):
        return
    used = np.unique(np.stack([np.append(ant1, ant2), np.append(*feeds)]), axis=1)
    twice = used[0, 1:][np.diff(used[0]) == 0]
    if len(twice):
        numbers = used[1, used[0] == twice[0]]
        raise ValueError(f'{path}: antenna {twice[0]} has rows of the feeds '
                         f'{", ".join(map(str, numbers))} (FEED1, FEED2); sets with one feed of '
                         'each antenna are read')


def _setups(path, numbers):
    """The polarization setup of each row, alike ones as one; what is read of each; remarks."""
    read = {int(number): _correlations(path, int(number)) for number in np.unique(numbers)}
    first = {n: next(m for m in read if read[m] == read[n]) for n in read}
    known = np.array(sorted(first))
    remarks = [remark for _, _, some, _ in read.values() for remark in some]
    return (np.array([first[n] for n in known])[np.searchsorted(known, numbers)], read,
            list(dict.fromkeys(remarks)))


def _correlations(path, number):
    """As correlations_named(), of a row of POLARIZATION, and their types."""
    where = f'row {number} of its POLARIZATION table'
    with subtable(path, 'POLARIZATION') as table:
        types = [int(t) for t in read_cell(table, 'CORR_TYPE', number, path, (None,))]
    unknown = [t for t in types if t not in CODES]
    if unknown:
        raise ValueError(f'{path}: {where}: CORR_TYPE {unknown[0]} is not a product of X and Y or '
                         'R and L, nor a Stokes parameter')
    return (*correlations_named(path, where, [CODES[t] for t in types]), types)


def _axis(path, window):
    """The windows, as the file has them, and where the channels of each are in the axis."""
    windows = [int(number) for number in np.unique(window)]
    places, at = {}, 0
    with subtable(path, 'SPECTRAL_WINDOW') as table:
        for number in windows:
            count = len(read_frequencies(table, number, path))
            places[number] = slice(at, at + count)
            at += count
    return windows, places


def _check_same(path, spw, windows, groups):
    """Raises ValueError where windows that are read together have other times or correlations."""
    first = None
    for number in windows:
        mine = [group for group in groups if group.window == number]
        dumps = np.unique(np.concatenate([group.dump for group in mine]))
        hands = {hand for group in mine for hand in group.correlations}
        first = first or (number, dumps, hands)
        for what, same in (('times', np.array_equal(dumps, first[1])),
                           ('correlations', hands == first[2])):
            if not same:
                raise wrong_part(f'{path}: spw={spw}: the windows {first[0]} and {number} '
                                        f'have other {what}; choose one')
