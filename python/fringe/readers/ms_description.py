#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the subtables of a MeasurementSet say of some of its rows."""

import numpy as np

from .antenna_pairs import enu_of_itrf
from .measurement_set import read_cell, read_column, subtable
from .ms_direction import north_of_uvw, phase_center
from .ms_feeds import feeds_of_ms
from .ms_measures import factors, read_window, reference, utc
from .polarizations import in_order
from .visibilities import is_dated, is_partial, one_width, set_frame, visibilities


def describe_ms(main, path, found):
    """(`visibilities` of some rows, without data and uvw; the bearing of their uvw's north)."""
    names, positions = antennas_of_ms(path, found.antennas)
    intervals, exposures, times = (
        read_column(main, name, path)[found.first] * factors(main, name, 's', path)
        for name in ('INTERVAL', 'EXPOSURE', 'TIME'))
    seconds, fractions = utc(main, 'TIME', int(found.first[0]), times, path)
    spread = np.ptp(positions, axis=0).max()
    vis = visibilities(
        path=path, telescope=_telescope(path, found.observations), antennas=names, inputs=[],
        frequencies=None, seconds=seconds, fractions=fractions,
        intervals=intervals, exposures=exposures,
        positions=enu_of_itrf(positions) if spread > 1e-6 else None, partial=is_partial(path))
    vis.frequencies = _frequencies(path, found.windows, vis)
    site = positions.mean(axis=0)
    vis.phase_center = phase_center(path, found.field, vis, site)
    vis.has_times = is_dated(vis.seconds)
    vis.correlations = {two for group in found.groups for two in group.correlations}
    hands = in_order(''.join(vis.correlations))
    vis.inputs = [(a, hand) for a in range(len(names)) for hand in hands]
    vis.remarks += found.remarks
    vis.feeds = feeds_of_ms(main, path, found, positions)
    return vis, north_of_uvw(main, path, found.field, vis, site)


def antennas_of_ms(path, rows):
    """Names, each once, and ITRF positions of antennas."""
    with subtable(path, 'ANTENNA') as table:
        names = [read_cell(table, 'NAME', row, path) for row in rows]
        stations = [read_cell(table, 'STATION', row, path) for row in rows]
        scale = factors(table, 'POSITION', 'm', path)
        positions = np.array([read_cell(table, 'POSITION', row, path, (3,))
                              for row in rows]) * scale
        for row in rows:
            frame = reference(table, 'POSITION', int(row), 'ITRF', path)
            if frame != 'ITRF':
                raise ValueError(f'{path}: the POSITION of its antennas is in {frame}; what is '
                                 'read is in ITRF')
    for apart in ([f'{name}@{station}' for name, station in zip(names, stations)],
                  [f'{name}#{row}' for name, row in zip(names, rows)]):
        again = {name for name in names if names.count(name) > 1}
        names = [other if name in again else name for name, other in zip(names, apart)]
    return names, positions


def _telescope(path, rows):
    with subtable(path, 'OBSERVATION') as table:
        names = [read_cell(table, 'TELESCOPE_NAME', row, path) for row in rows
                 if 0 <= row < table.nrows()]
    return ' and '.join(dict.fromkeys(name for name in names if name))


def _frequencies(path, windows, vis):
    """Of the channels of all windows, Hz."""
    with subtable(path, 'SPECTRAL_WINDOW') as table:
        found, widths, frames = zip(*(read_window(table, row, path) for row in windows))
    for frame in dict.fromkeys(frames):
        set_frame(vis, frame)
    vis.channel_width = one_width(np.concatenate(widths))
    return np.concatenate(found)
