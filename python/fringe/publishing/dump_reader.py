#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dumps from a dump_publisher, as numpy arrays. Needs no flowgraph."""
import json
import time
from dataclasses import dataclass

import numpy as np
from gnuradio import gr

PRODUCTS = "i<=j row-major"
MAX_HEADER = 1 << 24  # bytes
TIMEOUT = 1.0  # seconds without a dump after which an ended connection is logged


def import_zmq():
    """The module zmq, or an ImportError that says what to install."""
    try:
        import zmq
    except ImportError:
        raise ImportError("dumps are published by ZeroMQ, whose Python module is not "
                          "installed: apt-get install python3-zmq") from None
    return zmq


#: Fields of a header that are whole numbers, and the least and the highest that they can be.
WHOLE = {"dump": (0, 1 << 63), "seconds": (-1 << 40, 1 << 40)}
#: Those that are numbers.
NUMBERS = {"fraction": (0, 1), "interval": (0, 1e12), "exposure": (0, 1e12),
           "first_frequency": (-1e15, 1e15), "channel_width": (-1e15, 1e15)}


def _check_numbers(header):
    """Raises ValueError for a field that is no number, or none that a dump can have."""
    for known, kinds in ((WHOLE, int), (NUMBERS, (int, float))):
        for name, (low, high) in known.items():
            value = header[name]
            if isinstance(value, bool) or not isinstance(value, kinds) or not (
                    low <= value <= high):
                raise ValueError(f"{name} {value!r:.40}")
    if not all(isinstance(name, str) for name in header["names"]):
        raise ValueError("names that are no text")


@dataclass
class published_dump:
    """One dump as dump_publisher sent it."""
    number: int               #: from 0 on; numbers that are missing were not received
    seconds: int              #: UTC of its start: whole seconds since 1970-01-01 ...
    fraction: float           #: ... and the rest
    interval: float           #: seconds from there to its end
    exposure: float           #: seconds of data in it
    frequencies: np.ndarray   #: Hz, of the middle of each channel
    names: list               #: of the inputs: antenna, and polarization where there are two
    visibilities: np.ndarray  #: complex64 [channel, product], products i <= j row-major
    weights: np.ndarray       #: float32, same shape: fraction of valid samples, 0 ... 1
    edge_channel: int = None  #: the one that holds both edges of the band; None = no such channel
    complex_samples: bool = True
    observation: str = ""     #: text of an observation file; "" = not known

    def matrix(self):
        """Visibilities as Hermitian matrices, complex64 [channel, input, input]."""
        inputs = len(self.names)
        full = np.empty((len(self.frequencies), inputs, inputs), np.complex64)
        i, j = np.triu_indices(inputs)
        full[:, j, i] = self.visibilities.conj()
        full[:, i, j] = self.visibilities
        return full


class dump_reader:
    """Iterates over the dumps that a dump_publisher sends (published_dump), until its end.

      for dump in fringe.dump_reader("tcp://127.0.0.1:5560"): ...

    It may be there before the publisher is. Raises TimeoutError when no dump has come for
    `timeout` seconds (None: waits for ever); ValueError for an address that is none and for
    messages of another kind; ImportError, naming the package, where
    ZeroMQ is not installed.

    At most `max_waiting` dumps wait in this process for a program that is busy; when there are
    more, newer ones are lost to it. `timeout` may be changed at any time.

    A message of more than `max_bytes` ends the connection. So does a publisher that ends without
    sending its end, and then the reader waits for another one. The log says so, once.
    """

    def __init__(self, address="tcp://127.0.0.1:5560", timeout=None,
                 max_bytes=1 << 32, max_waiting=1000):
        zmq = import_zmq()
        self.timeout, self._address, self._max_bytes = timeout, address, int(max_bytes)
        self._socket = zmq.Context.instance().socket(zmq.SUB)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVHWM, int(max_waiting))
        # Longer ones end the connection before any of them is in memory.
        self._socket.setsockopt(zmq.MAXMSGSIZE, self._max_bytes)
        self._socket.setsockopt(zmq.SUBSCRIBE, b"")
        #: When the connection ended, since the last dump.
        self._ended, self._monitor = None, self._socket.get_monitor_socket(
            zmq.EVENT_DISCONNECTED)
        self._poller = zmq.Poller()
        for item in (self._socket, self._monitor):
            self._poller.register(item, zmq.POLLIN)
        try:
            self._socket.connect(address)
        except zmq.ZMQError as error:
            self.close()
            raise ValueError(f"dump_reader: address: {address}: {zmq.strerror(error.errno)}; "
                             "give one like tcp://127.0.0.1:5560") from None

    def __iter__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Ends the connection."""
        if not self._socket.closed:
            self._close_monitor()
            self._socket.close()

    def _close_monitor(self):
        if self._monitor is not None:
            self._socket.disable_monitor()
            self._monitor.close()
            self._monitor = None

    def _received(self):
        """The parts of the next message; TimeoutError."""
        end = None if self.timeout is None else time.monotonic() + self.timeout
        while True:
            wake = [at for at in (end, self._ended and self._ended + TIMEOUT) if at is not None]
            left = max(0.0, min(wake) - time.monotonic()) if wake else None
            ready = dict(self._poller.poll(None if left is None else 1000 * left + 1))
            if self._socket in ready:
                self._ended = None
                return self._socket.recv_multipart()
            now = time.monotonic()
            if end is not None and now >= end:
                raise TimeoutError(f"dump_reader: no dump from {self._address} for "
                                   f"{self.timeout} s")
            if self._monitor in ready:
                self._monitor.recv_multipart()
                self._ended = self._ended or now
            if self._ended and now >= self._ended + TIMEOUT:
                self._say_ended()

    def _say_ended(self):
        gr.logger("fringe_dump_reader").warn(
            f"the connection to {self._address} has ended before the data have: its publisher has "
            f"gone, or sends messages of more than {self._max_bytes} bytes (max_bytes); waiting "
            "for others")
        self._poller.unregister(self._monitor)
        self._close_monitor()
        self._ended = None

    def __next__(self):
        if self._socket.closed:
            raise StopIteration
        parts = self._received()
        try:
            if len(parts[0]) > MAX_HEADER:
                raise ValueError(f"a header of {len(parts[0])} bytes")
            header = json.loads(parts[0])
            if "end" in header:
                self.close()
                raise StopIteration
            return self._dump(header, *parts[1:])
        except (TypeError, KeyError, ValueError, RecursionError, OverflowError) as error:
            raise ValueError(f"dump_reader: {self._address} sends something else than dumps of "
                             f"a dump_publisher ({error})") from None

    @staticmethod
    def _dump(header, visibilities, weights):
        if header["products"] != PRODUCTS:
            raise ValueError(f"products {header['products']}")
        channels, inputs = header["channels"], header["inputs"]
        # What the header claims is believed when as much has come, before anything is made of it.
        if not (isinstance(channels, int) and isinstance(inputs, int) and channels > 0
                and inputs > 0 and len(header["names"]) == inputs):
            raise ValueError(f"{channels} channels, {inputs} inputs, {len(header['names'])} names")
        shape = (channels, inputs * (inputs + 1) // 2)
        for part, size in ((visibilities, 8), (weights, 4)):
            if len(part) != size * shape[0] * shape[1]:
                raise ValueError(f"{len(part)} bytes for {shape[0]} x {shape[1]} values of {size}")
        _check_numbers(header)
        edge = header.get("edge_channel")
        frequencies = header["first_frequency"] + header["channel_width"] * np.arange(channels)
        return published_dump(
            header["dump"], header["seconds"], header["fraction"], header["interval"],
            header["exposure"], frequencies, header["names"],
            np.frombuffer(visibilities, "<c8").reshape(shape),
            np.frombuffer(weights, "<f4").reshape(shape),
            edge if isinstance(edge, int) and 0 <= edge < channels else None,
            bool(header.get("complex_samples", True)), str(header.get("observation", "")))
