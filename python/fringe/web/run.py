#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Everything that `fringe web` runs, begun and ended together."""
from ..operating.alerts import alert_limits
from .addresses import known_names, lines_for_user, network_urls
from .dump_taker import dump_taker
from .qr_code import as_lines, qr_code
from .server import RATE, open_sockets, page_server
from .sky_images import sky_images
from .watch import flowgraph_watch


def serve(address, host, port, ending, observation=None, sources="", rate=RATE, names=(),
          tell=print, terminal=False, link=None, alerts=""):
    """Serves the page of the dumps of `address` until ending() is true; tell() gets each line for
    the user, and on a terminal, where others in the network see the page, a QR code of its address.
    link: an operator_link to the flowgraph; alerts: see alert_limits.of().
    Raises ValueError, RuntimeError and ImportError with a sentence."""
    limits = alert_limits.of(alerts)
    images = sky_images(observation, sources)
    sockets = open_sockets(host, port)
    try:
        taker = dump_taker(address, images.newest)
    except BaseException:
        for connection in sockets:
            connection.close()
        raise
    port = sockets[0].getsockname()[1]
    urls = network_urls(host, port)
    code = qr_code(urls[0]) if terminal and urls else None
    for line in (f"dumps of {address}", *lines_for_user(host, port),
                 *(as_lines(code) if code is not None else ())):
        tell(line)
    server = page_server(taker, images, sockets, known_names(names), rate, urls=urls,
                         watch=flowgraph_watch(taker, link, limits))
    taker.start()
    images.start()
    try:
        server.run(ending)
    finally:
        taker.close()
        images.close()
