#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image on GPUs, one or several together, beside the CPU.

With FRINGE_STAND_IN (as the build's tests are run) on eight stand-ins; without it on the GPUs of
this machine, if there are any.
"""
import contextlib
import io
import unittest

from qa_stand_in import use_stand_in

use_stand_in(8, 50, REFUSED_2="dust")

import numpy as np  # noqa: E402
from gnuradio import fringe  # noqa: E402
from gnuradio.fringe.cli import main  # noqa: E402
from gnuradio.fringe.readers.fits_image import read_fits_image  # noqa: E402
from qa_scratch import scratch_case  # noqa: E402
from qa_skies import C, ms_sky, snapshot  # noqa: E402

FOUND, WHY = fringe.find_devices()
USABLE = [f"cuda:{n}" for n, device in enumerate(FOUND) if not device.refused]


@unittest.skipUnless(USABLE, f"no device: {WHY}")
class qa_image_devices(scratch_case):

    def visibilities(self, rows, channels, planes=1):
        """(uvw, frequencies, data, weights) of random places; some have no weight."""
        shape = (rows, channels) if planes == 1 else (planes, rows, channels)
        data = (self.rng.standard_normal((*shape, 2)) @ [1, 1j]).astype(np.complex64)
        weights = self.rng.uniform(0, 1, shape).astype(np.float32)
        weights[self.rng.random(shape) < 0.2] = 0
        return (self.rng.uniform(-60, 60, (rows, 3)), 150e6 + 1e6 * np.arange(channels), data,
                weights)

    def test_devices_share_rows(self):
        for method, planes, wide, error in (("separable", 1, 0.6, 1e-4),
                                            ("separable", 2, 0.6, 1e-4),
                                            ("w_projection", 4, 0.1, 2e-3)):
            for rows in (1, 3, 45):
                size = 24, int(self.rng.integers(20, 30))
                words = dict(epsilon=error, method=method, polarizations=planes)
                several = fringe.gridder(*size, wide / 30, wide / 30, devices=USABLE, **words)
                alone = fringe.gridder(*size, wide / 30, wide / 30, backend="cpu", **words)
                uvw, f, data, weights = self.visibilities(rows, 3, planes)
                images = [np.full((planes, *size[::-1])[planes == 1:], 0.5, np.float32)
                          for _ in range(2)]
                for gridder, image in zip((several, alone), images):
                    for _ in range(2):
                        gridder.grid(uvw, f, data, weights, image)
                self.near(images[0] - 0.5, images[1] - 0.5, error)
                self.near(several.degrid(uvw, f, images[1]), alone.degrid(uvw, f, images[1]),
                          error)

    def near(self, found, wanted, error):
        rms = np.sqrt((np.abs(found - wanted)**2).mean())
        self.assertLess(rms, 2 * error * np.sqrt((np.abs(wanted)**2).mean()))

    def test_the_words_that_are_refused(self):
        with self.assertRaisesRegex(ValueError, "gpu0.: it must be auto, cuda"):
            fringe.gridder(8, 8, 0.1, 0.1, devices=["cuda:0", "gpu0"])
        gridder = fringe.gridder(8, 8, 0.1, 0.1, devices=USABLE[:2])
        uvw, f, data, weights = self.visibilities(9, 2)
        uvw[8] = np.nan
        weights[8] = 1
        with self.assertRaisesRegex(ValueError, "row 8 are not finite"):
            gridder.grid(uvw, f, data, weights, np.zeros((8, 8), np.float32))
        for words, sentence in (
                (("--backend", "cpu", "--devices", "0"), "goes instead of --backend, which is cpu"),
                (("--gridder", "direct", "--devices", "0"), "--gridder direct computes on the CPU"),
                (("--devices", "0,nine"), "must be all, or numbers of GPUs: 0,1"),
                (("--devices", "99"), "this machine has")):
            output = io.StringIO()
            with contextlib.redirect_stderr(output):
                try:
                    code = main(["image", "x.ms", "-o", self.path("x.fits"), *words])
                except SystemExit as end:
                    code = end.code
            self.assertEqual(code, 2)
            self.assertIn(sentence, output.getvalue())

    def test_images_and_clean_of_a_file(self):
        sky = ms_sky(snapshot(self.folder, 20, self.rng, channels=4))
        cell = C / (4 * np.hypot(*sky.uvw.T[:2]).max() * sky.frequencies.max())
        sky.write(sky.point(10 * cell, -15 * cell, 3.0) + sky.point(-20 * cell, 6 * cell, 1.5)
                  + sky.noise(0.3, self.rng))
        words = ["image", sky.path, "--size", "64x60", "--scale", f"{cell}rad", "--no-all-sky",
                 "--gridder", "separable", "--weight", "briggs:0",
                 "--clean", "400", "--threshold", "5sigma"]
        made = {}
        for name, where in (("cpu", ("--backend", "cpu")), ("one", ("--backend", USABLE[-1])),
                            ("all", ("--devices", "all"))):
            output = self.path(f"{name}.fits")
            self.assertEqual(main([*words, "-o", output, *where]), 0)
            made[name] = [read_fits_image(self.path(f"{name}{part}.fits"))[0]
                          for part in ("", "-residual", "-model", "-psf")]
        for name in ("one", "all"):
            for found, wanted in zip(made[name], made["cpu"]):
                np.testing.assert_allclose(found, wanted, atol=2e-3 * np.nanmax(made["cpu"][0]))


if __name__ == "__main__":
    unittest.main()
