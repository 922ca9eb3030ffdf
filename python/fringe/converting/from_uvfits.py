#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVFITS files, to be converted."""

import numpy as np

from ..readers.aips_units import METERS, column_of, factor_of
from ..readers.antenna_pairs import turned_uvw
from ..readers.fits_frames import require_known_frame
from ..readers.uvfits_antennas import NAME as ANTENNAS, itrf_positions
from ..readers.uvfits_groups import opened_groups
from ..readers.uvfits_rows import rows_of_uvfits
from ..readers.uvfits_sources import NAME as SOURCES
from ..readers.uvfits_uvw import uvw_of_groups
from ..readers.uvfits_windows import NAME as FREQUENCIES
from .content import (content_while_open, converted_content, converted_part, spectral_window,
                      tables_left_out)

KIND = 'UVFITS file'
CONVERTED = (ANTENNAS, SOURCES, FREQUENCIES)


def _content(path, described, file):
    groups, tables = file
    found = [rows_of_uvfits(path, groups, tables, vis.selection) for vis in described]
    table, header = found[0].antennas, groups.header
    dut1 = table.header.get('UT1UTC')
    return converted_content(
        path=path, kind=KIND, telescope=described[0].telescope,
        observer=str(header.get('OBSERVER', '')).strip(), antennas=described[0].antennas,
        itrf=itrf_positions(path, table), diameters=_diameters(path, table),
        feeds=described[0].feeds, unit=described[0].unit,
        dut1=None if dut1 is None else float(dut1),
        history=[str(line) for line in header.get('HISTORY', [])],
        parts=[_part(path, groups, rows, vis) for rows, vis in zip(found, described)],
        notes=tables_left_out(sorted({name for name, _ in tables} - set(CONVERTED))))


def _diameters(path, table):
    """Meters, of the antennas; 0 = not known."""
    column = column_of(table, 'DIAMETER')
    if column is None:
        return np.zeros(len(table.data))
    return np.asarray(table.data[column.name], float) * factor_of(path, table, 'DIAMETER', METERS)


def _part(path, groups, rows, vis):
    if len(rows.window.setups) > 1:
        raise ValueError(f'{path}: spw={rows.window.spw}: its groups have the channels of one '
                         'setup of frequencies each; convert them without a choice')
    require_known_frame(path, vis.frequency_frame)
    widths = rows.window.widths[0]
    bands = rows.window.frequencies.reshape(len(widths), -1)
    places = list(range(len(rows.codes)))
    intervals = np.where(rows.intervals > 0, rows.intervals, vis.intervals[rows.dump])
    return converted_part(
        center=vis.phase_center,
        windows=[spectral_window('', band, np.full(len(band), width), vis.frequency_frame)
                 for band, width in zip(bands, widths)],
        codes=rows.codes, ant1=rows.ant1, ant2=rows.ant2, dump=rows.dump, seconds=vis.seconds,
        fractions=vis.fractions, intervals=intervals, exposures=intervals,
        uvw=turned_uvw(uvw_of_groups(path, groups, rows.at), vis.north),
        values=lambda which: groups.read(rows.at[which], rows.window.windows, places))


content_of_uvfits = content_while_open(KIND, opened_groups, _content)
