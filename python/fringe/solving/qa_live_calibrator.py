#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The Live Calibrator keeps an array coherent, and bad data do no harm."""
import contextlib
import ctypes
import importlib.util
import io
import os
import unittest
from types import SimpleNamespace
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration.sources import read_catalogue
from gnuradio.fringe.ground import streams
from gnuradio.fringe.ground.blas_threads import NAMES, use_one_blas_thread
from gnuradio.fringe.images.dump_images import timed_dump
from gnuradio.fringe.primary_beams import beam_of
from gnuradio.fringe.solving.applied_factors import applied_factors
from gnuradio.fringe.solving.gain_track import gain_track
from gnuradio.fringe.solving.live_gains import live_gains
from qa_scratch import TIMEOUT, scratch_case, times_tried

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

    def drifting(self, count=times_tried(12, 24), dumps=8, hands="X", **words):
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

    def test_some_channels_for_all(self):
        """Every fourth channel is solved for; all get corrections."""
        source = stations(observation(self.rng, 12, channels=48), self.rng, 6)
        block = self.run_loop(source, channel_step=4)
        self.assertEqual(block.refused(), 0, source.states)
        self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)
        with self.assertRaisesRegex(ValueError, "channel_step 5; it must divide the channels, 48"):
            fringe.live_calibrator(source.obs, self.catalogue(), 48, channel_step=5)

    def test_beams_of_antennas(self):
        """Dipoles hear sources by their directions. With the beam in the model the array becomes
        coherent; without it the model is wrong, and nothing is sent."""
        sky = ["90,25,4", "0,70,1", "200,55,0.7"]
        source = stations(observation(self.rng, 12), self.rng, 6, sky=sky)

        def listen(source):
            az, el = np.radians([[float(x) for x in text.split(",")[:2]] for text in sky]).T
            for each, east in zip(source.sources, np.cos(el) * np.sin(az)):
                each.flux *= 1 - east ** 2  # of X, which lies from east to west
        listen(source)
        block = self.run_loop(source, sky, beam="dipole")
        self.assertEqual(block.refused(), 0, source.states)
        self.assertGreater(min(source.coherence[3:]), GOOD, source.coherence)
        source = stations(source.obs, self.rng, 4, sky=sky)
        listen(source)
        self.assertEqual(self.run_loop(source, sky).sent(), 0)

    def test_a_source_that_goes_down_the_beam(self):
        """Over five hours and a half, a dump every half hour: the beam is that of each dump."""
        with open(self.path("sky.yml"), "w", encoding="utf-8") as file:
            file.write("- {name: sets, ra: 150, dec: -31, flux: 4}\n"
                       "- {name: rises, ra: 215, dec: -35, flux: 1}\n"
                       "- {name: south, ra: 180, dec: -75, flux: 1}\n")
        obs = observation(self.rng, 9)
        f = np.array(obs.channel_frequencies(16, True))
        gains = self.rng.uniform(0.7, 1.5, 9) * np.exp(2j * np.pi * self.rng.random(9))
        i, j = np.triu_indices(9)
        known = read_catalogue(self.path("sky.yml"))
        found = {beam: live_gains(obs, 16, True, known, beam=beam and beam_of(beam))
                 for beam in (None, "dipole")}
        used, heard = {beam: [] for beam in found}, []
        # The first source is at its highest when the sidereal time is its right ascension.
        sidereal = np.degrees(fringe.local_sidereal_time(obs, fringe.epoch(START, 0.0)))
        first = START + int((150 - sidereal) % 360 * 86164 / 360)
        east = np.array([-np.sin(np.radians(20)), np.cos(np.radians(20)), 0])  # where the site is
        for start in range(first, first + 19801, 1800):
            middle = fringe.epoch(start, 0.5)
            values = np.where(i == j, 2.0, 0.0) + np.zeros((16, 1), complex)
            heard.append([])
            for source in known:
                heard[-1].append(1 - (east @ source.towards(obs, middle)) ** 2)
                tau = np.array(source.delays(obs, middle))
                values += heard[-1][-1] * source.flux * np.exp(
                    -2j * np.pi * np.outer(f, tau[i] - tau[j]))
            noise = (self.rng.normal(size=(*values.shape, 2)) @ (1, 1j)) * 0.01 * (i != j)
            dump = timed_dump((values + noise) * gains[i] * gains[j].conj(), seconds=start)
            for beam, solver in found.items():
                made = solver.solve([dump])
                used[beam].append(made.used)
        self.assertGreater(heard[0][0], 0.95)
        self.assertLess(heard[-1][0], 0.3)
        self.assertTrue(all(used["dipole"]))
        self.assertFalse(any(used[None][-4:]))
        left = found["dipole"].track.at(start) / gains[:, None]
        self.assertLess(np.degrees(np.abs(np.angle(left * left[:1].conj()))).max(), 2)
        np.testing.assert_allclose(np.abs(left) / np.abs(left).mean(), 1, atol=0.05)

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
        self.assertEqual((block.sent(), source.corrected), (0, 0))
        self.assertEqual(len(source.states), 4)
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

    def test_solutions_of_several_dumps(self):
        """New corrections count from one of the dumps of the next solution on."""
        source = self.drifting(dumps=16)
        block = self.run_loop(source, dumps=3)
        self.assertEqual(block.refused(), 0, source.states)
        self.assertGreater(min(source.coherence[9:]), GOOD, source.coherence)
        self.assertGreaterEqual(block.sent(), 2)

    def test_corrections_far_ahead(self):
        """Several wait for their time."""
        source = self.drifting(dumps=16)
        block = self.run_loop(source, ahead=4.5)
        self.assertEqual(block.refused(), 0, source.states)
        self.assertGreater(min(source.coherence[6:]), GOOD, source.coherence)

    def test_a_flowgraph_that_runs_again(self):
        """Its F-engine keeps the corrections: they are known at the second start."""
        block = fringe.live_calibrator(observation(self.rng, 4), self.catalogue(), 16)
        block.start()
        factors = self.rng.normal(size=(4, 16, 2)) @ (1, 1j)
        block._gains.applied.send(5.0, factors)
        block.stop()
        block.start()
        block.stop()
        np.testing.assert_allclose(block._gains.applied.possible(0.0), [factors])

    def test_known_bad_inputs(self):
        """Their known corrections may be 0: nothing is divided by it."""
        obs = observation(self.rng, 4)
        applied = applied_factors(obs, 16, True)
        applied.known = np.ones((4, 16), complex)
        applied.known[1] = 0
        for k in range(12):  # all but the first wait for their time
            applied.send(5.0 + k, 2 * applied.known)
        np.testing.assert_array_equal(applied.possible(0.0), [np.ones((4, 16))])
        self.assertTrue(np.isfinite(applied.possible(30.0)).all())

    def test_dead_swapped_and_mirrored_inputs(self):
        # Of few sources two places may have nearly the same phases, by chance.
        sky = [*SKY, "60,60,1.5", "200,45,1.2", "320,55,1", "160,75,0.8", "30,30,1.3"]
        source = self.drifting(14, dumps=4, sky=sky)
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
        block = self.run_loop(source, sky)
        self.assertGreater(block.sent(), 0, source.states)
        self.assertEqual(source.states[1]["bad"], {
            "A2": "swapped with A5", "A5": "swapped with A2",
            "A9": "mirrored: its spectrum is that of the others from high to low",
            "A11": "dead: no power, or less than a tenth of the others'"})

    def test_the_example(self):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            coherence = EXAMPLE.main(times_tried(10, 64))
        self.assertGreater(min(coherence[3:]), GOOD, coherence)
        self.assertIn("dead", printed.getvalue())

    def test_gains_of_another_reference(self):
        """The size of all gains is that of the reference, which may be another one each time."""
        track = gain_track(5, np.array([1e8, 1.1e8]), 90)
        gains = self.rng.uniform(0.5, 2, (5, 1)) * np.exp(2j * np.pi * self.rng.random((5, 2)))
        pols = np.array(list("XXXYY"))
        for seconds, size in enumerate((1, 3, 0.2)):
            scaled = np.where(pols[:, None] == "X", size, 1) * gains * 1j ** size
            answer = track.add(seconds, scaled, np.full(5, 0.01), pols)
            self.assertEqual(answer, ("", []))
        np.testing.assert_allclose(np.abs(track.at(3)), np.abs(gains))

    def test_an_input_that_moves_at_random(self):
        """Is not believed, since no three solutions agree."""
        track = gain_track(5, np.array([1e8]), 90)
        for seconds in range(7):
            gains = np.ones((5, 1), complex)
            gains[2] = np.exp(1j * np.radians(50) * seconds)
            answer = track.add(seconds, gains, np.full(5, 0.01), np.array(["X"] * 5))
            self.assertEqual(answer, ("", [2] if seconds else []))

    def test_what_ends_the_thread_is_reported(self):
        block = fringe.live_calibrator(observation(self.rng, 4), self.catalogue(), 16)
        block.start()
        block._gains = None  # a mistake of the program
        self.assertTrue(block._thread.offer(SimpleNamespace(values=np.zeros(1), interval=1.0)))
        with self.assertRaises(AttributeError):
            block._thread.take(TIMEOUT)
        with mock.patch.object(streams.expected_streams, "refuse") as refuse:
            block.stop()
        self.assertIn("AttributeError", refuse.call_args[0][1])

    def test_one_thread_multiplies(self):
        """OpenBLAS, where numpy has it, keeps off the cores of other blocks: of as many threads as
        there were, one multiplies."""
        asked = use_one_blas_thread()
        for path in asked:
            library = ctypes.CDLL(path)
            numbers = [getattr(library, name.replace("set", "get"))() for name in NAMES
                       if hasattr(library, name)]
            self.assertEqual(numbers, [1] * len(numbers))
        with open("/proc/self/maps", encoding="utf-8") as file:
            self.assertEqual(bool(asked), "openblas" in file.read())

    def test_mistakes_are_reported(self):
        obs = observation(self.rng, 4)
        for words, sentence in (({"dumps": 0}, "dumps 0; it must be 1 or more"),
                                ({"channels_per_item": 3}, "must divide the channels"),
                                ({"max_misfit": 0}, "max_misfit 0"),
                                ({"max_drift": 0}, "max_drift 0"), ({"ahead": -1}, "ahead -1"),
                                ({"ahead": float("inf")}, "ahead inf; it must be a time"),
                                ({"beam": "airy"}, "beam: airy: must be")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                fringe.live_calibrator(obs, self.catalogue(), 16, **words)
        with self.assertRaisesRegex(ValueError, "inputs 2; there must be three"):
            fringe.live_calibrator(observation(self.rng, 2), self.catalogue(), 16)
        with self.assertRaisesRegex(ValueError, "channels 3; a delay is the slope"):
            fringe.live_calibrator(obs, self.catalogue(), 3)
        fringe.live_calibrator(obs, self.catalogue(), 3, delays=False)
        with self.assertRaisesRegex(ValueError, "cannot be read|does not exist"):
            fringe.live_calibrator(obs, "/no/sky.yml", 16)


if __name__ == "__main__":
    unittest.main()
