#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay (lag) spectrum: how much later one input hears than the other."""

import time

import numpy as np

from .curves import auto_scale, curve, side_by_side
from .display import coefficients, display, pair_columns

OVERSAMPLING = 4
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
      normalise: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          delays are in units of 1 / (channel width)
      reach: s, the axis goes from -reach to +reach; 0 = all, 1 / (2 channel width)
      maximum: upper end of the axis; 0 = it follows the data
      title: a line above the display; "" = none
      observation: its antennas and polarisations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes and inputs, and for fewer than 2 channels.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalise=True, frequencies=(),
                 reach=0.0, maximum=0.0, channels_per_item=0, title="", observation=None):
        if channels < 2:
            raise ValueError(f"display delays: channels {channels}; it needs 2 or more")
        self._normalise, self._scale, self._said = normalise, auto_scale(), 0.0
        self._size, self._reach = OVERSAMPLING * channels, reach
        display.__init__(self, "delays", inputs, channels, channels_per_item, (self._size,),
                         frequencies, title, observation)
        self._curve = curve(self._size, "", "Delay",
                            "Correlation coefficient" if normalise else "Amplitude (power)",
                            0, maximum or 1)
        self._widget = side_by_side(self._curve.widget)
        self._frequencies_changed()
        self.set_maximum(maximum)
        self.set_baseline(i, j)
        self.connect(self.tap, self._curve.sink)

    def _frequencies_changed(self):
        known = len(self.frequencies) > 0
        width = float(np.median(np.diff(self.frequencies))) if known else 1.0
        #: s, of each point of the curve
        self.axis = np.fft.fftshift(np.fft.fftfreq(self._size, width))
        self._inside = np.abs(self.axis) <= (self._reach or np.inf)
        end = np.abs(self.axis[self._inside]).max()
        self._unit, self._factor = "1/channel", 1.0
        if known:
            self._factor, self._unit = next((f, u) for f, u in (
                (1e9, "ns"), (1e6, "\u00b5s"), (1e3, "ms"), (1, "s")) if end * f < 2000 or f == 1)
        # A hundred-thousandth of the axis: more digits would only be noise.
        self._decimals = max(0, 5 - int(np.ceil(np.log10((end or width) * self._factor))))
        ends, shown = (self._factor * axis[[0, -1]]
                       for axis in (self.axis, self.axis[self._inside]))
        label = f"Delay ({self._unit})"
        self._gui(lambda: self._curve.set_x(*ends, label, shown))

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on."""
        i, j = self._pair = self.check_inputs(i, j)
        self._gui(lambda: self._curve.set_title(f"Delay spectrum, {self.named(i, j)}"))

    def set_maximum(self, maximum):
        """Upper end of the axis; 0 = it follows the data."""
        self._maximum = float(maximum)
        limit = self._maximum or self._scale.limit or 1.0
        self._gui(lambda: self._curve.set_y(0, limit))

    def peak(self):
        """(delay in s, height) of the last dump shown."""
        return self._peak

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _show(self, dump):
        values = coefficients(dump.values, [dump.products], self._normalise)[self.band(), 0]
        there = ~np.isnan(values)  # in a band of no channel nothing is
        window = np.where(there, np.hanning(len(values) + 2)[1:-1], 0)
        spectrum = np.fft.fft(np.where(there, values, 0) * window, self._size)
        lags = np.abs(np.fft.fftshift(spectrum)) / (window.sum() or 1)
        self._peak = self._highest(lags)
        if self._scale.changed(lags[self._inside]) and not self._maximum:
            limit = self._scale.limit
            self._gui(lambda: self._curve.set_y(0, limit))
        if time.monotonic() - self._said > TITLE:
            self._said = time.monotonic()
            delay, height = self._peak
            title = (f"Delay spectrum, {self.named(*dump.products)}: {height:.2g} at "
                     f"{delay * self._factor:.{self._decimals}f} {self._unit}")
            self._gui(lambda: self._curve.set_title(title))
        return (lags,)

    def _highest(self, lags):
        k = int(np.argmax(np.where(self._inside, lags, -1)))
        if not 0 < k < len(lags) - 1:
            return self.axis[k], lags[k]
        a, b, c = lags[k - 1:k + 2]
        curvature = a - 2 * b + c
        offset = 0.5 * (a - c) / curvature if curvature < 0 else 0.0
        return (self.axis[k] + offset * (self.axis[1] - self.axis[0]),
                b - 0.25 * (a - c) * offset)
