#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Intervals in time and frequency, and values on the grid of dumps and channels."""

from dataclasses import dataclass

import numpy as np


@dataclass
class intervals:
    """Neighboring places of an axis, taken together."""
    starts: np.ndarray    #: the first place of each interval
    numbers: np.ndarray   #: the interval of each place
    centers: np.ndarray   #: in the axis's unit
    widths: np.ndarray    #: same

    def __len__(self):
        return len(self.starts)

    def longest(self, count):
        """Places of the longest interval, of an axis of `count` places."""
        return int(np.diff(self.starts, append=count).max())

    def at(self, part, count):
        """The place at a part, 0 to 1, of each interval, of an axis of `count` places."""
        ends = np.append(self.starts[1:], count)
        return self.starts + ((ends - self.starts) * part).astype(int)

    def sums(self, values, axis):
        """Sums over the places of each interval."""
        if len(self) == values.shape[axis]:
            return values
        return np.add.reduceat(values, self.starts, axis=axis)


def of_time(times, lengths, seconds=None):
    """Intervals of so many seconds from the start of the first dump on; None: all of the time.

    The width is that from the start of the first dump in it to the end of the last.
    """
    begin = times[0] - lengths[0] / 2
    bins = (np.zeros(len(times), int) if seconds is None
            # A dump on a border belongs to one side, whatever rounding says.
            else np.floor((times - begin) / seconds + 1e-9).astype(int))
    return _of_bins(bins, times, lengths)


def of_frequency(frequencies, widths, channels=None, hertz=None):
    """Intervals of so many channels, or Hz; None of both: the whole band."""
    if channels is not None:
        bins = np.arange(len(frequencies)) // channels
    elif hertz is not None:
        begin = frequencies[0] - widths[0] / 2
        bins = np.floor((frequencies - begin) / hertz + 1e-9).astype(int)
    else:
        bins = np.zeros(len(frequencies), int)
    return _of_bins(bins, frequencies, widths)


def in_parts(axis, widths, parts):
    """So many intervals of the same number of places, or of single places where there are fewer."""
    return _of_bins(np.arange(len(axis)) * min(parts, len(axis)) // len(axis), axis, widths)


def _of_bins(bins, axis, widths):
    starts = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
    ends = np.append(starts[1:], len(bins)) - 1
    numbers = np.cumsum(np.diff(bins, prepend=bins[0]) != 0)
    low, high = axis[starts] - widths[starts] / 2, axis[ends] + widths[ends] / 2
    centers = np.add.reduceat(axis, starts) / np.bincount(numbers)
    return intervals(starts, numbers, centers, high - low)

