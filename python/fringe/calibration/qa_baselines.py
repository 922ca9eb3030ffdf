#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Antenna positions and cable delays from visibilities that numpy makes."""

import unittest
from dataclasses import replace

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.readers.visibilities import visibilities
from qa_scratch import random_numbers

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
        f"s{number}.ms", "test", [one.name for one in obs.antennas], [(k, "X") for k in range(n)],
        f, seconds, np.zeros(dumps), np.full(dumps, 60.0), np.full(dumps, 60.0),
        data=data.astype(np.complex64), weights=np.ones(data.shape, np.float32),
        flags=np.zeros(data.shape, bool), channel_width=width)


LAB = np.array([[0, 0, 0], [11.0, 5.6, 0.8]])
LAB[1] *= 12.37 / np.linalg.norm(LAB[1])


def solved(obs, true, delays, numbers=(0, 1, 2), phases=0.0, more=None, **made):
    sets = [observed(obs, true, number, delays, phases, **made) for number in numbers]
    return fringe.solve_baselines(sets, obs, [source(number) for number in numbers],
                                  **(more or {}))


class qa_baselines(unittest.TestCase):
    def test_a_lab_baseline_to_a_centimetre(self):
        for shift in ((0, 0, 0), (0.3, -0.2, 0.1), (-2.1, 1.4, 0.9)):
            obs = array(LAB + [[0, 0, 0], shift])
            found = solved(obs, LAB, [0, 37e-9], phases=[0, 50])
            length, error = found.length(0, 1)
            self.assertLess(error, 0.003)
            self.assertLess(abs(length - 12.37), min(0.01, 5 * error))
            self.assertLess(abs(found.delay[1] - 37e-9), 5 * found.delay_error[1])
            self.assertTrue(((found.positions - LAB)[1] < 5 * found.errors[1]).all())
            self.assertLess(abs(found.chi2 - 1), 0.1)
            self.assertEqual(found.held, [])


if __name__ == "__main__":
    unittest.main()
