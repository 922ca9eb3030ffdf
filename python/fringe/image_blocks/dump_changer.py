#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What blocks that change the visibilities of dumps have in common."""

import numpy as np
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.dump_items import dump_items, dump_times, edge_channel
from ..images.dump_images import timed_dump
from ..ground.streams import dump_fields, expected_streams, observed_frequencies, tags_of
from .read_ahead import read_ahead

DTYPES = ("<c8", "<f4", "u1")


class dump_changer(gr.basic_block):
    """A block with dumps in and dumps out, with all their tags, one for one: visibilities, and
    weights and flags where they are connected, in the same order at both sides.

    A subclass has change(timed_dump), which returns the visibilities [channel][product] that
    are sent, and may raise ValueError, which ends the flowgraph.
    """

    def __init__(self, name, observation, channels, complex_samples, channels_per_item):
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(max(inputs, 1), channels)
        if inputs < 2 or channels < 1 or channels % per_item:
            raise ValueError(f"{name}: inputs {inputs}, channels {channels}, channels_per_item "
                             f"{channels_per_item}; there must be two inputs or more, and whole "
                             "items to the channels (0 = chosen for you)")
        self._block, self._row, self._channels = name, inputs * (inputs + 1) // 2, channels
        values = per_item * self._row
        ports = [(np.dtype(dtype), values) for dtype in DTYPES]
        gr.basic_block.__init__(self, name=f"fringe_{name}",
                                in_sig=gr.py_io_signature(1, 3, ports),
                                out_sig=gr.py_io_signature(1, 3, ports))
        self.set_tag_propagation_policy(gr.TPP_DONT)
        fields = dump_fields(inputs, channels, per_item, complex_samples=bool(complex_samples))
        self._streams = expected_streams(
            *((kind, size * values, fields) for kind, size in
              (("visibilities", 8), ("weights", 4), ("flags", 1))))
        self._axis = observed_frequencies(observation, channels, complex_samples)
        self._per_item, self._dump, self._changed = per_item, None, []
        self._counted, self._input = 0, read_ahead(self)

    def change(self, dump):
        """The visibilities that are sent for a `timed_dump`."""
        raise NotImplementedError

    def forecast(self, noutput_items, ninputs):
        """One item is enough to be called."""
        return [1] * ninputs

    def start(self):
        """Forgets what is left of an earlier run."""
        self._streams.restart(self)
        self._dump, self._changed, self._counted = None, [], 0
        self._input.restart()
        return True

    def general_work(self, input_items, output_items):
        """Collects the items of a dump; sends those of the last one that was changed."""
        if self._streams.refused(self, map(len, input_items)):
            return -1
        if self._dump is None:
            self._dump = dump_items(self._row, self._channels, self._per_item,
                                    DTYPES[:len(input_items)])
        waiting = min(map(len, input_items))
        at = self._input.begin(waiting)
        while at < waiting and not self._changed:
            first = self.nitems_read(0) + at
            if self._dump.begins:
                self._dump.begin()
                self._tags, found = [], tags_of(self, 0, first)
                self._times = dump_times.of(found)
                if self._axis.refused(self, found):
                    return -1
            count = self._dump.add(*(items[at:waiting] for items in input_items))
            for port in range(len(input_items)):
                self._tags += [(port, tag) for tag in
                               self.get_tags_in_range(port, first, first + count)]
            at += count
            if self._dump.whole:
                try:
                    self._end(len(output_items))
                except ValueError as error:
                    expected_streams.refuse(self, f"{self._block}: {error}")
                    return -1
        sent = self._send(output_items)
        # The output may have had no room for all items of the dump.
        self._input.end(len(input_items), at, hold=bool(self._changed))
        return sent

    def _end(self, outputs):
        """Changes a dump, and makes items of it."""
        ports, times = self._dump.end(), self._times
        seconds, fraction = ((self._counted, 0.0) if times.seconds is None
                             else (times.seconds, times.fraction))
        self._counted += 1
        if times.interval != 0:
            ports[0] = self.change(timed_dump(
                *ports, *(None,) * (3 - len(ports)), seconds, fraction, times.interval or 1.0,
                edge_channel(self._streams.received, self._channels)))
        if len(ports) < 2:
            ports.append(np.ones(ports[0].shape, np.float32))
        if len(ports) < 3:
            ports.append(np.zeros(ports[0].shape, np.uint8))
        shape = self._dump.items, -1
        self._changed = [port.reshape(shape) for port in ports[:outputs]]
        for port, tag in self._tags:
            for out in range(outputs):
                if out == port or port == 0 and out >= 1 and not self._has_stream(out):
                    self.add_item_tag(out, tag.offset, tag.key, tag.value)

    def _has_stream(self, port):
        """True where an input has tags of its own for an output."""
        return any(tagged == port for tagged, _ in self._tags)

    def _send(self, output_items):
        if not self._changed:
            return 0
        count = min(len(output_items[0]), len(self._changed[0]))
        for out, items in zip(output_items, self._changed):
            out[:count] = items[:count]
        self._changed = [items[count:] for items in self._changed]
        if len(self._changed[0]) == 0:
            self._changed = []
        return count
