#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What stands beside the numbers of a column of a MeasurementSet: units and references."""

import numpy as np

from ..ground.dates import MJD_SECONDS_OF_1970
from .measurement_set import read_cell
from .references import to_utc

#: Units that columns have, and what they are in s, Hz, m or rad.
UNITS = {'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, 's': 1.0, 'min': 60.0, 'h': 3600.0, 'd': 86400.0,
         'Hz': 1.0, 'kHz': 1e3, 'MHz': 1e6, 'GHz': 1e9,
         'mm': 1e-3, 'cm': 1e-2, 'm': 1.0, 'km': 1e3,
         'rad': 1.0, 'deg': np.pi / 180, 'arcmin': np.pi / 10800, 'arcsec': np.pi / 648000,
         'mas': np.pi / 648e6}
#: Units of each kind.
KINDS = {'s': ('ns', 'us', 'ms', 's', 'min', 'h', 'd'), 'Hz': ('Hz', 'kHz', 'MHz', 'GHz'),
         'm': ('mm', 'cm', 'm', 'km'), 'rad': ('rad', 'deg', 'arcmin', 'arcsec', 'mas')}
#: Of frequencies: writers that say nothing leave 0, which is REST.
UNKNOWN_FRAMES = ('REST', 'Undefined')
#: References by number, where a column of numbers tells them and no list of its own says how.
CODES = {
    'direction': ('J2000 JMEAN JTRUE APP B1950 B1950_VLA BMEAN BTRUE GALACTIC HADEC AZEL AZELSW '
                  'AZELGEO AZELSWGEO JNAT ECLIPTIC MECLIPTIC TECLIPTIC SUPERGAL ITRF TOPO '
                  'ICRS').split(),
    'epoch': 'LAST LMST GMST1 GAST UT1 UT2 UTC TAI TDT TCG TDB TCB'.split(),
    'frequency': 'REST LSRK LSRD BARY GEO TOPO GALACTO LGROUP CMB'.split()}


def factors(table, column, kind, path):
    """What numbers of a column are multiplied by to be in s, Hz, m or rad (`kind`)."""
    words = table.getcolkeywords(column)
    if 'VariableUnits' in words:
        raise ValueError(f'{path}: its column {column} has units of their own in each row '
                         f'({words["VariableUnits"]}), which are not read here')
    units = words.get('QuantumUnits', words.get('UNIT', kind))
    units = [units] if isinstance(units, str) else list(units)
    for unit in units:
        if unit not in KINDS[kind]:
            raise ValueError(f'{path}: its column {column} is in {unit}; what is read is in '
                             + ', '.join(KINDS[kind]))
    found = [UNITS[unit] for unit in units]
    return found[0] if len(set(found)) == 1 else np.array(found)


def reference(table, column, row, usual, path):
    """Name of the frame or scale of a column in a row; `usual` where nothing says it."""
    words = table.getcolkeywords(column).get('MEASINFO', {})
    if 'VarRefCol' not in words:
        return str(words.get('Ref', usual))
    value = read_cell(table, words['VarRefCol'], row, path)
    if isinstance(value, str):
        return value
    names = dict(enumerate(CODES.get(words.get('type'), ())))
    if 'TabRefTypes' in words:
        codes = words.get('TabRefCodes', range(len(words['TabRefTypes'])))
        names = dict(zip(map(int, codes), words['TabRefTypes']))
    if int(value) not in names:
        raise ValueError(f'{path}: {words["VarRefCol"]} {value} in row {row}: names no reference '
                         f'of its column {column}; known are '
                         + ', '.join(f'{code} {name}' for code, name in names.items()))
    return names[int(value)]


def read_direction(table, row, path):
    """Terms of the polynomial of a PHASE_DIR, [power of seconds][right ascension, declination]."""
    return (read_cell(table, 'PHASE_DIR', row, path, (None, 2))
            * factors(table, 'PHASE_DIR', 'rad', path))


def read_frequencies(table, row, path):
    """Of the channels of a spectral window, Hz."""
    return (read_cell(table, 'CHAN_FREQ', row, path, (None,))
            * factors(table, 'CHAN_FREQ', 'Hz', path))


def read_window(table, row, path):
    """(frequencies of the channels of a spectral window; their widths, 0 where writers left them
    out; the frame of the frequencies). Hz."""
    frequencies = read_frequencies(table, row, path)
    widths = np.zeros(len(frequencies))
    if table.iscelldefined('CHAN_WIDTH', int(row)):
        widths = np.abs(read_cell(table, 'CHAN_WIDTH', row, path)
                        * factors(table, 'CHAN_WIDTH', 'Hz', path))
    frame = reference(table, 'CHAN_FREQ', row, 'TOPO', path)
    return frequencies, widths, 'TOPO' if frame in UNKNOWN_FRAMES else frame


def utc(table, column, row, times, path):
    """Times of a column, in s, as whole seconds since 1970 in UTC and fractions.

    row: one whose reference is that of all.
    """
    scale = reference(table, column, row, 'UTC', path)
    whole = np.floor(times)
    # A double of MJD seconds resolves half a microsecond; more digits would be noise.
    seconds, fractions = whole.astype(np.int64) - MJD_SECONDS_OF_1970, np.round(times - whole, 6)
    return to_utc(path, f'its column {column}', scale, seconds, fractions)
