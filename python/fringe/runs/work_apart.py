#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Parts of a plan, each in a process of its own.

GNU Radio keeps the memory of a flowgraph until its process ends, and whoever schedules parts has a
process that lives long. Importing GNU Radio takes longer than a small part, though. So a second
process, which has imported it, waits beside the first one, and makes a copy of itself (a fork) for
each part.
"""
import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import warnings

from gnuradio import gr

from .work import work

ENDED = 3  # exit code of a copy that nobody waits for any more

_of_thread = threading.local()  # each thread has one part under way


def work_apart(plan_path, number, threads=None, again=False):
    """As work(), in a process of its own; returns the number of dumps. RuntimeError where that
    fails. That process ends when this one does, however it ends."""
    process = getattr(_of_thread, "process", None)
    if process is None or process.ended():
        process = _of_thread.process = copied_process()
    return process.work(str(plan_path), number, threads, again)


def work_in_copy(plan_path, number, threads=None, again=False, metrics=""):
    """As work_apart(), in a copy of this very process, which must not have made any flowgraph."""
    return _dumps(_in_copy((str(plan_path), number, threads, again, metrics)))


class copied_process:
    """A process that works on parts in copies of itself, one part at a time."""

    def __init__(self):
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen([sys.executable, "-m", __name__], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=self._errors)
        atexit.register(self.end)

    def end(self):
        """Ends the process, and what it works on."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def ended(self):
        """True when there is no such process any more."""
        return self._process.poll() is not None

    def work(self, *words):
        """See work_apart()."""
        self._errors.seek(0)
        self._errors.truncate()
        try:
            self._process.stdin.write(json.dumps(words).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            answer = json.dumps({"ended": self._process.wait()})
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return _dumps(json.loads(answer), lines[-1] if lines else "")


def _dumps(answer, last_line=""):
    if "dumps" in answer:
        return answer["dumps"]
    raise RuntimeError(answer.get("error") or last_line or
                       f"its process ended with {answer['ended']}")


def main():
    """The process that is copied: reads words of work_apart() and writes answers, a line each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who wait, and for the copies
    for line in sys.stdin.buffer:
        print(json.dumps(_in_copy(json.loads(line), [0])), flush=True)


def _in_copy(words, ended=()):
    """Works on a part in a copy of this process; returns its answer.

    ended: files that can be read when nobody waits for the answer any more; this process ends then
    """
    answer, write = os.pipe()
    wait, alive = os.pipe()
    # This process has threads of GNU Radio's ControlPort, which wait and hold nothing: a copy lacks
    # them, and does not need them. Python 3.12 warns where there are any.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(alive)
        _work(words, wait, write)
    os.close(write)
    os.close(wait)
    text = b""
    while True:
        ready, _, _ = select.select([answer, *ended], [], [])
        if answer not in ready:
            os._exit(ENDED)  # and the copy ends, as `alive` is closed
        piece = os.read(answer, 1 << 16)
        if not piece:
            break
        text += piece
    os.close(answer)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(alive)
    return json.loads(text) if text else {"ended": code}


def _work(words, wait, write):
    """The copy, which ends here."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=lambda: (os.read(wait, 1), os._exit(ENDED)), daemon=True).start()
    gr.logging().set_default_level(gr.log_levels.off)  # what matters is raised
    plan_path, number, threads, again, *metrics = words
    _show(f"part {number}")
    try:
        answer = {"dumps": work(plan_path, number, threads, None, again, *metrics)["dumps"]}
    except OSError as error:
        sentence = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        answer = {"error": sentence}
    except Exception as error:  # pylint: disable=broad-except
        answer = {"error": str(error) or repr(error)}
    except BaseException:  # pylint: disable=broad-except
        os._exit(ENDED)
    with open(write, "wb") as file:
        file.write(json.dumps(answer).encode())
    os._exit(0)  # at once: what GNU Radio keeps goes with the process


def _show(name):
    """What `top` and `ps` call this process."""
    with contextlib.suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)


if __name__ == "__main__":
    main()
