#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers that are written in Python, and changed inputs; scripts/fuzz calls it."""
import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from guarded import fuzz, make_apart
from readers import READERS


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", help="all of them, unless some are named")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", default="faults", help="the folder where their inputs are kept")
    options = parser.parse_args()
    if options.list:
        print("\n".join(reader.name for reader in READERS))
        return 0
    failed = False
    for reader in READERS:
        if options.readers and reader.name not in options.readers:
            continue
        with tempfile.TemporaryDirectory(
                dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            make_apart(reader, folder)
            count, trouble = fuzz(reader, folder, options.seconds, options.seed, options.faults)
        print(f"{reader.name:20} {count:9} inputs  {trouble or 'no fault'}", flush=True)
        failed |= trouble is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
