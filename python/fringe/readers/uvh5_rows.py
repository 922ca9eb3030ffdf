#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The rows and channels of a UVH5 file that were chosen."""

from dataclasses import dataclass

import numpy as np

from .polarizations import correlations_of
from .row_index import apart, dumps_of, indices_of, row_index
from .selection import choose, selection
from .uvh5_centers import centers_of_rows
from .uvh5_header import JD_OF_1970
from .uvh5_windows import choose_window, windows_apart


@dataclass
class uvh5_rows(row_index):
    """As row_index, and what UVH5 files have besides."""
    jd: np.ndarray         #: of each row
    intervals: np.ndarray  #: s, of each row
    window: object         #: uvh5_windows.window_choice
    remarks: list


def rows_of_uvh5(path, file, chosen=selection()):
    """The uvh5_rows of an open file."""
    _only_these(path, chosen)
    header = file['Header']
    # A dump that is being written may be in the columns already, but not in the counter.
    rows = int(header['Nblts'][()])
    if rows == 0:
        raise ValueError(f'{path}: holds no visibilities (no rows)')
    centers, parts = centers_of_rows(path, header, rows)
    center = choose(path, 'field', parts, chosen.field)
    at = np.flatnonzero(centers == center.number)
    ant1, ant2 = _antennas(path, header, rows, at)
    window = choose_window(path, header, chosen.spw)
    places, correlations, remarks = correlations_of(path, 'Header/polarization_array',
                                                    window.codes)
    jd = header['time_array'][:rows][at]
    intervals = np.ravel(header['integration_time'][()])
    # One for all in old files.
    intervals = intervals[at] if len(intervals) > 1 else np.repeat(intervals, len(at))
    first, dump = dumps_of((jd - JD_OF_1970) * 86400, intervals)
    first, dump, repeats = apart(ant1, ant2, first, dump)
    return uvh5_rows(at, ant1, ant2, dump, first, places, correlations,
                     selection(center.number, window.spw), jd, intervals, window,
                     remarks + repeats)


def parts_of_uvh5(path, file):
    """A `selection` for each phase center (and window of its own polarizations) in use."""
    header = file['Header']
    _, centers = centers_of_rows(path, header, int(header['Nblts'][()]))
    return [selection(center.number, window) for center in centers
            for window in windows_apart(header)]


def _only_these(path, chosen):
    """Raises ValueError for a choice that no UVH5 file has."""
    selection(subarray=chosen.subarray).require_nothing(path, 'a UVH5 file has no subarrays')
    selection(column=chosen.column).require_nothing(path, 'a UVH5 file has one column of data')


def _antennas(path, header, rows, at):
    columns = [header[name][:rows] for name in ('ant_1_array', 'ant_2_array')]
    if min(len(column) for column in columns) < rows:
        raise ValueError(f'{path}: damaged, its Nblts are {rows}, of ant_1_array and ant_2_array '
                         f'{min(len(column) for column in columns)}')
    found = [indices_of(header['antenna_numbers'][()], column[at]) for column in columns]
    if min(numbers.min() for numbers in found) < 0:
        raise ValueError(f'{path}: damaged, its rows name an antenna that is not in '
                         'antenna_numbers')
    return found
