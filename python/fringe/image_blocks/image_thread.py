#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images that are made beside the flowgraph, so that dumps never wait for them."""

import threading
from collections import deque

#: Bytes of dumps that may wait for an image of several.
MEMORY = 2**26


class image_thread:
    """Makes images of dumps in a thread of its own: offer() dumps, take() images."""

    def __init__(self, images):
        """images: the `dump_images` that do the work."""
        self._images, self._condition = images, threading.Condition()
        self._dumps, self._made, self._error = deque(), [], None
        self._working = self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def offer(self, dump):
        """Takes a `timed_dump` to be imaged; False where as many wait as may."""
        room = max(1, MEMORY // dump.values.nbytes) if self._images.every > 0 else 1
        with self._condition:
            if len(self._dumps) >= room:
                return False
            self._dumps.append(dump)
            self._condition.notify_all()
        return True

    def take(self, seconds):
        """(images that are ready, whether more are in work). Waits for one image so long at most;
        raises what ended the thread."""
        with self._condition:
            self._condition.wait_for(lambda: self._made or self._error or not self._busy, seconds)
            if self._error:
                raise self._error
            made, self._made = self._made, []
            return made, self._busy

    def end(self):
        """Ends the thread after the image that it works on; dumps that wait are forgotten."""
        with self._condition:
            self._ended = True
            self._dumps.clear()
            self._condition.notify_all()
        self._thread.join()

    @property
    def _busy(self):
        return self._working or bool(self._dumps)

    def _run(self):
        while True:
            with self._condition:
                self._working = False
                self._condition.notify_all()
                self._condition.wait_for(lambda: self._dumps or self._ended)
                if self._ended:
                    return
                dump, self._working = self._dumps.popleft(), True
            try:
                made = self._images.add(dump)
            except Exception as error:  # pylint: disable=broad-except
                with self._condition:
                    self._error, self._working = error, False
                    self._dumps.clear()
                    self._condition.notify_all()
                return
            with self._condition:
                self._made += made
