#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Samples of RTL-SDRs by TCP, as rtl_tcp sends them."""
import select
import struct
import time

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import begin, describe
from .tcp import connect, read

HELLO, HELLO_BYTES = b"RTL0", 12
TUNERS = {1: "E4000", 2: "FC0012", 3: "FC0013", 4: "FC2580", 5: "R820T", 6: "R828D"}
#: Commands, one byte in front of a big-endian number of four.
FREQUENCY, SAMPLE_RATE, GAIN_BY_HAND, GAIN, PPM = 1, 2, 3, 4, 5
TIMEOUT = 5.0  # seconds without a sample, after which a receiver is given up
SAMPLE = 2  # bytes
SETTLE = 0.5  # seconds in which a receiver still sends what it had been set to before


class rtl_tcp_source(gr.sync_block):
    """Raw sample blocks, bytes [receiver][time] of cu8, of programs rtl_tcp that it connects to.

    All begin together, to some milliseconds, when the last has settled; nothing marks lost
    samples in this protocol. What comes is taken at once, and kept until it is asked for. Tags:
    stream, rx_time (the clock of this computer), rx_rate and rx_freq on the first item; samples on
    the last one. Data end after `samples`, by finish(), or when a receiver ends or is silent; then
    the last block is written as far as all receivers have it.

      addresses: host:port of each
      settings: sample_rate, frequency (Hz), gain (dB; None: automatic), ppm, settle (s)
    """

    def __init__(self, addresses, block, settings, samples=0):
        self._bytes = SAMPLE * block
        gr.sync_block.__init__(self, name="fringe_rtl_tcp_source", in_sig=None,
                               out_sig=[(np.uint8, len(addresses) * self._bytes)])
        self._addresses, self._settings, self._samples = addresses, settings, samples
        self._sockets, self._kept, self._done = [], [], 0
        self._gone = set()  # numbers of receivers that have ended
        self._began, self._ended, self._notes = None, False, []
        self.tuners = []
        try:
            for address in addresses:
                self._connect(address)
        except BaseException:
            self.stop()
            raise
        self._settle = time.monotonic() + (SETTLE if settings["settle"] is None
                                           else settings["settle"])

    def _connect(self, address):
        try:
            connection = connect(address, TIMEOUT)
            self._sockets.append(connection)
            hello = read(connection, HELLO_BYTES)
        except OSError as error:
            raise ValueError(f"live: {address}: rtl_tcp does not answer: {error}") from None
        if hello[:4] != HELLO or len(hello) < HELLO_BYTES:
            raise ValueError(f"live: {address}: what answers is not rtl_tcp: it begins with "
                             f"{hello[:4]!r}, and must with {HELLO!r}")
        self.tuners.append(TUNERS.get(struct.unpack(">I", hello[4:8])[0], "unknown tuner"))
        self._kept.append(bytearray())
        set_ = self._settings
        commands = [(SAMPLE_RATE, set_["sample_rate"]), (FREQUENCY, set_["frequency"]),
                    (GAIN_BY_HAND, set_["gain"] is not None)]
        if set_["gain"] is not None:
            commands.append((GAIN, 10 * set_["gain"]))
        if set_["ppm"]:
            commands.append((PPM, set_["ppm"]))
        for command, value in commands:
            connection.sendall(struct.pack(">BI", command, round(value) & 0xffffffff))

    def stop(self):
        """Closes the connections."""
        for connection in self._sockets:
            connection.close()
        self._sockets = []
        return True

    def encoding(self):
        """Name of the samples' format."""
        return "cu8"

    def parts(self):
        """Receivers stand behind each other in a block."""
        return len(self._addresses)

    def samples_read(self):
        """Samples of each receiver so far."""
        return self._done

    def total_samples(self):
        """Samples that will be sent in all; 0 = without end."""
        return self._samples

    def losses(self):
        """Nothing that is known: rtl_tcp does not count what it drops."""
        return {}

    def error(self):
        """What ends early says so in warnings()."""
        return ""

    def packets(self):
        """TCP has none to count."""
        return {}

    def warnings(self):
        """Sentences that were not asked for yet."""
        notes, self._notes = self._notes, []
        return notes

    def finish(self):
        """Ends the data."""
        self._ended = True

    def _waiting(self):
        """Connections whose bytes are wanted: all, or, when receivers have ended, those that have
        sent less."""
        limit = min((len(self._kept[k]) for k in self._gone), default=None)
        return [connection for k, connection in enumerate(self._sockets)
                if k not in self._gone and (limit is None or len(self._kept[k]) < limit)]

    def _take(self):
        """Keeps what has come; False where nothing more comes that all receivers have."""
        silent = time.monotonic() + TIMEOUT
        while True:
            waiting = self._waiting()
            if not waiting:
                return False
            ready, _, _ = select.select(waiting, [], [], 0.1)
            for connection in ready:
                data = connection.recv(1 << 20)
                k = self._sockets.index(connection)
                if not data:
                    self._notes.append(f"live: {self._addresses[k]}: the connection has ended")
                    self._gone.add(k)
                self._kept[k] += data
            if ready:
                return True
            if self._ended:
                return False
            if time.monotonic() > silent:
                self._notes.append(f"live: {', '.join(self._addresses)}: no sample for "
                                  f"{TIMEOUT:g} s")
                return False

    def _begin(self):
        """Leaves out what came before all receivers had settled."""
        while time.monotonic() < self._settle and self._take():
            for kept in self._kept:
                del kept[:len(kept) // SAMPLE * SAMPLE]
        self._began = time.time()
        count = len(self._addresses)
        describe(self, 0, "raw samples", count * self._bytes, format="cu8", inputs=count,
                 files=count, block_samples=self._bytes // SAMPLE, time=fp._DATED_BY_CLOCK)
        begin(self, 0, fp.epoch(int(self._began), self._began % 1),
              round(self._settings["sample_rate"]), round(self._settings["frequency"]))

    def work(self, input_items, output_items):
        """Sends one block."""
        if self._began is None:
            self._begin()
        wanted = self._bytes
        if self._samples:
            wanted = min(wanted, SAMPLE * (self._samples - self._done))
        if not self._sockets or wanted == 0:
            return -1
        try:
            while min(map(len, self._kept)) < wanted and not self._ended:
                self._ended = not self._take() or self._ended
        except OSError as error:
            self._notes.append(f"live: {error}")
            self._ended = True
        count = min(wanted, min(map(len, self._kept)) // SAMPLE * SAMPLE)
        if count == 0:
            return -1
        out = output_items[0][0].reshape(len(self._kept), self._bytes)
        for row, kept in zip(out, self._kept):
            row[:count] = np.frombuffer(kept[:count], np.uint8)
            row[count:] = 0
            del kept[:count]
        if count < self._bytes:
            self.add_item_tag(0, self.nitems_written(0), pmt.intern("samples"),
                              pmt.from_uint64(count // SAMPLE))
            self._ended, self._samples = True, self._done + count // SAMPLE
        self._done += count // SAMPLE
        return 1
