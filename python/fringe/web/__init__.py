#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A web page of published dumps, for many viewers: the command `fringe web`.

One thread takes dumps from a dump_publisher (dump_taker), keeps the last ones (recent_dumps), and
another one makes images of them (sky_images). The main thread serves the page and encodes each
baseline once for all who look at it (server, viewers). A viewer that is slow loses frames.
"""
