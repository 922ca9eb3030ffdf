#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The radiometer equation: how far noise averages away."""
import numpy as np

#: Fewest averages of a length; of fewer the scatter is not known.
MIN_POWERS = 8


def radiometer_noise(system_temperature, bandwidth, seconds):
    """Scatter of a temperature that is measured for a time, in kelvin.

        dT = T_sys / sqrt(B t)

    bandwidth: Hz, of the channels that are averaged. seconds: of the average. Numbers or arrays.
    R. H. Dicke, Rev. Sci. Instrum. 17, 268 (1946). Raises ValueError.
    """
    samples = np.asarray(bandwidth, float) * np.asarray(seconds, float)
    if not np.all(samples > 0):
        raise ValueError('radiometer_noise: bandwidth and seconds must be positive')
    return system_temperature / np.sqrt(samples)


def noise_against_time(powers, interval=1.0):
    """Noise of averages of 1, 2, 4, 8, ... dumps, relative to the mean power.

        sigma(t)^2 = < (P_k+1 - P_k)^2 > / (2 <P>^2),    P_k: averages over t, one behind the other

    This is Allan's deviation (D. W. Allan, Proc. IEEE 54, 221, 1966). It falls as 1 / sqrt(B t) as
    long as there is only noise, and rises again where the gain drifts. powers: [dump], in order and
    without gaps. interval: of a dump, s. Returns (seconds, sigma), two arrays; the longest average
    is one of which there are 8. Raises ValueError.
    """
    powers = np.asarray(powers, float)
    if powers.ndim != 1 or len(powers) < MIN_POWERS or not np.all(np.isfinite(powers)):
        raise ValueError(f'noise_against_time: powers must be a row of at least {MIN_POWERS} '
                         f'finite numbers, not of shape {powers.shape}')
    if not (interval > 0 and powers.mean() > 0):
        raise ValueError('noise_against_time: interval and mean power must be positive')
    seconds, sigma, length = [], [], 1
    while len(powers) // length >= MIN_POWERS:
        means = powers[:len(powers) // length * length].reshape(-1, length).mean(axis=1)
        seconds.append(length * interval)
        sigma.append(np.sqrt(np.mean(np.diff(means) ** 2) / 2) / powers.mean())
        length *= 2
    return np.array(seconds), np.array(sigma)
