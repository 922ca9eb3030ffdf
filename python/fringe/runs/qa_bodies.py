#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Sun, the Moon and the planets as phase centers, against astropy, and in files."""
import math
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.observing import phase_centers, positions
from qa_scratch import random_numbers, scratch_case
from qa_uvdata import needs_pyuvdata, read_by_pyuvdata

try:
    import astropy.units as u
    from astropy.coordinates import ITRS, AltAz, EarthLocation, get_body
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
except ImportError:
    astropy_absent = "astropy is not installed"
else:
    astropy_absent = None

KINDS = fringe.phase_center.kind
BODIES = ["Sun", "Moon", "Mercury", "Venus", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
ARCSEC = math.pi / 180 / 3600
TEXT = """
site: {{latitude: {}, longitude: {}, height: {}}}
antennas: [[0, 0, 0], [{}, {}, 30]]
sample_rate: 2e4
center_frequency: 150e6
start_time: {}
phase_center: {}
channels: 8
integration: 60
format: ci8
"""


def observation(body, instant="2021-03-20T12:00:00", site=(50, 8, 100), other=(100e3, -20e3)):
    return fringe.observation.from_text(TEXT.format(*site, *other, instant, body))


class qa_names(unittest.TestCase):

    def test_names(self):
        for word, name in (("sun", "Sun"), ("JUPITER", "Jupiter"), ("casa", "Cas A"),
                           ("Sgr A*", "Sgr A*"), ("sgra", "Sgr A*"), ("Tau_A", "Tau A")):
            with self.subTest(word=word):
                obs = observation(word)
                self.assertEqual(obs.phase_center.name, name)
                again = fringe.observation.from_text(obs.to_text()).phase_center
                self.assertEqual((again.name, again.frame), (name, obs.phase_center.frame))
                self.assertEqual(phase_centers.phase_center(word).name, name)
                body = name in BODIES
                self.assertEqual(obs.phase_center.frame, KINDS.body if body else KINDS.radec)
        cyg = fringe.phase_center.named("Cyg A")
        self.assertAlmostEqual(math.degrees(cyg.longitude), (19 + 59 / 60 + 28.36 / 3600) * 15, 6)
        self.assertAlmostEqual(math.degrees(cyg.latitude), 40 + 44 / 60 + 2.1 / 3600, 6)
        self.assertEqual(fringe.source_names()[:9], BODIES)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, "phase_center: 'Sunn' is no source.*Sun, Moon.*"
                                                "zenith"):
            observation("Sunn")
        with self.assertRaisesRegex(ValueError, "phase_centers: Pluto: .*Jupiter"):
            phase_centers.phase_center("Pluto")
        with self.assertRaisesRegex(ValueError, "site: is not given; the Moon is seen from"):
            fringe.observation.from_text("antennas: [[0, 0, 0]]\nphase_center: Moon").check()
        obs = observation("Mars")
        obs.has_start_time, obs.tracking = False, True
        with self.assertRaisesRegex(ValueError, "give start_time=UTC"):
            phase_centers.tracking_of(obs)


@unittest.skipIf(astropy_absent, astropy_absent)
class qa_places(unittest.TestCase):
    """astropy's built-in ephemeris is of the same series, but all else is its own: light time,
    parallax, aberration, the turning earth."""

    def setUp(self):
        self.rng = random_numbers()

    def random(self, body):
        day = self.rng.uniform(0, 10000)  # from 1990 to 2017: astropy knows the earth's turning
        time = Time("1990-01-01T00:00:00", scale="utc") + day * u.day
        site = (self.rng.uniform(-89, 89), self.rng.uniform(-180, 180), self.rng.uniform(0, 4000))
        obs = observation(body, time.isot, site)
        obs.dut1 = float(time.delta_ut1_utc)
        place = EarthLocation.from_geodetic(site[1] * u.deg, site[0] * u.deg, site[2] * u.m)
        return obs, time, place, get_body(body.lower(), time, place, ephemeris="builtin")

    def test_directions(self):
        """3 arcsec: the deflection of light by the Sun (1.8 arcsec at most, astropy has it) and
        the daily aberration (0.3) and polar motion (0.6)."""
        for body in BODIES * 6:
            obs, time, place, seen = self.random(body)
            expected = seen.transform_to(AltAz(obstime=time, location=place))
            with self.subTest(body=body, time=time.isot):
                az, el = np.radians(positions.azimuth_and_elevation(obs, obs.start_time))
                away = np.hypot((az - expected.az.rad + np.pi) % (2 * np.pi) - np.pi,
                                0) * np.cos(el), el - expected.alt.rad
                self.assertLess(np.hypot(*away) / ARCSEC, 3)

    def test_the_moon_is_near(self):
        """Delays of a sphere: over 100 km it is 13 m deep, and 3 arcsec are 1.5 m."""
        for _ in range(5):
            obs, time, place, seen = self.random("Moon")
            moon = seen.transform_to(ITRS(obstime=time, location=place))
            axis = moon.cartesian.xyz.to_value(u.m).astype(np.longdouble)
            far, first = (np.array(a.itrf, np.longdouble) for a in obs.antennas[::-1])
            expected = (np.linalg.norm(axis - (far - first)) - np.linalg.norm(axis)) / 299792458
            found = fringe.delay_model(obs, obs.phase_center).geometric(obs.start_time)[0]
            self.assertLess(abs(found[1] - float(expected)), 5.5e-9)
            plane = -(far - first) @ axis / np.linalg.norm(axis) / 299792458
            self.assertGreater(abs(found[1] - float(plane)), 12e-9
                               if abs(plane) < 2.5e-4 else 0)

    def test_rise_and_set(self):
        for body in ("Sun", "Moon", "Cas A", "Vir A"):
            obs = observation(body, "2021-03-20T03:12:00",
                              (self.rng.uniform(-20, 20), self.rng.uniform(-180, 180), 0))
            rise, fall = positions.rise_and_set(obs, obs.start_time, 5)
            with self.subTest(body=body, latitude=obs.site_latitude):
                for moment, way in ((rise, 1), (fall, -1)):
                    if moment is None:
                        continue
                    before, after = (positions.azimuth_and_elevation(obs, moment.plus_seconds(s))[1]
                                     for s in (-30, 30))
                    self.assertLess(abs(before + after - 10), 0.02)
                    self.assertGreater(way * (after - before), 0)
                if body != "Cas A":
                    self.assertIsNotNone(rise or fall)

    def test_never(self):
        obs = observation("Cas A", site=(-60, 0, 0))
        self.assertEqual(positions.rise_and_set(obs, obs.start_time), (None, None))
        text = str(positions.position_in_words(obs, obs.start_time))
        self.assertIn("below the horizon", text)
        self.assertIn("does not rise", text)


class qa_moving_files(scratch_case):
    """A simulated point source in the Moon, tracked for some minutes: in phase in every file."""

    def test_files(self):
        # The Moon moves by 4 arcmin in 8 minutes: 0.6 turns over 1 km of 2 m waves.
        start = "2021-03-20T20:00:00"
        obs = observation("Moon", start, (50, 8, 100), (900, 300))
        obs.sky = [fringe.point_source(l=0, m=0, flux=3.0)]
        self.assertGreater(positions.azimuth_and_elevation(obs, obs.start_time)[1], 10)
        obs.sample_rate, seconds = 2000.0, 480
        raw = self.path("moon.ci8")
        fringe.simulate(obs, raw, int(obs.sample_rate * seconds), overwrite=True)
        obs.sky = []
        outputs = [self.path(f"moon.{ending}") for ending in ("ms", "uvh5", "uvfits")]
        for tracking in (True, False):
            fringe.correlate(raw, outputs, obs, tracking=tracking, overwrite=True, integration=20)
            for path in outputs:
                with self.subTest(path=path, tracking=tracking):
                    self.check(path, obs, tracking)

    def check(self, path, obs, tracking):
        vis = fringe.read_visibilities(path)
        i, j = vis.products
        cross = [k for k in range(len(i)) if i[k] != j[k]]
        phases = np.angle(np.mean(vis.data[:, :, cross], axis=1))
        # Some 4000 independent samples a dump of a signal that is 3/4 of the power.
        self.assertLess(np.max(np.abs(phases)), 0.2 if tracking else 0.6)
        name, ra, dec = vis.phase_center
        self.assertEqual(name, "Moon")
        middle = obs.start_time.plus_seconds(240)
        expected = fringe.phase_center_radec(obs, middle)
        if not path.endswith("uvh5"):
            self.assertLess(abs(math.remainder(ra - expected[0], 2 * math.pi)), 5 * ARCSEC)
            self.assertLess(abs(dec - expected[1]), 5 * ARCSEC)

    @needs_pyuvdata
    def test_pyuvdata(self):
        obs = observation("Moon", "2021-03-20T20:00:00", (50, 8, 100), (900, 300))
        obs.sample_rate = 2000.0
        raw = self.path("noise.ci8")
        self.rng.integers(-50, 50, (2000 * 60, 2, 2), np.int8).tofile(raw)
        outputs = [self.path(f"moon.{ending}") for ending in ("ms", "uvh5", "uvfits")]
        fringe.correlate(raw, outputs, obs, tracking=True, overwrite=True, integration=20)
        for path in outputs:
            with self.subTest(path=path):
                uv = read_by_pyuvdata(path)
                center = next(iter(uv.phase_center_catalog.values()))
                self.assertEqual(center["cat_name"], "Moon")
                self.assertEqual(center["cat_type"],
                                 "ephem" if path.endswith("uvh5") else "sidereal")


if __name__ == "__main__":
    unittest.main()
