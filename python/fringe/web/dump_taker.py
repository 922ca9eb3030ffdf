#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Takes published dumps in a thread of its own, and starts again when they end."""
import collections
import threading
import time

from ..publishing.dump_reader import dump_reader
from .recent_dumps import recent_dumps

#: Dumps looked at per second, and how many more at once after a pause, as in displays.
#: The others are counted.
RATE, BURST = 15.0, 5.0
#: Dumps that wait in this process, at most.
WAITING = 4
#: Seconds without a dump after which the page says so: at least, and in intervals of the dumps.
SILENCE, SILENT_INTERVALS = 3.0, 2.5
PAUSE = 1.0   # seconds before a publisher of other messages is asked again
WAIT = 0.2    # seconds after which the thread looks whether it is to end


class dump_taker:
    """Reads `address` until close().

    `recent` is the recent_dumps of the stream, or None; it must be used with `lock` held.
    Attributes for the page: received, lost (numbers that are missing), passed (those that came too
    fast to be looked at); sentence(), what is wrong or "". newest() is called with each dump that
    is looked at, in the thread.

    Raises ValueError for an address that is none; ImportError, naming the package, where ZeroMQ
    is not installed.
    """

    def __init__(self, address, newest=lambda dump: None):
        self._address, self._newest = address, newest
        self.lock, self.recent = threading.Lock(), None
        self.received = self.lost = self.passed = 0
        self.failure = None    #: what has ended the thread, an exception
        self.came = None       #: time.monotonic() of the newest dump
        self._arrivals = collections.deque(maxlen=50)
        self._state, self._next, self._interval = "waiting", None, 0.0
        self._tokens, self._last, self._held = BURST, time.monotonic(), None
        self._ending = threading.Event()
        self._reader = dump_reader(address, WAIT, max_waiting=WAITING)
        self._thread = threading.Thread(target=self._run, name="dumps", daemon=True)

    def start(self):
        """Begins to read."""
        self._thread.start()

    def close(self):
        """Ends the thread."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()

    def rate(self):
        """Dumps a second of late, or None."""
        times = list(self._arrivals)
        if len(times) < 2 or time.monotonic() - times[-1] > max(SILENCE, times[-1] - times[0]):
            return None
        return (len(times) - 1) / max(times[-1] - times[0], 1e-6)

    def samples(self):
        """Metrics of the dumps, (name, labels, value), see operating/metrics.py."""
        yield "fringe_page_dumps_received_total", {}, self.received
        yield "fringe_page_dumps_lost_total", {}, self.lost
        if self.came is not None:
            yield "fringe_page_dump_age_seconds", {}, time.monotonic() - self.came
            yield "fringe_dump_interval_seconds", {}, self._interval
        with self.lock:
            inputs = self.recent.inputs() if self.recent and self.recent.points else ()
        for name, power, weight in inputs:
            yield "fringe_input_power", {"input": name}, power
            yield "fringe_input_weight_ratio", {"input": name}, weight

    def sentence(self):
        """What the page says of the dumps where they do not come as they should."""
        silent = None if self.came is None else time.monotonic() - self.came
        if self._state == "refused":
            return self._why
        if silent is None:
            return f"waiting for the first dump from {self._address}"
        if self._state == "ended":
            return (f"the data ended {silent:.0f} s ago; waiting for others from "
                    f"{self._address}")
        if silent > max(SILENCE, SILENT_INTERVALS * self._interval):
            return f"no dumps for {silent:.0f} s"
        return ""

    def _run(self):
        try:
            self._read_streams()
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error    # the main thread raises it

    def _read_streams(self):
        while not self._ending.is_set():
            try:
                with self._reader as reader:
                    self._read(reader)
                self._reader = dump_reader(self._address, WAIT, max_waiting=WAITING)
            except (ValueError, OverflowError, MemoryError) as error:
                self._state, self._why = "refused", str(error) or "out of memory"
                self._ending.wait(PAUSE)
                self._reader = dump_reader(self._address, WAIT, max_waiting=WAITING)
        self._reader.close()

    def _read(self, reader):
        """Takes dumps until their end."""
        self._next = None
        while not self._ending.is_set():
            reader.timeout = WAIT if self._held is None else (1 - self._tokens) / RATE
            try:
                dump = next(reader)
            except TimeoutError:
                self._show_held()
                continue
            except StopIteration:
                self._show_held(at_once=True)
                self._state = "ended"
                return
            self._count(dump)
            if self._held is not None:
                self.passed += 1
            self._held = dump
            self._show_held()

    def _count(self, dump):
        self.came = time.monotonic()
        self._arrivals.append(self.came)
        self._state, self._interval = "live", dump.interval
        self.received += 1
        if self._next is not None and dump.number > self._next:
            self.lost += dump.number - self._next
        self._next = dump.number + 1

    def _show_held(self, at_once=False):
        """Looks at the newest dump, when it is time for one."""
        now = time.monotonic()
        self._tokens = min(BURST, self._tokens + RATE * (now - self._last))
        self._last = now
        if self._held is None or (self._tokens < 1 and not at_once):
            return
        self._tokens -= 1
        dump, self._held = self._held, None
        recent = self.recent
        if recent is None or not recent.fits(dump):
            recent = recent_dumps(dump)
        reduced = recent.reduce(dump)
        with self.lock:
            self.recent = recent
            recent.add(reduced)
        self._newest(dump)
