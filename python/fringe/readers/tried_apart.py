#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A library is tried on a file of unknown origin in a process of its own, which may die of it."""

import contextlib
import os
import resource
import select
import signal
import time
import warnings

#: Of the other process: bytes of memory beside what there is now, and seconds.
MEMORY, PROCESSOR, PATIENCE = 2**31, 120, 600
FINE, TOO_LARGE = b'fine', b'memory'
DIES = 'reading it ends the program that does, or does not end'


def try_apart(what):
    """Calls what() in a copy of this process. Says in words what went wrong, None where nothing.

    Only the death of the process, its memory and its time are looked at: an exception that is
    caught is no harm.
    """
    out, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of threads: the other process has one of them
        child = os.fork()
    if child == 0:
        _call(what, into)
    os.close(into)
    try:
        word = _answer(out)
    finally:
        os.close(out)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {FINE: None, TOO_LARGE: 'reading it takes too much memory'}.get(word, DIES)


def _answer(out):
    """What the other process says; b'' where it dies or takes too long."""
    end = time.monotonic() + PATIENCE
    ready = select.select([out], [], [], max(0, end - time.monotonic()))[0]
    return os.read(out, 100) if ready else b''


def _call(what, into):
    """Calls it, says how it went, and ends the process."""
    word = FINE
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT,
                       signal.SIGBUS, signal.SIGFPE):
            signal.signal(number, signal.SIG_DFL)
        _limit(resource.RLIMIT_AS, _in_use() + MEMORY)
        _limit(resource.RLIMIT_CPU, PROCESSOR)
        _limit(resource.RLIMIT_CORE, 0)
        nowhere = os.open(os.devnull, os.O_WRONLY)  # a library may complain before it dies
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        what()
    except MemoryError:
        word = TOO_LARGE
    except BaseException:  # the reader finds it again, and says it
        pass
    finally:
        os.write(into, word)
        os._exit(0)


def _in_use():
    with open('/proc/self/statm', encoding='ascii') as file:
        return int(file.read().split()[0]) * os.sysconf('SC_PAGE_SIZE')


def _limit(what, value):
    _, highest = resource.getrlimit(what)
    resource.setrlimit(what, (value if highest == resource.RLIM_INFINITY
                              else min(value, highest), highest))
