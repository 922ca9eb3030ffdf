#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Feeds that turn against the sky: images of hours, against Jones matrices of the test."""
import contextlib
import io
import os
import shutil
import subprocess
import unittest
from dataclasses import replace

import numpy as np
from casacore.tables import table, taql
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import clean_settings, image_settings, make_image
from gnuradio.fringe.images.feed_turn import position_angles
from gnuradio.fringe.images.turned_planes import maker_of, turned_maker
from gnuradio.fringe.readers.fits_image import read_fits_image
from gnuradio.fringe.sky_model.predict import predict
from qa_polarized_sky import (ANTENNAS, DEC, LATITUDE, LONGITUDE, RA, TIMES, observed,
                              parallactic_angle, pole_of_date)
from qa_scratch import TIMEOUT, scratch_case

#: l, m in pixels of an image of SIZE; I, Q, U, V.
SIZE, PIXEL = 192, 2.5e-4
SOURCES = (((0, 0), (1.0, 0.25, 0.15, 0.0)), ((40, -25), (0.8, -0.3, 0.1, 0.05)),
           ((-55, 30), (1.2, 0.0, -0.4, -0.1)), ((-20, -60), (0.9, 0.1, 0.0, 0.3)))


def at(place):
    """Row and column of a place of SOURCES."""
    return SIZE // 2 + place[1], (SIZE - 1) // 2 + place[0]


def wrapped(angle):
    return np.angle(np.exp(1j * np.asarray(angle)))


class qa_feed_turn(scratch_case):

    def observed(self, name="sky.ms", sources=SOURCES, **more):
        self.sources = [((l * PIXEL, m * PIXEL), stokes) for (l, m), stokes in sources]
        return observed(self.folder, self.rng, name, sources=self.sources, **more)

    def imaged(self, path, pol="IQUV", **more):
        return make_image([path], image_settings(size=(SIZE, SIZE), scale=PIXEL, pol=pol, **more))

    def assert_four(self, path):
        made = self.imaged(path, clean=clean_settings(2000, sigmas=0.0, threshold=5e-4))
        for place, stokes in SOURCES:
            row, column = at(place)
            near = made.model[:, 0, row - 2:row + 3, column - 2:column + 3].sum(axis=(1, 2))
            self.assertLess(np.abs(near - stokes).max(), 0.005 * stokes[0], (place, near))

    def change(self, path, name, column, values):
        with table(os.path.join(path, name), readonly=False, ack=False) as changed:
            for row, value in enumerate(values):
                changed.putcell(column, row, value)

    def test_four_sources_over_six_hours(self):
        self.assert_four(self.observed())

    def test_circular_feeds_of_all_angles(self):
        angles = self.rng.uniform(-np.pi, np.pi, ANTENNAS)
        path = self.observed(kind="RL", angles=angles)
        self.change(path, "FEED", "RECEPTOR_ANGLE", [[angle, angle] for angle in angles])
        self.assert_four(path)

    def test_linear_feeds_of_all_angles(self):
        angles = self.rng.uniform(-np.pi, np.pi, ANTENNAS)
        path = self.observed(angles=angles)
        self.change(path, "FEED", "RECEPTOR_ANGLE", [[a, a + np.pi / 2] for a in angles])
        self.assert_four(path)

    def test_feeds_of_the_observation(self):
        """Own files, of antennas of several mounts and feeds: right without another option."""
        place, stokes = SOURCES[0]
        angles = self.rng.uniform(-180, 180, ANTENNAS).round(3)
        for name, kind, receptors in (("sky.uvh5", "XY", "linear"),
                                      ("sky.uvfits", "RL", "circular")):
            with self.subTest(name):
                feeds = [{"mount": "alt-az", "feed_angle": float(angle), "receptors": receptors}
                         for angle in angles]
                path = self.observed(name, SOURCES[:1], kind=kind, angles=np.radians(angles),
                                     feeds=feeds)
                found = self.imaged(path).values[:, 0][(slice(None), *at(place))]
                self.assertLess(np.abs(found - stokes).max(), 5e-4, found)
        turned = pole_of_date(TIMES[6])
        path = self.observed("fixed.ms", SOURCES[:1], mount=False, angles=turned,
                             feeds=[{"mount": "equatorial"}] * ANTENNAS)
        found = self.imaged(path).values[:, 0][(slice(None), *at(place))]
        self.assertLess(np.abs(found - stokes).max(), 5e-4, found)

    def test_a_predicted_sky(self):
        """The model of an image of the sky is what feeds receive, by Jones matrices."""
        for kind in ("XY", "RL"):
            path = self.observed(f"{kind}.ms", kind=kind)
            made = self.imaged(path)
            made.values[:] = 0
            for place, stokes in SOURCES:
                made.values[:, 0][(slice(None), *at(place))] = stokes
            with open(self.path("model.fits"), "wb") as file:
                file.write(fringe.images.fits_bytes(made, unit="Jy/pixel"))
            predict(self.path("model.fits"), path, self.path(f"model-{kind}.ms"))
            data = fringe.read_visibilities(path)
            model = fringe.read_visibilities(self.path(f"model-{kind}.ms"), column="MODEL_DATA")
            # The test has one parallactic angle for the array; over it they differ by 5e-4.
            self.assertLess(np.abs(model.data - data.data).max(), 5e-3)

    def test_uvfits_and_uvh5(self):
        place, stokes = SOURCES[0]
        for name in ("sky.uvfits", "sky.uvh5"):
            with self.subTest(name):
                path = self.observed(name, SOURCES[:1])
                for frame, wanted in (("sky", stokes), ("feed", (1.0, -0.0403, -0.0262, 0.0))):
                    found = self.imaged(path, pol_frame=frame).values[:, 0][(slice(None),
                                                                             *at(place))]
                    self.assertLess(np.abs(found - wanted).max(), 5e-4, (frame, found))

    def test_mounts(self):
        path = self.observed(sources=SOURCES[:1], mount=False)
        angle = pole_of_date(TIMES[6])
        for mount in ("EQUATORIAL", "equatorial"):
            self.change(path, "ANTENNA", "MOUNT", [mount] * ANTENNAS)
            found = self.imaged(path).values[:, 0][(slice(None), *at((0, 0)))]
            turned = (0.25 + 0.15j) * np.exp(2j * angle)
            self.assertLess(np.abs(found[1:3] - [turned.real, turned.imag]).max(), 2e-4)
        for mounts, words in ((["BIZARRE"] * ANTENNAS, "mount BIZARRE: must be one of ALT-AZ"),
                              (["ALT-AZ"] * 26 + [""], "mount not said")):
            self.change(path, "ANTENNA", "MOUNT", mounts)
            with self.assertRaisesRegex(ValueError, words):
                self.imaged(path)
            self.assertAlmostEqual(self.imaged(path, "I").values[0, 0][at((0, 0))], 1, 3)
            self.imaged(path, pol_frame="feed")
        self.change(path, "ANTENNA", "MOUNT", [""] * ANTENNAS)
        self.assertIn("does not say how its antennas are mounted",
                      " ".join(self.imaged(path).remarks))
        self.change(path, "ANTENNA", "MOUNT", ["ALT-AZ"] * ANTENNAS)
        self.change(path, "FEED", "POLARIZATION_TYPE", [["X", "Y"]] * 5 + [["R", "L"]])
        with self.assertRaisesRegex(ValueError, "antenna ant5: its feed is R and L.* mixed feeds"):
            self.imaged(path)
        self.change(path, "FEED", "POLARIZATION_TYPE", [["X", "Y"]] * 6)
        self.change(path, "FEED", "RECEPTOR_ANGLE", [[0.0, 1.0]])
        with self.assertRaisesRegex(ValueError, "they must be 90 degrees apart"):
            self.imaged(path)
        stdout, stderr = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            code = main(["image", path, "-o", self.path("a.fits"), "--pol", "Q"])
        self.assertNotEqual(code, 0)
        self.assertIn("--pol-frame feed", stderr.getvalue())
        self.assertFalse(os.path.exists(self.path("a.fits")))

    def test_parallel_hands_alone(self):
        vis = fringe.read_visibilities(self.observed(sources=SOURCES[:1]))
        vis.correlations = {"XX", "YY"}
        self.assertNotIsInstance(maker_of(vis, "I"), turned_maker)
        with self.assertRaisesRegex(ValueError, "pol: Q: feeds that turn against the sky need XX, "
                                                "XY, YX, YY for it; .* has XX, YY"):
            maker_of(vis, "Q")
        maker_of(vis, "Q", "feed")
        vis.feeds = replace(vis.feeds, mounts=["EQUATORIAL"] * ANTENNAS, made=None)
        maker_of(vis, "Q")

    def test_weights_are_those_of_the_sum(self):
        vis = fringe.read_visibilities(self.observed(sources=SOURCES[:1]))
        vis.weights[:] = self.rng.uniform(1, 9, vis.weights.shape)
        vis.flags[:] = self.rng.uniform(0, 1, vis.flags.shape) < 0.1
        vis.feeds.mounts = ["EQUATORIAL"] * ANTENNAS
        vis.feeds.angles[:] = np.radians(45) * np.array([1, 1]) + [0, np.pi / 2]
        data, weights = maker_of(vis, "Q").take(vis, np.arange(4))
        turned, plain = maker_of(vis, "Q"), maker_of(vis, "U", "feed")
        wanted = plain.take(vis, np.arange(4))
        # X to the north-east: Q of the sky is -U of the feeds.
        use = weights > 0
        self.assertTrue(np.array_equal(use, wanted[1] > 0) or use.sum() < wanted[1].astype(
            bool).sum())
        self.assertEqual(len(turned.pairs), len(plain.pairs))
        self.assertLess(np.abs(weights[use] / wanted[1][use] - 1).max(), 0.05)
        self.assertLess(np.abs(data[use] + wanted[0][use]).max(), 0.01)

    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_the_feeds_as_they_stood_are_those_of_wsclean(self):
        """WSClean does not turn feeds."""
        path = self.observed()
        made = subprocess.run(
            ["wsclean", "-size", str(SIZE), str(SIZE), "-scale", f"{PIXEL}rad", "-pol", "iquv",
             "-weight", "natural", "-niter", "0", "-name", "ws", "-use-wgridder",
             "-no-small-inversion", path], cwd=self.folder, text=True, capture_output=True,
            env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), timeout=TIMEOUT, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
        ours = self.imaged(path, pol_frame="feed")
        for plane, name in enumerate("IQUV"):
            # Columns of a FITS file rise to the west.
            theirs = read_fits_image(self.path(f"ws-{name}-dirty.fits"))[0][0, 0, :, ::-1]
            np.testing.assert_allclose(ours.values[plane, 0], theirs, atol=2e-3, err_msg=name)

    def test_angles_of_distant_antennas(self):
        vis = fringe.read_visibilities(self.observed(sources=SOURCES[:1]), with_data=False)
        places = [(LATITUDE, LONGITUDE), (-12.0, 131.0), (3.0, 101.0)]
        for a, place in enumerate(places):
            vis.feeds.itrf[a] = fringe.itrf_from_wgs84(*place, 100.0)
        wanted = np.array([[parallactic_angle(t, *place) + pole_of_date(t) for place in places]
                           for t in TIMES])
        found = position_angles(vis)[:, :len(places)]
        self.assertLess(np.abs(wrapped(found[..., 0] - wanted)).max(), 1e-5)
        self.assertLess(np.abs(wrapped(found[..., 1] - wanted - np.pi / 2)).max(), 1e-5)
        self.assertGreater(np.ptp(wanted, axis=1).max(), 0.3)

    def test_angles_of_casacore(self):
        path = self.observed(sources=SOURCES[:1])
        vis = fringe.read_visibilities(path, with_data=False)
        # Casacore has the zenith of the center of the Earth, and the pole of date.
        pole = np.array([pole_of_date(t) for t in TIMES])
        for a in range(ANTENNAS):
            x, y, z = vis.feeds.itrf[a]
            vis.feeds.itrf[a] = fringe.itrf_from_wgs84(
                np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x)), 0.0)
        found = position_angles(vis)[..., 0] - pole[:, None]
        with taql("select TIME, ANTENNA1, mscal.PA1() as PA from $path") as rows:
            times, antennas, angles = (rows.getcol(name) for name in ("TIME", "ANTENNA1", "PA"))
        dump = np.searchsorted(TIMES, times - 40587 * 86400 - 1)
        # UT1 - UTC, which casacore may know, is up to 0.9 s; here both take nought.
        self.assertLess(np.abs(wrapped(found[dump, antennas] - angles)).max(), 5e-5)


if __name__ == "__main__":
    unittest.main()
