#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Live receivers on TCP: in step by their counters, losses counted."""
import os
import socket
import tempfile
import threading
import time
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from qa_live import wait_until
from qa_scratch import TIMEOUT


class held_sink(gr.sync_block):
    """Keeps raw blocks and tags; takes none while `go` is not set."""

    def __init__(self, size):
        gr.sync_block.__init__(self, "held_sink", [(np.uint8, size)], None)
        self.go, self.blocks, self.tags = threading.Event(), [], []

    def work(self, input_items, output_items):
        if not self.go.wait(0.1):
            return 0
        self.tags += self.get_tags_in_window(0, 0, len(input_items[0]))
        self.blocks += list(np.array(input_items[0]))
        return len(input_items[0])

    def values(self, key):
        return [(t.offset, t.value) for t in self.tags if pmt.symbol_to_string(t.key) == key]


class receivers:
    """What MWA-32T receivers send: `samples` groups of each, some lost, from counter `first`."""

    def __init__(self, count, samples, first=65000, seed=0):
        rng = np.random.default_rng(seed)
        self.words = rng.integers(0, 1 << 16, (count, samples, 17)).astype("<u2")
        self.words[:, :, 0] = (first + np.arange(samples)) % 65536
        self.there = np.ones((count, samples), bool)

    def bytes(self, k, start=0, stop=None):
        piece = slice(start, stop)
        return self.words[k, piece][self.there[k, piece]].tobytes()

    def block(self, first, size, samples):
        """A raw block [receiver][time][stream] of words, the lost ones 0."""
        out = np.zeros((len(self.words), size, 16), "<u2")
        out[:, :samples] = np.where(self.there[:, first:first + samples, None],
                                    self.words[:, first:first + samples, 1:], 0)
        return out


class tcp_run:
    """A tcp_source into a held_sink, with a socket to every receiver's port."""

    def __init__(self, count, block, rate=1e6, **options):
        self.source = fringe.tcp_source(["127.0.0.1:0"] * count, block, rate, **options)
        self.sink = held_sink(count * block * 32)
        self.flowgraph = gr.top_block()
        self.flowgraph.connect(self.source, self.sink)
        self.flowgraph.start()
        self.sockets = [self.connect(k) for k in range(count)]
        wait_until(lambda: self.source.connected() == count)

    def connect(self, k):
        return socket.create_connection(("127.0.0.1", self.source.ports()[k]), timeout=TIMEOUT)

    def end(self):
        for connection in self.sockets:
            connection.close()
        self.sink.go.set()
        waiter = threading.Thread(target=self.flowgraph.wait, daemon=True)
        waiter.start()
        waiter.join(15)
        if waiter.is_alive():
            self.flowgraph.stop()
            raise AssertionError("the data did not end with the connections")


class qa_tcp_source(unittest.TestCase):

    def send(self, run, sent, rng, limit=5000):
        """All receivers' bytes, a piece of random length of one after one of the other."""
        left = [sent.bytes(k) for k in range(len(run.sockets))]
        while any(left):
            for k, connection in enumerate(run.sockets):
                size = int(rng.integers(limit))
                connection.sendall(left[k][:size])
                left[k] = left[k][size:]

    def test_like_recordings(self):
        rng = np.random.default_rng(21)
        block, late = 256, 37
        for lost in (0, 0.1, 0.9):
            with self.subTest(lost=lost):
                sent = receivers(2, 20000)
                sent.there[:, 1:-1] = rng.random((2, 19998)) >= lost
                sent.there[1, :late] = False
                sent.there[1, late] = sent.there[0, late] = True
                run = tcp_run(2, block, center_frequency=1.5e8,
                              start_time="1970-01-01T00:16:40.5")
                run.sink.go.set()
                self.send(run, sent, rng)
                run.end()
                with tempfile.TemporaryDirectory() as folder:
                    paths = [os.path.join(folder, str(k)) for k in range(2)]
                    for k, path in enumerate(paths):
                        with open(path, "wb") as file:
                            file.write(sent.bytes(k))
                    source = fringe.file_source(paths, "mwa32t", 32, block, 1e6, 1.5e8,
                                                "1970-01-01T00:16:40.499963", [late, 0])
                    sink, flowgraph = held_sink(block * 64), gr.top_block()
                    sink.go.set()
                    flowgraph.connect(source, sink)
                    flowgraph.run()
                np.testing.assert_array_equal(run.sink.blocks, sink.blocks)
                self.assertEqual(run.source.samples_read(), 20000 - late)
                self.assertEqual(run.source.samples_dropped(), 0)
                self.assertEqual(run.source.samples_missing(), source.samples_missing())
                for key in ("rx_time", "rx_rate", "rx_freq", "samples"):
                    self.assertEqual([(k, str(v)) for k, v in run.sink.values(key)],
                                     [(k, str(v)) for k, v in sink.values(key)])
                self.assertEqual(self.lost(run.sink), self.lost(sink))

    @staticmethod
    def lost(sink):
        return [(item, sorted(np.reshape(pmt.u64vector_elements(v), (-1, 3)).tolist()))
                for item, v in sink.values("invalid")]

    def test_a_receiver_that_comes_back_is_in_step(self):
        sent = receivers(2, 9000)
        run = tcp_run(2, 100)
        run.sink.go.set()
        for start in range(0, 3000, 100):
            for k in range(2):
                run.sockets[k].sendall(sent.bytes(k, start, start + 100))
        run.sockets[1].close()
        wait_until(lambda: run.source.connected() == 1)
        run.sockets[0].sendall(sent.bytes(0, 3000, 6000))
        wait_until(lambda: run.source.samples_read() >= 5900)
        run.sockets[1] = run.connect(1)
        wait_until(lambda: run.source.connected() == 2)
        sent.there[1, 3000:6050] = False
        for start in range(6000, 9000, 100):
            for k in range(2):
                run.sockets[k].sendall(sent.bytes(k, start, start + 100))
        run.end()
        self.assertEqual(len(run.sink.blocks), 90)
        for item, received in enumerate(run.sink.blocks):
            np.testing.assert_array_equal(
                received, sent.block(100 * item, 100, 100).view("u1").ravel())
        self.assertEqual(run.source.samples_missing(), 16 * 3050)

    def test_what_finds_no_room_is_counted(self):
        sent, block = receivers(2, 30000), 100
        run = tcp_run(2, block, buffer_seconds=1e-6)  # four blocks
        self.send(run, sent, np.random.default_rng(2), 20000)
        wait_until(lambda: run.source.samples_dropped() > 16 * 20000)
        run.end()
        # Until both have begun, only the newest four blocks are kept: how much went by till then
        # is the scheduler's affair, what came after is not.
        start = 30000 - run.source.samples_read()
        self.assertLess(start, 20000)
        self.assertEqual(run.source.samples_missing(), 0)
        lost, invalid = dict(self.lost(run.sink)), 0
        lengths = {item: pmt.to_uint64(v) for item, v in run.sink.values("samples")}
        for item, received in enumerate(run.sink.blocks):
            here = start + block * item
            for stream, first, count in lost.get(item, []):
                sent.there[stream // 16, here + first:here + first + count] = False
                invalid += count
            np.testing.assert_array_equal(
                received, sent.block(here, block, lengths.get(item, block)).view("u1").ravel())
        self.assertEqual(invalid, run.source.samples_dropped())

    def test_damaged_counters_move_no_time(self):
        sent = receivers(1, 3000)
        clean = sent.words.copy()
        sent.words[0, [70, 71, 1000, 2222], 0] ^= 0x5555
        run = tcp_run(1, 100)
        run.sink.go.set()
        run.sockets[0].sendall(sent.bytes(0))
        run.end()
        sent.words = clean
        sent.there[0, 70:72] = False  # two at a stretch cannot be distinguished from lost ones
        got = np.array(run.sink.blocks).view("<u2").reshape(-1, 16)
        np.testing.assert_array_equal(got[:3000], sent.block(0, 3000, 3000)[0])
        self.assertLessEqual(run.source.samples_missing(), 2 * 16)

    def test_it_connects_to_receivers_too(self):
        sent, servers = receivers(2, 5000), [socket.create_server(("127.0.0.1", 0))
                                             for _ in range(2)]
        addresses = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
        source = fringe.tcp_source(addresses, 500, 1e6, listen=False)
        flowgraph, sink = gr.top_block(), held_sink(500 * 64)
        sink.go.set()
        flowgraph.connect(source, sink)
        flowgraph.start()
        before = time.time()
        ends = [server.accept()[0] for server in servers]
        wait_until(lambda: source.connected() == 2)
        for k, connection in enumerate(ends):
            connection.sendall(sent.bytes(k))
        for connection in ends + servers:
            connection.close()
        flowgraph.wait()
        np.testing.assert_array_equal(np.array(sink.blocks).ravel().view("<u2"),
                                      np.concatenate([sent.block(500 * k, 500, 500).ravel()
                                                      for k in range(10)]))
        start = sink.values("rx_time")[0][1]
        self.assertLess(abs(pmt.to_uint64(pmt.tuple_ref(start, 0)) - before), 10)

    def test_it_can_be_stopped(self):
        for end in ("stop", "finish"):
            source = fringe.tcp_source(["127.0.0.1:0"], 10, 1e3)
            flowgraph = gr.top_block()
            flowgraph.connect(source, blocks.null_sink(320))
            flowgraph.start()
            (flowgraph.stop if end == "stop" else source.finish)()
            flowgraph.wait()

    def test_mistakes_are_reported(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        for values, word in ((([], 10, 1e6), "addresses"), ((["here"], 10, 1e6), "host:port"),
                             ((["127.0.0.1:99999"], 10, 1e6), "99999"),
                             ((["127.0.0.1:0"], 0, 1e6), "block_samples"),
                             ((["127.0.0.1:0"], 10, 0.0), "sample_rate"),
                             ((["127.0.0.1:0"], 10, 1e6, 0, True, "", 0.0), "buffer_seconds"),
                             (([f"127.0.0.1:{taken.getsockname()[1]}"], 10, 1e6),
                              "listened on")):
            with self.subTest(word), self.assertRaisesRegex(ValueError, word):
                fringe.tcp_source(*values)


class counted_groups(gr.sync_block):
    """Of two receivers whose samples tell their groups' numbers: how far the second is beside the
    first, in each sample that both have, and the newest number of the first."""

    def __init__(self, block):
        gr.sync_block.__init__(self, "counted_groups", [(np.uint16, 2 * block * 16)], None)
        self.block, self.beside, self.newest = block, [], 0

    def work(self, input_items, _):
        for item in input_items[0]:
            words = item.reshape(2, self.block, 16).astype(np.int64)
            number = words[:, :, 0] + (words[:, :, 1] << 16)
            there = words[:, :, 2] == 1
            self.beside.append((number[1] - number[0])[there.all(axis=0)])
            self.newest = max(self.newest, number[0].max())
        return len(input_items[0])


def numbered(start, stop):
    """Groups that say their number."""
    k = np.arange(start, stop)
    groups = np.zeros((len(k), 17), "<u2")
    groups[:, 0] = groups[:, 1] = k & 0xffff
    groups[:, 2], groups[:, 3] = k >> 16, 1
    return groups.tobytes()


class qa_receivers_in_step(unittest.TestCase):
    """Pauses that a counter of 16 bits does not tell."""

    STEP = 5000  # groups of each that are sent at a time

    def run_with_pause(self, groups):
        """Offsets after the second receiver has left out a number of groups."""
        source = fringe.tcp_source(["127.0.0.1:0"] * 2, 1000, 1e6)
        watcher, flowgraph = counted_groups(1000), gr.top_block()
        flowgraph.connect(source, watcher)
        flowgraph.start()
        sockets = [socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
                   for port in source.ports()]
        wait_until(lambda: source.connected() == 2)
        first, at, right = 200000, 0, 0
        end = time.monotonic() + TIMEOUT
        while right < 20:
            self.assertLess(time.monotonic(), end, "they were not in step again")
            sockets[0].sendall(numbered(at, at + self.STEP))
            if not first <= at < first + groups:
                sockets[1].sendall(numbered(at, at + self.STEP))
            at += self.STEP
            time.sleep(self.STEP / 1e6)
            seen, watcher.beside = watcher.beside, []
            for connection in seen:
                if watcher.newest > first + groups and len(connection):
                    right = right + 1 if not connection.any() else 0
        for connection in sockets:
            connection.close()
        flowgraph.wait()
        return source

    def test_pauses_of_a_turn_and_more(self):
        for groups in (5000, 65000, 70000, 130000, 400000):
            with self.subTest(groups=groups):
                source = self.run_with_pause(groups)
                self.assertGreater(source.losses()["missing"][16], 0)

    def test_looking_for_ports_does_not_end_a_run(self):
        sent = receivers(2, 3000)
        source, sink = fringe.tcp_source(["127.0.0.1:0"] * 2, 100, 1e6), held_sink(6400)
        sink.go.set()
        flowgraph = gr.top_block()
        flowgraph.connect(source, sink)
        flowgraph.start()
        rng = np.random.default_rng(3)
        for garbage in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", rng.bytes(34 * 2000)):
            for port in source.ports():
                with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as scan:
                    scan.sendall(garbage)
            wait_until(lambda: source.connected() == 0)
        sockets = [socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
                   for port in source.ports()]
        wait_until(lambda: source.connected() == 2)
        for k, connection in enumerate(sockets):
            connection.sendall(sent.bytes(k))
        for connection in sockets:
            connection.close()
        flowgraph.wait()
        np.testing.assert_array_equal(
            np.array(sink.blocks).ravel().view("<u2"),
            np.concatenate([sent.block(100 * k, 100, 100).ravel() for k in range(30)]))

    def test_a_second_client_is_refused(self):
        sent = receivers(1, 3000)
        run = tcp_run(1, 100)
        run.sink.go.set()
        run.sockets[0].sendall(sent.bytes(0, 0, 1500))
        wait_until(lambda: run.source.samples_read() >= 1400)
        with run.connect(0) as second:
            self.assertEqual(second.recv(1), b"")
        run.sockets[0].sendall(sent.bytes(0, 1500))
        run.end()
        got = np.array(run.sink.blocks).view("<u2").reshape(-1, 16)
        np.testing.assert_array_equal(got, sent.block(0, 3000, 3000)[0])

    def test_one_that_comes_back_at_once_is_taken(self):
        """What it sent before it left is still being read then."""
        total, step = 60000, 10000
        sent = receivers(2, total)
        run = tcp_run(2, 100, buffer_seconds=10.0)
        run.sink.go.set()
        for start in range(0, total, step):
            if start > 0:
                run.sockets[1].close()
                run.sockets[1] = run.connect(1)
            for k in range(2):
                run.sockets[k].sendall(sent.bytes(k, start, start + step))
        run.end()
        self.assertEqual(run.source.samples_read(), total)
        got = np.array(run.sink.blocks).view("<u2").reshape(-1, 2, 100, 16)
        right = sent.words[:, :, 1:].reshape(2, -1, 100, 16).swapaxes(0, 1)
        np.testing.assert_array_equal(got[:, 0], right[:, 0])
        # What waits at a new connection may be from before it, and is left out.
        lost = (got[:, 1] != right[:, 1]).any(axis=-1)
        self.assertFalse(got[:, 1][lost].any())
        self.assertLess(run.source.samples_missing(), 16 * total)

    @staticmethod
    def closed(connection):
        """The other end has closed the connection. Waits a little for that."""
        try:
            return connection.recv(1) == b""
        except socket.timeout:
            return False

    def test_a_dead_connection_makes_room(self):
        sent = receivers(1, 3000)
        run = tcp_run(1, 100)
        run.sink.go.set()
        run.sockets[0].sendall(sent.bytes(0, 0, 1500))
        wait_until(lambda: run.source.samples_read() >= 1400)
        dead, end = run.sockets[0], time.monotonic() + TIMEOUT
        self.addCleanup(dead.close)
        run.sockets[0] = run.connect(0)
        while run.source.samples_read() < 2000:  # refused till the first was silent for long enough
            self.assertLess(time.monotonic(), end)
            run.sockets[0].close()
            run.sockets[0] = run.connect(0)
            run.sockets[0].settimeout(0.2)
            try:
                while run.source.samples_read() < 2000 and not self.closed(run.sockets[0]):
                    run.sockets[0].sendall(sent.bytes(0, 1500))
            except ConnectionError:
                continue
        run.end()
        self.assertGreaterEqual(run.source.samples_read(), 3000)


if __name__ == "__main__":
    unittest.main()
