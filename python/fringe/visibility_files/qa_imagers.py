#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets of a simulated sky in the hands of WSClean and AOFlagger."""
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
from casacore.tables import table

from gnuradio import fringe
from qa_scratch import TIMEOUT

try:
    from astropy.io import fits
except ImportError:
    fits = None

SIZE, SCALE = 512, 0.004  # pixels; direction cosines a pixel, so that a whole sky fits
ANTENNAS = [(-1.0, 3.2), (6.1, 3.2), (9.3, 1.2), (13.3, -1.2), (18.4, -4.1), (15.8, -14.3),
            (19.6, -15.1), (15.0, -24.7), (2.1, -2.2), (0.9, -5.6), (-1.6, -10.4), (-7.9, -11.0),
            (-12.4, -11.7), (-16.7, -13.0), (-25.1, -5.7), (-28.7, -3.3), (-4.8, -0.3),
            (-6.7, 5.2), (-7.9, 10.8), (-2.4, 14.6), (-1.1, 20.3), (12.5, 20.2), (5.0, 25.5),
            (10.8, 26.4)]
#: (pixels east, pixels north, flux)
SOURCES = [(25, 60, 0.5), (-90, -40, 0.4), (80, -110, 0.3), (-60, 130, 0.25)]


def run(folder, *command):
    """Runs a tool; both are linked to OpenBLAS and insist on one thread of it."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT,
                          env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), check=False)


class simulated:
    """A MeasurementSet of SOURCES in a folder of its own."""

    def __init__(self, phase_center, polarizations, samples):
        self.folder = tempfile.mkdtemp()
        sources = [{"name": f"s{k}", "l": a * SCALE, "m": b * SCALE, "flux": flux}
                   for k, (a, b, flux) in enumerate(SOURCES)]
        obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50.0, "longitude": 8.0, "height": 100.0},
            "antennas": [[*place, 0.1 * k % 0.4] for k, place in enumerate(ANTENNAS)],
            "polarizations": polarizations, "sample_rate": 16.384e6,
            "center_frequency": 150e6, "start_time": "2026-06-12T22:00:00Z",
            "phase_center": phase_center, "channels": 128, "taps": 4, "window": "hann",
            "integration": 0.008, "sky": {"receiver_noise": 0.5, "sources": sources}}))
        raw = os.path.join(self.folder, "sky.ci16")
        self.level = fringe.simulate(obs, raw, samples, format="ci16").level
        fringe.correlate(raw, os.path.join(self.folder, "sky.ms"), raw + ".yml")

    def remove(self):
        shutil.rmtree(self.folder)


@unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
@unittest.skipUnless(fits, "astropy is not installed")
class qa_wsclean(unittest.TestCase):

    def check(self, phase_center, polarizations, samples, size=SIZE, gridder=(), delta=0.03):
        sky = simulated(phase_center, polarizations, samples)
        self.addCleanup(sky.remove)
        for polarization in (p.lower() for p in polarizations):
            made = run(sky.folder, "wsclean", "-size", str(size), str(size), "-scale",
                       f"{SCALE}rad", "-pol", polarization * 2, "-weight", "natural", "-niter",
                       "2000", "-mgain", "0.8", "-name", "image", *gridder, "sky.ms")
            self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
            image = fits.getdata(os.path.join(sky.folder, "image-image.fits"))[0, 0]
            for east, north, flux in SOURCES:
                x, y = size // 2 - east, size // 2 + north
                near = image[y - 5:y + 6, x - 5:x + 6]
                row, column = np.unravel_index(near.argmax(), near.shape)
                with self.subTest(source=(east, north), polarization=polarization):
                    self.assertLessEqual(abs(row - 5), 1)
                    self.assertLessEqual(abs(column - 5), 1)
                    self.assertAlmostEqual(near.max() / sky.level ** 2 / flux, 1, delta=delta)

    def test_single_polarization_towards_the_zenith(self):
        self.check("zenith", ["X"], 1 << 20)

    def test_two_polarizations_towards_a_star(self):
        # 15 degrees from the zenith of that instant.
        self.check({"ra": 235.0, "dec": 35.0}, ["X", "Y"], 1 << 19)

    def test_with_the_wgridder(self):
        # It diverges on an image that reaches beyond the horizon, l^2 + m^2 > 1 in its corners.
        self.check("zenith", ["X"], 1 << 18, 340, ["-use-wgridder", "-auto-threshold", "4"])

    def test_thirty_degrees_from_the_zenith(self):
        # A few per cent of the peaks are CLEAN's loss, with either gridder: see qa_fluxes.
        self.check({"ra": 220.0, "dec": 22.0}, ["X"], 1 << 18, 340,
                   ["-use-wgridder", "-auto-threshold", "4"], 0.08)


class qa_fluxes(unittest.TestCase):
    """The sources fitted to the visibilities of a file, by what is in its tables alone."""

    def test_they_are_those_of_the_sky(self):
        for center in ("zenith", {"ra": 220.0, "dec": 22.0}):
            sky = simulated(center, ["X"], 1 << 18)
            self.addCleanup(sky.remove)
            path = os.path.join(sky.folder, "sky.ms")
            with table(path, ack=False) as ms:
                cross = ms.getcol("ANTENNA1") != ms.getcol("ANTENNA2")
                data, uvw = ms.getcol("DATA")[cross, :, 0], ms.getcol("UVW")[cross]
            with table(os.path.join(path, "SPECTRAL_WINDOW"), ack=False) as window:
                turns = window.getcol("CHAN_FREQ")[0] / 299792458.0
            model = []
            for east, north, _ in SOURCES:
                l, m = east * SCALE, north * SCALE
                way = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
                model.append(np.exp(2j * np.pi * way[:, None] * turns).ravel())
            model, data = np.array(model).T, data.ravel()
            fluxes = np.linalg.lstsq(np.vstack([model.real, model.imag]),
                                     np.concatenate([data.real, data.imag]), rcond=None)[0]
            with self.subTest(center):
                np.testing.assert_allclose(fluxes / sky.level ** 2, [s[2] for s in SOURCES],
                                           rtol=0.015)


@unittest.skipUnless(shutil.which("aoflagger"), "aoflagger is not installed")
class qa_aoflagger(unittest.TestCase):

    def test_it_runs_and_leaves_the_rest(self):
        sky = simulated("zenith", ["X"], 1 << 18)
        self.addCleanup(sky.remove)
        path = os.path.join(sky.folder, "sky.ms")
        with table(path, ack=False) as ms:
            data = ms.getcol("DATA")
        made = run(sky.folder, "aoflagger", "sky.ms")
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
        with table(path, ack=False) as ms:
            np.testing.assert_array_equal(ms.getcol("DATA"), data)
            flags = ms.getcol("FLAG")
        self.assertEqual(flags.shape, data.shape)
        self.assertLess(flags.mean(), 0.05)  # there is no interference in it


if __name__ == "__main__":
    unittest.main()
