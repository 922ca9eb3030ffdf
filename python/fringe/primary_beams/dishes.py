#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Beams of dishes: round, and the same for both polarizations."""

import numpy as np

SPEED_OF_LIGHT = 299792458.0
#: Steps of the argument of Airy's profile: lines between them are 4e-8 off.
STEP = 1e-3
#: Points of the integral of a Bessel function beyond its argument; it converges exponentially.
BEYOND = 40


class airy:
    """A dish of diameter D that is lit evenly, with a blocked disk of e D in its middle
    (Born and Wolf, Principles of Optics, 8.5.2):

        power = ((2 J_1(x) / x - e^2 2 J_1(e x) / (e x)) / (1 - e^2))^2,  x = pi D sin(angle) f / c
    """

    fixed, alike = False, True

    def __init__(self, diameter, blocked=0.0):
        if not 0 < diameter < np.inf or not 0 <= blocked < diameter:
            raise ValueError(f'beam: airy: diameters of {diameter:g} m and {blocked:g} m: must be '
                             'more than 0, and that of the blocked middle less than the dish\'s')
        self._diameter, self._blocked = diameter, blocked / diameter
        self.words = f'Airy disk of {diameter:g} m' + f', {blocked:g} m blocked' * bool(blocked)

    def power(self, directions, frequency):
        """[...][2] of unit vectors (l, m, n) from the middle."""
        x = np.pi * self._diameter * frequency / SPEED_OF_LIGHT * np.hypot(
            directions[..., 0], directions[..., 1])
        e = self._blocked
        value = jinc(x)
        if e:
            value = (value - e * e * jinc(e * x)) / (1 - e * e)
        return _both(value**2, directions)


class gaussian:
    """A Gaussian, W wide at half of its power at the frequency f_0:

        power = exp(-4 ln(2) (angle f / (W f_0))^2)
    """

    fixed, alike = False, True

    def __init__(self, width, frequency):
        if not 0 < width < np.inf or not 0 < frequency < np.inf:
            raise ValueError(f'beam: gaussian: a width of {np.degrees(width):g} degrees at '
                             f'{frequency:g} Hz: both must be more than 0')
        self._width, self._frequency = width, frequency
        self.words = f'Gaussian of {np.degrees(width):.4g} degrees at {frequency / 1e6:g} MHz'

    def power(self, directions, frequency):
        """[...][2] of unit vectors (l, m, n) from the middle."""
        angle = angles_from_middle(directions)
        return _both(np.exp(-4 * np.log(2)
                            * (angle * frequency / (self._width * self._frequency))**2),
                     directions)


def jinc(x):
    """2 J_1(x) / x, from a table of J_1(x) = 1 / pi int_0^pi cos(t - x sin t) dt."""
    x = np.abs(np.asarray(x, float))
    known = np.isfinite(x)  # no direction is beyond the horizon
    if not known.all():
        values = np.full(x.shape, np.nan)
        values[known] = jinc(x[known])
        return values
    largest = float(x.max(initial=0))
    grid = np.arange(0, largest + 2 * STEP, STEP) if largest / STEP < x.size else np.ravel(x)
    points = int(largest) + BEYOND
    t = np.pi * np.arange(2 * points) / points  # of the whole circle, whose mean is the same
    total = np.zeros(len(grid))
    for angle in t:
        total += np.cos(angle - grid * np.sin(angle))
    total /= len(t)
    values = np.where(grid > 1e-4, 2 * total / np.where(grid > 1e-4, grid, 1), 1.0)
    return values.reshape(x.shape) if len(grid) == x.size else np.interp(x, grid, values)


def angles_from_middle(directions):
    """Radians of unit vectors (l, m, n) from (0, 0, 1)."""
    return np.arctan2(np.hypot(directions[..., 0], directions[..., 1]), directions[..., 2])


def _both(power, directions):
    """Of X and Y: the same in front of the dish, nothing behind it."""
    power = np.where(directions[..., 2] > 0, power, 0)
    return np.stack([power, power], axis=-1)
