#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Time, directions and positions against astropy and casacore, and the bindings."""

import copy
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe

try:
    import astropy.units as u
    from astropy.coordinates import CIRS, ITRS, AltAz, EarthLocation, SkyCoord
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
except ImportError:
    astropy_absent = "astropy is not installed"
else:
    astropy_absent = None
try:
    from casacore import measures
except ImportError:
    measures = None

TEXT = """
site: {latitude: -26.703, longitude: 116.671, height: 377}
antennas: [[0, 0, 0], [812.5, -33, 2], [-1200, 950, -7]]
polarizations: [X, Y]
sample_rate: 1.28e6
center_frequency: 150e6
start_time: 2021-03-20T13:45:30.25Z
dut1: 0
"""


def angle(a, b):
    """Between two unit vectors, in radians."""
    return np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))


class qa_bindings(unittest.TestCase):
    def setUp(self):
        self.obs = fringe.observation.from_text(TEXT, "test")

    def test_lists_are_values(self):
        inputs = self.obs.inputs
        inputs[1].cable_delay = 5e-9
        self.assertEqual(self.obs.inputs[1].cable_delay, 0)
        self.obs.inputs = inputs
        self.assertEqual(self.obs.inputs[1].cable_delay, 5e-9)

    def test_copies_are_apart(self):
        for other in (copy.copy(self.obs), copy.deepcopy(self.obs),
                      fringe.observation(self.obs)):
            other.sample_rate = 1
            self.assertEqual(self.obs.sample_rate, 1.28e6)

    def test_text(self):
        again = fringe.observation.from_text(self.obs.to_text())
        self.assertEqual(again.to_text(), self.obs.to_text())
        self.assertEqual(repr(self.obs), "<observation gr-fringe: 3 antennas, 6 inputs, "
                                         "150 MHz, 1.28 MS/s>")

    def test_errors_are_value_errors(self):
        with self.assertRaisesRegex(ValueError, "x.yml, line 1: field tapes: .*'taps'"):
            fringe.observation.from_text("tapes: 4", "x.yml")
        with self.assertRaisesRegex(ValueError, "no such file"):
            fringe.observation.from_file("no such file")
        self.obs.taps = 0
        with self.assertRaisesRegex(ValueError, "taps: 0; it must be 1 ... 32"):
            self.obs.check()

    def test_frequencies_and_corrections(self):
        np.testing.assert_allclose(self.obs.channel_frequencies(4, True),
                                   150e6 + 1.28e6 * np.array([-0.5, -0.25, 0, 0.25]))
        self.assertIsNone(self.obs.corrections(4, True))
        inputs = self.obs.inputs
        inputs[3].gain = 2
        inputs[3].phase = 90
        self.obs.inputs = inputs
        factors = self.obs.corrections(4, True)
        self.assertEqual((factors.shape, factors.dtype), ((6, 4), np.complex64))
        np.testing.assert_allclose(factors[3], -0.5j, atol=1e-7)
        np.testing.assert_array_equal(factors[2], 1)

    def test_epoch(self):
        t = fringe.epoch(1781263240, 0.25)
        self.assertEqual(t, fringe.epoch.from_iso("2026-06-12T11:20:40.25"))
        self.assertEqual(t.plus_samples(3, 3).seconds_since(t), 1.0)
        self.assertEqual(repr(t), "<epoch 2026-06-12T11:20:40.250000000>")
        self.assertEqual(len({t, fringe.epoch(1781263240, 0.25)}), 1)


@unittest.skipIf(astropy_absent, astropy_absent)
class qa_against_astropy(unittest.TestCase):
    """The same UT1 - UTC (zero) and no polar motion on both sides."""

    def setUp(self):
        self.obs = fringe.observation.from_text(TEXT, "test")
        self.t = self.obs.start_time
        self.time = Time("2021-03-20T13:45:30.25", scale="utc")
        self.time.delta_ut1_utc = 0
        self.site = EarthLocation.from_geodetic(116.671 * u.deg, -26.703 * u.deg, 377 * u.m)
        frames = "astropy.coordinates.builtin_frames."
        for user in (frames + "intermediate_rotation_transforms",
                     "astropy.coordinates.erfa_astrom"):
            patch = mock.patch(user + ".get_polar_motion", lambda time: (0.0, 0.0))
            patch.start()
            self.addCleanup(patch.stop)

    def itrs(self, ra, dec):
        """Unit vector as astropy has it, seen from the center of the earth."""
        there = SkyCoord(ra * u.rad, dec * u.rad, frame="icrs")
        seen = there.transform_to(CIRS(obstime=self.time)).transform_to(
            ITRS(obstime=self.time))
        return seen.cartesian.xyz.value / np.linalg.norm(seen.cartesian.xyz.value)

    def test_position(self):
        ours = fringe.itrf_from_wgs84(-26.703, 116.671, 377)
        np.testing.assert_allclose(ours, [c.value for c in self.site.geocentric], atol=1e-6)

    def test_time(self):
        self.assertAlmostEqual(self.t.mjd_seconds() / 86400, self.time.mjd, 10)

    def test_direction(self):
        for ra, dec in ((3.2, -0.46), (0.0, 0.0), (5.5, 1.2), (1.0, -1.5)):
            axes = fringe.axes_of_radec(ra, dec, self.t, 0)
            with self.subTest(ra=ra, dec=dec):
                self.assertLess(angle(axes[2], self.itrs(ra, dec)), 1e-8)

    def test_uvw(self):
        ra, dec = 3.2, -0.46
        uvw = fringe.antenna_uvw(self.obs, fringe.axes_of_radec(ra, dec, self.t, 0))
        baseline = np.subtract(self.obs.antennas[1].itrf, self.obs.antennas[2].itrf)
        # North and east of the direction by small steps on astropy's sky.
        step = 1e-4
        w = self.itrs(ra, dec)
        v = self.itrs(ra, dec + step) - self.itrs(ra, dec - step)
        v -= w * np.dot(v, w)
        v /= np.linalg.norm(v)
        expected = np.array([np.cross(v, w), v, w]) @ baseline
        np.testing.assert_allclose(uvw[1] - uvw[2], expected, atol=1e-7 * 2200)

    def test_azimuth_and_elevation(self):
        for az, el in ((10, 20), (123, 45), (359, 80)):
            ra, dec = fringe.radec_of_azel(self.obs, np.radians(az), np.radians(el), self.t)
            there = SkyCoord(ra * u.rad, dec * u.rad, frame="icrs").transform_to(
                AltAz(obstime=self.time, location=self.site, pressure=0 * u.hPa))
            off = there.separation(SkyCoord(az * u.deg, el * u.deg, frame=there.frame)).rad
            with self.subTest(az=az, el=el):
                # Astropy's horizon includes the diurnal aberration, up to 0.32 arcsec.
                self.assertLess(off, 1.6e-6)


@unittest.skipIf(measures is None, "python3-casacore is not installed")
class qa_against_casacore(unittest.TestCase):
    def test_position(self):
        dm = measures.measures()
        ours = fringe.itrf_from_wgs84(-26.703, 116.671, 377)
        theirs = dm.measure(
            dm.position("WGS84", "116.671deg", "-26.703deg", "377m"), "ITRF")
        lon, lat, radius = (theirs[m]["value"] for m in ("m0", "m1", "m2"))
        np.testing.assert_allclose(
            ours, radius * np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon),
                                     np.sin(lat)]), atol=1e-3)


if __name__ == "__main__":
    unittest.main()
