#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Solutions taken out of visibilities, against visibilities that loops over antennas have made."""
import unittest

import numpy as np
from gnuradio.fringe.calibration.apply import apply_solutions
from gnuradio.fringe.calibration.solutions import solutions, term_solution
from gnuradio.fringe.readers.visibilities import visibilities
from qa_scratch import scratch_case

ANTENNAS = ["north", "east", "west", "south"]
TIMES = 1.7e9 + np.array([0.0, 100.0, 250.0])      # of solutions
BAND = 1.42e9 + 1e6 * np.arange(5)
DUMPS = 1.7e9 + np.array([10.0, 100.0, 180.0])


def term(kind, values, times=TIMES, frequencies=BAND[2:3], width=6e6, flags=None, interval=60.0):
    values = np.asarray(values)
    flags = np.zeros(values.shape, bool) if flags is None else flags
    return term_solution(kind, times, np.full(len(times), interval), frequencies,
                         np.full(len(frequencies), width), values, np.zeros(values.shape), flags,
                         np.ones(values.shape))


def file_of(hands="XY", antennas=ANTENNAS, seconds=DUMPS, frequencies=BAND):
    """A description of a file without data."""
    inputs = [(a, hand) for a in range(len(antennas)) for hand in hands]
    whole = np.floor(seconds).astype(np.int64)
    return visibilities("x.ms", "", list(antennas), inputs, np.asarray(frequencies), whole,
                        seconds - whole, np.ones(len(seconds)), np.ones(len(seconds)))


def filled(vis, matrices, sky):
    """The file with V_ij = J_i S J_j^H. matrices: J(dump, channel, name of the antenna)."""
    i, j = vis.products
    hands = sorted({hand for _, hand in vis.inputs}, key="XYRL".index)
    shape = len(vis.seconds), len(vis.frequencies), len(i)
    vis.data = np.empty(shape, np.complex64)
    vis.flags, vis.weights = np.zeros(shape, bool), np.ones(shape, np.float32)
    for d, c in np.ndindex(shape[:2]):
        jones = [np.atleast_2d(matrices(d, c, name)) for name in vis.antennas]
        for k, (first, second) in enumerate(zip(i, j)):
            (a, p), (b, q) = vis.inputs[first], vis.inputs[second]
            true = sky(c) * (1 if a == b else np.exp(0.5j * (a - b)))
            value = jones[a] @ true[:len(hands), :len(hands)] @ jones[b].conj().T
            vis.data[d, c, k] = value[hands.index(p), hands.index(q)]
    return vis


def source(_):
    return np.array([[1.1, 0.2 + 0.1j], [0.2 - 0.1j, 0.9]])


class qa_apply(scratch_case):
    seed = 302

    def gains(self, times=3, frequencies=1, hands=2):
        shape = times, frequencies, len(ANTENNAS), hands
        return self.rng.uniform(0.5, 2, shape) * np.exp(1j * self.rng.uniform(-3, 3, shape))

    def test_every_kind_in_its_order(self):
        """D, Kcross, Pcross, G, K, B of one solution, in an order in which they do not commute."""
        shape = 1, 1, len(ANTENNAS), 2
        leak = 0.1 * (self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape))
        late = 1e-7 * self.rng.normal(size=shape)
        cross = np.zeros(shape)
        cross[..., 0] = -34e-9
        turn = np.ones(shape, complex)
        turn[..., 0] = np.exp(-1j * np.radians(132))
        gain, band = self.gains(1), self.gains(1, 5)
        once = TIMES[:1]
        terms = [term("Pcross", turn, once), term("Kcross", cross, once), term("D", leak, once),
                 term("G", gain, once), term("K", late, once),
                 term("B", band, once, BAND, width=1e6)]

        def matrices(_, channel, name):
            a, apart = ANTENNAS.index(name), BAND[channel] - BAND[2]
            made = np.diag(turn[0, 0, a])
            made = np.diag(np.exp(-2j * np.pi * apart * cross[0, 0, a])) @ made
            made = np.array([[1, leak[0, 0, a, 0]], [leak[0, 0, a, 1], 1]]) @ made
            made = np.diag(gain[0, 0, a]) @ made
            made = np.diag(np.exp(-2j * np.pi * apart * late[0, 0, a])) @ made
            return np.diag(band[0, channel, a]) @ made

        clean = filled(file_of(), lambda *_: np.eye(2), source)
        # Inputs and antennas of the file in another order than that of the solutions.
        order = ["west", "north", "south", "east"]
        for names in (ANTENNAS, order):
            vis = filled(file_of(antennas=names), matrices, source)
            clean = filled(file_of(antennas=names), lambda *_: np.eye(2), source)
            after, done = apply_solutions(vis, solutions(ANTENNAS, "XY", terms))
            np.testing.assert_allclose(after.data, clean.data, atol=3e-6)
            self.assertFalse(after.flags.any())
            self.assertEqual((done.visibilities, done.flagged), (vis.data.size, 0))
        # In two tables the order is that of the list.
        parts = [solutions(ANTENNAS, "XY", terms[:3]), solutions(ANTENNAS, "XY", terms[3:])]
        np.testing.assert_allclose(apply_solutions(vis, parts)[0].data, after.data, atol=1e-6)
        self.assertGreater(np.abs(apply_solutions(vis, parts[::-1])[0].data - clean.data).max(),
                           0.1)

    def test_between_solutions(self):
        """Amplitude and phase are linear in time, across 180 degrees too; outside the nearest."""
        gain = self.gains()
        size, phase = np.abs(gain), np.unwrap(np.angle(gain), axis=0)
        seconds = 1.7e9 + np.array([-20.0, 0.0, 33.0, 100.0, 200.0, 300.0])

        def matrices(dump, _, name):
            a = ANTENNAS.index(name)
            return np.diag([np.interp(seconds[dump], TIMES, size[:, 0, a, p])
                            * np.exp(1j * np.interp(seconds[dump], TIMES, phase[:, 0, a, p]))
                            for p in range(2)])

        vis = filled(file_of(seconds=seconds), matrices, source)
        clean = filled(file_of(seconds=seconds), lambda *_: np.eye(2), source)
        table = solutions(ANTENNAS, "XY", [term("G", gain)])
        after, _ = apply_solutions(vis, table)
        np.testing.assert_allclose(after.data, clean.data, atol=3e-6)
        # 150 s lie between the last two: 200 is in no interval of 60 s, and 300 is 50 s away.
        after, done = apply_solutions(vis, table, max_gap=120.0)
        np.testing.assert_array_equal(after.flags.all(axis=(1, 2)), [0, 0, 0, 0, 1, 0])
        self.assertEqual(after.flags.sum(), after.flags[4].size)
        np.testing.assert_array_equal(after.data[4], vis.data[4])
        self.assertEqual(done.flagged, after.flags[4].size)
        self.assertIn("no solution for dumps 4", done.lines())

    def test_delays_are_linear_and_flagged_solutions_are_passed_over(self):
        late = 1e-7 * self.rng.normal(size=(3, 1, 4, 2))
        flags = np.zeros(late.shape, bool)
        flags[1, 0, 2] = True
        late[1, 0, 2] = np.nan

        def matrices(dump, channel, name):
            a = ANTENNAS.index(name)
            use = [0, 2] if a == 2 else [0, 1, 2]
            tau = [np.interp(DUMPS[dump], TIMES[use], late[use, 0, a, p]) for p in range(2)]
            return np.diag(np.exp(-2j * np.pi * (BAND[channel] - BAND[2]) * np.array(tau)))

        vis = filled(file_of(), matrices, source)
        clean = filled(file_of(), lambda *_: np.eye(2), source)
        after, _ = apply_solutions(vis, solutions(ANTENNAS, "XY", [term("K", late, flags=flags)]))
        np.testing.assert_allclose(after.data, clean.data, atol=3e-6)
        self.assertFalse(after.flags.any())

    def test_what_has_no_solution_is_flagged(self):
        vis = filled(file_of(), lambda *_: np.eye(2), source)
        vis.flags[0, 0] = True
        i, j = vis.products
        three = solutions(ANTENNAS[1:], "XY", [term("G", self.gains()[:, :, 1:])])
        after, done = apply_solutions(vis, three)
        bad = (i < 2) | (j < 2)
        np.testing.assert_array_equal(after.flags, vis.flags | bad)
        self.assertEqual(done.flagged, 14 * bad.sum())  # of 15 dumps and channels one was flagged
        self.assertIn("no solution for antennas north", done.lines())
        # Channels of which the bandpass has no interval, and a polarization.
        band = term("B", self.gains(1, 3), TIMES[:1], BAND[1:4], width=1e6)
        after, done = apply_solutions(vis, solutions(ANTENNAS, "XY", [band]))
        np.testing.assert_array_equal(after.flags[1].all(axis=1), [1, 0, 0, 0, 1])
        self.assertIn("no solution for channels 0, 4", done.lines())
        after, _ = apply_solutions(vis, solutions(ANTENNAS, "X", [term("G", self.gains(hands=1))]))
        np.testing.assert_array_equal(after.flags[1, 0], (i % 2 == 1) | (j % 2 == 1))
        # Leakage takes all four products of a pair.
        vis.flags[:], vis.flags[0, 1, 1] = False, True  # north X, north Y
        after, _ = apply_solutions(vis, solutions(ANTENNAS, "XY", [
            term("D", np.zeros((3, 1, 4, 2), complex))]))
        np.testing.assert_array_equal(after.flags[0, 1], (i < 2) & (j < 2))
        self.assertFalse(after.flags[1].any())

    def test_of_another_array_band_or_epoch(self):
        vis = filled(file_of(), lambda *_: np.eye(2), source)
        gain = self.gains()
        other = term("G", gain, frequencies=BAND[2:3] + 1e8)
        late = term("G", gain, times=TIMES + 2 * 86400)
        circular = solutions(ANTENNAS, "RL", [term("G", gain)])
        places = self.rng.normal(size=(4, 3)) * 100
        vis.positions = places @ np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
        here = solutions(ANTENNAS, "XY", [term("G", gain)], positions=places + 4e6)
        apply_solutions(vis, here)
        moved = places.copy()
        moved[1, 0] += 3
        single = filled(file_of("X"), lambda *_: np.eye(1), source)
        leak = solutions(ANTENNAS, "XY", [term("D", 0 * gain)])
        for words, file, table in (
                ("the antennas a, b, c, d; those of x.ms are north, east", vis,
                 solutions("abcd", "XY", [term("G", gain)])),
                ("term G is of 1519 to 1525 MHz; the channels of x.ms are from 1420 to 1424", vis,
                 solutions(ANTENNAS, "XY", [other])),
                ("was solved 172620 s from x.ms: at 2023-11-1", vis,
                 solutions(ANTENNAS, "XY", [late])),
                ("has solutions of R and L; the inputs of x.ms are X and Y", vis, circular),
                ("is of another array: .* m apart in it, and .* m in x.ms", vis,
                 solutions(ANTENNAS, "XY", [term("G", gain)], positions=moved)),
                ("mixes the two polarizations, and x.ms has only X", single, leak),
                ("no term of a calibration", vis, solutions(ANTENNAS, "XY", []))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                apply_solutions(file, table)
        apply_solutions(vis, solutions(ANTENNAS, "XY", [late]), max_gap=3 * 86400)


if __name__ == "__main__":
    unittest.main()
