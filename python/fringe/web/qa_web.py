#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The web page of published dumps, as its viewers get it; qa_web_browser has a real browser."""
import contextlib
import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import unittest

import numpy as np

from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.observing.observation_words import input_name
from qa_published import known_dumps, product, published, wait_until, web_page, web_viewer
from qa_scratch import TIMEOUT, scratch_case

try:
    import tornado
    import zmq
except ImportError:
    tornado = None

COMMAND = [sys.executable, "-c",
           "import sys; from gnuradio.fringe.cli import main; sys.exit(main())", "web"]
HERE = os.path.dirname(os.path.realpath(__file__))


def expected(dumps, number, i, j):
    """What a page must show of a dump: cross [channel], autos, mean, mean coefficient."""
    x, weights = (values.astype(complex) for values in dumps(number))
    # The known dumps do not say that they are of complex samples, so no channel is left out.
    x[weights == 0] = np.nan
    cross, a, b = (x[:, product(*pair, dumps.inputs)] for pair in ((i, j), (i, i), (j, j)))
    cross = cross.conj() if i > j else cross
    power = np.nan_to_num(a.real) * np.nan_to_num(b.real)
    coefficient = np.where(power > 0, cross / np.sqrt(np.where(power > 0, power, 1)),
                           0 * cross)
    return cross, a.real, b.real, np.nanmean(cross), np.nanmean(coefficient)


def means_of(values, together):
    """Of neighbors, without those that are none."""
    rows = values.reshape(-1, together)
    there = ~np.isnan(rows)
    with np.errstate(invalid="ignore"):
        return np.where(there, rows, 0).sum(axis=1) / there.sum(axis=1)


@unittest.skipIf(tornado is None, "python3-tornado or python3-zmq is not installed")
class qa_web(scratch_case):

    def publish(self, *arguments, **options):
        """A flowgraph that is ended with the test."""
        made = published(*arguments, **options)
        self.addCleanup(made.publisher.stop)
        return made

    def page(self, address, **options):
        made = web_page(address, **options)
        self.addCleanup(made.close)
        return made

    def viewer(self, page, pair=None, third=None):
        made = web_viewer(page.port, pair, third)
        self.addCleanup(made.close)
        return made

    def test_the_page_gets_the_numbers_of_the_dumps(self):
        for channels, (i, j) in ((8, (0, 1)), (7, (2, 0)), (16, (1, 1))):
            with self.subTest(channels=channels, i=i, j=j):
                dumps = known_dumps(3, channels, int(self.rng.integers(1 << 30)))
                graph = self.publish(dumps, count=4)
                page = self.page(graph.address)
                viewer = self.viewer(page, (i, j))
                wait_until(graph.publisher.has_readers)
                graph.run()
                got = viewer.read_until(
                    lambda header: header["kind"] == "frame" and header["dump"] == 3)
                points = [[arrays[name + "_re"] + 1j * arrays[name + "_im"]
                           for name in ("mean", "coefficient")]
                          for header, arrays in got if header["kind"] in ("history", "frame")]
                mean, coefficient = np.concatenate(points, axis=1)
                want = [expected(dumps, number, i, j) for number in range(4)]
                np.testing.assert_allclose(mean, [row[3] for row in want], rtol=2e-5, atol=2e-6)
                np.testing.assert_allclose(coefficient, [row[4] for row in want], rtol=2e-5,
                                           atol=2e-6)
                header, arrays = got[-1]
                np.testing.assert_allclose(arrays["cross_re"] + 1j * arrays["cross_im"],
                                           want[3][0], rtol=1e-6)
                np.testing.assert_allclose(arrays["auto_i"], want[3][1], rtol=1e-6)
                np.testing.assert_allclose(arrays["auto_j"], want[3][2], rtol=1e-6)
                np.testing.assert_array_equal(arrays["weight"],
                                              dumps(3)[1][:, product(i, j, 3)])
                self.assertEqual((header["interval"], header["exposure"], header["received"],
                                  header["lost"], header["pair"]), (0.25, 0.2, 4, 0, [i, j]))
                self.assertTrue(header["utc"].startswith("2026-05-28T20:26:40.9"), header["utc"])
                stream, arrays = next(message for message in got if message[0]["kind"] == "stream")
                np.testing.assert_allclose(arrays["frequencies"], graph.obs.channel_frequencies(
                    channels, True), rtol=1e-12)
                self.assertEqual(len(stream["names"]), 3)
                ended = viewer.read_until(lambda header: "ended" in header.get("sentence", ""))
                self.assertIn("the data ended", ended[-1][0]["sentence"])

    def test_metrics_of_the_dumps(self):
        """What the page counts by itself, and that nobody controls a flowgraph through it."""
        dumps = known_dumps(3, 8, int(self.rng.integers(1 << 30)))
        graph = self.publish(dumps, count=4)
        page = self.page(graph.address)
        wait_until(graph.publisher.has_readers)
        graph.run()
        wait_until(lambda: page.taker.received == 4)
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=TIMEOUT)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        found = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
        self.assertEqual(found["fringe_page_dumps_received_total"], "4")
        self.assertEqual(found["fringe_dump_interval_seconds"], "0.25")
        x, weights = dumps(3)
        for k, name in enumerate(input_name(graph.obs, entry) for entry in graph.obs.inputs):
            column = product(k, k, 3)
            there = weights[:, column] > 0
            label = f'{{input="{name}"}}'
            np.testing.assert_allclose(
                [float(found["fringe_input_power" + label]),
                 float(found["fringe_input_weight_ratio" + label])],
                [x[there, column].real.mean(), weights[:, column].mean()], rtol=1e-5)
        connection.request("POST", "/control", '{"do": "stop"}', {"X-Fringe-Control": "1"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, b"knows no flowgraph" in answer.read()), (409, True))
        connection.close()

    def test_many_channels_become_means_of_neighbors(self):
        dumps = known_dumps(2, 600, int(self.rng.integers(1 << 30)))
        graph = self.publish(dumps, count=1)
        viewer = self.viewer(self.page(graph.address), (0, 1))
        wait_until(graph.publisher.has_readers)
        graph.run()
        _, arrays = viewer.read_until(lambda header: header["kind"] == "frame")[-1]
        cross = expected(dumps, 0, 0, 1)[0].reshape(200, 3)
        with np.errstate(invalid="ignore"):
            want = np.nansum(cross, axis=1) / np.sum(~np.isnan(cross), axis=1)
        np.testing.assert_allclose(arrays["cross_re"] + 1j * arrays["cross_im"], want, rtol=2e-5,
                                   atol=1e-6)

    def test_closure_phases_and_delays_are_those_of_the_displays(self):
        for channels, (i, j, k) in ((16, (0, 1, 2)), (7, (3, 1, 0)), (600, (2, 3, 1))):
            with self.subTest(channels=channels, inputs=(i, j, k)):
                dumps = known_dumps(4, channels, int(self.rng.integers(1 << 30)))
                graph = self.publish(dumps, count=3)
                viewer = self.viewer(self.page(graph.address), (i, j), k)
                wait_until(graph.publisher.has_readers)
                graph.run()
                got = viewer.read_until(
                    lambda header: header["kind"] == "frame" and header["dump"] == 2)
                header, arrays = got[-1]
                self.assertEqual((header["pair"], header["third"]), ([i, j], k))
                together = -(-channels // 256)
                want = []
                for number in range(3):
                    bispectrum = 1
                    for pair in ((i, j), (j, k), (k, i)):
                        cross, a, b = (means_of(part, together)
                                       for part in expected(dumps, number, *pair)[:3])
                        with np.errstate(invalid="ignore"):
                            bispectrum = bispectrum * cross / np.sqrt(a * b)
                    want.append(bispectrum)
                found = arrays["closure_re"] + 1j * arrays["closure_im"]
                np.testing.assert_allclose(found, want[2], rtol=1e-4, atol=1e-6)
                # Each dump is in a message once.
                means = np.concatenate([a["closure_mean_re"] + 1j * a["closure_mean_im"]
                                        for h, a in got if h["kind"] in ("history", "frame")])
                np.testing.assert_allclose(means, [np.nanmean(row) for row in want], rtol=1e-4,
                                           atol=1e-6)
                self.check_lags(header["delay"], arrays, dumps, graph.obs, i, j)
                viewer.choose(i, i, k)  # one input alone has neither
                header, arrays = viewer.read_until(
                    lambda header: header["kind"] == "frame" and header["pair"] == [i, i])[-1]
                self.assertIsNone(header["delay"])
                self.assertNotIn("closure_re", arrays)

    def check_lags(self, delay, arrays, dumps, obs, i, j):
        """A delay spectrum, against the sum that defines it."""
        channels = dumps.shape[0]
        f = np.array(obs.channel_frequencies(channels, True))
        cross, a, b = expected(dumps, 2, i, j)[:3]
        window = np.where(np.isnan(cross), 0, np.hanning(channels + 2)[1:-1])
        scale = np.nan_to_num(1 / np.sqrt(a * b))
        together = max(1, 4 * channels // 1024 + (4 * channels % 1024 > 0))
        step = (f[1] - f[0]) ** -1 / (4 * channels)
        self.assertAlmostEqual(delay["step"] / step / together, 1, 9)
        for name, factor in (("coefficient", scale), ("power", 1)):
            lags = arrays["lags_" + name]
            self.assertEqual(len(lags), -(-4 * channels // together))
            for n in self.rng.integers(0, len(lags), 5):
                many = -2 * channels + n * together + np.arange(min(
                    together, 4 * channels - n * together))
                turned = np.exp(-2j * np.pi * (f - f[0]) * many[:, None] * step)
                true = abs(np.nansum(window * cross * factor * turned, axis=1)) / window.sum()
                self.assertAlmostEqual(lags[n], true.max(), 5)
            at, height = delay["peaks"][name]
            self.assertGreaterEqual(height, lags.max() * (1 - 1e-6))
            self.assertLess(abs(delay["first"] + delay["step"] * lags.argmax() - at),
                            delay["step"] * 1.01)

    def test_an_image_is_that_of_the_sky_display(self):
        dumps = known_dumps(5, 8, int(self.rng.integers(1 << 30)))
        graph = self.publish(dumps, count=1)
        viewer = self.viewer(self.page(graph.address))
        wait_until(graph.publisher.has_readers)
        graph.run()
        header, arrays = viewer.read_until(lambda header: header["kind"] == "sky")[-1]
        size, pixels = header["size"], arrays["pixels"].reshape(header["size"], -1)
        axis = np.linspace(-1, 1, size)
        l, m = np.meshgrid(axis, axis)
        np.testing.assert_array_equal(pixels == 255, l * l + m * m >= 1)
        # The sum of the definition, at random pixels.
        obs, (x, weights) = graph.obs, dumps(0)
        f = np.asarray(obs.channel_frequencies(8, True))
        i, j = np.triu_indices(5)
        auto = np.flatnonzero(i == j)
        there = weights > 0
        scale = np.where(there[:, auto], x[:, auto].real, 0)
        scale = scale[:, i] * scale[:, j]
        used = there & (scale > 0) & (i != j)
        c = np.where(used, x / np.sqrt(np.where(scale > 0, scale, 1)), 0)
        b = np.array([antenna.enu for antenna in obs.antennas])
        b = b[i] - b[j]
        for _ in range(40):
            a = self.rng.random() * 0.95
            turn = self.rng.random() * 2 * np.pi
            column, row = (int(round((a * g(turn) + 1) / 2 * (size - 1))) for g in (np.cos, np.sin))
            at = axis[column], axis[row], np.sqrt(max(0, 1 - axis[column]**2 - axis[row]**2)) - 1
            phase = 2j * np.pi * f[:, None] / 299792458.0 * (b @ at)
            # The image is phased to the zenith, as heights are none of the phase of the dumps.
            zenith = np.exp(-2j * np.pi * f[:, None] / 299792458.0 * b[:, 2])
            want = np.sum((c * zenith * np.exp(-phase)).real) / used.sum()
            got = pixels[row, column] / 254 * header["high"]
            self.assertAlmostEqual(got, max(0, want), delta=0.01 * header["high"])

    def test_thirty_viewers_and_the_flowgraph_loses_nothing(self):
        dumps = known_dumps(4, 256, 7)
        count = 80
        obs = published(dumps).obs
        sink = fringe.visibility_sink(obs, self.path("all.ACC"), 256, True, 256)
        graph = self.publish(dumps, sink=sink, count=count, rate=40)
        page = self.page(graph.address, rate=30)
        wait_until(graph.publisher.has_readers)
        deaf = [self.viewer(page, (0, k % 4)) for k in range(12)]
        readers = [self.viewer(page, (k % 4, 1)) for k in range(18)]
        newest, largest = [], [0, 0]

        def read(viewer):
            got = viewer.read_until(lambda header: header.get("dump") == count - 1)
            newest.append(got[-1][0]["dump"])

        threads = [threading.Thread(target=read, args=(reader,)) for reader in readers]
        for client in threads:
            client.start()
        graph.start()
        while any(thread.is_alive() for thread in threads):
            for client in deaf:  # as much as a server may be asked for
                client.choose(0, 1)
            for client in list(page.server.viewers):
                largest = np.maximum(largest, [len(client._waiting), client.waiting_bytes()])
            threads[0].join(0.05)
        graph.wait()
        for client in threads:
            client.join()
        self.assertEqual(newest, [count - 1] * len(readers))
        kept = fringe.read_visibilities(self.path("all.ACC"), 4, 256).data
        self.assertEqual(len(kept), count)
        x, weights = dumps(count - 1)
        # Files have the channel of both edges of the band flagged.
        np.testing.assert_array_equal(kept[-1][1:], np.where(weights > 0, x, 0)[1:])
        # One message of each kind waits, at most: stream, history, frame, sky, state.
        self.assertLessEqual(largest[0], 5)
        self.assertLess(largest[1], 2 << 20)

    def test_what_waits_for_a_viewer_is_bounded(self):
        from gnuradio.fringe.web.viewers import viewer

        class never:
            def spawn(self, function):
                pass

        client = viewer.__new__(viewer)
        client.initialize(never(), (), 1)
        for k in range(1000):
            for kind in ("frame", "sky", "state"):
                client.offer(kind, bytes(100 + k))
        client.offer("history", bytes(1099))
        self.assertLessEqual(client.waiting_bytes(), 4 * 1099)
        self.assertEqual(client.lost, 999)
        client.offer("stream", b"new")
        self.assertEqual(client.waiting_bytes(), 3)  # nothing of the stream before comes after it

    def test_lost_dumps_are_counted_and_a_new_publisher_is_found(self):
        dumps = known_dumps(2, 4, 5)
        graph = self.publish(dumps, count=2)
        address = graph.address
        viewer = self.viewer(self.page(address), (0, 1))
        wait_until(graph.publisher.has_readers)
        graph.run()
        viewer.read_until(lambda header: "ended" in header.get("sentence", ""))
        other = zmq.Context.instance().socket(zmq.XPUB)
        self.addCleanup(other.close, 0)
        wait_until(lambda: not bind_fails(other, address), "the address")
        other.recv()  # the subscription
        header = graph.publisher._header
        for number in (0, 1, 5, 6):
            header["dump"], (x, weights) = number, dumps(number)
            header["seconds"] += 1
            other.send_multipart([json.dumps(header).encode(), x.tobytes(), weights.tobytes()])
        frame = viewer.read_until(lambda header: header.get("dump") == 6)[-1][0]
        self.assertEqual(frame["lost"], 3)
        other.send_multipart([b"something else"])
        messages = viewer.read_until(lambda header: "something else" in header.get("sentence", ""))
        self.assertIn("dumps of a dump_publisher", messages[-1][0]["sentence"])

    def test_other_methods_names_and_pages_are_refused(self):
        page = self.page("tcp://127.0.0.1:9")

        def ask(method, path="/", body=None, **headers):
            connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=TIMEOUT)
            self.addCleanup(connection.close)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers

        status, text, headers = ask("GET")
        self.assertEqual(status, 200)
        self.assertIn("<title>Fringes</title>", text)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
            self.assertEqual(ask(method)[0], 405, method)
        self.assertEqual(ask("POST", body="x" * 100)[0], 405)
        for path in ("/nothing", "/../server.py", "/%2e%2e/server.py", "/page/../../x", "//x"):
            self.assertEqual(ask("GET", path)[0], 404, path)
        self.assertEqual(ask("GET", "/live")[0], 400)
        for host, status in (("evil.example", 403), ("localhost", 200), ("192.168.1.9:80", 200),
                             ("[::1]:8080", 200), (socket.gethostname(), 200)):
            self.assertEqual(ask("GET", Host=host)[0], status, host)
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade",
                   "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
        self.assertEqual(ask("GET", "/live", Origin="http://evil.example", **upgrade)[0], 403)
        self.assertEqual(ask("GET", "/live", Host="evil.example",
                             Origin="http://evil.example", **upgrade)[0], 403)

    def test_what_a_viewer_must_not_send_ends_its_connection(self):
        page = self.page("tcp://127.0.0.1:9")
        for text, code in (("hello", 1003), ('{"pair": [0]}', 1003), ('{"pair": [-1, 0]}', 1003),
                           ('{"pair": [0, 1], "third": "x"}', 1003), ("[0, 1]", 1003),
                           ('{"pair": [0.5, true]}', 1003), ("[" * 150, 1003), ("x" * 300, None)):
            with self.subTest(text=text[:20]):
                viewer = self.viewer(page)
                viewer.send(text)
                try:
                    got = viewer.read()
                    while not isinstance(got, int):
                        got = viewer.read()
                except (ConnectionError, ValueError):
                    got = None
                if code:
                    self.assertEqual(got, code)
        far = self.viewer(page, (0, 60000))  # an input that there is not
        far.read_until(lambda header: header["kind"] == "state")

    def test_the_number_of_viewers_is_bounded(self):
        page = self.page("tcp://127.0.0.1:9", viewers=3)
        few = [self.viewer(page) for _ in range(3)]
        for client in few:
            self.assertIn("101", client.status)
            client.read()
        self.assertIn("503", self.viewer(page).status)
        few[0].close()
        wait_until(lambda: len(page.server.viewers) < 3)
        self.assertIn("101", self.viewer(page).status)

    def test_connections_that_say_nothing_are_bounded(self):
        page = self.page("tcp://127.0.0.1:9", connections=5)
        mute = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(8)]
        for client in mute:
            self.addCleanup(client.close)
            client.settimeout(TIMEOUT)
        # Those above the limit are closed.
        for client in mute[5:]:
            self.assertEqual(client.recv(1), b"")
        mute[0].sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(mute[0].recv(20).startswith(b"HTTP/1.1 200"))

    def test_no_file_of_the_page_names_another_place(self):
        folder = os.path.join(HERE, "page")
        names = os.listdir(folder)
        self.assertIn("index.html", names)
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            found = set(re.findall(r"(?:https?:|wss?:)?//[A-Za-z$][^\s\"'`<>]*", text))
            self.assertLessEqual({address for address in found if not address.startswith("// ")
                                  and re.match(r"(?:https?|wss?)://", address)},
                                 {"http://www.w3.org/2000/svg", "ws://${location.host}/live"}, name)
            self.assertNotRegex(text, r"innerHTML|document\.write|eval\(")


def bind_fails(connection, address):
    """Binds; true when the address is not free yet."""
    try:
        connection.bind(address)
    except zmq.ZMQError:
        return True
    return False


@unittest.skipIf(tornado is None, "python3-tornado or python3-zmq is not installed")
class qa_web_command(scratch_case):

    def refused(self, code, *options):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed):
            self.assertEqual(main(["web", *options]), code)
        # Python's own warnings of test runs go there, too.
        lines = [line for line in printed.getvalue().splitlines()
                 if line.startswith("fringe web: ")]
        self.assertEqual(len(lines), 1, printed.getvalue())
        return lines[0]

    def test_mistakes_are_reported(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            text = self.refused(1, "--listen", f"127.0.0.1:{port}")
        self.assertIn(f"port {port} is in use: another program", text)
        self.assertIn(f"--listen 127.0.0.1:{port + 1}", text)
        for words, sentence in ((["nowhere"], "nowhere: Invalid argument; give one like tcp://"),
                                (["--listen", "x:y"], "must be HOST:PORT"),
                                (["--listen", "127.0.0.1:99999"], "must be HOST:PORT"),
                                (["--listen", "192.0.2.1:0"], "not an address of this computer"),
                                (["--rate", "0"], "must be 0.1 to 30"),
                                (["--obs", "none.yml"], "none.yml"),
                                (["--sources", "Nibiru"], "Nibiru")):
            with self.subTest(words=words):
                self.assertIn(sentence, self.refused(2, *words))

    def test_the_package_is_named_where_it_is_missing(self):
        script = ("import sys; sys.modules['tornado'] = None\n"
                  "from gnuradio.fringe.cli import main; sys.exit(main(['web']))")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install python3-tornado", done.stderr)

    def test_it_says_where_the_page_is_and_ends_with_the_exit_codes_of_signals(self):
        for number, code, host, words in (
                (signal.SIGINT, 130, "127.0.0.1", "this computer only"),
                (signal.SIGTERM, 143, "0.0.0.0", "network"),
                (signal.SIGHUP, 129, "127.0.0.1", "this computer only")):
            with self.subTest(number=number), subprocess.Popen(
                    [*COMMAND, "tcp://127.0.0.1:9", "--listen", f"{host}:0"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                try:
                    self.assertIn("tcp://127.0.0.1:9", run.stdout.readline())
                    self.assertIn(words, run.stdout.readline())
                    run.send_signal(number)
                    text = run.communicate(timeout=TIMEOUT)[1]
                finally:
                    run.kill()
                self.assertEqual(run.returncode, code, text)
                self.assertEqual(text, "fringe web: interrupted\n")

    def test_it_may_end_with_its_input(self):
        with subprocess.Popen([*COMMAND, "tcp://127.0.0.1:9", "--listen", "127.0.0.1:0",
                               "--end-with-input"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as run:
            try:
                run.stdout.readline()
                run.communicate(timeout=TIMEOUT)
            finally:
                run.kill()
        self.assertEqual(run.returncode, 0)

    def test_the_block_has_a_page_that_ends_with_the_program(self):
        script = """
import sys, time
from gnuradio import fringe
sys.path.insert(0, sys.argv[1])
from qa_published import dump_source, known_dumps, array
from gnuradio import gr
source = dump_source(known_dumps(2, 8, 1), rate=20)
page = fringe.web_page(array(2, 8), 8, "127.0.0.1:0", channels_per_item=8)
top = gr.top_block()
for port in range(2):
    top.connect((source, port), (page, port))
top.start()
sys.stdin.readline()
print("pid", page.process.pid, flush=True)
if sys.argv[2] == "ends":
    source.ended.set()
    top.wait()
else:
    time.sleep(1000)
"""
        for how in ("ends", "is killed"):
            with self.subTest(how=how), subprocess.Popen(
                    [sys.executable, "-c", script, HERE, how], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True) as run:
                try:
                    lines = [run.stdout.readline() for _ in range(2)]
                    port = int(re.search(r"http://127.0.0.1:(\d+)/", lines[1])[1])
                    viewer = web_viewer(port, (0, 1))
                    self.addCleanup(viewer.close)
                    viewer.read_until(lambda header: header["kind"] == "frame")
                    run.stdin.write("\n")
                    run.stdin.flush()
                    child = int(run.stdout.readline().split()[1])
                    if how == "is killed":
                        run.kill()
                    run.wait(TIMEOUT)
                    wait_until(lambda: not os.path.exists(f"/proc/{child}")
                               or open(f"/proc/{child}/stat").read().split()[2] == "Z",
                               "the end of the program of the page")
                finally:
                    run.kill()

    def test_correlate_shows_what_it_makes(self):
        obs = fringe.observation.example(2)
        obs.sample_rate, obs.center_frequency, obs.channels, obs.format = 1e5, 1e8, 16, "ci8"
        obs.integration = 0.05
        self.rng.integers(-9, 9, (100000, 2, 2), np.int8).tofile(self.path("x.ci8"))
        with open(self.path("x.yml"), "w", encoding="utf-8") as file:
            file.write(obs.to_text())
        made = []
        for words in ([], ["--web", "127.0.0.1:0"]):
            done = subprocess.run(
                [*COMMAND[:-1], "correlate", self.path("x.ci8"), "--obs", self.path("x.yml"),
                 "-o", self.path(f"{len(made)}.ACC"), *words], capture_output=True, text=True,
                timeout=TIMEOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            made.append(fringe.read_visibilities(self.path(f"{len(made)}.ACC"), 2, 16).data)
        np.testing.assert_array_equal(*made)
        self.assertIn("--web: x:y: must be HOST:PORT", subprocess.run(
            [*COMMAND[:-1], "correlate", self.path("x.ci8"), "--obs", self.path("x.yml"), "-o",
             self.path("2.ACC"), "--web", "x:y"], capture_output=True, text=True,
            timeout=TIMEOUT, check=False).stderr)

    def test_addresses(self):
        from gnuradio.fringe.web.addresses import lines_for_user, listening_address
        for text, want in (("8081", ("127.0.0.1", 8081)), ("0.0.0.0:80", ("0.0.0.0", 80)),
                           ("*:8080", ("0.0.0.0", 8080)), (":8080", ("0.0.0.0", 8080)),
                           ("[::1]:81", ("::1", 81)), ("[::]", ("::", 8080)),
                           ("192.168.1.2", ("192.168.1.2", 8080))):
            self.assertEqual(listening_address(text), want)
        self.assertIn("http://[::1]:81/", lines_for_user("::1", 81)[0])
        self.assertIn("everyone in its network", lines_for_user("192.168.1.2", 81)[0])


if __name__ == "__main__":
    unittest.main()
