#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The groups of a UVFITS file that were chosen."""

from dataclasses import dataclass

import numpy as np

from .polarizations import correlations_of
from .row_index import apart, dumps_of, row_index
from .selection import choose, in_words, selection
from .uvfits_antennas import (NAME as ANTENNAS, antenna_indices, numbers_of_groups,
                              subarray_parts)
from .uvfits_sources import sources_of_groups
from .uvfits_windows import choose_windows


@dataclass
class uvfits_rows(row_index):
    """As row_index, and what UVFITS files have besides."""
    days: np.ndarray       #: of each row, after `zero`
    zero: float            #: Julian date
    intervals: np.ndarray  #: s, of each row; 0 = not known
    setup: np.ndarray      #: of each row, its place in the setups of `window`
    window: object         #: uvfits_windows.window_choice
    source: object         #: uvfits_sources.uvfits_source
    antennas: object       #: the table AIPS AN
    codes: list            #: numbers of all correlations
    remarks: list


def rows_of_uvfits(path, groups, tables, chosen=selection()):
    """The uvfits_rows of an open file."""
    selection(column=chosen.column).require_nothing(path, 'a UVFITS file has one column of data')
    subarrays, numbers1, numbers2 = numbers_of_groups(groups)
    sources, found = sources_of_groups(path, groups, tables)
    source = choose(path, 'field', [source.as_part() for source in found.values()], chosen.field)
    mask = sources == source.number
    subarray = choose(path, 'subarray', subarray_parts(path, tables, subarrays[mask]),
                      chosen.subarray).number
    mask &= subarrays == subarray
    setups = groups.integers('FREQSEL', 1)
    source = found[source.number]
    window = choose_windows(path, groups, tables, np.unique(setups[mask]).tolist(),
                            source.offsets, chosen.spw)
    at = np.flatnonzero(mask & np.isin(setups, window.setups))
    _refuse_mixtures(path, groups, at)
    antennas = tables[ANTENNAS, subarray]
    ant1, ant2 = (antenna_indices(path, antennas, numbers[at]) for numbers in (numbers1, numbers2))
    codes = np.rint(groups.axis('STOKES')).astype(int).tolist()
    places, correlations, remarks = correlations_of(path, 'the axis STOKES', codes)
    if groups.parameter('DATE', '_DATE') is None:
        raise KeyError('there is no parameter DATE')
    days, zero = groups.parameter('DATE', '_DATE')
    intervals = _intervals(groups)
    first, dump = dumps_of(days[at] * 86400, intervals[at])
    setup = np.searchsorted(window.setups, setups[at])
    _check_setups(path, window, setup, dump)
    if len(window.setups) == 1:
        first, dump, repeats = apart(ant1, ant2, first, dump)
        remarks += repeats
    return uvfits_rows(at, ant1, ant2, dump, first, places, correlations,
                       selection(source.number, window.spw, subarray), days[at], zero,
                       intervals[at], setup, window, source, antennas, codes, remarks)


def parts_of_uvfits(path, groups, tables):
    """A `selection` for each source, setup of frequencies and subarray that groups name."""
    subarrays, _, _ = numbers_of_groups(groups)
    sources, _ = sources_of_groups(path, groups, tables)
    setups = groups.integers('FREQSEL', 1)
    several = len(np.unique(setups)) > 1
    used = np.unique(np.stack([sources, setups, subarrays], axis=1), axis=0).tolist()
    return [selection(source, setup if several else None, subarray)
            for source, setup, subarray in used]


def _intervals(groups):
    found = groups.parameter('INTTIM')
    if found is None:
        return np.zeros(len(groups))
    values = found[0] + found[1]
    return np.where(np.isfinite(values) & (values > 0), values, 0.0)


def _refuse_mixtures(path, groups, at):
    for name in ('GATEID', 'FILTER', 'CORR-ID'):
        found = np.unique(groups.integers(name, 0)[at])
        if len(found) > 1:
            raise ValueError(f'{path}: groups have several values of {name}: '
                             f'{", ".join(map(str, found))}; files of one are read')


def _check_setups(path, window, setup, dump):
    """Raises ValueError where setups cannot stand side by side in one axis."""
    here = [dump[setup == number] for number in range(len(window.setups))]
    if any(len(some) != len(here[0]) or (np.sort(some) != np.sort(here[0])).any()
           for some in here):
        raise ValueError(f'{path}: spw={in_words(window.spw)}: the setups '
                         f'{", ".join(map(str, window.setups))} are of different '
                         'times or antennas, and do not make one axis')
