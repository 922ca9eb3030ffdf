#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Mounts and feeds of the observation in visibility files, by casacore, astropy, h5py, pyuvdata."""
import os
import unittest

import h5py
import numpy as np
from astropy.io import fits
from casacore.tables import table
from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from qa_scratch import scratch_case
from qa_skies import snapshot
from qa_uvdata import mounts_in_pyuvdata, needs_pyuvdata, read_by_pyuvdata

MOUNTS = ("alt-az", "equatorial", "x-y", "fixed")
#: MNTSTA of AIPS Memo 117, and 7, which is pyuvdata's.
NUMBERS = {"alt-az": 0, "equatorial": 1, "x-y": 3, "fixed": 7}
ANTENNAS = 6


class qa_written_feeds(scratch_case):

    def written(self, ending, hands="XY", center=None, **more):
        """(path, mounts, degrees of the first receptor, degrees of the second) of antennas."""
        mounts = self.rng.permutation([*MOUNTS, *self.rng.choice(MOUNTS, 2)]).tolist()
        first = self.rng.uniform(-360, 360, ANTENNAS).round(4)
        second = first + self.rng.choice([-90, 90], ANTENNAS) * (hands[0] not in "RL")
        feeds = [{"mount": mount, "feed_angle": pair} for mount, *pair in
                 zip(mounts, first.tolist(), second.tolist())]
        path = snapshot(self.folder, ANTENNAS, self.rng, f"{hands}{ending}", channels=4,
                        center=center, polarizations=hands, feeds=feeds, **more)
        return path, mounts, np.radians([first, second]).T

    def kinds(self, ending):
        for hands in ("XY", "RL", "X", "L"):
            with self.subTest(hands=hands):
                # The pole is no zenith, and files of it say ALT-AZ where nothing is given.
                center = {"ra": 3.0, "dec": -60.0} if hands == "XY" else None
                path, mounts, angles = self.written(ending, hands, center)
                self.read_back(path, hands, mounts, angles)
                yield hands, path, mounts, angles

    def read_back(self, path, hands, mounts, angles):
        feeds = fringe.read_visibilities(path).feeds
        self.assertEqual([mount.lower() for mount in feeds.mounts], mounts)
        self.assertEqual(set(feeds.types), {"RL" if hands in ("RL", "L") else "XY"})
        turn = np.exp(1j * (feeds.angles - angles))
        # With X alone, Y is not there to tell on which side it stands.
        self.assertLess(np.abs(turn - 1)[:, :1 if hands == "X" else 2].max(), 1e-6)
        self.assertIn(f"{mounts[0]}, {'X at' if 'X' in hands else 'R and L at'}", describe(path))

    def test_measurement_set(self):
        for hands, path, mounts, angles in self.kinds(".ms"):
            with table(os.path.join(path, "ANTENNA"), ack=False) as antennas:
                self.assertEqual([word.lower() for word in antennas.getcol("MOUNT")], mounts)
            with table(os.path.join(path, "FEED"), ack=False) as feed:
                for a in range(ANTENNAS):
                    self.assertEqual(list(feed.getcell("POLARIZATION_TYPE", a)), list(hands))
                    np.testing.assert_allclose(feed.getcell("RECEPTOR_ANGLE", a),
                                               angles[a, :len(hands)], rtol=1e-12)

    def test_uvfits(self):
        for hands, path, mounts, angles in self.kinds(".uvfits"):
            found = fits.getdata(path, "AIPS AN")
            self.assertEqual(found["MNTSTA"].tolist(), [NUMBERS[mount] for mount in mounts])
            for number, name in enumerate("AB"):
                types = "RL" if hands in ("RL", "L") else "XY"
                self.assertEqual(set(found[f"POLTY{name}"]), {types[number]})
                if hands not in ("X", "L") or number == 0:
                    np.testing.assert_allclose(np.radians(found[f"POLA{name}"]),
                                               angles[:, number], atol=1e-6)

    def test_uvh5(self):
        for hands, path, mounts, angles in self.kinds(".uvh5"):
            with h5py.File(path) as file:
                header = file["Header"]
                self.assertEqual([word.decode() for word in header["mount_type"]], mounts)
                self.assertEqual([[word.decode().upper() for word in feed] for feed in
                                  header["feed_array"]], [list(hands)] * ANTENNAS)
                np.testing.assert_allclose(header["feed_angle"], angles[:, :len(hands)],
                                           rtol=1e-12)
                self.assertNotIn("x_orientation", header)

    def test_what_the_observation_does_not_say(self):
        """A zenith has fixed dipoles, X to the north; one place among the stars alt-az antennas."""
        for center, mount in ((None, "fixed"), ({"ra": 3.0, "dec": -60.0}, "alt-az")):
            path = snapshot(self.folder, 3, self.rng, f"{mount}.uvh5", channels=4, center=center)
            self.assertEqual(fringe.read_visibilities(path).feeds.mounts, [mount.upper()] * 3)
            with h5py.File(path) as file:
                self.assertEqual(file["Header/x_orientation"][()], b"north")
        path = snapshot(self.folder, 3, self.rng, "east.uvh5", channels=4, polarizations="XY",
                        feeds=[{"feed_angle": [90, 0]}] * 3)
        with h5py.File(path) as file:
            self.assertEqual(file["Header/x_orientation"][()], b"east")

    def test_in_words(self):
        """Angles are as they were given, also in single floats."""
        feeds = [{"mount": "alt-az", "feed_angle": pair} for pair in ([90, 0], [12.3, 102.3])] * 2
        for ending in (".ms", ".uvh5", ".uvfits"):
            path = snapshot(self.folder, 4, self.rng, "east" + ending, channels=4,
                            polarizations="XY", feeds=feeds)
            self.assertIn("2 antennas: alt-az, X at 90 and Y at 0 degrees; "
                          "2 antennas: alt-az, X at 12.3 and Y at 102.3 degrees\n", describe(path))

    def test_raw_files(self):
        _, mounts, angles = self.written(".ACC")
        feeds = fringe.read_visibilities(self.path("XY.ACC")).feeds
        self.assertEqual([mount.lower() for mount in feeds.mounts], mounts)
        self.assertLess(np.abs(np.exp(1j * (feeds.angles - angles)) - 1).max(), 1e-12)

    @needs_pyuvdata
    def test_pyuvdata(self):
        for ending in (".ms", ".uvfits", ".uvh5"):
            with self.subTest(ending):
                path, mounts, angles = self.written(ending)
                found = read_by_pyuvdata(path).telescope
                self.assertEqual(list(found.mount_type), mounts_in_pyuvdata(ending, mounts))
                self.assertEqual(found.feed_array.tolist(), [["x", "y"]] * ANTENNAS)
                self.assertLess(np.abs(np.exp(1j * (found.feed_angle - angles)) - 1).max(), 1e-6)


if __name__ == "__main__":
    unittest.main()
