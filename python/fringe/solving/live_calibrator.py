#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Receivers calibrated by the sky, again and again, while a flowgraph runs."""

import math
import time

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..calibration.corrections_message import CORRECTIONS, corrections_message
from ..calibration.common_signal import inner_band
from ..ground.blas_threads import use_one_blas_thread
from ..ground.dump_items import dump_items, dump_times, edge_channel
from ..ground.streams import dump_fields, expected_streams, observed_frequencies, tags_of
from ..image_blocks.image_thread import image_thread
from ..images.dump_images import timed_dump
from ..images.known import read_known
from ..primary_beams import beam_of
from ..readers.visibilities import require_plain_file
from ..sky_model.model_sky import is_image
from .delays import MIN_CHANNELS
from .live_gains import check_beam, live_gains
from .some_channels import some_channels

STATE = pmt.intern("state")
DTYPES = ("<c8", "<f4", "u1")


class live_calibrator(gr.sync_block):
    """Solves for the gains of all inputs from every `dumps` dumps and a model of the sky, in a
    thread of its own, and sends the corrections.

        V_ij = F_i conj(F_j) g_i conj(g_j) M_ij,    g_i(f) = g_i exp(-2 pi i (f - f_0) tau_i)

    M: the model; F: the corrections that the dumps were made with, which are taken out first. The
    flowgraph never waits: dumps that come while the thread has others are counted, and left out.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item, not
    tracked (fringes in them); input 1 (optional): weights, float32; input 2 (optional): flags,
    uint8; same shape. Tags read: `rx_time`, which the dumps must have, and `interval`.

    Message port `corrections`: for those of a channelizer, fx_correlator or beamformer, as
    corrections_message() has them, with the time from which they count: the start of the dump
    after the one that is being made, or of a later one, `ahead` seconds away. Their median size
    is 1 in each polarization. The phases of the last solutions are carried on to the middle of the
    time for which they count.

    Message port `state`: after each solution a dict with `seconds`, `fraction` (start of the first
    dump), `used` (bool), `problem` (why not, or ""), `coherence` (mean cosine of the phases between
    the good inputs as the dumps came), `good` (inputs), `bad` (a dict of names: dead, swapped,
    mirrored or does not fit), `held` (names of inputs whose gains moved too far to be believed
    yet), `skipped` (dumps so far), `solved_in` (s).

    A solution is refused, and the corrections of before stay, where the baselines differ from the
    model by more than max_misfit, where more than half of the visibilities are unexplained or more
    than half of the inputs do not fit, and where most gains moved further than max_drift and their
    errors allow, until three in sequence agree. A single input that moved is held in the same way.

      observation: places, phase center, frequencies, known corrections and bad inputs
      sources: names such as "Sun,CasA", a catalogue or an observation with a sky, or an image
        x.fits; the fluxes of sources that have none are solved for
      channels, complex_samples, channels_per_item: as visibility_sink's
      dumps: of a solution
      delays: whether delays are solved for; False: phases and amplitudes alone
      amplitudes: whether corrections change amplitudes; False: phases (and delays) alone
      max_misfit: part of the model, rms, noise taken off
      max_drift: degrees a minute
      corrected_dumps: True: the corrections go to the F-engine in front of the correlator, so that
        the dumps have them; False: to a beamformer beside it alone, and the dumps do not
      ahead: s from the end of the last dump that has come to the corrections, at least a dump
      channel_step: every so many channels are used, for large arrays; the corrections are for all,
        by the delays and gains of these
      beam: the primary beam of all antennas, as fringe image has it, "dipole" or "airy:25m", say:
        fluxes are those before it, and each dump has its own, as sources go through it; dishes
        point to the phase center. "" = none: the fluxes are those that the array receives

    From its start on numpy multiplies matrices (OpenBLAS) in one thread, in the whole process.

    Raises ValueError for sources that are not known, and settings that cannot be.
    """

    def __init__(self, observation, sources, channels=128, dumps=1, delays=True, amplitudes=True,
                 max_misfit=0.05, max_drift=90.0, ahead=0.1, complex_samples=True,
                 channels_per_item=0, corrected_dumps=True, channel_step=1, beam=""):
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(max(inputs, 1), channels)
        for name, value, right, what in (
                ("inputs", inputs, inputs >= 3, "there must be three or more"),
                ("channel_step", channel_step, channel_step >= 1 and channels % channel_step == 0,
                 f"it must divide the channels, {channels}"),
                ("channels", channels,
                 channels >= (MIN_CHANNELS if delays else 1) * max(channel_step, 1),
                 f"a delay is the slope of the phase over {MIN_CHANNELS} or more"
                 + (f", each of {channel_step}" if channel_step > 1 else "")),
                ("dumps", dumps, dumps >= 1, "it must be 1 or more"),
                ("channels_per_item", channels_per_item, channels % per_item == 0,
                 "it must divide the channels"),
                ("max_misfit", max_misfit, 0 < max_misfit <= 1,
                 "it must be more than 0 and at most 1"),
                ("max_drift", max_drift, max_drift > 0, "it must be more than 0"),
                ("ahead", ahead, 0 <= ahead < math.inf, "it must be a time, 0 or more")):
            if not right:
                raise ValueError(f"live_calibrator: {name} {value}; {what}")
        products = inputs * (inputs + 1) // 2
        values = per_item * products
        gr.sync_block.__init__(
            self, name="fringe_live_calibrator", out_sig=None,
            in_sig=gr.py_io_signature(1, 3, [(np.dtype(dtype), values) for dtype in DTYPES]))
        fields = dump_fields(inputs, channels, per_item, complex_samples=bool(complex_samples))
        self._streams = expected_streams(
            *((kind, size * values, fields) for kind, size in
              (("visibilities", 8), ("weights", 4), ("flags", 1))))
        self._axis = observed_frequencies(observation, channels, complex_samples)
        self._shape, self._channels = (products, channels, per_item), channels
        if is_image(sources):
            require_plain_file(sources)
            open(sources, "rb").close()
        else:
            known = read_known(sources)
            sources = sources if isinstance(known, fp.observation) else known
        self._some_channels = some_channels(observation, channels, complex_samples, channel_step)
        used = channels // channel_step
        antenna_beam = beam_of(beam) if beam else None
        if antenna_beam is not None:
            check_beam(antenna_beam, observation, channels, complex_samples)
        band = inner_band(used) if used >= 16 else slice(None)
        self._settings = (self._some_channels.observation, used, complex_samples, sources, delays,
                          max_misfit, max_drift, band, antenna_beam)
        self._wanted, self._amplitudes, self._ahead = int(dumps), bool(amplitudes), float(ahead)
        self._corrected = bool(corrected_dumps)
        #: for the thread: it makes nothing of several dumps that would be kept
        self.every = 0.0
        self._gains = self._thread = self._dump = None
        for port in (CORRECTIONS, STATE):
            self.message_port_register_out(port)
        self._skipped = self._taken = self._sent = self._refused = 0
        #: what the newest message of the port `state` says, a dict; None before the first
        self.last_state = None
        #: time.monotonic() when a solution was used last; None before the first
        self.used_at = None

    def sent(self):
        """Corrections that were sent so far."""
        return self._sent

    def refused(self):
        """Solutions that were not used so far."""
        return self._refused

    def skipped(self):
        """Dumps that came while the thread was busy, so far."""
        return self._skipped

    def taken(self):
        """Dumps that the thread took, so far: each dump is taken or skipped."""
        return self._taken

    def start(self):
        """Forgets what is left of an earlier run, but for the corrections that its F-engine has."""
        self._streams.restart(self)
        # OpenBLAS has one setting for the whole process: from here on numpy multiplies matrices in
        # one thread in the whole process, also after this block has stopped.
        use_one_blas_thread()
        last, self._gains, self._some = self._gains, live_gains(*self._settings), []
        if last:
            self._gains.applied = last.applied
            self._gains.applied.restart()
        self._dump = self._newest = None
        self._failed = False
        self._skipped = self._taken = self._sent = self._refused = 0
        self._thread = image_thread(self)
        return True

    def stop(self):
        """Ends the thread after the solution that it works on."""
        if self._thread:
            self._thread.end()
            self._is_well()  # what ended it in the last solution is said, too
            self._thread = None
        return True

    def _is_well(self):
        """Whether the thread goes on; the log says, once, what ended it."""
        try:
            self._thread.take(0)
        except Exception as error:  # pylint: disable=broad-except
            if not self._failed:
                expected_streams.refuse(self, f"live_calibrator: {type(error).__name__}: {error}")
            self._failed = True
        return not self._failed

    def work(self, input_items, output_items):
        """Puts dumps together, and gives them to the thread."""
        if self._streams.refused(self, map(len, input_items)):
            return -1
        if self._dump is None:
            self._dump = dump_items(*self._shape, DTYPES[:len(input_items)],
                                    self._some_channels.kept)
        at, waiting = 0, min(map(len, input_items))
        while at < waiting:
            if self._dump.begins:
                found = tags_of(self, 0, self.nitems_read(0) + at)
                self._times = dump_times.of(found)
                if self._axis.refused(self, found):
                    return -1
                if self._times.seconds is None or self._times.interval is None:
                    expected_streams.refuse(self, "live_calibrator: the dumps have no times; they "
                                            "come from samples with a start time or rx_time")
                    return -1
                self._dump.begin()
            at += self._dump.add(*(items[at:waiting] for items in input_items))
            if self._dump.whole:
                self._offer(self._dump.end())
                if not self._is_well():
                    return -1
        return waiting

    def _offer(self, ports):
        times = self._times
        if times.interval == 0:
            return  # only its tags were sent
        self._newest = fp.epoch(times.seconds, times.fraction).plus_seconds(times.interval)
        edge = self._some_channels.place_of(edge_channel(self._streams.received, self._channels))
        dump = timed_dump(*ports, *(None,) * (3 - len(ports)), times.seconds, times.fraction,
                          times.interval, edge)
        self._skipped += not self._thread.offer(dump)

    def add(self, dump):
        """Called by the thread: takes a dump, and solves when there are enough."""
        self._some.append(dump)
        self._taken += 1
        if len(self._some) == self._wanted:
            begun, some, self._some = time.monotonic(), self._some, []
            self._publish(self._gains.solve(some), some[-1].interval, begun)
        return []

    def _publish(self, found, interval, begun):
        self._refused += not found.used
        if found.used:
            steps = max(1, math.ceil(self._ahead / interval))
            when = self._newest.plus_seconds(steps * interval)
            seconds = when.seconds + when.fraction()
            # In the middle of the time for which they count they are right.
            factors = self._gains.corrections(seconds + self._wanted * interval / 2,
                                              self._amplitudes)
            if self._corrected:
                self._gains.applied.send(seconds, factors)
            self.message_port_pub(CORRECTIONS, corrections_message(
                self._some_channels.for_all(factors), when))
            self._sent += 1
            self.used_at = time.monotonic()
        self.last_state = {
            "seconds": found.start[0], "fraction": found.start[1], "used": found.used,
            "problem": found.problem, "coherence": found.coherence, "good": found.good,
            "bad": found.bad, "held": found.held, "skipped": self._skipped,
            "solved_in": time.monotonic() - begun}
        self.message_port_pub(STATE, pmt.to_pmt(self.last_state))
