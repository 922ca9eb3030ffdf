#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the header of a UVH5 file says of all of its rows."""

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import axes_towards
from .references import to_utc
from .visibilities import UNITS

#: Julian date of 1970-01-01.
JD_OF_1970 = 2440587.5


def text(value):
    """Of a dataset."""
    value = value[()]
    return value.decode() if isinstance(value, bytes) else str(value)


def word(group, name, default):
    """A text that may be missing."""
    return text(group[name]).strip() if has(group, name) else default


def numbers(group, name):
    """Of a dataset, in one dimension; none of one that is missing."""
    return np.ravel(group[name][()]).astype(float) if has(group, name) else np.zeros(0)


def has(group, name):
    """False for a dataset that is missing, or is there and empty (None)."""
    return name in group and group[name].shape is not None


def unit_of(path, header):
    """Of the visibilities."""
    unit = word(header, 'vis_units', 'uncalib')
    if unit.lower() not in UNITS:
        raise ValueError(f'{path}: Header/vis_units: {unit}: must be uncalib, Jy or K str')
    return UNITS[unit.lower()]


def remarks_of(path, header):
    """Facts that change no number here, but what the numbers mean."""
    remarks = []
    if has(header, 'eq_coeffs') and not np.all(header['eq_coeffs'][()] == 1):
        remarks.append('the gains in eq_coeffs are still in the visibilities')
    if has(header, 'x_orientation'):
        orientation = word(header, 'x_orientation', '').lower()
        if orientation not in ('north', 'n', 'east', 'e'):
            raise ValueError(f'{path}: Header/x_orientation: {orientation}: must be north or east')
        if orientation[0] == 'e':
            remarks.append('its X point east')
    return remarks


def utc_of(path, header, jd):
    """(whole seconds since 1970, fractions) of Julian dates in the file's time scale."""
    seconds = (jd - JD_OF_1970) * 86400
    # A double that holds a Julian date resolves 40 microseconds.
    whole, fractions = np.floor(seconds), np.round(seconds - np.floor(seconds), 5)
    return to_utc(path, 'Header/timesys', word(header, 'timesys', 'UTC'),
                  whole.astype(np.int64), fractions)


def widths_of(header, channels):
    """Hz, of each of some channels; 0 where the file does not say it."""
    widths = np.abs(numbers(header, 'channel_width'))
    return widths[channels] if len(widths) > 1 else np.resize(widths, len(channels))


def itrf_of(header):
    """Places of all antennas in ITRF, m, [antenna][3]."""
    place = (float(header[name][()]) for name in ('latitude', 'longitude', 'altitude'))
    return header['antenna_positions'][()] + np.array(fp.itrf_from_wgs84(*place))


def check_on_earth(path, header):
    """Raises ValueError for a telescope in another frame than that of the Earth."""
    frame = word(header, 'telescope_frame', 'itrs').lower()
    if frame not in ('itrs', '????', 'unknown', ''):
        raise ValueError(f'{path}: Header/telescope_frame: {frame}: must be itrs, on the Earth')


def positions_of(path, header):
    """East, north, up (m) around the middle of the antennas; None where all are at one place."""
    check_on_earth(path, header)
    axes = axes_towards(*np.radians([header['longitude'][()], header['latitude'][()]]))
    positions = header['antenna_positions'][()] @ axes.T
    return positions - positions.mean(axis=0) if np.ptp(positions, axis=0).max() > 1e-6 else None
