#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Voltage Ring beside plain copies of the same memory by as many threads.

    voltage_ring.py [--memory 8]

For items of three sizes: GB/s of copies by numpy, a thread for each core, from a buffer of 16 items
into memory of so many GB, which is written around and around; of the ring's own copies; and of the
block in a flowgraph, whose source fills its buffer once. Medians of three, in turn.
"""
import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import gpu_flowgraph as g
from gnuradio import fringe, gr
from gnuradio.fringe import fringe_python as fp

MEMORY = float(sys.argv[sys.argv.index("--memory") + 1]) if "--memory" in sys.argv else 8.0
CORES = len(os.sched_getaffinity(0))


def by_numpy(source, memory, passes, pool):
    """GB/s."""
    size, at = source.size, 0
    parts = [slice(k * size // CORES, (k + 1) * size // CORES) for k in range(CORES)]
    began = time.monotonic()
    for _ in range(passes):
        to = memory[at:at + size]
        list(pool.map(lambda part, to=to: np.copyto(to[part], source[part]), parts))
        at = (at + size) % (memory.size - size + 1)
    return passes * size / (time.monotonic() - began) / 1e9


def by_ring(source, ring, passes):
    """GB/s."""
    began = time.monotonic()
    for _ in range(passes):
        ring.put(source)
    return passes * source.size / (time.monotonic() - began) / 1e9


def by_block(item, seconds):
    """(GB/s, cores) of the flowgraph."""
    source = g.ring_source(item)
    rate = g.SAMPLE_RATE
    ring = fringe.voltage_ring(2, item // 4, rate, MEMORY * 1e9 / item * (item // 4) / rate,
                               "/tmp/ring.sigmf-collection")
    top = gr.top_block()
    top.connect(source, ring)
    top.start()
    while source.items < 3 * source.ring:
        time.sleep(0.01)
    n, t, cpu = source.items, time.monotonic(), time.process_time()
    time.sleep(seconds)
    took = time.monotonic() - t
    found = (source.items - n) * item / took / 1e9, (time.process_time() - cpu) / took
    source.ended = True
    top.stop()
    top.wait()
    return found


def main():
    print(f"{CORES} cores\nitems of     numpy    ring   block, GB/s  (cores)")
    for item in (1 << 20, 16 << 20, 250 << 20):
        source = np.random.default_rng(1).integers(0, 256, 16 * item if item < 1 << 25 else
                                                   4 * item, np.uint8)
        memory = np.zeros(int(MEMORY * 1e9), np.uint8)
        passes = max(2, int(1.5 * MEMORY * 1e9 / source.size))
        with ThreadPoolExecutor(CORES) as pool:
            plain = [by_numpy(source, memory, passes, pool) for _ in range(3)]
        del memory
        made = time.monotonic()
        ring = fp._item_ring(item, int(MEMORY * 1e9 / item), 4, "")
        made = time.monotonic() - made
        own = [by_ring(source, ring, passes) for _ in range(3)]
        del ring, source
        block = [g.alone(by_block, item, 1.0) for _ in range(3)]
        print(f"{item >> 20:4} MiB   {statistics.median(plain):7.1f} {statistics.median(own):7.1f} "
              f"{statistics.median(value for value, _ in block):7.1f}   "
              f"({statistics.median(value for _, value in block):.1f}), memory of the ring there "
              f"after {made:.2f} s", flush=True)


if __name__ == "__main__":
    main()
