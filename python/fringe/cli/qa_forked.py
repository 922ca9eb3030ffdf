#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Runs the command `fringe` in forks of a process that has loaded it: to load it takes longer than
most of what tests ask of it.

Each command has a process, a working directory, arguments and output of its own, runs all of
apps/fringe, and ends as a program does. What depends on what comes before loading (limits, users,
signals while it starts) is to run a program of its own.
"""
import atexit
import json
import os
import queue
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback

FRINGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../apps/fringe")


class loaded:
    """A process that has loaded the command, with the environment that this one has now."""

    idle = {}  #: by environment, those that wait for a command

    def __init__(self):
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                [sys.executable, "-P", os.path.realpath(__file__), str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True)
        self._socket, self._answers = ours, ours.makefile("r")
        atexit.register(self._end)

    def _end(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._process.wait()

    @classmethod
    def waiting(cls):
        """(one that waits, where it waits)."""
        place = cls.idle.setdefault(frozenset(os.environ.items()), queue.LifoQueue())
        try:
            return place.get_nowait(), place
        except queue.Empty:
            return cls(), place

    def run(self, words, folder, variables, timeout):
        """The exit code of a command, with what it prints and its complaints as bytes."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            request = json.dumps([words, folder or os.getcwd(), variables or {}]).encode()
            socket.send_fds(self._socket, [request], [out.fileno(), errors.fileno()])
            self._socket.settimeout(timeout)
            try:
                code = int(self._answers.readline())
            except TimeoutError:
                os.killpg(self._process.pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(words, timeout) from None
            out.seek(0)
            errors.seek(0)
            return code, out.read(), errors.read()


def run_forked(words, folder, timeout, variables=None):
    """Runs `fringe words...` in a folder, with more variables in its environment; returns the
    finished process, with its output as text."""
    process, place = loaded.waiting()
    code, out, errors = process.run(words, folder, variables, timeout)
    place.put(process)
    return subprocess.CompletedProcess(["fringe", *words], code, out.decode(), errors.decode())


def end_with(words, folder, variables):
    """Becomes `fringe words...` in a folder and ends. GNU Radio's threads, for which it waits at
    the end of a program, are not in a fork: so Python's own end, and no more."""
    code = 0
    try:
        os.chdir(folder)
        os.environ.update(variables)
        sys.argv = [FRINGE, *words]
        runpy.run_path(FRINGE, run_name="__main__")
    except SystemExit as ended:
        code = ended.code or 0
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()  # pylint: disable=protected-access
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def serve(requests):
    """Answers with an exit code for each command, until the other end is closed."""
    from gnuradio.fringe import cli  # pylint: disable=import-outside-toplevel
    cli.parser()  # loads all subcommands
    while True:
        request, files, _, _ = socket.recv_fds(requests, 1 << 20, 2)
        if not request:
            return
        child = os.fork()
        if child == 0:
            requests.close()
            for number, file in enumerate(files, 1):
                os.dup2(file, number)
                os.close(file)
            end_with(*json.loads(request))
        for file in files:
            os.close(file)
        requests.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as from_tests:
        serve(from_tests)
