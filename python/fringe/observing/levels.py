#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the spectra of a recording are multiplied by: corrections, and the requantizer's gains."""
import math

import numpy as np

from .. import fringe_python as fp
from . import gains, item_sizes

# Standard deviation of each component in front of the requantizer, in steps. 4 bits: the
# optimum of a uniform quantizer of 15 levels for Gaussian noise; 8 bits: 8 sigma of headroom,
# at a quantization noise of 0.03 %.
REQUANTIZE_SIGMA = {"8": 16.0, "4": 2.95}


def corrections_of(obs, complex_samples, gains_path=None):
    """Factors [input * channel] that take the receivers out, as the observation says and, where
    there is one, a file of gains; empty when there is nothing to take out."""
    if gains_path:
        return gains.corrections(gains_path, obs, obs.channels, complex_samples)
    return item_sizes.corrections(obs, obs.channels, complex_samples)


def requantize_gains(paths, obs, times, corrections=()):
    """Gains [input] that bring the spectra to the requantizer's best level, from the power of
    each file's first samples; empty without requantizing."""
    if obs.requantize not in REQUANTIZE_SIGMA:
        return []
    streams = len(obs.inputs) // len(paths)
    power = []
    for k, path in enumerate(paths):
        power += list(fp.recording_power(path, obs.format, streams, max(times.first(k), 0)))
    return gains_for_power(power, obs, corrections)


def gains_for_power(power, obs, corrections=()):
    """Gains [input] for samples of that mean power, [stream]."""
    sigma = REQUANTIZE_SIGMA[obs.requantize]
    # The requantizer sees the spectra after they were corrected.
    corrected = np.ones(len(obs.inputs))
    if len(corrections):
        corrected = np.mean(np.abs(np.reshape(corrections, (len(obs.inputs), -1))) ** 2, axis=1)
    levels = (power[entry.stream] * c for entry, c in zip(obs.inputs, corrected))
    return [sigma / math.sqrt(p / 2) if p > 0 else 1.0 for p in levels]
