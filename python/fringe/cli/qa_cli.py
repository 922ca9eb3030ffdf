#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The command `fringe`: help, a round trip from simulation to picture, what its flags mean."""
import os
import re
import shlex
import subprocess
import sys
import unittest

import numpy as np
import yaml

from gnuradio.fringe import cli
from qa_forked import FRINGE, run_forked
from qa_scratch import TIMEOUT, scratch_case

try:
    import argcomplete
except ImportError:
    argcomplete = None

COMMANDS = ("correlate", "simulate", "plot", "image", "export", "info")

# A dozen antennas that see two sources well.
SKY = """
telescope: a dozen
site: {latitude: -30, longitude: 21, height: 1000}
antennas: [[0, 0, 0], [11, 2, 0], [-7, 9, 0], [3, -13, 0], [19, 17, 0], [-21, 5, 0],
           [-16, -18, 0], [8, 26, 0], [24, -9, 0], [-3, 21, 0], [14, -24, 0], [-28, -6, 0]]
sample_rate: 4e6
center_frequency: 150e6
start_time: 2026-06-12T11:20:40Z
format: ci8
channels: 64
integration: 0.004
sky:
  sources:
    - {name: east, l: 0.3, m: 0.1, flux: 1}
    - {name: west, l: -0.4, m: -0.25, flux: 0.7}
"""


def command(*words, cwd=None, variables=None, **options):
    """Runs `fringe words...`; returns the finished process, with its output as text. `variables` of
    its environment are looked at after it is loaded. With options of subprocess.run() it is a
    program of its own, else see qa_forked."""
    if not options:
        return run_forked(list(map(str, words)), cwd, TIMEOUT, variables)
    return subprocess.run([sys.executable, FRINGE, *map(str, words)], cwd=cwd, timeout=TIMEOUT,
                          capture_output=True, text=True, check=False, **options)


class in_a_folder(scratch_case):
    """Tests that run in a folder of their own."""

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_well(self, *words):
        """Runs a command that must end well; returns what it printed."""
        done = command(*words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{words}\n{done.stderr}")
        return done.stdout


class qa_help(unittest.TestCase):

    def test_every_command_has_help_with_examples(self):
        for name in COMMANDS:
            with self.subTest(name):
                done = command(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("examples:", done.stdout)
                for line in self.examples(done.stdout, name):
                    cli.parser().parse_args(shlex.split(line)[1:])

    def examples(self, text, name):
        text = re.sub(r"\\\n *", "", text[text.index("examples:"):])
        lines = re.findall(rf"^  (fringe {name} .*?)(?:   .*)?$", text, re.M)
        self.assertGreaterEqual(len(lines), 2)
        return lines

    def test_the_command_itself(self):
        done = command("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in COMMANDS + ("exit codes", "130"):
            self.assertIn(word, done.stdout)
        self.assertRegex(command("--version").stdout, r"^gr-fringe \d+\.\d+")

    def test_promised_flags_are_there(self):
        text = command("correlate", "--help-all").stdout
        for flag in ("-o", "--obs", "--format NAME", "--inputs N", "--sample-rate HZ",
                     "--center-frequency HZ", "--channels C", "--taps T", "--window",
                     "--integration SECONDS", "--spectra M", "--requantize {none,8,4}",
                     "--start-sample S[,S...]", "--samples K",
                     "--backend {auto,cuda,cuda:1,cpu,generic}"):
            self.assertIn(flag, text)
        for name in ("i8", "u8", "i16", "u16", "f32", "ci8", "cu8", "cu8_128", "ci16", "cf32",
                     "mwa16", "mwa8", "tart", ".ms", ".ACC"):
            self.assertRegex(text, rf"(?m)^  {re.escape(name)} ")

    def test_a_short_help_and_all_of_it(self):
        short, whole = (command("correlate", word).stdout for word in ("--help", "--help-all"))
        options = [set(re.findall(r"(?m)^  (?:-\w[^,]*, )?(--[a-z-]+)", text))
                   for text in (short, whole)]
        self.assertLessEqual(len(options[0] - {"--help", "--help-all"}), 15)
        self.assertLess(options[0], options[1])
        self.assertLessEqual(command("--help").stdout.count("\n"), 40)  # one screen

    def test_help_is_shown_without_the_library(self):
        code = ("import sys; from gnuradio.fringe import cli\n"
                "try: cli.main(['--help'])\n"
                "except SystemExit: pass\n"
                "print([name for name in ('numpy', 'gnuradio.gr') if name in sys.modules])")
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True,
                              check=True, timeout=TIMEOUT)
        self.assertTrue(done.stdout.endswith("[]\n"), done.stdout)
        for name, text in cli.COMMANDS.items():
            self.assertRegex(done.stdout, rf"(?m)^  {name} +{re.escape(text)}$")

    def test_a_command_ends_as_its_output_says(self):
        self.assertEqual(command("--version").returncode, 0)
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([sys.executable, "-P", FRINGE, "info", "--help"], stdout=full,
                                  stderr=subprocess.PIPE, check=False, timeout=TIMEOUT)
        self.assertNotEqual(done.returncode, 0)

    def test_misspelled_options_and_words(self):
        for words, sentence in (
                ("correlate a.ci8 --chanels 64 -o x.ms",
                 "fringe correlate: --chanels: there is no such option; the nearest is "
                 "--channels;"),
                ("plot sky.ms --outptu=x.png", "--outptu: there is no such option; the nearest "
                 "is --output;"),
                ("corelate a.ci8 -o x.ms", "the nearest is correlate; see fringe --help"),
                ("correlate a.ci8 -o x.ms --engine das", "'das': must be one of dask, slurm; "
                 "the nearest is dask;"),
                ("info sky.ms --qqqqqq", "fringe info: --qqqqqq: there is no such option; see"),
                ("merge plan.json more -o a.ms", "fringe merge: more: there is no place for this "
                 "word; see")):
            done = command(*words.split())
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    @unittest.skipUnless(argcomplete, "python3-argcomplete is not installed")
    def test_the_tab_key(self):
        for line, expected in (("fringe corr", {"correlate"}),
                               ("fringe correlate --cha", {"--channels"}),
                               ("fringe correlate --requantize ", {"none", "8", "4"})):
            env = {**os.environ, "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n",
                   "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
            # It answers on file 8.
            done = subprocess.run(["bash", "-c", '"$@" 8>&1 9>/dev/null', "bash", sys.executable,
                                   FRINGE], env=env, capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = {word.strip() for word in done.stdout.split("\n")}
            self.assertLessEqual(expected, found)


class qa_round_trip(in_a_folder):

    def test_simulate_correlate_info_plot(self):
        self.write("sky.yml", SKY)
        text = self.run_well("simulate", "sky.yml", "-o", "sky.ci8", "--samples", 64000)
        self.assertIn("64000 samples of 12 inputs, 0.016 s of 2 sources", text)
        hint = re.search(r"fringe (correlate .*) -o OUT.ms", text)[1]

        text = self.run_well(*shlex.split(hint), "-o", "sky.ms", "-o", "sky.ACC")
        self.assertIn("wrote sky.ms\nwrote sky.ACC\n", text)
        totals = re.fullmatch(r"(\d+) samples of every input read, (\S+) s, (\d+) dumps written, "
                              r"(\d+) samples lost, (\S+) times real time on the [CG]PU",
                              text.splitlines()[-1])
        self.assertEqual(totals.group(1, 2, 3, 4), ("64000", "0.016", "4", "0"))
        self.assertGreater(float(totals[5]), 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["sky.ACC", "sky.ACC.yml", "sky.ci8",
                                                           "sky.ci8.yml", "sky.ms", "sky.yml"])

        for name in ("sky.ms", "sky.ACC"):
            text = self.run_well("info", name)
            for words in ("a dozen", "2026-06-12 11:20:40.000 UTC", "4 dumps of 4 ms",
                          "12 antennas", "78: 12 autocorrelations and 66 cross-corr",
                          "64 of 62.5 kHz, centered on 148 MHz"):
                self.assertIn(words, text)
        text = self.run_well("info", "sky.ci8", "--inputs", 12, "--sample-rate", 4e6)
        for words in ("64000 of each input", "16 ms", "4 MS/s", "ci8"):
            self.assertIn(words, text)

        text = self.run_well("plot", "sky.ms", "--sky", "sky.ci8.yml", "--check")
        self.assertIn("2 of 2 sources are where they should be", text)
        self.assertEqual(self.read("sky.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.write("moved.yml", SKY.replace("l: 0.3", "l: 0.6"))
        done = command("plot", "sky.ACC", "--sky", "moved.yml", "--check", "-o", "moved.png",
                       cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn("1 of 2 sources are where they should be", done.stdout)

    def test_an_output_that_the_shell_closed(self):
        self.write("a.yml", SKY)
        for words in ("--help", "info a.yml"):
            line = f"{shlex.quote(sys.executable)} {shlex.quote(FRINGE)} {words} >&-"
            done = subprocess.run(["sh", "-c", line], cwd=self.folder, timeout=TIMEOUT,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, "Traceback" in done.stderr), (0, False))

    def test_the_same_seed_makes_the_same_bytes(self):
        self.write("sky.yml", SKY)
        for name, seed in (("a", 7), ("b", 7), ("c", 8)):
            self.run_well("simulate", "sky.yml", "-o", name, "--samples", 4000, "--seed", seed)
        self.assertEqual(self.read("a"), self.read("b"))
        self.assertEqual(self.read("a.yml"), self.read("b.yml"))
        self.assertNotEqual(self.read("a"), self.read("c"))
        self.assertEqual(len(self.read("a")), 4000 * 12 * 2)
        for name in ("a", "b"):
            self.run_well("correlate", name, "--obs", "a.yml", "-o", name + ".ACC")
        self.assertEqual(self.read("a.ACC"), self.read("b.ACC"))

    def test_overwrite_replaces(self):
        self.write("sky.yml", SKY)
        for seed in (1, 2):
            self.run_well("simulate", "sky.yml", "-o", "x.ci8", "--samples", 16000, "--seed",
                          seed, "--overwrite")
            self.run_well("correlate", "x.ci8", "--obs", "x.ci8.yml", "-o", "x.ms", "-o",
                          "x.ACC", "--overwrite")
            first = self.read("x.ACC") if seed == 1 else first
        self.assertNotEqual(self.read("x.ACC"), first)


class qa_flags(in_a_folder):

    def test_flags_go_before_the_observation_file(self):
        self.write("sky.yml", SKY)
        self.run_well("simulate", "sky.yml", "-o", "x", "--format", "i8", "--samples", 8000)
        self.run_well("correlate", "x", "--obs", "x.yml", "-o", "plain.ACC")
        self.run_well("correlate", "x", "--obs", "x.yml", "-o", "other.ACC",
                      "--sample-rate", "2e6", "--center-frequency", "1.4204e9", "--channels",
                      40, "--taps", 2, "--window", "kaiser", "--spectra", 30, "--requantize", 8,
                      "--start-time", "2026-07-01T00:00:00.25", "--samples", 5000,
                      "--start-sample", 1000, "--backend", "generic")
        plain, other = (yaml.safe_load(self.read(name)) for name in ("plain.ACC.yml",
                                                                     "other.ACC.yml"))
        was, now = (yaml.safe_load(side["observation"]) for side in (plain, other))
        self.assertEqual((float(was["sample_rate"]), was["channels"]), (4e6, 64))
        self.assertEqual([float(now[key]) for key in ("sample_rate", "center_frequency",
                                                      "channels", "taps", "spectra")],
                         [2e6, 1.4204e9, 40, 2, 30])
        self.assertEqual(now["window"], "kaiser")
        self.assertEqual(str(now["requantize"]), "8")
        self.assertNotIn("integration", now)
        # Real samples of 2 MS/s: 40 channels of 25 kHz around the center frequency.
        np.testing.assert_allclose(other["frequencies"],
                                   1.4204e9 - 0.5e6 + 25e3 * np.arange(40))
        # 62 spectra of 80 samples, 40 us each; one is lost to the second tap.
        self.assertEqual([round(d["exposure"] * 25e3) for d in other["dumps"]], [30, 30, 1])
        # 1000 samples and half a tap after the start.
        self.assertEqual(other["dumps"][0]["start"][:26], "2026-07-01T00:00:00.250520")
        self.assertIn("--spectra 30", other["history"])
        self.assertEqual(len(self.read("other.ACC")), 3 * 78 * 40 * 8)

    def test_each_file_has_its_own_start(self):
        # The second receiver started 100 samples later; the sky is the same.
        x = np.random.default_rng(1).integers(-50, 50, (2000, 2), np.int8)
        self.write("rx0", x.tobytes())
        self.write("rx1", x[100:].tobytes())
        self.run_well("correlate", "rx0", "rx1", "--format", "ci8", "--inputs", 2,
                      "--sample-rate", 1e6, "--channels", 32, "--start-sample", "100,0",
                      "--samples", 1600, "--spectra", 1000, "--keep-edge", "-o", "x.ACC")
        v = np.frombuffer(self.read("x.ACC"), np.complex64).reshape(3, 32)
        self.assertGreater(v[0].real.min(), 0)
        np.testing.assert_allclose(v[1], v[0], rtol=1e-5)
        np.testing.assert_allclose(v[2], v[0], rtol=1e-5)

    def test_a_recording_that_describes_itself_needs_no_flags(self):
        data = os.environ.get("FRINGE_TEST_DATA") or os.path.join(
            os.path.dirname(FRINGE), "../../shared/data")
        tart = os.path.join(data, "tart", "mg-tana-raw.hdf")
        if not os.path.exists(tart):
            self.skipTest(f"real data: {tart} is not there")
        self.run_well("correlate", tart, "--format", "tart", "-o", "x.ms", "--samples", 65536)
        text = self.run_well("info", "x.ms")
        self.assertIn("24 antennas", text)
        self.assertIn("2026-06-12 11:20:40", text)


if __name__ == "__main__":
    unittest.main()
