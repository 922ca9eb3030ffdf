#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Solutions of a calibration say what they are, or are refused."""
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration.solutions import solutions, term_solution
from qa_scratch import scratch_case

ANTENNAS = ["north", "east", "west"]
OBSERVATION = """
site: {latitude: 52, longitude: 6, height: 20}
antennas: [{name: a, enu: [0, 0, 0]}, {name: b, enu: [90, 0, 0]}, {name: c, enu: [0, 80, 1]}]
polarizations: [X, Y]
center_frequency: 1.42e9
start_time: 2026-06-12T10:00:00
"""


def made_term(kind, rng, times=1, frequencies=1, polarizations=2, antennas=len(ANTENNAS)):
    """A term of random values, times 60 s and intervals 1 MHz apart."""
    shape = times, frequencies, antennas, polarizations
    values = rng.normal(size=shape) * (1e-9 if kind.startswith("K") else 1)
    if not kind.startswith("K"):
        values = values + 1j * rng.normal(size=shape)
    return term_solution(kind, 1.7e9 + 60.0 * np.arange(times), np.full(times, 60.0),
                         1.42e9 + 1e6 * np.arange(frequencies), np.full(frequencies, 1e6), values,
                         rng.random(shape), rng.random(shape) < 0.1, 100 * rng.random(shape))


def observed(case, names, setup):
    """Visibilities of x.ms, one of the files, by `names`, of noise that three antennas receive.

    setup: the other lines of the observation
    """
    fringe.simulate(fringe.observation.from_text(OBSERVATION + setup), case.path("raw.ci8"), 16384)
    fringe.correlate(case.path("raw.ci8"), [case.path(name) for name in names],
                     case.path("raw.ci8.yml"))
    return fringe.read_visibilities(case.path("x.ms"))


class qa_solutions(scratch_case):
    seed = 301

    def test_terms_keep_what_they_are(self):
        delays = made_term("K", self.rng, 3)
        gains = made_term("G", self.rng, 2)
        gains.reference = "west"
        found = solutions(ANTENNAS, "XY", [delays, gains], "north")
        self.assertEqual([found.reference_of(term) for term in found.terms], ["north", "west"])
        self.assertEqual((delays.values.dtype, gains.values.dtype), (float, complex))
        self.assertTrue(delays.is_delay)
        self.assertFalse(gains.is_delay)

    def test_what_does_not_fit_is_refused(self):
        good = made_term("G", self.rng, 2)

        def term(**changes):
            names = ("kind", "times", "intervals", "frequencies", "widths", "values", "errors",
                     "flags", "snr")
            return term_solution(**{name: changes.get(name, getattr(good, name))
                                    for name in names})

        no_number = np.where(np.arange(2)[:, None, None, None] == 0, np.nan, good.values)
        for words, changes in (
                ("must be one of K, G, B", {"kind": "Q"}),
                ("complex values; they must be real", {"kind": "K"}),
                ("times must ascend", {"times": good.times[::-1]}),
                ("widths must be 0 or more", {"widths": [-1]}),
                (r"intervals of \(1,\)", {"intervals": [1]}),
                (r"\[2 times\]\[1 frequencies\]", {"values": good.values[:1]}),
                ("flags of shape", {"flags": good.flags[:1]}),
                ("is no number", {"values": no_number, "flags": np.zeros(good.flags.shape)})):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                term(**changes)
        term(values=no_number, flags=np.ones(good.flags.shape))  # flagged ones may be anything

    def test_an_array_that_does_not_fit_is_refused(self):
        term = made_term("D", self.rng)
        for words, arguments in (
                ("each name once", (["a", "a", "b"], "XY", [term])),
                ("must be one of XY, RL", (ANTENNAS, "YX", [term])),
                ("3 antennas and 2 polarizations; must be 2", (["a", "b"], "XY", [term])),
                ("takes two polarizations", (ANTENNAS, "X", [made_term("D", self.rng, 1, 1, 1)])),
                ("'south' is none of the antennas", (ANTENNAS, "XY", [term], "south")),
                (r"must be \(3, 3\)", (ANTENNAS, "XY", [term], "", np.zeros((2, 3))))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                solutions(*arguments)


if __name__ == "__main__":
    unittest.main()
