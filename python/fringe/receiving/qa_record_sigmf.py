#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe record to SigMF: in parts or whole, the same visibilities; what stops half-way is called
partial and can be read; an independent reader takes it."""
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.receiving.read_samples import read_samples
from gnuradio.fringe.receiving.record import record

from qa_cli import FRINGE, command
from qa_live import wait_until
from qa_live_packets import GPS
from qa_packets import mwa
from qa_record import packets_case
from qa_scratch import TIMEOUT, scratch_case

try:
    import jsonschema
    import sigmf
    from sigmf.schema import SCHEMA_COLLECTION, get_schema
except ImportError:
    sigmf = None


class rtl_tcp:
    """A stand-in of the program rtl_tcp, of one client, written from its protocol."""

    def __init__(self, data, endless=False):
        self.data, self.endless, self.commands = data, endless, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        with connection, self.listener:
            connection.sendall(b"RTL0" + struct.pack(">II", 5, 29))
            connection.settimeout(TIMEOUT)
            while len(self.commands) < 4:
                self.commands.append(struct.unpack(">BI", connection.recv(5, socket.MSG_WAITALL)))
            with contextlib.suppress(OSError):
                connection.sendall(self.data.tobytes())
                while self.endless:
                    time.sleep(0.01)
                    connection.sendall(self.data.tobytes())


class qa_rtl_tcp(scratch_case):
    seed = 8
    SAMPLES = 700001

    def served(self, samples=None, receivers=2):
        """Receivers with their bytes, and the address of all."""
        self.bytes = [self.rng.integers(0, 256, 2 * self.SAMPLES).astype(np.uint8)
                      for _ in range(receivers)]
        self.servers = [rtl_tcp(data) for data in self.bytes]
        where = ",".join(f"127.0.0.1:{server.port}" for server in self.servers)
        return (f"rtl_tcp://{where}?sample_rate=1e6&frequency=1420.4e6&gain=40.2&settle=0")

    def meta(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def test_correlated_live(self):
        """The visibilities are those of the same bytes in files."""
        url = self.served()
        options = {"channels": 32, "spectra": 2000, "overwrite": True}
        totals = fringe.correlate([], self.path("live.uvh5"), live=url, seconds=0.65, **options)
        self.assertEqual(totals.samples, 650000)
        for k in range(2):
            self.bytes[k].tofile(self.path(f"{k}.cu8"))
        fringe.correlate([self.path("0.cu8"), self.path("1.cu8")], self.path("whole.uvh5"),
                         inputs=2, sample_rate=1e6, center_frequency=1420.4e6, samples=650000,
                         **options)
        live, whole = (fringe.read_visibilities(self.path(f"{n}.uvh5")) for n in ("live", "whole"))
        np.testing.assert_allclose(live.data, whole.data, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(live.weights, whole.weights)
        np.testing.assert_array_equal(live.frequencies, whole.frequencies)
        with self.assertRaisesRegex(ValueError, "center_frequency: 1.4e\\+09: the receivers are "
                                    "tuned to 1420400000 Hz|center_frequency: 1400000000: the rec"):
            fringe.correlate([], self.path("x.uvh5"), live=url, seconds=1, center_frequency=1.4e9)

    def test_info(self):
        """It says which receivers answer."""
        found = command("info", "--live", self.served())
        self.assertEqual((found.returncode, found.stdout.count("R820T")), (0, 2), found.stderr)
        self.assertIn("1420400000 Hz", found.stdout)

    def test_parts_are_the_whole(self):
        url = self.served()
        path = self.path("night.sigmf-collection")
        result = record(url, path, minutes=0.2 / 60, author="A. Student")
        self.assertEqual(result.samples, self.SAMPLES)
        self.assertEqual(result.inputs, 2)
        self.assertEqual(self.servers[0].commands,
                         [(2, 1000000), (1, 1420400000), (3, 1), (4, 402)])
        names = [f"night.rx{k}.{p:04d}" for k in range(2) for p in range(4)]
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(
            ["night.sigmf-collection", *(n + e for n in names
                                         for e in (".sigmf-meta", ".sigmf-data"))]))
        for k in range(2):  # not a sample is lost or twice
            files = [np.fromfile(self.path(n + ".sigmf-data"), np.uint8)
                     for n in names[4 * k:4 * k + 4]]
            self.assertEqual([len(f) for f in files], [400000] * 3 + [200002])
            np.testing.assert_array_equal(np.concatenate(files), self.bytes[k])
        self.check_words(names)
        # The same bytes as two files without a header, at the time that the recording says.
        first = self.meta(names[0] + ".sigmf-meta")["captures"][0]
        for k in range(2):
            self.bytes[k].tofile(self.path(f"{k}.cu8"))
        options = {"channels": 32, "integration": 0.1}
        fringe.correlate(path, self.path("found.uvh5"), **options)
        fringe.correlate([self.path("0.cu8"), self.path("1.cu8")], self.path("whole.uvh5"),
                         inputs=2, sample_rate=1e6, center_frequency=1420.4e6,
                         start_time=first["core:datetime"], **options)
        found, whole = (fringe.read_visibilities(self.path(f"{n}.uvh5"))
                        for n in ("found", "whole"))
        for name in ("data", "weights", "flags", "times", "exposures", "frequencies"):
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), name)

    def check_words(self, names):
        for n, name in enumerate(names):
            meta = self.meta(name + ".sigmf-meta")
            words = meta["global"]
            self.assertEqual({key: words["core:" + key] for key in (
                "datatype", "sample_rate", "num_channels", "author", "collection")}, {
                    "datatype": "cu8", "sample_rate": 1e6, "num_channels": 1,
                    "author": "A. Student", "collection": "night"})
            self.assertIn("rtl_tcp", words["core:hw"])
            capture, = meta["captures"]
            self.assertEqual((capture["core:sample_start"], capture["core:global_index"],
                              capture["core:frequency"]), (0, n % 4 * 200000, 1420.4e6))
        self.assertEqual([stream["name"] for stream in self.meta("night.sigmf-collection")[
            "collection"]["core:streams"]], names)

    def test_a_second_reader(self):
        if sigmf is None:
            self.skipTest("the Python package sigmf is not installed")
        record(self.served(), self.path("n.sigmf-collection"), minutes=0.5 / 60)
        collection = sigmf.sigmffile.fromfile(self.path("n.sigmf-collection"))
        collection.verify_stream_hashes()
        # Its schema has [name, hash], its reader takes objects, which is what it writes itself.
        words = self.meta("n.sigmf-collection")
        streams = words["collection"]["core:streams"]
        self.assertEqual([sorted(stream) for stream in streams], [["hash", "name"]] * 4)
        words["collection"]["core:streams"] = [[stream["name"], stream["hash"]]
                                               for stream in streams]
        jsonschema.validate(words, get_schema(schema_file=SCHEMA_COLLECTION))
        for k, name in enumerate(collection.get_stream_names()):
            handle = sigmf.sigmffile.fromfile(self.path(name + ".sigmf-meta"))
            handle.validate()
            part = self.bytes[k // 2][1000000 * (k % 2):][:1000000] / np.float32(128) - 1
            np.testing.assert_array_equal(np.ravel(handle.read_samples()),
                                          part.astype(np.float32).view(np.complex64))
        self.assertEqual(k, 3)

    def test_one_pair(self):
        record(self.served(receivers=1), self.path("one.sigmf-meta"), seconds=0.3)
        self.assertEqual(sorted(os.listdir(self.folder)), ["one.sigmf-data", "one.sigmf-meta"])
        self.assertEqual(fringe.recording_info(self.path("one"), "sigmf").samples, 300000)

    def test_what_ends_half_way(self):
        """A disk that fails in the third part: two are whole, the third is partial, and all of it
        is one argument under a name that says that it is not finished."""
        os.mkdir(self.path("x.0002.sigmf-data"))
        with self.assertRaisesRegex(RuntimeError, "0002.*x.partial.sigmf-collection"):
            record(self.served(receivers=1), self.path("x.sigmf-collection"), minutes=0.2 / 60)
        self.assertNotIn("x.sigmf-collection", os.listdir(self.folder))
        info = fringe.recording_info(self.path("x.partial.sigmf-collection"), "sigmf")
        self.assertEqual(info.samples, 400000)

    def ended_by(self, number):
        """fringe record of an endless receiver, which gets a signal in its third part."""
        server = rtl_tcp(np.arange(20000).astype(np.uint8), endless=True)
        url = f"rtl_tcp://127.0.0.1:{server.port}?sample_rate=1e6&frequency=1e9&gain=1&settle=0"
        with subprocess.Popen([sys.executable, FRINGE, "record", "--live", url, "--minutes",
                               "0.0025", "-o", "x.sigmf-collection", "--quiet"], cwd=self.folder,
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            # Two parts and words on the third are there, and samples of it.
            path = self.path("x.0002.partial.sigmf-data")
            wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
            process.send_signal(number)
            process.communicate(timeout=TIMEOUT)
        server.endless = False
        return process.returncode

    def check_counting(self, name, least):
        """The samples count on from part to part."""
        self.assertEqual(fringe.format_by_content(self.path(name)), "sigmf")
        x, *_ = read_samples(self.path(name))
        self.assertGreaterEqual(len(x), least)
        expected = np.resize(np.arange(20000).astype(np.uint8), 2 * len(x)) - np.float32(127.4)
        np.testing.assert_allclose(x.view(np.float32), expected, rtol=1e-6)

    def test_interrupted(self):
        """Ctrl-C ends the recording, which is whole."""
        self.assertEqual(self.ended_by(signal.SIGINT), 130)
        self.check_counting("x.sigmf-collection", 300001)
        self.assertEqual([n for n in os.listdir(self.folder) if "partial" in n], [])

    def test_killed(self):
        """What is there after a crash does not look whole, and can be read."""
        self.assertEqual(self.ended_by(signal.SIGKILL), -signal.SIGKILL)
        self.assertNotIn("x.sigmf-collection", os.listdir(self.folder))
        self.check_counting("x.partial.sigmf-collection", 300000)

    def test_refusals(self):
        self.SAMPLES = 100
        with open(self.path("there.sigmf-data"), "wb"):
            pass
        for url, name, words in (
                (self.served(), "x.sigmf-meta", "give .*x.sigmf-collection"),
                (self.served(receivers=1), "there.sigmf-meta", "exists"),
                (self.served(), "x.wav", "must end in .vdif"),
                ("rtl_tcp://:1?frequency=1e9", "x.sigmf-meta", "must contain the sample rate"),
                ("rtl_tcp://:1?frequency=1e9&sample_rate=1", "x.sigmf-meta", "225001 to"),
                ("rtl_tcp://:1?frequency=1e9&sample_rate=1e6&lna=3", "x.sigmf-meta", "'lna'"),
                ("rtl_tcp://:1?frequency=1e9&sample_rate=1e6", "x.sigmf-meta", "does not answer"),
                ("udp://:0?preset=snap2&inputs=64&channels=96", "x.sigmf-meta", "spectra"),
                ("udp://:0?preset=vdif&inputs=1&bits=2&sample_rate=1e6&frame_bytes=1032",
                 "x.sigmf-meta", "SigMF has those of")):
            with self.assertRaisesRegex(ValueError, words, msg=url):
                record(url, self.path(name))
        with self.assertRaisesRegex(ValueError, "minutes: 1: is for SigMF"):
            record("udp://:0?preset=mwa&inputs=2", self.path("x.vdif"), minutes=1)
        self.assertEqual(os.listdir(self.folder), ["there.sigmf-data"])


class qa_packets_with_losses(packets_case):
    """Packets of two sources that lose some: live, as VDIF and as SigMF in parts, the same."""

    def test_mwa(self):
        there = self.lossy(2, 60)
        samples = self.rng.integers(-128, 128, (2, 60, 2048, 2)).astype(np.int8)
        packets = [mwa(k, GPS + (600 + n) // 625, (600 + n) % 625, samples[k, n])
                   for n in range(60) for k in range(2) if there[k, n]]
        url = "udp://:0?preset=mwa&inputs=2&gps_leap_seconds=18&window=6"
        common = {"center_frequency": 1.5e8, "channels": 32, "integration": 0.02}
        self.received(packets, lambda: fringe.correlate([], self.path("live.uvh5"), live=url,
                                                        **common))
        path = self.path("x.sigmf-collection")
        self.received(packets, lambda: record(url, path, minutes=0.03 / 60))
        fringe.correlate(path, self.path("later.uvh5"), **common)
        first, other = (fringe.read_visibilities(self.path(name))
                        for name in ("live.uvh5", "later.uvh5"))
        for name in ("data", "weights", "flags", "times", "exposures", "intervals"):
            np.testing.assert_array_equal(getattr(first, name), getattr(other, name), name)
        self.assertGreater(np.ptp(first.weights), 0)
        with open(self.path("x.rx0.0000.sigmf-meta"), encoding="utf-8") as file:
            meta = json.load(file)
        self.assertEqual(len(meta["annotations"]), len(meta["captures"]) - 1)


if __name__ == "__main__":
    unittest.main()
