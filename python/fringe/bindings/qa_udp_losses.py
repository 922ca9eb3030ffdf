#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What gets lost on the way: every packet is counted once, and the visibilities are those of a
recording with the same gaps."""
import socket
import unittest

import numpy as np
import pmt
from gnuradio import fringe, gr

from qa_live import wait_until
from qa_live_tcp import held_sink
from qa_packets import mwa, recorder
from qa_scratch import scratch_case

GPS = 1400000000
START = GPS + 315964800 - 18


class correlating:
    """A source of raw blocks into an fx_correlator, and what it makes."""

    CHANNELS, SPECTRA, BLOCK_SPECTRA = 32, 100, 60

    def __init__(self, source, inputs):
        self.flowgraph = gr.top_block()
        correlator = fringe.fx_correlator(
            inputs, self.CHANNELS, source.encoding(), seconds=0, spectra=self.SPECTRA, taps=2,
            files=source.parts(), block_spectra=self.BLOCK_SPECTRA, backend="cpu")
        size = fringe.item_sizes.visibilities(inputs, self.CHANNELS)
        self.sinks = recorder(size, np.complex64), recorder(size, np.float32)
        self.flowgraph.connect(source, correlator)
        for port, sink in enumerate(self.sinks):
            self.flowgraph.connect((correlator, port), sink)

    @classmethod
    def block(cls):
        return cls.CHANNELS * cls.BLOCK_SPECTRA

    def results(self):
        times = [(k, str(v)) for k, v in self.sinks[0].values("rx_time")]
        return np.array(self.sinks[0].items), np.array(self.sinks[1].items), times


class qa_udp_losses(scratch_case):

    def send(self, sender, source, packets):
        """Sends packets in turn, a few at a time: nothing is lost in the kernel."""
        def came():
            return sum(n for name, n in source.packets().items()
                       if name not in ("missing", "kernel_dropped"))
        done = came()
        for k, packet in enumerate(packets):
            sender.sendto(packet, ("127.0.0.1", source.ports()[0]))
            if k % 8 == 7 or k + 1 == len(packets):
                wait_until(lambda k=k: came() >= done + k + 1)

    def injected(self, samples, there):
        """Packets of samples [input][slot][time][re, im] with what happens on the way, and what
        the counts must be."""
        inputs, slots = there.shape
        sent, right = [], {name: 0 for name in ("good", "missing", "garbled", "duplicate",
                                                "foreign", "late", "dropped")}
        for n in range(slots):
            for k in range(inputs):
                message = mwa(k, GPS + n // 625, n % 625, samples[k, n])
                kind = self.rng.random()
                edge = n in (0, slots - 1)
                if not there[k, n]:
                    right["missing"] += 1
                elif kind < 0.05 and not edge:  # It comes in pieces, and is of no use.
                    there[k, n] = False
                    right["garbled"] += 1
                    sent.append((n, message[:int(self.rng.integers(16, 4112))]))
                else:
                    right["good"] += 1
                    late = 8 * self.rng.random() if kind > 0.8 and not edge else 0
                    sent.append((n + late, message))
                    if 0.05 < kind < 0.15:
                        right["duplicate"] += 1
                        sent.append((n + late + 9 * self.rng.random(), message))
                if self.rng.random() < 0.05 and n:
                    right["garbled"] += 1
                    sent.append((n, b"\x20\x6d" + self.rng.bytes(4)))  # too short for a header
                if self.rng.random() < 0.05 and n:
                    right["foreign"] += 1
                    sent.append((n, mwa(inputs + 3, GPS, n, samples[k, n])))
        sent.sort(key=lambda entry: entry[0])
        return [packet for _, packet in sent], right

    def test_like_a_recording_with_the_same_gaps(self):
        inputs, slots = 3, 150
        for loss in (0, 0.05, 0.5, 0.9):
            with self.subTest(loss=loss):
                samples = self.rng.integers(-128, 128, (inputs, slots, 2048, 2)).astype(np.int8)
                there = self.rng.random((inputs, slots)) >= loss
                burst = int(self.rng.integers(1, slots - 30))
                there[int(self.rng.integers(inputs)), burst:burst + 20] = False
                there[:, [0, -1]] = True
                packets, right = self.injected(samples, there)
                # Of 6 s: no packet is late, however busy the machine is.
                source = fringe.udp_source(["127.0.0.1:0"], inputs, correlating.block(), "mwa",
                                           {"gps_leap_seconds": "18"}, 1.5e8, window_seconds=6)
                live = correlating(source, inputs)
                live.flowgraph.start()
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                    self.send(sender, source, packets)
                source.finish()
                live.flowgraph.wait()
                counts = source.packets()
                self.assertEqual(counts.pop("kernel_dropped"), 0)
                self.assertEqual(counts, right)
                np.testing.assert_array_equal(
                    np.array(source.losses()["missing"]) + source.losses()["garbled"],
                    2048 * (~there).sum(1))
                self.check_against_recording(samples, there, live)

    def check_against_recording(self, samples, there, live):
        """A file_source of VDIF, the same samples and the same frames absent: samples of 8 bits
        with an offset are the same numbers."""
        inputs, slots = there.shape
        path = self.path("same.vdif")
        second = START - 1388534400  # since the 28th half year, 2014-01-01
        with open(path, "wb") as file:
            for n in range(slots):
                for k in range(inputs):
                    if there[k, n]:
                        words = np.array([second + n // 625, 28 << 24 | n % 625, (32 + 4096) // 8,
                                          1 << 31 | 7 << 26 | k << 16, 0, 0, 0, 0], "<u4")
                        file.write(words.tobytes())
                        file.write((samples[k, n].astype(np.int16) + 128).astype(np.uint8)
                                   .tobytes())
        source = fringe.file_source([path], "vdif", inputs, correlating.block(), 1.28e6, 1.5e8,
                                    allow_gaps=True)
        recorded = correlating(source, inputs)
        recorded.flowgraph.run()
        for name, got, right in zip(("visibilities", "weights", "times"), live.results(),
                                    recorded.results()):
            with self.subTest(name):
                np.testing.assert_array_equal(got, right)
        self.check_weights(live.results()[1], there)

    def check_weights(self, weights, there):
        """The weights of some dumps, from the list of what was sent alone."""
        inputs, slots = there.shape
        channels, spectra = correlating.CHANNELS, correlating.SPECTRA
        good = np.repeat(there, 2048 // channels, axis=1)
        whole = good[:, 1:] & good[:, :-1]  # a spectrum takes two transforms
        pairs = [(a, b) for a in range(inputs) for b in range(a, inputs)]
        for d in range(1, 3):
            span = slice(d * spectra, (d + 1) * spectra)
            right = [(whole[a, span] & whole[b, span]).mean() for a, b in pairs]
            got = weights[d].reshape(channels, -1)
            np.testing.assert_array_equal(got, np.tile(np.float32(right), (channels, 1)))

    def test_too_slow_a_flowgraph(self):
        """What finds the buffer full is dropped, counted, and of weight 0; time goes on."""
        # The ring behind the source holds more on a computer of many cores.
        before, behind = 600 + 32 * (fringe.threads() + 1), 20
        samples = self.rng.integers(-128, 128, (before + behind, 2048, 2)).astype(np.int8)
        packets = [mwa(0, GPS + n // 625, n % 625, sample) for n, sample in enumerate(samples)]
        source = fringe.udp_source(["127.0.0.1:0"], 1, 2048, "mwa", window_seconds=0.005,
                                   buffer_seconds=0.03)
        sink, flowgraph = held_sink(4096), gr.top_block()
        flowgraph.connect(source, sink)
        flowgraph.start()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            self.send(sender, source, packets[:before])
            counts = source.packets()
            self.assertGreater(counts["dropped"], 0)
            self.assertEqual(counts["good"] + counts["dropped"], before)
            sink.go.set()
            wait_until(lambda: source.samples_read() == 2048 * before)
            self.send(sender, source, packets[before:])
        source.finish()
        flowgraph.wait()
        self.assertEqual(source.samples_read(), 2048 * (before + behind))
        dropped = source.packets()["dropped"]
        self.assertEqual(source.losses()["dropped"], [2048 * dropped])
        self.assertEqual(source.packets()["missing"], 0)
        lost = np.zeros(before + behind, bool)
        for item, runs in sink.values("invalid"):
            self.assertEqual(list(pmt.u64vector_elements(runs)), [0, 0, 2048])
            lost[item] = True
        self.assertEqual(lost.sum(), dropped)
        got = np.array(sink.blocks).view(np.int8).reshape(-1, 2048, 2)
        np.testing.assert_array_equal(got[~lost], samples[~lost])
        self.assertFalse(got[lost].any())

    def test_a_new_time(self):
        """Senders that start again, hours later and hours before."""
        source = fringe.udp_source(["127.0.0.1:0"], 1, 2048, "mwa", {"gps_leap_seconds": "18"})
        sink, flowgraph = held_sink(4096), gr.top_block()
        sink.go.set()
        flowgraph.connect(source, sink)
        flowgraph.start()
        payload = np.zeros((2048, 2), np.int8)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for step in (0, 7200, -7200):
                self.send(sender, source, [mwa(0, GPS + step, n, payload) for n in range(30)])
        source.finish()
        flowgraph.wait()
        self.assertEqual(source.samples_read(), 3 * 30 * 2048)
        self.assertEqual({name: n for name, n in source.packets().items() if n}, {"good": 90})
        self.assertEqual([(item, pmt.to_uint64(pmt.tuple_ref(value, 0)))
                          for item, value in sink.values("rx_time")],
                         [(0, START), (30, START + 7200), (60, START - 7200)])

    def test_foreign_senders(self):
        """Only those named are heard: 127.0.0.2 is another computer, as far as addresses go."""
        source = fringe.udp_source(["127.0.0.1:0"], 1, 2048, "mwa", senders=["127.0.0.1"])
        sink, flowgraph = held_sink(4096), gr.top_block()
        sink.go.set()
        flowgraph.connect(source, sink)
        flowgraph.start()
        payload = np.zeros((2048, 2), np.int8)
        for address in ("127.0.0.1", "127.0.0.2"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind((address, 0))
                self.send(sender, source, [mwa(0, GPS, n, payload) for n in range(16)])
        source.finish()
        flowgraph.wait()
        self.assertEqual({name: n for name, n in source.packets().items() if n},
                         {"good": 16, "foreign": 16})

    def test_multicast(self):
        """A group that is joined on the loopback, by its name and by its address."""
        for interface in ("lo", "127.0.0.1"):
            with self.subTest(interface=interface):
                source = fringe.udp_source(["239.77.88.99:0"], 1, 2048, "mwa",
                                           interface=interface)
                sink, flowgraph = held_sink(4096), gr.top_block()
                sink.go.set()
                flowgraph.connect(source, sink)
                flowgraph.start()
                where = ("239.77.88.99", source.ports()[0])
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                                      socket.inet_aton("127.0.0.1"))
                    sender.sendto(mwa(0, GPS, 0, np.zeros((2048, 2), np.int8)), where)
                    wait_until(lambda s=source: s.packets()["good"] == 1)
                source.finish()
                flowgraph.wait()


if __name__ == "__main__":
    unittest.main()
