#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads UVFITS files (.uvfits), random groups as in AIPS Memo 117, through astropy."""

import contextlib
import warnings

import numpy as np

from .antenna_pairs import antenna_uvw, empty_data, enu_of_itrf, products_of_rows, put_rows
from .fits_check import check_fits
from .uvh5_file import CORRELATIONS, JD_OF_1970
from .selection import selection
from .visibilities import (SPEED_OF_LIGHT, clean, is_dated, is_partial, thin_out,
                           visibilities)


def read_uvfits(path, limit, chosen=selection()):
    """`visibilities` of a UVFITS file; without data where limit is None."""
    with open_groups(path) as (groups, tables):
        return _read(groups, tables, path, limit)


def flagged_fraction(path):
    """Fraction of flagged values, read a part at a time."""
    with open_groups(path) as (groups, _):
        flagged = total = 0
        for part in _parts(groups):
            weights = groups.values(part)[..., 2]
            flagged += int(np.count_nonzero(~(weights > 0)))
            total += weights.size
        return flagged / total if total else 0.0


class _groups:
    """The random groups of an open file: parameters by their names, and values."""

    def __init__(self, unit):
        self.header = unit.header
        self.raw = unit.data.view(np.ndarray)  # as they are in the file, not scaled
        count = self.header['PCOUNT']
        self.names = [str(self.header[f'PTYPE{k + 1}']).strip() for k in range(count)]
        # An axis of one value may have no name.
        self.axes = {str(self.header[f'CTYPE{k}']).strip(): k
                     for k in range(2, self.header['NAXIS'] + 1) if f'CTYPE{k}' in self.header}

    def __len__(self):
        return len(self.raw)

    def parameter(self, *beginnings):
        """(sum of the parameters whose names begin so, of their zeros); None without one."""
        found = [k for k, name in enumerate(self.names) if name.startswith(beginnings)]
        if not found:
            return None
        fields = [self.raw[self.raw.dtype.names[k]].astype(np.float64)
                  * self.header.get(f'PSCAL{k + 1}', 1) for k in found]
        return sum(fields), sum(self.header.get(f'PZERO{k + 1}', 0) for k in found)

    def scaled(self, *beginnings):
        """The same in one; KeyError without one."""
        found = self.parameter(*beginnings)
        if found is None:
            raise KeyError(f'there is no parameter {beginnings[0]}')
        return found[0] + found[1]

    def axis(self, name):
        """Values along an axis of the data."""
        k = self.axes[name]
        place = np.arange(1, self.header[f'NAXIS{k}'] + 1) - self.header.get(f'CRPIX{k}', 1)
        return self.header[f'CRVAL{k}'] + place * self.header.get(f'CDELT{k}', 1)

    def windows(self):
        """Spectral windows that are read: all, where they stand beside the channels as AIPS Memo
        117 has them, else the first."""
        k = self.axes.get('IF', 0)
        return self.header[f'NAXIS{k}'] if k == self.axes['FREQ'] + 1 else 1

    def frequencies(self, tables):
        """Of all channels of all windows."""
        plain = self.axis('FREQ')
        if self.windows() == 1:
            return plain
        if 'AIPS FQ' not in tables:
            raise KeyError('there are several spectral windows, and no table AIPS FQ')
        row = tables['AIPS FQ'].data[0]
        starts = np.atleast_1d(row['IF FREQ']).astype(float)
        if len(starts) != self.windows():
            raise KeyError(f'{self.windows()} spectral windows, and {len(starts)} in the table '
                           'AIPS FQ')
        number = self.axes['FREQ']
        middle = self.header[f'CRVAL{number}']
        # A width is signed by the sideband.
        steps = np.atleast_1d(row['CH WIDTH']).astype(float)
        steps = np.abs(steps) * np.where(np.atleast_1d(row['SIDEBAND']) < 0, -1, 1)
        places = np.arange(1, len(plain) + 1) - self.header.get(f'CRPIX{number}', 1)
        return (middle + starts[:, None] + steps[:, None] * places).ravel()

    def values(self, part):
        """[group][channel][correlation][re, im, weight], the channels of all windows after each
        other. It is a view: what is written to it is written to the file."""
        data = self.raw[self.raw.dtype.names[-1]][part]
        wanted = [self.axes[name] for name in ('FREQ', 'STOKES', 'COMPLEX')]
        windows = self.windows()
        kept = wanted + ([self.axes['IF']] if windows > 1 else [])
        # The last axis of an array is the file's first; NAXIS1 = 0 stands for the groups.
        last = self.header['NAXIS']
        others = tuple(slice(None) if k in kept else 0 for k in range(last, 1, -1))
        view = data[(slice(None), *others)]
        left = sorted(kept, reverse=True)
        if windows > 1:
            # Both axes are one in memory: assigning the shape fails rather than copies.
            k = 1 + left.index(self.axes['IF'])
            view.shape = (*view.shape[:k], -1, *view.shape[k + 2:])
            left.remove(self.axes['IF'])
        order = [0] + [1 + left.index(k) for k in wanted]
        return view.transpose(order)


@contextlib.contextmanager
def open_groups(path, mode='readonly'):
    """The groups of a file and its tables by name; ValueError where there are none."""
    try:
        from astropy.io import fits
    except ImportError:
        raise ValueError(f'{path}: reading a UVFITS file needs python3-astropy '
                         '(apt install python3-astropy)') from None
    check_fits(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # of what is not quite as FITS wants it
            with fits.open(path, mode=mode, memmap=True) as file:
                if not isinstance(file[0], fits.GroupsHDU):
                    raise ValueError(f'{path}: is no UVFITS file; its data are no random groups')
                tables = {unit.name: unit for unit in file[1:]}
                if file[0].header['GCOUNT'] == 0:
                    raise ValueError(f'{path}: holds no visibilities (no groups)')
                yield _groups(file[0]), tables
    except (KeyError, IndexError, OSError, TypeError, AttributeError) as error:
        raise ValueError(f'{path}: damaged, or no UVFITS file: '
                         f'{" ".join(str(error).split())}') from None


def _parts(groups):
    step = max(1, 2**24 // max(1, groups.raw.dtype.itemsize))
    return (slice(k, min(k + step, len(groups))) for k in range(0, len(groups), step))


def _read(groups, tables, path, limit):
    codes = np.rint(groups.axis('STOKES')).astype(int).tolist()
    unknown = [code for code in codes if code not in CORRELATIONS]
    if unknown:
        raise ValueError(f'{path}: polarisation {unknown[0]} of its STOKES axis is not a product '
                         'of X and Y or R and L')
    numbers = tables['AIPS AN'].data['NOSTA'].tolist()
    index = {int(number): k for k, number in enumerate(numbers)}
    ant1, ant2 = (np.array([index.get(int(a), -1) for a in ants])
                  for ants in antennas_of_groups(groups))
    if min(ant1.min(), ant2.min()) < 0:
        raise ValueError(f'{path}: damaged, its groups name an antenna that is not in the table '
                         'AIPS AN')
    days, zero = groups.parameter('DATE')
    instants, first, dump = np.unique(days, return_index=True, return_inverse=True)
    vis = _describe(groups, tables, path, instants, zero, first)
    hands = sorted({hand for code in codes for hand in CORRELATIONS[code]}, key='XYRL'.index)
    vis.inputs = [(a, hand) for a in np.union1d(ant1, ant2).tolist() for hand in hands]
    uvw = np.stack([groups.scaled(name) for name in ('UU', 'VV', 'WW')], axis=1)
    vis.uvw = antenna_uvw(uvw * SPEED_OF_LIGHT, dump, ant1, ant2, len(instants),
                          len(vis.antennas))
    if limit is None:
        return vis
    products = products_of_rows(vis, [CORRELATIONS[code] for code in codes], ant1, ant2)
    place = np.full(len(instants), -1)
    kept = thin_out(vis, len(vis.frequencies), limit)
    place[kept] = np.arange(len(kept))
    empty_data(vis)
    for part in _parts(groups):
        rows = np.arange(part.start, part.stop)
        rows = rows[place[dump[rows]] >= 0]
        if len(rows):
            values = groups.values(part)[rows - part.start].astype(np.float32)
            put_rows(vis, products, rows, place[dump[rows]],
                     values[..., 0] + np.complex64(1j) * values[..., 1],
                     np.abs(values[..., 2]), ~(values[..., 2] > 0))
    clean(vis)
    return vis


def antennas_of_groups(groups):
    """Numbers of the two antennas of each group."""
    found = groups.parameter('BASELINE')
    if found is None:
        return groups.scaled('ANTENNA1'), groups.scaled('ANTENNA2')
    baseline = np.floor(found[0] + found[1]).astype(np.int64)  # behind the point: a subarray
    many = baseline > 65536
    return (np.where(many, (baseline - 65536) // 2048, baseline // 256),
            np.where(many, (baseline - 65536) % 2048, baseline % 256))


def _describe(groups, tables, path, days, zero, first):
    header = groups.header
    # The zero of the days is a midnight, and both together more than a double can hold.
    seconds = np.round(days * 86400, 8)
    whole = np.floor(seconds)
    start = round((zero - JD_OF_1970) * 86400)
    if groups.parameter('INTTIM'):
        intervals = groups.scaled('INTTIM')[first]
    else:
        apart = np.median(np.diff(seconds)) if len(seconds) > 1 else np.nan
        intervals = np.full(len(seconds), apart)
    antennas = tables['AIPS AN']
    positions = _positions(antennas)
    vis = visibilities(
        path=path, telescope=str(header.get('TELESCOP', antennas.header.get('ARRNAM', ''))),
        antennas=[str(name).strip() for name in antennas.data['ANNAME']], inputs=[],
        frequencies=groups.frequencies(tables), seconds=start + whole.astype(np.int64),
        fractions=seconds - whole, intervals=intervals, exposures=intervals.copy(),
        positions=positions if np.ptp(positions, axis=0).max() > 1e-6 else None,
        partial=is_partial(path),
        phase_center=(str(header.get('OBJECT', '')), *np.radians(
            [groups.axis('RA')[0], groups.axis('DEC')[0]])))
    vis.has_times = is_dated(vis.seconds)
    if str(header.get('BUNIT', '')).strip().upper() == 'JY':
        vis.unit = 'Jy'
    if 'AIPS SU' in tables and len(tables['AIPS SU'].data) > 1:
        vis.remarks.append('the first of several sources is given')
    if 'IF' in groups.axes and header[f'NAXIS{groups.axes["IF"]}'] > groups.windows():
        vis.remarks.append('only the first of several spectral windows is read')
    return vis


def _positions(antennas):
    """East, north, up of an antenna table: geocentric, or from the array's centre on, with x
    in the centre's meridian."""
    xyz = np.asarray(antennas.data['STABXYZ'], np.float64)
    centre = np.array([antennas.header.get(f'ARRAY{axis}', 0.0) for axis in 'XYZ'])
    if not centre.any():
        return enu_of_itrf(xyz)
    longitude = np.arctan2(centre[1], centre[0])
    co, so = np.cos(longitude), np.sin(longitude)
    return enu_of_itrf(xyz @ np.array([[co, so, 0], [-so, co, 0], [0, 0, 1]]) + centre)
