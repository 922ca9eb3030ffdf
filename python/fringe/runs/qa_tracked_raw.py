#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Raw visibility files (.ACC, .LCCSPC) of tracked data: images, models and phase center are those
of the MeasurementSet of the same run."""
import re
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from qa_image import simulate
from qa_scratch import scratch_case

RAW = ("a.ACC", "a.LCCSPC")


class qa_tracked_raw(scratch_case):

    def files(self, center):
        """A MeasurementSet, and raw files of the same tracked run."""
        stars = [(*self.rng.uniform(-0.1, 0.1, 2), self.rng.uniform(0.5, 1)) for _ in range(3)]
        path, obs = simulate(self.folder, stars, center, name="a.ms", tracking="true")
        for name in RAW:
            fringe.correlate(path + ".ci16", self.path(name), obs)
        return [path] + [self.path(name) for name in RAW]

    def test_images_are_those_of_the_measurement_set(self):
        # 10 to 40 degrees from the zenith, which is at about 235 degrees of right ascension.
        center = {"ra": float(self.rng.uniform(215, 255)), "dec": float(self.rng.uniform(10, 40))}
        first, *others = self.files(center)
        for all_sky in (False, True):
            settings = image_settings(size=(128, 128), all_sky=all_sky)
            expected = make_image([first], settings)
            for path in others:
                with self.subTest(path, all_sky=all_sky):
                    made = make_image([path], settings)
                    # Without weights its first dump counts as much as all others.
                    np.testing.assert_allclose(made.values, expected.values, equal_nan=True,
                                               atol=0.02 * np.nanmax(expected.values))
                    np.testing.assert_allclose(made.frame.center, expected.frame.center,
                                               atol=1e-9)

    def test_predicted_visibilities_are_those_of_the_measurement_set(self):
        paths = self.files({"ra": float(self.rng.uniform(215, 255)), "dec": 30.0})
        data = []
        for path in paths:
            out = path.replace("a.", "model.")
            self.assertEqual(main(["predict", paths[0] + ".ci16.yml", path, "-o", out]), 0)
            vis = fringe.read_visibilities(
                out, column="MODEL_DATA" if out.endswith(".ms") else None)
            i, j = vis.products
            # Channel 0 is the edge of the band, which these formats flag in different ways.
            data.append(vis.data[:, 1:, i != j])
        for values in data[1:]:
            np.testing.assert_allclose(values, data[0], atol=1e-3 * np.abs(data[0]).max())

    def test_a_direction_that_moves_among_the_stars_is_noted(self):
        paths = self.files({"az": float(self.rng.uniform(0, 360)), "el": 50.0})
        vis = fringe.read_visibilities(paths[1])
        self.assertIsNotNone(vis.uvw)  # in a part of a second it does not move
        with open(paths[1] + ".yml") as file:
            text = file.read()
        times = re.findall(r'start: "(\S+)"', text)
        with open(paths[1] + ".yml", "w") as file:
            file.write(text.replace(times[-1], times[-1].replace("T22:", "T23:")))
        vis = fringe.read_visibilities(paths[1])
        self.assertIsNone(vis.uvw)
        self.assertIsNone(vis.phase_center)
        self.assertIn("they have no phase center", " ".join(vis.remarks))


if __name__ == "__main__":
    unittest.main()
