#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where the page is: addresses to listen at, and those to type into a browser."""
import fcntl
import ipaddress
import socket
import struct

HOST, PORT = "127.0.0.1", 8080
SIOCGIFADDR = 0x8915  # of <linux/sockios.h>


def listening_address(text, option="listen"):
    """(host, port) of HOST:PORT, of a port alone, or of a host alone. ValueError."""
    text = text.strip()
    if text.isdigit():
        host, port = HOST, text
    else:
        host, colon, port = text.rpartition(":")
        if not colon or text.endswith("]"):
            host, port = text, str(PORT)
    host = host.strip("[]") or "0.0.0.0"
    host = "0.0.0.0" if host == "*" else host
    if not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{option}: {text}: must be HOST:PORT, such as {HOST}:{PORT} for this "
                         f"computer alone, or 0.0.0.0:{PORT} for all in the network")
    return host, int(port)


def is_loopback(host):
    """True where only this computer reaches what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_everywhere(host):
    """True for the address that stands for all of this computer's."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def own_addresses():
    """This computer's IPv4 addresses in networks."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(connection, SIOCGIFADDR,
                                     struct.pack("256s", name.encode()[:15]))
            except OSError:  # it has none
                continue
            address = socket.inet_ntoa(answer[20:24])
            if not is_loopback(address) and address not in found:
                found.append(address)
    return found


def url(host, port):
    """What to type into a browser."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def network_urls(host, port):
    """Addresses by which others in the network reach what listens there; none on a loopback."""
    if is_loopback(host):
        return []
    hosts = own_addresses() if is_everywhere(host) else [host]
    return [url(address, port) for address in hosts]


def lines_for_user(host, port):
    """Lines that tell a user where the page is."""
    if is_loopback(host):
        return [f"{url(host, port)}  (this computer only; with listen=0.0.0.0:{port} phones in "
                "the network can see it)"]
    if not is_everywhere(host):
        return [f"{url(host, port)}  (everyone in its network can see it)"]
    addresses = network_urls(host, port)
    if not addresses:
        return [f"{url(HOST, port)}  (this computer has no network now)"]
    return ["everyone in the network can see the page; type into the phones:",
            *(f"  {address}" for address in addresses)]


class known_names:
    """The names by which browsers may ask for the page.

    An attacker's page could send a browser to this computer under a name of its own ("DNS
    rebinding"), and read the answer. So a name is refused that is neither a number, nor this
    computer's name, nor one of `more`.
    """

    def __init__(self, more=()):
        own = socket.gethostname().lower()
        self._names = {"localhost", own, own.partition(".")[0], own + ".local",
                       *(name.lower() for name in more)}

    def __contains__(self, host):
        """host: as a browser sends it, with or without its port."""
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdigit():
            name = host
        try:
            ipaddress.ip_address(name.strip("[]"))
            return True
        except ValueError:
            return name.lower() in self._names
