#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dumps from a dump_publisher, as numpy arrays. Needs no GNU Radio but for the import."""
import json
from dataclasses import dataclass

import numpy as np

PRODUCTS = "i<=j row-major"
MAX_HEADER = 1 << 24  # bytes


def import_zmq():
    """The module zmq, or an ImportError that says what to install."""
    try:
        import zmq
    except ImportError:
        raise ImportError("dumps are published by ZeroMQ, whose Python module is not "
                          "installed: apt-get install python3-zmq") from None
    return zmq


@dataclass
class published_dump:
    """One dump as dump_publisher sent it."""
    number: int               #: from 0 on; numbers that are missing were not received
    seconds: int              #: UTC of its start: whole seconds since 1970-01-01 ...
    fraction: float           #: ... and the rest
    interval: float           #: seconds from there to its end
    exposure: float           #: seconds of data in it
    frequencies: np.ndarray   #: Hz, of the middle of each channel
    names: list               #: of the inputs, antenna and polarisation
    visibilities: np.ndarray  #: complex64 [channel, product], products i <= j row-major
    weights: np.ndarray       #: float32, same shape: fraction of valid samples, 0 ... 1

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
    messages of another kind, or of more than `most_bytes`; ImportError, naming the package, where
    ZeroMQ is not installed.
    """

    def __init__(self, address="tcp://127.0.0.1:5560", timeout=None,
                 most_bytes=1 << 32):
        zmq = import_zmq()
        self._timeout, self._address, self._again = timeout, address, zmq.Again
        self._socket = zmq.Context.instance().socket(zmq.SUB)
        self._socket.setsockopt(zmq.LINGER, 0)
        # Longer ones end the connection before any of them is in memory.
        self._socket.setsockopt(zmq.MAXMSGSIZE, int(most_bytes))
        self._socket.setsockopt(zmq.SUBSCRIBE, b"")
        self._socket.setsockopt(zmq.RCVTIMEO, -1 if timeout is None else int(1000 * timeout))
        try:
            self._socket.connect(address)
        except zmq.ZMQError as error:
            self._socket.close()
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
        self._socket.close()

    def __next__(self):
        if self._socket.closed:
            raise StopIteration
        try:
            parts = self._socket.recv_multipart()
        except self._again:
            raise TimeoutError(f"dump_reader: no dump from {self._address} for "
                               f"{self._timeout} s") from None
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
        frequencies = header["first_frequency"] + header["channel_width"] * np.arange(channels)
        return published_dump(
            header["dump"], header["seconds"], header["fraction"], header["interval"],
            header["exposure"], frequencies, header["names"],
            np.frombuffer(visibilities, "<c8").reshape(shape),
            np.frombuffer(weights, "<f4").reshape(shape))
