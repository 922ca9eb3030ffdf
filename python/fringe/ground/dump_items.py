#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A dump comes as several items, each of some of its channels: here they become one again."""
from typing import NamedTuple

import numpy as np
import pmt


class dump_times(NamedTuple):
    """What the tags of a dump's first item say of its time; None where they do not."""
    seconds: int       #: UTC of its start, whole seconds since 1970
    fraction: float    #: and the fraction
    interval: float    #: s from its start to its end
    exposure: float    #: s of data in it

    @classmethod
    def of(cls, tags):
        """From tags, {name: value}, as streams.tags_of() returns them."""
        seconds = fraction = None
        if "rx_time" in tags:
            seconds = pmt.to_uint64(pmt.tuple_ref(tags["rx_time"], 0))
            fraction = pmt.to_double(pmt.tuple_ref(tags["rx_time"], 1))
        interval, exposure = (pmt.to_double(tags[name]) if name in tags else None
                              for name in ("interval", "exposure"))
        return cls(seconds, fraction, interval, exposure)


def edge_channel(received, channels):
    """The channel that holds both edges of the band, which files have flagged; or None.

    received: the fields that describe the stream, as texts; see expected_streams.
    """
    if "edge_channel" in received:  # a reducer has kept some channels
        number = received["edge_channel"]
        return int(number) if number.isdecimal() and int(number) < channels else None
    return 0 if received.get("complex_samples") == "True" and channels % 2 == 0 else None


class dump_items:
    """Puts a dump together from its items, at one port or at several that go in step.

    Where `begins` is true the next item is the first of a dump: begin() says what is wanted of it.
    Then add() takes items until `whole` is true, and end() returns the dump.

      kept: a slice, ascending, of the channels that the dump shall have
    """

    def __init__(self, products, channels, channels_per_item, dtypes=(np.complex64,),
                 kept=slice(None)):
        self._shape, self._per_item = (channels, products), channels_per_item
        #: items to a dump
        self.items = channels // channels_per_item
        self._dtypes, self._kept, self._step = dtypes, np.arange(channels)[kept], kept.step or 1
        self.restart()

    def restart(self):
        """Forgets what there is of a dump."""
        self._position, self._values = 0, None

    @property
    def begins(self):
        """True where the next item is the first of a dump."""
        return self._position == 0

    @property
    def whole(self):
        """True when the dump has all its items."""
        return self._position == self.items

    def begin(self, columns=slice(None)):
        """Which products of the dump are kept; None: it is counted, and nothing of it is kept."""
        self._columns, self._values = columns, None
        if columns is not None:
            kept = len(np.arange(self._shape[1])[columns])
            self._values = [np.empty((len(self._kept), kept), dtype) for dtype in self._dtypes]

    def add(self, *ports):
        """Takes those of the items of each port, [item][value], that belong to the dump; returns
        how many of them that are."""
        count = min(self.items - self._position, len(ports[0]))
        if self._values is not None:
            first = self._position * self._per_item
            to = slice(*np.searchsorted(self._kept, (first, first + count * self._per_item)))
            some = self._kept[to] - first
            for values, items in zip(self._values, ports if len(some) else ()):
                rows = items[:count].reshape(-1, self._shape[1])
                values[to] = rows[some[0]:some[-1] + 1:self._step, self._columns]
        self._position += count
        return count

    def end(self):
        """The dump, an array [channel][product] for each port, or None; the next one begins."""
        values = self._values
        self.restart()
        return values
