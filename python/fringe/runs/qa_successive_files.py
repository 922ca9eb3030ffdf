#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files of one receiver, one after the other, are one recording; what does not fit is refused."""
import os
import unittest

import numpy as np

from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.runs.merge import merge
from gnuradio.fringe.runs.plan import make_plan
from gnuradio.fringe.runs.work import work
from gnuradio.fringe.receiving.read_samples import read_samples
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from qa_recorder_headers import header_case

LENGTH, COUNT = 4096, 3


class qa_successive_files(header_case):

    def dada(self, k, data, first=None, **more):
        words = dict(HDR_SIZE=4096, UTC_START="2026-01-01-00:00:00", FREQ=1400, TSAMP=1, NBIT=16,
                     OBS_OFFSET=4 * (k * LENGTH if first is None else first), NDIM=2, NPOL=1,
                     NCHAN=1, FILE_NUMBER=k, FILE_SIZE=4 * LENGTH) | more
        with open(self.path(f"x{k}.dada"), "wb") as out:
            head = "".join(f"{key} {value}\n" for key, value in words.items() if value != "")
            out.write(head.encode().ljust(4096, b"\0") + data.astype("<i2").tobytes())
        return self.path(f"x{k}.dada")

    def setUp(self):
        super().setUp()
        self.x = np.rint(self.rng.normal(0, 900, (COUNT * LENGTH, 2)))
        self.pieces = [self.x[k * LENGTH:(k + 1) * LENGTH] for k in range(COUNT)]

    def test_by_names_and_by_pattern(self):
        files = [self.dada(k, piece) for k, piece in enumerate(self.pieces)]
        for name in ("+".join(files), "+".join(files[::-1]), self.path("x*.dada"),
                     files[2] + "+" + self.path("x[01].dada")):
            self.check_input(name, 0, self.x)
            self.assertEqual(fringe.format_by_content(name), "dada")
            self.assertIn(f"{COUNT * LENGTH} of each input", describe(name))

    def test_gaps_by_times(self):
        files = [self.dada(k, piece, k * (LENGTH + 500)) for k, piece in enumerate(self.pieces)]
        gap = np.zeros((500, 2))
        expected = [self.pieces[0], gap, self.pieces[1], gap, self.pieces[2]]
        self.check_input("+".join(files), 0, np.concatenate(expected))
        self.assertIn("1000 samples missing between 3 files", describe("+".join(files)))

    def test_refusals(self):
        files = [self.dada(k, piece, k * (LENGTH - 7) + 7) for k, piece in enumerate(self.pieces)]
        for name, words in ((files[0] + "+" + files[1], ("7 samples", "overlap")),
                            (files[0] + "+" + files[0], ("twice",)),
                            (files[0] + "+" + self.path("y"), ("no such file", "'+'")),
                            (self.path("z*.dada"), ("pattern",))):
            with self.assertRaises(ValueError) as caught:
                describe(name)
            for word in words:
                self.assertIn(word, str(caught.exception))
        for more, word in ((dict(FREQ=1500), "center frequency"), (dict(TSAMP=2), "sample rate"),
                           (dict(NBIT=8), "encoding"), (dict(NPOL=2), "streams")):
            first, other = self.dada(0, self.pieces[0]), self.dada(1, self.pieces[1], **more)
            with self.assertRaisesRegex((ValueError, RuntimeError), word):
                fringe.recording_info(first + "+" + other, "dada")
        with self.assertRaisesRegex(ValueError, r"x0.dada\+.*x1.dada"):
            obs = fringe.observation.from_text("antennas: [[0, 0, 0]]\nchannels: 8\n")
            fringe.correlate([first, other], self.path("x.uvh5"), obs)

    def test_a_name_with_a_plus(self):
        path = self.dada(0, self.pieces[0])
        os.rename(path, self.path("a+b.dada"))
        self.assertEqual(fringe.recording_info(self.path("a+b.dada"), "dada").samples, LENGTH)
        os.rename(self.path("a+b.dada"), self.path("a*.dada"))
        self.assertEqual(fringe.files_of_recording(self.path("a*.dada")), [self.path("a*.dada")])

    def test_joined_by_cat(self):
        """The second header is no sample, whether the first tells where it is or not."""
        for more, reads in ((dict(), True), (dict(FILE_SIZE=""), False)):
            files = [self.dada(k, piece, **more) for k, piece in enumerate(self.pieces)]
            with open(self.path("cat.dada"), "wb") as out:
                for name in files:
                    with open(name, "rb") as file:
                        out.write(file.read())
            if reads:
                self.check_input(self.path("cat.dada"), 0, self.x)
            else:
                self.refused(self.path("cat.dada"), "another header", "joined by '+'")

    def test_without_times(self):
        """They follow each other as they are named; numbers in names count as numbers."""
        for k, name in enumerate(("n9.ci16", "n10.ci16", "n100.ci16")):
            self.pieces[k].astype("<i2").tofile(self.path(name))
        name = self.path("n*.ci16")
        source = fringe.file_source([name], "ci16", 1, 1024, 1e6)
        self.assertEqual(source.total_samples(), COUNT * LENGTH)
        self.assertEqual([os.path.basename(path) for path in fringe.files_of_recording(name)],
                         ["n9.ci16", "n10.ci16", "n100.ci16"])
        self.assertIn("not all state their time", describe(name, inputs=1))

    def guppi(self, k, data):
        cards = dict(OBSNCHAN=1, NPOL=1, NBITS=8, OBSFREQ=1400.0, TBIN=1e-6, BLOCSIZE=data.nbytes,
                     PKTIDX=k * LENGTH, PIPERBLK=LENGTH, STT_IMJD=61000, STT_SMJD=0)
        with open(self.path(f"g.{k:04}.raw"), "wb") as out:
            out.write(b"".join(f"{key:<8}= {value!s:>20}".ljust(80).encode()
                               for key, value in cards.items()) + b"END".ljust(80))
            out.write(data.tobytes())

    def test_guppi(self):
        """PKTIDX goes on from file to file; the file in the middle was lost."""
        x = self.noise(COUNT, LENGTH)
        for k in range(COUNT):
            self.guppi(k, x[k])
        self.check_input(self.path("g.*.raw"), 0, x.reshape(-1, 2))
        os.unlink(self.path("g.0001.raw"))
        x[1] = 0
        self.check_input(self.path("g.*.raw"), 0, x.reshape(-1, 2))

    def vdif(self, name, x, first, rate=40, extension=0):
        """Frames of 384 real samples of 2 bits, of `rate` frames a second."""
        with open(self.path(name), "wb") as out:
            for n, frame in enumerate(x, first):
                words = [n // rate, n % rate | 52 << 24, 128 // 8 | 1 << 29, 1 << 26 | 0x4141,
                         extension, 0, 0, 0]
                packed = (frame.reshape(-1, 4) << np.arange(0, 8, 2)).sum(axis=1)
                out.write(np.array(words, "<u4").tobytes() + packed.astype(np.uint8).tobytes())

    def test_vdif(self):
        """Samples of 2 bits; the second file is shorter than a second, begins 3 frames late and
        does not tell how many frames a second has."""
        codes = self.rng.integers(0, 4, (120, 384), dtype=np.uint8)
        self.vdif("v0.vdif", codes[:90], 0)
        self.vdif("v1.vdif", codes[93:113], 93)
        levels = np.array([-3.3359, -1, 1, 3.3359], np.float32)[codes[:113]]
        levels[90:93] = np.nan
        info = fringe.recording_info(self.path("v?.vdif"), "vdif")
        self.assertEqual((info.samples, info.missing, info.sample_rate),
                         (113 * 384, 3 * 384, 40 * 384))
        found, *_ = read_samples(self.path("v?.vdif"))
        kept = ~np.isnan(levels.ravel())
        np.testing.assert_allclose(found[kept], levels.ravel()[kept], rtol=1e-4)

    def test_visibilities_and_plans(self):
        """Two receivers of two files each give what two whole files give, in parts too."""
        y = np.rint(self.rng.normal(0, 900, self.x.shape) + self.x)
        names = []
        for letter, samples in (("a", self.x), ("b", y)):
            pieces = [samples[:5000], samples[5000:]]
            first = [0, 5000]
            files = []
            for k, piece in enumerate(pieces):
                path = self.dada(k, piece, first[k], FILE_SIZE="")
                os.rename(path, self.path(f"{letter}{k}.dada"))
                files.append(self.path(f"{letter}{k}.dada"))
            names.append("+".join(files))
            os.rename(self.dada(0, samples, FILE_SIZE=""), self.path(f"{letter}.dada"))
        options = dict(channels=16, spectra=100)
        fringe.correlate([self.path("a.dada"), self.path("b.dada")], self.path("whole.uvh5"),
                         **options)
        fringe.correlate(names, self.path("pieces.uvh5"), **options)
        plan = make_plan(names, parts=2, **options)
        plan.write(self.path("p.json"))
        for part in range(len(plan.parts)):
            work(self.path("p.json"), part)
        merge(self.path("p.json"), [self.path("parts.uvh5")])
        whole = read_visibilities(self.path("whole.uvh5")).data
        for name in ("pieces", "parts"):
            np.testing.assert_array_equal(read_visibilities(self.path(f"{name}.uvh5")).data, whole)
        with open(self.path("b1.dada"), "ab") as file:
            file.write(b"1234")
        with self.assertRaisesRegex(ValueError, "the plan was made for"):
            plan.check_inputs()


if __name__ == "__main__":
    unittest.main()
