#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""CASA on .ms and .uvfits. It brings a numpy of its own, so it stays in an environment of its own:
FRINGE_CASA_PYTHON names the Python that has casatools and casatasks."""
import json
import os
import subprocess
import sys
import unittest

import numpy as np
from gnuradio import fringe
from qa_scratch import scratch_case
from qa_tools import sky

PYTHON = os.environ.get("FRINGE_CASA_PYTHON", sys.executable)
PIXELS, PLACE = 192, (-40, 30)  # of an image, and where the source is east and north of its middle

CASA = """
import json
from casatasks import importuvfits, tclean
from casatools import image, ms, msmetadata

importuvfits(fitsfile="x.uvfits", vis="imported.ms")
images = {}
for name in ("x.ms", "imported.ms"):
    about = msmetadata()
    about.open(name)
    entry = images[name] = {
        "antennas": about.antennanames(), "fields": about.fieldnames(),
        "telescope": about.observatorynames(), "frequencies": list(about.chanfreqs(0)),
        "direction": [about.refdir(0)[k]["value"] for k in ("m0", "m1")]}
    about.close()
    rows = ms()
    rows.open(name)
    got = rows.getdata(["data", "uvw", "flag"])
    entry["shape"], entry["flagged"] = list(got["data"].shape), int(got["flag"].sum())
    entry["power"] = float(abs(got["data"][0, 4:-4]).mean())
    entry["longest"] = float((got["uvw"] ** 2).sum(axis=0).max() ** 0.5)
    rows.close()
    tclean(vis=name, imagename=name + "_dirty", imsize=PIXELS, cell="24arcmin", niter=0,
           stokes="XX", weighting="natural", gridder="widefield", wprojplanes=32, pblimit=-1)
    picture = image()
    picture.open(name + "_dirty.image")
    pixels = picture.getchunk()[:, :, 0, 0]
    picture.close()
    entry["place"] = [int(k) for k in divmod(pixels.argmax(), pixels.shape[1])]
    entry["peak"] = float(pixels.max())
json.dump(images, open("images.json", "w"))
"""


def reason_to_skip():
    try:
        done = subprocess.run([PYTHON, "-c", "import casatasks, casatools"], timeout=120,
                              capture_output=True, text=True, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


SKIPPED = reason_to_skip()


@unittest.skipIf(SKIPPED, f"casatools or casatasks cannot be used by {PYTHON}: {SKIPPED}")
class qa_casa(scratch_case):

    def test_a_source_off_the_center(self):
        obs = sky({"ra": 263.0, "dec": 24.0, "name": "a field"}, "X")
        obs.receiver_noise, obs.channels, obs.integration = 0, 32, 0.002
        obs.sky = [fringe.point_source(*(np.radians(0.4) * np.array(PLACE)), 1.0)]
        fringe.simulate(obs, self.path("raw"), 131072)
        fringe.correlate(self.path("raw"), [self.path("x.ms"), self.path("x.uvfits")],
                         self.path("raw.yml"))
        vis = fringe.read_visibilities(self.path("x.ms"))
        # Noise of the one source is all that each antenna hears.
        power = np.abs(vis.data[:, 4:-4, np.equal(*vis.products)]).mean()
        longest = np.linalg.norm(vis.uvw[:, :, None] - vis.uvw[:, None], axis=-1).max()

        script = CASA.replace("PIXELS", str(PIXELS))
        done = subprocess.run([PYTHON, "-c", script], cwd=self.folder, timeout=300,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        with open(self.path("images.json"), encoding="utf-8") as file:
            images = json.load(file)
        for name, entry in images.items():
            with self.subTest(name):
                # importuvfits calls them 1, 2, 3 ...
                self.assertEqual(entry["antennas"], vis.antennas if name == "x.ms" else
                                 [str(k + 1) for k in range(len(vis.antennas))])
                self.assertEqual((entry["fields"], entry["telescope"]),
                                 (["a field"], ["simulated array"]))
                np.testing.assert_allclose(entry["frequencies"], vis.frequencies, rtol=1e-12)
                np.testing.assert_allclose(np.degrees(entry["direction"]) % 360, [263, 24],
                                           atol=1e-9)
                self.assertEqual(entry["shape"], [1, 32, 300 * len(vis.seconds)])
                self.assertEqual(entry["flagged"], int(vis.flags.sum()))
                self.assertAlmostEqual(entry["longest"], longest, delta=1e-3)
                self.assertAlmostEqual(entry["power"] / power, 1, delta=0.01)
                # Its pixels count to the west.
                want = [PIXELS // 2 - PLACE[0], PIXELS // 2 + PLACE[1]]
                self.assertLessEqual(np.abs(np.subtract(entry["place"], want)).max(), 1)
                self.assertAlmostEqual(entry["peak"] / power, 1, delta=0.03)
        self.assertAlmostEqual(images["x.ms"]["peak"] / images["imported.ms"]["peak"], 1,
                               delta=1e-4)


if __name__ == "__main__":
    unittest.main()
