#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectra of packets to an HDF5 file, which docs/formats.md describes."""
import numpy as np
import pmt

from .. import fringe_python as fp
from ..ground.streams import TAG
from .recorder import recorder

LOST = 6  # numbers of each tag of what was lost
TAG_NAME = pmt.symbol_to_string(TAG)


class spectra_recorder(recorder):
    """Writes spectra of a udp_source to a file.

    Input: spectra [channel][input][time] of complex int8, `facts.block` an item.

      file: open for reading and writing, binary
      facts: fringe_python.spectra_facts
    """

    def __init__(self, file, facts):
        recorder.__init__(self, "spectra_recorder", facts.block_bytes)
        self._facts, self._writer = facts, fp.spectra_writer(file.fileno(), facts)

    def samples(self):
        """Spectra written so far."""
        return self._writer.spectra()

    def _lost(self, tags):
        """[what was lost][input, inputs, channel, channels, first spectrum, spectra]"""
        if "lost" in tags:
            return np.array(pmt.u64vector_elements(tags["lost"])).reshape(-1, LOST)
        runs = pmt.u64vector_elements(tags["invalid"]) if "invalid" in tags else ()
        return [(runs[k], 1, 0, self._facts.channels, runs[k + 1], runs[k + 2])
                for k in range(0, len(runs), 3)]

    def _run(self, tags):
        """Where the time begins or jumps, a spectra_run; None elsewhere."""
        if "rx_time" not in tags:
            return None
        second = pmt.to_uint64(pmt.tuple_ref(tags["rx_time"], 0))
        fraction = pmt.to_double(pmt.tuple_ref(tags["rx_time"], 1))
        self.began = self.began or (second, fraction)
        return fp.spectra_run(second, fraction, *(pmt.to_double(tags[name])
                                                  for name in ("rx_rate", "rx_freq")))

    def write(self, item, tags):
        """Writes an item."""
        if TAG_NAME in tags and not self.samples():
            self._writer.remark(pmt.to_python(tags[TAG_NAME]).get("time", ""))
        count = pmt.to_uint64(tags["spectra"]) if "spectra" in tags else self._facts.block
        self._writer.add(item, count, self._lost(tags), self._run(tags))

    def finish(self):
        """Ends the file."""
        self._writer.finish()
