#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Receivers calibrated by a common signal, while a flowgraph runs."""

import numpy as np
from gnuradio import gr

from .. import fringe_python as fp
from ..dump_items import dump_items
from ..new_file import new_file
from ..streams import dump_fields, expected_streams
from .common_signal import calibrated, inner_band, solve_common_signal


class calibrator(gr.sync_block):
    """Finds delay, phase and gain of every input when asked to, and writes them to a file.

    Input: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item, as
    the integrator sends them, of inputs that all hear one signal: a noise source wired to them.

    calibrate() averages the next `dumps` dumps, leaves the first out, which may be mixed, and
    solves for the inputs as fringe.solve_common_signal() does, from the band without a
    sixteenth at each end. The observation with what was
    found added to it (fringe.calibrated) is written to `path`, in place of a file that is
    there; a flowgraph started with that observation takes it out. The log says what was found,
    or why nothing was.

      observation: inputs, sample rate and centre frequency are taken from it
      path: of the observation file to write
      channels, complex_samples, channels_per_item: as visibility_sink's
      dumps: to average

    Raises ValueError for no dumps, fewer than two inputs, channels that do not fit.
    """

    def __init__(self, observation, path, channels=128, dumps=10, complex_samples=True,
                 channels_per_item=0):
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(inputs, channels)
        for field, value, right in (
                ("inputs", inputs, inputs >= 2), ("dumps", dumps, dumps >= 1),
                ("channels_per_item", channels_per_item, channels % per_item == 0)):
            if not right:
                raise ValueError(f"calibrator: {field} {value}; there must be two inputs or "
                                 "more, one dump or more, and whole items to the channels")
        products = inputs * (inputs + 1) // 2
        gr.sync_block.__init__(self, name="fringe_calibrator", out_sig=None,
                               in_sig=[(np.complex64, per_item * products)])
        self._streams = expected_streams(
            ("visibilities", 8 * per_item * products,
             dump_fields(inputs, channels, per_item, complex_samples=bool(complex_samples))))
        self._obs, self._path, self._wanted = observation, path, int(dumps)
        self._frequencies = observation.channel_frequencies(channels, complex_samples)
        self._dump = dump_items(products, channels, per_item)
        self._sum, self._left = 0, 0
        #: what was found last, a fringe.calibration.common_signal, and why nothing was
        self.found, self.error = None, ""

    def calibrate(self, pressed=True):
        """Begins, when pressed: an average and a solution of the dumps from the next one on."""
        if pressed:
            self._left = self._wanted + 1

    def start(self):
        """Forgets what is left of an earlier run."""
        self._streams.restart(self)
        self._dump.restart()
        return True

    def work(self, input_items, output_items):
        """Adds up dumps when it has been asked to."""
        if self._streams.refused(self, [len(input_items[0])]):
            return -1
        items, at = input_items[0], 0
        while at < len(items):
            if self._dump.begins:
                self._dump.begin(slice(None) if self._left else None)
            at += self._dump.add(items[at:])
            if self._dump.whole:
                values = self._dump.end()
                if values:
                    self._add(values[0])
        return len(items)

    def _add(self, dump):
        self._sum = self._sum + dump.astype(complex) if self._left <= self._wanted else 0
        self._left -= 1
        if self._left == 0:
            self._solve(self._sum / self._wanted)

    def _solve(self, mean):
        self.error = ""
        band = inner_band(len(mean))
        try:
            self.found = solve_common_signal(mean[band], self._frequencies[band])
            self._write(calibrated(self._obs, self.found))
        except (ValueError, OSError, RuntimeError) as error:
            self.error = str(error)
            self.logger.error(f"not calibrated: {error}")
            return
        for k, (delay, phase, gain, coherence) in enumerate(zip(*self.found)):
            self.logger.info(f"input {k}: delay {delay * 1e9:.2f} ns, phase {phase:.1f} degrees, "
                             f"gain {gain:.4f}, coherence {coherence:.3f}")
        self.logger.info(f"written to {self._path}: restart the flowgraph with this file")

    def _write(self, obs):
        with new_file(self._path, overwrite=True, text=True) as file:
            file.write("# Delays, phases and gains of the receivers found from a common signal."
                       "\n" + obs.to_text())
