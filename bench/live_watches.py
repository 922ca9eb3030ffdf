# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the live benchmarks watch: when pictures come, and the memory of the GPU."""
import ctypes
import os
import threading
import time

import numpy as np
from gnuradio import fringe, gr


def stations_at_zenith(stations, **more):
    """Stations of two polarizations within some tens of meters, that look at the zenith. more:
    keys of the observation."""
    places = np.random.default_rng(3).normal(0, 17, (stations, 2))
    return fringe.observation.from_text(repr({
        "antennas": [[*map(float, place), 0.0] for place in places], "polarizations": ["X", "Y"],
        "center_frequency": 150e6, "phase_center": "zenith",
        "site": {"latitude": -26.7, "longitude": 116.67, "height": 377.0}, **more}))


class picture_sink(gr.sync_block):
    """When pictures came, and what `measure` found of the last one."""

    def __init__(self, values, measure=None):
        gr.sync_block.__init__(self, "picture_sink", [(np.float32, (values,))], None)
        self.came, self.last, self._measure = [], 0.0, measure

    def work(self, input_items, _):
        for item in input_items[0]:
            self.came.append(time.monotonic())
            if self._measure:
                self.last = self._measure(item)
        return len(input_items[0])


class used_memory(threading.Thread):
    """The most memory of the GPU that was used at a time, as the driver says, GB; 0 without one."""

    def __init__(self):
        threading.Thread.__init__(self, daemon=True)
        self.peak = 0.0

    def run(self):
        try:
            cuda = ctypes.CDLL("libcuda.so.1")
        except OSError:
            return
        context, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
        cuda.cuInit(0)
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        cuda.cuCtxSetCurrent(context)
        while True:
            if cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)) == 0:
                self.peak = max(self.peak, (total.value - free.value) / 1e9)
            time.sleep(0.05)


def thread_seconds():
    """Seconds of the processor that each thread has taken: (number, name) -> seconds."""
    found, tick = {}, os.sysconf("SC_CLK_TCK")
    for number in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{number}/stat", encoding="utf-8") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:  # it has ended
            continue
        values = rest.split()
        found[number, name] = (int(values[11]) + int(values[12])) / tick
    return found


def busiest(before, seconds, count=12):
    """The threads that took most since `before`, which thread_seconds() gave, in words."""
    now = thread_seconds()
    cores = sorted(((now[key] - before.get(key, 0)) / seconds, key[1]) for key in now)
    return [f"{name} {share:.2f}" for share, name in cores[:-count - 1:-1] if share >= 0.01]
