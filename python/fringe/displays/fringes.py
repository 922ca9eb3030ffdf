#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Fringe amplitude and phase in time."""

from .curves import amplitude_and_phase, over_time
from .display import display
from ..ground.history import history
from ..ground.dump_values import coefficients, mean_over_channels, pair_columns
from .scales import amplitude_axis

POINTS = 512


class fringes(display):
    """Fringes: amplitude and phase of the mean over the channels shown, in time.

        V(t) = mean_c V_c,ij(t),  normalized: mean_c V_c,ij / sqrt(V_c,ii V_c,jj)

    Input: visibilities [channel][baseline]. The axis is seconds of rx_time before the end of
    the newest dump (dumps, where they carry no time); each dump is as long as it is, and what
    was lost is a gap.

      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline; conj(V_ji) is shown for i > j
      normalize: correlation coefficient instead of power
      seconds: length of the axis
      units: of the amplitude: "linear", "dB" or "kelvin"; kelvin_per_unit: of a power, for kelvin
      maximum: upper end of the amplitudes, in this unit; 0 = it follows the data
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs and units, or no seconds.
    """

    def __init__(self, inputs=2, channels=128, i=0, j=1, normalize=True, seconds=10.0,
                 maximum=0.0, channels_per_item=0, title="", observation=None, units="linear",
                 kelvin_per_unit=0.0):
        self._history, self._normalize = history(), normalize
        axis = amplitude_axis("fringes", normalize, units, kelvin_per_unit, maximum)
        display.__init__(self, "fringes", inputs, channels, channels_per_item,
                         (POINTS, POINTS), (), title, observation)
        self._panels = amplitude_and_phase(POINTS, "Time before now (s)", axis)
        self._widget = self._panels.widget
        self.set_maximum = self._panels.set_maximum
        self.set_baseline(i, j)
        self.set_seconds(seconds)
        self.connect((self.tap, 0), self._panels.amplitude.sink)
        self.connect((self.tap, 1), self._panels.phase.sink)

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on; the axis begins anew."""
        i, j = self._pair = self.check_inputs(i, j)
        name = self.named(i, j)
        self._gui(lambda: self._panels.set_titles(name, i != j))

    def set_seconds(self, seconds):
        """Another length of the axis."""
        if not seconds > 0:
            raise ValueError(f"display fringes: seconds {seconds}; the axis must be longer "
                             "than 0 s")
        self._seconds = float(seconds)
        self._panels.set_x(over_time(POINTS, self._seconds))

    @property
    def means(self):
        """The values shown so far, complex, the newest last."""
        return self._history.values()

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _show(self, dump):
        asked = (dump.products, self.band())
        if asked != getattr(self, "_shown", None):
            self._history.clear()
            self._shown = asked
        values = coefficients(dump.values, [dump.products], self._normalize)
        self._history.add(dump, mean_over_channels(values[self.band(), 0]))
        return self._panels.vectors(self._history.on_grid(POINTS, self._seconds))
