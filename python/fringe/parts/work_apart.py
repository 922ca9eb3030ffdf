#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A part of a plan in a process of its own.

GNU Radio keeps the memory of a flowgraph until its process ends, and whoever schedules parts has a
process that lives long.
"""
import os
import subprocess
import sys
import threading

from gnuradio import gr

from .work import work

ENDED = 3  # exit code of a process whose parent is gone


def work_apart(plan_path, number, threads=None, again=False):
    """As work(), which it calls in a process of its own; RuntimeError where that fails. That
    process ends when this one does, however it ends."""
    words = [str(plan_path), str(number), str(threads or 0), str(int(again))]
    done = subprocess.run([sys.executable, "-m", __name__, *words], stdin=_never(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"its process ended with {done.returncode}")
    return int(done.stdout.split()[-1])


_alive = None


def _never():
    """A pipe to which nothing is written while this process lives."""
    global _alive  # pylint: disable=global-statement
    if not _alive:
        _alive = os.pipe()
    return _alive[0]


def _end_with_parent():
    def wait():
        os.read(0, 1)
        os._exit(ENDED)
    threading.Thread(target=wait, daemon=True).start()


def main():
    """The process: its words are those of work_apart()."""
    plan_path, number, threads, again = sys.argv[1:]
    _end_with_parent()
    gr.logging().set_default_level(gr.log_levels.off)  # what matters is raised
    try:
        report = work(plan_path, int(number), int(threads) or None, again=bool(int(again)))
    except Exception as error:  # pylint: disable=broad-except
        sys.exit(str(error))
    print(report["dumps"])


if __name__ == "__main__":
    main()
