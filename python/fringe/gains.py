#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains of the inputs, channel by channel, from a file."""
import cmath
import math

import numpy as np


def read_gains(path, inputs, channels):
    """Complex voltage gains [input][channel], which the channelizer divides out.

    x.npy: such an array. Any other name: text, a line for each

        INPUT CHANNEL GAIN PHASE

    with the phase in degrees; CHANNEL * means all channels, # begins a comment. What has no line
    has gain 1. Raises ValueError: file, line, value, what would be right.
    """
    if path.lower().endswith(".npy"):
        return _checked(path, _from_numpy(path), inputs, channels)
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not text; give a numpy file a name that ends in .npy, or "
                         "lines of INPUT CHANNEL GAIN PHASE") from None
    gains = np.ones((inputs, channels), complex)
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if words:
            where = f"{path}, line {number}"
            one, channel, gain = _entry(where, words, inputs, channels)
            gains[one, channel] = gain
    return _checked(path, gains, inputs, channels)


def corrections(path, observation, channels, complex_samples):
    """Factors [input * channel] for a channelizer: what the observation says of its receivers
    (observation.corrections), divided by the gains of a file."""
    factors = observation.corrections(channels, complex_samples)
    gains = read_gains(path, len(observation.inputs), channels)
    return ((1 if factors is None else factors) / gains).astype(np.complex64).ravel()


def _from_numpy(path):
    try:
        gains = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: is not a numpy file: {error}") from None
    if gains.dtype.kind not in "fc":
        raise ValueError(f"{path}: holds numbers of type {gains.dtype}; gains are complex")
    return gains.astype(complex)


def _entry(where, words, inputs, channels):
    if len(words) != 4:
        raise ValueError(f"{where}: has {len(words)} words; give INPUT CHANNEL GAIN PHASE, "
                         "as in: 3 * 1.05 -72.5")
    one = _index(where, "input", words[0], inputs)
    channel = slice(None) if words[1] == "*" else _index(where, "channel", words[1], channels)
    try:
        gain, phase = float(words[2]), float(words[3])
    except ValueError:
        raise ValueError(f"{where}: '{words[2]} {words[3]}': gain and phase (degrees) are "
                         "numbers") from None
    return one, channel, cmath.rect(gain, math.radians(phase))


def _index(where, what, word, count):
    if not word.isdecimal() or int(word) >= count:
        raise ValueError(f"{where}: {what} {word}: must be 0 ... {count - 1}")
    return int(word)


def _checked(path, gains, inputs, channels):
    if gains.shape != (inputs, channels):
        shape = " x ".join(map(str, gains.shape))
        raise ValueError(f"{path}: holds {shape} gains; {inputs} inputs x {channels} channels "
                         "are needed")
    bad = np.argwhere(~np.isfinite(gains) | (gains == 0))
    if len(bad):
        one, channel = bad[0]
        raise ValueError(f"{path}: input {one}, channel {channel}: gain {gains[one, channel]:g}: "
                         "must be finite and not 0 (a dead input is named as bad: true in the "
                         "observation file)")
    return gains
