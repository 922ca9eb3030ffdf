#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The block of a voltage_ring that takes messages, and its threads."""
import collections
import threading

import pmt
from gnuradio import gr

from .ring_dump import ring_dump
from .ring_request import ring_request, words_of
from .ring_stream import NAME

DUMP = pmt.intern("dump")
DUMPS = 4  #: that are written at a time
KEPT = 100  #: messages


class ring_port(gr.sync_block):
    """Takes messages with requests, and has threads that write what they ask for.

    It has no stream: it takes messages also when the stream of the ring has ended, until those who
    send them have. The messages that it makes are sent by the sink of the stream: in a flowgraph
    where nobody sends it messages it has no part, and nobody waits for its end.

      sink: the block in C++ that takes the stream; ring: its items; times: of these; stream: a
      ring_stream; path: of the files, into which a name comes; seconds: length of the ring;
      longest: of a dump
    """

    def __init__(self, sink, ring, times, stream, path, seconds, longest):
        gr.sync_block.__init__(self, name="fringe_ring_port", in_sig=None, out_sig=None)
        self._sink, self._ring, self._times, self._path = sink, ring, times, path
        self._stream = stream
        self._seconds, self._longest = seconds, max(longest, seconds)
        self._lock = threading.Lock()
        self._dumps = collections.deque(maxlen=KEPT)
        self._counts = dict.fromkeys(("whole", "with_gaps", "failed", "refused", "overtaken"), 0)
        self.message_port_register_in(DUMP)
        self.set_msg_handler(DUMP, self._take_message)

    def dumps(self):
        """What was published, the last hundred messages."""
        return list(self._dumps)

    def counts(self):
        """How many dumps there were, by what became of them; `overtaken`: lost samples."""
        with self._lock:
            return dict(self._counts)

    def stop(self):
        """Waits for the dumps that are being written."""
        self._sink.wait_for_dumps()
        return True

    def _take_message(self, message):
        words = {}
        try:
            words = words_of(message)
            self.dump(**words)
        except (TypeError, ValueError) as error:
            self.logger.warn(f"{NAME}: {error}")
            self._count("refused")
            found = {"file": "", "problem": str(error), "why": words.get("why")}
            self._dumps.append(found)
            self._sink.publish(pmt.to_pmt(found))

    def dump(self, **words):
        """Starts a thread for a dump. ValueError for what cannot be."""
        if not self._ring.next():
            raise ValueError("dump: no samples have come yet")
        with self._lock:
            if self._sink.busy() == DUMPS:
                raise ValueError(f"dump: {DUMPS} dumps are being written; try again when one of "
                                 "them is done")
            dump = ring_dump(self._ring, self._times, self._stream, self._request(words),
                             self._path)
            self._sink.begin_dump()
        try:
            threading.Thread(target=self._write, args=(dump,), daemon=True).start()
        except RuntimeError:  # the system has no more threads
            self._sink.end_dump(None)
            raise

    def _request(self, words):
        ring, times = self._ring, self._times
        newest = times.oldest(ring.next() - 1)
        oldest = times.oldest(max(ring.first(), newest.run.axis)).start
        request = ring_request.of(words, oldest, newest.end)
        if request.start.seconds_since(newest.end) > self._seconds:
            raise ValueError(f"dump: begins at {request.start.iso(6)}, more than "
                             f"{self._seconds:g} s after the newest sample, {newest.end.iso(6)}")
        length = request.end.seconds_since(request.start)
        if length > self._longest + 2 * self._stream.item_seconds:
            raise ValueError(f"dump: of {length:.6g} s; the longest is "
                             f"{self._longest:g} s")
        return request

    def _write(self, dump):
        message = None
        try:
            found = dump.run()
            if found["problem"]:
                self.logger.warn(f"{NAME}: {found['problem']}")
            self._count("failed" if found["problem"] else "with_gaps" if found["lost"] else "whole",
                        found["lost"])
            self._dumps.append(found)
            message = pmt.to_pmt(found)
        finally:
            self._sink.end_dump(message)

    def _count(self, result, lost=0):
        with self._lock:
            self._counts[result] += 1
            self._counts["overtaken"] += lost
