#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The hybrid correlator of examples/network/hybrid.py: it agrees with a direct correlation, and
goes on while an F-engine is away."""
import contextlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import time
import unittest

import numpy as np
from gnuradio import fringe
from qa_live import wait_until
from qa_scratch import TIMEOUT, scratch_case

try:
    import h5py
except ImportError:
    h5py = None

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", ".."))
EXAMPLE = os.path.join(ROOT, "examples", "network", "hybrid.py")
os.environ["FRINGE"] = f"{sys.executable} {os.path.join(ROOT, 'apps', 'fringe')}"


def module():
    spec = importlib.util.spec_from_file_location("hybrid", EXAMPLE)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


hybrid = module()


class qa_namespaces(unittest.TestCase):

    def test_large_packets_pass_the_bridge(self):
        with contextlib.ExitStack() as stack:
            where = hybrid.hosts(stack)
            if not where.separate:
                self.skipTest("namespaces: need root, and ip")
            host = where.address["x1"].rpartition(":")[0]
            listener = subprocess.Popen(
                [*where.enter["x1"], sys.executable, "-c", "import socket\n"
                 "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                 f"s.bind(('{host}', 7148))\ns.settimeout({TIMEOUT})\nprint('ready', flush=True)\n"
                 "print(len(s.recv(65536)))"], stdout=subprocess.PIPE, text=True)
            stack.enter_context(listener)
            stack.callback(listener.kill)
            self.assertEqual(listener.stdout.readline(), "ready\n")
            subprocess.run(
                [*where.enter["f0"], sys.executable, "-c", "import socket, time\n"
                 "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                 # IP_MTU_DISCOVER, IP_PMTUDISC_DO: packets are not cut apart.
                 "s.setsockopt(socket.IPPROTO_IP, 10, 2)\n"
                 "for k in range(20):\n"
                 f"  s.sendto(bytes(8264), ('{host}', 7148)); time.sleep(0.05)"],
                check=True, timeout=TIMEOUT)
            self.assertEqual(listener.communicate(timeout=TIMEOUT)[0], "8264\n")
        after = os.listdir("/run/netns")
        self.assertFalse([name for name in after if name.startswith(f"hybrid{os.getpid()}")])


@unittest.skipUnless(h5py, "h5py is not installed")
class qa_hybrid(scratch_case):

    def test_it_agrees_with_a_direct_correlation(self):
        done = subprocess.run([sys.executable, EXAMPLE, self.folder, "--loopback"], text=True,
                              capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "agrees with the direct correlation.* 100 % of the sums")
        vis = fringe.read_visibilities(self.path("joined.uvh5"))
        self.assertEqual(vis.data.shape[1:], (64, 10))

    def test_an_f_engine_is_killed_and_comes_back(self):
        """Only its inputs have no weight meanwhile. Nothing else is started again."""
        with open(self.path("f0.ci8"), "wb") as file:
            file.write(self.rng.bytes(4 * hybrid.RATE * TIMEOUT))
        os.link(self.path("f0.ci8"), self.path("f1.ci8"))
        hybrid.write_observations(self.folder)
        with contextlib.ExitStack() as stack:
            where = hybrid.hosts(stack)
            run = stack.enter_context(hybrid.processes(self.folder, where, seconds=None))
            run.start_x()
            run.start = time.time()
            others = dict(run.running)
            for number in range(2):
                run.start_f(number)
            for name in ("f0", "f1"):
                wait_until(lambda: "behind the start" in run.log(name))
            others["f0"] = run.running["f0"]
            time.sleep(2)
            run.running["f1"].kill()
            run.running["f1"].wait(TIMEOUT)
            time.sleep(2)  # four dumps without it
            run.start_f(1)
            wait_until(lambda: "behind the start" in run.log("f1"))
            time.sleep(2)
            self.assertEqual([p.poll() for p in others.values()], [None] * 3)
            run.stop_x()
        for number in range(2):
            vis = fringe.read_visibilities(self.path(f"x{number}.uvh5"))
            i, j = vis.products
            weights = vis.weights.mean(axis=1)  # [dump][product]
            there = weights.min(axis=1) > 0.5
            with self.subTest(x=number, weights=weights[:, [0, -1]]):
                # From the first dump that is there to the last: F-engines do not begin and end in
                # the same dump.
                first, last = np.flatnonzero(there)[[0, -1]]
                weights = weights[first:last]
                of_f1 = (i > 1) | (j > 1)
                away = (weights[:, of_f1] == 0).all(axis=1)
                self.assertGreaterEqual(away.sum(), 3)
                # Dumps in which only some of its time is missing: where it goes and comes.
                self.assertTrue((weights[~away] > 0).all())
                self.assertTrue((weights[:, ~of_f1] > 0).all())
                self.assertGreater(np.median(weights[away][:, ~of_f1]), 0.5)

    @unittest.skipUnless(shutil.which("grcc"), "grcc is not installed")
    def test_the_flowgraphs_of_gnu_radio_companion(self):
        """hybrid_f.grc and hybrid_x.grc, twice each, agree with a direct correlation, too."""
        programs = {"f": self.compiled("hybrid_f"), "x": self.compiled("hybrid_x")}
        hybrid.prepare(self.folder, 60)  # The F-engines may start late.
        ports = hybrid.free_ports(2)

        def start(name, *words):
            with open(self.path(f"{name}{words[1]}.log"), "w", encoding="utf-8") as log:
                process = subprocess.Popen(
                    [sys.executable, programs[name], "--folder", self.folder, *map(str, words)],
                    stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            return process

        receivers = [start("x", "--band", k, "--address", f"127.0.0.1:{ports[k]}", "--seconds", 2)
                     for k in range(2)]
        for k in range(2):
            wait_until(lambda: "receives packets" in self.printed(f"x{k}"))
        begin = int(time.time())
        for k in range(2):
            start("f", "--antenna", k, "--begin", begin, *(
                word for band in range(2) for word in (f"--x{band}", f"127.0.0.1:{ports[band]}")))
        for k, process in enumerate(receivers):
            self.assertEqual(process.wait(TIMEOUT), 0, self.printed(f"x{k}"))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            hybrid.join(self.folder)
            self.assertTrue(hybrid.compare(self.folder), printed.getvalue())

    def compiled(self, name):
        """The Python program that grcc makes of an example."""
        example = os.path.join(os.path.dirname(EXAMPLE), name + ".grc")
        subprocess.run(["grcc", "-o", self.folder, example],
                       check=True, capture_output=True, timeout=TIMEOUT,
                       env={**os.environ, "GRC_BLOCKS_PATH": os.path.join(ROOT, "grc")})
        return self.path(name + ".py")

    def printed(self, name):
        with open(self.path(f"{name}.log"), encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    unittest.main()
