# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Published dumps with known numbers, and the web page of them, for tests."""
import asyncio
import base64
import json
import os
import socket
import struct
import threading
import time

import numpy as np
import pmt

from gnuradio import fringe, gr
from qa_scratch import TIMEOUT, rx_time, tag

START = 1_780_000_000  # UTC seconds of the first dump


def wait_until(condition, what="it"):
    """Waits; AssertionError when it does not come true."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.01)


def array(antennas, channels):
    """An observation of some antennas within 60 m."""
    obs = fringe.observation.example(antennas)
    obs.sample_rate, obs.center_frequency, obs.channels = 1e6, 150e6, channels
    return obs


class known_dumps:
    """Dump n of `inputs` x `channels`: visibilities and weights [channel][product]. Some weights
    are 0."""

    def __init__(self, inputs, channels, seed):
        self.shape = channels, inputs * (inputs + 1) // 2
        self.inputs, self._seed = inputs, seed

    def __call__(self, number):
        rng = np.random.default_rng((self._seed, number))
        x = rng.normal(size=(*self.shape, 2)) @ [1, 1j] + 0.5
        i, j = np.triu_indices(self.inputs)
        x[:, i == j] = 2 + rng.random((self.shape[0], self.inputs))
        weights = rng.random(self.shape)
        weights[rng.random(self.shape) < 0.1] = 0
        return x.astype(np.complex64), weights.astype(np.float32)


class dump_source(gr.sync_block):
    """Sends known dumps, `rate` a second (None: as fast as they are taken) and `count` in all."""

    def __init__(self, dumps, rate=None, count=None, first=0):
        size = dumps.shape[0] * dumps.shape[1]
        gr.sync_block.__init__(self, "dump_source", None, [(np.complex64, size),
                                                           (np.float32, size)])
        self._dumps, self._rate, self._count, self._next = dumps, rate, count, first
        self._ending = first + count if count is not None else None
        self.ended, self.paused = threading.Event(), threading.Event()

    def sent(self):
        """The number of the next dump."""
        return self._next

    def work(self, input_items, output_items):
        """One dump a call."""
        if self.ended.is_set() or self._next == self._ending:
            return -1
        if self._rate:
            self.ended.wait(1 / self._rate)
        while self.paused.is_set() and not self.ended.is_set():
            self.ended.wait(0.05)
        x, weights = self._dumps(self._next)
        output_items[0][0], output_items[1][0] = x.ravel(), weights.ravel()
        at = self.nitems_written(0)
        for item_tag in (rx_time(at, START + self._next // 4, self._next % 4 / 4),
                         tag(at, "interval", pmt.from_double(0.25)),
                         tag(at, "exposure", pmt.from_double(0.2))):
            self.add_item_tag(0, at, item_tag.key, item_tag.value)
        self._next += 1
        return 1


class published(gr.top_block):
    """A flowgraph that publishes known dumps; `sink` gets them too."""

    def __init__(self, dumps, address="tcp://127.0.0.1:*", sink=None, **options):
        gr.top_block.__init__(self)
        channels = dumps.shape[0]
        self.source = dump_source(dumps, **options)
        self.obs = array(dumps.inputs, channels)
        self.publisher = fringe.dump_publisher(self.obs, channels, address,
                                               channels_per_item=channels)
        for block in (self.publisher, sink) if sink else (self.publisher,):
            for port in range(2):
                self.connect((self.source, port), (block, port))

    @property
    def address(self):
        return self.publisher.address

    def end(self):
        """Ends the data."""
        self.source.ended.set()
        self.stop()
        self.wait()


class web_page:
    """The server of `fringe web` in a thread of this process. `url` is its page."""

    def __init__(self, address, port=0, alerts="", **options):
        from gnuradio.fringe.operating.alerts import alert_limits
        from gnuradio.fringe.web import addresses, dump_taker, server, sky_images, watch
        self.images = sky_images.sky_images()
        self.taker = dump_taker.dump_taker(address, self.images.newest)
        sockets = server.open_sockets("127.0.0.1", port)
        self.port = sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.server = server.page_server(self.taker, self.images, sockets,
                                         addresses.known_names(), **options,
                                         watch=watch.flowgraph_watch(
                                             self.taker, None, alert_limits.of(alerts)))
        self._ending, self.failure = threading.Event(), None
        self._thread = threading.Thread(target=self._run)
        self.taker.start()
        self.images.start()
        self._thread.start()

    def _run(self):
        try:
            self.server.run(self._ending.is_set)
        except BaseException as error:
            self.failure = error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends it; raises what has ended it before."""
        if self._thread.is_alive() or self.taker is not None:
            self._ending.set()
            self._thread.join()
            self.taker.close()
            self.images.close()
            self.taker = None
            if self.failure:
                raise self.failure


class web_viewer:
    """A viewer that is no browser. With `reads` false it never takes what it is sent."""

    def __init__(self, port, pair=None, third=None):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        self._file = self.socket.makefile("rb")
        self.status = self._file.readline().decode()
        while self._file.readline().strip():
            pass
        if pair is not None:
            self.choose(*pair, third)

    def send(self, text):
        """A message of text, masked as browsers do."""
        data, mask = text.encode(), b"\x01\x02\x03\x04"
        length = (struct.pack("!B", 0x80 | len(data)) if len(data) < 126
                  else struct.pack("!BH", 0x80 | 126, len(data)))
        self.socket.sendall(b"\x81" + length + mask + bytes(
            b ^ mask[k % 4] for k, b in enumerate(data)))

    def choose(self, i, j, third=None):
        """Two inputs to look at, and a third for the closure phase."""
        self.send(json.dumps({"pair": [i, j], "third": third}))

    def read(self):
        """The next message: (header, arrays), or the number why the connection was closed."""
        from gnuradio.fringe.web.messages import decode
        while True:
            first, length = self._file.read(2)
            if length == 126:
                length, = struct.unpack("!H", self._file.read(2))
            elif length == 127:
                length, = struct.unpack("!Q", self._file.read(8))
            data = self._file.read(length)
            if first & 15 == 8:
                return struct.unpack("!H", data[:2])[0] if data else 1005
            if first & 15 == 2:
                return decode(data)

    def read_until(self, wanted):
        """Messages up to the first for which wanted(header) is true, that included."""
        found = []
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            found.append(self.read())
            if wanted(found[-1][0]):
                return found
        raise AssertionError(f"what was waited for did not come: {found[-1][0]}")

    def close(self):
        """Ends the connection."""
        self._file.close()
        self.socket.close()


def product(i, j, inputs):
    """Index of the product of two inputs: by counting, as the documents say."""
    pairs = [(a, b) for a in range(inputs) for b in range(a, inputs)]
    return pairs.index((min(i, j), max(i, j)))
