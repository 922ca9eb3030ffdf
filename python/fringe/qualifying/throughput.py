#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""19: speed, beside what the same machine does in the same minute without gr-fringe."""
import time

import numpy as np
from gnuradio import blocks, gr

from .. import fringe_python as fp
from ..runs.correlate import correlate
from .bench import run
from .requirement import at_least, group, measured

GROUP = group(19, "Throughput")
ROUNDS = 3


def best(*jobs):
    """Shortest time of each of some jobs, run in turn, so that all meet the same machine."""
    times = np.full((ROUNDS, len(jobs)), np.inf)
    for row in times:
        for k, job in enumerate(jobs):
            began = time.monotonic()
            job()
            row[k] = time.monotonic() - began
    return times.min(axis=0)


def flow(path, items, make, count):
    """A job: `count` items, the same again and again, through the block that make() gives."""
    items = np.ascontiguousarray(items)
    items.tofile(path)
    size = items[0].nbytes

    def job():
        block, top = make(), gr.top_block()
        out = block.output_signature()
        top.connect(blocks.file_source(size, path, True), blocks.head(size, count), block)
        for port in range(out.min_streams()):
            top.connect((block, port), blocks.null_sink(out.sizeof_stream_item(port)))
        run(top, block)
    return job


@GROUP.requires("The X-engine has a quarter of the speed of the machine's matrix product, or more.",
                at_least(0.25),
                "64 inputs, float32: multiplications a second in a flowgraph over those of numpy's "
                "complex64 product of the same matrices, on as many threads as each takes.")
def xengine(work):
    inputs, channels, block, count = 64, 32, 256, 60
    x = work.noise(2, channels, inputs, block)
    ours, theirs = best(
        flow(work.path("x"), x, lambda: fp.xengine(inputs, channels, block, dump_spectra=4096,
                                                   backend="cpu"), count),
        lambda: [np.matmul(x[k % 2], x[k % 2].conj().swapaxes(1, 2)) for k in range(count)])
    done = channels * block * count * 8e-9
    a, b = done * inputs * (inputs + 1) / 2 / ours, done * inputs ** 2 / theirs
    return measured(a / b, note=f"{a:.1f} and {b:.1f} GFLOP/s")


@GROUP.requires("The F-engine has half the speed of plain Fourier transforms, or more.",
                at_least(0.5),
                "8 inputs, 1024 channels, 4 taps, float32: samples a second in a flowgraph over "
                "those of numpy's transforms alone, in one thread.")
def fengine(work):
    inputs, channels, block, count = 8, 1024, 16, 60
    x = work.noise(2, inputs, block * channels)
    ours, theirs = best(
        flow(work.path("x"), x, lambda: fp.channelizer(inputs, channels, block, backend="cpu"),
             count),
        lambda: [np.fft.fft(x[k % 2].reshape(-1, channels)) for k in range(count)])
    done = inputs * block * channels * count * 1e-6
    return measured(theirs / ours, note=f"{done / ours:.0f} and {done / theirs:.0f} MS/s")


@GROUP.requires("Unpacking has half the speed of numpy's conversion of types, or more.",
                at_least(0.5),
                "16 inputs of ci8 to float: samples a second in a flowgraph over those of numpy's "
                "astype and transposition, in one thread.")
def unpacking(work):
    inputs, block, count = 16, 16384, 60
    raw = work.rng.integers(-128, 128, (2, block, inputs, 2), np.int8)
    ours, theirs = best(
        flow(work.path("x"), raw, lambda: fp.unpack("ci8", inputs, block, "f32", backend="cpu"),
             count),
        lambda: [np.ascontiguousarray(raw[k % 2].swapaxes(0, 1)).astype(np.float32)
                 for k in range(count)])
    done = inputs * block * count * 1e-6
    return measured(theirs / ours, note=f"{done / ours:.0f} and {done / theirs:.0f} MS/s")


@GROUP.requires("Whole numbers are multiplied faster than floats.", at_least(1.0),
                "64 inputs, spectra of 8 bits over spectra of floats, in flowgraphs, in turn.")
def whole_numbers(work):
    inputs, channels, block, count = 64, 32, 256, 60
    x = work.noise(2, channels, inputs, block)
    small = work.rng.integers(-100, 100, (2, channels, inputs, block, 2), np.int8)

    def engine(component):
        return lambda: fp.xengine(inputs, channels, block, component, dump_spectra=4096,
                                  backend="cpu")
    floats, whole = best(flow(work.path("x"), x, engine("f32"), count),
                         flow(work.path("y"), small, engine("i8"), count))
    return measured(floats / whole)


@GROUP.requires("Two RTL-SDRs are correlated faster than they send.", at_least(1.0, "times"),
                "Two inputs of 2.4 MS/s (cu8), 1024 channels, from a recording of 4 s to a "
                "MeasurementSet; seconds of data a second.")
def two_receivers(work):
    obs = fp.observation.example(2)
    obs.sample_rate, obs.center_frequency = 2.4e6, 1.42e9
    work.rng.integers(0, 256, (int(4 * 2.4e6), 2, 2), np.uint8).tofile(work.path("raw"))

    def job():
        correlate(work.path("raw"), work.path("x.ms"), obs, format="cu8", channels=1024,
                  integration=1.0, start_time="2026-01-01T00:00:00", overwrite=True, backend="cpu")
    return measured(4 / best(job)[0])
