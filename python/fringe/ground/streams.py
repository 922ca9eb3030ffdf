#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the streams of a block written in Python are; the C++ blocks do the same by themselves."""
import numpy as np
import pmt

from .. import fringe_python as fp

TAG = pmt.intern("stream")


def tags_of(block, port, item):
    """The tags of an item of an input, counted from the first of the stream: {name: value}."""
    return {pmt.symbol_to_string(tag.key): tag.value
            for tag in block.get_tags_in_range(port, item, item + 1)}


def valid_in(tags, streams, count):
    """[stream][time]: whether a sample, or a spectrum, of an item lies outside of the runs (stream,
    first, count) of its tag `invalid`."""
    valid = np.ones((streams, count), bool)
    if "invalid" in tags:
        for stream, first, length in np.reshape(pmt.u64vector_elements(tags["invalid"]), (-1, 3)):
            valid[stream, first:first + length] = False
    return valid


def failure(block):
    """The sentence on what ended the data early in the flowgraph that a block belongs to, "" when
    nothing did. To be asked after the flowgraph has stopped."""
    return fp._failure(block.to_basic_block())


def _text(fields):
    return {name: str(value) for name, value in fields.items()}


def dump_fields(inputs, channels, channels_per_item, **more):
    """The fields that describe dumps of all products of some inputs."""
    return {"inputs": inputs, "channels": channels, "channels_per_item": channels_per_item,
            "products": "all", "baselines": inputs * (inputs + 1) // 2, **more}


def describe(block, port, kind, item_bytes, **fields):
    """Says on the next item of an output what the stream is."""
    block.add_item_tag(port, block.nitems_written(port), TAG,
                       fp._stream_tag(block.alias(), kind, item_bytes, _text(fields)))


def time_value(second, fraction):
    """The value of a tag rx_time."""
    return pmt.make_tuple(pmt.from_uint64(int(second)), pmt.from_double(float(fraction)))


def begin_tags(start, rate, frequency):
    """rx_time, rx_rate and rx_freq as a receiver sends them when it starts, {name: value}; start
    is an epoch."""
    return {"rx_time": time_value(start.seconds, start.fraction()),
            "rx_rate": pmt.from_double(float(rate)), "rx_freq": pmt.from_double(float(frequency))}


def begin(block, port, start, rate, frequency):
    """begin_tags() on the next item of an output."""
    for name, value in begin_tags(start, rate, frequency).items():
        block.add_item_tag(port, block.nitems_written(port), pmt.intern(name), value)


class observed_frequencies:
    """The frequencies of dumps as an observation has them, compared with the tags of the data."""

    def __init__(self, observation, channels, complex_samples):
        self._axis = observation, channels, bool(complex_samples)

    def refused(self, block, tags):
        """True when the tags of a dump, {name: value}, say other frequencies: the log says why,
        and work() must end the data by returning -1."""
        frequency, width = (pmt.to_double(tags[name]) if name in tags else None
                            for name in ("rx_freq", "channel_width"))
        why = fp._axis_contradiction(*self._axis, block.alias(), frequency, width)
        if why:
            expected_streams.refuse(block, why)
        return bool(why)


class expected_streams:
    """What a block expects at its inputs, compared with the tags `stream` that come.

    ports: (kind, bytes of an item, fields) of each input.
    """

    def __init__(self, *ports):
        self._ports = [(kind, size, _text(fields)) for kind, size, fields in ports]
        self.received = {}  #: fields that describe the stream of input 0, as texts

    def restart(self, block):
        """To be called by start(): forgets what happened in an earlier run."""
        self.received = {}
        fp._report_failure(block.to_basic_block(), "")

    def refused(self, block, items):
        """True when a stream is something else than the block expects: the log says why, and
        work() must end the data by returning -1. items: how many there are at each input."""
        for port, count in enumerate(items):
            kind, size, fields = self._ports[port]
            first = block.nitems_read(port)
            for tag in block.get_tags_in_range(port, first, first + count, TAG):
                why = fp._stream_mismatch(block.alias(), kind, size, fields, tag.value)
                if why:
                    self.refuse(block, why)
                    return True
                if port == 0:
                    self.received = pmt.to_python(tag.value) or {}
        return False

    @staticmethod
    def refuse(block, why):
        """Says why the block cannot go on, in the log and to the files of the flowgraph, which
        keep their partial names."""
        block.logger.error(why)
        fp._report_failure(block.to_basic_block(), why)
