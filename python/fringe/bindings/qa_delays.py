#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays and uvw of baselines of 3000 km against astropy and casacore."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe

try:
    import astropy.units as u
    from astropy.coordinates import CIRS, ITRS, SkyCoord
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
    iers.conf.iers_degraded_accuracy = "ignore"
except ImportError:
    astropy_absent = "astropy is not installed"
else:
    astropy_absent = None
try:
    import erfa
except ImportError:
    erfa = None

LIGHT = 299792458.0

TEXT = """
site: {latitude: -26.703, longitude: 116.671, height: 377}
antennas:
  - [0, 0, 0]
  - [700, 700, 5]
  - {itrf: [-4156000, 2893000, -3861000]}
"""

# MJD, UT1 - UTC (s), xp, yp (arcsec); the leap second of the end of 2016 and other days.
ORIENTATION = """
57752 -0.4062 0.0853 0.2634
57753 -0.4074 0.0829 0.2633
57754  0.5913 0.0805 0.2631
57755  0.5901 0.0783 0.2631
61202  0.0651 0.1370 0.4021
61203  0.0653 0.1390 0.4019
61204  0.0654 0.1410 0.4016
61205  0.0656 0.1430 0.4012
"""

DIRECTIONS = ((3.2, -0.46), (0.7, 0.3), (5.5, 1.2), (1.9, -1.57))

# Where casacore sees directions, in a process of its own: its settings are read once.
CASACORE = """
import sys
from casacore import measures
dm = measures.measures()
dm.do_frame(dm.position("ITRF", "0deg", "90deg", "6356752m"))
for line in sys.stdin:
    when, ra, dec = line.split()
    dm.do_frame(dm.epoch("UTC", when))
    d = dm.measure(dm.direction("ICRS", ra + "rad", dec + "rad"), "APP")
    print(repr(d["m0"]["value"]), repr(d["m1"]["value"]))
"""

# The models of 2000, and apparent places alone: no earth orientation.
CASACORE_SETTINGS = """
measures.iau2000.b_use: true
measures.iau2000.b_use2000a: true
measures.measiers.b_notable: true
measures.precession.d_interval: 0.01
measures.nutation.d_interval: 0.001
measures.aberration.d_interval: 0.001
measures.solarpos.d_interval: 0.001
"""


class with_orientation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "eop.txt")
        with open(self.path, "w") as out:
            out.write(ORIENTATION)
        self.obs = fringe.observation.from_text(TEXT, "test")
        self.obs.set_earth_orientation(self.path)


class qa_delays(with_orientation):
    def test_arrays_and_objects(self):
        model = fringe.delay_model(self.obs, fringe.phase_center.at_radec(3.2, -0.46))
        t = fringe.epoch.from_iso("2026-06-12T11:20:40.25")
        seconds, rates = model.geometric(t)
        self.assertEqual((seconds.shape, rates.shape), ((3,), (3,)))
        self.assertEqual((seconds[0], rates[0]), (0, 0))
        arrival = model.arrival(t)[0]
        fits = model.polynomials(t.plus_seconds(-1), 10)
        self.assertLess(abs(fits[2].value(t) - arrival[2]), fits[2].error)
        self.assertLess(abs(fits[2].c[0] - fits[2].value(0.0)), 1e-18)
        self.assertEqual(fits[2].middle, t.plus_seconds(4))
        self.assertEqual(model.warnings(t), [])

    def test_errors_are_value_errors(self):
        model = fringe.delay_model(self.obs, fringe.phase_center.at_radec(3.2, -0.46))
        with self.assertRaisesRegex(ValueError, "eop.txt: 2030.* is not in it"):
            model.geometric(fringe.epoch.from_iso("2030-01-01T00:00:00"))
        with self.assertRaisesRegex(ValueError, "earth_orientation.*leave one of them out"):
            self.obs.dut1 = 0.1
            self.obs.check()

    def test_satellite(self):
        t = fringe.epoch.from_iso("2026-06-12T11:00:00")
        times = [t.plus_seconds(60 * i) for i in range(12)]
        track = fringe.satellite_track("still", times, [[-42164e3, 0, 0]] * 12)
        self.assertEqual(track.at(times[5]), [-42164e3, 0, 0])
        seconds, rates = fringe.delay_model(self.obs, track).geometric(times[5])
        way = [np.linalg.norm(np.subtract([-42164e3, 0, 0], a.itrf)) / LIGHT
               for a in self.obs.antennas]
        # Within what the earth turns while the signal is on its way.
        np.testing.assert_allclose(seconds, np.subtract(way, way[0]), atol=1e-7)
        np.testing.assert_allclose(rates, 0, atol=1e-14)
        with self.assertRaisesRegex(ValueError, "not in the table"):
            track.at(t.plus_seconds(-1))


@unittest.skipIf(astropy_absent, astropy_absent)
class qa_against_astropy(with_orientation):
    """Both with the UT1 - UTC and the polar motion of the same file."""

    def itrs(self, ra, dec, t):
        """Unit vector as astropy has it, seen from the center of the earth."""
        dut1, xp, yp = self.obs.orientation(t)
        time = Time(t.iso(9), scale="utc")
        time.delta_ut1_utc = dut1
        user = "astropy.coordinates.builtin_frames.intermediate_rotation_transforms"
        with mock.patch(user + ".get_polar_motion", lambda time: (xp, yp)), \
                mock.patch("astropy.coordinates.erfa_astrom.get_polar_motion",
                           lambda time: (xp, yp)):
            there = SkyCoord(ra * u.rad, dec * u.rad, frame="icrs")
            seen = there.transform_to(CIRS(obstime=time)).transform_to(ITRS(obstime=time))
        return seen.cartesian.xyz.value / np.linalg.norm(seen.cartesian.xyz.value)

    def instants(self):
        """An hour through midnight, and one through the leap second and the new year."""
        for start in ("2026-06-12T23:30:00.25", "2016-12-31T23:30:00"):
            for seconds in (0, 1500, 1799, 1800, 3600):
                yield fringe.epoch.from_iso(start).plus_seconds(seconds)

    def test_delay_to_a_picosecond(self):
        r = np.array([a.itrf for a in self.obs.antennas])
        self.assertGreater(np.linalg.norm(r[2] - r[0]), 2.9e6)
        for ra, dec in DIRECTIONS:
            model = fringe.delay_model(self.obs, fringe.phase_center.at_radec(ra, dec))
            for t in self.instants():
                expected = -(r - r[0]) @ self.itrs(ra, dec, t) / LIGHT
                with self.subTest(ra=ra, dec=dec, t=t):
                    np.testing.assert_allclose(model.geometric(t)[0], expected, rtol=0,
                                               atol=1e-12)

    def test_uvw_to_a_millimeter(self):
        for ra, dec in DIRECTIONS[:3]:
            for t in self.instants():
                axes = fringe.axes_of_radec(ra, dec, t, *self.obs.orientation(t))
                uvw = fringe.antenna_uvw(self.obs, axes)
                baseline = np.subtract(self.obs.antennas[2].itrf, self.obs.antennas[0].itrf)
                # North and east of the direction by small steps on astropy's sky.
                step = 1e-4
                w = self.itrs(ra, dec, t)
                v = self.itrs(ra, dec + step, t) - self.itrs(ra, dec - step, t)
                v -= w * np.dot(v, w)
                v /= np.linalg.norm(v)
                expected = np.array([np.cross(v, w), v, w]) @ baseline
                with self.subTest(ra=ra, dec=dec, t=t):
                    np.testing.assert_allclose(uvw[2] - uvw[0], expected, rtol=0,
                                               atol=1e-3)


@unittest.skipIf(erfa is None, "python3-erfa is not installed")
class qa_against_casacore(unittest.TestCase):
    """Casacore's apparent places, turned from its IAU 2000 precession to that of 2006, and
    by the sidereal time: 1.1 mm. Left as they are they differ by the precession, 7 mm."""

    def apparent(self, lines):
        given = os.environ.get("CASARCFILES", os.path.expanduser("~/.casarc"))
        with tempfile.TemporaryDirectory() as folder:
            settings = os.path.join(folder, "casarc")
            with open(settings, "w") as out:
                if os.path.exists(given):
                    with open(given) as user:
                        out.write(user.read())
                out.write(CASACORE_SETTINGS)
            done = subprocess.run(
                [sys.executable, "-c", CASACORE], input="\n".join(lines), text=True,
                env=dict(os.environ, CASARCFILES=settings), capture_output=True)
        output = done.stdout + done.stderr
        if "No module named 'casacore'" in output:
            self.skipTest("python3-casacore is not installed")
        if done.returncode != 0 and "Cannot read leap second table" in output:
            self.skipTest("casacore's table TAI_UTC is not installed (casacore-data)")
        self.assertEqual(done.returncode, 0, output)
        # Its warnings come on the same stream.
        places = [[float(x) for x in line.split()] for line in done.stdout.splitlines()
                  if re.fullmatch(r"-?[0-9.e-]+ -?[0-9.e-]+", line)]
        self.assertEqual(len(places), len(lines))
        return np.array([erfa.s2c(*place) for place in places])

    def test_delay_and_uvw(self):
        obs = fringe.observation.from_text(TEXT, "test")
        baseline = np.subtract(obs.antennas[2].itrf, obs.antennas[0].itrf)
        step = 1e-4
        cases = [(when, ra, dec) for ra, dec in DIRECTIONS[:3]
                 for when in ("2016-12-31T23:59:59", "2017-01-01T00:00:00",
                              "2026-06-12T23:59:59", "2026-06-13T00:59:59")]
        seen = self.apparent([f"{when} {ra!r} {dec + d!r}" for when, ra, dec in cases
                              for d in (0, step, -step)]).reshape(len(cases), 3, 3)
        for (when, ra, dec), (w, north, south) in zip(cases, seen):
            t = fringe.epoch.from_iso(when)
            utc = erfa.dtf2d("UTC", *(int(x) for x in re.split("[-T:]", when)[:5]),
                             float(when[-2:]))
            tt = erfa.taitt(*erfa.utctai(*utc))
            model = fringe.delay_model(obs, fringe.phase_center.at_radec(ra, dec))
            delay = model.geometric(t)[0][2]
            to_ground = erfa.rz(erfa.gst06a(*erfa.utcut1(*utc, 0.0), *tt), np.eye(3))
            ours = fringe.axes_of_radec(ra, dec, t)
            for precession, allowed in (
                    (np.eye(3), 1e-2), (erfa.pnm06a(*tt) @ erfa.pnm00a(*tt).T, 1.2e-3)):
                v = north - south
                v = v - w * np.dot(v, w)
                v /= np.linalg.norm(v)
                theirs = np.array([np.cross(v, w), v, w]) @ (to_ground @ precession).T
                with self.subTest(when=when, ra=ra, dec=dec, allowed=allowed):
                    np.testing.assert_allclose(ours @ baseline, theirs @ baseline,
                                               rtol=0, atol=allowed)
                    self.assertLess(abs(delay + theirs[2] @ baseline / LIGHT),
                                    allowed / LIGHT)


if __name__ == "__main__":
    unittest.main()
