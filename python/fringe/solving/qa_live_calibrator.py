#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The Live Calibrator keeps an array coherent, and bad data do no harm."""
import contextlib
import importlib.util
import io
import os
import unittest

import numpy as np
from gnuradio import fringe
from qa_scratch import scratch_case, times_tried

GOOD = 0.98
PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "examples",
                    "visibilities", "live_calibration.py")
SPEC = importlib.util.spec_from_file_location("live_calibration", PATH)
EXAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(EXAMPLE)
SKY, START, observation, stations = (getattr(EXAMPLE, name) for name in (
    "SKY", "START", "observation", "stations"))


class qa_live_calibrator(scratch_case):
    def catalogue(self, sky=SKY):
        return EXAMPLE.catalogue(self.path("sky.yml"), sky)

    def run_loop(self, source, sky=SKY, **words):
        """Lets stations and the block run until the dumps are over."""
        return EXAMPLE.loop(source, self.catalogue(sky), **words)

    def drifting(self, count=times_tried(12, 64), dumps=8, hands="X", **words):
        obs = observation(self.rng, count // len(hands), hands=hands)
        return stations(obs, self.rng, dumps, **words)

    @staticmethod
    def by_dump(source):
        """What the block said, by the number of the dump; some are skipped."""
        return {state["seconds"] - START: state for state in source.states}

    def test_coherence_within_three_dumps(self):
        """Unknown delays, and phases that drift by up to 30 degrees a minute."""
        for hands in ("X", "XY"):
            source = self.drifting(hands=hands)
            if hands == "XY":  # the phase between X and Y is not known of unpolarized sources
                source.counted = np.arange(source.count) % 2 == 0
            block = self.run_loop(source)
            self.assertLess(source.coherence[0], 0.5)
            self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)
            self.assertEqual(block.refused(), 0, source.states)
            self.assertGreater(source.states[-1]["coherence"], GOOD)

    def test_a_burst_of_interference(self):
        """A transmitter ten times as strong as the noise, for two dumps: they are refused."""
        source = self.drifting(dumps=9)
        i, j = np.triu_indices(source.count)
        place = np.exp(2j * np.pi * self.rng.random(source.count))
        burst = 10 * source.noise * (place[i] * place[j].conj())
        source.change = lambda k, values: values + burst * (k in (4, 5))
        self.run_loop(source)
        refused = {k: state["problem"] for k, state in self.by_dump(source).items()
                   if not state["used"]}
        self.assertTrue(refused and set(refused) <= {4, 5}, refused)
        for problem in refused.values():
            self.assertRegex(problem, "unexplained|differ|hear nothing|fewer")
        self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)

    def test_a_station_that_dies(self):
        """And comes back with another phase, which is believed after three solutions."""
        source = self.drifting(dumps=16)
        source.counted[3] = False
        i, j = np.triu_indices(source.count)
        both, own = (i == 3) | (j == 3), (i == 3) & (j == 3)

        def change(k, values):
            if k == 6:
                source.phase[3] += 2
            if 4 <= k < 7:
                values = np.where(own, 0.01 * values, np.where(both, 0, values))
            return values
        source.change = change
        self.run_loop(source)
        self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)
        for k, state in self.by_dump(source).items():
            self.assertTrue(state["used"], state)
            dead = {"A3": "dead: no power, or less than a tenth of the others'"}
            self.assertEqual(state["bad"] or {}, dead if 4 <= k < 7 else {})
        held = [state["held"] for k, state in self.by_dump(source).items() if k >= 7]
        self.assertEqual(held[:3], [["A3"], ["A3"], []])
        source.counted[:] = True
        self.assertGreater(source.states[-1]["coherence"], GOOD)

    def test_a_wrong_model(self):
        """Other directions: nothing is sent. A model that turns wrong later cannot be, but a sky
        that does: the corrections of before stay."""
        source = self.drifting(dumps=4)
        block = self.run_loop(source, ["300,40,2", "70,65,1", "190,35,0.7"])
        self.assertEqual((block.sent(), len(source._factors)), (0, 1))
        source = self.drifting(dumps=8)
        true, wrong = source.sky(), None
        other = stations(source.obs, self.rng, 1, sky=["200,55,3", "30,60,2"])
        wrong = other.sky()

        def change(k, values):
            g = source.gains(k + 0.5)
            i, j = np.triu_indices(source.count)
            return values + (k >= 4) * (g[i] * g[j].conj()).T * (wrong - true) * (i != j)
        source.change = change
        self.run_loop(source)
        later = [state for k, state in self.by_dump(source).items() if 4 <= k < 7]
        self.assertFalse(any(state["used"] for state in later), later)
        self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)

    def test_corrections_of_a_beamformer(self):
        """The dumps do not have them."""
        source = self.drifting(beam=True)
        self.run_loop(source, corrected_dumps=False)
        self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)
        self.assertLess(source.states[-1]["coherence"], 0.5)

    def test_corrections_that_come_late(self):
        """Two dumps after their time: the block finds out what the dumps were made with."""
        source = self.drifting(dumps=10, late=2)
        self.run_loop(source)
        self.assertGreater(min(source.coherence[6:]), GOOD, source.coherence)

    def test_dead_swapped_and_mirrored_inputs(self):
        source = self.drifting(14, dumps=4)
        i, j = np.triu_indices(source.count)
        order = np.arange(source.count)
        order[[2, 5]] = 5, 2  # cables exchanged
        band = 1 + 0.5 * np.linspace(-1, 1, source.channels)[:, None]  # of all receivers alike

        def change(k, values):
            values = values * band
            full = np.zeros((source.channels, source.count, source.count), complex)
            full[:, i, j] = values
            full[:, j, i] = values.conj()
            full = full[:, order][:, :, order]
            values = full[:, i, j]
            # Mirrored: its voltages are those of the other end of the band, and hear nothing alike.
            mirrored, own = (i == 9) ^ (j == 9), (i == 9) & (j == 9)
            back = (source.channels - np.arange(source.channels)) % source.channels
            noise = self.rng.normal(size=(*values.shape, 2)) @ (1, 1j) * 0.01
            values = np.where(mirrored, noise, np.where(own, values[back], values))
            dead = (i == 11) | (j == 11)
            return np.where(dead, 0.02 * np.where(i == j, np.abs(values), noise), values)
        source.change = change
        source.counted[[2, 5, 9, 11]] = False
        block = self.run_loop(source)
        self.assertGreater(block.sent(), 0, source.states)
        self.assertEqual(source.states[1]["bad"], {
            "A2": "swapped with A5", "A5": "swapped with A2",
            "A9": "mirrored: its spectrum is that of the others from high to low",
            "A11": "dead: no power, or less than a tenth of the others'"})

    def test_the_example(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            coherence = EXAMPLE.main(times_tried(10, 64))
        self.assertGreater(min(coherence[3:]), GOOD, coherence)
        self.assertIn("dead", said.getvalue())

    def test_mistakes_are_reported(self):
        obs = observation(self.rng, 4)
        for words, sentence in (({"dumps": 0}, "dumps 0; it must be 1 or more"),
                                ({"channels_per_item": 3}, "must divide the channels"),
                                ({"max_misfit": 0}, "max_misfit 0"),
                                ({"max_drift": 0}, "max_drift 0"), ({"ahead": -1}, "ahead -1")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                fringe.live_calibrator(obs, self.catalogue(), 16, **words)
        with self.assertRaisesRegex(ValueError, "inputs 2; there must be three"):
            fringe.live_calibrator(observation(self.rng, 2), self.catalogue(), 16)
        with self.assertRaisesRegex(ValueError, "cannot be read|does not exist"):
            fringe.live_calibrator(obs, "/no/sky.yml", 16)


if __name__ == "__main__":
    unittest.main()
