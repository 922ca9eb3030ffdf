#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Times of a UVFITS file: Julian dates in the time scale of its table AIPS AN."""

import numpy as np

from .. import fringe_python as fp
from .references import to_utc
from .uvfits_antennas import NAME
from .uvh5_header import JD_OF_1970

#: Days by which AIPS moves the times of each further subarray.
DAYS_OF_SUBARRAY = 5
SCALES = {'': 'UTC', 'UTC': 'UTC', 'IAT': 'TAI', 'TAI': 'TAI'}


def utc_of_groups(path, groups, table, subarray, days, zero):
    """(whole seconds since 1970 UTC, fractions, remarks) of instants: days after `zero`, both of
    the parameter DATE."""
    # The zero of the days is a midnight mostly, and both together more than a double can hold.
    begin = (zero - JD_OF_1970) * 86400
    whole_begin = round(begin)
    rest = begin - whole_begin if abs(begin - whole_begin) > 1e-4 else 0.0
    seconds = np.round(days * 86400 + rest, 8)
    whole = np.floor(seconds)
    fractions = seconds - whole
    whole = whole_begin + whole.astype(np.int64)
    moved = _days_of_subarray(groups, table, subarray, int(whole[0]))
    whole -= moved * 86400
    return (*_utc(path, groups, table, whole, fractions),
            [f'its times are {moved} days earlier than in the file, where AIPS puts those of '
             f'subarray {subarray} later'] if moved else [])


def _days_of_subarray(groups, table, subarray, seconds):
    """How many days the times of a subarray stand behind the day of its table of antennas."""
    later = DAYS_OF_SUBARRAY * (subarray - 1)
    day = _seconds_of_date(table.header.get('RDATE') or groups.header.get('DATE-OBS'))
    return later if later and day is not None and seconds - day >= later * 86400 else 0


def _seconds_of_date(word):
    """Since 1970, of the midnight; None of what is no date."""
    parts = str(word or '').strip()[:10].split('/')
    if len(parts) == 3 and len(parts[2]) == 2:  # day/month/year, before 2000
        parts = ['-'.join(['19' + parts[2], parts[1], parts[0]])]
    try:
        return fp.epoch.from_iso(f'{parts[0]}T00:00:00Z').seconds
    except ValueError:
        return None


def _utc(path, groups, table, whole, fractions):
    header, where = table.header, f'{NAME}: TIMSYS'
    scale = next((str(table[name]).strip().upper() for table in (header, groups.header)
                  for name in ('TIMSYS', 'TIMESYS') if name in table), '')
    offset = float(header.get('DATUTC') or 0)
    if scale == 'UT1':
        if 'UT1UTC' not in header:
            raise ValueError(f'{path}: {where}: UT1, and there is no UT1UTC')
        shifted = fractions - float(header['UT1UTC'])
        return whole + np.floor(shifted).astype(np.int64), shifted - np.floor(shifted)
    if scale not in SCALES:
        raise ValueError(f'{path}: {where}: {scale}: must be UTC, IAT (TAI) or UT1')
    utc = to_utc(path, where, SCALES[scale], whole, fractions)
    behind = float(whole[0] - utc[0][0]) + float(fractions[0] - utc[1][0])
    if offset and abs(offset - behind) > 1e-3:
        raise ValueError(f'{path}: {NAME}: DATUTC: {offset:g} s: TIMSYS {scale or "UTC"} is '
                         f'{behind:g} s ahead of UTC on that day')
    return utc
