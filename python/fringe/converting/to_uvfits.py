#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A UVFITS file of converted visibilities: random groups as in AIPS Memo 117."""

import io
import warnings

import numpy as np

from ..certificates.sums import row_sums
from ..readers.fits_check import BLOCK
from ..readers.fits_frames import name_in_fits
from ..readers.polarizations import CODES
from ..readers.uvh5_header import JD_OF_1970
from ..readers.visibilities import SPEED_OF_LIGHT
from .uvfits_bands import even_bands
from .uvfits_tables import tables_of

#: Letters of a card of HISTORY.
CARD_TEXT = 72
#: Antennas that BASELINE can number, in its two ways.
FEW, MANY = 255, 2047
PARAMETERS = ('UU---SIN', 'VV---SIN', 'WW---SIN', 'DATE', 'DATE', 'BASELINE', 'FREQSEL', 'INTTIM',
              'SOURCE')
UNITS = {'count': 'UNCALIB', 'Jy': 'JY', 'K sr': 'K STR'}


def write_uvfits(path, content):
    """Writes the file; row_sums of its large columns. Raises ValueError where it cannot hold the
    content."""
    from astropy.io import fits
    like = content.require_alike('UVFITS file')
    if len(content.antennas) > MANY:
        raise ValueError(f'{content.path}: has {len(content.antennas)} antennas, and a UVFITS file '
                         f'numbers at most {MANY}')
    bands, order = even_bands(content, like)
    stokes = _stokes(like.codes)
    missing = [CODES[code] for code in stokes if code not in like.codes]
    if missing:
        content.notes.append(f'the axis STOKES is even, so {", ".join(missing)} stand in the file, '
                             'flagged')
    centers, of_parts = content.centers()
    day = min(int(part.seconds[0]) for part in content.parts) // 86400
    header = _header(fits, content, bands, stokes, centers, day)
    shape = (1, 1, len(bands.starts), bands.count, len(stokes), 3)
    kind = np.dtype([(f'p{k}', '>f4') for k in range(len(PARAMETERS))] + [('data', '>f4', shape)])
    sums, start = row_sums(), 0
    with open(path, 'wb') as file:
        file.write(header.tostring().encode('ascii'))
        for number, rows in content.blocks():
            part = content.parts[number]
            groups = np.zeros(len(rows), kind)
            _put_parameters(groups, part, rows, day, len(content.antennas), of_parts[number] + 1)
            _put_values(groups['data'], content.read(part, rows), order,
                        [part.codes.index(code) if code in part.codes else -1 for code in stokes])
            groups.tofile(file)
            values = groups['data']
            sums.add('DATA', start, values[..., :2])
            sums.add('WEIGHT', start, values[..., 2:])
            sums.count(~(values[..., 2] > 0), np.abs(values[..., 2]))
            start += len(rows)
        file.write(b'\0' * (-file.tell() % BLOCK))
        file.write(_tables(fits, content, bands, centers, day))
    _note_what_is_left(content)
    return sums


def _stokes(codes):
    """The codes as an even axis: without gaps where it is not even already."""
    sign = -1 if codes[0] < 0 else 1
    along = sorted(codes, key=lambda code: sign * code)
    if len(set(np.diff(along).tolist())) <= 1:
        return along
    return list(range(along[0], along[-1] + sign, sign))


def _put_parameters(groups, part, rows, day, antennas, source):
    uvw = part.uvw[rows] / SPEED_OF_LIGHT
    seconds = part.seconds[part.dump[rows]] - day * 86400
    days = (seconds + part.fractions[part.dump[rows]]) / 86400
    first, second = part.ant1[rows] + 1, part.ant2[rows] + 1
    baseline = (256 * first + second if antennas <= FEW else 65536 + 2048 * first + second)
    coarse = days.astype(np.float32)
    for k, column in enumerate((*uvw.T, coarse, days - coarse, baseline, 1, part.intervals[rows],
                                source)):
        groups[f'p{k}'] = column


def _put_values(out, block, order, places):
    data, weights, flags = (cube[:, order] for cube in block)
    # A weight of this format that is not positive is a flag.
    weights = np.where(flags, -np.abs(weights), weights)
    shape = out.shape[3:5]
    for k, place in enumerate(places):
        if place >= 0:
            for number, values in enumerate((data.real, data.imag, weights)):
                out[:, 0, 0, :, :, k, number] = values[..., place].reshape(-1, *shape)


def _header(fits, content, bands, stokes, centers, day):
    header = fits.Header()
    groups = sum(len(part.ant1) for part in content.parts)
    axes = [('COMPLEX', 3, 1.0, 1.0), ('STOKES', len(stokes), float(stokes[0]),
                                       float(stokes[1] - stokes[0]) if len(stokes) > 1 else
                                       (-1.0 if stokes[0] < 0 else 1.0)),
            ('FREQ', bands.count, bands.starts[0], bands.steps[0]),
            ('IF', len(bands.starts), 1.0, 1.0),
            *((name, 1, np.degrees(place) if len(centers) == 1 else 0.0, 1.0) for name, place in
              zip(('RA', 'DEC'), centers[0][1:]))]
    for name, value in (('SIMPLE', True), ('BITPIX', -32), ('NAXIS', len(axes) + 1), ('NAXIS1', 0),
                        *((f'NAXIS{k}', axis[1]) for k, axis in enumerate(axes, 2)),
                        ('EXTEND', True), ('GROUPS', True), ('PCOUNT', len(PARAMETERS)),
                        ('GCOUNT', groups),
                        ('OBJECT', ascii_of(centers[0][0]) if len(centers) == 1 else 'MULTI'),
                        ('TELESCOP', ascii_of(content.telescope)),
                        ('INSTRUME', ascii_of(content.telescope)),
                        ('OBSERVER', ascii_of(content.observer)),
                        ('DATE-OBS', str(np.datetime64(day, 'D'))), ('BUNIT', UNITS[content.unit]),
                        ('BSCALE', 1.0), ('BZERO', 0.0), ('EPOCH', 2000.0),
                        # In small letters, by which pyuvdata knows it.
                        ('RADESYS', 'icrs'),
                        ('SPECSYS', name_in_fits(content.frame('UVFITS file')))):
        header[name] = value
    for k, (name, _, value, step) in enumerate(axes, 2):
        for key, word in (('CTYPE', name), ('CRVAL', value), ('CDELT', step), ('CRPIX', 1.0),
                          ('CROTA', 0.0)):
            header[f'{key}{k}'] = word
    for k, name in enumerate(PARAMETERS, 1):
        header[f'PTYPE{k}'], header[f'PSCAL{k}'] = name, 1.0
        header[f'PZERO{k}'] = JD_OF_1970 + day if name == 'DATE' and k == 4 else 0.0
    for line in content.history:
        text = ascii_of(line)
        for at in range(0, max(1, len(text)), CARD_TEXT):
            header.add_history(text[at:at + CARD_TEXT])
    return header


def ascii_of(text):
    """What a card can hold."""
    return ''.join(letter if ' ' <= letter <= '~' else '?' for letter in text)


def _tables(fits, content, bands, centers, day):
    """The bytes behind the groups."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of columns that are empty, as AIPS has them
        fits.HDUList([fits.PrimaryHDU(), *tables_of(fits, content, bands, centers, day)]).writeto(
            buffer)
    return buffer.getvalue()[BLOCK:]


def _note_what_is_left(content):
    content.note_exposures('UVFITS file')
    if any(part.scans is not None and np.ptp(part.scans) for part in content.parts):
        content.notes.append('UVFITS files have no numbers of scans')
