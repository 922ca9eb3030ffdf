#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Metrics of a flowgraph without a web page: an HTTP server for /metrics alone."""
import contextlib
import threading

from ..operating.operator import flowgraph_operator
from .addresses import listening_address


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
    from .metrics_answers import metrics_handler, metrics_http_server
    host, port = listening_address(address, "metrics")
    try:
        server = metrics_http_server((host, port), metrics_handler)
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
