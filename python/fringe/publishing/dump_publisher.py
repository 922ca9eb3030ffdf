#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dumps to other programs, by ZeroMQ."""
import json

import numpy as np
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.dump_items import dump_items, dump_times, edge_channel
from ..observing.observation_words import input_name
from .dump_reader import PRODUCTS, import_zmq
from ..ground.streams import dump_fields, expected_streams, observed_frequencies, tags_of

ADDRESS = "tcp://127.0.0.1:5560"
WAITING = 64 << 20  # bytes of dumps that wait for a reader


class dump_publisher(gr.sync_block):
    """Publishes dumps by ZeroMQ, for displays and other programs: see fringe.dump_reader.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item,
    as the integrator sends them; input 1 (optional): weights, float32, same shape (without: 1).

    A dump is one message of three parts on a publishing socket: a header, JSON text; the
    visibilities, little-endian complex64 [channel][product]; the weights, little-endian float32
    of the same shape. The header holds

      dump: number of the dump, from 0 on: a reader that is too slow sees numbers missing
      seconds, fraction: UTC of its start, whole seconds since 1970-01-01 and the rest
      interval: seconds from there to its end;  exposure: seconds of data in it; both 0 where
        the dumps do not say them, nor when they were (their spectra have no rate)
      inputs, channels: how many;  products: their order, "i<=j row-major"
      first_frequency, channel_width: Hz, of the middle of channel 0 and from one to the next
      names: of the inputs: antenna, and polarization where there are two
      edge_channel: the channel that holds both edges of the band, which displays leave out;
        null without one
      complex_samples: true, or false;  observation: text of an observation file

    At the end of the data one part says {"end": true}. Nobody is waited for: without a reader
    dumps go nowhere, and a reader that comes later gets the dumps from then on. For a reader
    that is too slow 64 MB of dumps wait, at least two; newer ones are lost to it.

      observation: inputs, sample rate and center frequency are taken from it
      channels, complex_samples, channels_per_item: as visibility_sink's
      address: of a ZeroMQ socket; the default lets only this computer's programs read.
        Port * takes any that is free: see the attribute `address`

    Dumps of other sizes than these, or whose tags say another sample rate or center frequency
    than the observation, end the flowgraph with a sentence in the log.

    Raises ValueError for an observation without inputs, channels that do not fit, an address
    that cannot be used; ImportError, naming the package, where ZeroMQ is not installed.
    """

    def __init__(self, observation, channels, address=ADDRESS, complex_samples=True,
                 channels_per_item=0):
        inputs = len(observation.inputs)
        if inputs < 1 or channels < 1:
            raise ValueError(f"dump_publisher: {inputs} inputs, {channels} channels: "
                             "both must be at least 1")
        per_item = channels_per_item or fp.channels_per_item(inputs, channels)
        if channels % per_item:
            raise ValueError(f"dump_publisher: channels_per_item: {channels_per_item}: must "
                             f"divide the {channels} channels (0 = chosen for you)")
        values = per_item * inputs * (inputs + 1) // 2
        gr.sync_block.__init__(self, name="fringe_dump_publisher",
                               in_sig=gr.py_io_signature(1, 2, [(np.complex64, values),
                                                                (np.float32, values)]),
                               out_sig=None)
        fields = dump_fields(inputs, channels, per_item, complex_samples=bool(complex_samples))
        self._streams = expected_streams(("visibilities", 8 * values, fields),
                                         ("weights", 4 * values, fields))
        self._axis = observed_frequencies(observation, channels, complex_samples)
        frequencies = observation.channel_frequencies(channels, complex_samples)
        rate = observation.sample_rate
        self._header = {
            "dump": 0, "seconds": 0, "fraction": 0.0, "interval": 0.0, "exposure": 0.0,
            "inputs": inputs, "channels": channels, "products": PRODUCTS,
            "first_frequency": float(frequencies[0]),
            "channel_width": (rate if complex_samples else rate / 2) / channels,
            "names": [input_name(observation, entry) for entry in observation.inputs],
            "edge_channel": None, "complex_samples": bool(complex_samples),
            "observation": observation.to_text()}
        self._waiting = max(2, min(1000, WAITING // (12 * channels * inputs * (inputs + 1) // 2)))
        self._dump = dump_items(inputs * (inputs + 1) // 2, channels, per_item, ("<c8", "<f4"))
        self._readers = self._has_data = False
        self._socket = self._open(address)
        #: where readers connect to
        self.address = self._socket.getsockopt_string(self._zmq.LAST_ENDPOINT).rstrip("\0")

    def _open(self, address):
        self._zmq = import_zmq()
        publisher = self._zmq.Context.instance().socket(self._zmq.XPUB)
        publisher.setsockopt(self._zmq.LINGER, 1000)
        publisher.setsockopt(self._zmq.SNDHWM, self._waiting)
        try:
            publisher.bind(address)
        except self._zmq.ZMQError as error:
            publisher.close()
            why = self._zmq.strerror(error.errno)
            raise ValueError(f"dump_publisher: address: {address}: {why}; give one like "
                             f"{ADDRESS}") from None
        return publisher

    def has_readers(self):
        """True when at least one reader is connected. To be asked before the flowgraph runs."""
        try:
            while True:
                self._readers = self._socket.recv(self._zmq.NOBLOCK)[:1] == b"\1"
        except self._zmq.Again:
            return self._readers

    def dumps(self):
        """Dumps published so far."""
        return self._header["dump"]

    def _open_dump(self, item):
        self._dump.begin()
        found = tags_of(self, 0, item)
        times, header = dump_times.of(found), self._header
        if times.seconds is not None:
            header["seconds"], header["fraction"] = times.seconds, times.fraction
        header["interval"], header["exposure"] = times.interval or 0.0, times.exposure or 0.0
        header["edge_channel"] = edge_channel(self._streams.received, header["channels"])
        # A dump of no length carries tags and no data.
        self._has_data = times.interval is None or times.interval > 0
        return not self._axis.refused(self, found)

    def _publish(self):
        parts = self._dump.end()
        if self._has_data:
            self._socket.send_multipart([json.dumps(self._header).encode()]
                                        + [part.tobytes() for part in parts])
            self._header["dump"] += 1

    def work(self, input_items, output_items):
        """Collects the items of a dump, and publishes it with its last one."""
        if self._streams.refused(self, map(len, input_items)):
            return -1
        items = input_items[0]
        weights = (input_items[1] if len(input_items) > 1
                   else np.broadcast_to(np.float32(1), items.shape))
        at = 0
        while at < len(items):
            if self._dump.begins and not self._open_dump(self.nitems_read(0) + at):
                return -1
            at += self._dump.add(items[at:], weights[at:])
            if self._dump.whole:
                self._publish()
        return len(items)

    def start(self):
        """Opens the socket again when the flowgraph runs a second time."""
        self._streams.restart(self)
        self._dump.restart()
        if self._socket.closed:
            self._socket = self._open(self.address)
        return True

    def stop(self):
        """Tells readers that the data have ended."""
        if not self._socket.closed:
            self._socket.send_multipart([json.dumps({"end": True}).encode()])
            self._socket.close()
        return True
