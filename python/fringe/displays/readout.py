#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Readout: the fringes of baselines in numbers, with their errors."""

import collections
import threading
import time

import numpy as np

from ..radio_astronomy.delay_spectrum import delay_unit, fit_delay
from ..radio_astronomy.fringe_scatter import fringe_scatter
from .display import display
from ..ground.dump_values import coefficients, mean_over_channels, pair_columns
from .readout_table import readout_table
from .scales import amplitude_axis

#: s, between two readings: numbers are to be read.
EVERY = 0.25
#: Baselines, at most; bytes of the spectra that are kept.
MAX_BASELINES, MEMORY = 500, 64 << 20


class readout(display):
    """Amplitude, phase, delay and S/N of baselines in numbers, a row for each.

        V_k = mean_c V_c,ij of dump k,  normalized: mean_c V_c,ij / sqrt(V_c,ii V_c,jj)

    over the channels shown and the dumps of the last seconds: the mean of V_k, its scatter from
    dump to dump, and the errors of the mean, see fringe_scatter; the delay by least squares of the
    phases of the mean spectrum, and its error, see fit_delay.

    Input: visibilities [channel][baseline].

      inputs, channels, channels_per_item: as in the block before
      reference: the baselines with this input only; -1 = all pairs
      normalize: correlation coefficient instead of power
      seconds: of the data, over which is averaged; at least two dumps
      frequencies: of the channels, Hz; () = as the dumps say, else as in the observation, else
          delays are in units of 1 / (channel width)
      units: of amplitudes: "linear", "dB" or "kelvin"; kelvin_per_unit: of a power, for kelvin
      title: a line above the display; "" = none
      observation: its antennas and polarizations name the inputs; None = they are numbers

    Raises ValueError for invalid sizes, inputs and units, fewer than two inputs, more than 500
    baselines, no seconds.
    """

    def __init__(self, inputs=2, channels=128, reference=-1, normalize=True, seconds=10.0,
                 frequencies=(), channels_per_item=0, title="", observation=None, units="linear",
                 kelvin_per_unit=0.0):
        self._amplitude = amplitude_axis("readout", normalize, units, kelvin_per_unit)
        self._normalize, self._dumps, self._shown = normalize, collections.deque(), None
        self._read_at, self._thread = 0.0, None
        display.__init__(self, "readout", inputs, channels, channels_per_item, (), frequencies,
                         title, observation)
        if inputs < 2:
            raise ValueError(f"display readout: inputs {inputs}; it needs 2 or more")
        self.table = self._widget = readout_table(self._amplitude.short)
        self.set_seconds(seconds)
        self.set_reference(reference)

    def set_reference(self, reference):
        """The baselines with this input only, or all with -1, from the next dump on."""
        if reference == -1:
            pairs = [(i, j) for i in range(self.inputs) for j in range(i + 1, self.inputs)]
        else:
            i, = self.check_inputs(reference)
            pairs = [(i, j) for j in range(self.inputs) if j != i]
        if len(pairs) > MAX_BASELINES:
            raise ValueError(f"display readout: {len(pairs)} baselines; it shows "
                             f"{MAX_BASELINES} at most, choose a reference input")
        self._pairs = tuple(pairs)
        self.table.change(names=[self.named(*pair) for pair in pairs], rows=[])

    def set_seconds(self, seconds):
        """Another time over which is averaged."""
        if not seconds > 0:
            raise ValueError(f"display readout: seconds {seconds}; it must average over more than "
                             "0 s")
        self._seconds = float(seconds)

    def numbers(self):
        """[(fringe_scatter, (delay, its error) in s)] of the baselines, as they are shown."""
        return self.table.rows

    def _products(self):
        return self._pairs, pair_columns(self._pairs, self.inputs)

    def _show(self, dump):
        asked = (dump.products, self.band(), self._axis)
        if asked != self._shown:
            self._dumps.clear()
            self._shown = asked
        values = coefficients(dump.values, dump.products, self._normalize)[self.band()]
        start = dump.seconds + dump.fraction if dump.interval > 0 else float(dump.number)
        length = dump.interval if dump.interval > 0 else 1.0
        if self._dumps and start < self._dumps[-1][0]:
            self._dumps.clear()  # a recording begins anew
        self._dumps.append((start, mean_over_channels(values), values))
        limit = max(2, MEMORY // values.nbytes)
        while (len(self._dumps) > limit
               or start + length - self._dumps[0][0] > self._seconds * (1 + 1e-9)
               and len(self._dumps) > 1):
            self._dumps.popleft()
        if time.monotonic() - self._read_at >= EVERY and not self._reading():
            self._read_at = time.monotonic()
            # Hundreds of fits take longer than a dump may: the flowgraph must not wait for them.
            self._thread = threading.Thread(target=self._read, args=self._content(), daemon=True)
            self._thread.start()

    def _reading(self):
        return self._thread is not None and self._thread.is_alive()

    def _run_ended(self):
        if self._thread is not None:
            self._thread.join()
        if self._dumps:
            self._read(*self._content())

    def _content(self):
        """What _read() takes, of this moment."""
        pairs, band, _ = self._shown
        known = len(self.frequencies) > 0
        axis = self.frequencies if known else np.arange(self.channels, dtype=float)
        return list(self._dumps), pairs, axis[band], known

    def _read(self, dumps, pairs, axis, known):
        means = np.array([entry[1] for entry in dumps])
        spectra = sum(entry[2] for entry in dumps) / len(dumps)
        rows = [(self._amplitude.scatter(fringe_scatter.of(means[:, k])),
                 fit_delay(axis, spectra[:, k]))
                for k in range(means.shape[1])]
        end = 0.5 / abs(axis[1] - axis[0]) if len(axis) > 1 else 1.0
        factor, unit = delay_unit(end) if known else (1.0, "1/channel")
        self.table.change(names=[self.named(*pair) for pair in pairs], rows=rows, factor=factor,
                          unit=unit, dumps=len(dumps))
