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
from .scales import amplitude_axis
from .time_map import ROWS, neighbors_together, time_map
from .velocity_axis import HYDROGEN_LINE, velocity_axis


class waterfall(display):
    """Amplitude and phase of V_c,ij: frequency (or velocity) to the right, the newest dump at the
    top.

    Drawn with Qt alone: the rasters of qtgui have no colors that go round, as phases do.

    Input: visibilities [channel][baseline].

      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline; conj(V_ji) is shown for i > j
      normalize: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          the channels are numbered
      seconds: length of the axis of time
      units: of the amplitude: "linear", "dB" or "kelvin"; kelvin_per_unit: of a power, for kelvin
      maximum: upper end of the amplitudes, in this unit; 0 = it follows the data
      axis: "frequency", or the velocity of a line: "topocentric", or "lsr" with an observation that
          has site and phase center; rest_frequency: of the line, Hz
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs, channels, units and axes, or no seconds.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalize=True, frequencies=(),
                 seconds=10.0, maximum=0.0, channels_per_item=0, title="", observation=None,
                 units="linear", kelvin_per_unit=0.0, axis="frequency",
                 rest_frequency=HYDROGEN_LINE):
        self._normalize, self._shown, self._history = normalize, None, history(longest=2000)
        self._amplitude = amplitude_axis("waterfall", normalize, units, kelvin_per_unit, maximum)
        display.__init__(self, "waterfall", inputs, channels, channels_per_item, (),
                         frequencies, title, observation,
                         velocity=velocity_axis.of_display("waterfall", axis, rest_frequency,
                                                           observation))
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
        self._amplitude.maximum = float(maximum)

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        for drawn in (self.amplitude, self.phase):
            drawn.set_x(axis, self.band(), label)

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
        amplitude = self._amplitude.of(rows)
        self._amplitude.changed(amplitude)
        self.amplitude.show_values(amplitude, *self._amplitude.ends(), self._amplitude.label,
                                   **self.amplitude.ending(self._history.end))
        self.phase.show_values(np.degrees(np.angle(rows)), -180, 180, "Phase (degrees)", "phase",
                               **self.phase.ending(self._history.end))
