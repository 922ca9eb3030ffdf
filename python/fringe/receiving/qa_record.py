#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe record: packets that were recorded and correlated later make the visibilities and weights
of those that were correlated as they came."""
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.receiving.record import record

from qa_cli import FRINGE
from qa_live import wait_until, while_sending
from qa_live_packets import GPS, START, own_address
from qa_packets import drx, mwa, vdif
from qa_scratch import TIMEOUT, scratch_case
from qa_vdif_packets import parsed


class packets_case(scratch_case):
    """Tests that send packets, some of which are lost."""

    def received(self, packets, receive):
        """What receive() returns, which makes a source; the packets are sent to that."""
        def send(source):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                for k, packet in enumerate(packets):
                    sender.sendto(packet, ("127.0.0.1", source.ports()[0]))
                    if k % 8 == 7 or k + 1 == len(packets):
                        wait_until(lambda k=k: source.packets()["good"] > k
                                   or source.samples_read() == source.total_samples() > 0)

        return while_sending(send, receive)

    def lossy(self, inputs, slots):
        """Which packets of each input come: some are lost, singly and in a row."""
        there = self.rng.random((inputs, slots)) >= 0.2
        at = int(self.rng.integers(1, slots - 30))
        there[int(self.rng.integers(inputs)), at:at + 25] = False
        there[1:, 0] = False  # the first input begins alone
        there[0, 0] = there[:, -1] = True
        return there


class qa_record(packets_case):

    def compare(self, url, packets, rate, there, samples):
        """Correlated live, and recorded and correlated."""
        common = {"center_frequency": 1.5e8, "channels": 32, "integration": 0.02}
        self.received(packets, lambda: fringe.correlate(
            [], self.path("live.uvh5"), live=url, overwrite=True, **common))
        path = self.path("recorded.vdif")
        result = self.received(packets, lambda: record(url, path, overwrite=True))
        self.assertEqual(result.samples, there.shape[1] * samples)
        self.assertEqual(list(result.losses["missing"]), list(samples * (~there).sum(1)))
        fringe.correlate(path, self.path("later.uvh5"), sample_rate=rate, overwrite=True, **common)
        first, other = (fringe.read_visibilities(self.path(name))
                        for name in ("live.uvh5", "later.uvh5"))
        for name in ("data", "weights", "flags", "times", "exposures", "intervals"):
            np.testing.assert_array_equal(getattr(first, name), getattr(other, name), name)
        self.assertGreater(np.ptp(first.weights), 0)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["later.uvh5", "live.uvh5", "recorded.vdif"])
        return path

    def test_mwa(self):
        there = self.lossy(2, 60)
        samples = self.rng.integers(-128, 128, (2, 60, 2048, 2)).astype(np.int8)
        packets = [mwa(k, GPS + (600 + n) // 625, (600 + n) % 625, samples[k, n])
                   for n in range(60) for k in range(2) if there[k, n]]
        path = self.compare("udp://:0?preset=mwa&inputs=2&gps_leap_seconds=18&window=6", packets,
                            1.28e6, there, 2048)
        with open(path, "rb") as file:
            first = parsed(file.read(32 + 4096))
        self.assertEqual((first["second"], first["frame"], first["extension"]),
                         (START, 600, 1 << 24 | 1280))
        np.testing.assert_array_equal(first["codes"].reshape(-1, 2),
                                      samples[0, 0].astype(int) + 128)

    def test_vdif(self):
        """Frames that come and frames that are written have the same samples."""
        for bits, channels, is_complex in ((2, 1, False), (4, 2, True)):
            slots, size = 60, 2048
            there = self.lossy(2, slots)
            codes = self.rng.integers(0, 1 << bits, (2, slots, size, channels,
                                                     2 if is_complex else 1))
            packets = [vdif(1000 + (970 + n) // 1000, 52, (970 + n) % 1000, k, codes[k, n], bits,
                            channels, is_complex)
                       for n in range(slots) for k in range(2) if there[k, n]]
            url = (f"udp://:0?preset=vdif&inputs={2 * channels}&bits={bits}&channels={channels}"
                   f"&sample_rate={1000 * size}&frame_bytes={len(packets[0])}&window=6"
                   + ("&complex=yes" if is_complex else ""))
            self.compare(url, packets, 1000.0 * size, np.repeat(there, channels, 0), size)

    def test_refusals(self):
        with open(self.path("there.vdif"), "wb"):
            pass
        for url, name, words in (
                ("udp://:0?preset=mwa&inputs=2", "x.ms", "must end in .vdif"),
                ("udp://:0?preset=mwa&inputs=2", "there.vdif", "exists"),
                ("udp://:0?preset=mwa&inputs=2", "none/x.vdif", "none"),
                ("udp://:0?preset=mwa", "x.vdif", "does not say inputs"),
                ("udp://:0?inputs=2", "x.vdif", "does not say the preset"),
                ("udp://:0?preset=snap2&inputs=64&channels=96", "x.vdif", "packets of spectra"),
                ("udp://:0?preset=ska_low&inputs=2", "x.vdif", "whole number"),
                ("udp://:0?preset=mwa&inputs=2000", "x.vdif", "inputs=2000: must be")):
            with self.assertRaisesRegex((ValueError, OSError), words):
                record(url, self.path(name))
        self.assertEqual(os.listdir(self.folder), ["there.vdif"])

    def test_another_process_writes_there(self):
        path, live = self.path("x.vdif"), "udp://:0?preset=mwa&inputs=1&gps_leap_seconds=18"
        with fringe.new_file(path, keep_partial=True) as file:
            file.write(b"frames of the first")
            file.flush()
            with self.assertRaisesRegex(ValueError, "x.vdif: is being written by another process"):
                record(live, path, 1, overwrite=True)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"frames of the first")

    def test_times_that_vdif_cannot_say(self):
        """Of an LWA whose packets begin anywhere."""
        packets = [drx(1, 1, pol, n, 0, 10, 0, 196000000 * 1780000000 + 1230 + 40960 * n,
                       np.zeros((4096, 2), np.int64)) for n in range(8) for pol in range(2)]
        with self.assertRaisesRegex(RuntimeError, "packets begin 123.0* samples behind"):
            self.received(packets, lambda: record(
                "udp://:0?preset=drx&inputs=2&sample_rate=19.6e6&window=6", self.path("x.vdif")))
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_command_is_interrupted(self):
        """Ctrl-C: the file is whole, and gets its name. Until then it has metrics."""
        where = own_address()
        with socket.create_server(("127.0.0.1", 0)) as free:
            metrics = f"127.0.0.1:{free.getsockname()[1]}"
        samples = self.rng.integers(-128, 128, (2, 2048, 2)).astype(np.int8)
        partial, done = self.path("x.partial.vdif"), threading.Event()
        with subprocess.Popen(
                [sys.executable, FRINGE, "record", "--live",
                 f"udp://{where}:7148?preset=mwa&inputs=2&window=0.1", "-o", "x.vdif",
                 "--metrics", metrics],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True) as process:

            def send():
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                    n = 0
                    while not done.is_set():
                        for k in range(2):
                            sender.sendto(mwa(k, GPS + n // 625, n % 625, samples[k]),
                                          (where, 7148))
                        n += 1
                        time.sleep(0.001)

            sender = threading.Thread(target=send, daemon=True)
            sender.start()
            try:
                wait_until(lambda: os.path.exists(partial) and os.path.getsize(partial) > 10 ** 5)
                with urllib.request.urlopen(f"http://{metrics}/metrics",
                                            timeout=TIMEOUT) as answer:
                    counts = dict(line.rsplit(" ", 1) for line in answer.read().decode().split("\n")
                                  if line and line[0] != "#")
                with self.assertRaisesRegex(urllib.error.HTTPError, "404"):
                    urllib.request.urlopen(f"http://{metrics}/control", timeout=TIMEOUT)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=TIMEOUT)
            finally:
                done.set()
                process.kill()
                sender.join(TIMEOUT)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("fringe record: interrupted; wrote x.vdif: 2 inputs", err)
        for name, least in (("fringe_samples_total", 25000),
                            ("fringe_samples_written_total", 25000), ("fringe_packets_total", 20),
                            ("fringe_buffer_fill_ratio", 0), ("fringe_disk_size_bytes", 1)):
            self.assertTrue(any(key.startswith(name) and float(value) >= least
                                for key, value in counts.items()), (name, counts))
        self.assertEqual(os.listdir(self.folder), ["x.vdif"])
        with open(self.path("x.vdif"), "rb") as file:
            data = file.read()
        self.assertEqual(len(data) % (2 * (32 + 4096)), 0)
        fringe.correlate(self.path("x.vdif"), self.path("x.uvh5"), channels=32, integration=0.02)

    @unittest.skipUnless(importlib.util.find_spec("baseband"), "needs the package baseband")
    def test_baseband_reads(self):
        from baseband import vdif as other
        samples = self.rng.integers(-128, 128, (2, 20, 2048, 2)).astype(np.int8)
        packets = [mwa(k, GPS, n, samples[k, n]) for n in range(20) for k in range(2)]
        self.received(packets, lambda: record(
            "udp://:0?preset=mwa&inputs=2&gps_leap_seconds=18&window=6", self.path("b.vdif")))
        with other.open(self.path("b.vdif"), "rs") as reader:
            self.assertEqual(reader.shape, (20 * 2048, 2))
            frame = reader.read(2048)
        # Its levels are those numbers times a factor.
        values = samples[:, 0, :, 0] + 1j * samples[:, 0, :, 1] + 0.5 + 0.5j
        self.assertGreater(np.corrcoef(frame[:, 0], values[0])[0, 1].real, 0.999)


if __name__ == "__main__":
    unittest.main()
