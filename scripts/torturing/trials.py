# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to runs; each trial returns words on how it went, or raises what is wrong."""
import os
import resource
import signal
import threading
import time

import numpy as np
from live import CLOCK, OUTPUTS, checked_live, sending
from runs import begun, check_sentence, end_of, in_words

#: The exit codes that a signal may lead to; the last is where Python itself had not begun yet.
CODES = {signal.SIGKILL: (-9,), signal.SIGINT: (130, -2, 1), signal.SIGTERM: (143, -15)}

#: Those of a process that the C library, C++ or the system ends where a new thread has no memory
#: for its own data, or a stack none to grow: abort(), _exit(127), a fault of addresses.
NO_MEMORY = (-signal.SIGABRT, 127, -signal.SIGSEGV)


def signaled(work, folder, rng):
    """A signal at any moment, from the start of the program to its end."""
    number = list(CODES)[rng.integers(len(CODES))]
    run = work.begin(folder)
    wrote = rng.integers(3) > 0 and begun(run, folder, "x.partial.ACC")
    moment = rng.uniform(0, (0.4 if wrote else 1.0) * work.seconds)
    time.sleep(moment)
    run.send_signal(number)
    code, text = end_of(run)
    if code != 0 and "<frozen " not in text and "KeyboardInterrupt" not in text:
        check_sentence(code, text, CODES[number])
    found = work.check(folder, code)
    again(work, folder)
    return (f"{number.name} after {moment:.2f} s{' of writing' if wrote else ''}, {code}: "
            f"{in_words(found)}")


def again(work, folder):
    """What was left is in nobody's way: --overwrite makes the right files."""
    code, text = end_of(work.begin(folder, "--overwrite", "--samples", "32000"))
    check_sentence(code, text, (0,))
    left = [name for name in os.listdir(folder) if "partial" in name or ".writing" in name]
    if left:
        raise AssertionError(f"after another run there are still {left}")


def limited_files(work, folder, rng):
    """No file can grow beyond a size, as on a full disk."""
    size = int(rng.uniform(0, 4e6))
    code, text = end_of(work.begin(folder, limits=[(resource.RLIMIT_FSIZE, size)]))
    check_sentence(code, text, (0, 1))
    return f"files of {size} bytes, {code}: {in_words(work.check(folder, code))}"


def limited_memory(work, folder, rng):
    """Addresses for the program, hardly or not enough."""
    size = int(rng.uniform(4e8, 1.6e9))
    code, text = end_of(work.begin(folder, limits=[(resource.RLIMIT_AS, size)]))
    if code not in NO_MEMORY:
        check_sentence(code, text, (0, 1))
    return f"{size >> 20} MB, {code}: {in_words(work.check(folder, code))}"


def limited_threads(work, folder, rng):
    """Few threads for this user; root has no such limit."""
    if os.getuid() == 0:
        return "not as root"
    there = sum(len(os.listdir(f"/proc/{name}/task")) for name in os.listdir("/proc")
                if name.isdecimal() and _of_this_user(name))
    count = there + int(rng.integers(1, 80))
    code, text = end_of(work.begin(folder, limits=[(resource.RLIMIT_NPROC, count)]))
    check_sentence(code, text, (0, 1))
    return f"{count - there} threads more, {code}: {in_words(work.check(folder, code))}"


def _of_this_user(name):
    try:
        return os.stat(f"/proc/{name}").st_uid == os.getuid()
    except OSError:
        return False


def two_writers(work, folder, rng):
    """Two runs with the same files: one of them writes, the other says so."""
    first = work.begin(folder)
    time.sleep(rng.uniform(0, work.seconds / 2))
    ends = [end_of(run) for run in (first, work.begin(folder))]
    for code, text in ends:
        check_sentence(code, text, (0, 2))
    if all(code for code, _ in ends):
        raise AssertionError(f"none of the two wrote: {ends}")
    found = work.check(folder, 0)
    return f"codes {[code for code, _ in ends]}: {in_words(found)}"


def live_signaled(work, folder, rng):
    """Packets that go on, and a signal."""
    number = list(CODES)[rng.integers(len(CODES))]
    with sending() as url:
        run = work.begin(folder, *url, recording=False, outputs=OUTPUTS)
        begun(run, folder, "x.partial.uvh5")
        time.sleep(rng.uniform(0, 1.5))
        run.send_signal(number)
        code, text = end_of(run)
    if "<frozen " not in text and "KeyboardInterrupt" not in text:
        check_sentence(code, text, CODES[number])
    return f"{number.name}, {code}: {in_words(checked_live(folder))}"


def clock_jumps(work, folder, rng):
    """The clock of the computer jumps by up to an hour, there and back, while packets come."""
    page = np.memmap(os.path.join(folder, "offset"), np.int64, "w+", shape=1)
    over = threading.Event()

    def jump():
        while not over.wait(rng.uniform(0.05, 0.3)):
            page[0] = rng.integers(-3600, 3600)

    jumper = threading.Thread(target=jump)
    jumper.start()
    try:
        with sending() as url:
            code, text = end_of(work.begin(
                folder, *url, "--seconds", "1.5", recording=False, outputs=OUTPUTS,
                environment=[("LD_PRELOAD", CLOCK.library(work.folder)),
                             ("TORTURE_CLOCK", page.filename)]))
    finally:
        over.set()
        jumper.join()
    os.remove(page.filename)
    check_sentence(code, text, (0,))
    found = checked_live(folder)
    if set(found) != {"x" + ending for ending in OUTPUTS} or min(found.values()) < 2:
        raise AssertionError(f"no whole files: {found}, {text}")
    return f"{code}: {in_words(found)}"


#: name, function, how often in a round
TRIALS = (("signal", signaled, 5), ("limit of files", limited_files, 3),
          ("limit of memory", limited_memory, 3), ("limit of threads", limited_threads, 3),
          ("two writers", two_writers, 2), ("live, signal", live_signaled, 3),
          ("live, clock jumps", clock_jumps, 2))
