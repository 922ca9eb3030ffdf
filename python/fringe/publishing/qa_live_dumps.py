#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dumps published for other programs."""
import os
import select
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from qa_live import noise, rx_time, tag, wait_until
from qa_scratch import TIMEOUT

try:
    import zmq
except ImportError:
    zmq = None


@unittest.skipIf(zmq is None, "python3-zmq is not installed")
class qa_dumps(unittest.TestCase):

    def publish(self, with_weights, per_item, **options):
        """Three dumps of three inputs, published and read: publisher, dumps, what was sent."""
        obs, channels, values = fringe.observation.example(3), 8, 6
        obs.sample_rate, obs.center_frequency = 8e6, 1e8
        x = noise(31, 3 * channels * values)
        weights = np.random.default_rng(32).random(len(x)).astype(np.float32)
        items, item = channels // per_item, per_item * values
        tags = []
        for dump in range(3):
            tags += [rx_time(dump * items, 100 + dump, 0.1),
                     tag(dump * items, "interval", pmt.from_double(1.0)),
                     tag(dump * items, "exposure", pmt.from_double(0.75))]
        publisher = fringe.dump_publisher(obs, channels, "tcp://127.0.0.1:*",
                                          channels_per_item=per_item, **options)
        flowgraph = gr.top_block()
        flowgraph.connect(blocks.vector_source_c(x, False, item, tags), publisher)
        if with_weights:
            flowgraph.connect(blocks.vector_source_f(weights, False, item), (publisher, 1))
        dumps, failed = [], []

        def read():
            try:
                dumps.extend(fringe.dump_reader(publisher.address, 10))
            except Exception as error:
                failed.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        wait_until(publisher.has_readers)
        flowgraph.run()
        reader.join(15)
        self.assertEqual(failed, [])
        shape = (3, channels, values)
        return publisher, dumps, x.reshape(shape), weights.reshape(shape)

    def test_what_is_read_is_what_was_published(self):
        for with_weights, per_item in ((True, 8), (True, 2), (False, 4)):
            with self.subTest(with_weights=with_weights, per_item=per_item):
                publisher, dumps, x, weights = self.publish(with_weights, per_item)
                self.assertEqual(publisher.dumps(), 3)
                self.assertEqual([(dump.number, dump.seconds, dump.fraction, dump.interval,
                                   dump.exposure) for dump in dumps],
                                 [(k, 100 + k, 0.1, 1.0, 0.75) for k in range(3)])
                for dump, sent, weight in zip(dumps, x, weights):
                    np.testing.assert_array_equal(dump.visibilities, sent)
                    np.testing.assert_array_equal(dump.weights, weight if with_weights else 1)
                    np.testing.assert_allclose(dump.frequencies, 96e6 + 1e6 * np.arange(8))
                    self.assertEqual(len(dump.names), 3)
                    full = dump.matrix()
                    np.testing.assert_array_equal(full[:, 0, 2], sent[:, 2])
                    np.testing.assert_array_equal(full[:, 2, 1], sent[:, 4].conj())

    def test_real_samples_have_half_the_band(self):
        _, dumps, _, _ = self.publish(True, 8, complex_samples=False)
        np.testing.assert_allclose(dumps[0].frequencies, 98e6 + 0.5e6 * np.arange(8))

    def test_all_sockets_are_closed(self):
        """That which watches the connection, too."""
        reader = fringe.dump_reader("tcp://127.0.0.1:1", 0.01)
        monitor, socket_ = reader._monitor, reader._socket
        reader.close()
        self.assertTrue(monitor.closed and socket_.closed)
        reader.close()

    def test_nobody_is_waited_for(self):
        publisher = fringe.dump_publisher(fringe.observation.example(2), 4, "tcp://127.0.0.1:*")
        flowgraph = gr.top_block()
        flowgraph.connect(blocks.vector_source_c(np.ones(12), False, 12, [
            tag(0, "interval", pmt.from_double(1.0))]), publisher)
        flowgraph.run()
        self.assertEqual(publisher.dumps(), 1)

    def test_mistakes_are_reported(self):
        obs = fringe.observation.example(2)
        for make, word in ((lambda: fringe.dump_publisher(obs, 0), "channels"),
                           (lambda: fringe.dump_publisher(obs, 8, channels_per_item=3), "divide"),
                           (lambda: fringe.dump_publisher(obs, 8, "127.0.0.1"), "127.0.0.1"),
                           (lambda: fringe.dump_reader("nowhere"), "nowhere")):
            with self.subTest(word), self.assertRaisesRegex(ValueError, word):
                make()
        with fringe.dump_reader("tcp://127.0.0.1:9", 0.05) as reader:
            with self.assertRaisesRegex(TimeoutError, "no dump"):
                next(reader)

    def test_other_messages_are_reported(self):
        sender = zmq.Context.instance().socket(zmq.XPUB)
        self.addCleanup(sender.close, 0)
        port = sender.bind_to_random_port("tcp://127.0.0.1")
        for message in ([b"hello"], [b"{}"], [b"[1]", b""], [b'{"products": "all"}', b"", b""]):
            with fringe.dump_reader(f"tcp://127.0.0.1:{port}", 10) as reader:
                sender.recv()  # its subscription
                sender.send_multipart(message)
                with self.assertRaisesRegex(ValueError, "something else"):
                    next(reader)
            sender.recv()

    def test_headers_of_strange_values(self):
        good = {"dump": 0, "seconds": 1700000000, "fraction": 0.0, "interval": 0.1,
                "exposure": 0.1, "inputs": 2, "channels": 4, "products": "i<=j row-major",
                "first_frequency": 1e8, "channel_width": 1e4, "names": ["AX", "BX"]}
        values, weights = np.ones(12, "<c8").tobytes(), np.ones(12, "<f4").tobytes()
        self.assertEqual(fringe.dump_reader._dump(good, values, weights).number, 0)
        for name in good:
            for value in (None, "x", [], {}, True, 1e300, float("nan"), float("inf"), 2**70):
                with self.subTest(name=name, value=value), self.assertRaises(
                        (ValueError, TypeError, KeyError)):
                    fringe.dump_reader._dump({**good, name: value}, values, weights)

    def test_messages_that_are_too_long_are_reported_once(self):
        sender = zmq.Context.instance().socket(zmq.XPUB)
        self.addCleanup(sender.close, 0)
        port = sender.bind_to_random_port("tcp://127.0.0.1")
        script = ("from gnuradio import fringe\n"
                  f"next(fringe.dump_reader('tcp://127.0.0.1:{port}', max_bytes=1000))")
        # Of a terminal, as the log waits for more where it goes into a pipe.
        screen, terminal = os.openpty()
        self.addCleanup(os.close, screen)
        with subprocess.Popen([sys.executable, "-c", script], stdout=terminal,
                              stderr=terminal) as reader:
            os.close(terminal)
            ends, text = time.monotonic() + TIMEOUT, b""
            try:
                while b"more than" not in text and time.monotonic() < ends:
                    if sender.poll(100) and sender.recv() == b"\x01":
                        sender.send(bytes(5000))
                    if select.select([screen], [], [], 0)[0]:
                        text += os.read(screen, 10000)
                    self.assertIsNone(reader.poll(), text)
            finally:
                reader.kill()
        self.assertEqual(text.count(b"more than 1000 bytes"), 1, text)

    def test_the_package_is_named_where_it_is_missing(self):
        script = ("import sys; sys.modules['zmq'] = None\n"
                  "from gnuradio import fringe\n"
                  "fringe.dump_publisher(fringe.observation.example(2), 4)")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("apt-get install python3-zmq", done.stderr)


if __name__ == "__main__":
    unittest.main()
