#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""packet_sink: what a socket receives is what went in, read by the published layouts, by spead2,
and by UDP Source's own parser."""
import importlib.util
import itertools
import socket
import struct
import threading
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers

SECOND = 1800000000


class Listener:
    """A socket on the loopback that keeps all it receives."""

    def __init__(self, host="127.0.0.1"):
        six = ":" in host
        self.socket = socket.socket(socket.AF_INET6 if six else socket.AF_INET,
                                    socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind((host, 0))
        self.address = f"{f'[{host}]' if six else host}:{self.socket.getsockname()[1]}"
        self.packets = []
        self.ended = False
        self.socket.settimeout(0.05)
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        while True:
            try:
                self.packets.append(self.socket.recv(65536))
            except socket.timeout:
                if self.ended:
                    return

    def end(self):
        """What has come. On the loopback a packet is there when it has been sent."""
        self.ended = True
        self.thread.join()
        self.socket.close()
        return self.packets


def tag(offset, name, value):
    it = gr.tag_t()
    it.offset, it.key, it.value = offset, pmt.intern(name), value
    return it


def spead_items(packet):
    """Items by id: immediate values; and where the payload begins. By the published layout."""
    magic, version, id_bytes, address_bytes, _, count = struct.unpack(">BBBBHH", packet[:8])
    assert (magic, version, id_bytes, address_bytes) == (0x53, 4, 2, 6)
    items = {}
    for k in range(count):
        word = int.from_bytes(packet[8 + 8 * k:16 + 8 * k], "big")
        name = word >> 48
        items[name & 0x7fff] = (name >> 15, word & (1 << 48) - 1)
    return items, packet[8 + 8 * count:]


def complex_of(payload, bits):
    """(re, im) of values as they are in packets: two bytes, or one with the real part high."""
    octets = np.frombuffer(payload, np.uint8)
    if bits == 8:
        return octets.view(np.int8).reshape(-1, 2)
    halves = np.stack([octets >> 4, octets & 15], -1).astype(np.int8)
    return np.where(halves > 7, halves - 16, halves).astype(np.int8)


class Case:
    """Random spectra [item][channel][input][time][re, im], some of them lost."""

    def __init__(self, rng, inputs, channels, block, items, bits, lost=()):
        top = 127 if bits == 8 else 7
        self.inputs, self.channels, self.block, self.bits = inputs, channels, block, bits
        self.values = rng.integers(-top, top + 1, (items, channels, inputs, block, 2), np.int8)
        self.rate = 1000.0
        self.tags = [tag(0, "rx_time", pmt.make_tuple(pmt.from_uint64(SECOND),
                                                      pmt.from_double(0.25))),
                     tag(0, "rx_rate", pmt.from_double(self.rate))]
        self.lost = set(lost)  # (input, spectrum)
        for k, t in self.lost:
            self.tags.append(tag(t // block, "invalid",
                                 pmt.init_u64vector(3, [k, t % block, 1])))
        # [channel][input][time][re, im]
        self.spectra = np.concatenate(list(self.values), axis=2)

    def send(self, listeners, ranges=None, **settings):
        addresses = [listener.address for listener in listeners]
        if ranges:
            addresses = [f"{a}/{first}-{last}" for a, (first, last) in zip(addresses, ranges)]
        sink = fringe.packet_sink(addresses, self.inputs, self.channels, self.block,
                                  requantize=str(self.bits), speed=0, **settings)
        size = self.values[0].size
        source = blocks.vector_source_b(
            self.values.view(np.uint8).ravel().tolist(), False, size, self.tags)
        run = gr.top_block()
        run.connect(source, sink)
        run.run()
        return sink


class qa_packet_sink(unittest.TestCase):

    def setUp(self):
        self.rng = random_numbers()

    def test_snap2(self):
        for bits, inputs in ((8, 5), (4, 6)):
            case = Case(self.rng, inputs, 12, 7, 3, bits, lost={(2, 3), (4, 16)})
            ears = [Listener(), Listener()]
            sink = case.send(ears, [(0, 3), (6, 11)], layout="snap2", packet_channels=2,
                             first_input=inputs, all_inputs=64, first_channel=100)
            seen = set()
            for (first, last), ear in zip(((0, 3), (6, 11)), ears):
                for packet in ear.end():
                    self.assertEqual(len(packet), sink.packet_bytes())
                    seq, sync, signals, all_signals, chans, all_chans, block, chan0, signal0 = \
                        struct.unpack(">QIHHHHIII", packet[:32])
                    self.assertEqual((sync, signals, all_signals, chans, signal0),
                                     (SECOND, inputs, 64, 2, inputs))
                    self.assertEqual(all_chans, last - first + 1)
                    self.assertEqual(chan0, 100 + first + 2 * block)
                    at = seq - 250  # 0.25 s at 1000 spectra a second
                    channel = chan0 - 100
                    got = complex_of(packet[32:], bits).reshape(2, inputs, 2)
                    np.testing.assert_array_equal(
                        got, case.spectra[channel:channel + 2, :, at])
                    seen.add((at, channel))
            wanted = set(itertools.product(set(range(21)) - {3, 16}, [0, 2, 6, 8, 10]))
            self.assertEqual(seen, wanted)
            self.assertEqual(sink.packets(),
                             {"sent": len(wanted), "withheld": 10, "refused": 0})

    def test_floats(self):
        """Complex float32 spectra, as voltages of beams are, are rounded to what 8 and 4 bits
        hold."""
        for bits, top in ((8, 127), (4, 7)):
            case, ear = Case(self.rng, 2, 6, 7, 3, bits), Listener()
            gain, size = 25.0, 2 * 6 * 7
            floats = (case.values * 1.5 + self.rng.uniform(-0.5, 0.5, case.values.shape)) / gain
            floats = floats.astype(np.float32)
            sink = fringe.packet_sink([ear.address], 2, 6, 7, "snap2", str(bits), speed=0,
                                      gain=gain)
            top_block = gr.top_block()
            source = blocks.vector_source_c(
                floats.view(np.complex64).ravel().tolist(), False, size, case.tags)
            top_block.connect(source, sink)
            top_block.run()
            self.assertEqual(sink.error(), "")
            rounded = np.rint(floats * np.float32(gain)).clip(-top, top)
            wanted = np.concatenate(list(rounded), axis=2)
            packets = ear.end()
            self.assertEqual(len(packets), 21)
            for packet in packets:
                at = struct.unpack(">Q", packet[:8])[0] - 250
                np.testing.assert_array_equal(complex_of(packet[32:], bits).reshape(6, 2, 2),
                                              wanted[:, :, at])
        with self.assertRaisesRegex(ValueError, "gain: -1: must be 0 or more"):
            fringe.packet_sink(["127.0.0.1:9"], 2, 6, gain=-1.0)

    def test_beams(self):
        """Voltages of beams are spectra with beams for inputs."""
        obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50, "longitude": 8}, "antennas": [[0, 0, 0], [9, 0, 0]],
            "sample_rate": 1e6, "center_frequency": 150e6, "channels": 8,
            "start_time": "2026-06-12T12:00:00Z"}))
        ear, samples = Listener(), 8 * 50
        source = fringe.raw_sky_source(obs, "ci8", samples)
        former = fringe.beamformer(obs, ["zenith", "az=90,el=60"], "voltages", channels=8,
                                   block_spectra=50)
        sink = fringe.packet_sink([ear.address], 2, 8, 50, "snap2", speed=0, gain=0.5)
        top = gr.top_block()
        top.connect(source, blocks.head(source.block_bytes, 4),
                    fringe.unpack("ci8", 2, samples),
                    fringe.channelizer(2, 8, 50, component="i8"), former, sink)
        top.run()
        self.assertEqual(sink.error(), "")
        values = np.array([complex_of(packet[32:], 8) for packet in ear.end()])
        self.assertGreater(len(values), 190)
        self.assertGreater(values.std(), 1)

    def test_ipv6(self):
        """The same packets, also where destinations are of both kinds."""
        case = Case(self.rng, 4, 12, 7, 3, 8)
        try:
            six = Listener("::1")
        except OSError as error:
            self.skipTest(f"IPv6: {error}")
        ears = [Listener(), six]
        settings = {"layout": "snap2", "packet_channels": 4}
        case.send(ears, [(0, 11), (0, 11)], **settings)
        four, six = (sorted(ear.end()) for ear in ears)
        self.assertEqual(len(four), 3 * 7 * 3)
        self.assertEqual(four, six)

    def heaps(self, case, ear, spectra, antennas):
        """Heaps of feng_raw by (timestamp, feng_id), put together by the layout."""
        found = {}
        for packet in ear.end():
            items, payload = spead_items(packet)
            self.assertTrue(all(items[k][0] for k in (1, 2, 3, 4, 0x1600, 0x4101, 0x4103)))
            self.assertEqual(items[0x4300], (0, 0))
            value = {k: v for k, (_, v) in items.items()}
            self.assertEqual(value[4], len(payload))
            key = value[0x1600], value[0x4101], value[0x4103]
            heap, counters = found.setdefault(key, (bytearray(value[2]), set()))
            heap[value[3]:value[3] + value[4]] = payload
            counters.add(value[1])
        counters = [c for _, c in found.values()]
        self.assertTrue(all(len(c) == 1 for c in counters))
        self.assertEqual(len(set.union(*counters)), len(counters))
        return {key: complex_of(heap, case.bits).reshape(-1, spectra, 2, 2)
                for key, (heap, _) in found.items()}

    def test_spead(self):
        for bits, spectra, block in ((8, 16, 11), (4, 5, 23)):
            case = Case(self.rng, 4, 8, block, 7, bits, lost={(3, 40)})
            ears = [Listener(), Listener()]
            sink = case.send(ears, layout="spead", spectra=spectra, packet_channels=2,
                             first_input=6, first_channel=64)
            total = 7 * block
            # Numbers of spectra since the whole second; heaps are aligned to it.
            first = -(-250 // spectra) * spectra
            wanted = {(s, a) for s in range(first, 250 + total - spectra + 1, spectra)
                      for a in (3, 4)}
            wanted -= {(s, 4) for s in range(first, 250 + total, spectra)
                       if s <= 290 < s + spectra}
            for k, ear in enumerate(ears):
                heaps = self.heaps(case, ear, spectra, 2)
                self.assertEqual({(t // 8, a) for t, a, _ in heaps}, wanted)
                for (ticks, antenna, channel), got in heaps.items():
                    self.assertEqual(channel, 64 + 4 * k)
                    self.assertEqual(ticks % 8, 0)
                    at, stream = ticks // 8 - 250, 2 * (antenna - 3)
                    np.testing.assert_array_equal(
                        got, case.spectra[4 * k:4 * k + 4, stream:stream + 2, at:at + spectra]
                        .transpose(0, 2, 1, 3))
            self.assertEqual(sink.packets()["sent"], len(wanted) * 4)

    def test_our_own_layouts(self):
        """UDP Source's parser finds the same time and place."""
        case = Case(self.rng, 4, 8, 16, 2, 8)
        ear = Listener()
        case.send([ear], layout="snap2", packet_channels=4)
        layout = fringe.packet_layout("snap2", {
            "signals": "4", "sample_rate": "8000", "points": "8", "packet_channels": "4",
            "channels": "8", "bits": "8"})
        times = {layout.parse(packet)["time"] for packet in ear.end()}
        self.assertEqual(len(times), 32)
        self.assertTrue(min(times).endswith(":00.250000000"), min(times))
        ear = Listener()
        case.send([ear], layout="spead", spectra=8, packet_channels=4, sync_time=str(SECOND))
        layout = fringe.packet_layout("spead", {
            "spectra": "8", "sample_rate": "8000", "points": "8", "packet_channels": "4",
            "channels": "8", "sync_time": str(SECOND), "wraps": "0"})
        headers = [layout.parse(packet) for packet in ear.end()]
        # The first heap that begins within the data, at spectrum 256 of the second.
        self.assertTrue(min(s["time"] for s in headers).endswith(":00.256000000"))
        self.assertEqual(len(headers), 3 * 2 * 2)

    @unittest.skipUnless(importlib.util.find_spec("spead2"), "needs the package spead2")
    def test_spead2_receives(self):
        import spead2.recv
        case = Case(self.rng, 4, 16, 32, 2, 8)
        port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        port.bind(("127.0.0.1", 0))
        number = port.getsockname()[1]
        port.close()
        stream = spead2.recv.Stream(spead2.ThreadPool(), spead2.recv.StreamConfig(max_heaps=64),
                                    spead2.recv.RingStreamConfig(heaps=64))
        stream.add_udp_reader(number, max_size=9000, bind_hostname="127.0.0.1")
        listening = type("", (), {"address": f"127.0.0.1:{number}"})
        case.send([listening], layout="spead", spectra=16, packet_channels=4)
        got = {}
        while len(got) < 2 * 3:
            values = {i.id: i for i in stream.get().get_items()}
            key = values[0x1600].immediate_value, values[0x4101].immediate_value
            got[key] = np.array(values[0x4300], copy=True).view(np.int8)
        stream.stop()
        for (ticks, antenna), heap in got.items():
            at = ticks // 16 - 250
            np.testing.assert_array_equal(
                heap.reshape(16, 16, 2, 2),
                case.spectra[:, 2 * antenna:2 * antenna + 2, at:at + 16].transpose(0, 2, 1, 3))

    def test_nobody_listens(self):
        case = Case(self.rng, 2, 4, 16, 4, 8)
        ear = Listener()
        ear.end()  # The port is closed now.
        sink = case.send([ear], layout="snap2")
        self.assertEqual(sink.packets(), {"sent": 64, "withheld": 0, "refused": 0})

    def test_gap(self):
        case = Case(self.rng, 2, 4, 10, 3, 8)
        # The second item begins 1.005 s later than it would.
        case.tags.append(tag(1, "rx_time", pmt.make_tuple(pmt.from_uint64(SECOND + 1),
                                                          pmt.from_double(0.265))))
        ear = Listener()
        case.send([ear], layout="snap2")
        numbers = sorted(struct.unpack(">Q", packet[:8])[0] for packet in ear.end())
        self.assertEqual(numbers, list(range(250, 260)) + list(range(1265, 1285)))

    def test_pace(self):
        """64 spectra at 1000 a second take 64 ms at least."""
        import time
        case = Case(self.rng, 2, 4, 16, 4, 8)
        ear = Listener()
        sink = fringe.packet_sink([ear.address], 2, 4, 16, layout="snap2", speed=1)
        source = blocks.vector_source_b(case.values.view(np.uint8).ravel().tolist(), False,
                                        case.values[0].size, case.tags)
        run = gr.top_block()
        run.connect(source, sink)
        began = time.monotonic()
        run.run()
        self.assertGreater(time.monotonic() - began, 0.06)
        self.assertEqual(len(ear.end()), 64)

    def test_refusals(self):
        def make(*words, **settings):
            return lambda: fringe.packet_sink(*words, **settings)
        here = "127.0.0.1:7148"
        for call, words in (
                (make([], 2, 4), "none given"),
                (make([here], 3, 4), "must be even"),
                (make([here], 0, 4), "inputs: 0"),
                (make([here], 2, 4, layout="snap3"), "must be snap2 or spead"),
                (make([here], 2, 4, requantize="none"), "must be 8 or 4"),
                (make([here] * 3, 2, 4), "must divide the 4 channels"),
                (make([here + "/0-4"], 2, 4), "channels must be of 0-3"),
                (make([here + "/x"], 2, 4), "host:port/first-last"),
                (make([here + "/0-1", here], 2, 4), "for all of them, or for none"),
                (make(["127.0.0.1"], 2, 4), "must be host:port"),
                (make(["127.0.0.1:0"], 2, 4), "port 0"),
                (make([here], 2, 4, packet_channels=3), "must divide the channels"),
                (make([here], 2, 4, first_input=1), "must be a multiple of the 2"),
                (make([here], 2, 4, layout="snap2", spectra=2), "must be 1 in packets"),
                (make([here], 2, 4, sync_time="2026-01-01T00:00:00.5"), "whole second"),
                (make([here], 2, 4, speed=-1), "must be 0 or more"),
                (make([here], 2, 4, interface="no such"), "interface no such")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_no_time(self):
        case = Case(self.rng, 2, 4, 16, 1, 8)
        case.tags = []
        ear = Listener()
        sink = case.send([ear], layout="snap2")
        self.assertIn("carry no time", sink.error())
        self.assertEqual(ear.end(), [])


if __name__ == "__main__":
    unittest.main()
