#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Voltage Ring beside plain copies of the same memory by as many threads.

    voltage_ring.py [--memory 8]
    voltage_ring.py --busy [--memory 8] [--rounds 3]

For items of three sizes: GB/s of copies by numpy, a thread for each core, from a buffer of 16 items
into memory of so many GB, which is written around and around; of the ring's own copies; and of the
block in a flowgraph, whose source fills its buffer once. Medians of three, in turn.

--busy: the block alone, beside a thread that computes in Python, and beside one whose functions keep
Python's lock for a tenth of a second each, for items of 1 MiB and 16 MiB: GB/s, and the longest time between two calls of the source, which waits for the ring; then items of
which 0.15 s have room between the two blocks: how many were lost, and how late the latest was.
Medians of the rounds.
"""
import os
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import gpu_flowgraph as g
from gnuradio import fringe, gr
from gnuradio.fringe import fringe_python as fp

MEMORY = float(sys.argv[sys.argv.index("--memory") + 1]) if "--memory" in sys.argv else 8.0
CORES = len(os.sched_getaffinity(0))
RING = 16  # items, between the source and the ring
ROOM = 0.15  # s, of these


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


def loop(ended):
    """What a thread does that computes in Python and never waits."""
    while not ended:
        pass


def keep_lock(ended):
    """What a thread does whose functions keep Python's lock."""
    count = 1000
    while not ended:
        began = time.monotonic()
        sum(range(count))
        count = int(count * min(max(0.1 / (time.monotonic() - began), 0.5), 2))


KINDS = {"alone": None, "loop": loop, "lock": keep_lock}


def by_block(item, seconds, kind="alone", rate=0.0):
    """Of the flowgraph, with items as fast as they are taken, or `rate` a second: GB/s, cores, ms
    between two calls of the source at most, part of the items that was lost, ms that the latest
    was late."""
    some = np.random.default_rng(1).integers(0, 256, 16 << 20, np.uint8)
    source = fp._filled_source(item, RING, g.SAMPLE_RATE, some, 1 << 12, False)
    length = MEMORY * 1e9 / item * (item // 4) / g.SAMPLE_RATE
    ring = fringe.voltage_ring(2, item // 4, g.SAMPLE_RATE, length, "/tmp/ring.sigmf-collection")
    top, ended = gr.top_block(), []
    top.connect(source, ring)
    top.start()
    while source.items < 3 * RING:
        time.sleep(0.01)
    if KINDS[kind]:
        threading.Thread(target=KINDS[kind], args=(ended,), daemon=True).start()
    if rate:
        source.keep_time(rate)
    time.sleep(0.2)
    source.clear()
    n, lost, t, cpu = source.items, source.lost, time.monotonic(), time.process_time()
    time.sleep(seconds)
    took, n, lost = time.monotonic() - t, source.items - n, source.lost - lost
    cores, gap, late = (time.process_time() - cpu) / took, source.gap, source.late
    ended.append(True)
    source.end()
    top.wait()
    return (n * item / took / 1e9, cores, 1e3 * gap, lost / (n + lost),
            1e3 * late / rate if rate else 0.0)


def beside_python(rounds):
    """The block alone, and beside threads of Python."""
    print(f"{CORES} cores\nitems of            GB/s  longest wait (ms)   at GB/s  lost  latest (ms)")
    for item in (1 << 20, 16 << 20):
        steady, fast, paced = RING * item / ROOM, {}, {}
        for _ in range(rounds):
            for kind in KINDS:
                fast.setdefault(kind, []).append(g.alone(by_block, item, 2.0, kind))
                paced.setdefault(kind, []).append(g.alone(by_block, item, 2.0, kind, steady / item))
        for kind in KINDS:
            rate, _, gap, *_ = map(statistics.median, zip(*fast[kind]))
            *_, lost, late = map(statistics.median, zip(*paced[kind]))
            print(f"{item >> 20:4} MiB {kind:6} {rate:8.2f} {gap:12.1f}       {steady / 1e9:8.2f}  "
                  f"{100 * lost:4.1f} % {late:8.1f}", flush=True)


def main():
    if "--busy" in sys.argv:
        beside_python(int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 3)
        return
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
              f"{statistics.median(row[0] for row in block):7.1f}   "
              f"({statistics.median(row[1] for row in block):.1f}), memory of the ring there "
              f"after {made:.2f} s", flush=True)


if __name__ == "__main__":
    main()
