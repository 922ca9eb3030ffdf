#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Whole commands beside each other: `fringe image` and `wsclean` on the same MeasurementSets.

A set has 24 antennas within 1.2 km, 276 baselines, 32 channels around 150 MHz; its uvw turn with
the Earth. The two programs take turns; wall time, processor time and memory are medians.
"""
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

EARTH = 7.292e-5  # rad/s
SCALE = 0.01      # degrees a pixel
ROUNDS = 5
FRINGE = [sys.executable, "-P", os.path.join(os.path.dirname(os.path.realpath(__file__)), "..",
                                             "apps", "fringe")]


def make_set(folder, name, dumps, hours, generator):
    """A MeasurementSet of 30 point sources and noise, (from, to) in hour angle."""
    import qa_skies
    path = qa_skies.snapshot(folder, 24, generator, name=name, dumps=dumps, channels=32)
    _turn(path, hours)
    sky = qa_skies.ms_sky(path)
    data = sky.noise(10.0, generator)
    for flux in 30 / np.arange(1, 31):
        data += sky.point(*generator.uniform(-0.03, 0.03, 2), flux)
    sky.write(data.astype(np.complex64))
    return path


def _turn(path, hours):
    """uvw of a source at the declination of the site, which passes through the zenith."""
    from casacore.tables import table
    with table(path, readonly=False, ack=False) as ms:
        times = np.unique(ms.getcol("TIME"), return_inverse=True)[1]
        east, north, _ = ms.getcol("UVW").T
        angle = np.radians(15 * np.interp(times, [0, times.max() + 1], hours))
        s, c, latitude = np.sin(angle), np.cos(angle), np.radians(-26.7)
        x, z = -north * np.sin(latitude), north * np.cos(latitude)
        turned = s * east + c * x  # the baseline, equatorial, towards the meridian
        across = c * east - s * x
        v = turned * -np.sin(latitude) + z * np.cos(latitude)
        w = turned * np.cos(latitude) + z * np.sin(latitude)
        ms.putcol("UVW", np.column_stack([across, v, w]))


#: A small process that starts a command: the memory of a process counts that of its parent.
LAUNCHER = """
import os, resource, sys, time
begin = time.perf_counter()
status = os.spawnvp(os.P_WAIT, sys.argv[2], sys.argv[2:])
wall, usage = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, file=file)
sys.exit(status)
"""


def measured(words):
    """Wall seconds, processor seconds, MB of a command and of what it starts."""
    with tempfile.NamedTemporaryFile("r") as report:
        done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, report.name, *words],
                              env=dict(os.environ, OPENBLAS_NUM_THREADS="1"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)}\n{done.stdout.decode()}")
        return [float(word) for word in report.read().split()]


def medians(runs):
    return [statistics.median(values) for values in zip(*runs)]


def in_turn(what, commands, rounds):
    """Runs commands in turn; prints medians, and those of the first by those of the second."""
    runs = [[] for _ in commands]
    for _ in range(rounds):
        for words, kept in zip(commands, runs):
            kept.append(measured(words))
    found = [medians(of_one) for of_one in runs]
    print(f"  {what:28}" + " | ".join("{:6.2f} s {:6.2f} CPU s {:5.0f} MB".format(*row)
                                      for row in found), end="")
    print(" | {:5.2f} {:5.2f} {:5.2f}".format(*(a / b for a, b in zip(*found)))
          if len(found) == 2 else "", flush=True)


def pair(folder, paths, size, clean):
    """The two commands: natural weights, the same pixels, components and threshold."""
    ours = ["--clean", "10000", "--threshold", "3sigma", "--weight", "briggs:0"]
    theirs = ["-niter", "10000", "-auto-threshold", "3", "-mgain", "0.8",
              "-no-update-model-required", "-weight", "briggs", "0"]
    return ([*FRINGE, "image", *paths, "-o", os.path.join(folder, "x.fits"), "--overwrite",
             "--size", str(size), "--scale", f"{SCALE}deg", "--no-all-sky", "--eps", "1e-3",
             "--pol", "XX", *(ours if clean else [])],
            ["wsclean", "-size", str(size), str(size), "-scale", f"{SCALE}deg", "-pol", "xx",
             "-j", "2", *(theirs if clean else ["-niter", "0", "-weight", "natural"]),
             "-name", os.path.join(folder, "ws"), *paths])


def beside(options):
    """Dirty images of three sets, and CLEAN of 24 sets together."""
    generator = np.random.default_rng(5)
    rounds = 1 if options.quick else ROUNDS
    print("                               fringe image                     | wsclean"
          "                          | wall, CPU, memory: ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, dumps in (("44k", 5), ("442k", 50), ("2.2M", 250)):
            path = make_set(folder, f"{name}.ms", dumps, (-0.2, 0.2), generator)
            for size in (512, 2048, 4096):
                in_turn(f"dirty {name} {size} x {size}", pair(folder, [path], size, False), rounds)
        paths = [make_set(folder, f"hour{k}.ms", 5, (k / 4 - 3, k / 4 - 2.75), generator)
                 for k in range(24)]
        for size in (512, 1024, 2048):
            in_turn(f"CLEAN 24 sets {size} x {size}", pair(folder, paths, size, True), rounds)
