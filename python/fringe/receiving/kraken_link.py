#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The connection to a KrakenSDR's Heimdall: frames of samples, and its settings."""
import json
import socket
import struct
import time

import numpy as np

from .. import fringe_python as fp
from .tcp import connect, read

CONNECT = 5.0  # seconds in which a connection must be made
POLL = 0.2  # seconds after which a wait for bytes looks up
#: Version of the protocol: ports of samples and of settings, encoding of a sample.
PORTS = {1: (5000, 5001, "cf32"), 2: (8091, 8092, "cu8")}
COMMAND_BYTES = 128  # of version 1
MAX_ANSWER = 65536  # bytes of a line of version 2
TYPES = {"cf32": np.complex64, "cu8": np.uint16}


class connection_lost(OSError):
    """The other side ended the connection."""


class kraken_link:
    """Frames, one after the other. Version 1 sends the next one when it is asked for it, version
    2 sends them unasked."""

    def __init__(self, address, version):
        self.address, self.version = address, version
        self._socket = connect(address, CONNECT)
        self._socket.settimeout(POLL)
        self._asked, self._frames = False, 0
        self._bytes = bytearray()  # of the frame that is on its way
        self._frame = None  # its header, once that is there

    def close(self):
        """Ends the connection."""
        self._socket.close()

    def _have(self, count):
        """Takes what comes, and no byte more than `count`; True when so many are there."""
        while len(self._bytes) < count:
            try:
                more = self._socket.recv(min(count - len(self._bytes), 1 << 22))
            except socket.timeout:
                return False
            if not more:
                raise connection_lost("the connection has ended")
            self._bytes += more
        return True

    def _ask(self):
        """Version 1 sends a frame for each request; the first is another word."""
        if self.version == 1 and not self._asked:
            self._socket.sendall(b"IQDownload" if self._frames else b"streaming")
        self._asked = True

    def next(self):
        """(frame, samples [channel][time]) or None where it has not come yet. Raises OSError where
        the connection has ended, ValueError for what is no frame."""
        self._ask()
        while self._frame is None:
            size = self._size_of_header()
            if not self._have(size):
                return None
            if size == self._size_of_header():  # version 2 has a longer one of more channels
                self._frame = fp._kraken_frame.read(self.version, bytes(self._bytes), self.address)
                self._bytes = bytearray()
        if not self._have(self._frame.payload_bytes):
            return None
        frame, data = self._frame, self._bytes
        self._frame, self._bytes, self._asked = None, bytearray(), False
        self._frames += 1
        kind = TYPES[PORTS[self.version][2]]
        return frame, np.frombuffer(data, kind).reshape(frame.channels, frame.samples)

    def _size_of_header(self):
        return fp._kraken_frame.bytes_of_header(self.version, bytes(self._bytes), self.address)


def set_receivers(address, version, channels, frequency=None, gain=None):
    """Tunes the receivers, by the port of settings. ValueError with what the Kraken answers, or
    where it does not."""
    try:
        with connect(address, CONNECT) as control:
            if frequency is not None:
                _answered(address, version, control, "frequency", frequency, {
                    1: b"FREQ" + struct.pack("<Q", round(frequency)),
                    2: {"command": "set_frequency", "frequency": round(frequency)}}[version])
            if gain is not None:
                _answered(address, version, control, "gain", gain, {
                    1: b"GAIN" + struct.pack(f"<{channels}I", *[round(10 * gain)] * channels),
                    2: {"command": "set_gain", "gain": gain}}[version])
    except OSError as error:
        raise ValueError(f"live: {address}: the receivers were not tuned, because the port of "
                         f"settings does not answer: {error}") from None


def _answered(address, version, control, name, value, command):
    """Sends a command, and waits for its answer."""
    if version == 1:
        control.sendall(command.ljust(COMMAND_BYTES, b"\0"))
        answer = read(control, COMMAND_BYTES)[:4]
        if answer != b"FNSD":
            raise ValueError(f"live: {address}: {name}: {value:.12g}: the Kraken answers "
                             f"{answer!r}, and must b'FNSD'")
        return
    control.sendall(json.dumps(command).encode() + b"\n")
    lines, until = control.makefile("rb"), time.monotonic() + CONNECT
    answer = {}
    # What has no status is a report, which comes twice a second.
    while "status" not in answer and time.monotonic() < until:
        line = lines.readline(MAX_ANSWER)
        if not line:
            break
        try:
            answer = dict(json.loads(line))
        except (ValueError, TypeError, RecursionError):
            raise ValueError(f"live: {address}: {name}: {value:.12g}: the Kraken answers "
                             f"{line[:80]!r}, which is no line of JSON text") from None
    if answer.get("status") != "success":
        raise ValueError(f"live: {address}: {name}: {value:.12g}: the Kraken answers "
                         f"'{answer.get('message', 'nothing')}'")
