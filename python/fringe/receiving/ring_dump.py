#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A part of a voltage ring becomes a recording."""
import contextlib
import math
import os
import re

from .. import fringe_python as fp
from ..ground.streams import begin_tags

WAIT = 0.5  # seconds, after which a dump looks whether the stream has ended
SAME = 0.5  # of a sample: times of requests have been rounded


class ring_dump:
    """Writes what a ring_request asks for to a file, item by item, as long as the ring has it.

    The stream goes on meanwhile. What the ring loses before it is written is a gap in the file.

      ring: an _item_ring; times: its _ring_times; stream: a ring_stream; path: of the file, a name
      comes into it
    """

    def __init__(self, ring, times, stream, request, path):
        self._ring, self._times, self._stream, self._request = ring, times, stream, request
        stem, ending = os.path.splitext(path)
        self.path = f"{stem}_{request.name or re.sub('[-:]', '', request.start.iso(3))}{ending}"
        self._same = SAME / stream.rate
        oldest = self._oldest = ring.first()
        self._next = times.find(request.start, oldest)
        first = times.oldest(self._next)
        self._axis, self._end = first.run.axis, first.start
        self._lost, self._sink = [], None
        if oldest > self._axis:  # what the ring had once
            self._add_lost(first.run.axis_start, self._axis, oldest)

    def run(self):
        """Writes the file; returns what the message `dumped` says."""
        problem = ""
        try:
            self._write()
        except (OSError, RuntimeError, ValueError) as error:
            problem = str(error)
        rate, sink, request = self._stream.rate, self._sink, self._request
        samples = sink.samples() if sink else 0
        lost = sum(round(end.seconds_since(start) * rate) for start, end in self._lost)
        return {"file": self.path, "problem": problem,
                "from": request.start.iso(9), "to": request.end.iso(9),
                "start": fp.epoch(*sink.began).iso(9) if samples else "",
                "samples": samples, "seconds": samples / rate, "lost": lost,
                "lost_times": [f"{start.iso(9)} {end.iso(9)}" for start, end in self._lost],
                "why": request.why}

    def _write(self):
        with contextlib.closing(self._items()) as items:
            found = next(items, None)
            if found is None:
                raise ValueError(f"{self.path}: nothing of {self._request.start.iso(6)} to "
                                 f"{self._request.end.iso(6)} came, or was left")
            stream = self._stream
            form = stream.form(self.path, self._granule(), found[1].run.frequency)
            with form.files(stream.block) as (self._sink, _):
                before = None
                while found:
                    number, its, values = found
                    tags = its.tags
                    if before is None or number != before + 1:
                        tags = {**tags, **begin_tags(its.start, stream.rate, its.run.frequency)}
                    self._sink.write(stream.written(self.path, values), tags)
                    before, found = number, next(items, None)
                self._sink.finish()

    def _granule(self):
        """Samples of which all places where the time begins are multiples, for the frames of
        VDIF."""
        stream = self._stream
        starts = [self._end, *self._times.begins(self._next)]
        return math.gcd(stream.block, *(round(start.fraction() * stream.rate)
                                        for start in starts))

    def _items(self):
        """(number, ring_item, values) of each item, which is held until the next is asked for."""
        self._wait_for_first()
        while not self._is_over() and self._has_come(self._next):
            its = self._times.item(self._next)  # asked before, as it is forgotten with the item
            values = self._ring.hold(self._next)
            if values is None:
                self._lose()
                continue
            try:
                if its.run.axis != self._axis or self._is_over():
                    return
                self._end = its.start
                if its.end.seconds_since(self._request.start) > self._same:
                    yield self._next, its, values
                self._end = its.end
            finally:
                self._ring.release(values)
            self._next += 1

    def _wait_for_first(self):
        """Waits until the first item has come. A gap before it changes its number."""
        while self._next >= self._ring.next() and not self._ring.ended():
            self._ring.wait_for(self._ring.next(), WAIT)
            self._next = self._times.find(self._request.start, self._oldest)
            self._end = self._times.oldest(self._next).start

    def _is_over(self):
        """Whether the next item, which may be to come, is behind the end."""
        its = self._times.item(self._next)
        return its is not None and self._request.end.seconds_since(its.start) < self._same

    def _has_come(self, number):
        while not self._ring.wait_for(number, WAIT):
            if self._ring.ended():
                return self._ring.wait_for(number, 0)
        return True

    def _lose(self):
        """The stream has overtaken the dump."""
        before, self._next = self._next, max(self._next + 1, self._ring.first())
        self._add_lost(self._end, before, self._next)
        self._end = self._times.oldest(self._next).start

    def _add_lost(self, began, first, end):
        """Items first ... end - 1 are gone, the first of which began at a time. Gaps among them
        were never there; those before the times that are kept are not known, and count."""
        known = self._times.stretches(first, end)
        since = known[0][0] if known else self._times.oldest(end).start
        if self._times.item(first) is None and began < since:
            known.insert(0, (began, since))
        for start, until in known:
            start = start if self._request.start < start else self._request.start
            until = until if until < self._request.end else self._request.end
            if start < until:
                self._lost.append((start, until))
