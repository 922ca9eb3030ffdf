#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVH5 files, to be converted."""

import contextlib

import numpy as np

from ..readers.antenna_pairs import turned_uvw
from ..readers.uvh5_file import open_uvh5, values_of_uvh5
from ..readers.uvh5_header import has, itrf_of, numbers, widths_of, word
from ..readers.uvh5_rows import rows_of_uvh5
from ..readers.uvh5_windows import windows_of_channels
from ..readers.row_index import runs
from .content import (content_while_open, converted_content, converted_part, spectral_window,
                      tables_left_out)

KIND = 'UVH5 file'


def _content(path, described, file):
    header, first = file['Header'], described[0]
    count = len(first.antennas)
    diameters, dut1 = numbers(header, 'antenna_diameters'), numbers(header, 'dut1')
    return converted_content(
        path=path, kind=KIND, telescope=first.telescope, observer='',
        antennas=first.antennas, itrf=itrf_of(header),
        diameters=diameters if len(diameters) == count else np.zeros(count),
        feeds=first.feeds, unit=first.unit,
        dut1=float(dut1[0]) if len(dut1) else None,
        history=word(header, 'history', '').splitlines(),
        parts=[_part(path, file, vis) for vis in described],
        notes=tables_left_out([name for name in ('extra_keywords', 'eq_coeffs')
                               if name in header]))


def _part(path, file, vis):
    header, rows = file['Header'], rows_of_uvh5(path, file, vis.selection)
    owner = windows_of_channels(path, header, header['freq_array'].shape)[rows.window.channels]
    names = list(dict.fromkeys(owner.tolist()))
    order = np.concatenate([np.flatnonzero(owner == name) for name in names])
    widths = widths_of(header, rows.window.channels)
    frequencies = rows.window.frequencies
    exact = not np.array_equal(vis.exposures, vis.intervals)
    places = list(range(len(rows.window.codes)))
    # Where no weight is positive, the writer left them out.
    unweighted = not _has_weights(file['Data/nsamples'])

    def values(which):
        return [cube[:, order] for cube in _values(
            file['Data'], rows.at[which], rows.window.channels, places, unweighted)]
    scans = header['scan_number_array'][()] if has(header, 'scan_number_array') else None
    return converted_part(
        center=vis.phase_center,
        windows=[spectral_window('', frequencies[owner == name], widths[owner == name])
                 for name in names],
        codes=list(rows.window.codes), ant1=rows.ant1, ant2=rows.ant2, dump=rows.dump,
        seconds=vis.seconds, fractions=vis.fractions, intervals=rows.intervals,
        exposures=vis.exposures[rows.dump] if exact else rows.intervals,
        # uvw_2 - uvw_1 in this format.
        uvw=turned_uvw(-header['uvw_array'][:int(header['Nblts'][()])][rows.at], vis.north),
        values=values, scans=None if scans is None else scans[rows.at])


def _has_weights(column):
    step = max(1, 2**24 // max(1, int(np.prod(column.shape[1:]))))
    return any((column[start:start + step] > 0).any()
               for start in range(0, column.shape[0], step))


def _values(data, at, channels, places, unweighted):
    order = np.argsort(at)
    found = []
    for run in runs(at[order], len(at)):
        values = values_of_uvh5(data['visdata'], run, channels, places)
        weights = values_of_uvh5(data['nsamples'], run, channels, places)
        # <conj(x_1) x_2> in this format.
        found.append((values.conj(), np.ones_like(weights) if unweighted else weights,
                      values_of_uvh5(data['flags'], run, channels, places)))
    back = np.empty(len(at), int)
    back[order] = np.arange(len(at))
    return tuple(np.concatenate(parts)[back] for parts in zip(*found))


content_of_uvh5 = content_while_open(
    KIND, lambda path: contextlib.closing(open_uvh5(path)), _content)
