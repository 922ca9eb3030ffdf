#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains of the inputs, channel by channel, from a file."""
import cmath
import math
import tokenize

import numpy as np

from .. import fringe_python as fp
from ..readers.visibilities import require_plain_file


def read_gains(path, inputs, channels):
    """Complex voltage gains [input][channel], which the channelizer divides out.

    x.npy: such an array. Any other name: text, a line for each

        INPUT CHANNEL GAIN PHASE

    with the phase in degrees; CHANNEL * means all channels, # begins a comment. What has no line
    has gain 1. Raises ValueError: file, line, value, what would be right.
    """
    fp.note_read(path)
    if path.lower().endswith(".npy"):
        return _checked(path, _from_numpy(path, inputs, channels), inputs, channels)
    if path.lower().endswith(".npz"):
        raise ValueError(f"{path}: is a collection of numpy arrays; write the one with the gains "
                         "by numpy.save, into a file that ends in .npy")
    lines = fp.read_text_file(path).splitlines()
    gains = np.ones((inputs, channels), complex)
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if words:
            where = f"{path}, line {number}"
            entry, channel, gain = _entry(where, words, inputs, channels)
            gains[entry, channel] = gain
    return _checked(path, gains, inputs, channels)


def corrections(path, observation, channels, complex_samples):
    """Factors [input * channel] for a channelizer: what the observation says of its receivers
    (observation.corrections), divided by the gains of a file."""
    factors = observation.corrections(channels, complex_samples)
    gains = read_gains(path, len(observation.inputs), channels)
    return ((1 if factors is None else factors) / gains).astype(np.complex64).ravel()


def _from_numpy(path, inputs, channels):
    require_plain_file(path)
    try:
        with open(path, "rb") as file:
            version = np.lib.format.read_magic(file)
            if version not in ((1, 0), (2, 0)):
                raise ValueError(f"version {version} of the format is not known here")
            read_header = (np.lib.format.read_array_header_1_0 if version == (1, 0)
                           else np.lib.format.read_array_header_2_0)
            shape, fortran, dtype = read_header(file)
            if dtype.kind not in "fc":
                raise ValueError(f"holds numbers of type {dtype}; gains are complex")
            if shape != (inputs, channels):
                raise ValueError(_wrong_shape(shape, inputs, channels))
            values = np.frombuffer(file.read(inputs * channels * dtype.itemsize), dtype)
            gains = values.reshape(shape, order="F" if fortran else "C")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, EOFError, SyntaxError, MemoryError, RecursionError,
            tokenize.TokenError) as error:  # numpy reads the header as Python does
        what = "" if str(error).startswith("holds ") else "is not a whole numpy file: "
        raise ValueError(f"{path}: {what}{' '.join(str(error).split())}") from None
    return gains.astype(complex)


def _entry(where, words, inputs, channels):
    if len(words) != 4:
        raise ValueError(f"{where}: has {len(words)} words; give INPUT CHANNEL GAIN PHASE, "
                         "as in: 3 * 1.05 -72.5")
    entry = _index(where, "input", words[0], inputs)
    channel = slice(None) if words[1] == "*" else _index(where, "channel", words[1], channels)
    try:
        return entry, channel, cmath.rect(float(words[2]), math.radians(float(words[3])))
    except ValueError:
        raise ValueError(f"{where}: '{words[2]} {words[3]}': gain and phase (degrees) are "
                         "finite numbers") from None


def _index(where, what, word, count):
    if not word.isdecimal() or int(word) >= count:
        raise ValueError(f"{where}: {what} {word}: must be 0 ... {count - 1}")
    return int(word)


def _wrong_shape(shape, inputs, channels):
    return (f"holds {' x '.join(map(str, shape))} gains; {inputs} inputs x {channels} channels "
            "are needed")


def _checked(path, gains, inputs, channels):
    if gains.shape != (inputs, channels):
        raise ValueError(f"{path}: {_wrong_shape(gains.shape, inputs, channels)}")
    bad = np.argwhere(~np.isfinite(gains) | (gains == 0))
    if len(bad):
        entry, channel = bad[0]
        raise ValueError(f"{path}: input {entry}, channel {channel}: gain "
                         f"{gains[entry, channel]:g}: must be finite and not 0 "
                         "(a dead input is named as bad: true in the observation file)")
    return gains
