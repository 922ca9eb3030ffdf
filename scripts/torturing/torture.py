#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs all trials; scripts/torture calls it."""
import concurrent.futures
import os
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import numpy as np
from runs import bench
from trials import TRIALS, limited_threads

ROUNDS = {"short": 1, "full": 20}


def tried(trial, work, seed):
    """A sentence on what is wrong, or None, and words for the summary."""
    with tempfile.TemporaryDirectory(dir=work.folder) as folder:
        try:
            return None, trial(work, folder, np.random.default_rng(seed))
        except BaseException:  # pylint: disable=broad-exception-caught
            return f"{traceback.format_exc(limit=-3)}  left: {sorted(os.listdir(folder))}", ""


def report(done):
    """Prints how trials went, as (name, seed, result to come); returns how many had a fault."""
    failures = 0
    for name, key, result in done:
        trouble, words = result.result()
        failures += trouble is not None
        print(f"{name:24} {trouble or words}", flush=True)
        if trouble:
            print(f"  of the seed {key}", flush=True)
    return failures


def main():
    length, seed = sys.argv[1], int(sys.argv[2])
    began, failures = time.monotonic(), 0
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fringe-torture-") as folder:
        work = bench(folder)
        work.prepare()
        jobs = [(name, trial, (seed, number, k, place))
                for k in range(ROUNDS[length]) for place, (name, trial, times) in enumerate(TRIALS)
                for number in range(times)]
        # The number of threads is that of all processes of the user: these are tried alone.
        alone = [job for job in jobs if job[1] is limited_threads]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            failures += report((name, key, pool.submit(tried, trial, work, key))
                               for name, trial, key in alone)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            done = [(name, key, pool.submit(tried, trial, work, key)) for name, trial, key in jobs
                    if trial is not limited_threads]
            failures += report(done)
    print(f"{len(jobs)} runs, {failures} with a fault, {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
