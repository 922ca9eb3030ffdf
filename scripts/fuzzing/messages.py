# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Good messages of every kind that comes by TCP, and how programs take them."""
import functools
import http.client
import json
import logging
import os
import socket
import struct
from unittest import mock

from gnuradio import fringe
from gnuradio.fringe.receiving import kraken_link, rtl_tcp_source

DUMP = {"products": "i<=j row-major", "channels": 2, "inputs": 1, "names": ["a"],
        "first_frequency": 1.0, "channel_width": 1.0, "dump": 0, "seconds": 0, "fraction": 0.0,
        "interval": 1.0, "exposure": 1.0, "edge_channel": 0, "complex_samples": True,
        "observation": "antennas: [[0, 0, 0]]"}


def _write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def _read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def dump_parts(folder):
    """The header of a published dump."""
    _write(folder, "header", json.dumps(DUMP).encode())


def read_dump(folder):
    """A dump as it comes by ZMQ."""
    parts = [_read(folder, "header"), bytes(16), bytes(8)]
    with mock.patch.object(_reader(), "_received", lambda: parts):
        next(_reader(), None)
    if _reader()._socket.closed:  # it was the end
        _reader.cache_clear()


@functools.cache
def _reader():
    return fringe.dump_reader("tcp://127.0.0.1:1", timeout=0.1)


def _connected(folder, name):
    """The end of a connection whose other end has sent a file and closed."""
    ours, other = socket.socketpair()
    ours.settimeout(1)
    other.setblocking(False)
    try:
        other.send(_read(folder, name))
    except BlockingIOError:
        pass
    other.shutdown(socket.SHUT_WR)
    return ours, other


def _with_connection(module, folder, name, call):
    ours, other = _connected(folder, name)
    with ours, other, mock.patch.object(module, "connect", lambda *_: ours):
        return call()


def kraken_frame(folder):
    """A short frame of version 2: header, frequencies and gains, samples."""
    words = struct.pack(">8I", 0x4d434851, 2, 64, 4, 0, 9, 3, 0)
    _write(folder, "frame", words + struct.pack("<4f", 1.42e9, 40, 1.42e9, 40) + bytes(2 * 2 * 64))


def read_kraken(folder):
    """Frames until the connection ends."""
    def call():
        link = kraken_link.kraken_link("host:1", 2)
        try:
            while link.next() is not None:
                pass
        except kraken_link.connection_lost:
            pass
    _with_connection(kraken_link, folder, "frame", call)


def kraken_answer(folder):
    """What a Kraken says when it was tuned."""
    _write(folder, "answer", b'{"report": 1}\n{"status": "success", "message": "done"}\n')


def read_answer(folder):
    """The answer to a command."""
    _with_connection(kraken_link, folder, "answer", functools.partial(
        kraken_link.set_receivers, "host:1", 2, 2, frequency=1.42e9))


def rtl_tcp_hello(folder):
    """How rtl_tcp begins."""
    _write(folder, "hello", b"RTL0" + struct.pack(">II", 5, 29) + bytes(100))


def read_rtl_tcp(folder):
    """Connects to rtl_tcp."""
    settings = {"sample_rate": 2.4e6, "frequency": 1.42e9, "gain": 40, "ppm": 0, "settle": 0}
    _with_connection(rtl_tcp_source, folder, "hello", lambda: rtl_tcp_source.rtl_tcp_source(
        ["host:1"], 64, settings).stop())


UPGRADE = (b"GET /live HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUpgrade: websocket\r\n"
           b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
           b"Sec-WebSocket-Version: 13\r\n\r\n")


def request(folder):
    """A request for the page."""
    _write(folder, "request", b"GET /page.js HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUser-Agent: x\r\n"
           b"Accept-Encoding: gzip, deflate\r\nIf-None-Match: \"abc\"\r\nRange: bytes=0-10\r\n"
           b"Connection: close\r\n\r\n")


def frames(folder):
    """Messages of a viewer, in the frames of a WebSocket."""
    content = b""
    for text in ('{"pair": [0, 1]}', '{"pair": [0, 1], "third": 2}'):
        mask = b"\1\2\3\4"
        body = bytes(c ^ mask[k % 4] for k, c in enumerate(text.encode()))
        content += bytes([0x81, 0x80 | len(body)]) + mask + body
    _write(folder, "frames", content)


class _server:
    """The web page of this process, which begins with the first question."""
    page = None

    @classmethod
    def port(cls):
        """Where it listens."""
        if cls.page is None:
            from qa_published import web_page  # pylint: disable=import-outside-toplevel
            cls.page = web_page("tcp://127.0.0.1:1")
            cls.errors = []
            handler = logging.Handler()
            handler.emit = lambda record: cls.errors.append(record.getMessage())
            for name in ("tornado.application", "asyncio"):
                logging.getLogger(name).addHandler(handler)
        return cls.page.port


def ask_server(folder):
    """Sends a request, or messages, and asks for the page then, which must still come."""
    port = _server.port()
    name = "frames" if os.path.exists(os.path.join(folder, "frames")) else "request"
    content = _read(folder, name).replace(b"PORT", str(port).encode())
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        if name == "frames":
            connection.sendall(UPGRADE.replace(b"PORT", str(port).encode()))
            connection.recv(4096)
        try:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass
        except (ConnectionError, socket.timeout):
            pass
    again = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    again.request("GET", "/")
    status = again.getresponse().status
    again.close()
    if status != 200 or _server.errors or _server.page.failure:
        raise AssertionError(f"the page answers {status}; {_server.errors} {_server.page.failure}")
