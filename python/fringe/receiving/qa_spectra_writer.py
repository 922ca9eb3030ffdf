#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings of spectra whose process was killed, or whose disk was full: all blocks before that
are there, for h5py as for gr-fringe."""
import mmap
import os
import resource
import shutil
import signal
import time
import unittest

import h5py
import numpy as np
from gnuradio import fringe
from gnuradio.fringe import fringe_python as fp
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.verifying import verify
from gnuradio.fringe.verifying.finding import FITS, UNKNOWN, WRONG

from qa_scratch import scratch_case

START = 1800000000
RUN_BLOCKS = 9  # after so many the time jumps


class qa_spectra_writer(scratch_case):

    def facts(self):
        inputs, packets, width, block = (int(n) for n in self.rng.integers(1, 9, 4))
        return fp.spectra_facts(inputs, packets * width, block, 8, 250.0, 1e9, width)

    def new_path(self, name):
        """Each file is a new one: HDF5 knows those that are open by their number on the disk."""
        self.files = self.files + 1 if hasattr(self, "files") else 1
        return self.path(f"{self.files}.{name}")

    @staticmethod
    def count(facts, k):
        """Spectra of block k: the last one of a run is short, if a block has more than one."""
        return facts.block - (k % RUN_BLOCKS == RUN_BLOCKS - 1 and facts.block > 1)

    def values(self, facts, k):
        """Of block k: numbers that tell it from others; zeros behind its spectra."""
        shape = facts.channels, facts.inputs, facts.block, 2
        values = np.random.default_rng(k).integers(-128, 128, shape, np.int8)
        values[:, :, self.count(facts, k):] = 0
        return values

    @staticmethod
    def box(facts, k):
        """What block k lost: every third one, its first spectrum of the last input."""
        return [(facts.inputs - 1, 1, 0, facts.packet_channels, 0, 1)] if k % 3 == 0 else []

    def add(self, writer, facts, k):
        run = fp.spectra_run(START + k, 0.25, facts.rate, 1e9) if k % RUN_BLOCKS == 0 else None
        writer.add(self.values(facts, k).view(np.uint8).ravel(), self.count(facts, k),
                   self.box(facts, k), run)

    def in_a_process(self, work):
        """The number of the process, and what it counts: work(count)."""
        counted = mmap.mmap(-1, 8)

        def count(k):
            counted[:] = int(k).to_bytes(8, "little")

        child = os.fork()
        if child == 0:
            try:
                work(count)
            finally:
                os._exit(0)
        return child, lambda: int.from_bytes(counted[:], "little")

    def check(self, path, facts, least):
        """All blocks of a file, of which there are at least so many."""
        reader = fp.spectra_reader(path)
        self.assertGreaterEqual(len(reader.blocks), least)
        with h5py.File(path) as file:
            spectra, lost, times = (file[name][:] for name in ("spectra", "lost", "time"))
            self.assertEqual(file["spectra"].dims[2][0].shape, times.shape)
        values = np.empty(facts.block_bytes, np.uint8)
        for k, count in enumerate(reader.blocks):
            good, place = self.values(facts, k), slice(k * facts.block, k * facts.block + count)
            self.assertEqual(count, self.count(facts, k))
            reader.read(k, values)
            np.testing.assert_array_equal(values.view(np.int8).reshape(good.shape), good)
            part = spectra[:, :, place]
            np.testing.assert_array_equal(np.stack([part["r"], part["i"]], -1),
                                          good[:, :, :count])
            expected = np.zeros((facts.channels // facts.packet_channels, facts.inputs, count),
                                bool)
            expected[0, -1, 0] = bool(self.box(facts, k))
            np.testing.assert_array_equal(lost[:, :, place], expected)
            np.testing.assert_array_equal(reader.lost(k)[:, :, :count], expected)
            begin = k // RUN_BLOCKS * RUN_BLOCKS
            before = sum(self.count(facts, n) for n in range(begin, k))
            np.testing.assert_allclose(times[place], begin + (before + np.arange(count)) / 250.0,
                                       rtol=0, atol=1e-9)
        self.assertEqual({k: run.second for k, run in reader.runs.items()},
                         {k: START + k for k in range(0, len(reader.blocks), RUN_BLOCKS)})
        return reader

    def test_killed(self):
        """At random instants, among them those at which the file gets longer."""
        unfinished = 0
        for _ in range(10):
            facts, path = self.facts(), self.new_path("x.partial.h5")

            def work(count, facts=facts, path=path):
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
                writer = fp.spectra_writer(file, facts)
                for k in range(100000):
                    self.add(writer, facts, k)
                    count(k + 1)

            child, counted = self.in_a_process(work)
            blocks = self.rng.integers(1, 100)
            while counted() < blocks:
                time.sleep(0.0005)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            reader = self.check(path, facts, counted())
            self.assertLessEqual(len(reader.blocks), counted() + 1)
            unfinished += reader.unfinished
            self.assertEqual("not finished" in describe(path), reader.unfinished)
            found, = verify(path)
            self.assertEqual(found.result, UNKNOWN)
            self.assertIn("never finished", found.words)
        self.assertGreater(unfinished, 0)

    def test_the_disk_is_full(self):
        """A limit on the size of files does for it: what was written before is there."""
        for limit in self.rng.integers(200000, 600000, 6):
            facts, path = self.facts(), self.new_path("x.partial.h5")

            def work(count, facts=facts, path=path, limit=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
                writer = fp.spectra_writer(file, facts)
                try:
                    for k in range(100000):
                        self.add(writer, facts, k)
                        count(k + 1)
                except RuntimeError as error:
                    count(writer.spectra() << 32 | k if "too large" in str(error) else 0)
                with self.assertRaises(RuntimeError):
                    self.add(writer, facts, 0)

            child, counted = self.in_a_process(work)
            os.waitpid(child, 0)
            self.assertGreater(counted() >> 32, 0)
            self.check(path, facts, counted() & 0xffffffff)

    def test_finished(self):
        """Whole files are as long as they have to be."""
        for blocks in (*range(1, 12), 40):
            facts, path = self.facts(), self.new_path("x.h5")
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            writer = fp.spectra_writer(file, facts)
            for k in range(blocks):
                self.add(writer, facts, k)
            writer.finish()
            os.close(file)
            reader = self.check(path, facts, blocks)
            self.assertEqual((len(reader.blocks), reader.unfinished), (blocks, False))
            with h5py.File(path) as made:
                end = (blocks - 1) * facts.block + self.count(facts, blocks - 1)
                self.assertEqual(made["spectra"].shape[2], end)
                self.assertEqual(made["spectra"].chunks,
                                 (facts.channels, facts.inputs, facts.block))
                self.assertIsNone(made["spectra"].compression)
            self.check_certificate(shutil.copy(path, self.new_path("copy.h5")))

    def check_certificate(self, path):
        """It fits the file, and any value that changes is found."""
        found, = verify(path)
        self.assertEqual(found.result, FITS, found.line())
        for name, words in (("spectra", "spectra (spectra) are not"), ("time", "times (time)"),
                            ("lost", "lost packets (lost)")):
            with h5py.File(path, "r+") as file:
                values = file[name]
                block = int(self.rng.integers(len(file["block_spectra"])))
                place = (*(int(self.rng.integers(size)) for size in values.shape[:-1]),
                         block * int(file.attrs["block"]))
                before = values[place]
                if name == "spectra":
                    other = before.copy()
                    other["i"] ^= 1
                else:
                    other = before + 1e-3 if name == "time" else not before
                values[place] = other
            found, = verify(path)
            self.assertEqual(found.result, WRONG, found.line())
            self.assertIn(words, found.words)
            with h5py.File(path, "r+") as file:
                file[name][place] = before
        self.assertEqual(verify(path)[0].result, FITS)

    def test_refusals(self):
        file = os.open(self.path("x.h5"), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.addCleanup(os.close, file)
        with self.assertRaisesRegex(ValueError, "packet_channels: 3: must be a divisor"):
            fp.spectra_writer(file, fp.spectra_facts(2, 4, 8, 8, 250.0, 1e9, 3))
        facts = fp.spectra_facts(2, 4, 8, 8, 250.0, 1e9, 2)
        values = np.zeros(facts.block_bytes, np.uint8)
        run = fp.spectra_run(START, 0, 250.0, 1e9)
        for lost, begin, words in (([], None, "without a time"),
                                   ([(1, 2, 0, 4, 0, 8)], run, "the block has not"),
                                   ([(0, 2, 0, 4, 2**64 - 1, 2)], run, "the block has not")):
            with self.assertRaisesRegex(RuntimeError, words):
                fp.spectra_writer(file, facts).add(values, 8, lost, begin)
        for count in (0, 9):
            with self.assertRaisesRegex(RuntimeError, f"of 8 spectra came with {count}"):
                fp.spectra_writer(file, facts).add(values, count, [], run)
        with self.assertRaisesRegex(ValueError, "not those of a block"):
            fp.spectra_writer(file, facts).add(values[:-1], 8, [], run)
        with self.assertRaisesRegex(ValueError, "none.h5"):
            fringe.correlate(self.path("none.h5"), self.path("x.uvh5"))


if __name__ == "__main__":
    unittest.main()
