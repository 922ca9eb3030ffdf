#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What --overwrite replaces: a plain file, and never one that is read or that another writes."""
import contextlib
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
import unittest.mock

import numpy as np
from gnuradio import fringe, gr
from gnuradio.fringe import cli, fringe_python
from gnuradio.fringe.ground.new_file import check_new_file
from qa_cli import FRINGE, in_a_folder
from qa_scratch import TIMEOUT

SKY = """
site: {latitude: -30, longitude: 21}
antennas: [[0, 0, 0], [11, 2, 0], [-7, 9, 0]]
sample_rate: 1e6
center_frequency: 150e6
start_time: 2026-06-12T11:20:40Z
format: ci8
channels: 16
integration: 0.004
earth_orientation: eop.ACC
sky: {sources: [{name: east, l: 0.3, m: 0.1, flux: 1}]}
"""
EOP = "".join(f"{mjd} 0.1 0.01 0.3\n" for mjd in range(61190, 61220))
RAW = ["raw.ci8", "--obs", "array.yml", "--overwrite", "--quiet"]
CALIBRATED = ["calibrate", "v.ACC", "--obs", "array.yml", "--azel", "71.565,71.565", "--overwrite",
              "--max-unexplained", "1"]
FORMATS = (".ms", ".uvh5", ".uvfits", ".ACC", ".LCCSPC")


class outputs_case(in_a_folder):

    def setUp(self):
        super().setUp()
        self.write("eop.ACC", EOP)
        self.write("array.yml", SKY)
        self.write("victim", "of great worth")
        self.write("raw.ci8", np.random.default_rng(1).integers(
            -90, 90, 6 * 20000, np.int8).tobytes())

    def refusal(self, *words, code=2):
        """One sentence, and nothing in the folder is another than before."""
        before = self.all_there()
        done, out, err = self.done_here(*words)
        self.assertEqual((done, out), (code, ""), err)
        self.assertRegex(err, r"\Afringe \w+: [^\n]+\n\Z")
        self.assertEqual(self.all_there(), before)
        return err

    def done_here(self, *words):
        """The command in this process, many of which would be slow to start."""
        out, err, here = io.StringIO(), io.StringIO(), os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = cli.main([str(word) for word in words])
        finally:
            os.chdir(here)
        return code, out.getvalue(), err.getvalue()

    def run_well(self, *words):
        self.assertEqual(self.done_here(*words)[::2], (0, ""))

    def all_there(self):
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                found[path] = (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)
        return found


class qa_what_stands_there(outputs_case):

    def strange(self, *names):
        """What is no plain file, under each name in turn."""
        makers = {"a link": lambda path: os.symlink("victim", path),
                  "a link to nothing": lambda path: os.symlink("nothing", path),
                  "a link to a device": lambda path: os.symlink("/dev/null", path),
                  "not a plain file": os.mkfifo}
        if os.geteuid() == 0:
            makers["a device"] = lambda path: os.mknod(path, 0o20600, os.makedev(1, 3))
        for what, make in makers.items():
            for name in names:
                try:
                    make(self.path(name))
                except PermissionError:
                    continue  # some systems have no devices even for root
                with self.subTest(name, what=what):
                    yield name
                os.remove(self.path(name))

    def test_simulate(self):
        for _ in self.strange("x", "x.yml", ".x.writing", ".x.yml.writing"):
            self.assertRegex(self.refusal("simulate", "array.yml", "-o", "x", "--overwrite",
                                          "--samples", 999), "never replaced")

    def test_calibrate_and_plot(self):
        self.run_well("correlate", *RAW, "-o", "v.ACC")
        for _ in self.strange("x.yml", ".x.yml.writing"):
            self.assertRegex(self.refusal(*CALIBRATED, "-o", "x.yml"), "never replaced")
        for _ in self.strange("x.png", ".x.png.writing"):
            self.assertRegex(self.refusal("plot", "v.ACC", "-o", "x.png"), "never replaced")

    def test_correlate(self):
        for ending in FORMATS:
            for _ in self.strange("x" + ending, "x.partial" + ending):
                self.assertRegex(self.refusal("correlate", *RAW, "-o", "x" + ending),
                                 "never replaced")
        for _ in self.strange("x.ACC.yml", "x.partial.ACC.yml"):
            self.assertRegex(self.refusal("correlate", *RAW, "-o", "x.ACC"), "never replaced")

    def test_a_link_in_place_of_the_hidden_folder(self):
        os.mkdir(self.path("folder"))
        self.write("folder/kept", "")
        os.symlink("folder", self.path(".x.ms.writing"))
        self.assertIn(".x.ms.writing", self.refusal("correlate", *RAW, "-o", "x.ms"))

    def test_a_socket(self):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.bind(self.path("x"))
            self.refusal("simulate", "array.yml", "-o", "x", "--overwrite", "--samples", 999)

    def test_plain_files_are_replaced(self):
        for name in ("x", "x.yml", "new.yml", "x.png", "y.ACC", "y.ACC.yml", "y.uvh5"):
            self.write(name, "old")
        self.run_well("simulate", "array.yml", "-o", "x", "--overwrite", "--samples", 20000)
        self.run_well("correlate", "x", *RAW[1:], "-o", "y.ACC", "-o", "y.uvh5")
        self.run_well(*CALIBRATED[:1], "y.ACC", *CALIBRATED[2:], "-o", "new.yml")
        self.run_well("plot", "y.uvh5", "-o", "x.png")
        for name in ("x", "x.yml", "new.yml", "x.png", "y.ACC", "y.ACC.yml", "y.uvh5"):
            self.assertGreater(os.path.getsize(self.path(name)), 100)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".")])


class qa_what_is_read(outputs_case):

    def test_simulate(self):
        self.write("sky.yml", SKY)
        for name in ("sky.yml", "sky", "eop.ACC"):
            self.assertIn("would replace", self.refusal("simulate", "sky.yml", "-o", name,
                                                        "--overwrite", "--samples", 999))

    def test_calibrate(self):
        self.run_well("correlate", *RAW, "-o", "v.ACC", "-o", "v.LCCSPC")
        self.write("sources.yml", "[{name: A, az: 80, el: 70}]")
        for name in ("v.ACC", "v.ACC.yml", "array.yml", "eop.ACC", "sources.yml"):
            with self.subTest(name):
                self.assertIn("would replace", self.refusal(
                    *CALIBRATED, "--catalogue", "sources.yml", "-o", name))
        for name in ("v.LACSPC", "v.LCCSPC.yml"):
            with self.subTest(name):
                self.assertIn("would replace", self.refusal(*CALIBRATED[:1], "v.LCCSPC",
                                                            *CALIBRATED[2:], "-o", name))

    def test_plot(self):
        self.run_well("correlate", *RAW, "-o", "v.ACC")
        os.rename(self.path("array.yml"), self.path("array.png"))
        self.assertIn("would replace", self.refusal("plot", "v.ACC", "--sky", "array.png", "-o",
                                                    "array.png"))

    def test_correlate(self):
        self.write("gains.ACC", "0 * 1 0\n")
        for name in ("eop.ACC", "gains.ACC"):
            self.assertIn("would replace", self.refusal("correlate", *RAW, "--gains", "gains.ACC",
                                                        "-o", name))

    def test_a_new_file_every_so_often(self):
        name = "x_20260612_112040"
        for ending, of in ((".ACC", ".ACC"), (".partial.ACC", ".ACC"), (".ACC.yml", ".ACC"),
                           (".LACSPC", ".LCCSPC")):
            with self.subTest(ending):
                os.rename(self.path("raw.ci8"), self.path(name + ending))
                text = self.refusal("correlate", name + ending, *RAW[1:], "-o", "x" + of,
                                    "--new-file-every", 1)
                self.assertIn(f"--new-file-every: {name}{ending}, which is read", text)
                os.rename(self.path(name + ending), self.path("raw.ci8"))

    def test_later_it_may_be_replaced(self):
        """What one call has read the next may replace, though the flowgraph still has it open."""
        with_obs = fringe.observation.from_file(self.path("array.yml"))
        fringe.simulate(with_obs, self.path("a.ACC"), 20000, overwrite=True)
        fringe.correlate(self.path("a.ACC"), self.path("b.ACC"), self.path("a.ACC.yml"),
                         format="ci8")
        fringe.correlate(self.path("raw.ci8"), self.path("a.ACC"), self.path("array.yml"),
                         overwrite=True)
        self.assertGreater(len(fringe.read_visibilities(self.path("a.ACC")).seconds), 1)
        self.assertEqual(fringe.files_read(), [])


    def test_a_new_file_with_the_inode_of_one_that_is_gone(self):
        with fringe.reading():
            for _ in range(100):
                self.write("read", "old")
                fringe_python.note_read(self.path("read"))
                number = os.stat(self.path("read")).st_ino
                os.remove(self.path("read"))
                time.sleep(0.01)  # the clock of a file system has ticks
                self.write("new", "new")
                if os.stat(self.path("new")).st_ino == number:
                    break
                os.remove(self.path("new"))
            else:
                self.skipTest("the file system gives no inode a second time")
            check_new_file(self.path("new"), overwrite=True)

    def test_a_file_is_known_by_any_name(self):
        with fringe.reading():
            self.write("read", "old")
            fringe_python.note_read(self.path("read"))
            os.rename(self.path("read"), self.path("moved"))
            os.link(self.path("moved"), self.path("linked"))
            for name in ("moved", "linked"):
                with self.assertRaisesRegex(ValueError, "would replace"):
                    check_new_file(self.path(name), overwrite=True)


class qa_partial_files(outputs_case):
    def test_what_was_written_is_kept(self):
        with self.assertRaises(KeyError), fringe.new_file(
                self.path("x.dat"), keep_partial=True) as file:
            file.write(b"some")
            raise KeyError
        with open(self.path("x.partial.dat"), "rb") as file:
            self.assertEqual(file.read(), b"some")
        with self.assertRaisesRegex(ValueError, "x.partial.dat: exists"):
            fringe.new_file(self.path("x.dat"), keep_partial=True).__enter__()

    def test_empty_ones_stand_in_nobodys_way(self):
        with self.assertRaises(KeyError), fringe.new_file(self.path("x.dat"), keep_partial=True):
            raise KeyError
        self.assertFalse(os.path.exists(self.path("x.partial.dat")))
        open(self.path("x.partial.dat"), "w").close()
        with fringe.new_file(self.path("x.dat"), keep_partial=True) as file:
            file.write(b"all")
        self.assertFalse(os.path.exists(self.path("x.partial.dat")))


class qa_runs_that_do_not_start(outputs_case):
    def setUp(self):
        outputs_case.setUp(self)
        np.zeros(80000, np.int8).tofile(self.path("r.ci8"))

    def test_nothing_is_left(self):
        names = [self.path(f"o.{ending}") for ending in ("ms", "uvh5", "uvfits", "ACC", "LCCSPC")]
        before = set(os.listdir(self.folder))
        with unittest.mock.patch.object(gr.top_block, "start", side_effect=RuntimeError("no")):
            with self.assertRaisesRegex(RuntimeError, "^no$"):
                fringe.correlate(self.path("r.ci8"), names, format="ci8", inputs=4, sample_rate=1e6,
                                 channels=64, integration=0.01)
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_a_home_that_cannot_be_made(self):
        done = subprocess.run(
            [sys.executable, FRINGE, "correlate", "r.ci8", "--format", "ci8", "--inputs", "4",
             "--sample-rate", "1e6", "--channels", "64", "--integration", "0.01", "-o", "h.ACC"],
            cwd=self.folder, env={**os.environ, "HOME": "/none/such"}, capture_output=True,
            text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists("/none"))


class qa_two_writers(outputs_case):
    """Two processes with one output: the second is refused, and nothing of the first is lost."""

    def setUp(self):
        super().setUp()
        with open(self.path("long.ci8"), "wb") as file:
            file.truncate(6 * 10 ** 10)

    def started(self, *words, wait_for, size=0):
        process = subprocess.Popen([sys.executable, FRINGE, *map(str, words)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + TIMEOUT
        while not (os.path.exists(self.path(wait_for))
                   and os.path.getsize(self.path(wait_for)) >= size):
            self.assertLess(time.monotonic(), deadline, f"{wait_for} does not come")
            if process.poll() is not None:
                self.fail(process.stderr.read())
            time.sleep(0.02)
        return process

    def test_correlate(self):
        for ending in FORMATS:
            with self.subTest(ending):
                words = ["correlate", "long.ci8", *RAW[1:], "-o", "x" + ending]
                first = self.started(*words, wait_for="x.partial" + ending,
                                     size={".ms": 0, ".uvh5": 400_000}.get(ending, 1))
                for _ in range(2):
                    code, out, err = self.done_here("correlate", *RAW, "-o", "x" + ending)
                    self.assertEqual((code, out), (2, ""), err)
                    self.assertIn("is being written by another process", err)
                first.send_signal(signal.SIGINT)
                _, err = first.communicate(timeout=TIMEOUT)
                self.assertEqual(first.returncode, 130, err)
                dumps = len(fringe.read_visibilities(self.path("x" + ending)).seconds)
                self.assertIn(f" {dumps} dump", err)
                self.assertFalse(os.path.exists(self.path("x.partial" + ending)))

    def test_files_that_will_be_rolled(self):
        for ending in FORMATS:
            with self.subTest(ending):
                words = ["correlate", "long.ci8", *RAW[1:], "-o", "r" + ending,
                         "--new-file-every"]
                lock = f".r_YYYYMMDD_HHMMSS{ending}.writing"
                first = self.started(*words, 10 ** 6, wait_for=lock)
                deadline = time.monotonic() + TIMEOUT
                while not any("partial" in name for name in os.listdir(self.folder)):
                    self.assertLess(time.monotonic(), deadline, "no file comes")
                    self.assertIsNone(first.poll())
                    time.sleep(0.02)
                # Files of other lengths, of another day or none yet: the names may meet later.
                for more in ([10 ** 6], [1], [1, "--start-time", "2026-06-20"],
                             [1, "--overwrite"]):
                    code, out, err = self.done_here("correlate", *RAW, "-o", "r" + ending,
                                                    "--new-file-every", *more)
                    self.assertEqual((code, out), (2, ""), err)
                    self.assertIn("is being written by another process", err)
                first.send_signal(signal.SIGINT)
                _, err = first.communicate(timeout=TIMEOUT)
                self.assertEqual(first.returncode, 130, err)
                self.assertFalse(os.path.exists(self.path(lock)))
                left = [name for name in os.listdir(self.folder)
                        if name.startswith("r_") and name.endswith(ending)]
                self.assertTrue(left)
                for path in left:
                    self.assertNotIn("partial", path)
                    (shutil.rmtree if ending == ".ms" else os.remove)(self.path(path))
                # What a killed one leaves is in nobody's way.
                self.write(lock, "")
                self.run_well("correlate", *RAW, "-o", "r" + ending, "--new-file-every", 10 ** 6)
                self.assertFalse(os.path.exists(self.path(lock)))

    def test_what_a_killed_one_left_is_replaced(self):
        for ending in FORMATS:
            with self.subTest(ending):
                words = ["correlate", "long.ci8", *RAW[1:], "-o", "x" + ending]
                first = self.started(*words, wait_for="x.partial" + ending)
                first.kill()
                first.communicate()
                self.run_well("correlate", *RAW, "-o", "x" + ending)

    def test_simulate(self):
        words = ["simulate", "array.yml", "-o", "x.ci8"]
        first = self.started(*words, "--samples", 10 ** 9, wait_for=".x.ci8.writing")
        for more in ([], ["--overwrite"]):
            code, out, err = self.done_here(*words, "--samples", 999, *more)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn("is being written by another process", err)
        first.kill()
        first.communicate()
        self.run_well(*words, "--samples", 999)
        self.assertEqual([name for name in os.listdir(self.folder) if name[0] == "."], [])

    def test_somebody_takes_the_partial_file_away(self):
        first = self.started("correlate", "long.ci8", *RAW[1:], "-o", "x.uvh5",
                             wait_for="x.partial.uvh5", size=400_000)
        os.remove(self.path("x.partial.uvh5"))
        self.write("x.partial.uvh5", "another's")
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=TIMEOUT)
        self.assertEqual(first.returncode, 1, err)
        self.assertIn("took the place of", err)
        self.assertEqual(self.read("x.partial.uvh5"), b"another's")


if __name__ == "__main__":
    unittest.main()
