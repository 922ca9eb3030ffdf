#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay (lag) spectrum: how much later one input hears than the other."""

import time

import numpy as np

from ..radio_astronomy.delay_spectrum import (OVERSAMPLING, delay_axis, delay_spectrum, delay_unit,
                                              highest)
from .curves import curve, side_by_side
from .display import display
from .numbers_of_axes import quantity
from ..ground.dump_values import coefficients, pair_columns
from .scales import amplitude_axis

#: s, between two values in the title: it is to be read.
TITLE = 0.25


class delays(display):
    """The Fourier transform of a cross spectrum over frequency.

        L(tau) = | sum_c h_c V_c,ij exp(-2 pi i f_c tau) | / sum_c h_c

    with a Hann window h over the channels shown, at a quarter of the steps that they resolve.
    It peaks at the delay of input j against input i; for a single delay the height is the
    amplitude of V. The title has the position and height of the peak, by a parabola.

    Input: visibilities [channel][baseline].

      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline
      normalize: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          delays are in units of 1 / (channel width)
      reach: s, the axis goes from -reach to +reach; 0 = all, 1 / (2 channel width)
      units: of the height: "linear", "dB" or "kelvin"; kelvin_per_unit: of a power, for kelvin
      maximum: upper end of the axis, in this unit; 0 = it follows the data
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs and units, and for fewer than 2 channels.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalize=True, frequencies=(),
                 reach=0.0, maximum=0.0, channels_per_item=0, title="", observation=None,
                 units="linear", kelvin_per_unit=0.0):
        if channels < 2:
            raise ValueError(f"display delays: channels {channels}; it needs 2 or more")
        self._normalize, self._titled = normalize, 0.0
        self._axis_y = amplitude_axis("delays", normalize, units, kelvin_per_unit, maximum)
        self._size, self._reach = OVERSAMPLING * channels, reach
        display.__init__(self, "delays", inputs, channels, channels_per_item, (self._size,),
                         frequencies, title, observation)
        self._curve = curve(self._size, "Delay", self._axis_y.label, *self._axis_y.ends())
        self._widget = side_by_side(self._curve.widget)
        self._frequencies_changed()
        self.set_baseline(i, j)
        self.connect(self.tap, self._curve.sink)

    def _frequencies_changed(self):
        known = len(self.frequencies) > 0
        width = float(np.median(np.diff(self.frequencies))) if known else 1.0
        #: s, of each point of the curve
        self.axis = delay_axis(self.channels, width)
        self._inside = np.abs(self.axis) <= (self._reach or np.inf)
        end = np.abs(self.axis[self._inside]).max()
        self._factor, self._unit = delay_unit(end) if known else (1.0, "1/channel")
        # A hundred-thousandth of the axis: more digits would only be noise.
        self._decimals = max(0, 5 - int(np.ceil(np.log10((end or width) * self._factor))))
        shown = self._factor * self.axis[self._inside][[0, -1]]
        self._curve.widget.set_x(self._factor * self.axis, f"Delay ({self._unit})", shown)

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on."""
        i, j = self._pair = self.check_inputs(i, j)
        name = self.named(i, j)
        self._curve.set_title(f"Delay spectrum, {name}", name)

    def set_maximum(self, maximum):
        """Upper end of the axis; 0 = it follows the data."""
        self._axis_y.maximum = float(maximum)
        self._curve.widget.change(y=self._axis_y.ends())

    def peak(self):
        """(delay in s, height) of the last dump shown."""
        return self._peak

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _show(self, dump):
        values = coefficients(dump.values, [dump.products], self._normalize)[self.band(), 0]
        lags = delay_spectrum(values, self.channels)
        self._peak = highest(self.axis, lags, self._inside)
        shown = self._axis_y.of(lags)
        if self._axis_y.changed(shown[self._inside]):
            self._curve.widget.change(y=self._axis_y.ends())
        if time.monotonic() - self._titled > TITLE:
            self._titled = time.monotonic()
            delay, height = self._peak
            name, (_, unit) = self.named(*dump.products), quantity(self._axis_y.label)
            height = f"{self._axis_y.of(height):.3g} {unit}".rstrip()
            self._curve.set_title(f"Delay spectrum, {name}: {height} at "
                                  f"{delay * self._factor:.{self._decimals}f} {self._unit}", name)
        return (shown,)
