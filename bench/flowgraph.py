#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""The correlator as a flowgraph beside its rivals: flowgraph.py PLAIN_LOOP_PROGRAM [stock] [loop] [wired]

All of these comparisons, or those that are named:

* a flowgraph of GNU Radio's own blocks for the same job: per input fft_vcc (it includes the shift),
  per pair multiply_conjugate_cc and integrate_cc. Both get complex float32 zeros from a
  null_source, 4096 channels, one tap (the stock one has no filter bank), and send dumps of 750
  spectra to null_sinks. The stock one gets its inputs as vectors of one spectrum, ours all inputs
  in one stream of blocks, interleaved, which it has to take apart.
* the same kernels in a plain loop, on a recording, both on one core: what the flowgraph costs, in
  processor time.
* itself on one core: what more cores are good for; beside it what they are good for when as many
  plain loops run at once, which share nothing but the machine's caches and memory.
* the same stages wired one by one, each in a thread of its own: what fx_correlator is good for.

Every run is a process of its own; rivals run in turn, and medians are printed with the spread.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

CHANNELS = 4096
DUMP = 750  # spectra
ROUNDS = 7
RECORDED = 1 << 30  # bytes: a second or more, so that starts and ends do not count
SHAPES = ((2, 4096, 4), (8, 4096, 4), (32, 256, 4), (64, 256, 4))  # inputs, channels, taps
CORES = sorted(os.sched_getaffinity(0))


def stock(inputs, samples):
    """Flowgraph of GNU Radio's blocks."""
    from gnuradio import blocks, fft, gr
    flowgraph = gr.top_block()
    rows = []
    for _ in range(inputs):
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
            flowgraph.connect(product, blocks.integrate_cc(DUMP, CHANNELS),
                              blocks.null_sink(CHANNELS * gr.sizeof_gr_complex))
    return flowgraph


def correlator(source, inputs, channels, form, block, taps, window, recording=None):
    """fx_correlator between sources (in a row) and null sinks."""
    from gnuradio import blocks, fringe, gr
    flowgraph = gr.top_block()
    box = fringe.fx_correlator(inputs, channels, form, 0, DUMP, taps, window, block_spectra=block,
                               backend="cpu", recording=recording)
    values = fringe.channels_per_item(inputs, channels) * inputs * (inputs + 1) // 2
    flowgraph.connect(*source, box, blocks.null_sink(values * gr.sizeof_gr_complex))
    flowgraph.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
    return flowgraph


def ours(inputs, samples):
    """fx_correlator doing the job of stock()."""
    from gnuradio import blocks, fringe, gr
    block = fringe.block_spectra(inputs, CHANNELS)
    item = inputs * block * CHANNELS * gr.sizeof_gr_complex
    source = blocks.null_source(item), blocks.head(item, samples // (block * CHANNELS))
    return correlator(source, inputs, CHANNELS, "cf32", block, 1, "rectangular")


def recorded(path, inputs, channels, taps, window):
    """fx_correlator on a recording of ci8."""
    from gnuradio import fringe
    inputs, channels, taps = int(inputs), int(channels), int(taps)
    block = fringe.block_spectra(inputs, channels)
    source = fringe.file_source([path], "ci8", inputs, block * channels, 1e6)
    return correlator([], inputs, channels, "ci8", block, taps, window, source)


def wired(path, inputs, channels, taps, window):
    """The stages one by one, on the same recording."""
    from gnuradio import blocks, fringe, gr
    inputs, channels, taps = int(inputs), int(channels), int(taps)
    block = fringe.block_spectra(inputs, channels)
    flowgraph = gr.top_block()
    integrator = fringe.integrator(inputs, channels, "f32", 0, DUMP)
    values = fringe.channels_per_item(inputs, channels) * inputs * (inputs + 1) // 2
    flowgraph.connect(
        fringe.file_source([path], "ci8", inputs, block * channels, 1e6),
        fringe.unpack("ci8", inputs, block * channels, backend="cpu"),
        fringe.channelizer(inputs, channels, block, component="i8", taps=taps, window=window,
                           backend="cpu"),
        fringe.xengine(inputs, channels, block, "f32", 4096, 0, DUMP, backend="cpu"),
        integrator, blocks.null_sink(values * gr.sizeof_gr_complex))
    flowgraph.connect((integrator, 1), blocks.null_sink(values * gr.sizeof_float))
    return flowgraph


def run(words):
    """In a process of its own: builds one of the flowgraphs, prints "processor seconds, seconds"
    that it ran."""
    make, *arguments = words
    if make == "at_once":
        at_once(arguments)
        return
    if make in ("recorded", "wired"):
        flowgraph = {"recorded": recorded, "wired": wired}[make](*arguments)
    else:
        flowgraph = {"stock": stock, "ours": ours}[make](*map(int, arguments))
    began, began_cpu = time.monotonic(), time.process_time()
    flowgraph.run()
    print(time.process_time() - began_cpu, time.monotonic() - began)


def at_once(command):
    """Runs a command on every core and prints what they print, the processor times added up and
    the time of the slowest."""
    every = [subprocess.Popen(["taskset", "-c", str(core), *command], text=True,
                              stdout=subprocess.PIPE) for core in CORES]
    times = [[float(word) for word in process.communicate()[0].split()[:2]] for process in every]
    print(sum(t[0] for t in times), max(t[1] for t in times))


def measure(*commands, cores=(CORES,)):
    """[command] -> [(processor seconds, seconds)] of every round, run in turn."""
    got = [[] for _ in commands]
    for _ in range(ROUNDS):
        for k, command in enumerate(commands):
            os.sched_setaffinity(0, cores[k % len(cores)])
            output = subprocess.run(list(map(str, command)), check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            # The blocks' log comes before.
            got[k].append([float(word) for word in output.splitlines()[-1].split()[:2]])
            os.sched_setaffinity(0, CORES)
    return got


def ratio(base, other, what, times=1):
    """Median of times other / one and [quartiles] of the rounds; what: 0 processor time, 1 time."""
    rounds = sorted(times * b[what] / a[what] for a, b in zip(base, other))
    whole = statistics.median(b[what] for b in other) / statistics.median(a[what] for a in base)
    return (f"{times * whole:.2f} [{rounds[len(rounds) // 4]:.2f} "
            f"{rounds[-1 - len(rounds) // 4]:.2f}]")


def beside_stock():
    print(f"== {CHANNELS} channels, 1 tap, beside GNU Radio's own blocks: times as fast "
          "[quartiles], and by processor time")
    for inputs in (2, 4, 8):
        samples = (1 << 28) // inputs
        a, b = measure(*([sys.executable, __file__, which, inputs, samples]
                         for which in ("ours", "stock")))
        rate = samples / statistics.median(seconds for _, seconds in a) / 1e6
        print(f"{inputs} inputs: {rate:7.1f} MS/s of every input   {ratio(a, b, 1)}   "
              f"processor time {ratio(a, b, 0)}", flush=True)


def beside_loop_and_one_core(loop, path):
    from gnuradio import fringe
    fringe.set_threads(1)  # the loop's blocks are those of the flowgraph on one core
    many = len(CORES)
    print(f"== ci8 recording, hann; flowgraph : kernels in a plain loop, processor time on one "
          f"core; {many} cores : one core, speed; the same of {many} plain loops at once")
    for inputs, channels, taps in SHAPES:
        shape = (inputs, channels, taps, "hann")
        flowgraph = [sys.executable, __file__, "recorded", path, *shape]
        plain = [loop, path, "ci8", *shape, fringe.block_spectra(inputs, channels), DUMP]
        loops = [sys.executable, __file__, "at_once", *plain]
        a, b, c, d = measure(plain, flowgraph, flowgraph, loops,
                             cores=(CORES[:1], CORES[:1], CORES, CORES))
        print(f"{inputs:3} inputs x {channels:4} channels: flowgraph costs {ratio(a, b, 0)} of "
              f"the loop; {many} cores are {ratio(c, b, 1)} times one; of plain loops "
              f"{ratio(d, a, 1, many)}", flush=True)


def wired_beside_one_block(path):
    print(f"== ci8 recording, hann, {len(CORES)} cores; the stages wired one by one : "
          "fx_correlator, speed and processor time")
    for inputs, channels, taps in SHAPES:
        words = (path, inputs, channels, taps, "hann")
        a, b = measure(*([sys.executable, __file__, which, *words]
                         for which in ("wired", "recorded")))
        rates = (RECORDED / statistics.median(seconds for _, seconds in runs) / 1e6
                 for runs in (a, b))
        print(f"{inputs:3} inputs x {channels:4} channels: {next(rates):6.0f} MB/s : "
              f"{next(rates):6.0f} MB/s, {ratio(a, b, 1)} times as fast; processor time "
              f"{ratio(b, a, 0)}", flush=True)


def main():
    if sys.argv[1] in ("stock", "ours", "recorded", "wired", "at_once"):
        run(sys.argv[1:])
        return
    wanted = sys.argv[2:] or ["stock", "loop", "wired"]
    if "stock" in wanted:
        beside_stock()
    with tempfile.NamedTemporaryFile(suffix=".ci8") as recording:
        recording.write(os.urandom(1 << 20) * (RECORDED >> 20))
        recording.flush()
        if "loop" in wanted:
            beside_loop_and_one_core(sys.argv[1], recording.name)
        if "wired" in wanted:
            wired_beside_one_block(recording.name)


if __name__ == "__main__":
    main()
