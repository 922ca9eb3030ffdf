# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A reader with one changed input after the other, in a process that may die, hang and grow."""
import mmap
import os
import resource
import shutil
import signal
import struct
import sys
import time
import traceback
import warnings

from gnuradio.fringe.cli.words import shown
from mutate import changed_tree, mutated

HANGS = 100  # s that one input may take
MEMORY = 3 << 30  # bytes that the process may take beside what it begins with
PROGRESS = struct.Struct("<Qd")  # inputs so far, and when the last one began
FAULTY = 3


def make_apart(reader, folder):
    """Makes a good input, which must be read, in a process of its own: whatever threads that
    leaves, a process that is forked later would wait for them in vain."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = FAULTY
        try:
            reader.make(folder)
            sentence = refused(reader, folder, folder)
            if sentence:
                raise AssertionError(f"the good input is refused: {sentence}")
            code = 0
        except BaseException:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{reader.name}: no good input could be made")


def fuzz(reader, folder, seconds, seed, faults):
    """Gives changed inputs to a reader for some seconds. Returns (number of inputs, sentence on the
    first fault or None); the input of a fault is copied to the folder `faults`."""
    page = mmap.mmap(-1, PROGRESS.size)
    page[:] = PROGRESS.pack(0, time.monotonic())
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _run(reader, folder, time.monotonic() + seconds, seed, page)
    trouble = None
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        count, began = PROGRESS.unpack(page[:])
        if done:
            break
        if time.monotonic() - began > HANGS:
            trouble = f"takes more than {HANGS} s"
            os.kill(child, signal.SIGKILL)
            began = float("inf")
        time.sleep(0.02)
    code = os.waitstatus_to_exitcode(status)
    if code == FAULTY:
        with open(os.path.join(folder, "trouble"), encoding="utf-8") as file:
            trouble = file.read()
    elif code and not trouble:
        trouble = f"ends the process ({signal.Signals(-code).name if code < 0 else code})"
    if trouble:
        kept = os.path.join(faults, f"{reader.name}-{seed}-{count}")
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept, symlinks=True)
        trouble = f"{trouble.strip()}\n  the input: {kept}"
    return count, trouble


def _run(reader, folder, until, seed, page):
    """In the other process; does not come back."""
    code = FAULTY
    try:
        import numpy as np  # pylint: disable=import-outside-toplevel
        warnings.simplefilter("ignore")
        resource.setrlimit(resource.RLIMIT_AS, (_addresses() + MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        _loop(reader, folder, until, np.random.default_rng(seed), page)
        code = 0
    except BaseException:  # pylint: disable=broad-exception-caught
        with open(os.path.join(folder, "trouble"), "w", encoding="utf-8") as file:
            file.write(traceback.format_exc(limit=-6))
    finally:
        os._exit(code)


def _addresses():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _loop(reader, folder, until, rng, page):
    good = {}
    for name in reader.files(folder):
        with open(os.path.join(folder, name), "rb") as file:
            good[name] = file.read()
    names, count = [name for name, content in good.items() if content], 0
    while time.monotonic() < until:
        page[:] = PROGRESS.pack(count, time.monotonic())
        name = names[rng.integers(len(names))]
        content = good[name]
        change = changed_tree if reader.trees and rng.integers(2) else mutated
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(change(content, rng))
        refused(reader, folder, path)
        with open(path, "wb") as file:
            file.write(content)
        count += 1
    page[:] = PROGRESS.pack(count, time.monotonic())


def refused(reader, folder, path):
    """The line in which a reader refuses its input, and names the file; None where it reads it.
    Other errors are raised on."""
    try:
        reader.take(folder)
        return None
    except (ValueError, RuntimeError, OSError) as error:
        sentence = shown(str(error))
        names = (os.path.basename(path), *reader.named)
        if isinstance(error, RecursionError) or "\n" in sentence or not any(
                name in sentence for name in names):
            raise
        return sentence
