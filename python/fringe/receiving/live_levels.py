#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The power of samples that come live, for the requantizer's gains: fringe correlate --live
--requantize."""
import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp

SECONDS = 1.0  #: that are measured,
MIN_SAMPLES, MAX_SAMPLES = 1 << 16, 1 << 26  # limits: samples of each input, samples of all inputs
BLOCK = 1 << 14  # samples of each input in an item


class power_meter(gr.sync_block):
    """Adds up the power of unpacked samples, without those that are missing or marked as bad."""

    def __init__(self, inputs, block, complex_samples):
        self.shape = inputs, block, 2 if complex_samples else 1
        gr.sync_block.__init__(self, "power meter", [(np.float32, int(np.prod(self.shape)))], None)
        self.sums, self.counts = np.zeros(inputs), np.zeros(inputs)

    def work(self, input_items, output_items):
        invalid = self.get_tags_in_window(0, 0, len(input_items[0]), pmt.intern("invalid"))
        ends = self.get_tags_in_window(0, 0, len(input_items[0]), pmt.intern("samples"))
        inputs, block, _ = self.shape
        for k, item in enumerate(input_items[0]):
            power = (item.reshape(self.shape).astype(float) ** 2).sum(2)
            good = np.ones((inputs, block), bool)
            for t in (t for t in ends if t.offset == self.nitems_read(0) + k):
                good[:, pmt.to_uint64(t.value):] = False
            for t in (t for t in invalid if t.offset == self.nitems_read(0) + k):
                for stream, first, count in np.reshape(pmt.u64vector_elements(t.value), (-1, 3)):
                    good[int(stream), int(first):int(first + count)] = False
            self.sums += (power * good).sum(1)
            self.counts += good.sum(1)
        return len(input_items[0])

    def powers(self):
        """Of each input; 0 where nothing came."""
        return self.sums / np.maximum(self.counts, 1)


def measured_power(packets, obs, encoding):
    """The mean power [input], in the order of the packets, of the first second that comes.
    `packets`: live.live_packets. Waits for them as long as it takes."""
    limit = max(MAX_SAMPLES // packets.inputs, MIN_SAMPLES)
    samples = min(max(int(SECONDS * obs.sample_rate), MIN_SAMPLES), limit)
    source = packets.source(obs, BLOCK, samples)
    flowgraph = gr.top_block("power of live samples", catch_exceptions=True)
    unpack = fp.unpack(source.encoding(), packets.inputs, BLOCK, "f32", source.parts(),
                       backend="cpu")
    meter = power_meter(packets.inputs, BLOCK, encoding.complex_samples)
    flowgraph.connect(source, unpack, meter)
    flowgraph.run()
    return meter.powers(), source.samples_read()
