#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The data sets of the labs, analyzed as students do it: the answers come out, within three errors,
when the flaws have been taken care of."""
import os
import unittest

import numpy as np
import yaml
from gnuradio import fringe
from gnuradio.fringe import radio_astronomy as lab
from gnuradio.fringe.calibration.alignment import align
from gnuradio.fringe.calibration.sources import sources_of
from gnuradio.fringe.labs.simulate_lab import LABS, simulate_lab
from gnuradio.fringe.receiving.read_samples import read_samples
from gnuradio.fringe.simulating.simulator import simulator

from qa_cli import command, in_a_folder

SIGMAS = 3


class lab_case(in_a_folder):
    name = ""

    def setUp(self):
        super().setUp()
        self.lab_path = self.path("lab")
        if self.name:
            simulate_lab(self.name, self.lab_path)
            with open(self.file("answers.yml"), encoding="utf-8") as file:
                self.truth = yaml.safe_load(file)

    def file(self, name):
        return os.path.join(self.lab_path, name)

    def correlated(self, names, obs, ending=".uvh5", **options):
        out = self.file(names[0].replace(".ci8", ending))
        fringe.correlate([self.file(n) for n in names], out, self.file(obs), **options)
        return fringe.read_visibilities(out)

    def late_start(self, first, second, rate):
        """Samples by which the second recording began later."""
        found = align(*(read_samples(self.file(n), "ci8", 1, sample_rate=rate)[0][:int(30 * rate)]
                        for n in (first, second)), rate, 10.0)
        self.assertTrue(found.found)
        return round(-found.offset)

    def near(self, found, true, error, limit):
        """Within three errors, of which none is so large that the test says nothing."""
        self.assertLess(abs(found - true), SIGMAS * error, f"{found} for {true} +- {error}")
        self.assertLess(error, limit)

    def below(self, obs, tone):
        """The part of the band below a carrier."""
        width = obs.sample_rate / obs.channels
        return (obs.center_frequency - obs.sample_rate / 2 + 0.6 * width,
                obs.center_frequency + tone - 1.6 * width)


class qa_sun(lab_case):
    name = "sun"

    def test_the_baseline_and_the_coefficient(self):
        flaws = self.truth["flaws"]
        late = self.late_start("west.ci8", "east.ci8", 4000.0)
        self.assertEqual(late, flaws["late_start"]["samples"])
        obs = fringe.observation.from_file(self.file("sun.yml"))
        vis = self.correlated(("west.ci8", "east.ci8"), "sun.yml", ".ACC",
                              start_sample=[late, 0])
        band = self.below(obs, flaws["carrier"]["hz_from_the_middle"])
        power = lab.total_power(vis, 1, band)
        quiet = power < 1.5 * np.median(power)
        self.assertEqual(np.count_nonzero(~quiet) in (3, 4), True)  # 12 s, in dumps of 5 s
        rho = lab.coefficient(vis, 0, 1, band)[quiet]
        seconds = (vis.seconds - vis.seconds[0] + vis.fractions)[quiet]
        rate, error = lab.fringe_rate(seconds, rho)
        instants = [fringe.epoch(int(s), float(f)) for s, f in zip(vis.seconds, vis.fractions)]
        tau = [np.subtract(*fringe.delays(obs, fringe.phase_center_direction(obs, i)))
               for i in instants]
        model = np.exp(-2j * np.pi * obs.center_frequency * np.array(tau))[quiet]
        paced, _ = lab.fringe_rate(seconds, model)  # the rate of 12 m
        self.near(12 * rate / paced, self.truth["baseline_m"], 12 * error / abs(paced), 0.05)
        self.assertLess(abs(rate / self.truth["fringe_rate_hz"] - 1), 0.01)
        # The coefficient: the fringe stopped at its rate, along and across.
        stopped = rho * np.exp(-2j * np.pi * rate * seconds)
        stopped *= np.exp(-1j * np.angle(stopped.mean()))
        self.near(stopped.real.mean(), self.truth["coefficient"],
                  stopped.real.std() / np.sqrt(len(stopped)), 0.003)
        # What the flaws do to who does not see them: the carrier adds a constant.
        whole = lab.coefficient(vis, 0, 1)[quiet]
        self.assertGreater(abs(whole.mean()), 3 * abs(rho.mean()))
        drift = np.polyfit(np.arange(len(power)), lab.total_power(vis, 0, band), 1)
        self.assertGreater(drift[0] * len(power) / drift[1], 0.1)
        self.check_calibration(obs, late, quiet, slice(1, 10))

    def check_calibration(self, obs, late, quiet, band):
        """The whole is refused, and a wrong baseline; with both mended the Sun's flux is found."""
        for length, tried in ((12.0, ((None, "unexplained"), (band, "differ from the model"))),
                              (self.truth["baseline_m"], ((band, ""),))):
            true = fringe.observation(obs)
            true.antennas = []
            for name, east in (("west", 0.0), ("east", length)):
                true.add_antenna(name, [east, 0, 0])
            with open(self.file("calibrated.yml"), "w", encoding="utf-8") as file:
                file.write(true.to_text())
            vis = self.correlated(("west.ci8", "east.ci8"), "calibrated.yml", ".ms",
                                  start_sample=[late, 0], overwrite=True)
            for channels, words in tried:
                if channels:
                    vis.flags[~quiet] = True
                with self.subTest(length=length, channels=channels):
                    try:
                        found = fringe.calibrate_by_sources(vis, true, sources_of("Sun"), channels,
                                                            phases_only=True)
                    except fringe.unsolved as error:
                        self.assertTrue(words and words in str(error), str(error))
                        continue
                    self.assertEqual(words, "")
                    self.assertAlmostEqual(found.flux["Sun"], self.truth["coefficient"],
                                           delta=0.003)


class qa_cas_a(lab_case):
    name = "cas-a"

    def test_the_beam(self):
        obs = fringe.observation.from_file(self.file("scan.yml"))
        vis = self.correlated(("scan.ci8",), "scan.yml")
        tone = self.truth["flaws"]["carrier"]["hz_from_the_middle"]
        power = lab.total_power(vis, 0, self.below(obs, tone))
        t = vis.seconds - obs.start_time.seconds + vis.fractions
        burst = self.truth["flaws"]["burst"]
        hit = (t > burst["begins_at_s"] - 60) & (t < burst["begins_at_s"] + burst["seconds"] + 60)
        self.assertGreater(power[hit].max() / np.median(power), 1.5)
        dec = np.radians(58.82)
        angle, power, level = lab.drift_angle(t, dec)[~hit], power[~hit], 1
        for _ in range(3):
            fit = lab.fit_beam(angle, power / level)
            # The level drifts: a line through what is outside of the beam.
            outside = abs(angle - fit.center) > 1.25 * fit.width
            level = np.polyval(np.polyfit(angle[outside], power[outside], 1), angle)
        self.near(np.degrees(fit.width), self.truth["beam_width_degrees"],
                  np.degrees(fit.width_error), 0.3)
        self.near(fit.center, lab.drift_angle(self.truth["passes_at_s"], dec), fit.center_error,
                  np.radians(0.2))
        self.near(fit.height / fit.level, self.truth["cas_a_over_noise"], fit.height_error, 0.01)


class qa_hydrogen(lab_case):
    name = "hydrogen"

    def test_the_rotation_curve(self):
        off = np.nanmean(self.correlated(("reference.ci8",), "reference.yml").data[:, :, 0], 0).real
        speeds, errors = [], []
        for longitude, true in self.truth["tangent_velocity_km_s"].items():
            obs = fringe.observation.from_file(self.file(f"l{longitude}.yml"))
            vis = self.correlated((f"l{longitude}.ci8",), f"l{longitude}.yml")
            kelvin = 150 * (np.nanmean(vis.data[:, :, 0], 0).real / off - 1)
            v = lab.lsr_velocity(vis.frequencies, obs) / 1e3
            kelvin = (kelvin - np.median(kelvin))[(v > -150) & (v < 230)]
            v = v[(v > -150) & (v < 230)]
            # The line at the tangent point has the highest velocity of those that are seen.
            edge = v[kelvin > 20].max()
            near = (v > edge - 22) & (v < edge + 30)
            fit = lab.fit_beam(v[near], kelvin[near])
            self.near(fit.center, true, np.hypot(fit.center_error, 0.3), 2)
            speeds.append(fit.center + 220 * np.sin(np.radians(longitude)))
            errors.append(fit.center_error)
        self.near(np.mean(speeds), self.truth["rotation_km_s"],
                  np.linalg.norm(errors) / len(errors), 1)


class qa_closure(lab_case):
    name = "closure"

    def test_the_closure_phase(self):
        late = self.late_start("a.ci8", "c.ci8", 20000.0)
        self.assertEqual(late, self.truth["flaws"]["late_start"]["samples"])
        self.assertEqual(self.late_start("a.ci8", "b.ci8", 20000.0), 0)
        vis = self.correlated(("a.ci8", "b.ci8", "c.ci8"), "triangle.yml", ".ACC",
                              start_sample=[late, late, 0])
        closure = np.degrees(lab.closure_phase(vis, 0, 1, 2))
        power = lab.total_power(vis, 0)
        quiet = power < 1.5 * np.median(power)
        closure = closure[quiet]
        self.assertLess(len(closure), len(power))
        self.near(closure.mean(), self.truth["closure_phase_degrees"],
                  closure.std() / np.sqrt(len(closure)), 1)
        # The phase of a baseline wanders meanwhile.
        single = np.degrees(np.unwrap(np.angle(lab.band_mean(vis, 0, 1))[quiet]))
        seconds = (vis.seconds - vis.seconds[0] + vis.fractions)[quiet]
        turns = self.truth["flaws"]["they_turn_by_degrees"]
        self.assertLess(abs(60 * np.polyfit(seconds, single, 1)[0] - turns[0] + turns[1]), 3)


class qa_y_factor(lab_case):
    name = "y-factor"

    def test_the_receiver(self):
        obs = fringe.observation.from_file(self.file("horn.yml"))
        band = self.below(obs, self.truth["flaws"]["carrier"]["hz_from_the_middle"])
        powers = {name: lab.total_power(self.correlated((name + ".ci8",), "horn.yml"), 0, band)
                  for name in ("cold1", "hot", "cold2")}
        cold = (powers["cold1"].mean() + powers["cold2"].mean()) / 2
        found = lab.receiver_temperature(powers["hot"], cold, 293, 10)
        # A power of n independent samples is known to 1 / sqrt(n).
        share = (band[1] - band[0]) / obs.sample_rate
        relative = np.sqrt(1.5 / (1500000 * share))
        y = powers["hot"].mean() / cold
        error = relative * y * (293 - 10) / (y - 1) ** 2
        self.near(found, self.truth["receiver_kelvin"], error, 2)
        self.assertGreater(powers["cold2"].mean() / powers["cold1"].mean(), 1.02)
        wrong = lab.receiver_temperature(
            powers["hot"], lab.total_power(self.file("cold1.uvh5")), 293, 10)
        self.assertGreater(abs(wrong - found), 10 * error)  # with the carrier in the band


class qa_labs(lab_case):

    def test_students_do_not_read_the_answers(self):
        names = simulate_lab("sun", self.lab_path, seed=4)
        self.assertEqual(names, ["README.md", "answers.yml", "east.ci8", "sun.yml", "west.ci8"])
        with open(self.file("answers.yml"), encoding="utf-8") as file:
            truth = yaml.safe_load(file)
        texts = [self.read(os.path.join("lab", name)).decode() for name in ("README.md", "sun.yml")]
        for number in (truth["baseline_m"], truth["flaws"]["late_start"]["samples"]):
            for text in texts:
                self.assertNotIn(f"{number:g}"[:4], text)

    def test_the_same_seed_gives_the_same_bytes(self):
        for name in ("one", "two", "other"):
            simulate_lab("y-factor", self.path(name), seed=7 if name == "other" else 5,
                         site=(-33, 18, 10), start_time="2027-01-02T03:04:05Z")
        first, second, other = ([self.read(os.path.join(name, file)) for file in (
            "cold1.ci8", "horn.yml", "answers.yml")] for name in ("one", "two", "other"))
        self.assertEqual(first, second)
        self.assertNotEqual(first[2], other[2])
        self.assertIn(b"latitude: -33", first[1])
        self.assertIn(b"2027-01-02T03:04:05Z", first[1])

    def test_the_command(self):
        output = self.run_well("simulate", "--lab", "closure", "-o", "tri", "--seed", 3)
        self.assertIn("tri/README.md", output)
        self.assertIn("tri/answers.yml", output)
        again = self.command_fails("simulate", "--lab", "closure", "-o", "tri")
        self.assertIn("--overwrite", again)
        self.run_well("simulate", "--lab", "y-factor", "-o", "tri", "--overwrite")
        self.assertIn("hot.ci8", os.listdir(self.path("tri")))
        self.assertNotIn("a.ci8", os.listdir(self.path("tri")))
        for words, named in ((("--lab", "moon", "-o", "x"), "sun, cas-a, hydrogen, closure, y-"),
                             (("-o", "x"), "--lab NAME"),
                             (("--lab", "sun", "OBS.yml", "-o", "x"), "OBS.yml"),
                             (("--lab", "sun", "-o", "x", "--samples", 5), "--samples"),
                             (("--lab", "sun", "-o", "x", "--start-time", "noon"), "--start-time"),
                             (("--lab", "sun", "-o", "x", "--site", "95,0"), "--site"),
                             (("--lab", "sun", "-o", "x", "--start-time", "2026-06-21T00:00:00Z"),
                              "elevation"),
                             (("OBS.yml", "-o", "x", "--site", "50,8"), "--site")):
            self.assertIn(named, self.command_fails("simulate", *words))
        self.assertEqual(os.listdir(self.folder), ["tri"])

    def test_every_flaw_is_seen(self):
        """Without them the recordings are those of the simulator."""
        self.assertEqual(list(LABS), ["sun", "cas-a", "hydrogen", "closure", "y-factor"])
        simulate_lab("y-factor", self.lab_path)
        with open(self.file("horn.yml"), encoding="utf-8") as file:
            plain = simulator(fringe.observation.from_text(file.read()), True, 16).read(1000)
        x, *_ = read_samples(self.file("cold1.ci8"), "ci8", 1, sample_rate=1.0)
        self.assertGreater(abs(np.vdot(x[:1000], plain[0]))
                           / np.linalg.norm(x[:1000]) / np.linalg.norm(plain[0]), 0.7)

    def command_fails(self, *words):
        done = command(*words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr


if __name__ == "__main__":
    unittest.main()
