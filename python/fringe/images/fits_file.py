#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A FITS file of an image: orthographic projection (SIN), right ascension to the left."""

import numpy as np

from .. import fringe_python as fp
from ..certificates.fits import certified_bytes
from ..ground.dates import mjd
from ..observing.stokes import STOKES
from ..readers.fits_frames import name_in_fits
from .middle import middle_of


def fits_bytes(made, history=(), unit='count/beam', values=None, every=None,
               middle=None):
    """The bytes of a FITS file of a `sky_image`, axes (right ascension, declination,
    frequency, Stokes), with a certificate. history: lines, of which the first is the command;
    values: others than the image's, as its psf.

    every: seconds from this image to the next of a cube, which has one more axis, TIME; middle:
    seconds from the begin of this image to the middle of its interval on that axis.
    """
    values = made.values if values is None else values
    rows, columns = values.shape[-2:]
    step = float(np.degrees(made.pixel))
    keys = [('BUNIT', unit), ('BTYPE', 'Intensity'), ('ORIGIN', f'gr-fringe {fp.__version__}'),
            ('TELESCOP', made.telescope or 'unknown'), ('OBJECT', made.frame.name or 'unknown')]
    if made.has_times:
        keys += [('TIMESYS', 'UTC'), ('DATE-OBS', iso(made.begin)), ('DATE-AVG', iso(made.middle)),
                 ('MJD-OBS', mjd(*made.begin)), ('MJD-AVG', mjd(*made.middle))]
    keys += [('TELAPSE', made.duration)]
    keys += _sky_axes(made, step, rows, columns)
    f = made.frequencies
    keys += [('CTYPE3', 'FREQ'), ('CUNIT3', 'Hz'), ('CRPIX3', 1.0), ('CRVAL3', float(f[0])),
             ('CDELT3', float(np.diff(f).mean()) if len(f) > 1 else made.bandwidth),
             ('SPECSYS', name_in_fits(made.frequency_frame))]
    numbers = [STOKES[name] for name in made.planes]
    keys += [('CTYPE4', 'STOKES'), ('CUNIT4', ''), ('CRPIX4', 1.0),
             ('CRVAL4', float(numbers[0])),
             ('CDELT4', float(numbers[1] - numbers[0]) if len(numbers) > 1 else 1.0)]
    keys += [('BMAJ', float(np.degrees(made.beam[0]))), ('BMIN', float(np.degrees(made.beam[1]))),
             ('BPA', float(np.degrees(made.beam[2])))]
    if every is not None:
        values = values[None]
        keys += [('CTYPE5', 'TIME'), ('CUNIT5', 's'), ('CRPIX5', 1.0),
                 ('CRVAL5', float(middle)), ('CDELT5', float(every))]
        keys += [('DATEREF', iso(made.begin))] if made.has_times else []
    # l grows to the left.
    content = fp.fits_image(np.ascontiguousarray(values[..., ::-1]), keys,
                            [line for text in history for line in _lines(text)])
    # That of a cube covers all of its images.
    return content if every is not None else certified_bytes(content, command_of(history))


def command_of(history):
    """The first line of a history."""
    return history[0] if history else ''


def _sky_axes(made, step, rows, columns):
    # From 1 on, and in columns that are turned round.
    column, row = middle_of(columns, rows)
    place = [('CRPIX1', float(columns - column)), ('CRPIX2', float(row + 1))]
    if made.frame.center is None:
        # Where the zenith is among the stars is not known: direction cosines.
        return place + [('CTYPE1', 'L'), ('CRVAL1', 0.0), ('CDELT1', -made.pixel),
                        ('CTYPE2', 'M'), ('CRVAL2', 0.0), ('CDELT2', made.pixel)]
    ra, dec = np.degrees(made.frame.center)
    return place + [('CTYPE1', 'RA---SIN'), ('CUNIT1', 'deg'), ('CRVAL1', float(ra % 360)),
                    ('CDELT1', -step), ('CTYPE2', 'DEC--SIN'), ('CUNIT2', 'deg'),
                    ('CRVAL2', float(dec)), ('CDELT2', step), ('RADESYS', 'ICRS'),
                    # m points north; at the pole itself the usual LONPOLE is 0.
                    ('LONPOLE', 180.0), ('LATPOLE', float(dec))]


def iso(instant):
    """(seconds, fraction) as 2026-06-12T11:20:40.032000."""
    nanos = np.int64(instant[0]) * 10**9 + np.int64(round(instant[1] * 1e9))
    return str(np.datetime64(int(nanos), 'ns').astype('datetime64[us]'))


def _lines(text):
    """Plain ASCII of at most 70 characters."""
    text = text.encode('ascii', 'replace').decode()
    return [text[k:k + 70] for k in range(0, max(1, len(text)), 70)]
