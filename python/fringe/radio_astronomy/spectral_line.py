#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A spectral line: its velocity, and the spectrum without the shape of the receiver's band."""
import numpy as np

from .. import fringe_python as fp
from ..readers.visibilities import SPEED_OF_LIGHT

#: Hz, of the hyperfine transition of hydrogen at rest: the 21 cm line.
HYDROGEN_LINE = 1420405751.768
#: Velocity of the Sun against the mean of the stars around it, m/s along the axes of the ICRS: 20
#: km/s towards right ascension 18h, declination +30 degrees of 1900, by which LSRK is defined.
SUN_IN_LSRK = (289.99706839, -17317.26478972, 10001.41199547)


def doppler_velocity(frequencies, rest=HYDROGEN_LINE):
    """Radial velocity in m/s, away from the observer positive, by the radio convention.

        v = c (f0 - f) / f0

    frequencies: Hz, a number or an array, as the observer receives them. rest: f0.
    """
    return SPEED_OF_LIGHT * (rest - np.asarray(frequencies, float)) / rest


def lsr_correction(obs, time=None):
    """How fast the antenna moves towards the phase center in the local standard of rest, m/s.

    The local standard of rest (LSRK) is the mean motion of the stars around the Sun. Its difference
    from the antenna is the turning of the Earth (up to 0.5 km/s), its orbit (30 km/s) and the
    motion of the Sun (20 km/s). obs: an observation with site and phase center. time: an epoch;
    default: the observation's start_time. Positive where the antenna moves towards the source, and
    so receives too high a frequency. The error is below 10 m/s. Raises ValueError.
    """
    if time is None:
        if not obs.has_start_time:
            raise ValueError('lsr_correction: the observation has no start_time; give time, an '
                             'epoch: the Earth moves differently on every day of the year')
        time = obs.start_time
    ra, dec = fp.phase_center_radec(obs, time)
    towards = np.array([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)])
    return float(towards @ (np.array(fp.site_velocity(obs, time)) + SUN_IN_LSRK))


def lsr_velocity(frequencies, obs, time=None, rest=HYDROGEN_LINE):
    """Radial velocity in the local standard of rest (LSRK), m/s, by the radio convention.

        f_LSR = f sqrt((1 - beta) / (1 + beta)),    v = c (f0 - f_LSR) / f0

    beta: lsr_correction() / c. frequencies: of the channels, Hz. obs, time: where the antenna
    looks, and when. Raises ValueError.
    """
    beta = lsr_correction(obs, time) / SPEED_OF_LIGHT
    moved = np.asarray(frequencies, float) * np.sqrt((1 - beta) / (1 + beta))
    return doppler_velocity(moved, rest)


def frequency_switched(signal, reference, shift):
    """A spectrum without the shape of the band, from two that are tuned apart.

        T = (S - R) / R,    U = (R - S) / S,    folded = (T[k] + U[k + shift]) / 2

    In T the line stands upright at channel k, where R is without it, and in U `shift` channels
    further, where S is. Folded, both count, with half the noise in power of either. In units of the
    system temperature without the line: times T_sys it is kelvin, also of a line that is strong.
    signal, reference: spectra [channel], mean powers of equal channels of the receiver, numbered in
    order of rising frequency. shift: how many channels higher in the band the line is in the
    reference, a whole number: (center of S - center of R) / channel width. The `shift` channels
    without a partner are nan. Raises ValueError.
    """
    signal, reference = np.asarray(signal, float), np.asarray(reference, float)
    if signal.ndim != 1 or signal.shape != reference.shape:
        raise ValueError(f'frequency_switched: spectra of shapes {signal.shape} and '
                         f'{reference.shape}; they must be rows of equal length')
    if int(shift) != shift or not 0 < abs(shift) < len(signal):
        raise ValueError(f'frequency_switched: shift {shift}; it must be a whole number of '
                         f'channels, not 0 and below {len(signal)}')
    with np.errstate(invalid='ignore', divide='ignore'):
        upright = np.where(reference > 0, signal / reference - 1, np.nan)
        moved = np.where(signal > 0, reference / signal - 1, np.nan)
    partner = np.arange(len(signal)) + int(shift)
    folded = np.full(len(signal), np.nan)
    there = (partner >= 0) & (partner < len(signal))
    folded[there] = (upright[there] + moved[partner[there]]) / 2
    return folded


def band_outside_line(spectrum, line, order=1):
    """A polynomial through a spectrum, fitted outside of a line: the shape that is not the line.

        B[k] = sum_n a_n x^n,   x = -1 ... 1 over the channels k,   least squares where not `line`

    Subtract it from a difference, or divide a spectrum by it. spectrum: [channel], nan where there
    are no data. line: True for the channels of the line, which are not fitted. order: of the
    polynomial. Raises ValueError where fewer channels are left than it has terms.
    """
    spectrum = np.asarray(spectrum, float)
    x = np.linspace(-1, 1, len(spectrum))
    fitted = np.isfinite(spectrum) & ~np.asarray(line, bool)
    if fitted.sum() <= order:
        raise ValueError(f'band_outside_line: {fitted.sum()} channels are left outside of the '
                         f'line; a polynomial of order {order} needs {order + 1}')
    return np.polynomial.chebyshev.chebval(x, np.polynomial.chebyshev.chebfit(
        x[fitted], spectrum[fitted], order))


def line_alone(signal, reference, shift, line, order=1):
    """A line in units of the system temperature, without the band and what is left of it.

        frequency_switched(S, R) - B,    or without a reference (None):    S / B - 1 - B'

    B: band_outside_line() of what stands before it. The arguments are those of these functions.
    """
    if reference is None:
        ratio = signal / band_outside_line(signal, line, order) - 1
    else:
        ratio = frequency_switched(signal, reference, shift)
    return ratio - band_outside_line(ratio, line, order)
