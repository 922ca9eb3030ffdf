#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Values over frequency and time in colors, with UTC along the axis of time."""

import datetime

import numpy as np

from .heat_map import heat_map
from .plots import LEFT

#: Steps of an axis of time, seconds. Below the first one they are 1, 2 or 5 times a power of ten.
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)
#: Rows that are drawn, and the most columns: a screen has no more.
ROWS, COLUMNS = 200, 512


def time_step(least):
    """The smallest round step of seconds that is at least so long."""
    if least < STEPS[0]:
        ten = 10 ** np.floor(np.log10(least))
        return next(m * ten for m in (1, 2, 5, 10) if m * ten >= least * (1 - 1e-9))
    return next((step for step in STEPS if step >= least), STEPS[-1] * np.ceil(least / STEPS[-1]))


def clock(seconds, step):
    """The time of day of UTC seconds since 1970, as exactly as the step asks for."""
    decimals = int(max(0, np.ceil(-np.log10(step) - 1e-9)))
    ticks = round(seconds * 10 ** decimals)
    whole, fraction = divmod(ticks, 10 ** decimals)
    minutes, second = divmod(whole % 86400, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    if step % 60:
        text += f":{second:02}"
    return text + (f".{fraction:0{decimals}}" if decimals else "")


def day_of(seconds):
    """A datetime of UTC seconds since 1970."""
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def neighbors_together(values):
    """Means of neighboring channels, where there are more of them than a screen has columns; NaN
    does not count."""
    edges = np.arange(0, len(values), -(-len(values) // COLUMNS))
    there = ~np.isnan(values)
    counts = np.add.reduceat(there.astype(int), edges)
    sums = np.add.reduceat(np.where(there, values, 0), edges)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


class time_map(heat_map):
    """A heat map of the last seconds, the newest at the top.

    The axis of time has UTC where the dumps have a time; else it counts back from the newest.
    beside: it stands to the right of another map with the same axis of time, and has marks there
    without numbers.
    """

    def __init__(self, x_label, beside=False):
        super().__init__(x_label, "")
        self._end, self._beside, self._falls = None, beside, False
        self.set_end(None)
        # A time of day is longer than most numbers.
        clock_width = self.fontMetrics().horizontalAdvance("00:00:00.0")
        self.left = 34 if beside else max(LEFT, 30 + clock_width)

    def set_x(self, axis, band, label):
        """The columns are a band, a slice, of the channels whose centers are on the axis, at equal
        distances; where these fall, columns are drawn in the opposite order."""
        half, centers = (axis[1] - axis[0]) / 2 if len(axis) > 1 else 0.5, axis[band]
        ends = centers[0] - half, centers[-1] + half
        self._falls = ends[0] > ends[1]
        self.change(x_label=label, x=(min(ends), max(ends)))

    def show_values(self, values, *arguments, **more):
        """heat_map's; values [row][column] in the order of the centers."""
        super().show_values(values[:, ::-1] if self._falls else values, *arguments, **more)

    def set_seconds(self, seconds):
        """Another length of the axis of time."""
        self.change(y=(-seconds, 0))

    def set_end(self, end):
        """The end of the newest dump, UTC seconds since 1970; None = not known."""
        self.change(**self.ending(end))

    def ending(self, end):
        """What set_end() changes."""
        if self._beside:
            label = ""
        elif end is None:
            label = "Time before now (s)"
        else:
            label = f"Time (UTC, {day_of(end):%Y-%m-%d})"
        return {"_end": end, "y_label": label}

    def y_words(self, value):
        """A place along the axis of time."""
        if self._end is None:
            return f"Time before now {value:.4g} s"
        step = (self.y[1] - self.y[0]) / (len(self.values) if self.values is not None else 1)
        return f"UTC {clock(self._end + value, min(step, 1))}"

    def y_column(self, values):
        """heat_map's: UTC where it is known."""
        if self._end is None:
            return "Time before now (s)", values
        return "Time (UTC)", np.array([day_of(self._end + value).isoformat(timespec="milliseconds")
                                       .replace("+00:00", "Z") for value in values])

    def y_numbers(self):
        """(value, word) along the axis of time."""
        numbers = super().y_numbers() if self._end is None else self._times()
        return [(value, "") for value, _ in numbers] if self._beside else numbers

    def _times(self):
        count = max(2, min(8, self.area().height() / 34))
        bottom, top = self.ends()[1]
        step = time_step((top - bottom) / count)
        first = np.ceil((self._end + bottom) / step - 1e-6)
        times = np.arange(first, np.floor((self._end + top) / step + 1e-6) + 1) * step
        return [(time - self._end, clock(time, step)) for time in times]
