#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The random groups of a UVFITS file and its tables, through astropy."""

import contextlib
import warnings

import numpy as np

from .damage import damage_reported
from .fits_check import check_fits

#: Axes of the data that may hold several values.
WIDE = ('COMPLEX', 'STOKES', 'FREQ', 'IF')


class random_groups:
    """The random groups of an open file: parameters by their names, and values."""

    def __init__(self, unit):
        self.header = unit.header
        self.raw = unit.data.view(np.ndarray)  # as they are in the file, not scaled
        count = self.header['PCOUNT']
        self.names = [str(self.header[f'PTYPE{k + 1}']).strip().upper() for k in range(count)]
        # An axis of one value may have no name.
        self.axes = {str(self.header[f'CTYPE{k}']).strip(): k
                     for k in range(2, self.header['NAXIS'] + 1) if f'CTYPE{k}' in self.header}
        for name, k in self.axes.items():
            if self.header[f'NAXIS{k}'] > 1 and name not in WIDE:
                raise ValueError(f'NAXIS{k}: {self.header[f"NAXIS{k}"]} values along the axis '
                                 f'{name}; several are read of {", ".join(WIDE)}')

    def __len__(self):
        return len(self.raw)

    def parameter(self, *names):
        """(sum of the parameters of these names, of their zeros); None without any.

        What one number cannot hold is in two of the same name.
        """
        found = [k for k, name in enumerate(self.names) if name in names]
        if not found:
            return None
        values = [self.raw[self.raw.dtype.names[k]].astype(np.float64)
                  * self.header.get(f'PSCAL{k + 1}', 1) for k in found]
        return sum(values), sum(self.header.get(f'PZERO{k + 1}', 0) for k in found)

    def scaled(self, *names):
        """The same in one; KeyError without one."""
        found = self.parameter(*names)
        if found is None:
            raise KeyError(f'there is no parameter {names[0]}')
        return found[0] + found[1]

    def integers(self, name, default):
        """A parameter of whole numbers, such as SOURCE, or the default for all groups."""
        found = self.parameter(name)
        if found is None:
            return np.full(len(self), default)
        return np.rint(found[0] + found[1]).astype(int)

    def length(self, name):
        """Values along an axis; 1 where there is no such axis."""
        return self.header[f'NAXIS{self.axes[name]}'] if name in self.axes else 1

    def axis(self, name):
        """Values along an axis of the data."""
        if name not in self.axes:
            raise KeyError(f'there is no axis {name}')
        k = self.axes[name]
        place = np.arange(1, self.header[f'NAXIS{k}'] + 1) - self.header.get(f'CRPIX{k}', 1)
        return self.header[f'CRVAL{k}'] + place * self.header.get(f'CDELT{k}', 1)

    def values(self, part):
        """[group][window][channel][correlation][re, im, weight]; without the weight in some files.

        It is a view where `part` is a slice: what is written to it is written to the file.
        """
        data = self.raw[self.raw.dtype.names[-1]][part]
        for name in ('FREQ', 'STOKES', 'COMPLEX'):
            self.axis(name)
        kept = [self.axes[name] for name in ('IF', 'FREQ', 'STOKES', 'COMPLEX')
                if name in self.axes]
        # The last axis of an array is the file's first; NAXIS1 = 0 stands for the groups.
        others = tuple(slice(None) if k in kept else 0
                       for k in range(self.header['NAXIS'], 1, -1))
        left = sorted(kept, reverse=True)
        view = data[(slice(None), *others)].transpose([0] + [1 + left.index(k) for k in kept])
        return view if 'IF' in self.axes else view[:, None]

    def read(self, rows, windows, places):
        """Visibilities, weights and flags of groups, [group][channel][correlation].

        The channels of the windows stand after each other.
        """
        values = self.values(rows)[:, windows][:, :, :, places]
        values = values.reshape(len(values), -1, *values.shape[3:])
        lost = np.zeros(values.shape[:-1], bool)
        if values.dtype.kind == 'i':
            lost = (values == self.header.get('BLANK', np.iinfo(np.int64).min)).any(axis=-1)
        scale, zero = self.header.get('BSCALE', 1), self.header.get('BZERO', 0)
        if (scale, zero) != (1, 0):
            values = values * float(scale) + float(zero)
        values = values.astype(np.float32)
        weights = values[..., 2] if values.shape[-1] == 3 else np.ones_like(values[..., 0])
        return (values[..., 0] + np.complex64(1j) * values[..., 1], np.abs(weights),
                ~(weights > 0) | lost)


@contextlib.contextmanager
def open_groups(path, mode='readonly'):
    """As opened_groups(); what fails in the body is said to be damage, too."""
    with damage_reported(path, 'UVFITS file'), opened_groups(path, mode) as opened:
        yield opened


@contextlib.contextmanager
def opened_groups(path, mode='readonly'):
    """The groups of a file and its tables by (name, version); ValueError without groups."""
    try:
        from astropy.io import fits
    except ImportError:
        raise ValueError(f'{path}: reading a UVFITS file needs python3-astropy '
                         '(apt install python3-astropy)') from None
    check_fits(path)
    with warnings.catch_warnings(), _verified(path, fits):
        warnings.simplefilter('ignore')  # of what is not quite as FITS wants it
        with fits.open(path, mode=mode, memmap=True) as file:
            if not isinstance(file[0], fits.GroupsHDU):
                raise ValueError(f'{path}: is no UVFITS file; its data are no random groups')
            if file[0].header['GCOUNT'] == 0:
                raise ValueError(f'{path}: holds no visibilities (no groups)')
            yield _groups(path, file[0]), _tables(file[1:])


@contextlib.contextmanager
def _verified(path, fits):
    try:
        yield
    except fits.VerifyError as error:
        raise ValueError(f'{path}: damaged, or no UVFITS file: {error}') from error


def _groups(path, unit):
    try:
        groups = random_groups(unit)
    except ValueError as error:
        raise ValueError(f'{path}: {error}') from None
    held = groups.length('COMPLEX')
    if held == 1 and {'WEIGHT', 'SCALE'} <= set(groups.names):
        raise ValueError(f'{path}: is compressed as AIPS does it (parameters WEIGHT and SCALE); '
                         'AIPS writes it as it was with DOUVCOMP = -1')
    if held not in (2, 3):
        raise ValueError(f'{path}: NAXIS{groups.axes.get("COMPLEX", 2)}: {held} values along the '
                         'axis COMPLEX; there are 2, or 3 with the weight')
    return groups


def _tables(units):
    found = {}
    for unit in units:
        name, version = str(unit.name).strip().upper(), int(unit.header.get('EXTVER', 1))
        while (name, version) in found:  # of writers that number none
            version += 1
        found[name, version] = unit
    return found
