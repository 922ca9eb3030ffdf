#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A visibility sink that is asked for a new file or a pause: which dumps are in which file. Who
asks, and gets no answer."""
import glob
import http.server
import os
import socket
import threading
import unittest
from unittest import mock

import numpy as np
import pmt
from gnuradio import fringe, gr
from gnuradio.fringe.cli.control import ask
from gnuradio.fringe.operating.link import begin_answering, operator_link
from qa_published import START, array, dump_source, known_dumps, wait_until
from qa_scratch import TIMEOUT, scratch_case

INPUTS, CHANNELS, DUMPS = 2, 4, 12


class asking_source(dump_source):
    """Sends DUMPS dumps, and before some of them, when the sink has all others, what `asked` says:
    {number: message}."""

    def __init__(self, dumps, sink, asked):
        dump_source.__init__(self, dumps, count=DUMPS)
        self._sink, self._asked = sink, asked

    def work(self, input_items, output_items):
        word = self._asked.pop(self.sent(), None)
        if word:
            wait_until(lambda: self._sink.dump_time() >= START + self.sent() / 4)
            # A pause without a dump in it does nothing, and tells that the new file is known.
            for each in (word, "stop", "start") if word == "new_file" else (word,):
                self._sink.to_basic_block()._post(pmt.intern("control"), pmt.intern(each))
                wait_until(lambda each=each: self._sink.writing() == (each != "stop"))
        return dump_source.work(self, input_items, output_items)


class qa_control(scratch_case):

    def written(self, asked, roll_seconds=0):
        """{name: numbers of the dumps in it}, of files that are whole."""
        dumps = known_dumps(INPUTS, CHANNELS, int(self.rng.integers(1 << 30)))
        sink = fringe.visibility_sink(array(INPUTS, CHANNELS), self.path("x.ACC"), CHANNELS,
                                      channels_per_item=CHANNELS, keep_edge=True,
                                      roll_seconds=roll_seconds)
        top, source = gr.top_block(), asking_source(dumps, sink, dict(asked))
        for port in range(2):
            top.connect((source, port), (sink, port))
        self.assertLess(sink.dump_age(), 0)
        self.assertEqual((sink.dump_time(), sink.fill()), (0, (0, 256 << 20)))
        top.run()
        self.assertEqual(sink.error(), "")
        self.assertGreaterEqual(sink.dump_age(), 0)
        self.assertEqual(sink.dump_time(), START + DUMPS / 4)
        self.assertEqual(sorted(sink.files()), sorted(glob.glob(self.path("x*.ACC"))))
        found = {}
        for path in sink.files():
            vis = fringe.read_visibilities(path)
            middles = (vis.times - np.datetime64(START, "s")) / np.timedelta64(1, "s")
            numbers = np.rint(4 * middles - 0.5).astype(int)
            found[os.path.basename(path)] = list(numbers)
            for data, number in zip(vis.data, numbers):
                x, weights = dumps(number)
                np.testing.assert_array_equal(data, np.where(weights > 0, x, 0))
        self.assertEqual(sink.dumps(), sum(map(len, found.values())))
        return found

    def test_files_that_are_not_dated(self):
        self.assertEqual(self.written({3: "new_file", 6: "stop", 9: "start"}), {
            "x.ACC": [0, 1, 2], "x_2.ACC": [3, 4, 5], "x_3.ACC": [9, 10, 11]})

    def test_dated_files(self):
        """A new file waits for another second; one that begins in a second that has a file already
        gets a number."""
        self.assertEqual(self.written({2: "new_file", 6: "stop", 7: "start"}, 10 ** 6), {
            "x_20260528_202640.ACC": [0, 1, 2, 3], "x_20260528_202641.ACC": [4, 5],
            "x_2_20260528_202641.ACC": [7, 8, 9, 10, 11]})

    def test_a_pause_over_a_whole_second(self):
        self.assertEqual(self.written({2: "stop", 9: "start"}, 10 ** 6), {
            "x_20260528_202640.ACC": [0, 1], "x_20260528_202642.ACC": [9, 10, 11]})

    def test_that_ends_in_a_pause(self):
        self.assertEqual(self.written({5: "stop"}), {"x.ACC": [0, 1, 2, 3, 4]})

    def test_other_messages_are_refused(self):
        self.assertEqual(self.written({5: "dance"}), {"x.ACC": list(range(DUMPS))})


class another_server(http.server.BaseHTTPRequestHandler):
    """Answers all requests, by something else."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        """Python's writes to stderr."""


class qa_control_elsewhere(unittest.TestCase):

    def test_another_program_answers(self):
        with http.server.HTTPServer(("127.0.0.1", 0), another_server) as server:
            answering = threading.Thread(target=server.handle_request, daemon=True)
            answering.start()
            with self.assertRaisesRegex(RuntimeError, "another program answers there"):
                ask("127.0.0.1", server.server_port, "stop")
            answering.join()

    def test_nobody_answers(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            port = silent.getsockname()[1]
            with self.assertRaisesRegex(RuntimeError, f"{port}: no web page of a flowgraph"):
                ask("127.0.0.1", port, "stop")


class qa_link(unittest.TestCase):

    def test_an_answer_that_comes_too_late(self):
        """It is said that there is none, and it is no answer to the next request."""
        goes_on = threading.Event()

        def answer(request):
            if request["do"] == "slow":
                goes_on.wait(TIMEOUT)
            return {"done": request["do"]}
        theirs, ours = begin_answering(answer)
        with theirs:
            link = operator_link(theirs.fileno())
            with mock.patch("gnuradio.fringe.operating.link.TIMEOUT", 0.05):
                self.assertIn("does not answer", link.ask({"do": "slow"})["refused"])
            goes_on.set()
            self.assertEqual(link.ask({"do": "start"})["done"], "start")
            ours.shutdown(socket.SHUT_RDWR)
            self.addCleanup(link._socket.close)
            self.assertTrue(link.ended.wait(TIMEOUT))
            self.assertIn("has ended", link.ask({"do": "start"})["refused"])


if __name__ == "__main__":
    unittest.main()
