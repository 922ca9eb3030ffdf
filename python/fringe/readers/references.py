#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""References beside numbers: frames of directions and scales of times, turned to ICRS and UTC."""

import numpy as np

from .. import fringe_python as fp

#: Names of frames in UVH5 and FITS files, in capital letters, beside those of MeasurementSets.
NAMES = {'TETE': 'APP', 'SUPERGALACTIC': 'SUPERGAL', 'BARYCENTRICMEANECLIPTIC': 'ECLIPTIC',
         'BARYCENTRICTRUEECLIPTIC': 'ECLIPTIC'}
#: Frames that need a time: those "of date".
OF_DATE = ('APP', 'JMEAN', 'JTRUE', 'MECLIPTIC')
#: Equinoxes where none is given.
EQUINOX = {'FK4': 1950.0, 'FK5': 2000.0}
#: A step to the north, radians.
STEP = 1e-5
#: Frames that turn with the earth.
LOCAL = ('AZEL', 'AZELSW', 'AZELNE', 'AZELGEO', 'AZELSWGEO', 'AZELNEGEO', 'ALTAZ', 'HADEC', 'ITRF',
         'ITRS', 'TOPO')
#: TAI - scale, s, of scales that run with TAI.
BEHIND_TAI = {'TAI': 0.0, 'IAT': 0.0, 'TT': -32.184, 'TDT': -32.184, 'ET': -32.184, 'GPS': 19.0}


def to_icrs(path, what, frame, epoch, longitude, latitude, seconds=None, site=None):
    """(right ascension, declination) in ICRS of a direction in another frame; radians.

    epoch: the equinox of FK4 (Besselian) and FK5 (Julian), a year. seconds: since 1970 UTC, for
    frames of date. Within 5 mas of astropy (20 mas for galactic ones, whose pole is defined twice).
    Raises ValueError with `path` and `what` for frames that are not read.
    """
    name = str(frame).strip().upper()
    name = NAMES.get(name, name)
    if name in LOCAL:
        raise ValueError(f'{path}: {what}: is fixed in {frame}, which turns with the earth, not '
                         'among the stars')
    if name not in fp._sky_frames():
        raise ValueError(f'{path}: {what}: is in the frame {frame}; what is read is in '
                         + ', '.join(fp._sky_frames()))
    if name in OF_DATE and seconds is None:
        raise ValueError(f'{path}: {what}: is in {frame} of a day, and no time says of which')
    year = float(epoch) if epoch else EQUINOX.get(name, 2000.0)
    if not 1800 <= year <= 2200:
        raise ValueError(f'{path}: {what}: equinox {epoch}: must be a year from 1800 to 2200')
    whole = int(np.floor(seconds or 0))
    return fp._icrs_of_frame(name, year, float(longitude), float(latitude), fp.epoch(whole, 0.0))


def north_of_frame(path, what, frame, epoch, longitude, latitude, seconds=None):
    """The bearing, radians from the north of ICRS to its east, of a frame's north at a place."""
    if frame.strip().upper() == 'ICRS':
        return 0.0
    (ra, dec), (there, up) = (to_icrs(path, what, frame, epoch, longitude, lat, seconds)
                              for lat in (latitude, latitude + STEP))
    return float(np.arctan2(np.sin(there - ra) * np.cos(up), np.cos(dec) * np.sin(up)
                            - np.sin(dec) * np.cos(up) * np.cos(there - ra)))


def remarks_of_frame(frame, epoch, longitude, latitude):
    """What to say of a phase center that to_icrs() turned."""
    name = frame.strip().upper()
    if name == 'ICRS':
        return []
    named = f'{name} {epoch:g}' if epoch and name in EQUINOX else name
    return [f'its phase center was converted from {named} {np.degrees(longitude) % 360:.4f} '
            f'{np.degrees(latitude):+.4f} degrees to ICRS']


def to_utc(path, what, scale, seconds, fractions):
    """(whole seconds since 1970, fractions) in UTC of times in another scale, arrays of both.

    Whole seconds of the difference are counted exactly. Raises ValueError for other scales.
    """
    name = str(scale).strip().upper()
    if name == 'UTC':
        return seconds, fractions
    if name == 'TDB':
        # Within 2 ms of TT, by the ellipse of the earth's orbit.
        days = (np.asarray(seconds) - 946728000) / 86400
        anomaly = np.radians(357.53 + 0.98560028 * days)
        fractions = fractions - 0.001657 * np.sin(anomaly + 0.01671 * np.sin(anomaly))
        name = 'TT'
    if name not in BEHIND_TAI:
        raise ValueError(f'{path}: {what}: times are in {scale}; what is read is in UTC, TDB, '
                         + ', '.join(BEHIND_TAI))
    tai = np.asarray(seconds, np.int64), np.asarray(fractions, float) + BEHIND_TAI[name]
    whole = np.floor(tai[1])
    seconds, fractions = tai[0] + whole.astype(np.int64), tai[1] - whole
    return seconds - _leap_seconds_of(seconds), fractions


def _leap_seconds_of(tai):
    """TAI - UTC of whole seconds of TAI since 1970, [dump]."""
    def leap(t):
        # The table is in UTC: what holds at the guess holds at the instant, but within a leap
        # second, which the second look finds.
        guess = fp._leap_seconds(fp.epoch(int(t) - 37, 0.0))
        return int(fp._leap_seconds(fp.epoch(int(t) - int(guess), 0.0)))
    if not len(tai):
        return np.zeros(0, np.int64)
    ends = leap(tai.min()), leap(tai.max())
    if ends[0] == ends[1]:
        return np.full(len(tai), ends[0], np.int64)
    return np.array([leap(t) for t in tai], np.int64)
