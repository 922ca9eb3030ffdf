# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""UVFITS files of other programs, made by astropy: the value of each visibility says to which
source, setup, subarray and baseline it belongs."""
import numpy as np

try:
    from astropy.io import fits
except ImportError:
    fits = None

#: 2026-03-01, as a Julian date, and as seconds since 1970 (date -u -d 2026-03-01 +%s).
JD, SECONDS = 2461100.5, 1772323200
LIGHT = 299792458.0
C1, C2 = 1.4e9, 125e3  # Hz, first channel and width
CHANNELS = 4
PLACES = np.array([[0.0, 0, 0], [60, 10, 0], [-35, 80, 1]])


def value_of(source, setup, subarray, ant1, ant2, window=0):
    """What stands in each channel, before the number of the channel is added."""
    return 1000 * source + 100 * setup + 10 * subarray + 1j * (10 * ant1 + ant2) + 10000 * window


def group(days, ant1=1, ant2=2, source=1, setup=1, subarray=1, inttim=10.0):
    return dict(days=days, ant1=ant1, ant2=ant2, source=source, setup=setup, subarray=subarray,
                inttim=inttim)


def sources(*rows, unit='DEGREES', more=()):
    """AIPS SU of (number, name, RA, Dec, epoch, frequency offset)."""
    number, name, ra, dec, epoch, offset = zip(*rows)
    return fits.BinTableHDU.from_columns([
        fits.Column('ID. NO.', '1J', array=number), fits.Column('SOURCE', '16A', array=name),
        fits.Column('RAEPO', '1D', unit=unit, array=ra),
        fits.Column('DECEPO', '1D', unit=unit, array=dec),
        fits.Column('EPOCH', '1D', array=epoch), fits.Column('FREQOFF', '1D', array=offset),
        *more], name='AIPS SU')


def setups(*rows, windows=1):
    """AIPS FQ of (number, starts, widths, sidebands)."""
    number, starts, widths, sides = (list(column) for column in zip(*rows))
    return fits.BinTableHDU.from_columns([
        fits.Column('FRQSEL', '1J', array=number),
        fits.Column('IF FREQ', f'{windows}D', array=starts),
        fits.Column('CH WIDTH', f'{windows}E', array=widths),
        fits.Column('TOTAL BANDWIDTH', f'{windows}E', array=widths),
        fits.Column('SIDEBAND', f'{windows}J', array=sides)], name='AIPS FQ')


def antennas(names, places=PLACES, version=1, **words):
    """AIPS AN, geocentric on the equator at longitude 0: x up, y east, z north."""
    xyz = np.roll(places, 1, axis=1) + [6378137.0, 0, 0]
    table = fits.BinTableHDU.from_columns([
        fits.Column('ANNAME', '8A', array=names), fits.Column('STABXYZ', '3D', 'METERS', array=xyz),
        fits.Column('NOSTA', '1J', array=np.arange(1, len(names) + 1)),
        fits.Column('POLTYA', '1A', array=['X'] * len(names))], name='AIPS AN', ver=version)
    for name, value in {'ARRAYX': 0.0, 'ARRAYY': 0.0, 'ARRAYZ': 0.0, 'RDATE': '2026-03-01',
                        'TIMSYS': 'UTC', **words}.items():
        if value is not None:
            table.header[name] = value
    return table


def write(path, groups, tables, stokes=(-5,), windows=1, weights=True, header=(), leave=(),
          names=(), bitpix=-32, scale=1.0, center=(0.0, 0.0), numbers=False):
    """A UVFITS file of groups; `leave`: parameters that it does not have, `names`: other
    names of some, `numbers`: antennas and subarray are parameters of their own."""
    shape = (len(groups), 1, 1, windows, CHANNELS, len(stokes), 3 if weights else 2)
    data = np.zeros(shape)
    for row, group in zip(data, groups):
        for window in range(windows):
            value = value_of(group['source'], group['setup'], group['subarray'], group['ant1'],
                             group['ant2'], window)
            row[0, 0, window, ..., 0] = value.real + np.arange(CHANNELS)[:, None]
            row[0, 0, window, ..., 1] = value.imag + 0.5 * np.arange(len(stokes))
    if weights:
        data[..., 2] = 2.0
    apart = np.array([PLACES[group['ant1'] - 1] - PLACES[group['ant2'] - 1]
                      for group in groups]) / LIGHT
    of = {name: np.array([group[name] for group in groups], float) for name in groups[0]}
    pars = {'UU---SIN': apart[:, 0], 'VV---SIN': apart[:, 1], 'WW---SIN': apart[:, 2],
            'DATE': of['days'],
            'BASELINE': 256 * of['ant1'] + of['ant2'] + 0.01 * (of['subarray'] - 1),
            'SOURCE': of['source'], 'FREQSEL': of['setup'], 'INTTIM': of['inttim']}
    if numbers:
        pars = {'SUBARRAY': of['subarray'], 'ANTENNA1': of['ant1'], 'ANTENNA2': of['ant2'],
                **{name: value for name, value in pars.items() if name != 'BASELINE'}}
    pars = {dict(names).get(name, name): value for name, value in pars.items() if name not in leave}
    made = fits.GroupData(np.round(data / scale) if bitpix > 0 else data, bitpix=bitpix,
                          parnames=list(pars), pardata=list(pars.values()))
    unit = fits.GroupsHDU(made)
    axes = (('COMPLEX', 1, 1), ('STOKES', stokes[0], -1 if stokes[0] < 0 else 1), ('FREQ', C1, C2),
            ('IF', 1, 1), ('RA', center[0], 1), ('DEC', center[1], 1))
    for number, (name, start, step) in enumerate(axes, 2):
        unit.header[f'CTYPE{number}'], unit.header[f'CRVAL{number}'] = name, start
        unit.header[f'CDELT{number}'], unit.header[f'CRPIX{number}'] = step, 1.0
    for number, name in enumerate(pars, 1):
        unit.header[f'PSCAL{number}'] = 1.0
        unit.header[f'PZERO{number}'] = JD if name.endswith('DATE') else 0.0
    unit.header['OBJECT'], unit.header['DATE-OBS'] = 'MULTI', '2026-03-01'
    for name, word in dict(header).items():
        unit.header[name] = word
    fits.HDUList([unit, *tables]).writeto(path, overwrite=True)
    return path


PAIRS = ((1, 2), (1, 3), (2, 3))
NAMES = ('A', 'B', 'C')


def dumps(count=2, first=0.0, **words):
    """Groups of all baselines, dumps of 10 s."""
    return [group(first + k * 10 / 86400, a, b, **words) for k in range(count)
            for a, b in PAIRS]
