#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a phase center stands, against astropy; when it rises and sets."""
import math
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.observing import positions
from qa_scratch import random_numbers

try:
    import astropy.units as u
    from astropy.coordinates import AltAz, EarthLocation, SkyCoord
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
except ImportError:
    astropy_absent = "astropy is not installed"
else:
    astropy_absent = None

ARCSEC = math.pi / 180 / 3600
TEXT = """
site: {{latitude: {}, longitude: {}, height: {}}}
antennas: [[0, 0, 0], [100, 20, 0]]
sample_rate: 2e6
center_frequency: 1420e6
start_time: {}
phase_center: {{ra: {}, dec: {}}}
"""


def observation(place, instant="2021-03-20T03:12:00", site=(50, 8, 100)):
    return fringe.observation.from_text(TEXT.format(*site, instant, *place))


class qa_positions(unittest.TestCase):

    def setUp(self):
        self.rng = random_numbers()

    @unittest.skipIf(astropy_absent, astropy_absent)
    def test_directions(self):
        """3 arcsec: the daily aberration (0.3), polar motion (0.6), and the deflection of light by
        the Sun in both are less; 2 s of sidereal time: that of positions is the mean one."""
        for _ in range(20):
            time = Time("1990-01-01T00:00:00", scale="utc") + self.rng.uniform(0, 10000) * u.day
            site = (self.rng.uniform(-89, 89), self.rng.uniform(-180, 180),
                    self.rng.uniform(0, 4000))
            star = (self.rng.uniform(0, 360), self.rng.uniform(-89, 89))
            obs = observation(star, time.isot, site)
            obs.dut1 = float(time.delta_ut1_utc)
            place = EarthLocation.from_geodetic(site[1] * u.deg, site[0] * u.deg, site[2] * u.m)
            seen = SkyCoord(*star, unit="deg").transform_to(AltAz(obstime=time, location=place))
            with self.subTest(star=star, time=time.isot, site=site):
                az, el = np.radians(positions.azimuth_and_elevation(obs, obs.start_time))
                across = math.remainder(az - seen.az.rad, 2 * math.pi) * math.cos(el)
                self.assertLess(math.hypot(across, el - seen.alt.rad) / ARCSEC, 3)
                expected = time.sidereal_time("apparent", place.lon).hour
                found = positions.position_at(obs, obs.start_time).sidereal_time
                self.assertLess(abs(math.remainder(found - expected, 24)) * 3600, 2)

    def test_rise_and_set(self):
        for _ in range(5):
            obs = observation((self.rng.uniform(0, 360), self.rng.uniform(-40, 40)),
                              site=(self.rng.uniform(-20, 20), self.rng.uniform(-180, 180), 0))
            found = positions.rise_and_set(obs, obs.start_time, 5)
            with self.subTest(obs=obs.to_text()):
                for event, way in zip(found, (1, -1)):
                    before, after = (positions.azimuth_and_elevation(obs, event.plus_seconds(s))[1]
                                     for s in (-30, 30))
                    self.assertLess(abs(before + after - 10), 0.02)
                    self.assertGreater(way * (after - before), 0)
                    self.assertTrue(0 <= event.seconds_since(obs.start_time) <= 86400)

    def test_in_words(self):
        obs = observation((350.85, 58.815), site=(-60, 0, 0))
        self.assertEqual(positions.rise_and_set(obs, obs.start_time), (None, None))
        text = str(positions.position_in_words(obs, obs.start_time))
        self.assertIn("below the horizon", text)
        self.assertIn("does not rise", text)
        self.assertIn("23h23m24.0s", text)
        self.assertIn("+58d48m54.0s", text)
        obs = observation((350.85, -88), site=(-60, 0, 0))
        self.assertIn("does not set", str(positions.position_in_words(obs, obs.start_time)))


if __name__ == "__main__":
    unittest.main()
