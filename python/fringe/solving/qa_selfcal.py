#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Self-calibration finds phases and sources that are there, and none in noise."""
import contextlib
import io
import os
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration.apply import apply_solutions
from gnuradio.fringe.cli import main
from gnuradio.fringe.images.cleaning import clean_settings
from gnuradio.fringe.images.make import image_maker
from gnuradio.fringe.images.sky_image import image_settings
from gnuradio.fringe.solution_tables.tables import read_solutions
from gnuradio.fringe.solving import selfcal as module
from gnuradio.fringe.solving.selfcal import selfcal
from gnuradio.fringe.solving.terms import terms_of
from gnuradio.fringe.visibility_files.replaced_data import replaced_data
from qa_scratch import scratch_case
from qa_skies import C, snapshot

ANTENNAS, DUMPS, CHANNELS = 16, 4, 16
SOURCES = (0.02, 0.01, 1.0), (-0.03, 0.02, 0.5), (0.01, -0.03, 0.3)
#: Power of every input: a visibility then has the noise 1.
POWER = 8.0
SETTINGS = image_settings(size=(128, 128))
DEGREES = 40.0


class qa_selfcal(scratch_case):
    seed = 309

    def described(self):
        path = snapshot(self.folder, ANTENNAS, self.rng, dumps=DUMPS, channels=CHANNELS,
                        extent=400.0, center={"ra": 170.0, "dec": -30.0, "name": "F"})
        vis = fringe.read_visibilities(path)
        vis.flags[:], vis.weights[:], vis.missing = False, 1, None
        return vis

    def heard(self, vis, sources, gains=None):
        """The file with sources, gains of its antennas and noise of 1 in each visibility."""
        i, j = vis.products
        gains = np.ones(ANTENNAS) if gains is None else gains
        uvw, data = vis.uvw[:, i] - vis.uvw[:, j], np.zeros(vis.data.shape, complex)
        for l, m, flux in sources:
            turns = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
            data += flux * np.exp(2j * np.pi * turns[:, None] * vis.frequencies[:, None] / C)
        noise = self.rng.normal(size=(*data.shape, 2)) @ (1, 1j) / np.sqrt(2)
        data = np.where(i == j, POWER, data * gains[i] * gains[j].conj() + noise)
        vis.data = data.astype(np.complex64)
        return vis

    def phases(self):
        return np.exp(1j * np.radians(DEGREES) * self.rng.normal(size=ANTENNAS))

    @staticmethod
    def rms_of_phases(vis, found, gains):
        """Degrees by which phases differ from the truth but for a shift of the whole sky."""
        turned = np.angle(found.terms[0].values[0, 0, :, 0] * gains.conj())
        turned = np.angle(np.exp(1j * (turned - np.angle(np.exp(1j * turned).mean()))))
        places = np.column_stack([np.ones(ANTENNAS), vis.uvw[0, :, :2]])
        left = turned - places @ np.linalg.lstsq(places, turned, rcond=None)[0]
        return np.degrees(np.sqrt((left**2).mean()))

    @staticmethod
    def image(vis):
        """(peak, rms of the residual) of the cleaned image."""
        made = image_maker(image_settings(size=SETTINGS.size, clean=clean_settings(
            10000, auto_mask=5.0))).make([vis])
        return float(np.nanmax(made.values)), float(np.nanstd(made.residual))

    def test_phases_and_sources_that_are_there(self):
        vis, gains = self.described(), self.phases()
        before = self.image(self.heard(vis, SOURCES, gains))
        result = selfcal(terms_of("G:phase"), 5, SETTINGS).run(vis)
        self.assertLess(self.rms_of_phases(vis, result.found, gains), 4)
        after, done = apply_solutions(vis, result.found)
        self.assertEqual(done.flagged, 0)
        peak, rms = self.image(after)
        thermal = 1 / np.sqrt(2 * DUMPS * CHANNELS * ANTENNAS * (ANTENNAS - 1) / 2)
        self.assertGreater(peak, 0.93)
        self.assertLess(before[0], 0.8)
        self.assertLess(rms, 1.7 * thermal)
        self.assertGreater(before[1], 4 * thermal)
        # The first cycles are better by far more than noise would be.
        self.assertGreater(result.cycles[0].fit.step_sigmas, 10)
        self.assertAlmostEqual(result.cycles[-1].flux, 1.8, delta=0.15)

    def test_amplitudes_keep_their_mean(self):
        vis = self.described()
        gains = np.exp(self.rng.normal(0, 0.15, ANTENNAS))
        self.heard(vis, SOURCES, gains / np.exp(np.log(gains).mean()))
        result = selfcal(terms_of("G"), 2, SETTINGS).run(vis)
        size = np.abs(result.found.terms[0].values[0, 0, :, 0])
        self.assertAlmostEqual(np.log(size).mean(), 0, 6)
        relative = size / (gains / np.exp(np.log(gains).mean())) - 1
        self.assertLess(np.abs(relative).max(), 0.06)

    def test_noise_alone_gives_no_source(self):
        """Nor with a first model of a source, nor where noise is taken for sources."""
        vis, sigmas = self.described(), []
        for terms in ("G:phase", "G:1ms", "K G"):
            self.heard(vis, [])
            result = selfcal(terms_of(terms), 5, SETTINGS).run(vis)
            self.assertIsNone(result.found)
            self.assertIn("no source to calibrate by", result.stop)
        for k in range(6):
            self.heard(vis, [])
            work = selfcal(terms_of("G:phase"), 5, SETTINGS, start=lambda vis: np.ones(
                vis.data.shape, np.complex64), min_snr=0)
            low = mock.patch.object(module, "FOUND", 3.0)
            with low if k % 2 else contextlib.nullcontext():
                if k % 2:
                    work = selfcal(terms_of("G:phase"), 5, SETTINGS, min_snr=0)
                result = work.run(vis)
            self.assertIsNone(result.found, result.lines())
            self.assertEqual(len(result.cycles), 1, result.lines())
            self.assertIn("noise explains what was found", result.stop)
            self.assertLess(result.cycles[0].fit.model_sigmas, 3)
            sigmas.append(result.cycles[0].fit.step_sigmas)
        self.assertLess(np.abs(sigmas).max(), 3)

    def test_what_would_be_made_of_noise_without_halves(self):
        """The same gains make a source of the data that they come from: the test is no idle one."""
        vis = self.heard(self.described(), [])
        with mock.patch.object(selfcal, "_halves", lambda self, vis: [np.ones(
                (DUMPS, CHANNELS), bool)] * 3):
            result = selfcal(terms_of("G:phase"), 1, SETTINGS, start=lambda vis: np.full(
                vis.data.shape, 0.05, np.complex64), min_snr=0).run(vis)
        self.assertGreater(result.cycles[0].fit.step_sigmas, 3)
        self.assertGreater(result.cycles[0].fit.model_sigmas, 3)

    def test_the_command(self):
        vis, gains = self.described(), self.phases()
        paths = []
        for name, sources in (("sky.ms", SOURCES), ("noise.ms", [])):
            paths.append(self.path("x" + name))
            with replaced_data(vis, paths[-1], "DATA", "a sky") as file:
                file.write(0, self.heard(vis, sources, gains).data)
        out, table = io.StringIO(), self.path("self.h5")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            codes = [main(["selfcal", path, "-o", table, "--size", "128", "--cycles", "2", *more])
                     for path, more in ((paths[1], []), (paths[0], ["--apply"]),
                                        (paths[0], []), (paths[0], ["--terms", "D",
                                                                    "--overwrite"]))]
        self.assertEqual(codes, [3, 0, 2, 2], out.getvalue())
        for words in ("no source to calibrate by", "cycle 2: model", f"wrote {table}",
                      "its column CORRECTED_DATA", "exists", "self-calibration solves for K, G, B"):
            self.assertIn(words, out.getvalue())
        found = read_solutions(table)
        self.assertIn("fringe selfcal", found.made)
        self.assertLess(self.rms_of_phases(vis, found, gains), 15)
        self.assertFalse(os.path.exists(self.path("xnoise.h5")))

    def test_mistakes(self):
        vis = self.described()
        with self.assertRaisesRegex(ValueError, "cycles: 0: must be 1 or more"):
            selfcal(terms_of("G"), 0)
        vis = fringe.read_visibilities(vis.path, dumps=range(1))
        with self.assertRaisesRegex(ValueError, "no half of the data is left"):
            selfcal(terms_of("B"), 1).run(vis)


if __name__ == "__main__":
    unittest.main()
