#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What packets arrive at an address, in words: fringe info --live."""
import collections
import ipaddress
import socket
import struct
import time

from .. import fringe_python as fp
from .tuned_receivers import tuned_receivers

MAX_PACKET = 65536  # bytes of a packet
KEPT = 20000  # packets that are looked into


def open_sockets(addresses, interface=""):
    """A socket for each host:port; joins multicast groups. ValueError where one cannot be."""
    sockets = []
    for address in addresses:
        host, _, port = address.rpartition(":")
        six = host.startswith("[")  # IPv6
        receiver = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM)
        sockets.append(receiver)
        try:
            name = socket.getaddrinfo(host.strip("[]"), int(port), receiver.family,
                                      receiver.type)[0][4]
            if six and interface and not name[3]:
                name = (*name[:3], socket.if_nametoindex(interface))
            group = ipaddress.ip_address(name[0].partition("%")[0]).is_multicast
            if group:
                receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            receiver.bind(name)
            if group and six:
                receiver.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, socket.inet_pton(
                    receiver.family, name[0].partition("%")[0]) + struct.pack("I", name[3]))
            elif group:
                _join(receiver, name[0], interface)
        except (OSError, ValueError, OverflowError) as error:
            for opened in sockets:
                opened.close()
            raise ValueError(f"live: {address}: cannot be received on: {error}") from None
        receiver.settimeout(0.1)
    return sockets


def _join(receiver, group, interface):
    index, address = 0, "0.0.0.0"
    if interface:
        try:
            index = socket.if_nametoindex(interface)
        except OSError:
            address = interface
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                        struct.pack("4s4si", socket.inet_aton(group), socket.inet_aton(address),
                                    index))


def listen(sockets, seconds):
    """Packets of the next `seconds`: (seconds since the first, packet, sender's address)."""
    came, end = [], time.monotonic() + seconds
    while time.monotonic() < end and len(came) < KEPT:
        for receiver in sockets:
            try:
                packet, sender = receiver.recvfrom(MAX_PACKET)
            except socket.timeout:
                continue
            came.append((time.monotonic(), packet, sender[0]))
    return came


def vdif_settings(packet):
    """Settings of the preset vdif that fit a packet, {} where it is none."""
    for offset in (0, 8):
        if len(packet) < offset + 16:
            return {}
        words = struct.unpack_from("<4I", packet, offset)
        frame = 8 * (words[2] & 0xffffff)
        if frame == len(packet) - offset and not words[1] >> 30:
            return {"bits": str((words[3] >> 26 & 31) + 1), "frame_bytes": str(frame),
                    "channels": str(1 << (words[2] >> 24 & 31)),
                    "complex": "yes" if words[3] >> 31 else "no",
                    "legacy": "yes" if words[0] >> 30 & 1 else "no",
                    "psn": "yes" if offset else "no"}
    return {}


def spectra_settings(packet):
    """Presets of spectra, with the settings of sizes that a packet's header names."""
    if len(packet) < 32:
        return
    signals, channels = struct.unpack_from(">H2xH", packet, 12)
    yield "snap2", {"signals": str(signals), "packet_channels": str(channels)}
    yield "ata", {"bits": "8" if packet[1] & 2 else "4",
                  "packet_channels": str(int.from_bytes(packet[2:4], "big"))}
    yield "chips", {"packet_channels": str(packet[2])}
    stands, channels = struct.unpack_from(">II", packet, 16)
    yield "tbx", {"stands": str(stands), "packet_channels": str(channels)}


def _guesses(packet):
    """Presets with the settings that may fit a packet."""
    yield from ((name, {}) for name, _ in fp.packet_presets() if name not in ("vdif", "drx"))
    if len(packet) > 14 and packet[:4] == b"\xde\xc0\xde\x5c":
        decimation = int.from_bytes(packet[12:14], "big")
        bits = {4128: "4", 8224: "8"}.get(len(packet))
        if decimation and bits and 196000000 % decimation == 0:
            yield "drx", {"sample_rate": str(196000000 // decimation), "bits": bits}
    yield from spectra_settings(packet)
    settings = vdif_settings(packet)
    if settings:
        samples = 8 * (int(settings["frame_bytes"]) - (16 if settings["legacy"] == "yes" else 32))
        samples //= int(settings["bits"]) * int(settings["channels"]) * (
            2 if settings["complex"] == "yes" else 1)
        # A rate at which every number of a frame is one of a second.
        yield "vdif", {**settings, "sample_rate": str(samples * max(1, 10 ** 9 // samples))}


def recognize_packet(packet):
    """(preset, settings) that a packet fits, or None."""
    for name, settings in _guesses(packet):
        try:
            if fp.packet_layout(name, settings).parse(packet):
                return name, settings
        except ValueError:
            continue
    return None


def describe_live(packets, seconds=5.0):
    """What comes to the address of `packets` (receivers.receivers_of(), also with an empty preset),
    as lines of text."""
    if isinstance(packets, tuned_receivers):
        return "\n".join([f"{packets}: samples of {packets.name}"] + [
            f"  {name:12} {value}" for name, value in packets.described_in_words() if value])
    sockets = open_sockets(packets.addresses, packets.options.get("interface", ""))
    try:
        came = listen(sockets, seconds)
    finally:
        for receiver in sockets:
            receiver.close()
    lines = [f"{packets}: packets"]

    def fact(name, value):
        lines.append(f"  {name:12} {value}")

    if not came:
        fact("received", f"none in {seconds:g} s: the senders are off, or send to another address "
             "or port; a firewall; of multicast, another interface; 127.0.0.1 hears this computer "
             "only")
        return "\n".join(lines)
    took = max(came[-1][0] - came[0][0], 1e-3)
    fact("received", f"{len(came)} in {took:.3g} s, {len(came) / took:.4g} a second, "
         f"{8e-6 * sum(len(p) for _, p, _ in came) / took:.4g} Mb/s")
    sizes = collections.Counter(len(p) for _, p, _ in came)
    fact("sizes", ", ".join(f"{n} of {size} bytes" for size, n in sizes.most_common(4)))
    senders = collections.Counter(sender for _, _, sender in came)
    fact("senders", ", ".join(f"{n} from {who}" for who, n in senders.most_common(8)))
    _say_content(packets, [p for _, p, _ in came], fact)
    return "\n".join(lines)


def _say_spectra(layout, preset, settings, came, read, fact):
    options = "".join(f"&{name}={value}" for name, value in settings.items())
    bits = 4 if layout.encoding == "cvdif4" else 8
    fact("layout", f"{len(read)} fit preset={preset}{options}, {layout.packet_bytes} bytes, "
         f"{layout.samples} {'spectrum' if layout.samples == 1 else 'spectra'} of "
         f"{layout.channels} channels and {layout.streams} inputs, {bits} + {bits} bits, "
         f"{layout.sample_rate:.10g} spectra/s")
    if not read:
        return
    sources = sorted({header["source"] for header in read})
    fact("sources", f"{len(sources)}: {', '.join(map(str, sources[:16]))}"
         + (" ..." if len(sources) > 16 else ""))
    channels = sorted({header["channel"] for header in read})
    fact("channels", f"{channels[0]} to {channels[-1] + layout.channels - 1}, in {len(channels)} "
         f"block{'s' if len(channels) > 1 else ''} of {layout.channels}: first_channel="
         f"{channels[0]}&channels={len(channels) * layout.channels}")
    if layout.has_epoch:
        fact("time", f"{min(header['time'] for header in read)} of the earliest packet, UTC")


def _say_content(packets, came, fact):
    preset, settings = packets.preset, packets.settings
    if not preset:
        found = recognize_packet(collections.Counter(came).most_common(1)[0][0])
        if not found:
            fact("layout", "none of the presets; docs/packets.md tells how to describe it")
            return
        preset, settings = found
    layout = fp.packet_layout(preset, settings)
    read = [header for header in map(layout.parse, came) if header]
    if layout.spectra:
        _say_spectra(layout, preset, settings, came, read, fact)
        return
    options = "".join(f"&{name}={value}" for name, value in settings.items()
                      if name != "sample_rate" or preset != "vdif" or packets.preset)
    fact("layout", f"{len(read)} fit preset={preset}{options}, {layout.packet_bytes} bytes, "
         f"{layout.samples} samples of {layout.streams} "
         f"input{'s' if layout.streams > 1 else ''} as {layout.encoding}"
         + (f", {layout.sample_rate:.10g} S/s" if packets.preset or preset != "vdif" else
            "; the sample rate is not in the packets"))
    if not read:
        return
    sources = sorted({header["source"] for header in read})
    fact("sources", f"{len(sources)}: {', '.join(map(str, sources[:16]))}"
         + (" ..." if len(sources) > 16 else ""))
    if layout.has_epoch and (packets.preset or preset != "vdif"):
        fact("time", f"{min(header['time'] for header in read)} of the earliest packet, UTC")
    frequency = {header["frequency"] for header in read if header["frequency"]}
    if frequency:
        fact("frequency", ", ".join(f"{f:.12g} Hz" for f in sorted(frequency)[:8]))
