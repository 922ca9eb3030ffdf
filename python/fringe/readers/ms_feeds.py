#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Mounts and feeds of the antennas of a MeasurementSet."""

import contextlib
import os

import numpy as np

from .feeds import feeds_in_trouble, feeds_of
from .measurement_set import open_ms, read_cell, read_column, subtable
from .ms_measures import factors


def feeds_of_ms(main, path, found, positions):
    """The antenna_feeds of an ms_rows. positions: ITRF (m) of its antennas."""
    return feeds_in_trouble(path, len(found.antennas), lambda: _read(main, path, found, positions))


def _read(main, path, found, positions):
    with subtable(path, 'ANTENNA') as table:
        mounts = ['' if 'MOUNT' not in table.colnames() else read_cell(table, 'MOUNT', row, path)
                  for row in found.antennas]
    receptors = [{} for _ in mounts]
    if os.path.isfile(os.path.join(path, 'FEED', 'table.dat')):
        feed = int(read_cell(main, 'FEED1', found.first[0], path))
        with contextlib.closing(open_ms(path, 'FEED')) as table:
            receptors = _receptors(table, path, found, feed)
    return feeds_of(path, mounts, receptors, positions)


def _receptors(table, path, found, feed):
    """Of each antenna, {polarization: radians}."""
    receptors = [{} for _ in found.antennas]
    if not table.nrows():
        return receptors
    antenna, number, window = (read_column(table, name, path) for name in
                               ('ANTENNA_ID', 'FEED_ID', 'SPECTRAL_WINDOW_ID'))
    used = np.isin(window, [-1, *found.windows])
    if (antenna == -1).any() or len(np.unique(number)) > 1:
        used &= number == feed
    scale = factors(table, 'RECEPTOR_ANGLE', 'rad', path)
    for row in np.flatnonzero(used):
        if not (table.iscelldefined('POLARIZATION_TYPE', int(row))
                and table.iscelldefined('RECEPTOR_ANGLE', int(row))):
            continue
        types = np.ravel(read_cell(table, 'POLARIZATION_TYPE', row, path)).tolist()
        angles = np.ravel(read_cell(table, 'RECEPTOR_ANGLE', row, path)) * scale
        feed = {str(hand).strip().upper(): float(angle) for hand, angle in zip(types, angles)}
        feed.pop('', None)
        for k in np.flatnonzero(found.antennas == antenna[row]):
            if receptors[k] and any(abs(receptors[k].get(hand, np.inf) - feed[hand]) > 1e-3
                                    for hand in feed):
                raise ValueError(f'{path}: row {row} of its table FEED gives antenna '
                                 f'{antenna[row]} another feed than a row before it (RECEPTOR_ANGLE'
                                 ', POLARIZATION_TYPE); feeds that do not change are read')
            receptors[k] = feed
    return receptors
