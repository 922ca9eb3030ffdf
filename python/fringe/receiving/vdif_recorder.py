#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Raw sample blocks written as VDIF frames: packets that come live become a recording."""
import numpy as np
import pmt

from .recorder import recorder
from .vdif_frames import vdif_writer

OFF_SAMPLE = 1e-3  # of a sample


class vdif_recorder(recorder):
    """Writes raw sample blocks of a udp_source to a file of VDIF frames.

    Input: bytes [source][time][stream], `block` samples of each input an item. Every source is a
    thread. Frames with invalid samples are marked; no frames are written where time jumps.

      file: open for writing, binary
      frames: vdif_frames of the packets
      sources: number of them
    """

    def __init__(self, file, frames, sources, block):
        self._frames, self._sources = frames, sources
        self._block = block // frames.samples
        recorder.__init__(self, "vdif_recorder", sources * self._block * frames.payload)
        self._writer = vdif_writer(file, frames, sources)

    def samples(self):
        """Samples of every input written so far."""
        return self._writer.written * self._frames.samples

    def _begin(self, value):
        seconds = pmt.to_uint64(pmt.tuple_ref(value, 0))
        fraction = pmt.to_double(pmt.tuple_ref(value, 1))
        frames = self._frames
        sample = round(fraction * frames.rate)
        if sample % frames.samples or abs(fraction * frames.rate - sample) > OFF_SAMPLE:
            raise ValueError(f"{frames.name}: packets begin {fraction * frames.rate:.6f} samples "
                             f"behind a whole second; VDIF frames of {frames.samples} samples "
                             "begin at multiples of these")
        self._writer.begin(seconds, sample // frames.samples)
        self.began = self.began or (seconds, fraction)

    def _invalid(self, tags, count):
        """Whether frames are bad, [frame][source]."""
        bad = np.zeros((count, self._sources), bool)
        if "invalid" in tags:
            runs = np.array(pmt.u64vector_elements(tags["invalid"]), np.int64).reshape(-1, 3)
            for stream, first, length in runs:
                size = self._frames.samples
                bad[first // size:-(-(first + length) // size), stream // self._frames.streams] = 1
        return bad

    def write(self, item, tags):
        """Writes an item."""
        if "rx_time" in tags:
            self._begin(tags["rx_time"])
        frames = self._frames
        count = self._block
        if "samples" in tags:
            count = min(count, pmt.to_uint64(tags["samples"]) // frames.samples)
        data = item.reshape(self._sources, self._block, frames.payload)[:, :count]
        self._writer.write(data.swapaxes(0, 1), self._invalid(tags, count))
