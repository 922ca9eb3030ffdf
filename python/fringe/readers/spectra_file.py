#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings of spectra, as they came in packets, read from HDF5 files, which docs/formats.md
describes."""
import functools
import os

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import describe, expected_streams, time_value


def is_spectra_file(path):
    """True for a recording of spectra, by its content."""
    if not os.path.isfile(path):  # A pipe would wait for somebody who writes.
        return False
    status = os.stat(path)
    return _is_one(os.fspath(path), status.st_ino, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _is_one(path, *_):
    return fp.is_spectra_file(path)


def boxes(lost, packet_channels):
    """What was lost [packet][input][spectrum] as an array
    [box][input, inputs, channel, channels, first spectrum, spectra]. Inputs beside each other that
    lost the same are in one box, as the packet was that had them."""
    packets, inputs, spectra = lost.shape
    begins = np.ones((packets, inputs), bool)
    begins[:, 1:] = (lost[:, 1:] != lost[:, :-1]).any(2)
    packet, first = np.nonzero(begins)
    ends = np.append((packet * inputs + first)[1:], packets * inputs)
    rows = np.zeros((len(packet), spectra + 2), np.int8)
    rows[:, 1:-1] = lost[packet, first]
    steps = np.diff(rows)
    row, start = np.nonzero(steps > 0)
    stop = np.nonzero(steps < 0)[1]
    found = np.empty((len(row), 6), np.int64)
    found[:, 0], found[:, 1] = first[row], (ends - packet * inputs - first)[row]
    found[:, 2], found[:, 3] = packet[row] * packet_channels, packet_channels
    found[:, 4], found[:, 5] = start, stop - start
    return found


class spectra_source(gr.sync_block):
    """Sends the spectra of a file as the udp_source did that they were recorded from.

    Output: spectra [channel][input][time] of complex int8, `block` an item, as the file says.

      path: of the file
      limit: ends after this number of spectra; 0 = all
      frequency: of the middle of the channels, in Hz; 0 = as the file says
    """

    def __init__(self, path, limit=0, frequency=0):
        self._reader = fp.spectra_reader(path)
        facts = self._facts = self._reader.facts
        gr.sync_block.__init__(self, "fringe_spectra_source", None,
                               [(np.uint8, facts.block_bytes)])
        self._blocks, self._runs = self._reader.blocks, self._reader.runs
        self._limit, self._read, self._finished = limit, 0, False
        self._frequency = frequency
        self._damage = ""
        self._missing = np.zeros(facts.inputs, np.int64)

    def samples_read(self):
        """Spectra sent so far."""
        return self._read

    def total_samples(self):
        """Spectra to be sent, 0 = as many as there are."""
        return self._limit

    def finish(self):
        """Ends the data."""
        self._finished = True

    def error(self):
        """Why the data ended early, or ""."""
        return self._damage

    def losses(self):
        """Values that were lost, cause -> [input]."""
        return {"missing": self._missing.tolist()}

    def _tag(self, name, value):
        self.add_item_tag(0, self.nitems_written(0), pmt.intern(name), value)

    def _tag_item(self, run, lost, count):
        facts = self._facts
        if self.nitems_written(0) == 0:
            described = {"time": facts.time} if facts.time else {}
            describe(self, 0, "spectra", facts.block_bytes, inputs=facts.inputs,
                     channels=facts.channels, block_spectra=facts.block, component="i8",
                     requantize=facts.bits, **described)
        if run:
            self._tag("rx_time", time_value(run.second, run.fraction))
            self._tag("rx_rate", pmt.from_double(run.rate))
            self._tag("rx_freq", pmt.from_double(self._frequency or run.frequency))
        if count < facts.block:
            self._tag("spectra", pmt.from_uint64(count))
        if lost.any():
            self._tag_lost(boxes(lost, facts.packet_channels))

    def _tag_lost(self, lost):
        for first, inputs, _, channels, _, spectra in lost:
            self._missing[first:first + inputs] += channels * spectra
        if self._facts.packet_channels < self._facts.channels:
            self._tag("lost", pmt.init_u64vector(lost.size, lost.ravel().tolist()))
            return
        runs = [(first + k, at, spectra) for first, inputs, _, _, at, spectra in lost.tolist()
                for k in range(inputs)]
        self._tag("invalid", pmt.init_u64vector(3 * len(runs), sum(runs, ())))

    def work(self, _, output_items):
        """Sends a block."""
        out, block = output_items[0][0], self.nitems_written(0)
        left = self._limit - self._read if self._limit else self._facts.block
        if self._finished or left <= 0 or block >= len(self._blocks):
            return -1
        count = min(self._blocks[block], left)
        try:
            self._reader.read(block, out)
            lost = self._reader.lost(block)[:, :, :count]
        except RuntimeError as error:
            self._damage = str(error)
            expected_streams.refuse(self, self._damage)
            return -1
        if count < self._blocks[block]:  # What is not sent is zero, as in any last item.
            out.reshape(-1, self._facts.block, 2)[:, count:] = 0
        self._tag_item(self._runs.get(block), lost, count)
        self._read += count
        return 1
