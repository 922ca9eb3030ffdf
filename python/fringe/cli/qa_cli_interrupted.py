#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Runs of `fringe correlate` that end early: damaged data, Ctrl-C, a kill.

What is left has a name that says it is not whole, and opens up to the last whole dump.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
import yaml
from qa_cli import FRINGE, command, in_a_folder
from qa_scratch import TIMEOUT

try:
    from casacore import tables
except ImportError:
    tables = None

INPUTS, CHANNELS = 8, 256
PRODUCTS = INPUTS * (INPUTS + 1) // 2
DUMP_BYTES = PRODUCTS * CHANNELS * 8
RAW = ["--inputs", str(INPUTS), "--sample-rate", "1e6", "--channels", str(CHANNELS), "--taps",
       "1", "--window", "rectangular", "--spectra", "50", "--keep-edge"]
DUMP_SAMPLES = 50 * CHANNELS


class early_ends(in_a_folder):

    def recording(self, dumps, dtype=np.int8):
        x = np.random.default_rng(1).standard_normal((dumps * DUMP_SAMPLES, INPUTS * 2))
        self.voltages = (x * (1 if dtype == np.float32 else 20)).astype(dtype)
        self.write("raw", self.voltages.tobytes())

    def long_recording(self):
        """Many hours of zeros that need no place on the disk."""
        with open(self.path("raw"), "wb") as file:
            file.truncate(2 * INPUTS * DUMP_SAMPLES * 10 ** 6)

    def started(self, *words):
        process = subprocess.Popen(
            [sys.executable, FRINGE, "correlate", "raw", "--format", "ci8", *RAW, *words],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, size):
        deadline = time.monotonic() + TIMEOUT
        while not (os.path.exists(self.path(name))
                   and os.path.getsize(self.path(name)) >= size):
            self.assertLess(time.monotonic(), deadline, f"{name} does not grow")
            time.sleep(0.02)

    def dumps_of_ms(self, name, seconds=DUMP_SAMPLES / 1e6):
        """Opens a MeasurementSet as any program does; returns the number of whole dumps."""
        if tables is None:
            self.skipTest("python3-casacore is not installed")
        with tables.table(self.path(name), ack=False) as ms:
            self.assertEqual(ms.nrows() % PRODUCTS, 0)
            dumps = ms.nrows() // PRODUCTS
            self.assertEqual(ms.getcol("DATA").shape, (ms.nrows(), CHANNELS, 1))
            self.assertTrue(np.isfinite(ms.getcol("DATA")).all())
            self.assertFalse(ms.getcol("FLAG").any())
            self.assertTrue((ms.getcol("WEIGHT_SPECTRUM") > 0).all())
            times = ms.getcol("TIME").reshape(dumps, PRODUCTS)
            # The last dump may be a part of one.
            np.testing.assert_allclose(np.diff(times[:-1, 0]), seconds, atol=2e-6)
            self.assertEqual(np.ptp(times, axis=1).max(), 0)
        return dumps

    def expect_right_dumps(self, name, dumps):
        """The autocorrelations of an ACC file are those of the recording."""
        side = yaml.safe_load(self.read(name + ".yml"))
        self.assertEqual(len(side["dumps"]), dumps)
        v = np.frombuffer(self.read(name), np.complex64).reshape(dumps, PRODUCTS, CHANNELS)
        x = self.voltages[:dumps * DUMP_SAMPLES].astype(float).reshape(dumps, -1, INPUTS, 2)
        power = (x ** 2).sum(axis=3).mean(axis=1)
        autos = np.cumsum(np.r_[0, np.arange(INPUTS, 1, -1)])
        # Parseval: without a window the mean over the channels is the power.
        np.testing.assert_allclose(v[:, autos].real.mean(axis=2), power, rtol=1e-5)


class qa_damaged_data(early_ends):

    def test_not_a_number_in_the_middle(self):
        self.recording(40, np.float32)
        sample = 30 * DUMP_SAMPLES + 17
        for value, word in ((np.nan, "NaN"), (np.inf, "infinity")):
            with self.subTest(word):
                self.voltages[sample, 3] = value
                self.write("raw", self.voltages.tobytes())
                done = command("correlate", "raw", "--format", "cf32", *RAW, "-o", "x.ms", "-o",
                               "x.ACC", "--overwrite", cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"\Afringe correlate: [^\n]+\n\Z")
                for words in ("raw: at byte", f"sample {sample} of stream 1", word,
                              "is in x.partial.ms", "is in x.partial.ACC"):
                    self.assertIn(words, done.stderr)
                self.assertFalse({"x.ms", "x.ACC", "x.ACC.yml"} & set(os.listdir(self.folder)))
                # Of the block in which the damage lies nothing is used.
                dumps = len(self.read("x.partial.ACC")) // DUMP_BYTES
                self.assertGreaterEqual(dumps, 26)
                self.assertEqual(self.whole_dumps("x.partial.ACC"), dumps)
                text = command("info", "x.partial.ACC", cwd=self.folder)
                self.assertIn("not finished", text.stdout)
                self.assertEqual(self.dumps_of_ms("x.partial.ms"), dumps)

    def whole_dumps(self, name):
        side = yaml.safe_load(self.read(name + ".yml"))
        np.testing.assert_array_less(0, [d["exposure"] for d in side["dumps"]])
        return len(side["dumps"])

    def test_a_recording_becomes_shorter_while_it_is_read(self):
        self.long_recording()
        process = self.started("-o", "x.ACC")
        self.wait_for("x.partial.ACC", 3 * DUMP_BYTES)
        os.truncate(self.path("raw"), 1000)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, out), (2, ""), err)
        self.assertRegex(err, r"\Afringe correlate: raw: ends at byte \d+ although it had \d+ "
                              r"bytes when it was opened; it became shorter while it was read")
        dumps = len(self.read("x.partial.ACC")) // DUMP_BYTES
        self.assertGreaterEqual(dumps, 3)
        self.assertEqual(self.whole_dumps("x.partial.ACC"), dumps)
        self.assertEqual(self.read("x.partial.ACC"), bytes(dumps * DUMP_BYTES))  # of zeros

    def test_damage_spoils_no_earlier_file(self):
        self.recording(30, np.float32)
        words = ["correlate", "raw", "--format", "cf32", *RAW, "-o", "x.ACC", "--overwrite"]
        self.run_well(*words)
        before = self.read("x.ACC"), self.read("x.ACC.yml")
        self.voltages[5, 3] = np.nan
        self.write("raw", self.voltages.tobytes())
        done = command(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing was written", done.stderr)
        self.assertEqual((self.read("x.ACC"), self.read("x.ACC.yml")), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["raw", "x.ACC", "x.ACC.yml"])


class qa_stopped(early_ends):

    def test_control_c_writes_what_was_read(self):
        self.long_recording()
        process = self.started("-o", "x.ms", "-o", "x.ACC", "--backend", "generic")
        self.wait_for("x.partial.ACC", 3 * DUMP_BYTES)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, out), (130, ""), err)
        match = re.fullmatch(r"fringe correlate: interrupted; wrote x\.ms, x\.ACC: (\d+) samples "
                             r"of every input read, .* (\d+) dumps written, .*\n", err)
        self.assertTrue(match, err)
        dumps = int(match[2])
        # All that was read was written; the last dump may be a part of one.
        self.assertEqual(-(-int(match[1]) // DUMP_SAMPLES), dumps)
        self.assertEqual(len(self.read("x.ACC")), dumps * DUMP_BYTES)
        self.assertEqual(sorted(os.listdir(self.folder)), ["raw", "x.ACC", "x.ACC.yml", "x.ms"])
        text = command("info", "x.ms", cwd=self.folder)
        self.assertIn(f"{dumps} dumps", text.stdout)

    def test_other_signals_end_a_run_as_control_c_does(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            for ending in ("ACC", "uvh5"):
                with self.subTest(number, ending=ending):
                    self.long_recording()
                    partial = f"x.partial.{ending}"
                    process = self.started("-o", f"x.{ending}", "--overwrite",
                                           "--backend", "generic")
                    self.wait_for(partial, 3 * DUMP_BYTES if ending == "ACC" else 1)
                    if ending == "uvh5":
                        time.sleep(1)
                    process.send_signal(number)
                    out, err = process.communicate(timeout=TIMEOUT)
                    self.assertEqual((process.returncode, out), (code, ""), err)
                    self.assertRegex(err, r"\Afringe correlate: interrupted[^\n]*\n\Z")
                    self.assertNotIn(partial, os.listdir(self.folder))

    def test_control_c_while_it_starts(self):
        """Whenever it comes: one line, 130, and no file that is not whole."""
        self.long_recording()
        for delay in np.linspace(0.05, 1.5, 16):
            with self.subTest(delay):
                process = self.started("-o", "x.ACC", "--overwrite", "--spectra", "1000")
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=TIMEOUT)
                if process.returncode == -signal.SIGINT or "<frozen " in err:
                    continue  # Python itself had not begun yet
                self.assertEqual((process.returncode, out), (130, ""), err)
                self.assertRegex(err, r"\Afringe( correlate)?: interrupted[^\n]*\n\Z")
                self.assertFalse([name for name in os.listdir(self.folder)
                                  if "partial" in name], err)

    def test_control_c_before_there_is_anything(self):
        self.long_recording()
        process = self.started("-o", "x.ACC", "--spectra", str(10 ** 9))
        self.wait_for("x.partial.ACC.yml", 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertRegex(err, r"\Afringe correlate: interrupted[^\n]*\n\Z")

    def test_a_killed_run_leaves_files_that_open(self):
        self.long_recording()
        for delay in np.random.default_rng(int(time.time())).uniform(0, 0.5, 3):
            with self.subTest(delay):
                for name in os.listdir(self.folder):  # of the kill before
                    if name.startswith("x.partial.ms"):
                        shutil.rmtree(self.path(name))
                    elif name.startswith("x.partial"):
                        os.remove(self.path(name))
                process = self.started("-o", "x.ms", "-o", "x.ACC", "--overwrite", "--spectra",
                                       "10000", "--backend", "generic")
                self.wait_for("x.partial.ACC", 2 * DUMP_BYTES)
                self.wait_for("x.partial.ms", 1)  # each sink has a thread of its own
                time.sleep(delay)
                process.kill()
                process.communicate()
                # The next run with that name clears the hidden folder away.
                self.assertEqual(sorted(set(os.listdir(self.folder)) - {".x.ms.writing"}),
                                 ["raw", "x.partial.ACC", "x.partial.ACC.yml", "x.partial.ms"])
                text = self.run_well("info", "x.partial.ACC")
                self.assertIn("not finished", text)
                self.assertRegex(text, r"[2-9] dumps of 2\.56 s")
                self.assertGreater(self.dumps_of_ms("x.partial.ms", 2.56), 0)

    def test_a_simulation_leaves_nothing(self):
        self.write("sky.yml", "antennas: [[0, 0, 0]]\nsample_rate: 1e6\nformat: ci8\n")
        process = subprocess.Popen(
            [sys.executable, FRINGE, "simulate", "sky.yml", "-o", "x.ci8", "--samples", "1e9"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.wait_for(".x.ci8.writing", 10000)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, out, err),
                         (130, "", "fringe simulate: interrupted\n"))
        self.assertEqual(os.listdir(self.folder), ["sky.yml"])

    def test_a_reader_that_goes_away(self):
        for words in (["info", "--formats"], ["correlate", "--help"]):
            reads, writes = os.pipe()
            os.close(reads)
            done = subprocess.run([sys.executable, FRINGE, *words], stdout=writes,
                                  stderr=subprocess.PIPE, check=False, timeout=TIMEOUT)
            os.close(writes)
            self.assertEqual(done.stderr, b"")
            self.assertIn(done.returncode, (0, -signal.SIGPIPE))


if __name__ == "__main__":
    unittest.main()
