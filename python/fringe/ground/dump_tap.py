#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The newest dump out of a stream of them, at most a given number of times a second."""

import math
import time
from dataclasses import dataclass

import numpy as np
import pmt
from gnuradio import gr

from .dump_items import dump_items, dump_times, edge_channel
from .streams import dump_fields, expected_streams, tags_of

#: Dumps shown per second, and how many more at once after a pause, as dumps often come in
#: bunches. So there are never more than RATE + BURST = 20 in a second.
RATE, BURST = 15.0, 5.0
#: What a curve is given for "no value": it is below every axis, also in sinks of qtgui, where a NaN
#: would stay for good.
NO_VALUE = -1e9
#: Bytes of a page of memory: GNU Radio's buffers are whole pages.
PAGE = 4096


@dataclass
class dump:
    """One dump, or the part of it that a display asked for."""
    values: np.ndarray  #: [channel][product], with several inputs [input][channel][product]; NaN
    #: in a channel that is left out
    products: object    #: what was asked for; the columns of `values`
    number: int         #: counted from the first of the stream, shown or not
    seconds: int        #: start, whole UTC seconds since 1970; dumps without time start at 0
    fraction: float     #: and the fraction
    interval: float     #: s; 0 = not known
    middle: float       #: sky frequency in the middle of the band, Hz; 0 = not known
    width: float        #: from one channel to the next, Hz; 0 = not known
    complex_samples: object  #: whether the band is that of complex samples; None = not known


@dataclass(frozen=True)
class dump_stream:
    """What comes in at a display: items of some channels, [channel][value]."""
    kind: str     #: as the tag `stream` names it
    dtype: type   #: of a value
    row: int      #: values in a channel
    fields: dict  #: what else the tag says

    @classmethod
    def of_visibilities(cls, inputs, channels, per_item):
        """Dumps of all products."""
        return cls("visibilities", np.complex64, inputs * (inputs + 1) // 2,
                   dump_fields(inputs, channels, per_item))

    @classmethod
    def of_fractions(cls, channels):
        """The share of each channel that a flagger has flagged."""
        return cls("fractions flagged", np.float32, 1, {"channels": channels})

    def item_bytes(self, per_item):
        """Bytes of an item of this number of channels."""
        return np.dtype(self.dtype).itemsize * per_item * self.row


def use_whole_pages(block, port, item_bytes):
    """An output's buffer is of whole pages, else GNU Radio warns that it made it longer."""
    whole = PAGE // math.gcd(item_bytes, PAGE)
    least = max(16, 65536 // item_bytes)
    block.set_min_output_buffer(port, -(-least // whole) * whole)


class dump_tap(gr.basic_block):
    """Hands dumps to a display or a live_plot, and its curves on to sinks of vectors.

    As in files, the channel that holds both edges of the band (the first of an even number of
    channels of complex samples) is left out: it has NaN. That the samples are complex the stream
    says, see streams.py.

    Inputs: visibilities [channel][baseline], or what else `stream` says, `per_item` channels an
    item; several go in step, and the tags of the first one count. All that is waiting is taken at
    every call; dumps above the rate, the older first, are counted and not looked at. So a slow
    display loses dumps, and the flowgraph no time.

    show(dump): called in the block's thread; returns a vector for each output, or None.
    keep(dump): called with every dump, before show(), if given: for what must not miss any.
    products(): what the next dump is wanted for: (key, columns), latched when it begins.
    ended(): called at the end of every run, if given.
    lengths: of the output vectors, float32.
    inputs: how many there are.
    """

    def __init__(self, stream, channels, per_item, show, products, lengths=(), ended=None,
                 keep=None, inputs=1):
        self._channels = channels
        self._dump = dump_items(stream.row, channels, per_item, (stream.dtype,) * inputs)
        self._show, self._products, self._ended, self._keep = show, products, ended, keep
        self._number, self._passed, self._shown = 0, 0, True
        self._tokens, self._last = BURST, time.monotonic()
        self.running = None  #: whether its flowgraph runs; None = not yet
        gr.basic_block.__init__(self, name="fringe_display",
                                in_sig=[(stream.dtype, per_item * stream.row)] * inputs,
                                out_sig=[(np.float32, length) for length in lengths])
        self._streams = expected_streams(*[(stream.kind, stream.item_bytes(per_item),
                                            stream.fields)] * inputs)
        self.set_tag_propagation_policy(gr.TPP_DONT)
        for port, length in enumerate(lengths):
            use_whole_pages(self, port, 4 * length)

    def forecast(self, noutput_items, ninputs):
        """One item is enough to be called."""
        return [1] * ninputs

    def start(self):
        """Forgets what is left of an earlier run."""
        self._streams.restart(self)
        self._dump.restart()
        self.running = True
        return True

    def stop(self):
        """The run has ended: nothing more is shown."""
        self.running = False
        if self._ended:
            self._ended()
        return True

    def seen(self):
        """Dumps so far, shown or not."""
        return self._number

    def passed_over(self):
        """Dumps that were not shown so far."""
        return self._passed

    def general_work(self, input_items, output_items):
        """Takes all that is waiting, and shows what it may."""
        count, vectors, at = min(map(len, input_items)), None, 0
        if self._streams.refused(self, [count] * len(input_items)):
            return -1
        while at < count:
            if self._dump.begins:
                self._begin(self.nitems_read(0) + at, waiting=count - at)
            at += self._dump.add(*(items[at:count] for items in input_items))
            if self._dump.whole:
                vectors = self._end() or vectors
        self.consume_each(count)
        if not output_items or vectors is None:
            return 0
        for out, vector in zip(output_items, vectors):
            out[0] = np.where(np.isfinite(vector), vector, NO_VALUE)
        return 1

    def _begin(self, item, waiting):
        """Decides whether the dump that begins with this item is shown."""
        now = time.monotonic()
        self._tokens = min(BURST, self._tokens + RATE * (now - self._last))
        self._last = now
        self._shown = self._tokens >= max(1, waiting // self._dump.items)
        self._passed += not self._shown
        self._tokens -= self._shown
        if not self._shown and self._keep is None:
            self._dump.begin(None)
            return
        self._asked, columns = self._products()
        self._dump.begin(columns)
        tags = tags_of(self, 0, item)
        self._axis = tuple(pmt.to_double(tags[name]) if name in tags else 0.0
                           for name in ("rx_freq", "channel_width"))
        times = dump_times.of(tags)
        self._time = (0, 0.0, 0.0)
        if times.seconds is not None:
            self._time = times.seconds, times.fraction, times.interval or 0.0

    def _end(self):
        values = self._dump.end()
        self._number += 1
        if values is None:
            return None
        edge = edge_channel(self._streams.received, self._channels)
        values = np.array(values) if len(values) > 1 else values[0]
        if edge is not None and self._channels > 1:
            values[..., edge, :] = np.nan
        whole = dump(values, self._asked, self._number - 1, *self._time, *self._axis,
                     {"True": True, "False": False}.get(
                         self._streams.received.get("complex_samples")))
        if self._keep is not None:
            self._keep(whole)
        return self._show(whole) if self._shown else None
