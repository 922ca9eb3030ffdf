#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What fringes say: how fast they turn, how long the baseline is, and what no receiver changes."""
import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT
from .means import band_mean, loaded

#: rad/s, how fast the Earth turns against the stars.
EARTH_RATE = 7.292115e-5
#: Chance that noise alone is taken for a fringe.
CHANCE = 1e-4
#: Rates that are tried at a time.
BATCH = 256


def fringe_rate(seconds, values):
    """How fast a fringe turns: (rate, error) in turns a second.

        V(t) ~ exp(2 pi i rate t)

    seconds: [dump], centers of the dumps since any instant. values: V, complex [dump], of
    band_mean() or coefficient(), not phased to the source; nan is left out. The rate is where the
    periodogram is highest, up to half a turn a dump; the error is one standard deviation, from the
    scatter around the fringe. Raises ValueError, also where noise alone would do as well.
    """
    seconds, values = np.asarray(seconds, float), np.asarray(values, complex)
    if seconds.ndim != 1 or seconds.shape != values.shape:
        raise ValueError(f'fringe_rate: {seconds.shape} seconds and {values.shape} values; they '
                         'must be two rows of equal length')
    good = np.isfinite(values) & np.isfinite(seconds)
    t, v = seconds[good] - np.mean(seconds[good]) if good.any() else seconds, values[good]
    if len(v) < 8 or not np.ptp(t) > 0:
        raise ValueError(f'fringe_rate: {len(v)} dumps; at least 8 are needed')
    step = np.min(np.diff(np.sort(t)))
    if not step > 0:
        raise ValueError('fringe_rate: two dumps have the same time')
    rates = np.arange(-0.5 / step, 0.5 / step, 1 / (8 * np.ptp(t)))
    power = np.concatenate([
        abs(np.exp(-2j * np.pi * rates[k:k + BATCH, None] * t) @ v)
        for k in range(0, len(rates), BATCH)]) ** 2
    best = int(power.argmax())
    # About every eighth rate is independent; twice as many are counted.
    if chance_of_noise(v, power[best], len(rates) / 4) > CHANCE:
        raise ValueError(f'fringe_rate: no fringe is stronger than the noise of {len(v)} dumps')
    return refined_rate(t, v, rates[best])


def chance_of_noise(values, power, rates):
    """The chance that noise alone has as much power, |sum of values|^2 after turning them back, at
    one of so many independent rates.

    Of noise, a share of the power at one rate is exceeded with the chance (1 - share)^(n - 1).
    """
    share = min(power / (len(values) * np.sum(abs(values) ** 2)), 1 - 1e-15)
    return rates * (1 - share) ** (len(values) - 1)


def refined_rate(t, v, rate):
    """(rate, error) of V ~ exp(2 pi i rate t) by least squares of the phases, from a rate near it.

        error = scatter of the phases / (2 pi sqrt(sum t^2)),    sum t = 0

    One standard deviation; the scatter is that around the line, with n - 2 degrees of freedom.
    """
    for _ in range(6):  # Gauss and Newton: small phases that are left lie on a straight line
        left = v * np.exp(-2j * np.pi * rate * t)
        phase = (left / left.mean()).imag
        slope = (t @ phase) / (t @ t)
        rate += slope / (2 * np.pi)
    scatter = np.sqrt(np.sum((phase - slope * t) ** 2) / (len(t) - 2))
    return float(rate), float(scatter / np.sqrt(t @ t) / (2 * np.pi))


def east_west_baseline(rate, frequency, declination, hour_angle):
    """Length of a baseline from west to east, in meters, from the rate of its fringes.

        rate = B f / c  omega cos(dec) cos(H),    omega = 7.292115e-5 rad/s

    rate: turns a second, of V = <x_west conj(x_east)>; negative lengths are of baselines to the
    west. frequency: Hz, of the sky. declination, hour_angle: of the source in the middle of the
    observation, rad. A baseline to the north adds nothing to the rate near the meridian (H = 0).
    Raises ValueError where the fringes of that source do not turn.
    """
    turning = frequency / SPEED_OF_LIGHT * EARTH_RATE * np.cos(declination) * np.cos(hour_angle)
    if not abs(turning) > 1e-3 * frequency / SPEED_OF_LIGHT * EARTH_RATE:
        raise ValueError('east_west_baseline: a source at the pole, or at an hour angle of 6 h, '
                         'has fringes that do not turn; observe it near the meridian')
    return rate / turning


def closure_phase(vis, i, j, k, band=None):
    """Closure phase of three inputs in radians, [dump].

        arg(V_ij V_jk V_ki)

    A phase that a receiver adds is in two of the three, with opposite signs, and cancels; 0 for one
    point source. R. C. Jennison, MNRAS 118, 276 (1958). vis, i, j, k, band: as band_mean() has
    them. Raises ValueError.
    """
    vis = loaded(vis)
    if len({i, j, k}) < 3:
        raise ValueError(f'closure_phase: inputs {i}, {j}, {k}; they must be three different ones')
    return np.angle(band_mean(vis, i, j, band) * band_mean(vis, j, k, band)
                    * band_mean(vis, k, i, band))


def uv_distance(vis, i, j):
    """Length of a baseline as the source sees it, sqrt(u^2 + v^2), in wavelengths: [dump].

    At the middle of the band. vis: a file with antenna positions and a phase center (a
    MeasurementSet, UVH5, UVFITS), or its content. i, j: numbers of inputs. Raises ValueError.
    """
    vis = loaded(vis, False)
    if vis.uvw is None or vis.frequencies is None:
        raise ValueError(f'{vis.path}: does not say where its antennas stand, where they look or '
                         'at which frequency; use a MeasurementSet, .uvh5 or .uvfits')
    u, v = vis.baseline_uvw([[vis.inputs[i][0], vis.inputs[j][0]]])[:, 0, :2].T
    return np.hypot(u, v) * np.mean(vis.frequencies) / SPEED_OF_LIGHT
