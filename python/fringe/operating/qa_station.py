#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A live run with its web page: metrics, alerts, the table, and commands of an operator."""
import contextlib
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.web.addresses import own_addresses
from qa_cli import FRINGE
from qa_live_packets import GPS, own_address
from qa_packets import mwa
from qa_scratch import TIMEOUT, scratch_case

try:
    import tornado
    import zmq
except ImportError:
    tornado = None

UNIT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../examples/network",
                    "fringe-station.service")
SLOTS = 64  # packets of noise, sent again and again
LOST = 10   # every tenth packet of input 1 is never sent


class sender(threading.Thread):
    """Packets, not quite as fast as the telescope sends them, until close()."""

    def __init__(self, where, inputs=2):
        super().__init__(daemon=True)
        rng = np.random.default_rng(1)
        self._samples = rng.integers(-20, 20, (inputs, SLOTS, 2048, 2)).astype(np.int8)
        self._where, self.ended = where, threading.Event()
        self.start()

    def run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            n = 0
            while not self.ended.is_set():
                for k, of_input in enumerate(self._samples):
                    if k != 1 or n % LOST:
                        out.sendto(mwa(k, GPS + n // 625, n % 625, of_input[n % SLOTS]),
                                   self._where)
                n += 1
                if n % 8 == 0:
                    time.sleep(0.012)

    def close(self):
        self.ended.set()
        self.join(TIMEOUT)


def free_port():
    """A port of TCP that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, what):
    end = time.monotonic() + TIMEOUT
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)


def asked(port, method, path, body=None, headers=None):
    """(status, headers, text) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()
    finally:
        connection.close()


def parsed(text):
    """{(name, labels): value} of plain lines; qa_metrics has Prometheus' own parser."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
            found[name, labels or ""] = float(value)
    return found


@unittest.skipIf(tornado is None, "python3-tornado or python3-zmq is not installed")
class qa_station(scratch_case):

    def setUp(self):
        super().setUp()
        self.where, self.port = (own_address(), 7148), free_port()

    def begin(self, *words, inputs=2):
        """The command with its page, while packets are sent, until the test ends."""
        packets = sender(self.where, inputs)
        self.addCleanup(packets.close)
        run = subprocess.Popen([sys.executable, FRINGE, *words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=self.folder)

        def end():
            run.kill()
            run.communicate()
        self.addCleanup(end)
        return run

    def metrics(self):
        """Of the page, {} before it is there."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, headers, text = asked(self.port, "GET", "/metrics")
            self.assertEqual((status, headers["Content-Type"]),
                             (200, "text/plain; version=0.0.4; charset=utf-8"))
            return parsed(text)
        return {}

    def wait_for(self, name, least, labels=""):
        """Metrics once the sum of one with such labels has reached a value."""
        def reached():
            found = self.metrics()
            values = [value for (its, of), value in found.items() if its == name and labels in of]
            return found if values and sum(values) >= least else None
        return wait_until(reached, f"{name}{labels} {least}")

    def control(self, what, *more):
        return subprocess.run([sys.executable, FRINGE, "control", what, "--at",
                               f"127.0.0.1:{self.port}", *more], capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)

    def test_metrics_alerts_and_commands(self):
        run = self.begin(
            "correlate", "--live", f"udp://{self.where[0]}:{self.where[1]}?preset=mwa"
            "&inputs=2&gps_leap_seconds=18&window=1&buffer=5", "--center-frequency", "150e6",
            "--channels", "32", "--integration", "0.05", "-o", self.path("x.uvh5"), "--quiet",
            "--web", f"127.0.0.1:{self.port}", "--alerts", "lost=2", "--flag", "dumps",
            "--verbose")
        self.wait_for("fringe_dumps_written_total", 3)
        self.wait_for("fringe_input_power", 0)  # the page's dumps come later on a busy machine
        found = self.wait_for("fringe_files", 1)
        source = next(labels for name, labels in found if name == "fringe_samples_total")
        good = found["fringe_packets_total", source + ',cause="good"']
        self.assertGreater(good, 100)
        # Every LOSTth packet of input 1 is missing, but for those that are not due yet.
        faults = [found.get(("fringe_sample_faults_total",
                             f'{source},cause="missing",input="{k}"')) for k in range(2)]
        missing = found["fringe_packets_total", source + ',cause="missing"']
        self.assertGreater(missing, 10)
        self.assertGreater(faults[1], 0.05 * found["fringe_samples_total", source])
        self.assertLess(faults[0], faults[1])
        self.assertLess(missing, 0.2 * (good + missing))
        names = {name for name, _ in found}
        for name in ("fringe_build_info", "fringe_stream_restarts_total", "fringe_dumps_total",
                     "fringe_spectra_missing_total", "fringe_visibilities_searched_total",
                     "fringe_dump_age_seconds", "fringe_dump_timestamp_seconds", "fringe_writing",
                     "fringe_disk_free_bytes", "fringe_buffer_items_total",
                     "fringe_socket_waiting_bytes", "fringe_thread_cpu_seconds_total",
                     "process_resident_memory_bytes", "process_start_time_seconds",
                     "fringe_input_power", "fringe_page_viewers"):
            self.assertIn(name, names)
        fills = {labels: value for (name, labels), value in found.items()
                 if name == "fringe_buffer_fill_ratio"}
        for end in ('from="network",to="fringe_udp_source', 'to="files"', 'to="fringe_fx_engine'):
            self.assertTrue(any(end in labels for labels in fills), (end, fills))
        self.assertTrue(all(0 <= value <= 1 for value in fills.values()), fills)
        disk = os.statvfs(self.folder)
        self.assertIn(disk.f_blocks * disk.f_frsize,
                      [value for (name, _), value in found.items()
                       if name == "fringe_disk_size_bytes"])
        started = next(value for (name, _), value in found.items()
                       if name == "process_start_time_seconds")
        self.assertLess(abs(started - time.time()), TIMEOUT)
        self.wait_for("fringe_alert", 1, 'alert="lost"')

        self.assertEqual(self.control("new-file").stdout, "the next dump begins a new file\n")
        self.wait_for("fringe_files", 2)
        self.assertEqual(self.control("stop").returncode, 0)
        self.wait_for("fringe_alert", 1, 'alert="stopped"')
        wait_until(lambda: os.path.exists(self.path("x_2.uvh5")), "the file to be whole")
        written = self.wait_for("fringe_writing", 0)
        later = self.wait_for("fringe_packets_total", 200 + sum(
            value for (name, _), value in written.items() if name == "fringe_packets_total"))
        dumps = [sum(value for (name, _), value in some.items()
                     if name == "fringe_dumps_written_total") for some in (written, later)]
        self.assertEqual(*dumps)
        self.assertEqual(self.control("start").returncode, 0)
        wait_until(lambda: os.path.exists(self.path("x_3.partial.uvh5")), "the third file")
        shown = self.control("status")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for words in ("packets +fringe_udp_source0 good +[0-9]+", "age of the newest dump",
                      "fill of buffers +network -> fringe_udp_source0 +[0-9.]+ %"):
            self.assertRegex(shown.stdout, words)
        self.wait_for("fringe_dumps_written_total", dumps[0] + 1)
        self.assertEqual(self.control("end").returncode, 0)
        out, err = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, err)
        self.assertIn(f"wrote {self.path('x.uvh5')}, {self.path('x_2.uvh5')}", err)
        self.assertRegex(out, r"fill of buffers +network -> .* % \(mean .* %, highest .* %\)")
        times = [fringe.read_visibilities(self.path(f"x{n}.uvh5")).times for n in ("", "_2", "_3")]
        self.assertTrue(np.all(np.diff(np.concatenate(times)) > np.timedelta64(0, "s")))
        self.assertEqual(int(re.search(r"dumps written +\S+ +(\d+)", out)[1]),
                         sum(map(len, times)))
        self.assertEqual(self.control("status").returncode, 1)

    def unit_command(self):
        """The words of ExecStart in the example for systemd, with the addresses of this test."""
        with open(UNIT, encoding="utf-8") as file:
            text = file.read().replace("\\\n", " ")
        words = shlex.split(re.search("(?m)^ExecStart=(.*)$", text)[1])
        self.assertEqual(words[:2], ["/usr/local/bin/fringe", "correlate"])
        station = fringe.observation.example(4)
        station.sample_rate, station.center_frequency = 1.28e6, 150e6
        with open(self.path("station.yml"), "w", encoding="utf-8") as file:
            file.write(station.to_text())
        for old, new in (("udp://:7148?", f"udp://{self.where[0]}:{self.where[1]}?window=1&"),
                         ("/etc/fringe/", ""), ("127.0.0.1:8080", f"0.0.0.0:{self.port}")):
            self.assertEqual(sum(old in word for word in words), 1)
            words = [word.replace(old, new) for word in words]
        words[words.index("--integration") + 1] = "0.05"
        return words[1:]

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_the_unit_is_one(self):
        with open(UNIT, encoding="utf-8") as file:
            text = file.read()
        path = self.path("fringe-station.service")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/local/bin/fringe", sys.executable))
        done = subprocess.run(["systemd-analyze", "--man=no", "verify", path], check=False,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_command_of_the_unit_and_who_may_control_it(self):
        self.begin(*self.unit_command(), inputs=4)
        self.wait_for("fringe_dumps_written_total", 1)
        good, headers = json.dumps({"do": "new-file"}), {"X-Fringe-Control": "1"}
        for status, words, arguments in (
                (403, "no page controls", ("POST", "/control", good)),
                (403, "no page controls", ("POST", "/control", good,
                                           {**headers, "Origin": f"http://127.0.0.1:{self.port}"})),
                (403, "forwarded", ("POST", "/control", good,
                                    {**headers, "X-Forwarded-For": "127.0.0.1"})),
                (403, "is not called so", ("POST", "/control", good, {**headers, "Host": "x.org"})),
                (403, "is not called so", ("GET", "/metrics", None, {"Host": "x.org"})),
                (405, "405", ("GET", "/control", None, headers)),
                (405, "405", ("OPTIONS", "/control", None, headers)),
                (405, "405", ("POST", "/metrics", good, headers)),
                (400, "the body must be", ("POST", "/control", "{", headers)),
                (400, "the body must be", ("POST", "/control", "[1]", headers)),
                (409, "dance: must be one of status", ("POST", "/control", '{"do": "dance"}',
                                                       headers))):
            with self.subTest(arguments=arguments):
                answer = asked(self.port, *arguments)
                self.assertEqual(answer[0], status, answer[2])
                self.assertIn(words, answer[2])
        for address in own_addresses()[:1]:
            connection = http.client.HTTPConnection(address, self.port, timeout=TIMEOUT)
            connection.request("POST", "/control", good, headers)
            self.assertEqual(connection.getresponse().status, 403)
            connection.close()
            self.assertEqual(self.control("stop", "--at", f"{address}:{self.port}").returncode, 2)
        self.assertEqual(asked(self.port, "POST", "/control", good, headers)[0], 200)

        def dated():
            return sorted(name for name in os.listdir(self.folder)
                          if re.fullmatch(r"station_\d{8}_\d{6}(\.partial)?\.uvh5", name))
        wait_until(lambda: len(dated()) == 2, "the second file")
        self.assertNotIn("partial", dated()[0])
        self.assertIn("partial", dated()[1])


if __name__ == "__main__":
    unittest.main()
