#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Packets correlated into files as they come, and what the commands print about them."""
import ipaddress
import os
import select
import socket
import subprocess
import sys
import threading
import time
import unittest

import h5py
import numpy as np
from gnuradio import fringe
from gnuradio.fringe.receiving import listening, live

from qa_cli import FRINGE
from qa_live import wait_until, while_sending
from qa_packets import drx, mwa, ska_low, vdif
from qa_scratch import TIMEOUT, scratch_case

GPS = 1400000000
START = GPS + 315964800 - 18


def own_address():
    """An address of this computer that no other process uses: its number is in it. Random numbers
    with the seed of tests would be the same in each file of tests."""
    return str(ipaddress.IPv4Address("127.64.0.0") + os.getpid())


class qa_live_packets(scratch_case):

    def received(self, url, packets, outputs, seconds, **options):
        """correlate() while packets are sent to the source that it makes."""
        return while_sending(
            lambda source: self.send(source, packets),
            lambda: fringe.correlate([], outputs, live=url, seconds=seconds, **options))

    @staticmethod
    def send(source, packets):
        """A few at a time, until the source has had enough."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for k, packet in enumerate(packets):
                sender.sendto(packet, ("127.0.0.1", source.ports()[0]))
                if k % 8 == 7 or k + 1 == len(packets):
                    wait_until(lambda k=k: source.packets()["good"] > k
                               or source.samples_read() == source.total_samples())

    def test_files_are_those_of_a_recording(self):
        inputs, slots, seconds = 2, 500, 0.64  # 400 packets of each input
        samples = self.rng.integers(-50, 50, (inputs, slots, 2048, 2)).astype(np.int8)
        there = self.rng.random((inputs, slots)) >= 0.2
        there[:, 0] = there[:, 399:] = True
        packets = [mwa(k, GPS + n // 625, n % 625, samples[k, n])
                   for n in range(slots) for k in range(inputs) if there[k, n]]
        path = self.path("same.vdif")
        with open(path, "wb") as file:
            for n in range(400):
                for k in range(inputs):
                    if there[k, n]:
                        codes = (samples[k, n].astype(int) + 128).reshape(2048, 1, 2)
                        file.write(vdif(START - 1388534400 + n // 625, 28, n % 625, k, codes, 8,
                                        1, True))
        common = {"center_frequency": 1.5e8, "channels": 32, "integration": 0.1}
        result = self.received(
            "udp://:0?preset=mwa&inputs=2&gps_leap_seconds=18&window=6", packets,
            self.path("live.uvh5"), seconds, new_file_every=0, **common)
        fringe.correlate(path, self.path("same.uvh5"), sample_rate=1.28e6, **common)
        got, right = (fringe.read_visibilities(self.path(name))
                      for name in ("live.uvh5", "same.uvh5"))
        self.assertEqual(result.samples, 400 * 2048)
        self.assertEqual(result.losses["missing"], list(2048 * (~there).sum(1)))
        np.testing.assert_array_equal(got.data, right.data)
        np.testing.assert_array_equal(got.weights, right.weights)
        np.testing.assert_array_equal(got.times, right.times)

    def test_requantized(self):
        """With gains from the samples that come first, a fifth of which are lost on the way."""
        where, sigma = (own_address(), 7148), np.array([3.0, 25.0])
        samples = self.rng.normal(0, sigma[:, None, None, None], (2, 50, 2048, 2))
        samples = np.clip(np.round(samples), -128, 127).astype(np.int8)
        done = threading.Event()

        def send():
            """Faster than the telescope, over and over."""
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                n = 0
                while not done.is_set():
                    for k in range(2):
                        if n % 5 != k + 1:
                            sender.sendto(mwa(k, GPS + n // 625, n % 625, samples[k, n % 50]),
                                          where)
                    n += 1
                    if n % 8 == 0:
                        time.sleep(0.002)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        try:
            fringe.correlate(
                [], self.path("x.uvh5"), live=f"udp://{where[0]}:{where[1]}?preset=mwa&inputs=2"
                "&window=1&buffer=3", seconds=1, requantize="8", center_frequency=1.5e8,
                channels=32, integration=0.5)
        finally:
            done.set()
            sender.join(TIMEOUT)
        got = fringe.read_visibilities(self.path("x.uvh5"))
        with h5py.File(self.path("x.uvh5")) as file:
            history = file["Header/history"][()].decode()
        lines = [line for line in history.splitlines() if "requantized to 8 bits" in line]
        self.assertEqual(len(lines), 1, history)
        gains = [float(word) for word in lines[0].rpartition(": ")[2].split(", ")]
        variance = np.mean(samples.astype(float) ** 2, (1, 2, 3))
        np.testing.assert_allclose(gains, 16 / np.sqrt(variance), rtol=0.1)
        power = np.mean(got.data[:, :, [0, 2]].real, (0, 1))
        np.testing.assert_allclose(power, 2 * variance, rtol=0.1)

    def test_a_new_file_every_second(self):
        slots = 1500
        packets = [mwa(0, GPS + n // 625, n % 625, np.ones((2048, 2), np.int8))
                   for n in range(slots)]
        result = self.received("udp://:0?preset=mwa&gps_leap_seconds=18&window=0.1&buffer=3",
                               packets, self.path("x.uvh5"), 2.0, new_file_every=1, inputs=1,
                               center_frequency=1.5e8, channels=32, integration=0.25)
        self.assertEqual(len(result.files), 2)
        self.assertEqual(result.samples, 2 * 1280000)

    def test_refusals(self):
        url = "udp://:0?preset=mwa&inputs=2"
        for sentence, arguments in (
                ("must begin with udp://, kraken:// or rtl_tcp://", {"live": "tcp://:1"}),
                ("does not say the preset; there are mwa", {"live": "udp://:1?inputs=2"}),
                ("'x' must be host:port", {"live": "udp://x?preset=mwa"}),
                ("cores: '1,x' must be numbers", {"live": url + "&cores=1,x"}),
                ("threads: 'x' is not a whole", {"live": url + "&threads=x"}),
                ("threads: 65: must be 1", {"live": url + "&threads=65",
                                            "center_frequency": 1e8}),
                ("cores: 4000: this computer", {"live": url + "&cores=4000",
                                                "center_frequency": 1e8}),
                ("'inputs' must be name=value", {"live": "udp://:1?preset=mwa&inputs"}),
                ("is given twice", {"live": url + "&inputs=3"}),
                ("inputs: 'two' is not a whole number", {"live": "udp://:1?preset=mwa&inputs=two"}),
                ("window: 'x' is not a number", {"live": url + "&window=x"}),
                ("color: red: these packets have no such setting", {"live": url + "&color=red"}),
                ("inputs: 2 by the address, but 3 by the option", {"live": url, "inputs": 3}),
                ("inputs: not given", {"live": "udp://:0?preset=mwa"}),
                ("seconds: -1: must be positive", {"live": url, "seconds": -1}),
                ("sample_rate: 1000000: must be a multiple of 2048",
                 {"live": url, "sample_rate": 1e6}),
                ("sample_rate: 1000000: packets of layout ska_low have 925925.925",
                 {"live": "udp://:0?preset=ska_low&inputs=2", "sample_rate": 1e6}),
                ("center_frequency: not given",
                 {"live": "udp://:0?preset=ska_low&inputs=2"}),
                ("format: ci8: is for recordings", {"live": url, "format": "ci8"}),
                ("live packets take their place", {"live": url, "recordings": ["x"]}),
                ("none given", {}), ("seconds: 3: is for live",
                                     {"recordings": ["x"], "seconds": 3})):
            with self.subTest(sentence=sentence):
                with self.assertRaises(ValueError) as error:
                    fringe.correlate(arguments.pop("recordings", []), self.path("x.uvh5"),
                                     channels=32, **arguments)
                self.assertIn(sentence, str(error.exception))
                self.assertEqual(os.listdir(self.folder), [])

    def described(self, packet, query=""):
        """What `fringe info` prints of an address to which a packet is sent repeatedly."""
        where = own_address(), 7148
        done = threading.Event()

        def send():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                while not done.wait(0.01):
                    sender.sendto(packet, where)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        try:
            text, end = "", time.monotonic() + TIMEOUT
            while "sizes" not in text and time.monotonic() < end:
                packets = live.live_packets(f"udp://{where[0]}:{where[1]}{query}",
                                            needs_preset=False)
                text = listening.describe_live(packets, 0.3)
            return text
        finally:
            done.set()
            sender.join()

    def test_what_arrives_is_reported(self):
        rng = self.rng
        for packet, words in (
                (mwa(7, GPS, 3, np.zeros((2048, 2), np.int8)),
                 ["preset=mwa", "4112 bytes", "sources      1: 7", "2024-05-17T16:53"]),
                (drx(1, 2, 1, 0, 0, 10, 0, 1780000000 * 196000000, np.zeros((4096, 2), int)),
                 ["preset=drx&sample_rate=19600000", "frequency    49000000 Hz",
                  "2026-05-28T20:26"]),
                (ska_low(5, 1780000000, 0, np.zeros((2048, 2, 2), np.int8)),
                 ["preset=ska_low", "sources      1: 4", "156250000 Hz"]),
                (bytes(8) + vdif(1, 52, 0, 3, rng.integers(0, 4, (64, 2, 1)), 2, 2),
                 ["preset=vdif&bits=2", "channels=2", "psn=yes", "sources      1: 3"]),
                (b"hello", ["none of the presets"])):
            with self.subTest(words=words[0]):
                text = self.described(packet)
                for word in words:
                    self.assertIn(word, text)
        text = self.described(mwa(7, GPS, 3, np.zeros((2048, 2), np.int8)), "?preset=tbn")
        self.assertIn("0 fit preset=tbn", text)
        silent = live.live_packets(f"udp://{own_address()}:7148", needs_preset=False)
        self.assertIn("none in 0.2 s", listening.describe_live(silent, 0.2))
        with self.assertRaisesRegex(ValueError, "cannot be received on"):
            listening.describe_live(live.live_packets("udp://192.0.2.1:7148", needs_preset=False))

    def log_until(self, wanted, lines):
        """What a program's log says, until some words are there. Of a terminal, as the log waits
        for more where it goes into a pipe."""
        script = ("import socket, time\nfrom gnuradio import blocks, fringe, gr\n"
                  f"{lines}\n"
                  "top, sink = gr.top_block(), blocks.null_sink(4 * 2048)\n"
                  "top.connect(source, sink)\ntop.start()\n"
                  "sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                  "while True:\n"
                  "    time.sleep(0.05)\n"
                  "    for one in packets: sender.sendto(one, ('127.0.0.1', source.ports()[0]))\n")
        screen, terminal = os.openpty()
        self.addCleanup(os.close, screen)
        with subprocess.Popen([sys.executable, "-c", script], stdout=terminal,
                              stderr=terminal) as program:
            os.close(terminal)
            end, text = time.monotonic() + TIMEOUT, b""
            try:
                while wanted not in text and time.monotonic() < end:
                    if select.select([screen], [], [], 0.1)[0]:
                        text += os.read(screen, 10000)
                    self.assertIsNone(program.poll(), text)
            finally:
                program.kill()
        text = text.decode().replace("\r\n", "\n")
        self.assertIn(wanted.decode(), text)
        return text

    def test_silence_is_reported_with_its_reasons(self):
        text = self.log_until(b"not learned yet", (
            "packets = []\n"
            "source = fringe.udp_source(['239.77.88.98:7148'], 2, 2048, 'mwa', interface='lo',\n"
            "                           socket_bytes=2**16)"))
        self.assertIn("No packets for 5 s on 239.77.88.98:7148 (multicast group on lo)", text)
        text = self.log_until(b"were expected", (
            "packets = [bytes(100)]\n"
            "source = fringe.udp_source(['127.0.0.1:0'], 2, 2048, 'mwa', socket_bytes=2**16)"))
        self.assertIn("the last wrong one has 100 bytes, and 4112 were expected", text)

    def test_the_commands_say_it_too(self):
        """Whose log is off."""
        for words in (["correlate", "--center-frequency", "1e8", "--channels", "64",
                       "--integration", "1"], ["record"]):
            where, out = f"{own_address()}:7148", "x.uvh5" if words[1:] else "x.vdif"
            command = [sys.executable, FRINGE, *words, "--quiet", "-o", self.path(out), "--live",
                       f"udp://{where}?preset=mwa&inputs=2"]
            with self.subTest(words[0]), subprocess.Popen(
                    command, stderr=subprocess.PIPE, text=True) as program:
                watchdog = threading.Timer(TIMEOUT, program.kill)
                watchdog.start()
                text = ""
                for line in program.stderr:
                    text += line
                    if "No packets" in line:
                        break
                program.kill()
                watchdog.cancel()
                self.assertIn(f"note: No packets for 5 s on {where}: nothing comes. Usual reasons",
                              text)

    def test_losses_are_reported(self):
        """And a buffer that the system does not grant."""
        self.log_until(b" missing, ", (
            "import struct\n"
            "head = lambda n: struct.pack('>BBHIHBBHH', 32, 9, 0, 1400000000, n, 0, 0, 0, 0)\n"
            "packets = [head(n) + bytes(4096) for n in range(0, 600, 2)] + [bytes(9)]\n"
            "source = fringe.udp_source(['127.0.0.1:0'], 2, 2048, 'mwa', buffer_seconds=2,\n"
            "                           socket_bytes=2**16)"))


if __name__ == "__main__":
    unittest.main()
