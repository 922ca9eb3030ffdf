#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets, to be converted."""

import contextlib
import os
from dataclasses import replace

import numpy as np

from ..readers.antenna_pairs import turned_uvw
from ..readers.measurement_set import open_ms, read_cell, read_column, read_rows, subtable
from ..readers.ms_columns import flags_of, weight_column, weights_of
from ..readers.ms_description import antennas_of_ms
from ..readers.ms_feeds import feeds_of_ms
from ..readers.ms_measures import factors, read_window
from ..readers.ms_rows import chosen_ms_rows
from .correlations import CODES, TYPES
from .content import (content_while_open, converted_content, converted_part, spectral_window,
                      tables_left_out)

KIND = 'MeasurementSet'
#: Subtables that are converted, or say how the set was made.
CONVERTED = ('ANTENNA', 'DATA_DESCRIPTION', 'FEED', 'FIELD', 'HISTORY', 'OBSERVATION',
             'POLARIZATION', 'SPECTRAL_WINDOW', 'PROCESSOR', 'STATE')


def _content(path, described, main):
    found = [chosen_ms_rows(main, path, vis.selection) for vis in described]
    with subtable(path, 'ANTENNA') as table:
        every = np.arange(table.nrows())
        diameters = (read_column(table, 'DISH_DIAMETER', path)
                     * factors(table, 'DISH_DIAMETER', 'm', path)
                     if 'DISH_DIAMETER' in table.colnames() else np.zeros(len(every)))
    names, itrf = antennas_of_ms(path, every)
    windows = sorted({window for rows in found for window in rows.windows})
    everything = replace(found[0], antennas=every, windows=windows)
    return converted_content(
        path=path, kind=KIND, telescope=described[0].telescope,
        observer=_observer(path, found[0].observations),
        antennas=names, itrf=itrf, diameters=diameters,
        feeds=feeds_of_ms(main, path, everything, itrf), unit=described[0].unit,
        dut1=None, history=_history(path),
        parts=[_part(main, path, rows, vis) for rows, vis in zip(found, described)],
        notes=_left_out(main, path, found))


def _left_out(main, path, found):
    """What is in no part."""
    others = [name for name in main.keywordnames() if name not in CONVERTED
              and str(main.getkeyword(name)).startswith('Table: ')]
    full = []
    for name in filter(lambda name: _is_table(path, name), others):
        with contextlib.closing(open_ms(path, name)) as table:
            full += [name] * (table.nrows() > 0)
    notes = tables_left_out(full)
    observations = {number for rows in found for number in rows.observations}
    if len(observations) > 1:
        notes.append(f'its {len(observations)} observations (OBSERVATION_ID) become one')
    return notes


def _is_table(path, name):
    return os.path.isfile(os.path.join(path, name, 'table.dat'))


def _observer(path, rows):
    """Of the first of the observations that is there."""
    with subtable(path, 'OBSERVATION') as table:
        names = [read_cell(table, 'OBSERVER', row, path) for row in rows
                 if 0 <= row < table.nrows()]
    return names[0] if names else ''


def _history(path):
    if not _is_table(path, 'HISTORY'):
        return []
    with contextlib.closing(open_ms(path, 'HISTORY')) as table:
        return [str(line) for line in read_column(table, 'MESSAGE', path)] if table.nrows() else []


def _part(main, path, found, vis):
    windows = [_window(path, number) for number in found.windows]
    types = [[CODES[number] for number in group.types] for group in found.groups]
    codes = sorted({code for some in types for code in some}, key=TYPES.get)
    # A row of the part is a row of each window.
    keys = [(group.dump * len(vis.antennas) + group.ant1) * len(vis.antennas) + group.ant2
            for group in found.groups]
    every, first = np.unique(np.concatenate(keys), return_index=True)
    places = [np.searchsorted(every, key) for key in keys]
    there = np.zeros((len(every), len(windows)), bool)
    rows = np.full((len(found.groups), len(every)), -1)
    for number, (group, place) in enumerate(zip(found.groups, places)):
        there[place, found.windows.index(group.window)] = True
        rows[number, place] = group.rows
    numbers = np.concatenate([group.rows for group in found.groups])[first]
    column, weight = vis.selection.column, weight_column(main, path, found, vis)

    def values(which):
        return _values(main, path, found.groups, rows[:, which], [
            [codes.index(code) for code in some] for some in types],
            (sum(len(window.frequencies) for window in windows), len(codes)), column, weight)

    def of_rows(name, factor=1):
        return read_column(main, name, path)[numbers] * factor
    pairs = [np.concatenate([getattr(group, name) for group in found.groups])[first]
             for name in ('ant1', 'ant2', 'dump')]
    return converted_part(
        center=vis.phase_center, windows=windows, codes=codes, ant1=found.antennas[pairs[0]],
        ant2=found.antennas[pairs[1]], dump=pairs[2], seconds=vis.seconds,
        fractions=vis.fractions,
        intervals=of_rows('INTERVAL', factors(main, 'INTERVAL', 's', path)),
        exposures=of_rows('EXPOSURE', factors(main, 'EXPOSURE', 's', path)),
        uvw=turned_uvw(of_rows('UVW', factors(main, 'UVW', 'm', path)), vis.north),
        values=values, there=there,
        scans=of_rows('SCAN_NUMBER') if 'SCAN_NUMBER' in main.colnames() else None)


def _window(path, number):
    with subtable(path, 'SPECTRAL_WINDOW') as table:
        name = read_cell(table, 'NAME', number, path) if 'NAME' in table.colnames() else ''
        frequencies, widths, frame = read_window(table, number, path)
    return spectral_window(str(name), frequencies, np.broadcast_to(widths, frequencies.shape),
                           frame)


def _values(main, path, groups, rows, columns, shape, column, weight):
    """rows: of the set, [group][row of the block]; -1 where a group has none. columns: of the
    correlations of each group."""
    size = (rows.shape[1], *shape)
    data, weights, flags = np.zeros(size, np.complex64), np.zeros(size, np.float32), np.ones(
        size, bool)
    for group, here, places in zip(groups, rows, columns):
        at = np.flatnonzero(here >= 0)
        if not len(at):
            continue
        at = at[np.argsort(here[at])]
        held = group.channels.stop - group.channels.start, group.held
        inside = np.ix_(at, np.arange(group.channels.start, group.channels.stop), places)
        data[inside] = read_rows(main, column, path, here[at], held)
        flags[inside] = flags_of(main, path, here[at], held)
        weights[inside] = weights_of(main, path, here[at], held, weight)
    return data, weights, flags


content_of_ms = content_while_open(KIND, lambda path: contextlib.closing(open_ms(path)), _content)
