#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The engines of udp_source receive the same packets, with the same counts. They need a network of
their own for that, where the system lets them have one."""
import contextlib
import ctypes
import fcntl
import socket
import struct
import subprocess
import unittest

import numpy as np
import pmt
from gnuradio import fringe

from qa_live import wait_until
from qa_packets import mwa, receiving
from qa_scratch import scratch_case

GPS = 1400000000
INPUTS = 2
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
UDP_SEGMENT = 103
LINK = "fringe0"  # of that network


def own_network():
    """Whether this process has a network namespace of its own from now on, and the rights there."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.unshare(NEW_NETWORK) and system.unshare(NEW_USER | NEW_NETWORK):
        return False
    set_link(65536)
    with contextlib.suppress(OSError):  # The loopback interface has no groups of IPv6.
        for words in (f"link add {LINK} type veth peer name {LINK}b", f"link set {LINK} up",
                      f"link set {LINK}b up", f"-6 addr add fd77::1/64 dev {LINK} nodad"):
            subprocess.run(["ip", *words.split()], check=False, stderr=subprocess.DEVNULL)
    return True


def set_link(mtu):
    """The loopback interface is up, and has packets of this number of bytes at most."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8922, struct.pack("16si12x", b"lo", mtu))
        fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", b"lo", 1))


OWN_NETWORK = __name__ == "__main__" and own_network()


def has_rings():
    try:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0):
            return True
    except OSError:
        return False


def raw_datagram(packet, port, checksum):
    """With its IP header; checksum: "right", "wrong" or "none"."""
    head = struct.pack(">HHHH", 5555, port, 8 + len(packet), 0)
    hosts = socket.inet_aton("127.0.0.1") * 2
    summed = hosts + struct.pack(">BBH", 0, 17, len(head + packet)) + head + packet
    total = int(np.frombuffer(summed + bytes(len(summed) % 2), ">u2").sum(dtype=np.uint64))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    right = ~total & 0xffff or 0xffff
    value = {"right": right, "wrong": right ^ 0x0100, "none": 0}[checksum]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(head + packet), 0, 0, 64, 17, 0) + hosts
    return ip + head[:6] + struct.pack(">H", value) + packet


class sending:
    """Sends to a port of this computer in some ways; each returns how many packets should come."""

    def __init__(self, case, port):
        self.port = port
        self.plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.other.bind(("127.0.0.2", 0))
        self.joined = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.bare = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        for listener in (self.plain, self.other, self.joined, self.bare):
            case.addCleanup(listener.close)

    def send(self, how, packets):
        where = "127.0.0.1", self.port
        if how == "joined":
            self.joined.setsockopt(socket.SOL_UDP, UDP_SEGMENT, len(packets[0]))
            self.joined.sendto(b"".join(packets), where)
            return len(packets)
        for packet in packets:
            if how == "elsewhere":  # to another port, and to another address
                self.plain.sendto(packet, (where[0], self.port % 60000 + 1))
                self.plain.sendto(packet, ("127.0.0.3", self.port))
            elif how in ("right", "wrong", "none"):
                self.bare.sendto(raw_datagram(packet, self.port, how), where)
            else:
                (self.other if how == "foreign" else self.plain).sendto(packet, where)
        return 0 if how in ("elsewhere", "wrong") else len(packets)


class qa_packet_engines(scratch_case):

    def setUp(self):
        super().setUp()
        if not has_rings():
            self.skipTest("packet_ring: needs the right CAP_NET_RAW")

    def received(self, engine, sends, **more):
        """Voltages, tags and counts of what is sent: (how, packets)."""
        run = receiving("mwa", INPUTS, 1000, {"gps_leap_seconds": "18"}, window_seconds=6,
                        engine=engine, senders=["127.0.0.1"], **more)
        sender = sending(self, run.source.ports()[0])
        came = 0
        for how, packets in sends:
            came += sender.send(how, packets)
            wait_until(lambda: sum(run.received().values()) >= came)
        voltages = run.end()
        tags = sorted((t.offset, pmt.symbol_to_string(t.key), pmt.write_string(t.value))
                      for t in run.sink.tags)
        return voltages, tags, run.source.packets(), run.source.losses()

    def compare(self, sends):
        right = self.received("recvmmsg", sends)
        for engine, threads in (("packet_ring", 1), ("recvmmsg", 3), ("packet_ring", 3)):
            with self.subTest(engine=engine, threads=threads):
                got = self.received(engine, sends, threads=threads)
                np.testing.assert_array_equal(got[0], right[0])
                self.assertEqual(got[1:], right[1:])
        return right

    def packets(self, slots):
        self.samples = self.rng.integers(-128, 128, (INPUTS, slots, 2048, 2)).astype(np.int8)
        return [[mwa(k, GPS + n // 625, n % 625, self.samples[k, n]) for k in range(INPUTS)]
                for n in range(slots)]

    def test_same_packets_and_counts(self):
        """Loss, pieces, doubles, senders, joined packets, and checksums."""
        slots, right = 60, {"good": 0, "foreign": 0, "duplicate": 0, "garbled": 0,
                            "kernel_dropped": 0}
        packets = self.packets(slots)
        there = np.ones((INPUTS, slots), bool)
        # Packets with checksums of our own go whole through links of this length only.
        hows = ["plain", "joined", "foreign", "lost", "double", "cut", "elsewhere", "right",
                "wrong", "none"]
        sends = [("plain", packets[0])]
        right["good"] += INPUTS
        for n in range(1, slots):
            how = hows[int(self.rng.integers(len(hows)))] if n < slots - 1 else "plain"
            good = how in ("plain", "joined", "right", "none", "double", "elsewhere")
            there[:, n] = good
            right["good"] += INPUTS * good
            if how in ("double", "elsewhere"):
                sends.append(("plain", packets[n]))
            if how == "double":
                right["duplicate"] += INPUTS
                sends.append(("plain", packets[n]))
            elif how == "cut":
                right["garbled"] += 1
                sends.append(("plain", [packets[n][0][:9]]))
            elif how != "lost":
                right["foreign"] += INPUTS * (how == "foreign")
                right["kernel_dropped"] += INPUTS * (how == "wrong")
                sends.append((how, packets[n]))
        voltages, _, counts, _ = self.compare(sends)
        self.assertEqual({name: counts[name] for name in right}, right)
        self.assertEqual(counts["missing"], int((~there).sum()))
        expected = (self.samples * there[:, :, None, None]).reshape(INPUTS, -1, 2)
        got = np.where(np.repeat(there, 2048, 1)[:, :, None],
                       voltages[:, :slots * 2048], 0)
        np.testing.assert_array_equal(got, expected)

    @unittest.skipUnless(OWN_NETWORK, "packet_ring: fragments need a network namespace")
    def test_fragments_are_put_together(self):
        packets = self.packets(20)
        set_link(1500)
        self.addCleanup(set_link, 65536)
        _, _, counts, _ = self.compare([("plain", both) for both in packets])
        self.assertEqual(counts["good"], INPUTS * 20)

    def test_a_full_ring_is_counted(self):
        """What the kernel has no room for is counted, packet by packet."""
        slots = 600
        source = fringe.udp_source(["127.0.0.1:0"], 1, 2048, "mwa", {}, engine="packet_ring",
                                   window_seconds=2, buffer_seconds=2, socket_bytes=4096)
        sender = sending(self, source.ports()[0])
        for n in range(slots):
            sender.send("plain", [mwa(0, GPS, n, np.zeros((2048, 2), np.int8))])
        run = fringe_sink(source)
        run.start()
        try:
            wait_until(lambda: source.packets()["good"] + source.packets()["kernel_dropped"]
                       >= slots)
            counts = source.packets()
            self.assertEqual(counts["good"] + counts["kernel_dropped"], slots)
            self.assertGreater(counts["kernel_dropped"], 0)
            self.assertGreater(counts["good"], 100)
        finally:
            run.stop()
            run.wait()

    def test_a_multicast_group(self):
        """Of the interface that is named, and not of other groups at the same port."""
        for engine, threads in (("packet_ring", 1), ("packet_ring", 2), ("recvmmsg", 3)):
            with self.subTest(engine=engine, threads=threads):
                self.check_group(engine=engine, threads=threads)

    def check_group(self, **how):
        source = fringe.udp_source(["239.77.88.99:0"], 1, 2048, "mwa", {}, interface="lo",
                                   socket_bytes=1 << 20, **how)
        run = fringe_sink(source)
        run.start()
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
                connection.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                                      struct.pack("4s4si", bytes(4), bytes(4),
                                                  socket.if_nametoindex("lo")))
                for n in range(10):
                    packet = mwa(0, GPS, n, np.zeros((2048, 2), np.int8))
                    connection.sendto(packet, ("239.77.88.98", source.ports()[0]))
                    connection.sendto(packet, ("239.77.88.99", source.ports()[0]))
            wait_until(lambda: source.packets()["good"] >= 10)
            self.assertEqual({k: n for k, n in source.packets().items() if n}, {"good": 10})
        finally:
            run.stop()
            run.wait()


def fringe_sink(source):
    """A flowgraph that takes what a source sends."""
    from gnuradio import blocks, gr
    run = gr.top_block()
    run.connect(source, blocks.null_sink(source.output_signature().sizeof_stream_item(0)))
    return run


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as connection:
            connection.bind(("::1", 0))
            return True
    except OSError:
        return False


@unittest.skipUnless(has_ipv6(), "IPv6: this computer has no address ::1")
class qa_ipv6(scratch_case):

    def counts(self, address, where, link="lo", **more):
        """Of ten packets that are sent to a source of that address."""
        source = fringe.udp_source([address], 1, 2048, "mwa", {}, interface=link,
                                   socket_bytes=1 << 20, **more)
        run = fringe_sink(source)
        run.start()
        try:
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as connection:
                index = socket.if_nametoindex(link)
                connection.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
                for n in range(10):
                    connection.sendto(mwa(0, GPS, n, np.zeros((2048, 2), np.int8)),
                                      (where, source.ports()[0], 0, index if "ff" in where else 0))
            wait_until(lambda: sum(source.packets().values()) >= 10)
            return {name: n for name, n in source.packets().items() if n}
        finally:
            run.stop()
            run.wait()

    def test_addresses_and_senders(self):
        self.assertEqual(self.counts("[::1]:0", "::1"), {"good": 10})
        self.assertEqual(self.counts("[::]:0", "::1", senders=["::1"]), {"good": 10})
        self.assertEqual(self.counts("[::1]:0", "::1", senders=["127.0.0.1"]), {"foreign": 10})

    def test_groups(self):
        names = [name for _, name in socket.if_nameindex()]
        if not OWN_NETWORK or LINK not in names:
            self.skipTest("IPv6 groups: need a network namespace with a link")
        for group in ("ff15::77:88", "ff12::77:88"):  # of a site, and of a link
            with self.subTest(group=group):
                self.assertEqual(self.counts(f"[{group}]:0", group, LINK), {"good": 10})

    def test_refusals(self):
        for address, sentence in (("::1:7148", "in brackets, as in"),
                                  ("[2001:db8::1]:7148", "it must be an address of this"),
                                  ("[nonsense::]:7148", "udp: ")):
            with self.subTest(address=address):
                with self.assertRaisesRegex(ValueError, sentence):
                    fringe.udp_source([address], 1, 2048, "mwa", {})
        if has_rings():
            with self.assertRaisesRegex(ValueError, "receives over IPv4 only"):
                fringe.udp_source(["[::1]:0"], 1, 2048, "mwa", {}, engine="packet_ring")


class qa_engine_refusals(unittest.TestCase):

    def test_engines(self):
        with self.assertRaisesRegex(ValueError, "engine: fast: must be auto, recvmmsg or packet"):
            fringe.udp_source(["127.0.0.1:0"], 1, 2048, "mwa", {}, engine="fast")

    @unittest.skipIf(has_rings(), "packet_ring: this process has the right")
    def test_without_the_right(self):
        with self.assertRaisesRegex(ValueError, "CAP_NET_RAW.*engine recvmmsg does without"):
            fringe.udp_source(["127.0.0.1:0"], 1, 2048, "mwa", {}, engine="packet_ring")


if __name__ == "__main__":
    unittest.main()
