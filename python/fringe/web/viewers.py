#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Browsers that look at the page: a WebSocket each."""
import json
import time

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

#: Bytes of a message of a viewer, at most: all it can ask for is a pair of inputs.
MAX_BYTES = 200
HISTORY_EVERY = 1.0  # seconds


class viewer(WebSocketHandler):
    """One browser. Of each kind of message the newest one waits for it; those before are lost to
    it, and the page sees that by the frames' numbers and asks for the history again."""

    def initialize(self, viewers, names, limit):
        self._viewers, self._names, self._limit = viewers, names, limit
        self._waiting, self._sending = {}, False
        #: the inputs that it looks at, (i, j, third or None); None = none yet
        self.inputs = None
        #: it asks for all that there is of them
        self.wants_history, self._had_history = False, 0.0
        self.lost, self.has_header = 0, False

    def prepare(self):
        if self.request.host not in self._names:
            self.set_status(403)
            self.finish("this computer is not called so\n")
        elif len(self._viewers) >= self._limit:
            self.set_status(503)
            self.finish(f"there are {self._limit} viewers already\n")

    def open(self):
        """Tornado's."""
        self.set_nodelay(True)
        self._viewers.add(self)

    def on_close(self):
        """Tornado's."""
        self._viewers.discard(self)
        self._waiting.clear()

    def on_message(self, message):
        """{"pair": [i, j], "third": k}: these inputs from now on, with all that there is of them;
        the third, for the closure phase, may be left out."""
        try:
            asked = json.loads(message)
            i, j = asked["pair"]
            k = asked.get("third")
            for number in (i, j, k) if k is not None else (i, j):
                if type(number) is not int or not 0 <= number < 1 << 16:
                    raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.close(1003, "not a pair of inputs")
            return
        self.inputs, self.wants_history = (i, j, k), True

    def may_have_history(self):
        """True when it asks for the history, and had none a moment ago."""
        return self.wants_history and time.monotonic() - self._had_history >= HISTORY_EVERY

    def offer(self, kind, message):
        """A message for it, which it gets when it has taken those before."""
        if kind == "stream":
            self._waiting.clear()
        elif kind == "history":
            self.wants_history, self._had_history = False, time.monotonic()
            self._waiting.pop("frame", None)
        self.lost += kind == "frame" and kind in self._waiting
        self._waiting[kind] = message
        if not self._sending:
            self._sending = True
            self._viewers.spawn(self._send)

    def waiting_bytes(self):
        """How much waits for it here."""
        return sum(map(len, self._waiting.values()))

    async def _send(self):
        try:
            while self._waiting:
                kind = next(iter(self._waiting))
                await self.write_message(self._waiting.pop(kind), binary=True)
        except (WebSocketClosedError, StreamClosedError):
            self._waiting.clear()
        finally:
            self._sending = False
