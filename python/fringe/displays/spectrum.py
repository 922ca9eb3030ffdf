#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Cross spectrum: amplitude and phase over sky frequency."""

from .curves import amplitude_and_phase
from .display import display
from ..ground.dump_values import coefficients, pair_columns
from .scales import amplitude_axis
from .velocity_axis import HYDROGEN_LINE, velocity_axis


class spectrum(display):
    """The spectrum of one baseline, the newest dump's: amplitude and phase of V_c,ij.

    Input: visibilities [channel][baseline]. A delay tau of input j turns the phase by
    2 pi tau over 1 Hz of sky frequency.

      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline; i = j is the power of an input; conj(V_ji) is shown for i > j
      normalize: correlation coefficient V_ij / sqrt(V_ii V_jj) instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          the channels are numbered
      units: of the amplitude: "linear", "dB" or "kelvin"; kelvin_per_unit: of a power, for kelvin
      maximum: upper end of the amplitudes, in this unit; 0 = it follows the data
      axis: "frequency", or the velocity of a line: "topocentric", or "lsr" with an observation that
          has site and phase center; rest_frequency: of the line, Hz
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs, channels, units and axes.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalize=True, frequencies=(),
                 maximum=0.0, channels_per_item=0, title="", observation=None, units="linear",
                 kelvin_per_unit=0.0, axis="frequency", rest_frequency=HYDROGEN_LINE):
        self._normalize = normalize
        amplitude = amplitude_axis("spectrum", normalize, units, kelvin_per_unit, maximum)
        display.__init__(self, "spectrum", inputs, channels, channels_per_item,
                         (channels, channels), frequencies, title, observation,
                         velocity=velocity_axis.of_display("spectrum", axis, rest_frequency,
                                                           observation))
        self._panels = amplitude_and_phase(channels, self.frequency_axis()[1], amplitude)
        self._widget = self._panels.widget
        self.set_maximum = self._panels.set_maximum
        self.set_baseline(i, j)
        self.set_channels()
        self.connect((self.tap, 0), self._panels.amplitude.sink)
        self.connect((self.tap, 1), self._panels.phase.sink)

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on."""
        i, j = self._pair = self.check_inputs(i, j)
        name = self.named(i, j)
        self._gui(lambda: self._panels.set_titles(name, i != j))

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        self._panels.set_x(axis[self.band()], label)

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _show(self, dump):
        values = coefficients(dump.values, [dump.products], self._normalize)[:, 0]
        return self._panels.vectors(values[self.band()])
