#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""The correlator on the GPU as a flowgraph: host memory to dumps in host memory.

    gpu_flowgraph.py [--quick]

* The rate of 8 + 8 bit complex samples that the flowgraph takes, for 32 inputs x 256 channels,
  64 x 128 and 512 x 1280 (256 stations of the MWA: 30.72 MHz, 31.5 GB/s), 4 taps, 8-bit spectra.
  The source fills its ring with noise once and then only says that there is more, as a network
  card would; beside it a source that writes every byte (one core); then with gains and delays
  tracked, with flagging before the X-engine, with both, and with pulses blanked, as a ratio to
  the same without:
  medians of three runs in turn, from one dump to a later one. The ceiling is a copy from pinned
  host memory in the same run.
* Small arrays in real time: processor load, and how long after its last sample a dump arrives.
"""
import multiprocessing
import os
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from gnuradio import blocks, fringe, gr
from gnuradio.fringe import fringe_python as fp

QUICK = "--quick" in sys.argv
SECONDS = 1.5 if QUICK else 5.0
ROUNDS = 1 if QUICK else 3
SAMPLE_RATE = 1e6  # what the tags say


def ring_source(item, ring=16, rewrite=False, sample_rate=SAMPLE_RATE):
    """Noise that fills the ring once, or is written anew; as fast as it is taken, or at a rate. It
    is C++: it waits for no block of Python. An item is 16 MB of noise in different orders, in
    pieces of 4 KB."""
    noise = np.random.default_rng(1).normal(0, 20, 16 << 20).astype(np.int8).view(np.uint8)
    return fp._filled_source(item, ring, sample_rate, noise, 4096, rewrite)


class dump_sink(gr.sync_block):
    """When the first item of every dump came."""

    def __init__(self, values, per_dump):
        gr.sync_block.__init__(self, "dump_sink", [(np.complex64, (values,))], None)
        self.per_dump, self.items, self.came = per_dump, 0, []

    def work(self, input_items, _):
        for _ in input_items[0]:
            if self.items % self.per_dump == 0:
                self.came.append(time.monotonic())
            self.items += 1
        return len(input_items[0])


def tracking_of(inputs, rate=SAMPLE_RATE):
    """Delays of a source that an array 100 m wide follows."""
    obs = fringe.observation.example(inputs, 100.0)
    obs.set_site(-26.7, 116.67, 377)
    obs.sample_rate, obs.sky, obs.tracking = rate, [], True
    center = fringe.phase_center()
    center.frame, center.longitude = fringe.phase_center.kind.radec, 1.6
    obs.phase_center = center
    return fringe.tracking(obs)


def correlator(source, inputs, channels, block, dump, per_item=0, requantize="8", extra="",
               flowgraph=None, **where):
    """The flowgraph and its sink; extra: words of "tracked" (gains, too), "flagged", "blanked"; where:
    backend, or devices and split."""
    flowgraph = flowgraph or gr.top_block()
    tracked = "tracked" in extra
    per_item = per_item or fringe.channels_per_item(inputs, channels)
    box = fringe.fx_correlator(inputs, channels, "ci8", 0, dump, 4, "hann", requantize, [0.5],
                               block_spectra=block, channels_per_item=per_item,
                               corrections=[1j] * (inputs * channels) if tracked else (),
                               tracking=tracking_of(inputs) if tracked else None,
                               flag="flagged" in extra, pulses="blanked" in extra,
                               **(where or {"backend": "cuda"}))
    values = per_item * inputs * (inputs + 1) // 2
    sink = dump_sink(values, channels // per_item)
    flowgraph.connect(source, box, sink)
    flowgraph.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
    return flowgraph, sink


def rate(inputs, channels, block, dump, per_item, ring, rewrite, extra=""):
    """GB/s that go through, cores used, dumps that came."""
    item = 2 * inputs * channels * block
    source = ring_source(item, rewrite=rewrite, ring=ring)
    flowgraph, sink = correlator(source, inputs, channels, block, dump, per_item, extra=extra)
    # Until the ring is full, and the detectors have a history of 32 windows of 2048 spectra.
    before = max(40 * 2048 // block, 3 * ring)
    return measured(flowgraph, [source], item, before, sink, dump // block) + (len(sink.came),)


def check(sources):
    """RuntimeError where the flowgraph of some sources has failed."""
    for source in sources:
        why = fringe.failure(source)
        if why:
            raise RuntimeError(why)


def measured(flowgraph, sources, item, before, sink=None, per_dump=0):
    """GB/s that sources of items send in all, and cores used, after so many items of the first.
    With a sink of dumps of so many items: from one dump to another, as a large dump holds the
    items behind it back. RuntimeError where the flowgraph fails: out of memory, say."""
    flowgraph.start()
    try:
        deadline = time.monotonic() + 60
        while sources[0].items < before and time.monotonic() < deadline:
            check(sources)
            time.sleep(0.05)
        first = len(sink.came) if sink else 0
        marks = []
        for _ in range(3):
            t, cpu = time.monotonic(), time.process_time()
            n = sum(source.items for source in sources)
            time.sleep(SECONDS / 3)
            took = time.monotonic() - t
            sent = sum(source.items for source in sources) - n
            marks.append((sent * item / took / 1e9, (time.process_time() - cpu) / took))
        came = sink.came[first:] if sink else []
        check(sources)
    finally:
        for source in sources:
            source.end()
        flowgraph.wait()
    gb, cores = sorted(marks)[1]
    if len(came) > 2:
        gb = (len(came) - 1) * per_dump * item / (came[-1] - came[0]) / 1e9
    return gb, cores


def real_time(inputs, msps, channels=4096):
    """Cores used and latency (ms) of dumps at ten a second."""
    block = max(1, round(msps * 1e6 * 0.01 / channels))  # 10 ms
    spectra = msps * 1e6 / channels / 10
    dump = max(1, round(spectra / block)) * block
    source, rate = ring_source(2 * inputs * channels * block), msps * 1e6 / channels / block
    flowgraph, sink = correlator(source, inputs, channels, block, dump, requantize="none")
    source.keep_time(rate)
    flowgraph.start()
    time.sleep(1.0)
    cpu, t, sent, lost = time.process_time(), time.monotonic(), source.items, source.lost
    time.sleep(SECONDS)
    cores = (time.process_time() - cpu) / (time.monotonic() - t)
    sent, lost = source.items - sent, source.lost - lost
    source.end()
    flowgraph.wait()
    per = dump // block
    late = [(when - source.began - (k + 1) * per / rate) * 1e3
            for k, when in enumerate(sink.came) if when > t][:-1]
    return sent / (sent + lost), cores, np.median(late), max(late)


def alone(measure, *arguments):
    """measure(*arguments) in a process of its own: GNU Radio keeps correlators, and their memory on
    the GPU, until the process ends. RuntimeError, too, where that process dies."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(measure, *arguments).result()


def main():
    found, why = fringe.find_devices()
    if not found:
        sys.exit(f"gpu_flowgraph.py: {why}")
    print(f"{found[0].name}, {len(os.sched_getaffinity(0))} host cores")
    ceiling = fringe.upload_rate()
    print(f"ceiling: copy from pinned host memory {ceiling:.1f} GB/s")
    print("inputs x channels  source            GB/s   GS/s  of copy  cores  dumps", flush=True)
    for inputs, channels, dump in ((32, 256, 51200), (64, 128, 51200), (512, 1280, 25600)):
        case = (inputs, channels, fringe.gpu_block_spectra(inputs, channels), dump, 0, 16)
        kinds = (("fills ring once", False, ""), ("writes all", True, ""),
                 ("once, tracked", False, "tracked"), ("once, flagged", False, "flagged"),
                 ("once, both", False, "tracked, flagged"), ("once, blanked", False, "blanked"))
        runs = {name: [] for name, _, _ in kinds}
        for _ in range(ROUNDS):  # in turn, as machines have their moods
            for name, rewrite, extra in kinds:
                runs[name].append(alone(rate, *case, rewrite, extra))
        plain = statistics.median(run[0] for run in runs["fills ring once"])
        for name, _, extra in kinds:
            gb, cores, dumps = (statistics.median(values) for values in zip(*runs[name]))
            print(f"{inputs:6} x {channels:<8}  {name:16}"
                  f"{gb:6.1f} {gb / 2:6.1f} {100 * gb / ceiling:7.0f}% {cores:6.2f} {dumps:6.0f}"
                  + (f"   {gb / plain:.2f} of it without" if extra else ""), flush=True)
    print("inputs  MS/s  of real time  cores  latency of dumps: median, worst (ms)")
    for inputs, msps in ((2, 2), (2, 200), (4, 50), (8, 2), (8, 200)):
        items, cores, median, worst = alone(real_time, inputs, msps)
        print(f"{inputs:6} {msps:5} {100 * items:12.1f}% {cores:6.2f} {median:10.1f} {worst:8.1f}",
              flush=True)


if __name__ == "__main__":
    main()
