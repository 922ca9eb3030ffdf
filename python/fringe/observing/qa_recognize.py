#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Formats are found by what a file contains, whatever it is called, by info and correlate alike."""
import json
import os
import shutil
import unittest

import numpy as np

from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from qa_recorders import mwa32t_file, vdif_file
from qa_scratch import scratch_case

#: Of other formats, of many, and none.
MISLEADING = ("x", "x.raw", "x.dat", "x.cu8", "x.m5b", "x.vdif", "x.hdf", "x.2026-06-12")


def cards(**values):
    return "".join(f"{k:8}= {v:>20}".ljust(80) for k, v in values.items()).encode()


class qa_recognize(scratch_case):
    seed = 14

    def write(self, name, *parts):
        with open(self.path(name), "wb") as out:
            for part in parts:
                out.write(part if isinstance(part, bytes) else part.tobytes())
        return self.path(name)

    def noise(self, *shape):
        return self.rng.integers(-100, 100, shape, np.int8)

    def make_all(self):
        """A recording of each format with a header: its path."""
        codes = self.rng.integers(0, 4, (2, 5120, 1))
        vdif_file(self.path("vdif"), codes, np.ones((2, 20), int), 2, False, 256000, 64)
        frames = []
        for n in range(8):
            frames += [np.array([0xABADDEED, n, 0x12300059, 0], "<u4"),
                       self.rng.integers(0, 256, 10000, np.uint8)]
        # Cut out of a longer one, as a copy of a part of a disk is.
        self.write("mark5b", b"".join(f.tobytes() for f in frames)[4000:])
        self.write("guppi", *[part for n in range(3) for part in (
            cards(BACKEND="'GUPPI   '", OBSNCHAN=1, NPOL=4, NBITS=8, BLOCSIZE=4000, TBIN=1e-6),
            b"END".ljust(80), self.noise(4000))])
        self.write("dada", b"HEADER DADA\nHDR_VERSION 1.0\nHDR_SIZE 4096\nNBIT 8\nNDIM 2\nNPOL 2\n"
                   b"NCHAN 1\nTSAMP 1\n".ljust(4096, b"\0"), self.noise(4000))
        mwa32t_file(self.path("mwa32t"), self.noise(1000, 16) // 8 + 0j, np.arange(1000) % 50 != 7,
                    65000)
        return {name: self.path(name) for name in ("vdif", "mark5b", "guppi", "dada", "mwa32t")}

    def test_whatever_a_file_is_called(self):
        for form, path in self.make_all().items():
            for name in MISLEADING:
                with self.subTest(f"{form} as {name}"):
                    shutil.copy(path, self.path(name))
                    self.assertEqual(fringe.format_by_content(self.path(name)), form)
                    text = describe(self.path(name), inputs=4 if form == "mark5b" else None)
                    self.assertRegex(text, rf"format +{form}, .* \(by its content\)")

    def test_correlate_finds_the_format(self):
        for form, path in self.make_all().items():
            with self.subTest(form):
                shutil.copy(path, self.path("x.cu8"))
                made = []
                for chosen in (form, None):
                    fringe.correlate(self.path("x.cu8"), self.path("x.ACC"), format=chosen,
                                     inputs=4 if form == "mark5b" else None, sample_rate=1e6,
                                     channels=16, spectra=20, overwrite=True,
                                     start_time="2026-06-12T00:00:00", prefer="settings")
                    with open(self.path("x.ACC"), "rb") as file:
                        made.append(file.read())
                self.assertEqual(made[0], made[1])

    def test_sigmf_by_either_file_or_the_name_of_both(self):
        self.noise(2000).tofile(self.path("s.sigmf-data"))
        with open(self.path("s.sigmf-meta"), "w", encoding="utf-8") as out:
            json.dump({"global": {"core:datatype": "ci8", "core:sample_rate": 1e6},
                       "captures": [{"core:sample_start": 0}]}, out)
        for name in ("s", "s.sigmf-meta", "s.sigmf-data"):
            self.assertEqual(fringe.format_by_content(self.path(name)), "sigmf")
            self.assertIn("by its content", describe(self.path(name)))

    def test_samples_alone_are_nothing_else(self):
        ramp = np.arange(40000, dtype="<u2")
        for k, content in enumerate((np.zeros(40000, np.uint8), np.full(40000, 0x11, np.uint8),
                                     ramp, np.tile(self.noise(64), 500), b"RIFF",
                                     b"SIMPLE  =                    T".ljust(2880),
                                     *(self.noise(40000) for _ in range(50)))):
            with self.subTest(k):
                self.assertEqual(fringe.format_by_content(self.write("x.raw", content)), "")
        with self.assertRaisesRegex(ValueError, "ending '.raw' tells no format; .*format=NAME"):
            describe(self.path("x.raw"))
        with self.assertRaisesRegex(ValueError, "format: not given.*ending '.raw'"):
            fringe.correlate(self.path("x.raw"), self.path("x.ACC"))

    def test_usual_endings(self):
        for name, form in (("x.m5b", "mark5b"), ("x.vdif", "vdif"), ("x.HDF5", "tart"),
                           ("x.dada", "dada"), ("x.cfile", "cf32"), ("x.sc16", "ci16"),
                           ("x.cs8", "ci8"), ("x.cu8", "cu8"), ("x.sigmf-meta", "sigmf"),
                           ("x.raw", ""), ("x.dat", ""), ("vdif", ""), ("x.vdif.gz", "")):
            self.assertEqual(fringe.format_by_ending(name), form, name)
        # What is damaged from the start on is refused as what it is called.
        self.write("x.vdif", self.noise(4000))
        with self.assertRaisesRegex((ValueError, RuntimeError), "VDIF"):
            describe(self.path("x.vdif"))

    def test_an_observation_must_not_contradict(self):
        path = self.make_all()["vdif"]
        obs = fringe.observation.from_text(
            "antennas: [[0, 0, 0], [5, 0, 0]]\nformat: ci8\nsample_rate: 1e6\nchannels: 16\n")
        with self.assertRaisesRegex(ValueError, "vdif by its content.* ci8; format=NAME chooses"):
            fringe.correlate(path, self.path("x.ACC"), obs)
        fringe.correlate(path, self.path("x.ACC"), obs, format="vdif", sample_rate=256000)
        self.assertTrue(os.path.exists(self.path("x.ACC")))
        dada = self.path("dada")
        with self.assertRaisesRegex(ValueError, "vdif is of format vdif, .*dada of dada"):
            fringe.correlate([path, dada], self.path("y.ACC"))


if __name__ == "__main__":
    unittest.main()
