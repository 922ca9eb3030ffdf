#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pulses in the power of beams, found at once."""
import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import expected_streams, tags_of
from ..receiving.ring_request import before
from .pulse_search import pulse_search

DUMP = pmt.intern("dump")
NAME = "power_trigger"
POLARIZED = {"power", "incoherent", "cross"}
WHOLE = 0.999  # of the exposure of a mean
SAME_TIME = 0.01  # of a mean


class power_trigger(gr.sync_block):
    """Looks for dispersed pulses in the power of beams, and asks a voltage_ring for the samples of
    each.

    The powers of each channel are measured in standard deviations from their mean, five at most,
    summed over the channels along the delays of a dispersion, D DM / f^2, and averaged over 1, 2,
    4, ... means in sequence. A pulse is where the largest of these sums, over beams, dispersions
    and widths, is `threshold` standard deviations above the median. All are those of the last
    `history` means, without what is far from them, so pulses hardly change them. fringe search
    does the same in files.

    Input: means of powers from a beamformer, float32 [beam][channel] of the products "power",
    "incoherent" or "cross" (the polarizations of a direction are summed up), or
    [direction][I Q U V][channel] of "stokes", of which I is used. Tags read: `rx_time`, `interval`,
    `exposure`; a gap begins a new search, and means that are not whole are left out.

    Message port `dump`, for that of a voltage_ring: a dictionary of `from` and `to`, which hold the
    pulse in all channels and `margin` seconds before and behind, and `why`: a dictionary of `time`
    (text, UTC: when the pulse begins in the highest channel), `snr`, `dm`, `width` (seconds) and
    `direction`.

      observation, directions, products, average, channels, complex_samples: as the beamformer's
      interval: seconds of a mean; means are of whole spectra, so one may have a spectrum more
        than the next
      dm: pc / cm^3, (lowest, highest) of the pulses that are wanted. The trials begin at 0, so that
        an undispersed pulse, which is interference, is found at 0, and not wanted
      threshold: standard deviations; with noise of many trials a second not below 7
      widest: means of the longest width
      margin: seconds
      hold: seconds after a pulse in which no other is asked for
      history: means
    """

    def __init__(self, observation, directions, products="power", interval=0.001, average=1,
                 channels=0, dm=(1.0, 100.0), threshold=8.0, widest=16, margin=0.05, hold=1.0,
                 history=1024, complex_samples=True):
        channels = channels or observation.channels
        spectrum = channels * (1 if complex_samples else 2) / observation.sample_rate
        for name, value, right, what in (
                ("products", products, products in POLARIZED | {"stokes"},
                 f"it must be {', '.join(sorted(POLARIZED))} or stokes"),
                ("average", average, average >= 1 and channels % average == 0,
                 "it must divide the channels"),
                ("interval", interval, interval > 0 and interval > 0.999 * spectrum,
                 f"it must be {spectrum:.6g} or more, the seconds of a spectrum"),
                ("dm", dm, len(dm) == 2 and 0 <= dm[0] <= dm[1], "give the lowest and the highest"),
                ("threshold", threshold, threshold > 0, "it must be more than 0"),
                ("widest", widest, widest >= 1, "it must be 1 or more"),
                ("margin", margin, margin >= 0, "it must be 0 or more"),
                ("hold", hold, hold >= 0, "it must be 0 or more"),
                ("history", history, history >= 16 * widest and history >= 64,
                 "it must be 64 or more, and 16 times the widest")):
            if not right:
                raise ValueError(f"{NAME}: {name} {value}; {what}")
        polarizations = len({entry.polarization for entry in observation.inputs})
        planes = 4 if products == "stokes" else polarizations
        self._shape = -1, len(directions), planes, channels // average
        self._used = 1 if products == "stokes" else planes
        values = len(directions) * planes * (channels // average)
        gr.sync_block.__init__(self, name="fringe_power_trigger", out_sig=None,
                               in_sig=[(np.float32, values)])
        self._streams = expected_streams(("powers of beams", 4 * values, {}))
        f = np.array(observation.channel_frequencies(channels, complex_samples))
        self._search = pulse_search(f.reshape(-1, average).mean(axis=1), interval, dm[1], widest,
                                    history)
        self._directions, self._lowest = list(directions), dm[0]
        self._interval, self._threshold = float(interval), float(threshold)
        # The beamformer's means have whole spectra: one more or less than their mean number.
        self._same = spectrum + SAME_TIME * self._interval
        self._margin, self._hold = float(margin), float(hold)
        self._next = self._held = None  # epochs
        self._found = self._refused = 0
        self.message_port_register_out(DUMP)

    def found(self):
        """Pulses that were asked for so far."""
        return self._found

    def undispersed(self):
        """Pulses so far whose dispersion is less than the lowest that is wanted."""
        return self._refused

    def start(self):
        """Forgets an earlier run."""
        self._streams.restart(self)
        self._search.restart()
        self._next = self._held = None
        return True

    def work(self, input_items, output_items):
        """Takes means, and searches when there are enough new ones."""
        items = input_items[0]
        if self._streams.refused(self, [len(items)]):
            return -1
        powers = items.reshape(self._shape)[:, :, :self._used].sum(axis=2)
        for k, row in enumerate(powers):
            tags = tags_of(self, 0, self.nitems_read(0) + k)
            if "rx_time" not in tags:
                expected_streams.refuse(self, f"{NAME}: the means carry no time (rx_time), which "
                                        "requests need: give the source a start time")
                return -1
            if self._continues(tags):
                for pulse in self._search.add(row):
                    self._ask(pulse)
        return len(items)

    def _continues(self, tags):
        """Whether a mean is whole; the search begins anew where it does not follow the last."""
        second, fraction = (pmt.tuple_ref(tags["rx_time"], k) for k in (0, 1))
        start = fp.epoch(pmt.to_uint64(second), pmt.to_double(fraction))
        length, there = (pmt.to_double(tags[name]) if name in tags else self._interval
                         for name in ("interval", "exposure"))
        whole = abs(length - self._interval) < self._same and there > WHOLE * length
        if not self._next or not whole or abs(start.seconds_since(self._next)) > self._same:
            self._search.restart()
        self._next = start.plus_seconds(self._interval) if whole else None
        return whole

    def _ask(self, pulse):
        if not self._next or pulse.snr < self._threshold:
            return
        begins = self._next.plus_seconds(-pulse.ago * self._interval)
        if pulse.dm < self._lowest:
            self._refused += 1
            return
        if self._held and begins < self._held:
            return
        self._held = begins.plus_seconds(self._hold)
        self._found += 1
        width = pulse.width * self._interval
        ends = begins.plus_seconds(width + pulse.delay + self._margin)
        starts = before(begins, self._margin)
        self.message_port_pub(DUMP, pmt.to_pmt({
            "from": (starts.seconds, starts.fraction()), "to": (ends.seconds, ends.fraction()),
            "why": {"time": begins.iso(6), "snr": float(pulse.snr), "dm": float(pulse.dm),
                    "width": width, "direction": self._directions[pulse.beam]}}))
