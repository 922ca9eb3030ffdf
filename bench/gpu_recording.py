#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings in the page cache through the correlator on the GPU, on all cores:

    gpu_recording.py [--folder FOLDER] [--gigabytes N] [--quick]

The rate at which file_source and fx_correlator (backend cuda, 4 taps, 8-bit spectra) take a
recording, for ci8 and for VDIF of 8 + 8 bits with frames of 8032 bytes. Beside it, in the same run:
as many threads as cores that copy the same file from the page cache into a ring as long as
file_source's and do nothing else, and a copy from pinned host memory to the GPU. Medians of three
runs in turn. The folder (default /dev/shm) needs room for twice the gigabytes (default 24).
"""
import argparse
import os
import statistics
import sys
import tempfile
import threading
import time

import numpy as np

CORES = len(os.sched_getaffinity(0))
# inputs, channels, spectra a dump, format
CASES = ((32, 256, 51200, "ci8"), (64, 128, 51200, "ci8"), (512, 1280, 25600, "ci8"),
         (32, 256, 51200, "vdif"))
FRAME_SAMPLES = 125  # of 32 channels of 8 + 8 bits: 8000 bytes


def make_ci8(path, size):
    """Noise, a piece of it again and again."""
    piece = np.random.default_rng(1).normal(0, 20, 1 << 24).astype(np.int8).tobytes()
    with open(path, "wb") as file:
        for _ in range(size >> 24):
            file.write(piece)


def make_vdif(path, size, frames_a_second=8000):
    """One thread of 32 channels, complex."""
    count = 4000
    frames = np.zeros((count, 8032), np.uint8)
    frames[:, 32:] = np.random.default_rng(1).normal(128, 20, (count, 8000)).astype(np.uint8)
    words = frames[:, :32].view("<u4")
    words[:, 2] = 8032 // 8 | 5 << 24  # length; 32 channels
    words[:, 3] = 1 << 31 | 7 << 26 | ord("A") << 8 | ord("b")  # complex, 8 bits
    with open(path, "wb") as file:
        for first in range(0, size // 8032 // count * count, count):
            n = first + np.arange(count)
            words[:, 0] = 1000 + n // frames_a_second
            words[:, 1] = n % frames_a_second | 50 << 24
            file.write(frames)


def copied(path, size, item):
    """GB/s of threads that read a file into a ring as long as file_source's, in pieces of a
    megabyte."""
    piece, ring = 1 << 20, np.ones(max(4 * item, 128 << 20) >> 20 << 20, np.uint8)
    file = os.open(path, os.O_RDONLY)

    def copy(thread):
        for at in range(thread * piece, size, CORES * piece):
            place = at % ring.size
            os.preadv(file, [ring[place:place + piece]], at)

    threads = [threading.Thread(target=copy, args=(k,)) for k in range(CORES)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    os.close(file)
    return size / took / 1e9


def correlated(path, inputs, channels, block, dump, form):
    """GB/s of the file through the correlator, and cores used."""
    from gnuradio import blocks, fringe, gr
    source = fringe.file_source([path], form, inputs, block * channels, 1e6, 0, "", [0], 0, False,
                                "settings")
    box = fringe.fx_correlator(inputs, channels, source.encoding(), 0, dump, 4, "hann", "8", [0.5],
                               block_spectra=block, backend="cuda")
    values = fringe.channels_per_item(inputs, channels) * inputs * (inputs + 1) // 2
    run = gr.top_block()
    run.connect(source, box, blocks.null_sink(values * gr.sizeof_gr_complex))
    run.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
    began, began_cpu = time.monotonic(), time.process_time()
    run.start()
    # Without the time in which memory is made and registered, and the ring filled first.
    total = source.total_samples()
    while source.samples_read() < total // 8:
        time.sleep(0.001)
    at, t = source.samples_read(), time.monotonic()
    run.wait()
    took = time.monotonic() - t
    cores = (time.process_time() - began_cpu) / (time.monotonic() - began)
    if source.error() or source.samples_read() != total or source.samples_missing():
        sys.exit(f"gpu_recording.py: {source.error() or 'samples are missing'}")
    return (total - at) / total * os.path.getsize(path) / took / 1e9, cores


def main():
    # pylint: disable=import-outside-toplevel
    from gpu_flowgraph import alone
    from gnuradio import fringe
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--gigabytes", type=int, default=24)
    parser.add_argument("--quick", action="store_true", help="recordings of 4 GB, one run")
    args = parser.parse_args()
    size = (4 if args.quick else args.gigabytes) << 30
    found, why = fringe.find_devices()
    if not found:
        sys.exit(f"gpu_recording.py: {why}")
    link = fringe.upload_rate()
    print(f"{found[0].name}, {CORES} host cores; recordings of {size >> 30} GB in {args.folder}; "
          f"copy from pinned host memory {link:.1f} GB/s")
    print("format  inputs x channels   GB/s  of the same threads' copies (GB/s)  of the link  cores",
          flush=True)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        paths = {"ci8": os.path.join(folder, "ci8"), "vdif": os.path.join(folder, "vdif")}
        make_ci8(paths["ci8"], size)
        make_vdif(paths["vdif"], size)
        for inputs, channels, dump, form in CASES:
            runs, block = [], fringe.gpu_block_spectra(inputs, channels)
            for _ in range(1 if args.quick else 3):
                ceiling = alone(copied, paths[form], os.path.getsize(paths[form]),
                                2 * inputs * channels * block)
                runs.append(alone(correlated, paths[form], inputs, channels, block, dump, form)
                            + (ceiling,))
            rate, cores, ceiling = (statistics.median(one) for one in zip(*runs))
            print(f"{form:6} {inputs:7} x {channels:<8} {rate:6.1f} {100 * rate / ceiling:11.0f} % "
                  f"({ceiling:.1f}) {100 * rate / link:24.0f} % {cores:9.1f}", flush=True)


if __name__ == "__main__":
    main()
