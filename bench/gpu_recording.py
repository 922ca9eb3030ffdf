#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings in the page cache through the correlator on the GPU, on all cores:

    gpu_recording.py [--folder FOLDER] [--gigabytes N] [--seconds S] [--quick]

The rate at which file_source and fx_correlator (backend cuda, 4 taps, 8-bit spectra) take a
recording, which is read again and again: ci8; VDIF of 8 + 8 bits, one thread with frames of 8032
bytes; and 2-bit VDIF of 18 stations, a file with two threads each, tracked (at 144 GS/s: 16 Gb/s of
each). Beside it, in the same run: as many threads as cores that copy the same files from the page
cache into a ring as long as file_source's and do nothing else, and a copy from pinned host memory to
the GPU. Medians of three runs in turn. The folder (default /dev/shm) needs room for three times
the gigabytes (default 8).
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
# inputs, channels, spectra a dump, recording
CASES = ((32, 256, 51200, "ci8"), (64, 128, 51200, "ci8"), (512, 1280, 25600, "ci8"),
         (32, 256, 51200, "vdif"), (36, 2048, 102400, "vdif2"))
STATIONS = 18
RATES = {"vdif2": 4e9}
FRAME_BYTES = 8000


def make_ci8(path, size):
    """Noise, a piece of it again and again."""
    piece = np.random.default_rng(1).normal(0, 20, 1 << 24).astype(np.int8).tobytes()
    with open(path, "wb") as file:
        for _ in range(size >> 24):
            file.write(piece)


def make_vdif(path, size, bits, threads, channels, frames_a_second, seed=1):
    """Threads of real samples, or of complex ones where they have several channels."""
    count = 4000 // threads * threads
    frames = np.zeros((count, FRAME_BYTES + 32), np.uint8)
    noise = np.random.default_rng(seed)
    frames[:, 32:] = noise.integers(0, 256, (count, FRAME_BYTES), np.uint8) if bits < 8 else \
        noise.normal(128, 20, (count, FRAME_BYTES)).astype(np.uint8)
    words = frames[:, :32].view("<u4")
    words[:, 2] = (FRAME_BYTES + 32) // 8 | (channels.bit_length() - 1) << 24
    words[:, 3] = (channels > 1) << 31 | bits - 1 << 26 | ord("A") << 8 | ord("b")
    words[:, 3] |= (np.arange(count) % threads << 16).astype(np.uint32)
    with open(path, "wb") as file:
        for first in range(0, size // (FRAME_BYTES + 32) // count * count, count):
            n = (first + np.arange(count)) // threads
            words[:, 0] = 1000 + n // frames_a_second
            words[:, 1] = n % frames_a_second | 50 << 24
            file.write(frames)


def copied(paths, ring_bytes, seconds):
    """GB/s of threads that read files into a ring, in pieces of half a megabyte."""
    piece, ring = 1 << 19, np.ones(ring_bytes >> 19 << 19, np.uint8)
    files = [os.open(path, os.O_RDONLY) for path in paths]
    size = min(map(os.path.getsize, paths)) // piece * piece
    done, end = [0] * CORES, time.monotonic() + seconds

    def copy(thread):
        at = thread * piece
        while time.monotonic() < end:
            place, file = at % ring.size, files[at // piece % len(files)]
            done[thread] += os.preadv(file, [ring[place:place + piece]], at // len(files) % size)
            at += CORES * piece

    threads = [threading.Thread(target=copy, args=(k,)) for k in range(CORES)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    for file in files:
        os.close(file)
    return sum(done) / took / 1e9


def sizes_of(inputs, channels, name):
    """Raw format, samples in a spectrum, spectra in a block and in an item, bytes of an item."""
    form = {"ci8": "ci8", "vdif": "cu8_128", "vdif2": "vdif2"}[name]
    points = fringe_points(form, channels)
    from gnuradio import fringe
    block = fringe.gpu_block_spectra(inputs, channels)
    items = fringe.gpu_item_spectra(form, inputs, points, block)
    return points, block, items, inputs * points * items * fringe.encoding_by_name(form).bits // 8


def fringe_points(form, channels):
    from gnuradio import fringe
    return channels if fringe.encoding_by_name(form).complex_samples else 2 * channels


def correlated(paths, inputs, channels, dump, name, seconds):
    """GB/s of the files through the correlator, cores used, seconds from the start to the first
    two gigabytes."""
    from gnuradio import blocks, fringe, gr
    from gpu_flowgraph import tracking_of
    points, block, items, item_bytes = sizes_of(inputs, channels, name)
    source = fringe.file_source(paths, "ci8" if name == "ci8" else "vdif", inputs, block * points,
                                RATES.get(name, 1e6), 0, "", [0], 0, True, "settings",
                                item_samples=items * points)
    box = fringe.fx_correlator(inputs, channels, source.encoding(), 0, dump, 4, "hann", "8", [0.5],
                               source.parts(), block_spectra=block, item_spectra=items,
                               tracking=tracking_of(inputs, RATES[name]) if name in RATES else None,
                               backend="cuda")
    values = fringe.channels_per_item(inputs, channels) * inputs * (inputs + 1) // 2
    run = gr.top_block()
    run.connect(source, box, blocks.null_sink(values * gr.sizeof_gr_complex))
    run.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
    per_sample = item_bytes / (items * points)
    began = time.monotonic()
    run.start()
    while source.samples_read() * per_sample < 2e9:
        time.sleep(0.001)
    started = time.monotonic() - began
    # Without the first dump, whose memory has to be made.
    while source.samples_read() < 1.2 * dump * points:
        time.sleep(0.001)
    at, t, cpu = source.samples_read(), time.monotonic(), time.process_time()
    time.sleep(seconds)
    read, took = source.samples_read() - at, time.monotonic() - t
    cores = (time.process_time() - cpu) / took
    source.finish()
    run.wait()
    if source.error() or source.samples_missing():
        sys.exit(f"gpu_recording.py: {source.error() or 'samples are missing'}")
    return read * per_sample / took / 1e9, cores, started


def main():
    # pylint: disable=import-outside-toplevel
    from gpu_flowgraph import alone
    from gnuradio import fringe
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--gigabytes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=3.0, help="of a run")
    parser.add_argument("--quick", action="store_true", help="4 GB, one run of a second")
    args = parser.parse_args()
    size = (4 if args.quick else args.gigabytes) << 30
    seconds = 1.0 if args.quick else args.seconds
    found, why = fringe.find_devices()
    if not found:
        sys.exit(f"gpu_recording.py: {why}")
    link = fringe.upload_rate()
    print(f"{found[0].name}, {CORES} host cores; recordings of {size >> 30} GB in {args.folder}; "
          f"copy from pinned host memory {link:.1f} GB/s")
    print("format  inputs x channels   GB/s  of the same threads' copies (GB/s)  of the link  cores"
          "  s to 2 GB", flush=True)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        paths = {name: [os.path.join(folder, name)] for name in ("ci8", "vdif")}
        paths["vdif2"] = [os.path.join(folder, f"station{k}") for k in range(STATIONS)]
        make_ci8(*paths["ci8"], size)
        make_vdif(*paths["vdif"], size, 8, 1, 32, 8000)
        for k, path in enumerate(paths["vdif2"]):
            make_vdif(path, size // STATIONS, 2, 2, 1, 125000, seed=k)
        for inputs, channels, dump, name in CASES:
            runs, item = [], alone(sizes_of, inputs, channels, name)[3]
            for _ in range(1 if args.quick else 3):
                ceiling = alone(copied, paths[name], max(4 * item, 48 << 20), seconds / 2)
                runs.append(alone(correlated, paths[name], inputs, channels, dump, name, seconds)
                            + (ceiling,))
            rate, cores, start, ceiling = (statistics.median(values) for values in zip(*runs))
            print(f"{name:6} {inputs:7} x {channels:<8} {rate:6.1f} {100 * rate / ceiling:11.0f} % "
                  f"({ceiling:.1f}) {100 * rate / link:24.0f} % {cores:9.1f} {start:10.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
