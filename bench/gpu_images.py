#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images by one GPU and by several, from the host's memory, and minor cycles of CLEAN beside the
CPU's.

usage: bench/gpu_images.py [--part 0.25] [--rounds 5]     with gr-fringe installed

Images: the observation of Romein (2012), 44 stations, 16 channels, 6 hours of 10 s, four
polarizations by W-projection, and one polarization by the separable gridder; seconds of
grid() and degrid(), and million visibilities (of all polarizations together) a second.
--part: of the six hours. Medians; all GPU counts take turns. Minor cycles: components a second.
"""
import argparse
import statistics
import time

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.fringe_python import clean

C = 299792458.0
STATIONS, CHANNELS, TIMES = 44, 16, 2160


def tracks(times):
    """uvw [time, baseline][3] of random stations, of unit length at most."""
    rng = np.random.default_rng(7)
    r, a = 0.5 * rng.random(STATIONS)**3, 2 * np.pi * rng.random(STATIONS)
    lat, dec = np.radians([52.9, 48.0])
    xyz = np.stack([-np.sin(lat) * r * np.sin(a), r * np.cos(a), np.cos(lat) * r * np.sin(a)], 1)
    i, j = np.triu_indices(STATIONS, 1)
    x, y, z = (xyz[i] - xyz[j]).T
    h = ((np.arange(times) - times / 2) * 10 * 7.2921e-5)[:, None]
    along = np.cos(h) * x - np.sin(h) * y
    return np.stack([np.sin(h) * x + np.cos(h) * y,
                     -np.sin(dec) * along + np.cos(dec) * z + 0 * h,
                     np.cos(dec) * along + np.sin(dec) * z + 0 * h], -1).reshape(-1, 3)


def medians(rounds, works):
    """Seconds of each of some functions, which take turns."""
    took = [[] for _ in works]
    for _ in range(rounds + 1):
        for n, work in enumerate(works):
            begin = time.perf_counter()
            work()
            took[n].append(time.perf_counter() - begin)
    return [statistics.median(t[1:]) for t in took]


def images(part, rounds, counts):
    times = max(1, int(TIMES * part))
    f = 150e6 + 12207.0 * np.arange(CHANNELS)
    for method, planes, size, width in (("w_projection", 4, 2730, 0.05),
                                        ("separable", 1, 4096, 0.05)):
        pixel = width / size
        uvw = tracks(times) * (0.46 / pixel * C / f[-1])
        shape = ((planes,) if planes > 1 else ()) + (len(uvw), CHANNELS)
        rng = np.random.default_rng(1)
        data = rng.standard_normal((*shape, 2), np.float32).view(np.complex64)[..., 0]
        weights = np.ones(shape, np.float32)
        words = dict(method=method, polarizations=planes, epsilon=1e-3,
                     half_precision=planes == 4)
        gridders = [fringe.gridder(size, size, pixel, pixel, **words,
                                   devices=[f"cuda:{k}" for k in range(n)]) for n in counts]
        made = [np.zeros(shape[:-2] + (size, size), np.float32) for _ in counts]
        took = medians(rounds, [lambda g=g, to=to: g.grid(uvw, f, data, weights, to)
                                for g, to in zip(gridders, made)])
        back = medians(rounds, [lambda g=g: g.degrid(uvw, f, made[0]) for g in gridders])
        for n, to, grid, degrid in zip(counts, made, took, back):
            off = np.abs(to - made[0]).max() / np.abs(made[0]).max()
            print(f"{method} {planes} x {size}: {len(uvw) * CHANNELS / 1e6:.1f} M visibilities, "
                  f"{n} GPU: grid {grid:.3f} s, {len(uvw) * CHANNELS / grid / 1e6:.0f} M/s; "
                  f"degrid {degrid:.3f} s; {took[0] / grid:.2f}, {back[0] / degrid:.2f} of one; "
                  f"difference {off:.1e}", flush=True)


def a_dirty_image(size, rng):
    """(psf, dirty image) of many points, as 2.2 million visibilities see them."""
    pixel = 0.3 / size
    uvw = tracks(24)[:, :] * (0.4 / pixel * C / 150e6) * [1, 1, 0]
    f = 150e6 + 1e6 * np.arange(CHANNELS)
    gridder = fringe.gridder(size, size, pixel, pixel, epsilon=1e-4)
    ones = np.ones((len(uvw), CHANNELS), np.complex64)
    sky = np.zeros((size, size), np.float32)
    for row, column in rng.integers(size * 3 // 8, size * 5 // 8, (400, 2)):
        sky[row - 1:row + 2, column - 1:column + 2] += rng.exponential() + 0.1
    psf, dirty = np.zeros_like(sky), np.zeros_like(sky)
    gridder.grid(uvw, f, ones, np.ones(ones.shape, np.float32), psf)
    gridder.grid(uvw, f, gridder.degrid(uvw, f, sky), np.ones(ones.shape, np.float32), dirty)
    return psf / ones.size, dirty / ones.size


def minor_cycles(rounds, sizes, components):
    for size in sizes:
        psf, dirty = a_dirty_image(size, np.random.default_rng(size))
        # The point spread function is as large as the image: it reaches all of the middle.
        use, middle = np.ones(dirty.shape, np.uint8), slice(size // 4, 3 * size // 4)
        use[middle, middle] = 2
        for method, count in (("clark", components), ("hogbom", components // 20)):
            reports = {}

            def run(backend, count=count, method=method, reports=reports):
                reports[backend] = clean(dirty, psf, use, method=method, gain=0.1,
                                         max_iterations=count, threshold=1e-6,
                                         backend=backend)
            backends = ["cpu"] + (["cuda"] if fringe.find_devices()[0] else [])
            took = medians(rounds, [lambda b=b: run(b) for b in backends])
            for backend, seconds in zip(backends, took):
                model, left, report = reports[backend]
                other = reports["cpu"][1]
                print(f"{method} {size}: {backend} {report['iterations']} components in "
                      f"{seconds:.3f} s, {report['iterations'] / seconds / 1e3:.1f} k/s; "
                      f"residual {np.abs(left[middle, middle]).max():.4g}, {report['end']}, apart from the CPU's "
                      f"{np.abs(left - other).max():.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=0.25)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1024, 2048, 4096])
    parser.add_argument("--components", type=int, default=20000)
    parser.add_argument("--only", choices=("images", "clean"))
    words = parser.parse_args()
    count = len([d for d in fringe.find_devices()[0] if not d.refused])
    if words.only != "images":
        minor_cycles(words.rounds, words.sizes, words.components)
    if count and words.only != "clean":
        images(words.part, words.rounds, [n for n in (1, 2, 4, 8) if n <= count])


if __name__ == "__main__":
    main()
