#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a correlation takes: memory that does not grow with the file, and any number of threads."""
import gc
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from gnuradio import fringe
from gnuradio.fringe.runs.plan import make_plan
from gnuradio.fringe.runs.work import work
from qa_scratch import TIMEOUT

FRINGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../apps/fringe")


def correlate(recording, output, *options):
    """`fringe correlate` of four inputs; returns the most memory it held, in bytes."""
    words = [sys.executable, FRINGE, "correlate", recording, "-o", output, "--format", "ci8",
             "--inputs", 4, "--sample-rate", 1e6, "--center-frequency", 1e8, "--channels", 256,
             "--spectra", 4096, "--quiet", *options]
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        output = process.stdout.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, output
    return used.ru_maxrss * 1024


def shared_segments():
    """Lines of SysV shared memory, in which GNU Radio has its buffers, among this process's."""
    gc.collect()
    with open("/proc/self/maps", encoding="utf-8") as file:
        return sum("/SYSV" in line for line in file)


class qa_resources(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_memory_is_bounded_by_the_blocks_not_by_the_file(self):
        sizes = (1 << 25, 1 << 29)
        held = []
        for size in sizes:
            with open(self.path("zeros.ci8"), "wb") as file:
                file.truncate(size)  # takes no space on the disk
            held.append(correlate(self.path("zeros.ci8"), self.path(f"{size}.ACC")))
        self.assertGreater(os.path.getsize(self.path(f"{sizes[1]}.ACC")),
                           os.path.getsize(self.path(f"{sizes[0]}.ACC")))
        self.assertLess(held[1] - held[0], (sizes[1] - sizes[0]) / 8)

    def test_buffers_are_free_after_a_run(self):
        """Each is a segment of shared memory, of which the system has 4096."""
        np.random.default_rng(1).integers(-50, 50, 1 << 17).astype(np.int8).tofile(
            self.path("noise.ci8"))
        words = {"format": "ci8", "inputs": 2, "sample_rate": 1e6, "center_frequency": 1e8,
                 "channels": 64, "spectra": 128}
        raw, before = self.path("noise.ci8"), shared_segments()
        for backend, flag in (("cpu", "none"), ("generic", "spectra")):
            fringe.correlate(raw, self.path("x.ACC"), backend=backend, flag=flag, overwrite=True,
                             **words)
            self.assertEqual(shared_segments(), before)
        plan = self.path("plan.json")
        make_plan([raw], parts=2, **words).write(plan)
        work(plan, 0)
        self.assertEqual(shared_segments(), before)

    def test_threads_do_not_change_the_result(self):
        noise = np.random.default_rng(1).integers(-100, 100, 1 << 23).astype(np.int8)
        noise.tofile(self.path("noise.ci8"))
        for bits in ("none", "8"):
            outputs = []
            for threads in (1, 2, 5, 5):
                output = self.path(f"{bits}.{threads}.ACC")
                correlate(self.path("noise.ci8"), output, "--threads", threads,
                          "--requantize", bits, "--overwrite")
                outputs.append(np.fromfile(output, np.float32))
            first = outputs[0]
            self.assertGreater(len(first), 0)
            for other in outputs[1:]:
                np.testing.assert_array_equal(other, first)

    def test_little_memory_is_a_sentence(self):
        """Whatever does not fit any more: a thread, a library, a block. It ends, and says why."""
        with open(self.path("zeros.ci8"), "wb") as file:
            file.truncate(1 << 24)
        ends = set()
        for megabytes in (250, 400, 550, 700, 800, 900, 1000, 1100, 1200, 1400, 2000):
            with self.subTest(megabytes):
                limit = megabytes << 20
                done = subprocess.run(
                    [sys.executable, FRINGE, "correlate", "zeros.ci8", "-o", "x.ACC",
                     "--format", "ci8", "--inputs", "4", "--sample-rate", "1e6", "--channels",
                     "256", "--spectra", "4096", "--quiet", "--overwrite"],
                    cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT,
                    preexec_fn=lambda: (
                        resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
                        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))), check=False)
                ends.add(done.returncode)
                # The C library ends a process whose thread finds no memory for its own variables.
                by_libc = "thread-local data: ABORT" in done.stderr
                self.assertIn(done.returncode, (0, 127 if by_libc else 1), done.stderr)
                if done.returncode:
                    if not by_libc:
                        self.assertRegex(done.stderr, r"(?m)^fringe[^\n]*: [^\n]+$")
                    self.assertNotIn("Traceback", done.stderr)
                    self.assertFalse(os.path.exists(self.path("x.ACC")))
                else:
                    os.remove(self.path("x.ACC"))
        self.assertIn(1, ends)

    def test_what_does_not_fit_is_said_before_it_is_made(self):
        """A system gives memory that it has not, and ends the process that uses it."""
        inputs, channels = 30000, 4096
        baselines = inputs * (inputs + 1) // 2  # 450015000
        calls = {
            # complex double: 16 bytes x 450015000 x 4096 = 29492 GB
            f"integrator: out of memory: sums of {baselines} baselines in 4096 channels take "
            "2.95e+04 GB": lambda: fringe.integrator(inputs, channels, backend="cpu"),
            f"xengine: out of memory: sums of {baselines} baselines in 4096 channels take "
            "1.47e+04 GB": lambda: fringe.xengine(inputs, channels, 16, backend="cpu"),
            f"fx_engine: out of memory: sums of {baselines} baselines in 4096 channels take "
            "2.95e+04 GB": lambda: fringe.fx_engine("ci8", inputs, channels, 1),
            # voltages and spectra, 16 bytes x 2 x 2^20 x 2^16 = 2200 GB
            "fx_engine: out of memory: blocks of 65536 spectra of 2 inputs in 1048576 channels "
            "take 2.2e+03 GB": lambda: fringe.fx_engine("i8", 2, 1 << 20, 1 << 16)}
        for sentence, make in calls.items():
            with self.subTest(sentence), self.assertRaises(RuntimeError) as caught:
                make()
            self.assertRegex(str(caught.exception),
                             re.escape(sentence) + r", and \S+ [MG]B are free")

    def limited(self, megabytes, text):
        """Standard error of a Python program that has so much address space."""
        limit = megabytes << 20
        return subprocess.run(
            [sys.executable, "-c", text], cwd=self.folder, capture_output=True, text=True,
            timeout=TIMEOUT, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))).stderr

    def test_dumps_and_packets_that_do_not_fit(self):
        path = self.path("x.ACC")
        with open(path, "wb") as file:  # 128 inputs, 512 channels: 33.8 MB a dump
            file.truncate(60 * 512 * 128 * 129 // 2 * 8)
        output = self.limited(4000, f"""
from gnuradio import fringe
fringe.read_visibilities({path!r}, 128, 512)""")
        # 60 dumps x 512 x 8256 x 13 bytes (visibility, weight, flag)
        self.assertIn("x.ACC: out of memory: 60 dumps take 3.3 GB, and ", output)
        output = self.limited(4000, """
from gnuradio import fringe
fringe.udp_source(['127.0.0.1:0'], 1, 4096, 'vdif', {'sample_rate': '1e9', 'bits': '8'},
                  buffer_seconds=20.0)""")
        self.assertRegex(output, "udp_source: out of memory: the packets of buffer_seconds and "
                         r"window_seconds take 2\d\.\d GB, and ")

    def test_number_of_threads(self):
        self.addCleanup(fringe.set_threads, 0)
        fringe.set_threads(3)
        self.assertEqual(fringe.threads(), 3)
        fringe.set_threads(0)
        self.assertEqual(fringe.threads(), len(os.sched_getaffinity(0)))
        for wrong in (-1, 1025):
            with self.assertRaisesRegex(ValueError, f"threads: {wrong}: must be"):
                fringe.set_threads(wrong)


if __name__ == "__main__":
    unittest.main()
