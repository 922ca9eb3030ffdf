#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live images of 256 stations on one GPU, from raw samples to pictures in host memory.

    gpu_live.py [--quick]
    gpu_live.py --all       everything at the same time: see one_card.py

256 dual-polarization stations, 1000 channels, 30.72 MHz of 8 + 8 bit samples: 31.5 GB/s, sent at
that rate from a ring that was filled with noise once, after the first dumps, which come as fast as
they are made while memory is allocated. Every dump of 0.5 s becomes images of
4 Stokes parameters x 198 groups of 5 channels x 512 x 512 pixels from horizon to horizon, by the
separable gridder with eps 1e-3. A picture's age is the time from the last sample of its dump to
the arrival of the whole item in host memory. Then the same without a limit of the rate, and the
correlator alone.
"""
import sys
import threading
import time
import traceback

import numpy as np

import gpu_flowgraph as g
from gnuradio import blocks, fringe, gr
from live_watches import picture_sink, stations_at_zenith, used_memory
from gnuradio.fringe.observing import item_sizes

STATIONS, CHANNELS, GROUPS, SIZE, BLOCK = 256, 1000, 198, 512, 256
RATE, BLOCKS = 30.72e6, 60                    # samples a second; blocks of a dump of 0.5 s
INPUTS = 2 * STATIONS
ITEM = 2 * INPUTS * CHANNELS * BLOCK
SECONDS = 6 if "--quick" in sys.argv else 15
GROUPS = int(sys.argv[sys.argv.index("--groups") + 1]) if "--groups" in sys.argv else GROUPS


def run(rate, images):
    """(GB/s, cores, ages of pictures, when they came, their rms, GB of the GPU, what failed)."""
    memory = used_memory()
    memory.start()
    source = g.ring_source(ITEM, 8, sample_rate=RATE)
    top = gr.top_block()
    box = fringe.fx_correlator(INPUTS, CHANNELS, "ci8", 0, BLOCKS * BLOCK, 4, "hann", "8", [0.5],
                               block_spectra=BLOCK, backend="cuda")
    values = item_sizes.visibilities(INPUTS, CHANNELS)
    top.connect(source, box)
    if images:
        # 990 channels make 198 groups of 5.
        width = RATE / CHANNELS
        band = 150e6 - (CHANNELS // 2 - 5.5) * width, 150e6 + (CHANNELS // 2 - 5.5) * width
        obs = stations_at_zenith(STATIONS, sample_rate=RATE, channels=CHANNELS)
        made = fringe.imager(obs, CHANNELS, SIZE, pol="IQUV", channels_out=GROUPS,
                             eps=1e-3, band=band, backend="cuda")
        sink = picture_sink(4 * GROUPS * SIZE * SIZE, lambda item: np.nanstd(item[:SIZE * SIZE]))
        top.connect(box, (made, 0), sink)
        top.connect((box, 1), (made, 1))
    else:
        top.connect(box, blocks.null_sink(8 * values))
        top.connect((box, 1), blocks.null_sink(4 * values))
        sink = None
    watch = threading.Timer(SECONDS + 90, top.stop)
    watch.start()
    top.start()
    while source.items < 4 * BLOCKS and watch.is_alive():
        time.sleep(0.01)
    if rate:
        source.keep_time(rate)
    time.sleep(2)  # until the dumps before are through
    t, cpu, n = time.monotonic(), time.process_time(), source.items
    time.sleep(SECONDS)
    took, sent = time.monotonic() - t, source.items - n
    cores = (time.process_time() - cpu) / took
    source.end()
    top.stop()
    top.wait()
    watch.cancel()
    came = sink.came if images else []
    ages = [at - (source.began + (k + 1) * BLOCKS / rate) for k, at in enumerate(came)
            if rate and at > t]
    return (sent * ITEM / took / 1e9, cores, ages, came, sink.last if images else 0,
            memory.peak, fringe.failure(made if images else source))


def print_row(name, rate, images):
    try:
        gb, cores, ages, came, rms, memory, failure = g.alone(run, rate, images)
    except Exception:
        print(f"{name:34} failed:", flush=True)
        traceback.print_exc(file=sys.stdout)
        return
    print(f"{name:34} {gb:5.1f} GB/s {cores:5.2f} cores {memory:5.1f} GB of the GPU", end="")
    if images:
        print(f"  {len(came):3} pictures", end="")
    if len(came) > 2:
        print(f", {np.median(np.diff(came)):.3f} s apart, rms {rms:.2g}", end="")
    if ages:
        print(f", age median {np.median(ages):.3f} s, oldest {max(ages):.3f} s", end="")
    print(f"  {failure}", flush=True)
    if ages:
        print("    ages, s:", " ".join(f"{age:.3f}" for age in ages), flush=True)


def main():
    print(f"copy from pinned host memory {fringe.upload_rate():.1f} GB/s", flush=True)
    live = RATE / CHANNELS / BLOCK
    print_row("live, 0.5 s dumps, images", live, True)
    print_row("as fast as it goes, images", 0.0, True)
    print_row("as fast as it goes, no images", 0.0, False)


if __name__ == "__main__":
    if "--all" in sys.argv:
        import one_card
        one_card.main()
    else:
        main()
