#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""fx_correlator beside a flowgraph of GNU Radio's own blocks that does the same job.

The stock one: per input stream_to_vector and fft_vcc, per pair multiply_conjugate_cc and
integrate_cc. Both get complex float32 noise that is in memory already, 4096 channels, one tap
(the stock one has no filter bank), and are timed in turn.
"""
import statistics
import time

from gnuradio import blocks, fft, fringe, gr

CHANNELS = 4096
ROUNDS = 5


def stock(inputs, samples, spectra):
    flowgraph = gr.top_block()
    rows = []
    for k in range(inputs):
        source = blocks.null_source(CHANNELS * gr.sizeof_gr_complex)
        head = blocks.head(CHANNELS * gr.sizeof_gr_complex, samples // CHANNELS)
        transform = fft.fft_vcc(CHANNELS, True, [], True, 1)
        flowgraph.connect(source, head, transform)
        rows.append(transform)
    for i in range(inputs):
        for j in range(i, inputs):
            product = blocks.multiply_conjugate_cc(CHANNELS)
            flowgraph.connect(rows[i], (product, 0))
            flowgraph.connect(rows[j], (product, 1))
            flowgraph.connect(product, blocks.integrate_cc(spectra, CHANNELS),
                              blocks.null_sink(CHANNELS * gr.sizeof_gr_complex))
    return flowgraph


def ours(inputs, samples, spectra):
    flowgraph = gr.top_block()
    block = fringe.block_spectra(inputs, CHANNELS)
    box = fringe.fx_correlator(inputs, CHANNELS, "cf32", 0, spectra, 1, "rectangular")
    item = inputs * block * CHANNELS * gr.sizeof_gr_complex
    values = fringe.channels_per_item(inputs, CHANNELS) * inputs * (inputs + 1) // 2
    flowgraph.connect(blocks.null_source(item),
                      blocks.head(item, samples // (block * CHANNELS)), box,
                      blocks.null_sink(values * gr.sizeof_gr_complex))
    flowgraph.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
    return flowgraph


def rate(make, inputs, samples):
    """Samples of every input a second."""
    flowgraph = make(inputs, samples, 750)
    began = time.monotonic()
    flowgraph.run()
    return samples / (time.monotonic() - began)


def main():
    print(f"{CHANNELS} channels, 1 tap, dumps of 750 spectra; MS/s of every input, "
          f"median of {ROUNDS}, in turn")
    for inputs in (2, 4, 8):
        samples = (1 << 25) // inputs
        got = {stock: [], ours: []}
        for _ in range(ROUNDS):
            for make, rates in got.items():
                rates.append(rate(make, inputs, samples))
        a, b = (statistics.median(got[make]) / 1e6 for make in (ours, stock))
        print(f"{inputs} inputs: gr-fringe {a:7.1f} MS/s   stock blocks {b:7.1f} MS/s   "
              f"ratio {a / b:.2f}")


if __name__ == "__main__":
    main()
