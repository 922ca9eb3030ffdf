#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVFITS files, to be converted."""

import contextlib

import numpy as np

from ..readers.antenna_pairs import turned_uvw
from ..readers.damage import damage_said
from ..readers.uvfits_antennas import NAME as ANTENNAS, feeds_of_table, itrf_positions
from ..readers.uvfits_groups import opened_groups
from ..readers.uvfits_rows import rows_of_uvfits
from ..readers.uvfits_sources import NAME as SOURCES
from ..readers.uvfits_uvw import uvw_of_groups
from ..readers.uvfits_windows import NAME as FREQUENCIES
from .content import converted_content, converted_part, spectral_window, tables_left_out
from .frames import frame_of_fits

CONVERTED = (ANTENNAS, SOURCES, FREQUENCIES)


@contextlib.contextmanager
def content_of_uvfits(described):
    """The converted_content of a file while it is open. described: `visibilities` of its parts."""
    path = described[0].path
    with contextlib.ExitStack() as stack:
        with damage_said(path, 'UVFITS file'):
            content = _content(path, described, *stack.enter_context(opened_groups(path)))
        yield content


def _content(path, described, groups, tables):
    found = [rows_of_uvfits(path, groups, tables, vis.selection) for vis in described]
    table, header = found[0].antennas, groups.header
    names = {name.strip().upper(): name for name in table.columns.names}
    diameters = (np.asarray(table.data[names['DIAMETER']], float) if 'DIAMETER' in names
                 else np.zeros(len(table.data)))
    dut1 = table.header.get('UT1UTC')
    return converted_content(
        path=path, kind='UVFITS file', telescope=described[0].telescope,
        observer=str(header.get('OBSERVER', '')).strip(), antennas=described[0].antennas,
        itrf=itrf_positions(path, table), diameters=diameters, feeds=feeds_of_table(path, table),
        unit=described[0].unit, dut1=None if dut1 is None else float(dut1),
        history=[str(line) for line in header.get('HISTORY', [])],
        parts=[_part(path, groups, rows, vis) for rows, vis in zip(found, described)],
        notes=tables_left_out(sorted({name for name, _ in tables} - set(CONVERTED))))


def _part(path, groups, rows, vis):
    if len(rows.window.setups) > 1:
        raise ValueError(f'{path}: spw={rows.window.spw}: its groups have the channels of one '
                         'setup of frequencies each; convert them without a choice')
    windows = len(rows.window.windows)
    bands = rows.window.frequencies.reshape(windows, -1)
    step = abs(float(groups.header.get(f'CDELT{groups.axes["FREQ"]}', 0)))
    frame = frame_of_fits(path, groups.header.get('SPECSYS', ''))
    codes = np.rint(groups.axis('STOKES')).astype(int).tolist()
    places = list(range(len(codes)))
    intervals = np.where(rows.intervals > 0, rows.intervals, vis.intervals[rows.dump])
    return converted_part(
        center=vis.phase_center,
        windows=[spectral_window('', band, np.full(
            len(band), abs(band[1] - band[0]) if len(band) > 1 else step), frame)
                 for band in bands],
        codes=codes, ant1=rows.ant1, ant2=rows.ant2, dump=rows.dump, seconds=vis.seconds,
        fractions=vis.fractions, intervals=intervals, exposures=intervals,
        uvw=turned_uvw(uvw_of_groups(path, groups, rows.at), vis.north),
        values=lambda which: groups.read(rows.at[which], rows.window.windows, places))
