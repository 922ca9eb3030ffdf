#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pulse profile: a pulsar's turn in bins, its mean over the band and each channel."""

import numpy as np

from .curve_plot import curve_plot
from .curves import side_by_side
from .display import display
from .heat_map import heat_map
from .plots import LEFT
from ..ground.dump_values import mean_over_channels, pair_columns
from ..observing.pulse_gates import equal_gates
from .scales import range_scale
from .time_map import neighbors_together

#: How often a turn is shown, so that no pulse is cut at its end.
TURNS = 2


class pulse_profile(display):
    """The visibilities of one baseline by the phase of a pulsar, on average over some time.

        P_c,b = |V_c,ij,b| / sqrt(S_c,i S_c,j),   S_c,i: the mean over all bins b of V_c,ii,b

    To the left the mean over the channels, |mean over c of V_c,ij,b / sqrt(S_c,i S_c,j)|, to the
    right each channel. With i = j it is the power of an input, and its mean over the turn is 1.
    Without normalize nothing is divided. A bin without spectra is a gap.

    Inputs: visibilities [channel][baseline], one of each bin, in their order. A value counts
    exp(-t / seconds) times the newest, t being the time since then; dumps without an interval are
    one second long.

      gates: pulse_gates of equal bins of a turn, those of the fx_correlator before; or the number
        of bins of a dump_binner
      inputs, channels, channels_per_item: as in the block before
      i, j: the baseline
      normalize: as above, instead of power
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          the channels are numbered
      seconds: of the mean, see above; 0 = each dump alone
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs, seconds, and gates that are no equal bins.
    """

    def __init__(self, gates, inputs=2, channels=128, i=0, j=0, normalize=True, frequencies=(),
                 seconds=60.0, channels_per_item=0, title="", observation=None):
        counted = isinstance(gates, int)
        self._bins, self._turn = (gates, "phase") if counted else (len(gates), gates.words)
        self._normalize, self._asked = normalize, None
        if self._bins < 2 or not (counted or np.allclose(gates.gates, equal_gates(self._bins),
                                                         atol=1e-9)):
            raise ValueError("display pulse_profile: gates: must be equal bins of a turn; "
                             "pulse_gates.of(..., bins=16) makes them")
        display.__init__(self, "pulse_profile", inputs, channels, channels_per_item, (),
                         frequencies, title, observation, ports=self._bins)
        label = "Power / its mean" if normalize else "Power"
        self.profile = curve_plot("Phase (turns)", label)
        self.profile.set_x((np.arange(TURNS * self._bins) + 0.5) / self._bins)
        self.map = heat_map("Phase (turns)", self.frequency_axis()[1])
        self.map.x, self._label = (0, TURNS), label
        # A frequency has more digits than most numbers.
        self.map.left = max(LEFT, 30 + self.map.fontMetrics().horizontalAdvance("1420.405"))
        self._scales = range_scale(), range_scale()
        self._widget = side_by_side(self.profile, self.map)
        self.set_baseline(i, j)
        self.set_seconds(seconds)
        self.set_channels()

    def set_baseline(self, i, j):
        """Another baseline, from the next dump on; the mean begins anew."""
        i, j = self._pair = self.check_inputs(i, j)
        name = self.named(i, j)
        kind = "Power" if i == j else "Correlation coefficient" if self._normalize else "Amplitude"
        self._label = kind + (" / mean power" if i == j and self._normalize else "")
        self.profile.change(title=f"Mean of the channels, {name}", what=name,
                            y_label=self._label)
        self.map.change(title=f"By {self._turn}", what=name)

    def set_seconds(self, seconds):
        """Another time of the mean."""
        if not seconds >= 0:
            raise ValueError(f"display pulse_profile: seconds {seconds}; they must be 0 or more")
        self._seconds = float(seconds)

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        half, shown = (axis[1] - axis[0]) / 2 if len(axis) > 1 else 0.5, axis[self.band()]
        self._falls = shown[0] - half > shown[-1] + half
        ends = sorted((shown[0] - half, shown[-1] + half))
        self.map.change(y=tuple(ends), y_label=label)

    def _products(self):
        return self._pair, pair_columns([self._pair], self.inputs)

    def _keep(self, dump):
        asked = dump.products, dump.middle, dump.width
        if asked != self._asked:
            self._asked, self._sums, self._counts = asked, 0, 0
        # What has no power was not there, or all of it was flagged.
        there = (dump.values[..., 1:].real > 0).all(axis=-1, keepdims=True)
        left = np.exp(-(dump.interval or 1) / self._seconds) if self._seconds > 0 else 0
        self._sums = left * self._sums + np.where(there, dump.values, 0)
        self._counts = left * self._counts + there

    def values(self):
        """What is shown: (mean over the channels [bin], each channel [channel][bin])."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (self._sums / self._counts)[:, self.band()]
        vis, powers = means[..., 0], means[..., 1:].real
        if self._normalize:
            with np.errstate(invalid="ignore", divide="ignore"):
                vis = vis / np.sqrt(np.prod([mean_over_channels(powers[..., k]) for k in (0, 1)],
                                            axis=0))
        return np.abs(mean_over_channels(vis.T)), np.abs(vis.T)

    def _show(self, _):
        self._draw()

    def _run_ended(self):
        if self._asked is not None:
            self._draw()

    def _draw(self):
        mean, by_channel = self.values()
        by_channel = neighbors_together(by_channel)
        for scale, values in zip(self._scales, (mean, by_channel)):
            scale.changed(values)
        self.profile.change(y=self._scales[0].ends)
        self.profile.show(np.nan_to_num(np.tile(mean, TURNS), nan=-np.inf))
        rows = by_channel if self._falls else by_channel[::-1]
        self.map.show_values(np.tile(rows, TURNS), *self._scales[1].ends, self._label)
