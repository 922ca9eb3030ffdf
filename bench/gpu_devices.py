#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several GPUs of one computer, host memory to dumps in host memory:

    gpu_devices.py --devices N [--quick]

The rate of 8 + 8 bit complex samples (4 taps, 8-bit spectra) on one GPU and on the first N, which
share the channels: 512 inputs x 1280 channels and 4096 x 560; of N chains of 64 x 128, one for
each GPU; and of one such chain whose channels, or whose blocks, they share. Beside it, in the same run, what the links carry: host to GPU, each alone and all at once,
and from GPU to GPU. For each case a short run first compares the dumps with those of one GPU, bit
for bit.

FRINGE_CUDA_COPIES=N lists one GPU N times: that tests the code, and its rates are not those of N.
"""
import argparse
import sys

import numpy as np
from gnuradio import blocks, fringe, gr

from gnuradio.fringe.observing.sizes import spectra_of_blocks
from gpu_flowgraph import alone, correlator, measured, ring_source

# inputs, channels, spectra a dump; blocks are as long as they are by default
SHARED = ((512, 1280, 25600), (4096, 560, 51200))
CHAIN = (64, 128, 409600)


def shared_rate(inputs, channels, dump, where):
    """GB/s and cores of one correlator."""
    block = spectra_of_blocks(inputs, channels, "cuda", len(where.get("devices", [0])))
    item = 2 * inputs * channels * block
    ring = 4 if item > 1 << 29 else 16
    source = ring_source(item, ring)
    flowgraph, sink = correlator(source, inputs, channels, block, dump, **where)
    return measured(flowgraph, [source], item, 3 * ring, sink, dump // block)


def chain_rate(inputs, channels, dump, gpus):
    """GB/s in all and cores of one correlator for each GPU."""
    block = spectra_of_blocks(inputs, channels, "cuda")
    item = 2 * inputs * channels * block
    flowgraph, sources, sinks = gr.top_block(), [], []
    for gpu in gpus:
        sources.append(ring_source(item))
        # A block in Python lives as long as somebody here holds it.
        sinks.append(correlator(sources[-1], inputs, channels, block, dump, flowgraph=flowgraph,
                                backend=gpu))
    return measured(flowgraph, sources, item, 48)


def dump_of(inputs, channels, block, where):
    """Two dumps of the same noise, of few channels."""
    item = 2 * inputs * channels * block
    source = ring_source(item, rewrite=True, ring=4)
    box = fringe.fx_correlator(inputs, channels, "ci8", 0, 2 * block, requantize="8", gains=[0.5],
                               block_spectra=block, **where)
    size = box.output_signature().sizeof_stream_item(0) // gr.sizeof_gr_complex
    flowgraph, sink = gr.top_block(), blocks.vector_sink_c(size)
    flowgraph.connect(source, blocks.head(item, 5), box, sink)
    flowgraph.connect((box, 1), blocks.null_sink(size * gr.sizeof_float))
    flowgraph.run()
    return np.array(sink.data())


def links_of(gpus):
    """What the links of some GPUs carry, GB/s."""
    return fringe.link_rates(gpus)


def same_dumps(inputs, channels, block, devices):
    """Whether dumps on one GPU and on several, that share the work in either way, are the same
    bits."""
    single = dump_of(inputs, channels, block, {"backend": f"cuda:{devices[0]}"})
    return len(single) > 0 and all(
        np.array_equal(single, dump_of(inputs, channels, block,
                                       {"devices": devices, "split": split}))
        for split in ("channels", "time"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    devices = list(range(parser.parse_args().devices))
    found, why = fringe.find_devices()
    if len(found) < len(devices):
        sys.exit(f"gpu_devices.py: {len(devices)} GPUs asked for, {len(found)} found: {why}")
    gpus = [f"cuda:{n}" for n in devices]
    links = alone(links_of, gpus)
    print(f"{len(gpus)} x {found[0].name}")
    print(f"ceilings, GB/s: host to GPU {', '.join(f'{r:.1f}' for r in links['host'])} alone, "
          f"{links['host_at_once']:.1f} in all at once; GPU to GPU {links['peer']:.0f}, "
          f"{links['peer_at_once']:.0f} each while all copy", flush=True)
    for inputs, channels, block in ((512, 20, 256), (1040, 6, 128), (64, 128, 256)):
        print(f"{inputs:6} x {channels:<6} dumps of one and of {len(gpus)} GPUs are the same bits: "
              f"{alone(same_dumps, inputs, channels, block, devices)}", flush=True)
    print("inputs x channels  on                 GB/s  cores  of twice one" if len(gpus) == 2 else
          f"inputs x channels  on                 GB/s  cores  of {len(gpus)} times one")
    rows = []
    for case in SHARED:
        small = case[0] <= 512  # the sums of the other do not fit into one GPU
        if small:
            rows.append((case, "one", shared_rate, {"backend": gpus[0]}))
        rows.append((case, "all, by channels", shared_rate, {"devices": devices,
                                                            "split": "channels"}))
    rows += [(CHAIN, "one", chain_rate, gpus[:1]), (CHAIN, "a chain for each", chain_rate, gpus)]
    rows += [(CHAIN, f"all, by {split}", shared_rate, {"devices": devices, "split": split})
             for split in ("channels", "time")]
    base = (None, 0)
    for case, name, measure, where in rows:
        try:
            gb, cores = alone(measure, *case, where)
        except RuntimeError as error:  # one GPU that is listed twice may be too small
            why = f"does not fit: {error}" if "memory" in str(error) else f"failed: {error}"
            print(f"{case[0]:6} x {case[1]:<8}  {name:16} {why}", flush=True)
            continue
        if name == "one":
            base = (case, gb)
        part = (f"{100 * gb / len(gpus) / base[1]:11.0f}%" if base[0] == case and name != "one"
                else "")
        if name == "all, by channels":  # each copies samples of the others, and spectra
            copied = gb * (1 - 1 / len(gpus)) * (1 + 1 / len(gpus))
            part += f"   copies from GPU to GPU {100 * copied / links['peer_at_once']:.0f} % of the time"
        print(f"{case[0]:6} x {case[1]:<8}  {name:16}{gb:7.1f} {cores:6.2f} {part}", flush=True)


if __name__ == "__main__":
    main()
