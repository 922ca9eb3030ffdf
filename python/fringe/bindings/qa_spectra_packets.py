#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectra of F-engines, written here from the formats' own definitions: the visibilities are those
that numpy makes of the same integers, to the bit, and the weights those of what was sent."""
import importlib.util
import socket
import struct
import unittest
from unittest import mock

import numpy as np
import pmt
from gnuradio import fringe, gr
from gnuradio.fringe.receiving import listening, live

from qa_live import wait_until, while_sending
from qa_packets import recorder, spead
from qa_scratch import scratch_case

SYNC = 1780000000  # s since 1970
LWA_SYNC = 0xDEC0DE5C
LWA_CLOCK = 196000000  # Hz


def four_bits(values):
    """[...][re, im], -8 ... 7: a byte, the real part in the high half."""
    return ((values[..., 0] & 15) << 4 | values[..., 1] & 15).astype(np.uint8).tobytes()


def coded(values, bits):
    return four_bits(values) if bits == 4 else values.astype(np.int8).tobytes()


class f_engines:
    """What some F-engines send: spectra [channel][input][time][re, im], a packet for each source,
    block of channels and slot of time."""

    preset, bits = "", 4
    packet_channels, blocks, sources = 5, 3, 3
    streams = 4  # inputs of a source
    times = 1  # spectra of a packet
    first_channel = 1000
    settings = {}
    start = SYNC  # of spectrum 0

    def __init__(self, rng, slots):
        self.channels = self.packet_channels * self.blocks
        self.inputs, self.slots = self.streams * self.sources, slots
        low, high = (-8, 8) if self.bits == 4 else (-128, 128)
        self.spectra = rng.integers(low, high, (self.channels, self.inputs,
                                                  slots * self.times, 2))

    def all_settings(self):
        return {"packet_channels": str(self.packet_channels), "channels": str(self.channels),
                "first_channel": str(self.first_channel), **self.settings}

    def payload(self, source, block, slot):
        """[channel][input][time][re, im]"""
        return self.spectra[block * self.packet_channels:(block + 1) * self.packet_channels,
                            source * self.streams:(source + 1) * self.streams,
                            slot * self.times:(slot + 1) * self.times]

    def packet(self, source, block, slot):
        channel = self.first_channel + block * self.packet_channels
        return self.write(source, channel, slot, self.payload(source, block, slot))


class snap2(f_engines):
    preset = "snap2"
    settings = {"signals": "4", "sample_rate": "64000", "points": "128"}

    def write(self, source, channel, slot, values):
        return struct.pack(">QIHHHHIII", slot, SYNC, 4, 12, values.shape[0], self.channels,
                           (channel - self.first_channel) // values.shape[0], channel,
                           4 * source) + four_bits(values[:, :, 0])


class snap2_of_8_bits(snap2):
    bits = 8
    settings = {**snap2.settings, "bits": "8"}

    def write(self, source, channel, slot, values):
        return super().write(source, channel, slot, values)[:32] + coded(values[:, :, 0], 8)


class ata(f_engines):
    preset, streams, times = "ata", 2, 16
    settings = {"sample_rate": "64000", "points": "128", "sync_time": str(SYNC),
                "sources": "3,9,5"}

    def write(self, source, channel, slot, values):
        return struct.pack(">BBHHHQ", 0x80 | 0x10, 3 if self.bits == 8 else 1, values.shape[0],
                           channel, (3, 9, 5)[source], 16 * slot) \
            + coded(values.transpose(0, 2, 1, 3), self.bits)


class ata_of_8_bits(ata):
    bits = 8
    settings = {**ata.settings, "bits": "8"}


class chips(f_engines):
    preset, streams, blocks, sources = "chips", 32, 2, 2
    settings = {"sample_rate": "64000", "points": "128", "sync_time": str(SYNC)}

    def write(self, source, channel, slot, values):
        return struct.pack(">6BHQ", source + 1, 0, values.shape[0], self.blocks, 0, self.sources,
                           channel, slot + 1) + four_bits(values[:, :, 0])


class feng_raw(f_engines):
    """Packets of heaps of all channels."""
    preset, streams, times, bits = "spead", 2, 8, 8
    settings = {"spectra": "8", "sample_rate": "64000", "points": "128", "sync_time": str(SYNC),
                "wraps": "0"}

    def write(self, source, channel, slot, values):
        payload = coded(values.transpose(0, 2, 1, 3), 8)
        within = (channel - self.first_channel) // values.shape[0] * len(payload)
        items = [(1, slot), (2, len(payload) * self.blocks), (3, within), (4, len(payload)),
                 (0x1600, 8 * 128 * slot), (0x4101, source), (0x4103, self.first_channel)]
        return spead(items, payload)


class tbx(f_engines):
    preset, sources, streams = "tbx", 1, 8
    settings = {"stands": "4", "points": "409600"}

    def write(self, source, channel, slot, values):
        tick = SYNC * LWA_CLOCK + 409600 * slot
        return struct.pack(">IIIIIIq", LWA_SYNC, 9 << 24, SYNC, channel, 4, values.shape[0],
                           tick) + four_bits(values[:, :, 0])


class own_layout(f_engines):
    """A layout of the user's own, with the axes of the payload in some order."""
    streams, times, sources = 6, 2, 2
    axes = ("channel", "station", "polarization", "time")  # of `payload`
    text = """\
header_bytes: 12
packet_channels: 5
samples: 2
stations: 3
polarizations: 2
axes: [ORDER]
code: ci4
tick_rate: 64e3
points: 128
channel_zero: 50e6
epoch: 2026-05-28T20:26:40
fields:
  spectrum: {offset: 0, bytes: 8, shift: 29}
  channel: {offset: 0, bytes: 8, shift: 16, bits: 13}
  antenna: {offset: 0, bytes: 8, bits: 16}
  magic: {offset: 8, bytes: 4, endian: little}
must_be: {magic: 0xf00d}
source: [{field: antenna, unit: 3}]
channel: [{field: channel}]
time: [{field: spectrum, step: 128}]
"""

    def write(self, source, channel, slot, values):
        values = values.reshape(values.shape[0], 3, 2, self.times, 2)
        order = [self.axes.index(name) for name in self.order] + [4]
        return struct.pack(">Q", 2 * slot << 29 | channel << 16 | 3 * source) \
            + struct.pack("<I", 0xf00d) + four_bits(values.transpose(order))


def send_packets(source, packets):
    """Sends (port, packet) in turn, a few at a time: nothing is lost in the kernel."""
    def came():
        return sum(n for name, n in source.packets().items()
                   if name not in ("missing", "kernel_dropped"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for k, (port, packet) in enumerate(packets):
            sender.sendto(packet, ("127.0.0.1", source.ports()[port]))
            if k % 64 == 63 or k + 1 == len(packets):
                wait_until(lambda k=k: came() >= k + 1)


class correlating:
    """A source of spectra into an X-engine, and the dumps."""

    DUMP, BLOCK = 60, 32

    def __init__(self, engines, addresses=("127.0.0.1:0",), **more):
        self.source = fringe.udp_source(
            list(addresses), engines.inputs, self.BLOCK, engines.preset, engines.all_settings(),
            window_seconds=6, **more)  # no packet is late, however busy the machine is
        self.flowgraph = gr.top_block()
        # A backend of the CPU, whose factors are known to the bit.
        correlator = fringe.spectra_correlator(
            engines.inputs, engines.channels, 0, self.DUMP, self.BLOCK, bits=engines.bits,
            backend="cpu")
        size = fringe.item_sizes.visibilities(engines.inputs, engines.channels)
        self.sinks = recorder(size, np.complex64), recorder(size, np.float32)
        self.flowgraph.connect(self.source, correlator)
        for port, sink in enumerate(self.sinks):
            self.flowgraph.connect((correlator, port), sink)

    def send(self, packets):
        send_packets(self.source, packets)

    def run(self, packets):
        self.flowgraph.start()
        self.send(packets)
        self.source.finish()
        self.flowgraph.wait()

    def results(self, channels):
        return (np.array(sink.items).reshape(-1, channels, sink.items[0].size // channels)
                if len(sink.items[0]) % channels == 0 else None for sink in self.sinks)


def by_numpy(engines, there):
    """Visibilities and weights, [dump][channel][baseline]. there: [source][block][slot]."""
    good = np.repeat(np.repeat(np.repeat(there, engines.times, 2), engines.streams, 0),
                     engines.packet_channels, 1)  # [input][channel][time]
    x = (engines.spectra[..., 0] + 1j * engines.spectra[..., 1]).transpose(1, 0, 2) * good
    pairs = [(i, j) for i in range(engines.inputs) for j in range(i, engines.inputs)]
    left, other = (list(some) for some in zip(*pairs))
    values, weights = [], []
    for first in range(0, x.shape[2], correlating.DUMP):
        span = slice(first, min(first + correlating.DUMP, x.shape[2]))
        sums = np.stack([(x[i, :, span] * x[j, :, span].conj()).sum(1)
                         for i, j in pairs], 1)  # of integers: exact
        count = (good[left, :, span] & good[other, :, span]).sum(2).T.astype(float)
        factor = np.divide(1, count, out=np.zeros_like(count), where=count > 0)
        values.append((np.float32(sums.real * factor) + 1j * np.float32(sums.imag * factor))
                      .astype(np.complex64))
        weights.append(np.float32(count / (span.stop - first)))
    return np.array(values), np.array(weights)


class qa_spectra_packets(scratch_case):

    def lost(self, engines, loss):
        there = self.rng.random((engines.sources, engines.blocks, engines.slots)) >= loss
        there[:, :, [0, -1]] = True
        return there

    @staticmethod
    def packets(engines, there):
        return [(0, engines.packet(s, b, n)) for n in range(engines.slots)
                for s in range(engines.sources) for b in range(engines.blocks) if there[s, b, n]]

    def check(self, engines, there, made):
        values, weights = by_numpy(engines, there)
        got, got_weights = (np.array(sink.items).reshape(values.shape) for sink in made.sinks)
        np.testing.assert_array_equal(got_weights, weights)
        np.testing.assert_array_equal(got, values)
        lost = (~there).sum((1, 2)) * engines.times * engines.packet_channels
        np.testing.assert_array_equal(
            sum(np.array(counts) for counts in made.source.losses().values()),
            np.repeat(lost, engines.streams))

    def test_each_preset(self):
        for kind in (snap2, snap2_of_8_bits, ata, ata_of_8_bits, chips, feng_raw, tbx):
            with self.subTest(preset=kind.__name__):
                slots = 130 if kind.times == 1 else 200 // kind.times
                engines = kind(self.rng, slots)
                there = self.lost(engines, 0.3)
                made = correlating(engines)
                made.run(self.packets(engines, there))
                self.check(engines, there, made)
                self.assertEqual({name: n for name, n in made.source.packets().items() if n},
                                 {"good": there.sum(), "missing": (~there).sum()})
                first = made.sinks[0].values("rx_time")[0][1]
                self.assertEqual((pmt.to_uint64(pmt.tuple_ref(first, 0)),
                                  pmt.to_double(pmt.tuple_ref(first, 1))), (SYNC, 0))

    def test_a_layout_of_the_users_own(self):
        for _ in range(3):
            engines = own_layout(self.rng, 70)
            engines.order = list(self.rng.permutation(own_layout.axes))
            engines.preset = self.path("mine.yml")
            with self.subTest(order=engines.order):
                with open(engines.preset, "w", encoding="utf-8") as file:
                    file.write(own_layout.text.replace("ORDER", ", ".join(engines.order)))
                there = self.lost(engines, 0.3)
                made = correlating(engines)
                made.run(self.packets(engines, there))
                self.check(engines, there, made)
                first = made.sinks[0].values("rx_time")[0][1]
                self.assertEqual(pmt.to_uint64(pmt.tuple_ref(first, 0)), SYNC)
                layout = fringe.packet_layout(engines.preset, engines.all_settings())
                self.assertEqual(layout.center_frequency, 50e6 + (1000 + 7) * 500)

    def test_layouts_that_cannot_be(self):
        """The sentence names the field and what would be right."""
        text = own_layout.text.replace("ORDER", "channel, time, station, polarization")
        for was, by, sentence in (
                ("[channel, time, ", "[channel, ", "does not name the axis 'time'"),
                ("[channel, time, ", "[channel, channel, ", "names the axis 'channel' twice"),
                ("[channel, time, ", "[channel, stream, ", "axes"),
                ("code: ci4", "code: i16", "code"),
                ("points: 128", "ticks_per_sample: 128", "is of packets of samples"),
                ("packet_channels: 5\n", "", "is of packets of spectra"),
                ("channel: [{field: channel}]", "channel: []", "must name a field"),
                ("unit: 3", "unit: 0", "from 1 to"),
                ("packet_channels: 5", "packet_channels: 0", "from 1 to 65536")):
            with self.subTest(by=by):
                path = self.path("wrong.yml")
                with open(path, "w", encoding="utf-8") as file:
                    self.assertIn(was, text)
                    file.write(text.replace(was, by))
                with self.assertRaises(ValueError) as error:
                    fringe.packet_layout(path)
                self.assertIn(sentence, str(error.exception))
                self.assertIn("wrong.yml, line", str(error.exception))

    def test_what_happens_on_the_way(self):
        """Losses, a burst of one F-engine, duplicates, swaps, truncation, strangers."""
        for loss in (0, 0.1, 0.9):
            with self.subTest(loss=loss):
                engines = snap2(self.rng, 150)
                there = self.lost(engines, loss)
                there[1, :, 40:100] = False  # an F-engine is off, and comes back
                sent, right = [], {name: 0 for name in ("good", "missing", "garbled", "duplicate",
                                                        "foreign", "late", "dropped")}
                for s, b, n in np.ndindex(there.shape):
                    message, kind = engines.packet(s, b, n), self.rng.random()
                    edge = n in (0, engines.slots - 1)
                    if not there[s, b, n]:
                        right["missing"] += 1
                        continue
                    if kind < 0.05 and not edge:
                        there[s, b, n] = False
                        right["garbled"] += 1
                        sent.append((n, message[:int(self.rng.integers(32, len(message)))]))
                        continue
                    right["good"] += 1
                    late = 8 * self.rng.random() if not edge else 0
                    sent.append((n + late, message))
                    if kind > 0.9:
                        right["duplicate"] += 1
                        sent.append((n + late + 9 * self.rng.random(), message))
                    if kind > 0.95 and n:
                        right["foreign"] += 1  # of channels that others receive
                        sent.append((n, engines.write(s, 1015, n, engines.payload(s, b, n))))
                sent.sort(key=lambda entry: entry[0])
                made = correlating(engines)
                made.run([(0, packet) for _, packet in sent])
                counts = made.source.packets()
                self.assertEqual(counts.pop("kernel_dropped"), 0)
                self.assertEqual(counts, right)
                self.check(engines, there, made)

    def test_a_socket_for_each_f_engine(self):
        engines = snap2(self.rng, 70)
        there = self.lost(engines, 0.2)
        made = correlating(engines, ["127.0.0.1:0"] * engines.sources)
        made.run([(s, engines.packet(s, b, n)) for n in range(engines.slots)
                  for s in range(engines.sources) for b in range(engines.blocks)
                  if there[s, b, n]])
        self.check(engines, there, made)

    @unittest.skipUnless(importlib.util.find_spec("spead2"), "spead2 is not installed")
    def test_heaps_of_spead2(self):
        """Sent by the library that MeerKAT's engines use, descriptors and the end included."""
        import spead2  # pylint: disable=import-outside-toplevel
        import spead2.send  # pylint: disable=import-outside-toplevel
        engines = feng_raw(self.rng, 20)
        there = np.ones((engines.sources, engines.blocks, engines.slots), bool)
        made = correlating(engines)
        made.flowgraph.start()
        flavor = spead2.Flavor(4, 64, 48, 0)
        size = engines.packet_channels * 8 * 2 * 2
        stream = spead2.send.UdpStream(
            spead2.ThreadPool(), [("127.0.0.1", made.source.ports()[0])],
            spead2.send.StreamConfig(max_packet_size=size + 8 * 9, rate=2e6))  # 8 items

        def immediate(ident, value):
            return spead2.Item(ident, "", "", (), format=[("u", 48)], value=value)

        for n in range(engines.slots):
            for s in range(engines.sources):
                heap = spead2.send.Heap(flavor)
                heap.repeat_pointers = True
                data = np.concatenate([engines.payload(s, b, n) for b in range(engines.blocks)])
                data = np.ascontiguousarray(data.transpose(0, 2, 1, 3).astype(np.int8))
                for ident, value in ((0x1600, 8 * 128 * n), (0x4101, s),
                                     (0x4103, engines.first_channel)):
                    heap.add_item(immediate(ident, value))
                heap.add_item(spead2.Item(0x4300, "", "", data.shape, dtype=data.dtype,
                                          value=data))
                stream.send_heap(heap)
        end = spead2.send.Heap(flavor)
        end.add_end()
        stream.send_heap(end)
        wait_until(lambda: made.source.packets()["foreign"] == 1)
        made.source.finish()
        made.flowgraph.wait()
        self.check(engines, there, made)

    def url(self, engines):
        given = "&".join(f"{name}={value}" for name, value in engines.all_settings().items())
        return f"udp://127.0.0.1:0?preset={engines.preset}&inputs={engines.inputs}&window=6&{given}"

    def test_correlate(self):
        """Into a file, as fringe correlate --live does."""
        import h5py  # pylint: disable=import-outside-toplevel
        engines = ata(self.rng, 12)
        there = self.lost(engines, 0.3)
        path = self.path("sky.uvh5")
        result = while_sending(
            lambda source: send_packets(source, self.packets(engines, there)),
            lambda: fringe.correlate([], [path], live=self.url(engines), spectra=64,
                                     center_frequency=1.42e9, backend="cpu"))
        self.assertEqual(result.samples, 192)
        self.assertAlmostEqual(result.seconds, 192 / 500)
        self.assertEqual(result.dumps, 3)
        with h5py.File(path) as file:
            got = np.ravel(file["Header/freq_array"])
            right = 1.42e9 + (np.arange(engines.channels) - engines.channels // 2) * 500
            np.testing.assert_allclose(got, right)
            share = np.asarray(file["Data/nsamples"]).mean() / np.asarray(
                file["Data/nsamples"]).max()
            self.assertLess(share, 1)

    def test_what_cannot_be_is_refused(self):
        engines = ata(self.rng, 2)
        url = self.url(engines)
        for more, why in (({"channels": 7}, "channels: 7"), ({"taps": 4}, "taps: 4"),
                          ({"requantize": "8"}, "requantize"),
                          ({"remove_mean": True}, "is for samples"),
                          ({"sample_rate": 1e6}, "sample_rate"),
                          ({"tracking": True}, "F-engines")):
            with self.subTest(**more), self.assertRaisesRegex(ValueError, why):
                fringe.correlate([], [self.path("x.uvh5")], live=url, spectra=64,
                                 **{"center_frequency": 1e9, **more})
        with self.assertRaisesRegex(ValueError, "channel_zero"):
            fringe.correlate([], [self.path("x.uvh5")], live=url, spectra=64)

    def test_info_tells_the_channels(self):
        engines = snap2(self.rng, 2)
        packets = [engines.packet(s, b, 1) for s in range(3) for b in range(3)]
        with mock.patch.object(listening, "open_sockets", return_value=[]), \
                mock.patch.object(listening, "listen",
                                  return_value=[(k, p, "x") for k, p in enumerate(packets)]):
            text = listening.describe_live(
                live.live_packets("udp://127.0.0.1:1", needs_preset=False), 1)
        self.assertIn("preset=snap2&signals=4&packet_channels=5", text)
        self.assertIn("sources      3: 0, 1, 2", text)
        self.assertIn("first_channel=1000&channels=15", text)


if __name__ == "__main__":
    unittest.main()
