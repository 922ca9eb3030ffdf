#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the server of metrics answers; apart, as http.server takes long to load."""
import contextlib
import http.server

from ..operating.exposition import CONTENT_TYPE, exposition

SILENT = 10.0  # seconds until a connection is given up


class metrics_handler(http.server.BaseHTTPRequestHandler):
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


class metrics_http_server(http.server.ThreadingHTTPServer):
    daemon_threads, block_on_close, allow_reuse_address = True, False, True

    def handle_error(self, request, client_address):
        """socketserver's: a connection that breaks is no error of this program."""
