#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""`fringe calibrate`, the observation files that it writes, and a real recording."""

import contextlib
import importlib.util
import io
import os
import tempfile
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration import calibrated
from gnuradio.fringe.calibration.file import edited, write_calibrated
from gnuradio.fringe.calibration.sources import read_catalogue
from gnuradio.fringe.cli import main
from qa_scratch import random_numbers

RNG = random_numbers()
HERE = os.path.dirname(os.path.realpath(__file__))
DATA = os.environ.get("FRINGE_TEST_DATA") or os.path.join(HERE, "../../../../shared/data")
TART = os.path.join(DATA, "tart", "mg-tana-raw.hdf")

ARRAY = """\
# our array
site: {latitude: -30, longitude: 20}   # in the desert
antennas:
  - {name: A, enu: [0, 0, 0]}
  - {name: B, enu: [33, 4, 0]}
  - {name: C, enu: [-20, 31, 0]}
  - {name: D, enu: [11, -42, 0]}
  - {name: E, enu: [-37, -9, 0]}
%s
format: ci8
sample_rate: 1e6     # Hz
center_frequency: 150e6
start_time: 2026-03-01T00:00:00
channels: 64
integration: 0.1
sky: {receiver_noise: 1, sources: [{name: S, az: 120, el: 50, flux: 2}, {name: T, az: 20, el: 60}]}
"""
LISTED = """\
inputs:
  - {antenna: C, stream: 2}            # late
  - antenna: A   # the first
    stream: 0
    phase: 10.0  # measured
  - {antenna: B, gain: 1.0, stream: 1}
  - {antenna: D, stream: 3, cable_delay: 1e-8}
  - {antenna: E, stream: 4}"""


def solved(inputs):
    return fringe.calibration.common_signal(
        RNG.uniform(-1e-6, 1e-6, inputs), RNG.uniform(-180, 180, inputs),
        RNG.uniform(0.5, 2, inputs), np.ones(inputs))


def run(*words):
    """Exit code, what was printed, and what was complained."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as stopped:
            code = stopped.code
    return code, out.getvalue(), err.getvalue()


class qa_observation_file(unittest.TestCase):
    """The text of the file stays; the fields come back."""

    def check(self, text, kept=True):
        obs = fringe.observation.from_text(text)
        new = calibrated(obs, solved(len(obs.inputs)), bad=[1])
        with tempfile.TemporaryDirectory() as folder:
            old, path = os.path.join(folder, "old.yml"), os.path.join(folder, "new.yml")
            with open(old, "w", encoding="utf-8") as file:
                file.write(text)
            write_calibrated(path, new, old)
            self.assertEqual(sorted(os.listdir(folder)), ["new.yml", "old.yml"])
            with open(path, encoding="utf-8") as file:
                written = file.read()
        back = fringe.observation.from_text(written)
        for entry, other in zip(back.inputs, new.inputs):
            self.assertAlmostEqual(entry.phase, other.phase, 4)
            self.assertAlmostEqual(entry.cable_delay * 1e9, other.cable_delay * 1e9, 6)
            self.assertAlmostEqual(entry.gain / other.gain, 1, 6)
            self.assertEqual((entry.bad, entry.antenna, entry.stream, entry.polarization),
                             (other.bad, other.antenna, other.stream, other.polarization))
        for antenna, other in zip(back.antennas, obs.antennas):
            self.assertEqual((antenna.mount, antenna.receptors, antenna.feed_angle),
                             (other.mount, other.receptors, other.feed_angle))
        self.assertEqual("# our array" in written, kept and "# our array" in text)
        return written

    def test_listed_inputs_are_changed_in_place(self):
        text = ARRAY % LISTED
        written = self.check(text)
        for comment in ("# late", "# the first", "# measured", "# Hz", "# in the desert"):
            self.assertIn(comment, written)
        self.assertEqual(len(written.splitlines()) - len(text.splitlines()), 2)
        self.assertIn("\n    stream: 0\n    phase: ", written)

    def test_inputs_that_were_not_listed(self):
        self.check(ARRAY % "")
        written = self.check(ARRAY % "polarizations: [X, Y]   # both")
        self.assertNotIn("polarizations", written)
        self.assertIn("# both", written)
        self.check(ARRAY % "polarizations:\n  - R\n  - L\n")

    def test_mounts_and_feeds_stay(self):
        text = (ARRAY % "mount: x-y  # all\nfeed_angle: 12.5\npolarizations: [R, L]").replace(
            "{name: B,", "{name: B, mount: fixed, feed_angle: -30, receptors: circular,")
        written = self.check(text)
        for words in ("mount: x-y  # all", "{name: B, mount: fixed, feed_angle: -30"):
            self.assertIn(words, written)

    def test_unusual_files_are_written_anew(self):
        self.check('{antennas: [[0, 0, 0], [1, 0, 0]], sample_rate: 1e6, mount: equatorial, '
                   'feed_angle: [90, 0]}', kept=False)
        self.check(fringe.observation.example(3).to_text())
        self.check('{antennas: [[0, 0, 0], [1, 0, 0]], sample_rate: 1e6}', kept=False)
        text = "inputs:\n  - &a {antenna: A}\n  - {antenna: B, stream: 1}"
        self.check(ARRAY % text)

    def test_nothing_new_changes_nothing(self):
        text = ARRAY % LISTED
        self.assertEqual(edited(text, fringe.observation.from_text(text)), text)

    def test_a_failure_leaves_what_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "no", "such.yml")
            with self.assertRaisesRegex(ValueError, "the folder .*no does not exist"):
                write_calibrated(path, fringe.observation.example(2))
            self.assertEqual(os.listdir(folder), [])


class qa_calibrate(unittest.TestCase):
    """The command, from a simulated recording."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        cls.obs = cls.path("old.yml")
        with open(cls.obs, "w", encoding="utf-8") as file:
            file.write(ARRAY % LISTED)
        with open(cls.path("sky.yml"), "w", encoding="utf-8") as file:
            file.write("- {name: S, az: 120, el: 50, flux: 2}\n- {name: T, az: 20, el: 60, "
                       "flux: 1}\n")
        obs = fringe.observation.from_file(cls.obs)
        # Far enough from one another that gains without delays cannot take their place.
        delays = RNG.permutation(np.linspace(-1e-7, 1e-7, 5)) + RNG.uniform(-5e-9, 5e-9, 5)
        fringe.simulate(calibrated(obs, solved(5)._replace(delay=delays)),
                        cls.path("sky.ci8"), 600_000, seed=int(RNG.integers(1 << 30)))
        for name in ("sky.ACC", "sky.ms", "sky.LCCSPC", "sky.uvh5"):
            fringe.correlate(cls.path("sky.ci8"), cls.path(name), cls.obs)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def calibrate(self, name, *words):
        return run("calibrate", self.path(name), "--observation", self.obs, *words)

    def test_every_format_gives_the_same(self):
        results = []
        for k, name in enumerate(("sky.ACC", "sky.ms", "sky.LACSPC", "sky.uvh5")):
            new = self.path(f"new{k}.yml")
            code, printed, complained = self.calibrate(name, "--catalogue", self.path("sky.yml"),
                                                       "--delays", "--reference", "B", "-o", new)
            self.assertEqual((code, complained), (0, ""))
            self.assertIn("5 of 5 inputs calibrated", printed)
            self.assertRegex(printed, r"B +\+0\.00 .*\(reference\)")
            self.assertIn(f"wrote {new}", printed)
            inputs = fringe.observation.from_file(new).inputs
            results.append([
                (entry.cable_delay * 1e9, np.exp(2j * np.pi * (
                    entry.phase / 360 - 150e6 * entry.cable_delay)), entry.gain)
                for entry in inputs])
        # A MeasurementSet's times are right to the microsecond.
        np.testing.assert_allclose(results[1:], results[:1] * 3, atol=2e-3)
        self.applied(new)

    def applied(self, new):
        """Correlated with what was found, nothing is left to find."""
        again = self.path("again.ACC")
        fringe.correlate(self.path("sky.ci8"), again, new)
        code, printed, _ = run("calibrate", again, "--obs", new, "--catalogue",
         self.path("sky.yml"), "--delays", "--reference", "B", "-o",
                               self.path("again.yml"))
        self.assertEqual(code, 0, printed)
        before, after = (fringe.observation.from_file(path).inputs
                         for path in (new, self.path("again.yml")))
        for entry, other in zip(before, after):
            self.assertAlmostEqual(entry.cable_delay * 1e9, other.cable_delay * 1e9, delta=0.2)
            self.assertAlmostEqual(entry.gain / other.gain, 1, delta=0.003)

    def test_what_cannot_be_solved_has_an_exit_code(self):
        wrong = ("--azel", "200,30,2", "--azel", "320,40,1")
        code, printed, complained = self.calibrate("sky.ms", *wrong, "-o", self.path("none.yml"),
                                                   "--delays", "--max-unexplained", "0.2")
        self.assertEqual((code, printed), (3, ""))
        self.assertRegex(complained, "fringe calibrate: .*sky.ms: .*directions")
        self.assertFalse(os.path.exists(self.path("none.yml")))

    def test_a_model_that_does_not_fit_is_refused(self):
        """Of T the receivers hear half of what the model says, as of a polarized source."""
        model = self.path("polarized.yml")
        with open(model, "w", encoding="utf-8") as file:
            file.write("- {name: S, az: 120, el: 50, flux: 2}\n- {name: T, az: 20, el: 60, "
                       "flux: 2}\n")
        words = ("--catalogue", model, "--delays", "-o", self.path("wrong.yml"))
        code, printed, complained = self.calibrate("sky.ms", *words)
        self.assertEqual((code, printed), (3, ""))
        self.assertRegex(
            complained, r"^fringe calibrate: .*sky.ms: single baselines differ from the model by "
            r"\d+\.\d %, which is not noise \(up to 1.5 % is taken, --max-misfit PART takes more\)")
        self.assertEqual(complained.count("\n"), 1)
        self.assertFalse(os.path.exists(self.path("wrong.yml")))
        for flag in ("--max-misfit", "--max-unexplained"):
            code, printed, _ = self.calibrate("sky.ms", *words, "--overwrite", flag, "0.9")
            self.assertEqual(code, 0)
            self.assertRegex(printed, r"baselines differ from the model by \d+\.\d %")

    def test_delays_that_are_not_solved_for_are_advised(self):
        _, printed, _ = self.calibrate("sky.ms", "--catalogue", self.path("sky.yml"),
                                       "--max-unexplained", "1")
        self.assertIn("cable delays (--delays)", printed)

    def test_mistakes_are_reported(self):
        known = ("--azel", "120,50,2")
        for words, sentence in (
                ((), "say what was observed"),
                (known + ("--common-signal",), "say what was observed"),
                (known + ("--without", "x"), "goes with --common-signal"),
                (("--common-signal",), "sky.ms: is phased to a direction"),
                (("--azel", "120"), "give AZ,EL"),
                (("--source", "1d,2d"), "'1d' is not an angle"),
                (("--catalogue", self.obs), "must be a list of sources"),
                (("--catalogue", "/no"), "/no: cannot be read"),
                (known + ("--reference", "Z"), "Z: is no antenna; there are A, B"),
                (known + ("--channels", "5"), "give two whole numbers"),
                (known + ("--channels", "5:65"), "channels 0 ... 63"),
                (known + ("--max-unexplained", "2"), "at most 1"),
                (known + ("--max-misfit", "0"), "--max-misfit: 0: must be more than 0"),
                (known + ("-o", self.obs), "exists"),
                (known + ("-o", "/no/x.yml"), "folder /no does not exist"),
                (known + ("-o", self.folder), "is a folder")):
            with self.subTest(sentence):
                code, printed, complained = self.calibrate("sky.ms", *words)
                self.assertEqual((code, printed), (2, ""))
                self.assertIn(sentence, complained)
                self.assertEqual(complained.count("\n"), 1)

    def test_a_common_signal(self):
        obs = fringe.observation.from_file(self.obs)
        obs.antennas = []
        for name in "ABCDE":
            obs.add_antenna(name, [0, 0, 0])  # equal cables
        obs.sky = [fringe.point_source(l=0, m=0, flux=1)]
        fringe.simulate(calibrated(obs, solved(5)), self.path("diode.ci8"), 300_000,
                        seed=int(RNG.integers(1 << 30)))
        fringe.correlate(self.path("diode.ci8"), self.path("diode.ACC"), self.obs)
        new = self.path("diode.yml")
        code, printed, complained = self.calibrate("diode.ACC", "--common-signal", "-o", new)
        self.assertEqual((code, complained), (0, ""))
        fringe.correlate(self.path("diode.ci8"), self.path("after.ACC"), new)
        vis = fringe.read_visibilities(self.path("after.ACC"))
        i, j = vis.products
        middle = vis.data[:, 4:60, i != j].mean(axis=0)
        self.assertLess(np.abs(np.degrees(np.angle(middle.mean(axis=0)))).max(), 0.6)

    def test_catalogues(self):
        path = self.path("some.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("- {name: Cyg A, ra: 19h59m28.4s, dec: +40d44m02s}\n- {az: 10, el: 2.5}\n"
                       "- {name: sat, satellite: table.txt}\n")
        with open(self.path("table.txt"), "w", encoding="utf-8") as file:
            for k in range(5):
                file.write(f"2026-03-01T00:0{k}:00 {2e7 + k} 1e7 {k}e6\n")
        first, second, third = read_catalogue(path)
        self.assertAlmostEqual(np.degrees(first.direction.longitude), 299.8683, 4)
        self.assertEqual((second.name, first.flux, third.name), ("source1", None, "sat"))
        self.assertEqual(third.direction.name, self.path("table.txt"))
        for text, words in (("- 5", "source 1: must be"), ("- {az: 1, dec: 2}", "not by both"),
                            ("- {az: 1}", "el"), ("- {az: 1, el: 2, size: 3}", "no field size"),
                            ("[", "no YAML"), ("- {az: 1, el: 2, flux: 0}", "positive"),
                            ("- {satellite: none.txt}", "none.txt")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text), self.assertRaisesRegex(ValueError, words):
                read_catalogue(path)


@unittest.skipUnless(os.path.exists(TART), f"real data: {TART} is not there")
class qa_tart_calibration(unittest.TestCase):
    def test_seven_satellites_from_raw_bits_and_directions(self):
        """Phases of 24 receivers, solved and applied: the example does it all."""
        path = os.path.join(HERE, "..", "..", "..", "examples", "images", "tart_calibration.py")
        spec = importlib.util.spec_from_file_location("tart_calibration", path)
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(example.main(TART, folder), 7)

    def test_phases_with_unknown_fluxes_by_one_command(self):
        """Fluxes of eight satellites and 24 phases, from the main lobe as it is: most of it is no
        GPS, and still the phases are near those of tart.yml, found with the codes."""
        known = fringe.observation.from_file(fringe.example_file("tart.yml"))
        plain, inputs = fringe.observation(known), known.inputs
        phases = np.radians([entry.phase for entry in inputs])
        for entry in inputs:
            entry.phase = 0.0
        plain.inputs = inputs
        with tempfile.TemporaryDirectory() as folder:
            path, table = (os.path.join(folder, name) for name in ("tart.ms", "tart.h5"))
            fringe.correlate(TART, path, plain, channels=512)
            words = ("calibrate", path, "--terms", "G:phase", "--catalogue",
                     fringe.example_file("tart_satellites.yml"), "--channels", "225:285",
                     "-o", table, "--max-misfit")
            with contextlib.redirect_stdout(io.StringIO()) as printed, \
                    contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(main([*words, "0.5"]), 3)  # refused: it does not fit
                self.assertEqual(main([*words, "1"]), 0)
            self.assertEqual(printed.getvalue().count("flux of PRN"), 8)
            gains = fringe.read_solutions(table).terms[0].values[0, 0, :, 0]
        self.assertGreater(np.abs((gains * np.exp(-1j * phases)).mean()), 0.93)


if __name__ == "__main__":
    unittest.main()
