#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One file without a header, for an observation of two receivers."""
import unittest

import numpy as np
from gnuradio import fringe
from qa_scratch import scratch_case


class qa_inputs_in_turn(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50.0, "longitude": 8.0}, "format": "ci8", "sample_rate": 1e5,
            "antennas": [{"name": "west", "enu": [0, 0, 0]}, {"name": "East", "enu": [9, 0, 0]}],
            "center_frequency": 150e6, "channels": 16, "integration": 0.05}))

    def recorded(self, name):
        path = self.path(name)
        self.rng.integers(-60, 61, 60_000, np.int8).tofile(path)
        return path

    def correlated(self, *names, **more):
        paths = [self.recorded(name) for name in names]
        return fringe.correlate(paths, self.path("x.ACC"), self.obs, overwrite=True, **more)

    def test_the_file_of_one_receiver_is_refused(self):
        """It has the name of one antenna of two."""
        for name in ("west.ci8", "sun_west_1.ci8", "EAST.ci8"):
            with self.assertRaisesRegex(ValueError, "(?i)(west|east)[^ ]*.ci8: has the name of "
                                        "antenna (west|east), but .* 2 inputs, of west, East. "
                                        "Give a file for each input, or inputs=2"):
                self.correlated(name)

    def test_the_assumption_is_in_the_output(self):
        """One line for a file without a header whose inputs nobody has counted."""
        for names, more, count in ((["sky.ci8"], {}, 1), (["west_and_east.ci8"], {}, 1),
                                   (["northwestern.ci8"], {}, 1), (["sky.ci8"], {"inputs": 2}, 0),
                                   (["west.ci8"], {"inputs": 2}, 0),
                                   (["west.ci8", "east.ci8"], {}, 0)):
            result = self.correlated(*names, **more)
            notes = [line for line in result.in_words() if "2 inputs in turn" in line]
            self.assertEqual(len(notes), count, names)
            self.assertEqual(result.samples, 15_000 * len(names))

    def test_the_observation_of_the_file_itself(self):
        """What fringe simulate writes beside a recording says what is in it."""
        self.obs.has_start_time = True
        path = self.path("west.ci8")
        fringe.simulate(self.obs, path, 20_000)
        result = fringe.correlate(path, self.path("x.ACC"), f"{path}.yml")
        self.assertEqual([line for line in result.in_words() if "in turn" in line], [])
        self.assertEqual(result.samples, 20_000)

    def test_one_input(self):
        """A recording of one receiver is what it says."""
        self.obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50.0, "longitude": 8.0}, "format": "ci8", "sample_rate": 1e5,
            "antennas": [{"name": "west", "enu": [0, 0, 0]}], "center_frequency": 150e6,
            "channels": 16, "integration": 0.05}))
        result = self.correlated("west.ci8")
        self.assertEqual((result.samples, list(result.notes)), (30_000, []))


if __name__ == "__main__":
    unittest.main()
