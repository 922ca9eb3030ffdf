#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Occupancy: which share of the data a flagger has flagged, over sky frequency and time."""

from .curves import side_by_side
from .display import display
from ..ground.dump_tap import dump_stream
from ..ground.history import history, joined_rows
from .time_map import ROWS, neighbors_together, time_map


class occupancy(display):
    """The share of each channel that is flagged: frequency to the right, the newest at the top.

        100 % * (flagged values of channel c) / (all values of channel c)

    No dump is left out: where there are more channels than columns, or more dumps than rows, their
    mean is shown. As in files, the channel that holds both edges of the band is left out.

    Input: fractions flagged [channel], float32: output 3 of an rfi_flagger, or output 1 of a
    kurtosis_flagger. Tags read: rx_time, interval, stream; items without a time are counted, one
    second each.

      observation: frequencies, where the dumps do not say them; its inputs settle
          channels_per_item
      channels: as in the block before
      complex_samples: of the recording; with it channels lie on the sky as the channelizer's
      seconds: length of the axis of time
      maximum: upper end of the colors, per cent
      channels_per_item: as in the rfi_flagger before; behind a kurtosis_flagger: channels
      title: a line above the display; "" = none

    Raises ValueError for invalid sizes and channels, no seconds, and a maximum that is not above 0
    and at most 100.
    """

    def __init__(self, observation, channels=128, complex_samples=True, seconds=10.0,
                 maximum=100.0, channels_per_item=0, title=""):
        self._history, self._rows, self._shown = history(longest=2 * ROWS), joined_rows(), None
        display.__init__(self, "occupancy", len(observation.inputs), channels, channels_per_item,
                         title=title, observation=observation,
                         stream=dump_stream.of_fractions(channels),
                         complex_samples=complex_samples)
        self.map = time_map(self.frequency_axis()[1])
        self.map.title = "Flagged"
        self._widget = side_by_side(self.map)
        self.set_seconds(seconds)
        self.set_maximum(maximum)
        self.set_channels()

    def set_seconds(self, seconds):
        """Another length of the axis of time."""
        if not seconds > 0:
            raise ValueError(f"display occupancy: seconds {seconds}; the axis must be longer "
                             "than 0 s")
        self._seconds = float(seconds)
        self.map.set_seconds(self._seconds)

    def set_maximum(self, maximum):
        """Upper end of the colors, per cent."""
        if not 0 < maximum <= 100:
            raise ValueError(f"display occupancy: maximum {maximum}; it must be above 0 and at "
                             "most 100 per cent")
        self._maximum = float(maximum)

    def _channels_changed(self):
        axis, label = self.frequency_axis()
        self.map.set_x(axis, self.band(), label)

    def _products(self):
        return self.band(), slice(None)

    def _keep(self, dump):
        # A burst may be in one dump alone: none is left out, and short ones are joined.
        if dump.products != self._shown:
            self._history.clear()
            self._rows.clear()
            self._shown = dump.products
        values = neighbors_together(dump.values[dump.products, 0])
        for row, mean in self._rows.add(dump, values, self._seconds / ROWS):
            self._history.add(row, mean)

    def _show(self, _):
        self._draw()

    def _run_ended(self):
        # What is left makes a short row, and the last picture has everything.
        for row, mean in self._rows.rest():
            self._history.add(row, mean)
        self._draw()

    def _draw(self):
        if not len(self._history):
            return
        rows = self._history.on_grid(ROWS, self._seconds)[::-1].real
        self.map.show_values(100 * rows, 0, self._maximum, "Share flagged (%)",
                             **self.map.ending(self._history.end))
