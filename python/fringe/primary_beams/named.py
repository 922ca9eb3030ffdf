#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Primary beams by their names."""

import re

import numpy as np

from .dipoles import mwa_tile, short_dipole
from .dishes import airy, gaussian
from .table import table

RIGHT = ('must be airy:25m (airy:25m,2m with a blocked middle), gaussian:1.5deg@1.4GHz, '
         'table:FILE, dipole or dipole:0.3m (over the ground), mwa or mwa:AZ,EL (degrees)')
#: What a number is multiplied by, by its unit.
UNITS = {'m': 1.0, 'deg': np.pi / 180, 'arcmin': np.pi / 10800, 'Hz': 1.0, 'kHz': 1e3,
         'MHz': 1e6, 'GHz': 1e9, '': 1.0}


def beam_of(text):
    """The beam that a text names: airy:D or airy:D,BLOCKED, gaussian:WIDTH@FREQUENCY, table:FILE,
    dipole or dipole:HEIGHT, mwa or mwa:AZIMUTH,ELEVATION. Raises ValueError."""
    kind, _, words = text.partition(':')
    if kind == 'table' and words:
        return table(words)
    try:
        if kind == 'airy':
            return airy(*(_number(word, 'm') for word in words.split(',')))
        if kind == 'gaussian':
            width, frequency = words.split('@')
            return gaussian(_number(width, 'deg', 'arcmin'),
                            _number(frequency, 'Hz', 'kHz', 'MHz', 'GHz'))
        if kind == 'dipole':
            return short_dipole(*(_number(word, 'm') for word in words.split(',') if words))
        if kind == 'mwa':
            if not words:
                return mwa_tile()
            azimuth, elevation = words.split(',')
            return mwa_tile(*np.radians([_number(azimuth, ''), _number(elevation, '')]))
    except (_unreadable, TypeError):
        pass
    except ValueError as error:
        if str(error).startswith('beam: '):
            raise
    raise ValueError(f'beam: {text}: {RIGHT}')


class _unreadable(ValueError):
    """A word is no number with a unit that fits."""


def _number(word, *units):
    found = re.fullmatch(r'([-+.\deE]+?)([A-Za-z]*)', word.strip())
    if not found or found[2] not in units:
        raise _unreadable(word)
    return float(found[1]) * UNITS[found[2]]
