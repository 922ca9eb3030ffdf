#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Raw sample blocks written as SigMF recordings: what comes live becomes files."""
import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import tags_of


class sigmf_recorder(gr.sync_block):
    """Writes raw sample blocks of a live source to SigMF recordings, one of each receiver.

    Input: bytes [receiver][time][stream], `block` samples of each input an item. Samples that are
    marked as invalid are left out, and so is time in which nothing came: the captures behind say
    where in time they are.

      files: a sigmf_set
      sample_bytes: of a sample of all streams of a receiver
      frequency: Hz, of the middle of the band; 0 = as rx_freq says
    """

    def __init__(self, files, receivers, streams, sample_bytes, rate, block, frequency=0.0):
        self._files, self._block, self._rate = files, block, rate
        self._shape = receivers, block, sample_bytes
        self._streams, self._frequency = streams, frequency
        gr.sync_block.__init__(self, name="fringe_sigmf_recorder",
                               in_sig=[(np.uint8, receivers * block * sample_bytes)], out_sig=None)
        self._next, self._error, self._began = 0, "", None

    def error(self):
        """Why writing ended, "" if it did not."""
        return self._error

    def samples(self):
        """Samples of every input so far, with those that were lost."""
        return self._next

    @property
    def began(self):
        """(second, fraction) of the first sample, or None."""
        return self._began

    def _place(self, tags):
        """Where in the stream an item begins, by its rx_time."""
        value = tags["rx_time"]
        second = pmt.to_uint64(pmt.tuple_ref(value, 0))
        fraction = pmt.to_double(pmt.tuple_ref(value, 1))
        if self._began is None:
            self._began = second, fraction
            frequency = pmt.to_double(tags["rx_freq"]) if "rx_freq" in tags else 0.0
            self._files.begin(fp.epoch(second, fraction), self._frequency or frequency)
            return
        at = round((second - self._began[0]) * self._rate
                   + (fraction - self._began[1]) * self._rate)
        if at < self._next:
            raise ValueError(f"{self._files.path}: time: goes back by "
                             f"{(self._next - at) / self._rate:g} s; record anew")
        self._next = at

    def _good(self, tags, count):
        """Runs of samples that are there, of each receiver: (first, behind the last)."""
        good = np.ones((self._shape[0], count + 2), bool)
        good[:, [0, -1]] = False
        if "invalid" in tags:
            runs = np.array(pmt.u64vector_elements(tags["invalid"]), np.int64).reshape(-1, 3)
            for stream, first, length in runs:
                good[stream // self._streams, 1 + first:1 + min(first + length, count)] = False
        for receiver, row in enumerate(good):
            edges = np.flatnonzero(row[1:] != row[:-1])
            for first, end in edges.reshape(-1, 2):
                yield receiver, int(first), int(end)

    def _write(self, item, tags):
        if "rx_time" in tags:
            self._place(tags)
        count = self._block
        if "samples" in tags:
            count = min(count, pmt.to_uint64(tags["samples"]))
        data = item.reshape(self._shape)
        for receiver, first, end in self._good(tags, count):
            self._files.write(receiver, self._next + first, data[receiver, first:end],
                              end - first)
        self._next += count

    def work(self, input_items, output_items):
        """Writes the samples of items."""
        try:
            for k, item in enumerate(input_items[0]):
                self._write(item, tags_of(self, 0, self.nitems_read(0) + k))
        except (OSError, RuntimeError, ValueError) as error:
            self._error = str(error)
            return -1
        return len(input_items[0])
