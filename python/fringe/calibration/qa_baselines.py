#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Antenna positions and cable delays from visibilities that numpy makes."""

import contextlib
import io
import unittest
from dataclasses import replace

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.readers.visibilities import visibilities
from qa_scratch import random_numbers, scratch_case, times_tried

RNG = random_numbers()
C, F0 = 299792458.0, 1.42e9
START = 1781222400
SITE = "site: {latitude: 50, longitude: 8, height: 100}\nsample_rate: 1e6\n" \
    f"center_frequency: {F0:.0f}\n"
#: right ascension at which they culminate in the middle of five hours, and declinations
SOURCES = ((-20, 41), (30, 59), (0, 12))


def array(places):
    """An observation of antennas at these places, m east, north, up."""
    return fringe.observation.from_text(SITE + "antennas: " + repr([list(map(float, place))
                                                                    for place in places]))


def source(number, off=0.0):
    """A calibration_source, its declination off by so many degrees."""
    middle = fringe.epoch(START + 9000, 0.0)
    lst = np.degrees(fringe.local_sidereal_time(array([[0, 0, 0], [1, 0, 0]]), middle))
    ra, dec = SOURCES[number]
    place = fringe.phase_center()
    place.frame = fringe.phase_center.kind.radec
    place.longitude, place.latitude = np.radians(lst + ra), np.radians(dec + off)
    return fringe.calibration_source(f"S{number}", place)


def observed(obs, true, number, delays, phases=0.0, noise=1.0, dumps=60, channels=32, hours=5.0,
             width=31250.0, off=0.0):
    """`visibilities` of one source at antennas that are truly at `true` (m east, north, up),
    behind cables of these delays (s), with noise of this standard deviation."""
    n = len(true)
    f = F0 + (np.arange(channels) - channels // 2) * width
    at = START + np.linspace(0, 3600 * hours, dumps)
    seconds = np.floor(at).astype(np.int64)
    look = source(number, off)
    lat, lon = np.radians([50, 8])
    s = np.array([look.towards(obs, fringe.epoch(int(t), 0.0)) for t in seconds])
    east = np.array([-np.sin(lon), np.cos(lon), 0])
    up = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    way = np.asarray(true, float) @ np.array([east, np.cross(up, east), up])  # ITRF
    tau = -(s @ way.T) / C + delays
    x = np.exp(-2j * np.pi * tau[:, None, :] * f[:, None] + 1j * np.radians(phases))
    i, j = np.triu_indices(n)
    data = x[..., i] * x[..., j].conj()
    data = data + noise * (RNG.normal(size=data.shape + (2,)) @ (1, 1j)) * np.sqrt(0.5)
    return visibilities(
        f"s{number}.ms", "test", [antenna.name for antenna in obs.antennas],
        [(k, "X") for k in range(n)], f, seconds, np.zeros(dumps), np.full(dumps, 60.0),
        np.full(dumps, 60.0),
        data=data.astype(np.complex64), weights=np.ones(data.shape, np.float32),
        flags=np.zeros(data.shape, bool), channel_width=width)


LAB = np.array([[0, 0, 0], [11.0, 5.6, 0.8]])
LAB[1] *= 12.37 / np.linalg.norm(LAB[1])


def solved(obs, true, delays, numbers=(0, 1, 2), phases=0.0, more=None, **made):
    sets = [observed(obs, true, number, delays, phases, **made) for number in numbers]
    return fringe.solve_baselines(sets, obs, [source(number) for number in numbers],
                                  **(more or {}))


class qa_baselines(unittest.TestCase):
    def test_a_lab_baseline_to_a_centimeter(self):
        for shift in ((0.3, -0.2, 0.1), (-2.1, 1.4, 0.9)):
            obs = array(LAB + [[0, 0, 0], shift])
            found = solved(obs, LAB, [0, 37e-9], phases=[0, 50], noise=0.6)
            length, error = found.length(0, 1)
            self.assertLess(error, 0.003)
            self.assertLess(abs(length - 12.37), min(0.01, 5 * error))
            self.assertLess(abs(found.delay[1] - 37e-9), 5 * found.delay_error[1])
            self.assertTrue(((found.positions - LAB)[1] < 5 * found.errors[1]).all())
            self.assertLess(abs(found.chi2 - 1), 0.1)
            self.assertEqual(found.held, [])

    def test_errors_are_honest(self):
        """Positions of n fits are off by their errors, rms, within 2.57 standard deviations of that
        rms: of 110 fits these are 10 %."""
        obs, off = array(LAB), []
        for _ in range(times_tried(20, 110)):  # The search has one place to look at: it is quick.
            found = solved(obs, LAB, [0, 5e-9], dumps=12, channels=8, noise=0.3,
                           more={"search": 0.05})
            off.append((found.positions - LAB)[1] / found.errors[1])
        rms = np.sqrt(np.mean(np.square(off)))
        self.assertLess(abs(rms - 1), 2.57 / np.sqrt(2 * np.size(off)))

    def test_four_antennas_and_exchanged_cables(self):
        true = np.array([[0, 0, 0], [3, 1, 0], [2, -1.5, .2], [-4, 2, -.1]])
        delays = np.array([0, 37e-9, -12e-9, 250e-9])
        obs = array(true)
        found = solved(obs, true, delays, more={"search": 3})
        self.assertEqual(len(found.closure), 4)
        self.assertTrue(all(closure.closes for closure in found.closure))
        self.assertLess(np.abs((found.positions - true)[1:] / found.errors[1:]).max(), 5)
        swapped = solved(obs, true[[0, 2, 1, 3]], delays, more={"search": 3})
        self.assertIn("ant1 is where ant2 should be", swapped.remarks[0])

    def test_a_triangle_that_does_not_close(self):
        true = np.array([[0, 0, 0], [3, 1, 0], [2, -1.5, .2]])
        obs = array(true)
        sets = [observed(obs, true, k, np.zeros(3), noise=0.1) for k in range(3)]
        for recorded in sets:
            recorded.data[:, :, 4] *= np.exp(0.12j)
        found = fringe.solve_baselines(sets, obs, [source(k) for k in range(3)], search=2)
        self.assertFalse(found.closure[0].closes)

    def test_one_source(self):
        found = solved(array(LAB), LAB, [0, 37e-9], numbers=(0,))
        self.assertIn("along the Earth's axis", found.held[0])
        self.assertEqual(len(found.held), 1)

    def test_what_is_fixed_stays(self):
        """And the rest is found: along the Earth's axis nothing, where each file has its phase."""
        shift = np.array([0.3, -0.2, 0.1])
        obs, level = array(LAB + [[0, 0, 0], shift]), array(LAB + [[0, 0, 0], [0.3, -0.2, 0]])
        true = np.diff([entry.itrf for entry in array(LAB).antennas], axis=0)[0]
        sets = [observed(level, LAB, k, [0, 37e-9], 50, noise=0.5, dumps=30, channels=16)
                for k in range(3)]
        sources = [source(k) for k in range(3)]
        found = fringe.solve_baselines(sets, level, sources, fix=("up",), search=2)
        errors = np.maximum(found.errors[1], 1e-6)
        self.assertLess(np.abs((found.positions - LAB)[1] / errors).max(), 6)
        self.assertLess(found.errors[1, 2], 1e-9)
        for recorded, phase in zip(sets, (0, -170, -40)):
            recorded.data[:, :, 1] *= np.exp(-1j * np.radians(phase))
        found = fringe.solve_baselines(sets, obs, sources, search=2, phase_per_set=True)
        before = np.diff([entry.itrf for entry in obs.antennas], axis=0)[0]
        errors = np.sqrt(np.diagonal(found.ecef_covariance)[3:5])
        self.assertLess(np.abs((found.ecef[1] - true)[:2] / errors).max(), 6)
        self.assertLess(np.abs(found.ecef[1] - before)[2], 1e-6)
        self.assertIn("each file has a phase of its own", found.held[0])
        self.assertIn("phases are those of s0.ms", found.remarks[0])
        with self.assertRaisesRegex(fringe.unsolved, "degrees rms, which is not noise"):
            fringe.solve_baselines(sets, array(LAB), sources, fix=("positions",))
        found = fringe.solve_baselines(sets, array(LAB), sources, fix=("positions",),
                                       phase_per_set=True)
        self.assertLess(max(rms for _, _, rms in found.misfit), 5)
        self.assertLess(np.abs(found.moved).max(), 1e-9)

    def test_a_wrong_direction_is_refused(self):
        obs = array(LAB)
        sets = [observed(obs, LAB, k, [0, 37e-9], noise=0.3, off=4.0 * (k == 1)) for k in range(3)]
        with self.assertRaisesRegex(fringe.unsolved, "degrees rms, which is not noise"):
            fringe.solve_baselines(sets, obs, [source(k) for k in range(3)], search=2)

    def test_a_position_out_of_reach_is_refused(self):
        obs = array(LAB + [[0, 0, 0], [3, 2, 0]])
        with self.assertRaises(fringe.unsolved):
            solved(obs, LAB, [0, 0], noise=0.3, more={"search": 0.5})

    def test_one_channel_gaps_and_outliers(self):
        obs = array(LAB)
        found = solved(obs, LAB, [0, 3e-9], channels=1, noise=0.1, dumps=80,
                       more={"search": 2})
        self.assertIn("one channel", found.held[0])
        self.assertLess(abs(found.length(0, 1)[0] - 12.37), 0.01)
        sets = [observed(obs, LAB, k, [0, 3e-9], noise=0.3) for k in range(3)]
        for recorded in sets:
            recorded.flags[10:25] = True
            recorded.data[10:25] = 1e6
            recorded.data[40, 3] += 300
        found = fringe.solve_baselines(sets, obs, [source(k) for k in range(3)], search=2)
        self.assertEqual(found.outliers, 3)
        self.assertLess(abs(found.length(0, 1)[0] - 12.37), 0.01)

    def test_no_signal_and_bad_arguments(self):
        obs = array(LAB)
        with self.assertRaises(fringe.unsolved):
            solved(obs, LAB, [0, 0], noise=300, more={"search": 2})
        silent = observed(obs, LAB, 0, [0, 0])
        for words, text in (({"fix": ("gain",)}, "fix: gain"),
                            ({"search": 99, "sources": [source(0)]}, "search: 99"),
                            ({"fix": ("phases",)}, "phases: must go with delays"),
                            ({"reference": 2}, "reference: 2"), ({}, "phased to no direction"),
                            ({"sources": [source(0)] * 2}, "sources: 2 for 1")):
            with self.assertRaisesRegex(ValueError, text):
                fringe.solve_baselines([silent], obs, **words)
        with self.assertRaisesRegex(ValueError, "another band"):
            other = replace(silent, frequencies=silent.frequencies + 1e8)
            fringe.solve_baselines([silent, other], obs, [source(0)])


class qa_command(scratch_case):
    def test_from_recordings_to_a_new_file(self):
        """A narrow band, so that hours are few samples; the delays of cables stay."""
        files = []
        true = np.array([[0, 0, 0], [5.2, 2.1, 0.3]])
        text = (SITE.replace("1e6", "100.0") + "antennas: # by tape\n  - [0, 0, 0]\n"
                "  - [%g, 2.1, 0.3]\n"
                "format: cf32\nchannels: 8\nintegration: 120\nstart_time: 2026-06-12T00:00:00\n"
                "phase_center: {ra: %.6f, dec: %.6f}\n"
                "sky: {receiver_noise: 1, sources: [{name: S, l: 0, m: 0, flux: 1}]}\n")
        for k in range(3):
            place = np.degrees([source(k).direction.longitude, source(k).direction.latitude])
            known = text % (5.2, *place)
            obs = fringe.observation.from_text(known)
            raw, out = self.path(f"{k}.cf32"), self.path(f"{k}.ms")
            fringe.simulate(obs, raw, int(100 * 3600 * 3))
            with open(self.path(f"{k}.yml"), "w", encoding="utf-8") as file:
                file.write(text % (5.05, *place))
            fringe.correlate(raw, out, self.path(f"{k}.yml"))
            files.append(out)
        words = files + ["--obs", self.path("0.yml"), "--fix", "delays", "--search", "0.5", "-o",
                         self.path("new.yml")]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(main(["baseline", *words]), 0)
        new = fringe.observation.from_file(self.path("new.yml"))
        self.assertLess(np.abs(np.array(new.antennas[1].enu) - true[1]).max(), 0.01)
        with open(self.path("new.yml"), encoding="utf-8") as file:
            self.assertIn("# by tape", file.read())
        self.assertIn("lengths: ", out.getvalue())


if __name__ == "__main__":
    unittest.main()
