#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The web page asks the program that has started it: lines of JSON text over a socket, which is the
standard input of `fringe web`. Nobody else can use it."""
import json
import os
import queue
import socket
import stat
import threading

TIMEOUT = 10.0  # seconds for an answer


def begin_answering(answer):
    """(socket for the other program, socket to close at the end): a thread answers each request by
    answer(request), both of them dictionaries."""
    ours, theirs = socket.socketpair()

    def answered(line):
        request = json.loads(line)
        try:
            return {**answer(request), "number": request.get("number")}
        except Exception as error:  # pylint: disable=broad-except
            return {"refused": f"{type(error).__name__}: {error}",
                    "number": request.get("number")}

    def run():
        with ours, ours.makefile("r", encoding="utf-8") as requests:
            try:
                for line in requests:
                    ours.sendall(json.dumps(answered(line)).encode() + b"\n")
            except (OSError, ValueError):  # the other program has ended
                pass

    threading.Thread(target=run, name="fringe operator", daemon=True).start()
    return theirs, ours


class operator_link:
    """The other end, in the program that was started. `ended` is an event that is set when the
    program that started it has ended."""

    def __init__(self, descriptor=0):
        self.ended = threading.Event()
        self._lock, self._answers = threading.Lock(), queue.SimpleQueue()
        self._socket, self._number = None, 0
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            self._socket = socket.socket(fileno=os.dup(descriptor))
        self._input = descriptor
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with open(os.dup(self._input), "rb") as lines:
            try:
                for line in lines:
                    if self._socket:
                        self._answers.put(json.loads(line))
            except (OSError, ValueError):
                pass
        self.ended.set()
        self._answers.put(None)

    def ask(self, request):
        """The answer, a dictionary, {"refused": a sentence} where none comes; None where nobody
        can be asked, as the input is no socket."""
        if self._socket is None:
            return None
        if self.ended.is_set():
            return {"refused": "the flowgraph has ended"}
        with self._lock:
            self._number += 1
            try:
                self._socket.sendall(
                    json.dumps({**request, "number": self._number}).encode() + b"\n")
                answer = self._answers.get(timeout=TIMEOUT)
                while answer and answer["number"] != self._number:  # one that came too late
                    answer = self._answers.get(timeout=TIMEOUT)
                return answer or {"refused": "the flowgraph has ended"}
            except (OSError, queue.Empty):
                return {"refused": f"the flowgraph does not answer within {TIMEOUT:g} s"}
