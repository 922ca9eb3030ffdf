#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Baseline matrix: all pairs of inputs at once."""

import numpy as np

from .curves import side_by_side
from .display import display
from .heat_map import heat_map
from .plots import LEFT
from ..ground.dump_values import inverse_root, mean_over_channels
from .scales import auto_scale


class matrix(display):
    """Every pair (i, j) as a square: |mean over the channels shown of V_c,ij|.

    Row i, column j; below the diagonal stands conj(V_ji). The diagonal has the powers of the
    inputs; as coefficients, which are 1 there, it is left out. A dead input is a dark cross, a
    pair that hears itself a bright square.

    Input: visibilities [channel][baseline].

      inputs, channels, channels_per_item: as in the block before
      normalize: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      phase: arg of the same mean instead, in degrees
      maximum: upper end of the amplitudes; 0 = it follows the data
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes and channels.
    """

    def __init__(self, inputs=2, channels=128, normalize=True, phase=False, maximum=0.0,
                 channels_per_item=0, title="", observation=None):
        self._normalize, self._phase, self._maximum = normalize, phase, float(maximum)
        self._scale = auto_scale()
        display.__init__(self, "matrix", inputs, channels, channels_per_item, title=title,
                         observation=observation)
        self.map = heat_map("Input", "Input", square=True)
        self.map.x, self.map.y = (-0.5, inputs - 0.5), (inputs - 0.5, -0.5)
        self.map.whole_x = self.map.whole_y = True
        self.map.names = self.input_names
        widest = max(map(self.map.fontMetrics().horizontalAdvance, self.input_names))
        self.map.left = min(max(LEFT, widest + 30), 2 * LEFT)
        self._widget = side_by_side(self.map)
        self._first_i, self._second_j = np.triu_indices(inputs)
        self._rename()

    def set_maximum(self, maximum):
        """Upper end of the amplitudes; 0 = it follows the data."""
        self._maximum = float(maximum)

    def set_phase(self, phase):
        """Phases instead of amplitudes, from the next dump on."""
        self._phase = bool(phase)
        self._rename()

    def _rename(self):
        self._label = ("Phase (degrees)" if self._phase else
                       "Correlation coefficient" if self._normalize else "Amplitude (power)")
        self.map.change(title="Phase of all pairs" if self._phase else "Amplitude of all pairs")

    def _products(self):
        return None, slice(None)

    def _show(self, dump):
        i, j = self._first_i, self._second_j
        values = dump.values[self.band()]
        if self._normalize:
            power = values[:, i == j].real
            values = values * inverse_root(power[:, i] * power[:, j])
        square = np.empty((self.inputs, self.inputs), complex)
        square[i, j] = mean_over_channels(values)
        square[j, i] = square[i, j].conj()
        if self._normalize or self._phase:
            np.fill_diagonal(square, np.nan)
        if self._phase:
            shown = np.degrees(np.angle(square))
            shown[np.isnan(square.real)] = np.nan
            self.map.show_values(shown, -180, 180, self._label, "phase")
            return
        self._scale.changed(np.abs(square))
        limit = self._maximum or self._scale.limit or 1.0
        self.map.show_values(np.abs(square), 0, limit, self._label)
