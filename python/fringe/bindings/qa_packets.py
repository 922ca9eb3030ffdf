#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Packets of each layout, written here from the formats' own definitions, through udp_source:
the same samples, the same inputs, the exact time."""
import datetime
import importlib.util
import io
import socket
import struct
import threading
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr

from qa_live import wait_until
from qa_scratch import TIMEOUT, scratch_case

GPS_EPOCH = 315964800  # s since 1970
LWA_CLOCK = 196000000  # Hz
LWA_SYNC = 0xDEC0DE5C


def mwa(rf_input, gps, number, payload, kind=0x20, channel=109):
    """payload: int8 [2048][re, im]."""
    return struct.pack(">BBHIHBBHH", kind, channel, rf_input, gps, number, 0, 7, 0, 0) \
        + payload.tobytes()


def tbn(stand_input, frame, time_tag, payload, tuning=0x30000000):
    """stand_input: from 1; payload: int8 [512][re, im]."""
    return struct.pack(">IIIHHQ", LWA_SYNC, frame & 0xffffff, tuning, stand_input, 20,
                       time_tag) + payload.tobytes()


def drx(beam, tuning, pol, frame, seconds, decimation, offset, time_tag, payload,
        word=0x40000000):
    """payload: [4096][re, im], -8 ... 7."""
    ident = beam | tuning << 3 | pol << 7
    nibbles = (payload[:, 0] & 15) << 4 | payload[:, 1] & 15
    return struct.pack(">IIIHHQII", LWA_SYNC, ident << 24 | frame & 0xffffff, seconds, decimation,
                       offset, time_tag, word, 0) + nibbles.astype(np.uint8).tobytes()


def spead(items, payload):
    """items: (id, value of 48 bits)."""
    words = [0x53040206 << 32 | len(items)]
    words += [1 << 63 | ident << 48 | value for ident, value in items]
    return struct.pack(f">{len(words)}Q", *words) + payload


def ten_bits(values):
    """Big-endian bits, the first sample in the highest."""
    bits = (values[:, None] >> np.arange(9, -1, -1)) & 1
    return np.packbits(bits.astype(np.uint8).ravel()).tobytes()


def meerkat(ident, timestamp, values, extra=()):
    payload = ten_bits(values)
    items = [(1, timestamp >> 12), (2, len(payload)), (3, 0), (4, len(payload)),
             (0x1600, timestamp), (0x3101, ident), (0x3102, 0), (0x3300, 0), *extra]
    return spead(items, payload)


def ska_low(station, sync, nanoseconds, payload, counter=0, frequency_id=200):
    """station: from 1; payload: int8 [2048][pol][re, im]."""
    head = struct.pack(">8B", 0x53, 4, 2, 6, 0, 0, 0, 8)
    head += struct.pack(">HHI", 0x8001, 5, counter)
    head += struct.pack(">HHI", 0x8004, 0, 8192)
    head += b"\x90\x27" + sync.to_bytes(6, "big")
    head += b"\x96\x00" + nanoseconds.to_bytes(6, "big")
    head += b"\x90\x11" + int(156.25e6).to_bytes(6, "big")
    head += struct.pack(">HHHH", 0xb000, 0, 3, frequency_id)
    head += struct.pack(">HBBHH", 0xb001, 1, 2, station, 256)
    head += struct.pack(">HHI", 0x3300, 0, 0)
    return head + payload.tobytes()


def vdif(second, epoch, frame, thread, codes, bits, channels=1, is_complex=False, invalid=False):
    """codes: [time][channel][component], unsigned."""
    flat = codes.reshape(-1, 32 // bits).astype(np.uint64)
    words = (flat << (np.arange(32 // bits, dtype=np.uint64) * np.uint64(bits))).sum(1)
    payload = words.astype("<u4").tobytes()
    log2 = int(channels).bit_length() - 1
    return struct.pack("<8I", invalid << 31 | second, epoch << 24 | frame,
                       log2 << 24 | (32 + len(payload)) // 8,
                       int(is_complex) << 31 | (bits - 1) << 26 | thread << 16 | 0x5566,
                       0, 0, 0, 0) + payload


class recorder(gr.sync_block):
    """Keeps items and their tags."""

    def __init__(self, item, kind=np.uint8):
        gr.sync_block.__init__(self, "recorder", [(kind, item)], None)
        self.items, self.tags = [], []

    def work(self, input_items, output_items):
        self.tags += self.get_tags_in_window(0, 0, len(input_items[0]))
        self.items += list(np.array(input_items[0]))
        return len(input_items[0])

    def values(self, key):
        return [(t.offset, t.value) for t in self.tags if pmt.symbol_to_string(t.key) == key]


def instant_of(value):
    """Seconds and attoseconds, as the tag's double has them."""
    return (pmt.to_uint64(pmt.tuple_ref(value, 0)),
            pmt.to_double(pmt.tuple_ref(value, 1)))


class receiving:
    """A udp_source and unpack into a recorder of voltages."""

    def __init__(self, preset, inputs, block, settings, **more):
        self.inputs, self.block = inputs, block
        self.source = fringe.udp_source(["127.0.0.1:0"], inputs, block, preset, settings, **more)
        packed = fringe.encoding_by_name(self.source.encoding())
        unpack = fringe.unpack(self.source.encoding(), inputs, block, "f32", self.source.parts(),
                               backend="cpu")
        self.values = 2 if packed.complex_samples else 1
        self.sink = recorder(inputs * block * self.values, np.float32)
        self.flowgraph = gr.top_block()
        self.flowgraph.connect(self.source, unpack)
        self.flowgraph.connect(unpack, self.sink)
        self.flowgraph.start()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, packets, at_a_time=8):
        """Sends packets, and waits now and then until they were received: no buffer is full."""
        where = ("127.0.0.1", self.source.ports()[0])
        done = sum(self.received().values())
        for k, packet in enumerate(packets):
            self.socket.sendto(packet, where)
            if (k + 1) % at_a_time == 0 or k + 1 == len(packets):
                wait_until(lambda k=k: sum(self.received().values()) >= done + k + 1)

    def received(self):
        return {name: n for name, n in self.source.packets().items()
                if name not in ("missing", "kernel_dropped")}

    def end(self):
        """The voltages, [input][time][component], and the counts."""
        self.source.finish()
        waiter = threading.Thread(target=self.flowgraph.wait, daemon=True)
        waiter.start()
        waiter.join(TIMEOUT)
        self.socket.close()
        if waiter.is_alive():
            raise AssertionError("the data did not end")
        if not self.sink.items:
            return None
        items = np.array(self.sink.items).reshape(-1, self.inputs, self.block, self.values)
        return items.swapaxes(0, 1).reshape(self.inputs, -1, self.values)


class qa_packets(scratch_case):

    def compare(self, preset, inputs, settings, packets, expected, start, rate, **more):
        """packets: in the order of time; expected: [input][time][component]; start: (s, as)."""
        order = np.arange(len(packets))
        for k in range(inputs, len(order) - 2, 2):  # neighbors change places, but the first
            if self.rng.random() < 0.5:
                order[[k, k + 1]] = order[[k + 1, k]]
        block = 8 * int(self.rng.integers(40, 400))
        # On a busy machine, packets of one time may be far apart in the computer's.
        run = receiving(preset, inputs, block, settings, window_seconds=6, **more)
        run.send([packets[k] for k in order])
        got = run.end()
        self.assertEqual({name: n for name, n in run.source.packets().items() if n},
                         {"good": len(packets)})
        np.testing.assert_array_equal(got[:, :expected.shape[1]], expected)
        self.assertEqual(run.source.samples_read(), expected.shape[1])
        times = run.sink.values("rx_time")
        self.assertEqual(len(times), 1)
        seconds, fraction = instant_of(times[0][1])
        self.assertEqual((times[0][0], seconds, fraction), (0, start[0], start[1] / 1e18))
        self.assertEqual([pmt.to_double(v) for _, v in run.sink.values("rx_rate")], [rate])
        self.assertEqual(run.sink.values("invalid"), [])
        return run

    def test_mwa(self):
        slots, inputs = 12, 4
        samples = self.rng.integers(-128, 128, (inputs, slots, 2048, 2)).astype(np.int8)
        gps, first = 1400000000 + int(self.rng.integers(10 ** 7)), 619  # into the next second
        packets = [mwa(k, gps + (first + n) // 625, (first + n) % 625, samples[k, n])
                   for n in range(slots) for k in range(inputs)]
        start = (GPS_EPOCH + gps - 18, first * 10 ** 18 // 625)
        self.compare("mwa", inputs, {}, packets, samples.reshape(inputs, -1, 2), start, 1.28e6)

    def test_a_flowgraph_that_changes(self):
        """What waits in the block, or in its ring already, outlasts lock() and unlock()."""
        slots, inputs = 90, 2
        samples = self.rng.integers(-128, 128, (inputs, slots, 2048, 2)).astype(np.int8)
        block = 8 * int(self.rng.integers(300, 1500))
        run = receiving("mwa", inputs, block, {}, window_seconds=0.03, buffer_seconds=3)
        changes = set(self.rng.choice(np.arange(1, slots), 3, replace=False))
        for n in range(slots):
            run.send([mwa(k, 1400000000, n, samples[k, n]) for k in range(inputs)])
            if n in changes:
                run.flowgraph.lock()
                run.flowgraph.connect(run.source, blocks.null_sink(2 * inputs * block))
                run.flowgraph.unlock()
        got = run.end()
        self.assertEqual({name: n for name, n in run.source.packets().items() if n},
                         {"good": slots * inputs})
        expected = samples.reshape(inputs, -1, 2)
        np.testing.assert_array_equal(got[:, :expected.shape[1]], expected)

    def test_tbn(self):
        slots, inputs = 9, 6
        samples = self.rng.integers(-128, 128, (inputs, slots, 512, 2)).astype(np.int8)
        tag = 1780000000 * LWA_CLOCK + int(self.rng.integers(LWA_CLOCK))
        packets = [tbn(k + 1, n, tag + n * 512 * 1960, samples[k, n])
                   for n in range(slots) for k in range(inputs)]
        start = (tag // LWA_CLOCK, tag % LWA_CLOCK * 10 ** 18 // LWA_CLOCK)
        run = self.compare("tbn", inputs, {}, packets, samples.reshape(inputs, -1, 2), start, 1e5)
        self.assertEqual([pmt.to_double(v) for _, v in run.sink.values("rx_freq")],
                         [0x30000000 / 2 ** 32 * 196e6])

    def test_drx(self):
        slots, inputs = 7, 2
        samples = self.rng.integers(-8, 8, (inputs, slots, 4096, 2)).astype(np.int8)
        tag, offset = 1780000000 * LWA_CLOCK + int(self.rng.integers(LWA_CLOCK)), 9876
        packets = [drx(3, 2, k, 0, 0, 20, offset, tag + n * 4096 * 20, samples[k, n])
                   for n in range(slots) for k in range(inputs)]
        other = drx(3, 1, 0, 0, 0, 20, offset, tag, samples[0, 0])
        begins = tag - offset
        start = (begins // LWA_CLOCK, begins % LWA_CLOCK * 10 ** 18 // LWA_CLOCK)
        settings = {"sample_rate": "9.8e6", "beam": "3", "tuning": "2"}
        self.compare("drx", inputs, settings, packets, samples.reshape(inputs, -1, 2), start,
                     9.8e6)
        run = receiving("drx", inputs, 4096, settings)
        run.send([other, packets[0]])
        run.end()
        self.assertEqual(run.source.packets()["foreign"], 1)

    def test_meerkat(self):
        """A counter of 48 bits that wraps on the way, and items in any order."""
        slots, inputs = 8, 2
        samples = self.rng.integers(-512, 512, (inputs, slots, 4096))
        first = 2 ** 48 - 3 * 4096
        packets = [meerkat(k, (first + n * 4096) % 2 ** 48, samples[k, n],
                           extra=[(0x777, 5)] * (n % 3))
                   for n in range(slots) for k in range(inputs)]
        rate = 1712000  # slower than the telescope's: so the window takes less memory
        settings = {"sync_time": "2026-01-02T03:04:05", "wraps": "2", "sample_rate": str(rate)}
        ticks = first + 2 * 2 ** 48
        sync = int(datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc).timestamp())
        start = (sync + ticks // rate, ticks % rate * 10 ** 18 // rate)
        self.compare("meerkat", inputs, settings, packets, samples.reshape(inputs, -1, 1), start,
                     1.712e6)

    def test_ska_low(self):
        slots, stations = 6, 3
        samples = self.rng.integers(-128, 128, (stations, slots, 2048, 2, 2)).astype(np.int8)
        sync, first = 1780000000, int(self.rng.integers(10 ** 9)) * 1080
        packets = [ska_low(k + 1, sync, first + n * 2048 * 1080, samples[k, n], n)
                   for n in range(slots) for k in range(stations)]
        start = (sync + first // 10 ** 9, first % 10 ** 9 * 10 ** 9)
        expected = samples.reshape(stations, -1, 2, 2).swapaxes(1, 2).reshape(
            2 * stations, -1, 2)
        run = self.compare("ska_low", 2 * stations, {}, packets, expected, start, 1e9 / 1080)
        self.assertEqual([pmt.to_double(v) for _, v in run.sink.values("rx_freq")], [156.25e6])

    LEVELS = {1: np.array([-1, 1], np.float32),
              2: np.array([-3.3359, -1, 1, 3.3359], np.float32),
              4: np.arange(-8, 8, dtype=np.float32), 8: np.arange(-128, 128, dtype=np.float32)}

    def test_vdif(self):
        """Threads, bits, channels, real and complex, bare and behind a serial number."""
        for bits, channels, is_complex, serial in ((2, 1, False, False), (1, 4, False, True),
                                                   (4, 2, True, False), (8, 1, True, True)):
            with self.subTest(bits=bits, channels=channels):
                self.one_vdif(bits, channels, is_complex, serial)

    def one_vdif(self, bits, channels, is_complex, serial):
        parts, slots, words = 2, 11, 128
        components = 2 if is_complex else 1
        samples = words * 32 // (bits * channels * components)
        rate = samples * 1000
        codes = self.rng.integers(0, 2 ** bits, (parts, slots, samples, channels, components))
        # The 52nd half year since 2000 begins in January 2026.
        second, first = 12345678, 995
        packets = []
        for n in range(slots):
            for k in range(parts):
                frame = vdif(second + (first + n) // 1000, 52, (first + n) % 1000, k, codes[k, n],
                             bits, channels, is_complex)
                packets.append((struct.pack("<Q", n) if serial else b"") + frame)
        settings = {"sample_rate": str(rate), "bits": str(bits), "channels": str(channels),
                    "complex": "yes" if is_complex else "no", "psn": "yes" if serial else "no",
                    "frame_bytes": str(32 + 4 * words)}
        january = int(datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
        start = (january + second, first * 10 ** 15)
        expected = self.LEVELS[bits][codes].swapaxes(2, 3).swapaxes(1, 2)
        # [part][channel][slot][time][component]
        expected = expected.reshape(parts * channels, slots * samples, components)
        self.compare("vdif", parts * channels, settings, packets, expected, start, float(rate))

    def test_samples_marked_as_bad(self):
        codes = self.rng.integers(0, 4, (4, 2048, 1, 1))
        packets = [vdif(100, 52, n, 0, codes[n], 2, invalid=n == 2) for n in range(4)]
        run = receiving("vdif", 1, 2048, {"sample_rate": "2048000", "frame_bytes": "544"})
        run.send(packets)
        run.end()
        self.assertEqual(run.source.losses()["invalid"], [2048])
        self.assertEqual([(k, list(pmt.u64vector_elements(v)))
                          for k, v in run.sink.values("invalid")], [(2, [0, 0, 2048])])

    @unittest.skipUnless(importlib.util.find_spec("baseband"), "needs the package baseband")
    def test_vdif_of_baseband(self):
        """Frames of another program."""
        from astropy import units
        from astropy.time import Time
        from baseband import vdif as other
        levels = self.LEVELS[2]
        samples = self.rng.choice(levels, 8000 * 6).astype(np.float32)
        file = io.BytesIO()
        file.close = lambda: None  # The writer would empty it.
        writer = other.open(file, "ws", sample_rate=8 * units.MHz, samples_per_frame=8000,
                            nchan=1, complex_data=False, bps=2, edv=0, station=65,
                            time=Time("2026-05-06T07:08:09", scale="utc"))
        writer.write(samples)
        writer.close()
        raw = file.getvalue()
        frames = [raw[k:k + 2032] for k in range(0, len(raw), 2032)]
        self.assertEqual(len(frames), 6)
        start = datetime.datetime(2026, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
        self.compare("vdif", 1, {"sample_rate": "8e6", "frame_bytes": "2032"}, frames,
                     samples.reshape(1, -1, 1), (int(start.timestamp()), 0), 8e6)

    @unittest.skipUnless(importlib.util.find_spec("spead2"), "needs the package spead2")
    def test_heaps_of_spead2(self):
        """Packets of another program, which puts items in an order of its own."""
        import spead2
        import spead2.send
        samples = self.rng.integers(-512, 512, (6, 4096))
        run = receiving("meerkat", 1, 4096, {"sync_time": "2026-01-01T00:00:00", "wraps": "0",
                                             "sample_rate": "1712000"})
        flavor = spead2.Flavor(4, 64, 48, 0)
        stream = spead2.send.UdpStream(
            spead2.ThreadPool(), [("127.0.0.1", run.source.ports()[0])],
            spead2.send.StreamConfig(max_packet_size=9000, rate=1e7))
        group = spead2.send.ItemGroup(flavor=flavor)
        for ident, name in ((0x1600, "timestamp"), (0x3101, "digitizer_id"), (0x3102, "status")):
            group.add_item(ident, name, name, shape=(), format=[("u", 48)])
        group.add_item(0x3300, "samples", "", shape=(5120,), dtype=np.uint8)
        for n in range(6):
            group["timestamp"].value = n * 4096
            group["digitizer_id"].value = 0
            group["status"].value = 0
            group["samples"].value = np.frombuffer(ten_bits(samples[n]), np.uint8)
            stream.send_heap(group.get_heap(descriptors="none", data="all"))
            wait_until(lambda n=n: run.source.packets()["good"] >= n + 1)
        got = run.end()
        np.testing.assert_array_equal(got[0, :, 0], samples.ravel())

    def test_a_layout_of_the_users_own(self):
        """Of two streams one after the other, little-endian, counters from 5 on."""
        path = self.path("mine.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("""\
header_bytes: 12
samples: 64
streams: 2
axes: [stream, time]
code: i16_be
tick_rate: 64e3
epoch: 2026-03-04T05:06:07.5
fields:
  magic: {offset: 0, bytes: 2}
  board: {offset: 2, bytes: 2, shift: 4, bits: 4}
  count: {offset: 4, bytes: 4, endian: little}
must_be: {magic: 0xf00d}
source: [{field: board, first: 1}]
time: [{field: count, first: 5, step: 64, wraps: true}]
""")
        slots, boards = 10, 3
        samples = self.rng.integers(-32768, 32768, (boards, slots, 2, 64)).astype(">i2")
        packets = [struct.pack(">HH", 0xf00d, (k + 1) << 4 | 9) + struct.pack("<II", 5 + 40 + n, 0)
                   + samples[k, n].tobytes() for n in range(slots) for k in range(boards)]
        start = datetime.datetime(2026, 3, 4, 5, 6, 7, tzinfo=datetime.timezone.utc)
        expected = samples.swapaxes(1, 2).reshape(2 * boards, -1, 1)
        self.compare(path, 2 * boards, {"wraps": "0"}, packets, expected,
                     (int(start.timestamp()), 54 * 10 ** 16), 64e3)

    def test_refusals(self):
        """Sentences that name what is wrong and what would be right."""
        def make(inputs=4, block=100, preset="mwa", settings=None, addresses=("127.0.0.1:0",),
                 **more):
            return fringe.udp_source(list(addresses), inputs, block, preset, settings or {},
                                     **more)
        for sentence, arguments in (
                ("inputs: 0: must be 1 ... 65536", {"inputs": 0}),
                ("inputs: 3: must be a multiple of the 2", {"inputs": 3, "preset": "ska_low"}),
                ("there is no packet layout 'mwb'; there are mwa", {"preset": "mwb"}),
                ("block_samples: 0: must be", {"block": 0}),
                ("must be host:port", {"addresses": ["7148"]}),
                ("none given", {"addresses": []}),
                ("window_seconds: 0: must be", {"window_seconds": 0}),
                ("buffer_seconds: -1: must be", {"buffer_seconds": -1}),
                ("socket_bytes: 1: must be", {"socket_bytes": 1}),
                ("at most 64 GB", {"inputs": 4096, "buffer_seconds": 100}),
                ("names 2", {"settings": {"sources": "7,9"}})):
            with self.subTest(sentence=sentence):
                with self.assertRaises(ValueError) as error:
                    make(**arguments)
                self.assertIn(sentence, str(error.exception))


if __name__ == "__main__":
    unittest.main()
