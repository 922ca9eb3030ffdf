#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Waterfall: amplitude and phase of one baseline over sky frequency and time."""

import numpy as np

from .curves import side_by_side
from .display import display
from ..ground.history import history
from ..ground.dump_values import coefficients, pair_columns
from .scales import auto_scale
from .time_map import ROWS, neighbors_together, time_map


class waterfall(display):
    """Amplitude and phase of V_c,ij: frequency to the right, the newest dump at the top.

    Drawn with Qt alone: the rasters of qtgui have no colors that go round, as phases do.

    Input: visibilities [channel][baseline].

      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline; conj(V_ji) is shown for i > j
      normalize: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          the channels are numbered
      seconds: length of the axis of time
      maximum: upper end of the amplitudes; 0 = it follows the data
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs and channels, or no seconds.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalize=True, frequencies=(),
                 seconds=10.0, maximum=0.0, channels_per_item=0, title="", observation=None):
        self._normalize, self._maximum, self._shown = normalize, float(maximum), None
        self._scale, self._history = auto_scale(), history(longest=2000)
        self._label = "Correlation coefficient" if normalize else "Amplitude (power)"
        display.__init__(self, "waterfall", inputs, channels, channels_per_item, (),
                         frequencies, title, observation)
        label = self.frequency_axis()[1]
        self.amplitude, self.phase = time_map(label), time_map(label, beside=True)
        self._widget = side_by_side(self.amplitude, self.phase)
        self.set_baseline(i, j)
        self.set_seconds(seconds)
        self.set_channels()

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on; the picture begins anew."""
        i, j = self._pair = self.check_inputs(i, j)
        name = self.named(i, j)
        self.amplitude.change(title=f"Amplitude, {name}", what=name)
        self.phase.change(title=f"Phase, {name}", what=name)

    def set_seconds(self, seconds):
        """Another length of the axis of time."""
        if not seconds > 0:
            raise ValueError(f"display waterfall: seconds {seconds}; the axis must be longer "
                             "than 0 s")
        self._seconds = float(seconds)
        for image in (self.amplitude, self.phase):
            image.set_seconds(self._seconds)

    def set_maximum(self, maximum):
        """Upper end of the amplitudes; 0 = it follows the data."""
        self._maximum = float(maximum)

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        half = (axis[1] - axis[0]) / 2 if len(axis) > 1 else 0.5
        for drawn in (self.amplitude, self.phase):
            drawn.change(x_label=label, x=(axis[self._first] - half, axis[self._last] + half))

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _show(self, dump):
        asked = (dump.products, self.band(), self._axis)
        if asked != self._shown:
            self._history.clear()
            self._shown = asked
        values = coefficients(dump.values, [dump.products], self._normalize)[self.band(), 0]
        self._history.add(dump, neighbors_together(values))
        rows = self._history.on_grid(ROWS, self._seconds)[::-1]
        amplitude = np.abs(rows)
        self._scale.changed(amplitude)
        limit = self._maximum or self._scale.limit or 1.0
        self.amplitude.show_values(amplitude, 0, limit, self._label,
                                   **self.amplitude.ending(self._history.end))
        self.phase.show_values(np.degrees(np.angle(rows)), -180, 180, "Phase (degrees)", "phase",
                               **self.phase.ending(self._history.end))
