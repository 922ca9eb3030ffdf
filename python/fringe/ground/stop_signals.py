#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Ctrl-C, SIGTERM and SIGHUP: a run that writes files ends them; the start of a run just ends."""
import os
import signal
import threading

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class stopped(KeyboardInterrupt):
    """One of STOPS came; `number` is the signal's."""

    def __init__(self, number):
        super().__init__()
        self.number = number


def exit_code(number):
    """What a shell says of a program that ended for that signal: 130 for Ctrl-C."""
    return 128 + number


def _set(handler):
    """Sets one handler for all of STOPS; returns those before, or {} outside the main thread,
    where Python allows none. What another part of the program has set stays: a signal that is
    ignored (nohup), a handler of the user's."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    handler.of_fringe = True
    ours = (signal.SIG_DFL, signal.default_int_handler)
    return {number: signal.signal(number, handler) for number in STOPS
            if signal.getsignal(number) in ours
            or getattr(signal.getsignal(number), "of_fringe", False)}


def end_at_once(name):
    """From now on a signal ends the process with one line; there is nothing to put in order."""
    def handler(number, _):
        os.write(2, f"{name}: interrupted\n".encode())
        os._exit(exit_code(number))
    _set(handler)


def raise_stopped():
    """From now on a signal raises `stopped`, so that what is half made can be removed."""
    def handler(number, _):
        raise stopped(number)
    _set(handler)


class count_stops:
    """While it is entered, signals are counted and nothing is interrupted:

        with count_stops() as stops:
            while not done(): ...
                if stops.count: ...

    The code that looks at `count` ends the files. The handlers of before come back at the end."""

    def __init__(self):
        self.count, self.number = 0, signal.SIGINT
        self._before = {}

    def __enter__(self):
        def take(number, _):
            self.count += 1
            self.number = number
        self._before = _set(take)
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)
