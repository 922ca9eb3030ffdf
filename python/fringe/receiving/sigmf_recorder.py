#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Raw sample blocks written as SigMF recordings: what comes live becomes files."""
import numpy as np
import pmt

from .. import fringe_python as fp
from .recorder import recorder


class sigmf_recorder(recorder):
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
        recorder.__init__(self, "sigmf_recorder", receivers * block * sample_bytes)
        self._next = 0

    def samples(self):
        """Samples of every input so far, with those that were lost."""
        return self._next

    def _place(self, tags):
        """Where in the stream an item begins, by its rx_time."""
        value = tags["rx_time"]
        second = pmt.to_uint64(pmt.tuple_ref(value, 0))
        fraction = pmt.to_double(pmt.tuple_ref(value, 1))
        if self.began is None:
            self.began = second, fraction
            frequency = pmt.to_double(tags["rx_freq"]) if "rx_freq" in tags else 0.0
            self._files.begin(fp.epoch(second, fraction), self._frequency or frequency)
            return
        at = round((second - self.began[0]) * self._rate
                   + (fraction - self.began[1]) * self._rate)
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

    def write(self, item, tags):
        """Writes an item."""
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
