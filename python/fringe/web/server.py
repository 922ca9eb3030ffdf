#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Serves the page, and sends each viewer what it looks at."""
import asyncio
import errno
import logging
import socket
import time

from tornado.httpserver import HTTPServer
from tornado.ioloop import PeriodicCallback
from tornado.netutil import bind_sockets
from tornado.web import Application

from ..ground.colors import color_table
from .handlers import control, metrics_page, page_file
from .messages import encode, finite
from .page_files import page_files
from .viewers import MAX_BYTES, viewer
from .watch import EVERY, flowgraph_watch

RATE = 5.0            # frames a second, at most
STATE_EVERY = 1.0     # seconds
VIEWERS = CONNECTIONS = 200
SEND_BUFFER = 1 << 18    # bytes in the kernel for each viewer
PING, SILENT = 15, 45    # seconds until a viewer is asked whether it is there, and given up


class bounded_server(HTTPServer):
    """A server with a limit to connections that are no viewers."""

    def initialize(self, *arguments, limit, **options):
        """Tornado's."""
        super().initialize(*arguments, **options)
        self._open, self._limit = 0, limit

    def handle_stream(self, stream, address):
        """Tornado's."""
        if self._open >= self._limit:
            stream.close()
            return
        self._open += 1
        super().handle_stream(stream, address)

    def on_close(self, server_conn):
        """Tornado's."""
        self._open -= 1
        super().on_close(server_conn)


class viewer_set(set):
    """The viewers, and the tasks that send to them."""

    def __init__(self):
        super().__init__()
        self._tasks = set()

    def spawn(self, function):
        """Runs a coroutine."""
        task = asyncio.ensure_future(function())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def open_sockets(host, port):
    """Sockets that listen there. ValueError for a host that is none of this computer's;
    RuntimeError where the port cannot be had."""
    try:
        sockets = bind_sockets(port, host, reuse_port=False)
    except socket.gaierror as error:
        raise ValueError(f"listen: {host}: {error.strerror}") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise RuntimeError(f"port {port} is in use: another program listens there, another "
                               f"fringe web perhaps; choose another with listen="
                               f"{host}:{port + 1}") from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise ValueError(f"listen: {host}: is not an address of this computer") from None
        if error.errno == errno.EACCES:
            raise RuntimeError(f"port {port}: needs rights that this user has not; take one "
                               "above 1023") from None
        raise
    for connection in sockets:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    return sockets


class page_server:
    """Serves `taker` (a dump_taker) and `images` (sky_images) on sockets that listen; run() goes on
    until `ending()` is true. names: those by which browsers may call this computer; urls: by which
    it is reached in networks; watch: a flowgraph_watch."""

    def __init__(self, taker, images, sockets, names, rate=RATE, viewers=VIEWERS,
                 connections=CONNECTIONS, urls=(), watch=None):
        self._watch = watch or flowgraph_watch(taker)
        self._taker, self._images, self._sockets = taker, images, sockets
        self._interval = 1 / rate
        self.viewers = viewer_set()
        self._recent, self._points, self._number, self._restarts = None, 0, 0, 0
        self._stream = self._state = None
        self._sky_count, self._state_at = 0, 0.0
        tables, self._codes = page_files(urls)
        self._application = Application(
            [("/live", viewer, {"viewers": self.viewers, "names": names, "limit": viewers}),
             ("/metrics", metrics_page, {"watch": self._watch}),
             ("/control", control, {"watch": self._watch}),
             ("/([a-z0-9_.]*)", page_file, {"files": tables}),
             ("/(.*)", page_file, {"files": {}})],
            names=names, log_function=lambda _: None, websocket_max_message_size=MAX_BYTES,
            websocket_ping_interval=PING, websocket_ping_timeout=SILENT)
        self._connections = connections

    def run(self, ending):
        """Serves until ending() says so."""
        # What strangers send is no error of this program.
        logging.getLogger("tornado.general").setLevel(logging.CRITICAL)
        asyncio.run(self._serve(ending))

    async def _serve(self, ending):
        server = bounded_server(self._application, limit=self._connections,
                                max_body_size=1024, max_header_size=1 << 14,
                                max_buffer_size=1 << 20, idle_connection_timeout=30)
        server.add_sockets(self._sockets)
        over = asyncio.Event()

        def tick():
            if ending() or self._taker.failure:
                over.set()
            self._send()

        ticks = PeriodicCallback(tick, 1000 * self._interval)
        ticks.start()
        looking = asyncio.ensure_future(self._look())
        await over.wait()
        ticks.stop()
        looking.cancel()
        server.stop()
        for client in list(self.viewers):
            client.close(1001, "the server ends")
        await server.close_all_connections()
        if self._taker.failure:
            raise self._taker.failure

    async def _look(self):
        """Looks for alerts, again and again."""
        while True:
            self._watch.viewers = len(self.viewers)
            await asyncio.to_thread(self._watch.look)
            await asyncio.sleep(EVERY)

    def _send(self):
        """Sends what is new."""
        with self._taker.lock:
            recent = self._taker.recent
            if recent is not self._recent:
                self._begin_stream(recent)
            if recent is not None:
                self._send_frames(recent)
        self._send_sky()
        self._send_state()
        for client in self.viewers:
            client.has_header = True

    def _begin_stream(self, recent):
        self._recent, self._points, self._restarts = recent, 0, recent.restarts
        self._stream = encode("stream", {
            "names": recent.names, "channels": len(recent.frequencies),
            "colors": {name: color_table(name).ravel().tolist() for name in ("heat", "phase")}},
            frequencies=recent.bins)
        for client in self.viewers:
            client.has_header = False

    def _send_frames(self, recent):
        """Frames of the newest dump, once for all who look at the same inputs."""
        inputs, more = len(recent.names), self._numbers()
        news = recent.points != self._points or recent.restarts != self._restarts
        since = self._points if recent.restarts == self._restarts else None
        if news:
            self._number += 1
        more["number"] = self._number
        made = {}

        def message(kind, inputs):
            if (kind, inputs) not in made:
                made[kind, inputs] = (
                    recent.history(*inputs, **more) if kind == "history" else
                    recent.frame(*inputs, recent.points if kind == "now" else since, **more))
            return made[kind, inputs]

        for client in self.viewers:
            if not client.has_header:
                client.offer("stream", self._stream)
            if client.inputs is None or max(client.inputs[:2]) >= inputs:
                continue
            if client.may_have_history() or (news and since is None):
                client.offer("history", message("history", client.inputs))
                client.offer("frame", message("now", client.inputs))
            elif news:
                client.offer("frame", message("frame", client.inputs))
        self._points, self._restarts = recent.points, recent.restarts

    def _numbers(self):
        taker, rate = self._taker, self._taker.rate()
        return {"received": taker.received, "lost": taker.lost, "passed": taker.passed,
                "rate": None if rate is None else finite(rate)}

    def _send_sky(self):
        images = self._images
        message, count = images.message, images.count
        for client in self.viewers:
            if message is not None and (count != self._sky_count or not client.has_header):
                client.offer("sky", message)
        self._sky_count = count

    def _send_state(self):
        """What is wrong, or nothing; at least once a second, so that the page knows of us."""
        now = time.monotonic()
        state = {"sentence": self._taker.sentence(), "viewers": len(self.viewers),
                 "alerts": list(self._watch.found.values()),
                 "sky": self._images.why if self._images.message is None else "",
                 "has_sky": self._images.message is not None, "addresses": self._codes}
        if state != self._state or now - self._state_at >= STATE_EVERY:
            self._state, self._state_at = state, now
            for client in self.viewers:
                client.offer("state", encode("state", state))
