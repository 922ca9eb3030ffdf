#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Damaged visibility files: a sentence each, and never the end of the program that reads them."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from gnuradio.fringe.readers import ms_check
from gnuradio.fringe.visibility_files.read_visibilities import describe_files, read_visibilities
from qa_cli import command
from qa_scratch import TIMEOUT, scratch_case
from qa_skies import snapshot

#: Reads a file; what is wrong with it is a ValueError of one line, which names the file.
READ = """
import sys
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
for path in sys.argv[1:]:
    try:
        read_visibilities(path)
    except ValueError as error:
        assert str(error).startswith(path) and "\\n" not in str(error), error
"""


def all_files(path):
    return [path] if os.path.isfile(path) else sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
        if os.path.getsize(os.path.join(folder, name)))


class damaged_case(scratch_case):
    seed = 31

    def copy(self, path, number):
        stem, ending = os.path.splitext(path)
        new = f"{stem}{number}{ending}"
        (shutil.copytree if os.path.isdir(path) else shutil.copyfile)(path, new)
        return new

    def damage(self, content):
        """The content of a file, cut, emptied or changed."""
        how, at = self.rng.integers(6), int(self.rng.integers(len(content)))
        if how == 0:
            return content[:at]
        if how == 1:
            return bytes(len(content))
        changed = bytearray(content)
        if how == 2:
            changed[at:at + 4] = b"\xff\xff\xff\x7f"[:len(changed) - at]
        elif how == 3:
            changed[at % 512 % len(changed)] = self.rng.integers(256)
        else:
            for place in self.rng.integers(0, len(changed), 5):
                changed[place] = self.rng.integers(256)
        return bytes(changed)

    def survives(self, paths):
        done = subprocess.run([sys.executable, "-c", READ, *paths], timeout=TIMEOUT, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])


class qa_mutations(damaged_case):

    def test_each_file_of_a_set(self):
        path = snapshot(self.folder, 3, self.rng, "a.ms", dumps=2, channels=4)
        bad = []
        for number, name in enumerate(all_files(path)):
            bad.append(self.copy(path, number))
            where = os.path.join(bad[-1], os.path.relpath(name, path))
            with open(where, "r+b") as file:
                content = self.damage(file.read())
                file.seek(0)
                file.truncate()
                file.write(content)
        self.survives(bad)

    def test_single_files(self):
        for name in ("a.uvfits", "a.uvh5"):
            path = snapshot(self.folder, 3, self.rng, name, dumps=2, channels=4)
            with open(path, "rb") as file:
                content = file.read()
            bad = [self.copy(path, number) for number in range(30)]
            for damaged in bad:
                with open(damaged, "wb") as file:
                    file.write(self.damage(content))
            self.survives(bad)

    def test_cards_of_a_header(self):
        path = snapshot(self.folder, 3, self.rng, "a.uvfits", dumps=2, channels=4)
        with open(path, "rb") as file:
            content = file.read()
        bad = []
        for number, place in enumerate(range(80, 2880, 80)):
            changed = bytearray(content)
            changed[place + 10:place + 30] = b"\x80\x7f?" + b" " * 17
            bad.append(self.copy(path, number))
            with open(bad[-1], "wb") as file:
                file.write(changed)
        self.survives(bad)
        for line in ("info", "plot"):
            done = command(line, bad[0])
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


class qa_sets(damaged_case):

    def test_a_set_that_casacore_does_not_survive(self):
        """A size of 2^31 - 1 in an index: casacore 3.4 reads it from behind its memory."""
        path = snapshot(self.folder, 4, self.rng, "a.ms", channels=64)
        name = os.path.join(path, "SPECTRAL_WINDOW", "table.f0")
        with open(name, "r+b") as file:
            content = bytearray(file.read())
            content[59:63], content[2805] = b"\xff\xff\xff\x7f", 0xff
            file.seek(0)
            file.write(content)
        for line in ("info", "plot"):
            done = command(line, path)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_a_table_that_claims_millions_of_rows(self):
        """It is refused at once; to read the rows that are not there took more than 100 s."""
        path = snapshot(self.folder, 3, self.rng, "a.ms", dumps=2, channels=4)
        name = os.path.join(path, "ANTENNA", "table.lock")
        with open(name, "r+b") as file:
            content = file.read()
            at = content.find(b"sync") + 8  # the number of rows
            file.seek(at)
            file.write(b"\0\x6e")
        with self.assertRaisesRegex(ValueError, f"^{re.escape(path)}: .* its table ANTENNA claims "
                                    "to have 7208963 rows in [0-9]+ bytes"):
            read_visibilities(path)

    def test_a_damaged_set_among_sound_ones_is_named(self):
        sound = snapshot(self.folder, 3, self.rng, "a.ms", dumps=2, channels=4)
        bad = self.copy(sound, 1)
        with open(os.path.join(bad, "SPECTRAL_WINDOW", "table.f0"), "r+b") as file:
            file.truncate(100)
        self.assertEqual(len(describe_files([sound, self.copy(sound, 2)])), 2)
        with self.assertRaisesRegex(ValueError, f"^{re.escape(bad)}: "):
            describe_files([sound, bad, self.copy(sound, 3)])

    def test_threads_of_other_libraries_live_on(self):
        """For a copy of the process (a fork) OpenBLAS ends its threads: a product that another
        thread computed at that moment lacked its second half."""
        text = """
import os, sys
import numpy as np
from gnuradio.fringe import fringe_python as fp
square = np.ones((500, 500))
square @ square
before = set(os.listdir("/proc/self/task"))
assert fp.wrong_tables([(sys.argv[1], True)]) == ""
fp.check_hdf5_file(sys.argv[2])
assert len(before) >= 4 and before <= set(os.listdir("/proc/self/task")), before
"""
        paths = [snapshot(self.folder, 3, self.rng, name, dumps=2, channels=4)
                 for name in ("a.ms", "a.uvh5")]
        subprocess.run([sys.executable, "-P", "-c", text, *paths], check=True, timeout=TIMEOUT,
                       env={**os.environ, "OPENBLAS_NUM_THREADS": "4"})

    def test_ctrl_c_is_for_the_caller(self):
        """The program that reads a file goes on when a terminal interrupts its processes."""
        path = snapshot(self.folder, 3, self.rng, "a.ms", dumps=2, channels=4)
        text = """
import os, signal, sys, threading, time
from gnuradio.fringe import fringe_python as fp
signal.signal(signal.SIGINT, lambda *_: None)
os.setpgid(0, 0)
over = threading.Event()
def interrupt():
    while not over.wait(0.001):
        os.killpg(0, signal.SIGINT)
thread = threading.Thread(target=interrupt)
thread.start()
wrong = [fp.wrong_tables([(sys.argv[1], True)]) for _ in range(10)]
over.set()
thread.join()
assert wrong == [""] * 10, wrong
"""
        subprocess.run([sys.executable, "-P", "-c", text, path], check=True, timeout=TIMEOUT)

    def test_ctrl_c_ends_a_check_that_does_not_end(self):
        """The program is stopped here; it is gone when the exception comes."""
        path = snapshot(self.folder, 3, self.rng, "a.ms", dumps=2, channels=4)
        text = """
import os, signal, sys, threading
from gnuradio.fringe import fringe_python as fp
def children():
    with open(f"/proc/self/task/{threading.main_thread().native_id}/children") as file:
        return file.read().split()
def stop():
    while True:
        for child in children():
            try:
                if not os.readlink(f"/proc/{child}/exe").endswith("check_tables"):
                    continue  # until it runs, this process waits for it in any case
                os.kill(int(child), signal.SIGSTOP)
                with open(f"/proc/{child}/stat") as file:
                    stopped = file.read().rpartition(")")[2].split()[0] == "T"
            except OSError:  # it has ended
                continue
            if stopped:
                os.kill(os.getpid(), signal.SIGINT)
                return
threading.Thread(target=stop, daemon=True).start()
try:
    while True:
        fp.wrong_tables([(sys.argv[1], True)])
except KeyboardInterrupt:
    assert not children(), children()
"""
        subprocess.run([sys.executable, "-P", "-c", text, path], check=True, timeout=TIMEOUT)

    def test_a_set_is_tried_again_when_it_has_changed(self):
        path = snapshot(self.folder, 3, self.rng, "a.ms", dumps=2, channels=4)
        read_visibilities(path)
        from unittest import mock
        with mock.patch.object(ms_check.fp, "wrong_tables", return_value="it is bad") as tried:
            read_visibilities(path)
            self.assertFalse(tried.called)
            os.utime(os.path.join(path, "table.f0"), (1, 1))
            with self.assertRaisesRegex(ValueError, "a.ms: is a damaged MeasurementSet: it is bad"):
                read_visibilities(path)


if __name__ == "__main__":
    unittest.main()
