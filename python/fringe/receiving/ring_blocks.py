#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The blocks that a voltage_ring is made of."""
import collections
import threading

import numpy as np
import pmt
from gnuradio import gr

from ..ground.streams import expected_streams, tags_of
from .ring_dump import ring_dump
from .ring_request import ring_request, words_of
from .ring_times import NAME

DUMP, DUMPED = pmt.intern("dump"), pmt.intern("dumped")
DUMPS = 4  #: that are written at a time
KEPT = 100  #: messages


class ring_sink(gr.sync_block):
    """Puts the items of a stream into an item_ring, and their times and tags into ring_times.
    It sends the messages of a ring_port, too.

      expected: (kind, bytes of an item, fields) of the stream
    """

    #: called when the stream has ended
    join = None

    def __init__(self, ring, times, expected):
        gr.sync_block.__init__(self, name="fringe_voltage_ring", out_sig=None,
                               in_sig=[(np.uint8, times.stream.item_bytes)])
        self._ring, self._times = ring, times
        self._streams = expected_streams(expected)
        self.message_port_register_out(DUMPED)

    def start(self):
        """The stream begins, or goes on after a change of the flowgraph."""
        self._streams.restart(self)
        self._times.restart()
        self._ring.set_ended(False)
        return True

    def stop(self):
        """What dumps still wait for does not come."""
        self._ring.set_ended(True)
        self.join()
        return True

    def work(self, input_items, output_items):
        """Takes items."""
        items = input_items[0]
        if self._streams.refused(self, [len(items)]):
            return -1
        first, read = self._ring.next(), self.nitems_read(0)
        tagged = {tag.offset for tag in self.get_tags_in_range(0, read, read + len(items))}
        try:
            for offset in sorted(tagged | {read}):
                self._times.add(first + offset - read, tags_of(self, 0, offset))
        except ValueError as error:
            expected_streams.refuse(self, str(error))
            return -1
        self._ring.put(items)
        # Who asks for the times of the oldest item may be overtaken.
        self._times.forget(self._ring.first() - self._ring.items)
        return len(items)


class ring_port(gr.sync_block):
    """Takes messages with requests, and has threads that write what they ask for.

    It has no stream: it takes messages also when the stream of the ring has ended, until those who
    send them have. The messages that it makes are sent by the ring_sink: in a flowgraph where
    nobody sends it messages it has no part, and nobody waits for its end.

      sink: ring_sink; path: of the files, into which a name comes; seconds: length of the ring;
      longest: of a dump
    """

    def __init__(self, sink, ring, times, path, seconds, longest):
        gr.sync_block.__init__(self, name="fringe_ring_port", in_sig=None, out_sig=None)
        self._sink, self._ring, self._times, self._path = sink, ring, times, path
        self._seconds, self._longest = seconds, max(longest, seconds)
        self._threads, self._lock = [], threading.Lock()
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

    def busy(self):
        """Dumps that are being written."""
        with self._lock:
            return sum(thread.is_alive() for thread in self._threads)

    def stop(self):
        """Waits for the dumps that are being written."""
        self.join()
        return True

    def join(self):
        """Waits for the dumps that are being written."""
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join()

    def _take_message(self, message):
        words = {}
        try:
            words = words_of(message)
            self.dump(**words)
        except (TypeError, ValueError) as error:
            self.logger.warn(f"{NAME}: {error}")
            self._count("refused")
            self._publish({"file": "", "problem": str(error), "why": words.get("why")})

    def dump(self, **words):
        """Starts a thread for a dump. ValueError for what cannot be."""
        if not self._ring.next():
            raise ValueError("dump: no samples have come yet")
        with self._lock:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if len(self._threads) == DUMPS:
                raise ValueError(f"dump: {DUMPS} dumps are being written; try again when one of "
                                 "them is done")
            dump = ring_dump(self._ring, self._times, self._request(words), self._path)
            self._threads.append(threading.Thread(target=self._write, args=(dump,), daemon=True))
            self._threads[-1].start()

    def _request(self, words):
        ring, times = self._ring, self._times
        newest = times.oldest(ring.next() - 1)
        oldest = times.oldest(max(ring.first(), newest.run.axis)).start
        request = ring_request.of(words, oldest, newest.end)
        if request.start.seconds_since(newest.end) > self._seconds:
            raise ValueError(f"dump: begins at {request.start.iso(6)}, more than "
                             f"{self._seconds:g} s after the newest sample, {newest.end.iso(6)}")
        length = request.end.seconds_since(request.start)
        if length > self._longest + 2 * times.stream.item_seconds:
            raise ValueError(f"dump: of {length:.6g} s; the longest is "
                             f"{self._longest:g} s")
        return request

    def _write(self, dump):
        found = dump.run()
        if found["problem"]:
            self.logger.warn(f"{NAME}: {found['problem']}")
        self._count("failed" if found["problem"] else "with_gaps" if found["lost"] else "whole",
                    found["lost"])
        self._publish(found)

    def _count(self, result, lost=0):
        with self._lock:
            self._counts[result] += 1
            self._counts["overtaken"] += lost

    def _publish(self, found):
        self._dumps.append(found)
        self._sink.message_port_pub(DUMPED, pmt.to_pmt(found))
