#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files of powers in time and frequency, of this and of other programs, read piece by piece."""
import math

import numpy as np

from .. import fringe_python as fp
from ..ground.dates import DAY, MJD_OF_1970

MEGAHERTZ = 1e6
MAX_CHANNELS = 1 << 20
MAX_MEGAHERTZ = 1e7  #: a larger number is meant in Hz


class power_file:
    """The powers of beams in a file.

      path: of the file; frequencies: Hz [channel], ascending; width: Hz, of a channel; interval:
      seconds of a mean; start: an epoch, when the first mean begins; length: means of the file;
      directions: a name for each beam

    Raises ValueError for a number that no such file has.
    """

    def __init__(self, path, frequencies, width, interval, start, length, directions):
        self.path, self.interval, self.start = path, float(interval), start
        frequencies = np.asarray(frequencies, float)
        #: of the channels in the file, that with the lowest frequency first
        self._order = np.argsort(frequencies, kind="stable")
        self.frequencies, self.width = frequencies[self._order], abs(float(width))
        self.length, self.directions = int(length), list(directions)
        if not 0 < self.interval < math.inf:
            raise ValueError(f"{path}: the length of a mean is {interval:g} s; it must be positive")
        if not (np.isfinite(self.frequencies).all() and self.frequencies[0] > 0):
            raise ValueError(f"{path}: the channels begin at {self.frequencies[0]:g} Hz; their "
                             "frequencies must be positive")
        if (np.diff(self.frequencies) <= 0).any():
            raise ValueError(f"{path}: two channels have the same frequency")
        if self.length < 1:
            raise ValueError(f"{path}: holds no whole mean")

    def read(self, first, count):
        """Means `first` to `first + count`, float32 [direction][channel][time]: the sum of the
        polarizations, or Stokes I; not a number where nothing was received."""
        values = np.asarray(self._values(first, count), np.float32)[:, self._order]
        values[~np.isfinite(values)] = np.nan
        # Gaps are zeros in formats that have no weights.
        values[np.broadcast_to((values == 0).all(axis=1, keepdims=True), values.shape)] = np.nan
        return values

    def _values(self, first, count):
        """[direction][channel in the order of the file][time]"""
        raise NotImplementedError

    def close(self):
        """Closes the file."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def channels_from(path, first, step, count):
    """Frequencies (Hz) of `count` channels from keywords of SIGPROC: `fch1` and `foff` in MHz."""
    if not 1 <= count <= MAX_CHANNELS:
        raise ValueError(f"{path}: nchans {count}: must be 1 to {MAX_CHANNELS}")
    if not (math.isfinite(step) and step != 0 and math.isfinite(first)):
        raise ValueError(f"{path}: fch1 {first:g}, foff {step:g}: must be the frequency of the "
                         "first channel and the step to the next one, in MHz")
    if not 0 < first < MAX_MEGAHERTZ:
        raise ValueError(f"{path}: fch1 {first:g}: must be a frequency in MHz")
    return (first + step * np.arange(count)) * MEGAHERTZ


def epoch_of_mjd(path, days):
    """The epoch of a Modified Julian Date, UTC, to a microsecond: as exact as a double is."""
    if not MJD_OF_1970 <= days < 100000:
        raise ValueError(f"{path}: tstart {days:g}: must be a Modified Julian Date, from 1970 on")
    whole = math.floor(days)
    microseconds = round((days - whole) * DAY * 1e6)
    second, rest = divmod(microseconds, 1000000)
    return fp.epoch((whole - MJD_OF_1970) * DAY + second, rest / 1e6)
