#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Powers as decibels and kelvin.

A receiver adds noise. Its power is given as the temperature of a resistor that would add as much:
P = k T B G with Boltzmann's constant k, bandwidth B and gain G. G cancels in all that follows.
T. L. Wilson, K. Rohlfs, S. Huettemeister, Tools of Radio Astronomy, chapter 4 (Springer, 2013).
"""
import numpy as np


def decibels(power, reference=1.0):
    """A power as decibels over a reference: 10 log10(power / reference); no power is -inf.

    power, reference: numbers or arrays, in one unit. Raises ValueError for a reference that is not
    positive, and for a negative power.
    """
    power, reference = np.asarray(power, float), np.asarray(reference, float)
    if not np.all(reference > 0):
        raise ValueError(f'decibels: reference {reference}; it must be positive')
    if np.any(power < 0):
        raise ValueError('decibels: a power is negative; decibels are of powers, not of amplitudes')
    with np.errstate(divide='ignore'):
        return 10 * np.log10(power / reference)


def y_factor(hot, cold):
    """The ratio of the mean powers of a hot and a cold load: Y = P_hot / P_cold.

    hot, cold: numbers or arrays [dump] from total_power(), in one unit and with one gain.
    Raises ValueError where Y is not above 1.
    """
    hot, cold = _mean('hot', hot), _mean('cold', cold)
    if not hot > cold:
        raise ValueError(f'y_factor: the hot load gives {hot:.4g} and the cold one {cold:.4g}; the '
                         'hot one must give more: are they exchanged, or is the receiver '
                         'saturated?')
    return hot / cold


def receiver_temperature(hot, cold, hot_kelvin=290.0, cold_kelvin=10.0):
    """The noise temperature of a receiver, by the Y-factor, in kelvin.

        T_rx = (T_hot - Y T_cold) / (Y - 1)

    hot, cold: as y_factor() takes them. hot_kelvin, cold_kelvin: of the loads; an absorber over the
    horn has the temperature of the air, the zenith at 1.4 GHz about 10 K with the ground that the
    antenna sees. The system temperature towards the cold load is T_rx + T_cold.
    Raises ValueError.
    """
    if not hot_kelvin > cold_kelvin >= 0:
        raise ValueError(f'receiver_temperature: loads of {hot_kelvin:g} and {cold_kelvin:g} K; '
                         'the hot one must be hotter')
    y = y_factor(hot, cold)
    return (hot_kelvin - y * cold_kelvin) / (y - 1)


def kelvin_per_unit(on, off, diode_kelvin):
    """How many kelvin one unit of power is, by a noise diode.

        T_diode / (P_on - P_off)

    A power times this is a temperature; P_off times this is the system temperature. on, off: mean
    powers with and without the diode, numbers or arrays [dump]. diode_kelvin: of its data sheet,
    behind the coupler. Raises ValueError.
    """
    on, off = _mean('on', on), _mean('off', off)
    if not diode_kelvin > 0:
        raise ValueError(f'kelvin_per_unit: a diode of {diode_kelvin:g} K; it must be positive')
    if not on > off:
        raise ValueError(f'kelvin_per_unit: {on:.4g} with the diode and {off:.4g} without; there '
                         'must be more with it: are they exchanged, or is it not connected?')
    return diode_kelvin / (on - off)


def _mean(name, powers):
    mean = float(np.nanmean(powers)) if np.any(np.isfinite(powers)) else np.nan
    if not mean > 0:
        raise ValueError(f'{name}: a mean power of {mean:g}; it must be positive')
    return mean
