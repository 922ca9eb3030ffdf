#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Connections by TCP to programs that serve receivers."""
import socket


def connect(address, seconds):
    """A socket that is connected to host:port, and waits for so long. Raises OSError."""
    host, _, port = address.rpartition(":")
    try:
        return socket.create_connection((host.strip("[]"), int(port)), seconds)
    except OverflowError:
        raise OSError(f"port {port}: must be 1 to 65535") from None


def read(connection, count):
    """So many bytes, or those that came until the other side ended the connection."""
    found = b""
    while len(found) < count:
        more = connection.recv(count - len(found))
        if not more:
            break
        found += more
    return found
