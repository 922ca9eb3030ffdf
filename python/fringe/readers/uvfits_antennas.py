#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Antennas of a UVFITS file: a table AIPS AN for each subarray."""

import numpy as np

from .aips_units import METERS, factor_of
from .antenna_pairs import enu_of_itrf
from .feeds import feeds_in_trouble, feeds_of
from .row_index import indices_of
from .selection import part

NAME = 'AIPS AN'
#: Of MNTSTA; 6 and above are not in AIPS Memo 117, but in use.
MOUNTS = {0: 'ALT-AZ', 1: 'EQUATORIAL', 2: 'ORBITING', 3: 'X-Y', 4: 'ALT-AZ+NASMYTH-R',
          5: 'ALT-AZ+NASMYTH-L', 6: 'PHASED', 7: 'FIXED'}


def numbers_of_groups(groups):
    """(number of the subarray, numbers of the two antennas) of each group."""
    found = groups.parameter('BASELINE')
    if found is None:
        return (groups.integers('SUBARRAY', 1),
                *(np.rint(groups.scaled(name)).astype(int) for name in ('ANTENNA1', 'ANTENNA2')))
    baseline = np.round(found[0] + found[1], 2)
    whole = np.floor(baseline).astype(np.int64)
    subarrays = np.rint((baseline - whole) * 100).astype(int) + 1  # what is behind the point
    many = whole > 65536
    return (subarrays, np.where(many, (whole - 65536) // 2048, whole // 256),
            np.where(many, (whole - 65536) % 2048, whole % 256))


def subarray_parts(path, tables, subarrays):
    """`part` of each subarray that groups name."""
    parts = []
    for number in np.unique(subarrays).tolist():
        if (NAME, number) not in tables:
            raise ValueError(f'{path}: damaged, its groups name the subarray {number}, whose '
                             f'antennas would be in the table {NAME} of EXTVER {number}; it has '
                             + (', '.join(str(v) for name, v in tables if name == NAME) or 'none'))
        table = tables[NAME, number]
        parts.append(part(number, str(table.header.get('ARRNAM', '')).strip(),
                          f'{len(table.data)} antennas'))
    return parts


def antenna_indices(path, table, numbers):
    """Rows of the table for numbers of antennas."""
    found = indices_of(table.data['NOSTA'].tolist(), numbers)
    if found.min() < 0:
        raise ValueError(f'{path}: damaged, its groups name an antenna that is not in the table '
                         f'{NAME}: {int(numbers[int(np.argmin(found))])}')
    return found


def antenna_names(table):
    """Of all antennas of the table."""
    return [str(name).strip() for name in table.data['ANNAME']]


def antenna_positions(path, table):
    """East, north, up (m) around the middle; None where all antennas are at one place."""
    positions = enu_of_itrf(itrf_positions(path, table))
    return positions if np.ptp(positions, axis=0).max() > 1e-6 else None


def itrf_positions(path, table):
    """ITRF (m), [antenna][3].

    STABXYZ counts from the center of the Earth, or from that of the array, with x in its meridian.
    """
    header = table.header
    frame = str(header.get('FRAME', '')).strip().upper()
    if frame not in ('', 'ITRF', 'GEOCENTRIC', '????', 'UNKNOWN'):
        raise ValueError(f'{path}: {NAME}: FRAME: {frame}: must be ITRF or GEOCENTRIC, on the '
                         'Earth')
    xyz = np.asarray(table.data['STABXYZ'], np.float64) * factor_of(
        path, table, 'STABXYZ', METERS)
    center = np.array([header.get(f'ARRAY{axis}', 0.0) for axis in 'XYZ'], float)
    hand = str(header.get('XYZHAND', 'RIGHT')).strip().upper() or 'RIGHT'
    if hand not in ('RIGHT', 'LEFT'):
        raise ValueError(f'{path}: {NAME}: XYZHAND: {hand}: must be RIGHT or LEFT')
    if hand == 'LEFT':
        xyz, center = xyz * [1, -1, 1], center * [1, -1, 1]
    if center.any():
        longitude = np.arctan2(center[1], center[0])
        co, so = np.cos(longitude), np.sin(longitude)
        xyz = xyz @ np.array([[co, so, 0], [-so, co, 0], [0, 0, 1]]) + center
    return xyz


def feeds_of_table(path, table):
    """The antenna_feeds of all antennas."""
    return feeds_in_trouble(path, len(table.data), lambda: _feeds(path, table))


def _feeds(path, table):
    names = {name.strip().upper(): name for name in table.columns.names}

    def column(name, default):
        return table.data[names[name]] if name in names else [default] * len(table.data)
    # HASMNT and HASFEED are pyuvdata's: False where it wrote what it did not know.
    mounts = [MOUNTS.get(int(code), f'MNTSTA {code}') if 'MNTSTA' in names and
              table.header.get('HASMNT', True) else '' for code in column('MNTSTA', 0)]
    receptors = [{} for _ in mounts]
    for feed in 'AB' if table.header.get('HASFEED', True) else '':
        for k, (word, angle) in enumerate(zip(column(f'POLTY{feed}', ''),
                                              column(f'POLA{feed}', 0.0))):
            hand = str(word).strip().upper()
            if hand:
                receptors[k][hand] = np.radians(float(np.ravel(angle)[0]))
    return feeds_of(path, mounts, receptors, itrf_positions(path, table))


def remarks_of_feeds(table):
    """Of arrays with linear feeds on some antennas and circular ones on others."""
    names = [name.strip().upper() for name in table.columns.names]
    kinds = set()
    for name in ('POLTYA', 'POLTYB'):
        if name in names:
            kinds |= {'XY' if str(word).strip().upper() in 'XY' else 'RL'
                      for word in table.data[name] if str(word).strip()}
    if len(kinds) < 2:
        return []
    return ['some antennas have feeds X and Y, others R and L: correlations have the names of the '
            'axis STOKES']
