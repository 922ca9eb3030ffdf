#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Receivers calibrated by a common signal, while a flowgraph runs."""

import math

import numpy as np
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.dump_items import dump_items, dump_times
from ..ground.new_file import new_file
from ..ground.streams import dump_fields, expected_streams, tags_of
from .common_signal import calibrated, inner_band, solve_common_signal
from .corrections_message import CORRECTIONS, corrections_message
from .trust import MIN_COHERENCE, check_coherence

#: How far ahead of the last dump corrections apply: dumps may be on their way still.
AHEAD_DUMPS, AHEAD_SECONDS = 4, 1.0


class calibrator(gr.sync_block):
    """Finds delay, phase and gain of every input when asked to, and writes them to a file.

    Input: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item, as
    the integrator sends them, of inputs that all hear one signal: a noise source wired to them.

    calibrate() averages the next `dumps` dumps, leaves the first out, which may be mixed, and
    solves for the inputs as fringe.solve_common_signal() does, from the band without a
    sixteenth at each end. The observation with what was
    found added to it (fringe.calibrated) is written to `path`, in place of a file that is
    there; a flowgraph started with that observation takes it out. The log says what was found,
    or why nothing was. Where inputs are less coherent than `min_coherence`, what they hear is no
    noise source, but the sky, say: nothing is written, and a file that is there stays.

    With `apply` the corrections are also sent to the message port `corrections`, for that of the
    channelizer or fx_correlator, so that nothing has to be started again: a dictionary of
    `corrections`, a c32vector [input * channel], and, where the dumps have times, the `time` from
    which they apply, the start of a dump a second or a few dumps ahead. What is found the next
    time is added to what is applied now, and dumps from before that time are not averaged.

      observation: inputs, sample rate and center frequency are taken from it
      path: of the observation file to write
      channels, complex_samples, channels_per_item: as visibility_sink's
      dumps: to average
      apply: whether the corrections are sent
      min_coherence: correlation coefficient, 0 to 1, that every input has with the first at least

    Raises ValueError for no dumps, fewer than two inputs, channels that do not fit, a
    min_coherence outside 0 to 1.
    """

    def __init__(self, observation, path, channels=128, dumps=10, complex_samples=True,
                 channels_per_item=0, apply=False, min_coherence=MIN_COHERENCE):
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(inputs, channels)
        for field, value, right in (
                ("inputs", inputs, inputs >= 2), ("dumps", dumps, dumps >= 1),
                ("channels_per_item", channels_per_item, channels % per_item == 0)):
            if not right:
                raise ValueError(f"calibrator: {field} {value}; there must be two inputs or "
                                 "more, one dump or more, and whole items to the channels")
        if not 0 <= min_coherence <= 1:
            raise ValueError(f"calibrator: min_coherence {min_coherence}; must be 0 to 1")
        products = inputs * (inputs + 1) // 2
        gr.sync_block.__init__(self, name="fringe_calibrator", out_sig=None,
                               in_sig=[(np.complex64, per_item * products)])
        self._streams = expected_streams(
            ("visibilities", 8 * per_item * products,
             dump_fields(inputs, channels, per_item, complex_samples=bool(complex_samples))))
        self._obs, self._path, self._wanted = observation, path, int(dumps)
        self._complex, self._apply = bool(complex_samples), bool(apply)
        self._channels, self._least = channels, float(min_coherence)
        self.message_port_register_out(CORRECTIONS)
        self._begun = self._applied = None  # dump_times, and the epoch from which corrections apply
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
        self._applied = None
        return True

    def work(self, input_items, output_items):
        """Adds up dumps when it has been asked to."""
        if self._streams.refused(self, [len(input_items[0])]):
            return -1
        items, at = input_items[0], 0
        while at < len(items):
            if self._dump.begins:
                self._begun = dump_times.of(tags_of(self, 0, self.nitems_read(0) + at))
                self._dump.begin(slice(None) if self._left else None)
            at += self._dump.add(items[at:])
            if self._dump.whole:
                values = self._dump.end()
                if values:
                    self._add(values[0])
        return len(items)

    def _add(self, dump):
        if self._applied and self._instant() and self._instant().seconds_since(self._applied) < 0:
            return  # made with the corrections of before
        self._sum = self._sum + dump.astype(complex) if self._left <= self._wanted else 0
        self._left -= 1
        if self._left == 0:
            self._solve(self._sum / self._wanted)

    def _solve(self, mean):
        self.error = ""
        band = inner_band(len(mean))
        try:
            self.found = solve_common_signal(mean[band], self._frequencies[band])
            check_coherence(self.found, range(len(self.found.delay)), self._least)
            better = calibrated(self._obs, self.found)
            self._write(better)
            self._obs = better if self._apply else self._obs
        except (ValueError, OSError, RuntimeError) as error:
            self.error = str(error)
            self.logger.error(f"not calibrated: {error}")
            return
        for k, (delay, phase, gain, coherence) in enumerate(zip(*self.found)):
            self.logger.info(f"input {k}: delay {delay * 1e9:.2f} ns, phase {phase:.1f} degrees, "
                             f"gain {gain:.4f}, coherence {coherence:.3f}")
        if self._apply:
            self._send()
        else:
            self.logger.info(f"written to {self._path}: restart the flowgraph with this file")

    def _instant(self):
        """The start of the dump that came last; None where the dumps have no times."""
        if self._begun is None or self._begun.seconds is None:
            return None
        return fp.epoch(self._begun.seconds, self._begun.fraction)

    def _send(self):
        """Sends the corrections of all that was found so far."""
        factors = self._obs.corrections(self._channels, self._complex)
        start, when, now = None, "at once", self._instant()
        if now is not None and self._begun.interval:
            dumps = max(AHEAD_DUMPS, math.ceil(AHEAD_SECONDS / self._begun.interval))
            start = self._applied = now.plus_seconds(dumps * self._begun.interval)
            when = f"from {start.iso(3)} on"
        self.message_port_pub(CORRECTIONS, corrections_message(factors, start))
        self.logger.info(f"written to {self._path}, and applied {when}")

    def _write(self, obs):
        with new_file(self._path, overwrite=True, text=True) as file:
            file.write("# Delays, phases and gains of the receivers found from a common signal."
                       "\n" + obs.to_text())
