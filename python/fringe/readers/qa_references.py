#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Directions in other frames and times in other scales, against astropy and ERFA."""

import unittest
import warnings

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.readers.references import to_icrs, to_utc

try:
    import erfa
    from astropy import units as u
    from astropy.coordinates import (FK4, FK5, BarycentricMeanEcliptic, Galactic, SkyCoord,
                                     Supergalactic)
    from astropy.time import Time
except ImportError:
    erfa = None

MAS = np.pi / 648e6


@unittest.skipIf(erfa is None, "python3-astropy is not installed")
class qa_references(unittest.TestCase):

    def places(self):
        rng = np.random.default_rng(20260301)
        return zip(rng.uniform(0, 2 * np.pi, 40), np.arcsin(rng.uniform(-1, 1, 40)))

    def worst(self, frame, epoch, truth, seconds=None):
        """The largest distance in mas between to_icrs() and `truth`."""
        return max(erfa.seps(*to_icrs("x", "y", frame, epoch, *place, seconds), *truth(*place))
                   for place in self.places()) / MAS

    def astropy(self, frame):
        def truth(lon, lat):
            place = SkyCoord(lon * u.rad, lat * u.rad, frame=frame).icrs
            return place.ra.rad, place.dec.rad
        return truth

    def test_frames_against_astropy(self):
        # Astropy's galactic pole is that of FK4, and ERFA's that of Hipparcos: 25 mas apart. FK4
        # of other years than 1950 has Newcomb's precession there and here with other digits.
        when = Time("2026-03-01T04:00:00")
        for frame, epoch, other, bound in (
                ("ICRS", None, "icrs", 1e-3), ("J2000", None, FK5(equinox="J2000"), 0.1),
                ("fk5", 2000, FK5(equinox="J2000"), 0.1),
                ("fk5", 2026.2, FK5(equinox="J2026.2"), 1), ("FK5", 1975, FK5(equinox="J1975"), 1),
                ("fk4", None, FK4(equinox="B1950"), 2), ("B1950", None, FK4(equinox="B1950"), 2),
                ("FK4", 1975, FK4(equinox="B1975", obstime="B1975"), 5),
                ("FK4", 1900, FK4(equinox="B1900", obstime="B1900"), 15),
                ("B1950_VLA", None, FK4(equinox="B1950", obstime=Time(1979.9, format="byear")), 5),
                ("galactic", None, Galactic(), 30), ("SUPERGAL", None, Supergalactic(), 30),
                ("supergalactic", None, Supergalactic(), 30),
                ("ECLIPTIC", None, BarycentricMeanEcliptic(), 0.1),
                ("MECLIPTIC", None, BarycentricMeanEcliptic(equinox=when), 0.1)):
            with self.subTest(frame=frame, epoch=epoch):
                self.assertLess(self.worst(frame, epoch, self.astropy(other), when.unix),
                                bound)

    def test_frames_of_date_against_erfa(self):
        when = Time("2026-03-01T04:00:00")
        tt = when.tt.jd1, when.tt.jd2

        def apparent(lon, lat):
            context, origins = erfa.apci13(*tt)
            return erfa.aticq(erfa.anp(lon + origins), lat, context)

        def turned(matrix):
            return lambda lon, lat: erfa.c2s(erfa.trxp(matrix, erfa.s2c(lon, lat)))
        for frame, truth in (("APP", apparent), ("tete", apparent),
                             ("JMEAN", turned(erfa.pmat06(*tt))),
                             ("JTRUE", turned(erfa.pnm06a(*tt)))):
            with self.subTest(frame=frame):
                self.assertLess(self.worst(frame, None, truth, when.unix), 0.1)

    def test_the_values_of_a_table(self):
        # The Explanatory Supplement's example goes from FK5 to FK4; a value of astropy for one
        # place, worked out by hand: B1950 120 +40 is ICRS 120.8415 +39.8591.
        ra, dec = np.degrees(to_icrs("x", "y", "B1950", None, *np.radians([120, 40])))
        self.assertAlmostEqual(ra, 120.8415, 4)
        self.assertAlmostEqual(dec, 39.8591, 4)

    def test_frames_that_are_refused(self):
        for frame, words in (("AZEL", "turns with the earth"), ("altaz", "turns with the earth"),
                             ("HADEC", "turns with the earth"), ("JNAT", "what is read is in"),
                             ("mars", "x.ms: its field 3: is in the frame mars; what is read")):
            with self.assertRaisesRegex(ValueError, words):
                to_icrs("x.ms", "its field 3", frame, None, 1.0, 0.5, 1e9)
        with self.assertRaisesRegex(ValueError, "no time says"):
            to_icrs("x.ms", "its field 3", "APP", None, 1.0, 0.5)
        with self.assertRaisesRegex(ValueError, "equinox 20: must be a year"):
            to_icrs("x.ms", "its field 3", "FK5", 20, 1.0, 0.5)

    def test_scales_of_time(self):
        # Around a leap second, and later: compared as calendar dates, since the count of seconds
        # of a day with 86401 of them is not defined.
        instants = ["2016-12-31T23:59:58.250", "2017-01-01T00:00:03.500",
                    "2026-03-01T04:00:00.125"]
        for scale, digits in (("UTC", 6), ("TAI", 6), ("TT", 6), ("TDB", 4), ("GPS", 6)):
            utc = [Time(text, scale="utc") for text in instants]
            if scale == "GPS":
                counted = [time.gps + 315964800 for time in utc]
            elif scale == "UTC":
                counted = [np.datetime64(text).astype("datetime64[ms]").astype(int) / 1e3
                           for text in instants]
            else:
                counted = [np.float64(np.round((at.jd1 - 2440587.5) * 86400 + at.jd2 * 86400, 5))
                           for at in (getattr(t, scale.lower()) for t in utc)]
            whole = np.floor(counted).astype(np.int64)
            seconds, fractions = to_utc("x", "y", scale, whole, np.array(counted) - whole)
            for text, second, fraction in zip(instants, seconds, fractions):
                with self.subTest(scale=scale, instant=text):
                    exact = fringe.epoch.from_iso(text)
                    self.assertAlmostEqual(int(second) - exact.seconds
                                           + float(fraction) - exact.fraction(), 0, digits)
        with self.assertRaisesRegex(ValueError, "x.ms: TIME: times are in LAST; what is read"):
            to_utc("x.ms", "TIME", "LAST", np.zeros(1, int), np.zeros(1))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
