#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Metrics of a flowgraph without a web page: an HTTP server for /metrics alone."""
import contextlib
import http.server
import threading

from ..operating.exposition import CONTENT_TYPE, exposition
from ..operating.operator import flowgraph_operator
from .addresses import listening_address

SILENT = 10.0  # seconds until a connection is given up


class _handler(http.server.BaseHTTPRequestHandler):
    """Answers GET /metrics; everything else is refused."""

    server_version, sys_version, timeout = "gr-fringe", "", SILENT

    def do_GET(self):  # pylint: disable=invalid-name
        """http.server's."""
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(404, "there is /metrics only")
            return
        text = exposition(self.server.operator.samples()).encode()
        self.send_response(200)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        with contextlib.suppress(OSError):  # nobody waits for it any more
            self.wfile.write(text)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """http.server's: what strangers send is no news."""


class _server(http.server.ThreadingHTTPServer):
    daemon_threads, block_on_close, allow_reuse_address = True, False, True

    def handle_error(self, request, client_address):
        """socketserver's: a connection that breaks is no error of this program."""


@contextlib.contextmanager
def serve_metrics(flowgraph, address):
    """Answers http://ADDRESS/metrics as long as it lasts, with what is counted at that moment;
    gives (host, port), or None where the address is "".

      address: HOST:PORT, a port of this computer alone, or a host; port 0: a free one

    Raises ValueError for an address that is none, RuntimeError where the port cannot be had.
    """
    if not address:
        yield None
        return
    host, port = listening_address(address, "metrics")
    try:
        server = _server((host, port), _handler)
    except OSError as error:
        raise RuntimeError(f"metrics: {address}: {error.strerror}; choose another port, "
                           f"{host}:{port + 1} say") from None
    server.operator = flowgraph_operator(flowgraph)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1},
                              name="fringe metrics", daemon=True)
    thread.start()
    try:
        yield server.server_address[:2]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
