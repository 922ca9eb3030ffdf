#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an address of live data receives, by the word it begins with."""
from .kraken import kraken_receivers
from .live import live_packets
from .rtl_tcp import rtl_tcp_receivers

SCHEMES = {"rtl_tcp": rtl_tcp_receivers, "kraken": kraken_receivers}


def receivers_of(live, seconds=None, needs_preset=True):
    """live_packets of udp://, or what stands in their place. ValueError for what cannot be."""
    made = SCHEMES.get(live.partition("://")[0])
    return made(live, seconds) if made else live_packets(live, seconds, needs_preset)
