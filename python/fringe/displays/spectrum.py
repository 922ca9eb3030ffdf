#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Cross spectrum: amplitude and phase over sky frequency."""

import numpy as np

from .curves import amplitude_and_phase
from .display import coefficients, display, pair_columns


class spectrum(display):
    """The spectrum of one baseline, the newest dump's: amplitude and phase of V_c,ij.

    Input: visibilities [channel][baseline]. A delay tau of input j turns the phase by
    2 pi tau over 1 Hz of sky frequency.

      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline; i = j is the power of an input; conj(V_ji) is shown for i > j
      normalise: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          the channels are numbered
      maximum: upper end of the amplitudes; 0 = it follows the data
      title: a line above the display; "" = none
      observation: its antennas and polarisations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs and channels.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalise=True, frequencies=(),
                 maximum=0.0, channels_per_item=0, title="", observation=None):
        self._normalise = normalise
        display.__init__(self, "spectrum", inputs, channels, channels_per_item,
                         (channels, channels), frequencies, title, observation)
        self._panels = amplitude_and_phase(channels, self.frequency_axis()[1], normalise,
                                           maximum, self._gui)
        self._widget = self._panels.widget
        self.set_maximum = self._panels.set_maximum
        self.set_baseline(i, j)
        self.set_channels()
        self.connect((self.tap, 0), self._panels.amplitude.sink)
        self.connect((self.tap, 1), self._panels.phase.sink)

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on."""
        i, j = self._pair = self.check_inputs(i, j)
        name = ", " + self.named(i, j)
        self._gui(lambda: self._panels.set_titles(name, i != j))

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        axis = axis[self.band()]
        self._panels.set_x(axis[0], axis[-1], label)

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _show(self, dump):
        values = coefficients(dump.values, [dump.products], self._normalise)[:, 0]
        return self._panels.vectors(values[stretched(self.band(), self.channels)])


def stretched(band, length):
    """Channels of `band`, one for each of `length` points of a curve.

    The vectors of a sink keep their length: a part of the band is drawn with each channel
    taken as often as it has points.
    """
    return np.round(np.linspace(band.start, band.stop - 1, length)).astype(int)
