#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A source that drifts through the beam of an antenna."""
from typing import NamedTuple

import numpy as np

from .fitting import least_squares
from .fringes import EARTH_RATE

#: Full width at half maximum of a Gaussian of standard deviation 1.
FWHM = np.sqrt(8 * np.log(2))


class beam_fit(NamedTuple):
    """What fit_beam() finds; angles in the unit of those given, powers in theirs."""
    center: float        #: where the power is highest
    width: float         #: full width at half maximum
    height: float        #: power of the source in the middle of the beam
    level: float         #: power beside it
    center_error: float  #: one standard deviation
    width_error: float   #: one standard deviation
    height_error: float  #: one standard deviation
    level_error: float   #: one standard deviation


def drift_angle(seconds, declination):
    """Angle on the sky, rad, that a source crosses in a time before an antenna that stands still.

        angle = omega t cos(dec),    omega = 7.292115e-5 rad/s: 15 arcsec a second at the equator

    seconds: a number or an array. declination: rad. The Sun is slower by 0.3 %.
    """
    return EARTH_RATE * np.asarray(seconds, float) * np.cos(declination)


def fit_beam(angles, powers):
    """A Gaussian beam in a drift scan: a beam_fit.

        P(x) = level + height exp(-4 ln 2 (x - center)^2 / width^2)

    angles: [dump], of drift_angle() or any other unit (then so is the width). powers: [dump], of
    total_power(); nan is left out. For a source that is not small, width^2 = beam^2 + (size of the
    source)^2, the size of a disk being 0.6 diameters. Raises ValueError.
    """
    x, p = np.asarray(angles, float), np.asarray(powers, float)
    if x.ndim != 1 or x.shape != p.shape:
        raise ValueError(f'fit_beam: {x.shape} angles and {p.shape} powers; they must be two rows '
                         'of equal length')
    good = np.isfinite(x) & np.isfinite(p)
    x, p = x[good], p[good]
    if len(x) < 8 or not np.ptp(x) > 0:
        raise ValueError(f'fit_beam: {len(x)} dumps; at least 8 at different angles are needed')
    middle, span = np.mean(x), np.ptp(x)
    x = (x - middle) / span
    start, explained = _nearest(x, p)
    if len(x) * np.log1p(-min(explained, 1 - 1e-12)) > -44:
        raise ValueError('fit_beam: no source is seen over the noise; does the scan go through it?')

    def model(q):
        return q[3] + q[2] * np.exp(-4 * np.log(2) * ((x - q[0]) / q[1]) ** 2)

    found, errors = least_squares(model, start, p)
    found[1] = abs(found[1])
    if not (x.min() <= found[0] <= x.max() and found[1] < 2):
        raise ValueError('fit_beam: the scan ends before the source has left the beam; let it '
                         'drift for longer')
    found = found * (span, span, 1, 1) + (middle, 0, 0, 0)
    return beam_fit(*map(float, found), *map(float, errors * (span, span, 1, 1)))


def _nearest(x, p):
    """Parameters of the Gaussian nearest to powers, of many that are tried, and the share of the
    variance that it explains."""
    best, found = -1.0, None
    for width in np.geomspace(np.ptp(x) / min(len(x), 100), np.ptp(x), 24):
        for center in np.linspace(x.min(), x.max(), 65):
            shape = np.exp(-4 * np.log(2) * ((x - center) / width) ** 2)
            beside = shape - shape.mean()
            length = beside @ beside
            if not length > 0:
                continue
            height = beside @ p / length
            explained = height ** 2 * length / np.sum((p - p.mean()) ** 2) if height > 0 else 0
            if explained > best:
                best = explained
                found = center, width, height, p.mean() - height * shape.mean()
    return found, best
