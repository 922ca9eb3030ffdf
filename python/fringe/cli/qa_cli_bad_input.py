#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Bad input to the command `fringe`: one clear sentence, exit code 2, nothing left behind."""
import os
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from qa_cli import command, in_a_folder

SKY = """
antennas: [[0, 0, 0], [50, 0, 0]]
format: ci8
sample_rate: 1e6
sky: {sources: [{l: 0.1, m: 0.1}]}
"""
RAW = ["--format", "ci8", "--inputs", "2", "--sample-rate", "1e6", "--channels", "16"]
FLOATS = ["--format", "cf32", *RAW[2:]]

# (words of the command line, what the sentence has to name)
NO_RECORDINGS = [
    (["truncated", *RAW], ["truncated: ", "15999", "2 inputs"]),
    (["empty", *RAW], ["empty: is empty"]),
    (["missing", *RAW], ["missing: ", "No such file"]),
    (["folder", *RAW], ["folder: is a folder"]),
    (["/dev/zero", *RAW], ["/dev/zero: ", "not an ordinary file"]),
    (["/proc/self/mem", *RAW], ["/proc/self/mem: "]),
    (["good", "--format", "tart"], ["good: ", "not an HDF5 file"]),
    (["hdf5", *RAW], ["hdf5: is an HDF5 file", "tart"]),
    (["hdf5", "--format", "tart"], ["hdf5: "]),
    (["good", "empty", *RAW], ["empty: is empty"]),
    (["nan", *FLOATS], ["nan: ", "byte 0", "NaN"]),
    (["infinite", *FLOATS], ["infinite: ", "byte 1204", "infinity"]),
    (["nan", *FLOATS, "--requantize", "8"], ["nan: ", "byte 0", "NaN"]),
]

WRONG_NUMBERS = [
    ("--inputs", ["0", "-2", "2.5", "two", "1e30"]),
    ("--sample-rate", ["-1e6", "0", "nan", "inf", "1e-300", "1e300", "fast"]),
    ("--center-frequency", ["-1", "nan", "-inf", "1e300"]),
    ("--channels", ["0", "-1", "4001", "1000000000", "1.5"]),
    ("--taps", ["0", "33", "-1"]),
    ("--integration", ["0", "-1", "nan", "inf", "1e-6", "1e30"]),
    ("--spectra", ["0", "-1", "nan", "99999999999999999999"]),
    ("--start-sample", ["4000", "-1", "1,2", "a", ",", "1e30"]),
    ("--samples", ["4001", "0", "-1", "60"]),
]

WRONG_WORDS = [
    (["good", *RAW, "--window", "triangle"], ["--window", "triangle", "hann"]),
    (["good", *RAW, "--format", "ci9"], ["ci9", "cf32"]),
    (["good", *RAW, "--requantize", "5"], ["--requantize", "'5'", "8", "none"]),
    (["good", *RAW, "--backend", "quick"], ["--backend", "quick", "generic"]),
    (["good", *RAW, "--backend", "cuda:x"], ["--backend", "cuda:x", "cuda:1", "generic"]),
    (["good", *RAW, "--start-time", "yesterday"], ["--start-time", "yesterday", "ISO 8601"]),
    (["good", *RAW, "--speed", "3"], ["--speed"]),
    (["good", *RAW, "--integration", "1", "--spectra", "9"], ["--integration", "--spectra"]),
    (["good", "good", *RAW, "--inputs", "3"], ["--inputs", "3", "2 files"]),
    (["good", *RAW[:4], *RAW[6:]], ["--sample-rate", "not given"]),
    (["good", *RAW[:2], *RAW[4:]], ["--inputs", "not given", "ci8"]),
    (["good", *RAW[2:]], ["--format", "not given", "ci8"]),
    (["good", "--format", "ci8", "--inputs", "3", *RAW[4:]], ["good: ", "3 inputs"]),
    (RAW, ["INPUT"]),
]

NO_OBSERVATIONS = [
    ("missing.yml", ["missing.yml: ", "No such file"]),
    ("folder", ["folder: ", "directory"]),
    ("empty", ["empty: is empty"]),
    ("good", ["good: is not text"]),
    ("malformed.yml", ["malformed.yml, line 2", "YAML"]),
    ("unknown.yml", ["unknown.yml, line 2", "sample_rat", "'sample_rate'"]),
    ("value.yml", ["value.yml, line 2", "channels", "many"]),
    ("three.yml", ["--inputs", "2", "3 inputs"]),
]

NO_OUTPUTS = [
    ("out.fit", ["out.fit: ", ".ms, .ACC"]),
    ("out.fits", ["no image", "center frequency"]),  # a picture of the sky
    ("out", ["out: ", ".ms, .ACC"]),
    ("there.ACC", ["there.ACC: exists", "--overwrite"]),
    ("there.ms", ["there.ms: exists"]),
    ("no/such/out.ms", ["no/such/out.ms: ", "folder no/such does not exist"]),
    ("good.ACC", ["good.ACC", "read"]),
    ("./link.ACC", ["link.ACC", "good.ACC", "read"]),
    ("rest.ACC", ["rest.ACC", "rest.partial.ACC", "read"]),
]

OTHER_COMMANDS = [
    (["simulate", "missing.yml", "-o", "out"], ["missing.yml: ", "No such file"]),
    (["simulate", "three.yml", "-o", "out", "--format", "ci8"], ["sample_rate"]),
    (["simulate", "sky.yml", "-o", "good"], ["good: exists", "--overwrite"]),
    (["simulate", "sky.yml", "-o", "sky.yml", "--overwrite"], ["sky.yml", "observation"]),
    (["simulate", "sky.yml", "-o", "folder", "--overwrite"], ["folder: is a folder"]),
    (["simulate", "sky.yml", "-o", "no/such/out"], ["folder no/such does not exist"]),
    (["simulate", "sky.yml", "-o", "out", "--samples", "-5"], ["--samples", "-5"]),
    (["simulate", "sky.yml", "-o", "out", "--samples", "0"], ["--samples", "0"]),
    (["simulate", "sky.yml", "-o", "out", "--seconds", "inf"], ["--seconds", "inf"]),
    (["simulate", "sky.yml", "-o", "out", "--seconds", "nan"], ["--seconds", "nan"]),
    (["simulate", "sky.yml", "-o", "out", "--seconds", "1e-12"], ["--seconds", "0 samples"]),
    (["simulate", "sky.yml", "-o", "out", "--level", "nan"], ["level", "nan"]),
    (["simulate", "sky.yml", "-o", "out", "--seed", "-1"], ["seed", "-1"]),
    (["simulate", "sky.yml", "-o", "out", "--format", "ci9"], ["ci9", "cf32"]),
    (["simulate", "sky.yml", "-o", "out", "--format", "tart"], ["tart", "i8"]),
    (["info"], ["FILE"]),
    (["info", "missing"], ["missing: "]),
    (["info", "folder"], ["folder: "]),
    (["info", "good"], ["good: ", "--format"]),
    (["info", "good", "--format", "ci8"], ["good: ", "--inputs"]),
    (["info", "good", "--format", "ci8", "--inputs", "3"], ["good: ", "3 inputs"]),
    (["info", "good", "--format", "ci8", "--inputs", "-3"], ["--inputs", "-3"]),
    (["info", "good", "--format", "ci8", "--inputs", "2", "--sample-rate", "nan"],
     ["--sample-rate", "nan"]),
    (["info", "there.ms"], ["there.ms: ", "MeasurementSet"]),
    (["info", "there.ACC"], ["there.ACC: ", "there.ACC.yml"]),
    (["plot", "missing.ms"], ["missing.ms: "]),
    (["plot", "good"], ["good: ", "known by their content", ".ACC"]),
    (["plot", "there.ms"], ["there.ms: ", "MeasurementSet"]),
    (["plot", "there.ACC", "--inputs", "-2", "--channels", "5"], ["--inputs", "-2"]),
    (["plot", "there.ACC", "--inputs", "2", "--channels", "5"], ["there.ACC: "]),
    (["plot", "good.ACC", "-o", "out.jpg"], ["out.jpg", ".png, .pdf, .svg"]),
    (["plot", "good.ACC", "--baselines", "auto", "--sky", "sky.yml"], ["--baselines", "--sky"]),
    (["plot", "good.ACC", "--band", "2,1"], ["--band: 2,1"]),
    (["plot", "good.ACC", "--check"], ["--check", "--sky"]),
    (["plot", "good.ACC", "--sky", "three.yml"], ["three.yml", "no sources"]),
    ([], ["COMMAND"]),
    (["corelate", "good"], ["corelate", "correlate"]),
]


class qa_bad_input(in_a_folder):

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        good = rng.integers(-20, 20, 16000, np.int8).tobytes()
        for name, content in (
                ("good", good), ("good.ACC", good), ("rest.partial.ACC", good),
                ("truncated", good[:-1]), ("empty", b""), ("there.ACC", b"something"),
                ("there.ms", b"something"), ("hdf5", b"\x89HDF\r\n\x1a\n" + good[8:]),
                ("malformed.yml", "antennas: [[0, 0, 0]\n"),
                ("unknown.yml", "antennas: [[0, 0, 0], [1, 0, 0]]\nsample_rat: 3\n"),
                ("value.yml", "antennas: [[0, 0, 0], [1, 0, 0]]\nchannels: many\n"),
                ("three.yml", "antennas: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]\n"),
                ("sky.yml", SKY)):
            self.write(name, content)
        os.mkdir(self.path("folder"))
        os.link(self.path("good.ACC"), self.path("link.ACC"))
        for name, value, place in (("nan", np.nan, 0), ("infinite", -np.inf, 301)):
            floats = rng.standard_normal(2 * 2 * 4000).astype("<f4")
            floats[place] = value
            self.write(name, floats.tobytes())
        self.before = self.content()

    def content(self):
        return {name: None if os.path.isdir(self.path(name)) else self.read(name)
                for name in os.listdir(self.folder)}

    def check(self, cases):
        """Runs (words, what to name) two at a time; all of them must be refused. Each recording
        has a name of its own, as two must not be written to the same file at once."""
        cases = [([f"out{k}" if word == "out" and words[0] == "simulate" else word
                   for word in words], named) for k, (words, named) in enumerate(cases)]
        with ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(lambda case: command(*case[0], cwd=self.folder), cases))
        for (words, named), done in zip(cases, runs):
            with self.subTest(" ".join(words)):
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, r"\Afringe( \w+)?: [^\n]+\n\Z")
                for word in named:
                    self.assertIn(word, done.stderr)
                for word in ("Traceback", "incompatible function", "Errno", "std::"):
                    self.assertNotIn(word, done.stderr)
        self.assertEqual(self.content(), self.before, "nothing is left, nothing is changed")

    def correlations(self, cases):
        return [(["correlate", *words, "-o", "out.ms", "-o", "out2.ACC"] if k % 2 else
                 ["correlate", *words, "-o", f"out{k}.ACC"], named)
                for k, (words, named) in enumerate(cases)]

    def test_files_that_are_no_recordings(self):
        self.check(self.correlations(NO_RECORDINGS))

    def test_numbers_that_cannot_be_right(self):
        # Given last, a flag overrides an earlier value.
        short = {"--integration": RAW, "--spectra": RAW}
        self.check(self.correlations(
            [(["good", *short.get(flag, RAW + ["--spectra", "10"]), flag, value], [flag])
             for flag, values in WRONG_NUMBERS for value in values]))

    def test_words_that_mean_nothing(self):
        self.check(self.correlations(WRONG_WORDS))

    def test_observation_files(self):
        self.check(self.correlations(
            [(["good", *RAW, "--obs", name], named) for name, named in NO_OBSERVATIONS]))

    def test_outputs(self):
        recordings = {"./link.ACC": "good.ACC", "good.ACC": "good.ACC",
                      "rest.ACC": "rest.partial.ACC"}
        cases = []
        for name, named in NO_OUTPUTS:
            words = ["correlate", recordings.get(name, "good"), *RAW, "-o", name]
            cases.append((words, named))
            if name in recordings or name == "there.ms":
                cases.append((words + ["--overwrite"], named))
        for twice in (["-o", "a.ms", "-o", "./a.ms"], ["-o", "a.ACC", "-o", "a.ACC"]):
            cases.append((["correlate", "good", *RAW, *twice], ["same file", twice[1]]))
        cases.append((["correlate", "good", *RAW, "-o", "first.ms", "-o", "there.ACC"],
                      ["there.ACC: exists"]))
        cases.append((["correlate", "good", *RAW], ["-o"]))
        self.check(cases)

    def test_the_other_commands(self):
        self.check(OTHER_COMMANDS)

    def test_what_may_not_be_read_or_written(self):
        # Root may do everything; the command then runs as another user.
        user = {"env": {**os.environ, "HOME": self.folder}}
        if os.geteuid() == 0:
            user.update(user=65534, group=65534, extra_groups=[])
        os.chmod(self.folder, 0o755)
        if command("--version", **user).returncode != 0:
            self.skipTest("unreadable files: no user but root can run the command here")
        os.chmod(self.path("truncated"), 0)
        os.chmod(self.path("folder"), 0o500)
        for words, named in ((["truncated", *RAW, "-o", "out.ms"], "truncated: "),
                             (["good", *RAW, "-o", "folder/out.ms"], "folder/out.ms: ")):
            done = command("correlate", *words, cwd=self.folder, **user)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, rf"\Afringe correlate: {named}[^\n]*ermission[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
