#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets as casacore and pyuvdata see them; qa_imagers has WSClean and AOFlagger."""
import importlib.util
import os
import tempfile
import unittest
import warnings

import numpy as np
import yaml

from gnuradio import fringe
from qa_uvdata import needs_pyuvdata, read_by_pyuvdata

HERE = os.path.dirname(os.path.realpath(__file__))
ARRAY = os.path.join(HERE, "../../../examples/images/simulated_sky.yml")
SPEED_OF_LIGHT = 299792458.0
CHANNELS, TAPS, DUMP, SAMPLES = 128, 4, 0.001, 131072
PIXEL = np.radians(0.4)
# Where (pixels east and north of the phase center) and how strong.
SOURCES = [(17, -25, 0.5), (-40, 30, 1.0), (60, 20, 0.4), (-20, -65, 0.3), (6, 72, 0.7)]


def have(module):
    return importlib.util.find_spec(module) is not None


def sky(phase_center, polarizations):
    with open(ARRAY, encoding="utf-8") as file:
        obs = yaml.safe_load(file)
    obs.update(phase_center=phase_center, polarizations=list(polarizations), channels=CHANNELS,
               taps=TAPS, integration=DUMP, start_time="2026-06-12T22:00:00.5Z")
    obs["sky"] = {"receiver_noise": 0.5, "sources": [
        {"l": float(x * PIXEL), "m": float(y * PIXEL), "flux": flux} for x, y, flux in SOURCES]}
    return fringe.observation.from_text(yaml.safe_dump(obs))


# The second stands at 60 degrees elevation in the south-east: w is not small there.
CASES = {"zenith, X": ("zenith", "X"),
         "zenith, X and Y": ("zenith", "XY"),
         "celestial, X": ({"ra": 263.0, "dec": 24.0, "name": "a field"}, "X"),
         "celestial, X and Y": ({"ra": 263.0, "dec": 24.0, "name": "a field"}, "XY")}


class with_files(unittest.TestCase):
    """A MeasurementSet and an ACC file of each case, made once."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = temporary.name
        cls.obs, cls.level = {}, {}
        for number, (case, (center, polarizations)) in enumerate(CASES.items()):
            obs = sky(center, polarizations)
            raw, ms, acc = (cls.path(case, end) for end in ("raw", "ms", "ACC"))
            cls.level[case] = fringe.simulate(obs, raw, SAMPLES, seed=number).level
            fringe.correlate(raw, [ms, acc], raw + ".yml", history="made by qa_tools",
                             keep_edge=True)
            os.remove(raw)
            cls.obs[case] = obs

    @classmethod
    def path(cls, case, ending):
        return os.path.join(cls.folder, f"{case.replace(', ', '_').replace(' ', '_')}.{ending}")

    def cases(self):
        return [(case, self.path(case, "ms")) for case in CASES]


@unittest.skipUnless(have("casacore"), "python3-casacore is not installed")
class qa_casacore(with_files):

    def column(self, ms, name, table=""):
        from casacore import tables
        with tables.table(os.path.join(ms, table), ack=False) as t:
            return t.getcol(name)

    def test_times(self):
        # A spectrum stands for the middle of its four transforms; a dump has those whose middle
        # lies between two whole milliseconds, and is their mean.
        length = CHANNELS / 16.384e6
        middle = 0.5 + (np.arange(SAMPLES // CHANNELS - TAPS + 1) + TAPS / 2) * length
        dump = np.floor(middle / DUMP + 1e-6).astype(int)
        count = np.bincount(dump)[dump.min():]
        want = np.bincount(dump, middle)[dump.min():] / count
        midnight = 61203 * 86400.0  # 2026-06-12
        for case, ms in self.cases():
            with self.subTest(case):
                rows = len(count) * 300
                time = self.column(ms, "TIME").reshape(len(count), -1)
                self.assertEqual(time.size, rows)
                self.assertEqual(np.ptp(time, axis=1).max(), 0)
                off = time[:, 0] - midnight - 22 * 3600 - want
                self.assertLess(np.abs(off).max(), 1e-6)
                np.testing.assert_array_equal(self.column(ms, "TIME_CENTROID"), time.ravel())
                for name in ("INTERVAL", "EXPOSURE"):
                    np.testing.assert_allclose(self.column(ms, name)[::300], count * length)
                weights = self.column(ms, "WEIGHT_SPECTRUM").reshape(len(count), -1)
                np.testing.assert_allclose(weights, np.broadcast_to(count[:, None], weights.shape),
                                           rtol=1e-5)
                limits = self.column(ms, "TIME_RANGE", "OBSERVATION")[0] - midnight - 22 * 3600
                np.testing.assert_allclose(
                    limits, [middle[0] - length / 2, middle[-1] + length / 2], atol=1e-6, rtol=0)

    def test_frequencies(self):
        want = 150e6 + (np.arange(CHANNELS) - CHANNELS // 2) * 128e3
        for case, ms in self.cases():
            with self.subTest(case):
                np.testing.assert_allclose(self.column(ms, "CHAN_FREQ", "SPECTRAL_WINDOW"), [want],
                                           rtol=1e-14)
                for name in ("CHAN_WIDTH", "EFFECTIVE_BW", "RESOLUTION"):
                    np.testing.assert_allclose(self.column(ms, name, "SPECTRAL_WINDOW"), 128e3)
                self.assertEqual(self.column(ms, "REF_FREQUENCY", "SPECTRAL_WINDOW")[0], 150e6)

    def positions(self):
        """ITRF from WGS84 by the textbook's formula."""
        with open(ARRAY, encoding="utf-8") as file:
            obs = yaml.safe_load(file)
        b, l = np.radians([obs["site"]["latitude"], obs["site"]["longitude"]])
        a, e2 = 6378137.0, 0.0066943799901413165
        n = a / np.sqrt(1 - e2 * np.sin(b) ** 2)
        h = obs["site"]["height"]
        site = np.array([(n + h) * np.cos(b) * np.cos(l), (n + h) * np.cos(b) * np.sin(l),
                         (n * (1 - e2) + h) * np.sin(b)])
        axes = np.array([[-np.sin(l), np.cos(l), 0],
                         [-np.sin(b) * np.cos(l), -np.sin(b) * np.sin(l), np.cos(b)],
                         [np.cos(b) * np.cos(l), np.cos(b) * np.sin(l), np.sin(b)]])
        names = [antenna["name"] for antenna in obs["antennas"]]
        return names, site + np.array([antenna["enu"] for antenna in obs["antennas"]]) @ axes

    def test_antennas(self):
        names, positions = self.positions()
        for case, ms in self.cases():
            with self.subTest(case):
                self.assertEqual(list(self.column(ms, "NAME", "ANTENNA")), names)
                np.testing.assert_allclose(self.column(ms, "POSITION", "ANTENNA"), positions,
                                           atol=1e-5, rtol=0)
                hands = list(CASES[case][1])
                self.assertEqual(list(np.ravel(self.column(ms, "CORR_TYPE", "POLARIZATION"))),
                                 [9] if hands == ["X"] else [9, 10, 11, 12])
                self.assertEqual(self.column(ms, "TELESCOPE_NAME", "OBSERVATION"),
                                 ["simulated array"])

    @unittest.skipUnless(have("astropy"), "astropy is not installed")
    def test_uvw(self):
        _, positions = self.positions()
        for case, ms in self.cases():
            with self.subTest(case):
                first, other = self.column(ms, "ANTENNA1"), self.column(ms, "ANTENNA2")
                self.assertTrue((first <= other).all())
                ra, dec = self.column(ms, "PHASE_DIR", "FIELD")[0, 0]
                if "celestial" in case:
                    np.testing.assert_allclose(np.degrees([ra, dec]) % 360, [263, 24], atol=1e-10)
                uvw, time = self.column(ms, "UVW"), self.column(ms, "TIME")
                for row in (0, len(uvw) - 300):
                    axes = axes_by_astropy(ra, dec, time[row])
                    dump = slice(row, row + 300)
                    want = (positions[first[dump]] - positions[other[dump]]) @ axes.T
                    self.assertLess(np.abs(uvw[dump] - want).max(), 1e-3)
                if "zenith" in case:
                    up = (positions[0] - 0) / np.linalg.norm(positions[0])
                    # The geodetic zenith is 11 arcmin from the geocentric one at this latitude.
                    tilt = np.degrees(np.arccos(axes[2] @ up))
                    self.assertAlmostEqual(tilt * 60, 11.4, delta=0.3)

    def test_data_are_those_of_the_acc_file_with_the_phase_of_w(self):
        frequencies = 150e6 + (np.arange(CHANNELS) - CHANNELS // 2) * 128e3
        for case, ms in self.cases():
            with self.subTest(case):
                hands = len(CASES[case][1])
                inputs = 24 * hands
                products = inputs * (inputs + 1) // 2
                v = np.fromfile(self.path(case, "ACC"), np.complex64)
                v = v.reshape(-1, products, CHANNELS)
                square = np.zeros((len(v), inputs, inputs, CHANNELS), np.complex64)
                i, j = np.triu_indices(inputs)
                square[:, j, i] = v.conj()
                square[:, i, j] = v
                first, other = self.column(ms, "ANTENNA1")[:300], self.column(ms, "ANTENNA2")[:300]
                w = self.column(ms, "UVW")[:, 2].reshape(-1, 300)
                turn = np.exp(-2j * np.pi * frequencies * w[..., None] / SPEED_OF_LIGHT)
                data = self.column(ms, "DATA").reshape(len(v), 300, CHANNELS, hands ** 2)
                for p in range(hands):
                    for q in range(hands):
                        want = square[:, hands * first + p, hands * other + q] * turn
                        error = np.abs(data[..., hands * p + q] - want).max()
                        self.assertLess(error, 1e-5 * np.abs(v).max())

    def test_a_source_at_the_phase_center_has_no_phase(self):
        obs = sky({"ra": 263.0, "dec": 24.0}, "X")
        obs.sky = [fringe.point_source(0, 0, 1.0)]
        obs.receiver_noise = 0
        raw, ms = (self.path("alone", end) for end in ("raw", "ms"))
        fringe.simulate(obs, raw, SAMPLES)
        fringe.correlate(raw, ms, raw + ".yml", channels=32, integration=0.002)
        data = self.column(ms, "DATA")[..., 0]
        self.assertGreaterEqual(len(data), 4 * 300)
        inner = data[:, 1:-1].reshape(-1, 300, 30).mean(axis=0)
        self.assertLess(np.degrees(np.abs(np.angle(inner)).max()), 0.5)

    def test_history_tells_how_it_was_made(self):
        for case, ms in self.cases():
            with self.subTest(case):
                self.assertIn("made by qa_tools", " ".join(self.column(ms, "MESSAGE", "HISTORY")))


def axes_by_astropy(ra, dec, mjd_seconds):
    """Unit vectors of u, v, w in ITRF, by astropy's own transformations."""
    from astropy import units
    from astropy.coordinates import ICRS, ITRS, SkyCoord
    from astropy.time import Time
    from astropy.utils import iers
    with warnings.catch_warnings(), iers.conf.set_temp("auto_download", False):
        warnings.simplefilter("ignore")
        when = Time(40587 + 20616, mjd_seconds / 86400 - 61203, format="mjd", scale="utc")
        when.delta_ut1_utc = 0.0

        def towards(declination):
            place = SkyCoord(ra, declination, unit=units.rad, frame=ICRS())
            return place.transform_to(ITRS(obstime=when)).cartesian.xyz.value

        w = towards(dec)
        north = towards(dec + 1e-6) - towards(dec - 1e-6)
    w /= np.linalg.norm(w)
    v = north - w * (north @ w)
    v /= np.linalg.norm(v)
    return np.array([np.cross(v, w), v, w])


@needs_pyuvdata
class qa_pyuvdata(with_files):

    def test_it_reads_the_file(self):
        for case, ms in self.cases():
            with self.subTest(case):
                uv = read_by_pyuvdata(ms, file_type="ms")
                hands = len(CASES[case][1])
                self.assertEqual((uv.Nants_data, uv.Nfreqs, uv.Npols, uv.Nbls),
                                 (24, CHANNELS, hands ** 2, 300))
                np.testing.assert_allclose(np.ravel(uv.freq_array)[[0, -1]],
                                           [141.808e6, 158.064e6])
                # Not phased: the amplitudes of a baseline are those of the ACC file.
                inputs = 24 * hands
                v = np.fromfile(self.path(case, "ACC"), np.complex64)
                v = v.reshape(-1, inputs * (inputs + 1) // 2, CHANNELS)
                expected = np.abs(v[:, 3 * hands])
                got = np.abs(uv.get_data(0, 3, "xx"))
                np.testing.assert_allclose(got, expected, rtol=1e-4)


if __name__ == "__main__":
    unittest.main()
