#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Samples of a KrakenSDR, by the Heimdall program that serves them by TCP."""
import time

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import begin, describe, time_value
from .kraken_link import PORTS, TYPES, kraken_link
from .kraken_timeline import kraken_timeline

TIMEOUT = 10.0  # seconds without a frame of data, after which the data end
RETRY = 0.5  # seconds from one attempt to connect to the next


class kraken_source(gr.sync_block):
    """Raw sample blocks, bytes [receiver][time], of the coherent receivers of a KrakenSDR.

    address: host:port of a Heimdall DAQ (version 1, port 5000: complex float32, format cf32) or of
    its successor (version 2, port 8091: bytes, format cu8). inputs: its receivers. block_samples:
    of each receiver in an item. sample_rate: Hz. center_frequency: Hz; 0 = as the frames say.
    samples: data end after so many of each receiver; 0 = without end.

    Frames in which the noise source is on, and others that are no data of the antennas, are left
    out: their time has no samples, and lower weights in what is made of them. Lost frames keep
    their place in time. A connection that ends is made again.

    Tags: stream, rx_time, rx_rate and rx_freq on the first item, and rx_time where more than a
    block is missing; invalid, u64vector of (receiver, first sample, count), where samples are
    missing; samples on a short last item. Time stamps of version 1 are milliseconds of the clock
    of the KrakenSDR's computer; version 2 has none, so that times are those of this computer's
    clock when a frame had come.

    losses(): samples of each receiver that are missing, were left out (calibrating), or stood in
    frames whose header says that the receiver was overdriven, which are used. Raises ValueError
    where nothing answers, or what answers is no Heimdall.
    """

    def __init__(self, address, inputs, block_samples, sample_rate, center_frequency=0.0,
                 version=1, samples=0):
        self._kind = PORTS[version][2]
        self._sample_bytes = np.dtype(TYPES[self._kind]).itemsize
        gr.sync_block.__init__(self, name="fringe_kraken_source", in_sig=None, out_sig=[
            (np.uint8, inputs * block_samples * self._sample_bytes)])
        self.address, self._version, self._inputs = address, version, inputs
        self._block, self._rate, self._frequency = block_samples, sample_rate, center_frequency
        self._samples, self._link = samples, None
        self._timeline = kraken_timeline(sample_rate)
        self._at = 0  # number of the next sample that is sent
        self._frame, self._place = None, 0  # what is left of a frame, and where it begins
        self._counts = {name: np.zeros(inputs, np.int64)
                        for name in ("missing", "calibrating", "overdriven")}
        self._ended, self._retry, self._notes, self._error = False, 0.0, [], ""
        self._connect()

    def _connect(self):
        try:
            self._link = kraken_link(self.address, self._version)
        except (OSError, ValueError) as error:
            raise ValueError(f"live: {self.address}: no KrakenSDR answers: {error}") from None

    def stop(self):
        """Closes the connection."""
        if self._link:
            self._link.close()
        self._link = None
        return True

    def encoding(self):
        """Name of the samples' format."""
        return self._kind

    def parts(self):
        """Receivers stand behind each other in a block."""
        return self._inputs

    def samples_read(self):
        """Samples of each receiver so far, with those that are missing."""
        return self._at

    def total_samples(self):
        """Samples that will be sent in all; 0 = without end."""
        return self._samples

    def losses(self):
        """Cause -> samples of each receiver."""
        return {name: counts.tolist() for name, counts in self._counts.items() if counts.any()}

    def error(self):
        """Why the data ended early, "" if they did not."""
        return self._error

    def packets(self):
        """TCP has none to count."""
        return {}

    def warnings(self):
        """Sentences that were not asked for yet."""
        notes = self._notes + self._timeline.notes
        self._notes, self._timeline.notes = [], []
        return notes

    def finish(self):
        """Ends the data."""
        self._ended = True

    def _receive(self):
        """Waits for a frame of data and keeps it; False where the data end."""
        until = time.monotonic() + TIMEOUT
        while not self._ended:
            if time.monotonic() > until:
                self._notes.append(f"live: {self.address}: no frame of data for {TIMEOUT:g} s")
                return False
            try:
                if self._link is None:
                    self._connect_again()
                    continue
                came = self._link.next()
                if came and self._take(*came):
                    return True
            except OSError as error:
                self._notes.append(f"live: {self.address}: {error}; connecting again")
                self.stop()
                self._timeline.lost_connection()
            except ValueError as error:
                self._error = f"live: {self.address}: " + str(error).removeprefix(
                    f"{self.address}: ")
                return False
        return False

    def _connect_again(self):
        if time.monotonic() < self._retry:
            time.sleep(0.05)
            return
        self._retry = time.monotonic() + RETRY
        try:
            self._link = kraken_link(self.address, self._version)
        except OSError:
            pass  # the next attempt, until the timeout

    def _take(self, frame, data):
        """Keeps a frame of data; True where it is one."""
        if frame.left_out:
            self._timeline.leave_out(frame)
            return False
        if frame.channels != self._inputs:
            raise ValueError(f"channels: {frame.channels}: must be "
                             f"{self._inputs}, the number of inputs")
        self._place = self._timeline.place(frame)
        self._frame = data.view(np.uint8).reshape(self._inputs, -1)
        for k in range(self._inputs):
            if frame.overdriven >> k & 1:
                self._counts["overdriven"][k] += frame.samples
        return True

    def _tag_start(self, item):
        start = self._timeline.start.plus_samples(self._at, self._rate)
        if item:
            self.add_item_tag(0, item, pmt.intern("rx_time"),
                              time_value(start.seconds, start.fraction()))
            return
        dated = {"time": fp._DATED_BY_CLOCK} if self._version == 2 else {}
        describe(self, 0, "raw samples", self._inputs * self._block * self._sample_bytes,
                 format=self._kind, inputs=self._inputs, files=self._inputs,
                 block_samples=self._block, **dated)
        begin(self, 0, start, self._rate, self._frequency or self._timeline.frequency)

    def _fill(self, out):
        """Fills a block; (samples, runs that are missing: (first, count))."""
        wanted, filled, missing = self._block, 0, []
        if self._samples:
            wanted = min(wanted, self._samples - self._at)
        while filled < wanted:
            if self._frame is None and not self._receive():
                break
            gap = self._place - self._at - filled
            if gap > 0:
                count = min(gap, wanted - filled)
                out[:, filled * self._sample_bytes:(filled + count) * self._sample_bytes] = 0
                missing.append((filled, count))
                filled += count
                continue
            first, last = (n * self._sample_bytes for n in (filled, wanted))
            part = self._frame[:, :last - first]
            out[:, first:first + part.shape[1]] = part
            count = part.shape[1] // self._sample_bytes
            filled += count
            self._place += count
            self._frame = self._frame[:, part.shape[1]:]
            if not self._frame.shape[1]:
                self._frame = None
        return filled, missing

    def _count(self, count):
        """Counts samples that are missing, those that were left out first."""
        known = min(self._timeline.left_out - self._counts["calibrating"][0], count)
        self._counts["calibrating"] += known
        self._counts["missing"] += count - known

    def work(self, input_items, output_items):
        """Sends one block."""
        item, jumped = self.nitems_written(0), False
        if self._samples and self._at >= self._samples:
            return -1
        if self._frame is None and not self._receive():
            return -1
        if self._place - self._at > self._block:  # whole blocks without a sample are not sent
            limit = self._samples - self._at if self._samples else self._place - self._at
            gone = min(self._place - self._at, limit)
            self._count(gone)
            self._at, jumped = self._at + gone, True
            if self._samples and self._at >= self._samples:
                return -1
        if item == 0 or jumped:
            self._tag_start(item)
        out = output_items[0][0].reshape(self._inputs, -1)
        filled, missing = self._fill(out)
        out[:, filled * self._sample_bytes:] = 0
        if filled < self._block:
            self.add_item_tag(0, item, pmt.intern("samples"), pmt.from_uint64(filled))
            self._ended = True
        runs = [number for first, count in missing for k in range(self._inputs)
                for number in (k, first, count)]
        if runs:
            self.add_item_tag(0, item, pmt.intern("invalid"),
                              pmt.init_u64vector(len(runs), runs))
        for _, count in missing:
            self._count(count)
        self._at += filled
        return 1
