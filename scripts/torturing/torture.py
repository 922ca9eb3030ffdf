#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs all trials; scripts/torture calls it."""
import argparse
import concurrent.futures
import csv
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


class record:
    """What came of runs, a row each: the numbers that their random moments are drawn from, the
    trial, "good" or "fault", and words. Runs that a file has already are not done again."""

    def __init__(self, path):
        self.path, self.outcomes = path, {}
        if path and os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                self.outcomes = {tuple(map(int, row[:4])): row[5] for row in csv.reader(file)}

    def add(self, key, name, trouble, words):
        self.outcomes[key] = "fault" if trouble else "good"
        if self.path:
            with open(self.path, "a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow((*key, name, self.outcomes[key], trouble or words))


def tried(trial, work, key, until):
    """A sentence on what is wrong, or None, and words for the summary; None where there is no time
    left."""
    if time.monotonic() > until:
        return None
    with tempfile.TemporaryDirectory(dir=work.folder) as folder:
        try:
            return None, trial(work, folder, np.random.default_rng(key))
        except BaseException:  # pylint: disable=broad-exception-caught
            return f"{traceback.format_exc(limit=-3)}  left: {sorted(os.listdir(folder))}", ""


def report(done, kept):
    """Prints how trials went, as (name, key, result to come); returns how many were done, and how
    many of them had a fault."""
    count = failures = 0
    for name, key, result in done:
        came = result.result()
        if came is None:
            continue
        trouble, words = came
        count, failures = count + 1, failures + (trouble is not None)
        kept.add(key, name, trouble, words)
        print(f"{name:24} {trouble or words}", flush=True)
        if trouble:
            print(f"  of the seed {key}", flush=True)
    return np.array((count, failures))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("length", choices=ROUNDS)
    parser.add_argument("seed", type=int)
    parser.add_argument("--record", help="a file of all runs that were done")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="after which no run begins any more")
    parser.add_argument("--trials", help="names of trials, with commas; all without it")
    options = parser.parse_args()
    began, total = time.monotonic(), np.zeros(2, int)
    until, kept = began + options.seconds, record(options.record)
    wanted = options.trials.split(",") if options.trials else [name for name, _, _ in TRIALS]
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fringe-torture-") as folder:
        work = bench(folder)
        work.prepare()
        jobs = [(name, trial, (options.seed, number, k, place))
                for k in range(ROUNDS[options.length])
                for place, (name, trial, times) in enumerate(TRIALS) for number in range(times)
                if name in wanted and (options.seed, number, k, place) not in kept.outcomes]
        # The number of threads is that of all processes of the user: these are tried alone.
        alone = [job for job in jobs if job[1] is limited_threads]
        others = [job for job in jobs if job[1] is not limited_threads]
        for some, beside in (alone, 1), (others, len(os.sched_getaffinity(0))):
            with concurrent.futures.ThreadPoolExecutor(beside) as pool:
                total += report([(name, key, pool.submit(tried, trial, work, key, until))
                                 for name, trial, key in some], kept)
    print(f"{total[0]} runs, {total[1]} with a fault, {time.monotonic() - began:.0f} s")
    if options.record:
        outcomes = list(kept.outcomes.values())
        print(f"{options.record}: {len(outcomes)} runs, {outcomes.count('fault')} with a fault")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
