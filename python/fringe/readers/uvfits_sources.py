#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sources of a UVFITS file: the table AIPS SU, or the header of a file of one source."""

from dataclasses import dataclass

import numpy as np

from .aips_units import HERTZ, RADIANS, column_of, factor_of
from .references import north_of_frame, remarks_of_frame, to_icrs
from .selection import part

NAME = 'AIPS SU'
DEGREE = np.pi / 180


@dataclass
class uvfits_source:
    """A row of the table, or the header."""
    number: int
    name: str
    longitude: float       #: radians, in the frame of the epoch
    latitude: float
    epoch: float           #: a year, or None
    offsets: np.ndarray    #: Hz, of each window
    moves: bool            #: it has a proper motion

    def phase_center(self, path, header):
        """((name, right ascension, declination) in ICRS, the bearing of the uvw's north from that
        of ICRS, remarks)."""
        place = *frame_of(path, header, self.epoch), self.longitude, self.latitude
        what = f'source {self.name or self.number}'
        return ((self.name, *to_icrs(path, what, *place)), north_of_frame(path, what, *place),
                remarks_of_frame(*place))

    def as_part(self):
        """For lists and choices."""
        return part(self.number, self.name, f'{self.longitude / DEGREE % 360:.4f} '
                    f'{self.latitude / DEGREE:+.4f} degrees')


def frame_of(path, header, epoch):
    """(frame, equinox) of right ascensions; the header's RADESYS, else by the year.

    A J2000 without RADESYS is ICRS, in which correlators have worked since 1998.
    """
    epoch = epoch or year_of(header.get('EPOCH')) or year_of(header.get('EQUINOX'))
    frame = str(header.get('RADESYS', header.get('RADECSYS', ''))).strip().upper()
    if frame == 'ICRS' and epoch not in (None, 2000.0):
        frame = ''  # a source of another year than the header
    if frame not in ('', 'ICRS', 'FK5', 'FK4'):
        raise ValueError(f'{path}: RADESYS: {frame}: must be ICRS, FK5 or FK4')
    if not frame:
        frame = 'ICRS' if epoch in (None, 2000.0) else 'FK5' if epoch > 1984 else 'FK4'
    return frame, epoch


def year_of(epoch):
    """Of 2000.0 or J2000; None of 0 and what is no year."""
    try:
        return float(str(epoch).strip().lstrip('JB')) or None
    except ValueError:
        return None


def sources_of_groups(path, groups, tables):
    """(number of the source of each group, {number: uvfits_source} of those that groups name)."""
    windows = groups.length('IF')
    numbers = groups.integers('SOURCE', 0)
    table = tables.get((NAME, 1))
    named = groups.parameter('SOURCE') is not None
    used = np.unique(numbers).tolist()
    if named and table is not None:
        found = {source.number: source for source in _rows(path, table, windows)}
        for number in used:
            if number not in found:
                raise ValueError(f'{path}: groups name the source {number}, which is not in the '
                                 f'table {NAME}: {", ".join(str(n) for n in sorted(found))}')
        return numbers, {number: found[number] for number in used}
    if len(used) > 1:
        raise ValueError(f'{path}: groups name the sources {", ".join(map(str, used))}, and there '
                         f'is no table {NAME} of them')
    if table is not None and len(table.data) == 1 and not _in_header(groups):
        return numbers, {used[0]: _rows(path, table, windows)[0]}
    return numbers, {used[0]: _of_header(path, groups, used[0])}


def _in_header(groups):
    return 'RA' in groups.axes and 'DEC' in groups.axes


def _of_header(path, groups, number):
    if not _in_header(groups):
        raise ValueError(f'{path}: does not say where its phase center is: it has no axes RA and '
                         f'DEC, and no parameter SOURCE with a table {NAME}')
    header = groups.header
    ra, dec = (DEGREE * float(header[f'CRVAL{groups.axes[name]}']) for name in ('RA', 'DEC'))
    return uvfits_source(number, str(header.get('OBJECT', '')).strip(), ra, dec, None,
                         np.zeros(groups.length('IF')), False)


def _rows(path, table, windows):
    def of(row, name, default):
        column = column_of(table, name)
        return default if column is None else row[column.name]

    right, up = (factor_of(path, table, name, RADIANS) for name in ('RAEPO', 'DECEPO'))
    hertz = factor_of(path, table, 'FREQOFF', HERTZ)
    return [uvfits_source(
        int(of(row, 'ID. NO.', None)), str(of(row, 'SOURCE', '')).strip(),
        float(of(row, 'RAEPO', None)) * right, float(of(row, 'DECEPO', None)) * up,
        year_of(of(row, 'EPOCH', None)),
        hertz * np.resize(np.nan_to_num(np.atleast_1d(of(row, 'FREQOFF', 0.0)).astype(float)),
                          windows),
        bool(of(row, 'PMRA', 0) or of(row, 'PMDEC', 0))) for row in table.data]
