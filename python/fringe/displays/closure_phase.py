#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Closure phase of three inputs, over frequency and in time."""

import numpy as np

from .curves import curve, over_time, padded, side_by_side
from .display import display
from ..ground.history import history
from ..ground.dump_values import coefficients, mean_over_channels, pair_columns

POINTS = 512


class closure_phase(display):
    """The phase of the bispectrum of three inputs.

        B_c = V_c,ij V_c,jk V_c,ki,   closure phase = arg B_c

    Whatever phase an instrument adds to an input goes into two of the three factors with
    opposite signs and is gone (Jennison 1958). It is 0 for a single point source. Left: over
    frequency; right: of the mean of B over the channels shown, in time.

    Input: visibilities [channel][baseline].

      inputs, channels, channels_per_item: as in the block before
      i, j, k: the three inputs
      normalize: B of correlation coefficients: channels count alike, however strong
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          the channels are numbered
      seconds: length of the axis of time
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes and inputs, the same input twice, no seconds.
    """

    def __init__(self, inputs=3, channels=128, i=0, j=1, k=2, normalize=True, frequencies=(),
                 seconds=10.0, channels_per_item=0, title="", observation=None):
        self._history, self._normalize, self._shown = history(), normalize, None
        display.__init__(self, "closure_phase", inputs, channels, channels_per_item,
                         (channels, POINTS), frequencies, title, observation)
        label = "Closure phase (degrees)"
        self._spectrum = curve(channels, self.frequency_axis()[1], label, -180, 180, True)
        self._time = curve(POINTS, "Time before now (s)", label, -180, 180, True)
        self._widget = side_by_side(self._spectrum.widget, self._time.widget)
        self.set_inputs(i, j, k)
        self.set_seconds(seconds)
        self.set_channels()
        self.connect((self.tap, 0), self._spectrum.sink)
        self.connect((self.tap, 1), self._time.sink)

    def set_inputs(self, i, j, k):
        """Three other inputs, from the next dump on; the axis of time begins anew."""
        if len({i, j, k}) < 3:
            raise ValueError(f"display closure_phase: inputs {i}, {j}, {k}; they must be three "
                             "different ones")
        three = self._three = self.check_inputs(i, j, k)
        name = self.named(*three)
        for panel in (self._spectrum, self._time):
            panel.set_title("Closure phase, " + name, name)

    def set_seconds(self, seconds):
        """Another length of the axis of time."""
        if not seconds > 0:
            raise ValueError(f"display closure_phase: seconds {seconds}; the axis must be "
                             "longer than 0 s")
        self._seconds = float(seconds)
        self._time.widget.set_x(over_time(POINTS, self._seconds))

    @property
    def means(self):
        """The mean bispectra shown so far, complex, the newest last."""
        return self._history.values()

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        self._spectrum.widget.set_x(axis[self.band()], label)

    def _products(self):
        i, j, k = self._three
        pairs = ((i, j), (j, k), (k, i))
        return pairs, pair_columns(pairs, self.inputs)

    def _show(self, dump):
        if (dump.products, self.band()) != self._shown:
            self._history.clear()
            self._shown = (dump.products, self.band())
        vis = coefficients(dump.values, dump.products, self._normalize)
        bispectrum = vis.astype(complex).prod(axis=1)
        self._history.add(dump, mean_over_channels(bispectrum[self.band()]))
        in_time = self._history.on_grid(POINTS, self._seconds)
        shown = padded(bispectrum[self.band()], self.channels)
        return np.degrees(np.angle(shown)), np.degrees(np.angle(in_time))
