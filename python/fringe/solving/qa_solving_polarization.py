#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay, phase and leakage between polarizations: the truth is found, with the right errors."""
import unittest
from types import SimpleNamespace

import numpy as np
from gnuradio.fringe.solving import solve_terms, terms_of
from gnuradio.fringe.solving.fit import residual
from gnuradio.fringe.solving.report import advice
from gnuradio.fringe.solving.samples import samples
from qa_scratch import scratch_case
from qa_solving_errors import BAND, START, WIDTH, receivers, term_of

#: X less Y, radians and s; the largest leakage.
PHASE, DELAY, LEAKAGE = np.radians(-132), -34e-9, 0.05


def polarized(stokes):
    """((XX, XY), (YX, YY)) of I, Q, U, V of linear feeds."""
    i, q, u, v = stokes
    return np.array([[i + q, u + 1j * v], [u - 1j * v, i - q]])


class feeds:
    """Jones matrices of an array: gains, leakages, and X-Y delay and phase."""

    def __init__(self, rng, antennas, channels, gains=True, leakage=LEAKAGE):
        self.gains = receivers(rng, antennas, 2, channels, 30.0 * gains, 0.1 * gains)
        if not gains:
            self.gains.amplitude[:], self.gains.phase[:] = 1, 0
        self.gains.phase -= self.gains.phase[0]
        self.gains.drift -= self.gains.drift[0]
        self.gains.band = np.abs(self.gains.band)
        parts = rng.normal(size=(antennas, 2, 2)) @ (1, 1j) / np.sqrt(2)
        self.leakage = leakage * parts / np.abs(parts).max()

    def __call__(self, seconds, frequencies):
        """[dump][channel][antenna][2][2]."""
        gains = self.gains(seconds, frequencies)
        theta = PHASE - 2 * np.pi * (frequencies - frequencies.mean()) * DELAY
        gains[..., 0] *= np.exp(1j * theta)[:, None]
        leaks = np.stack([np.stack([np.ones(len(self.leakage)), self.leakage[:, 0]], -1),
                          np.stack([self.leakage[:, 1], np.ones(len(self.leakage))], -1)], -2)
        return gains[..., None] * leaks


def seen(rng, jones, antennas, stokes, dumps=1, channels=16, noise=100.0, seconds=60.0):
    """Samples of all four products."""
    i, j = np.triu_indices(antennas, 1)
    f, t = BAND + WIDTH * np.arange(channels), seconds * np.arange(dumps)
    matrices, sky = jones(t, f), np.broadcast_to(polarized(stokes), (dumps, channels, 1, 2, 2))
    v = matrices[:, :, i] @ sky @ matrices[:, :, j].conj().swapaxes(-1, -2)
    power = np.abs(jones.gains(t, f)) ** 2 * (noise + 1)
    data, weights, model = {}, {}, {}
    for p in (0, 1):
        for q in (0, 1):
            variance = power[..., i, p] * power[..., j, q] / (seconds * WIDTH)
            gaussian = rng.normal(size=(*variance.shape, 2)) @ (1, 1j) / np.sqrt(2)
            data[p, q] = v[..., p, q] + np.sqrt(variance) * gaussian
            weights[p, q] = 1 / variance
            model[p, q] = np.broadcast_to(sky[..., p, q], variance.shape)
    return samples(data, weights, model, i, j, [f"A{k}" for k in range(antennas)], "XY",
                   START + t, seconds, f, WIDTH, absolute=True)


class qa_solving_polarization(scratch_case):
    def test_the_delay_and_phase_between_polarizations(self):
        pulls = []
        for _ in range(20):
            jones = feeds(self.rng, 4, 16, leakage=0)
            data = seen(self.rng, jones, 4, (1, 0.05, 0.08, 0.0), dumps=2, noise=300.0)
            found = solve_terms(data, terms_of("K G:60s B Kcross"), 0)
            phase, delay = term_of(found, "Pcross"), term_of(found, "Kcross")
            off = np.angle(phase.values[0, 0, :, 0] * np.exp(-1j * PHASE))
            np.testing.assert_array_equal(phase.values[..., 1], 1)
            self.assertEqual(len(set(delay.values[0, 0, :, 0])), 1)
            pulls.append((off[0] / phase.phase_errors[0, 0, 0, 0],
                          (delay.values[0, 0, 0, 0] - DELAY) / delay.errors[0, 0, 0, 0]))
        self.assertLess(np.abs(pulls).max(), 4)
        self.assertLess(delay.errors[0, 0, 0, 0], 1e-9)

    def test_errors_of_phase_delay_and_leakages(self):
        """Each interval of time is a run; of leakages that of X of the reference is 0."""
        jones = feeds(self.rng, 4, 8, gains=False, leakage=0)
        data = seen(self.rng, jones, 4, (1, 0, 0.3, 0), 500, 8)
        found = solve_terms(data, terms_of("Kcross:60s"), 0)
        phase, delay = term_of(found, "Pcross"), term_of(found, "Kcross")
        self.assertEqual(len(phase.times), 500)
        off = np.angle(phase.values[:, 0, 0, 0] * np.exp(-1j * PHASE))
        self.assert_errors(off / phase.phase_errors[:, 0, 0, 0])
        self.assert_errors((delay.values[:, 0, 0, 0] - DELAY) / delay.errors[:, 0, 0, 0])
        jones = feeds(self.rng, 4, 8, gains=False, leakage=0.01)
        data = seen(self.rng, jones, 4, (1, 0, 0, 0), 200, 8)
        cross = np.exp(1j * (PHASE - 2 * np.pi * (data.frequencies - data.frequencies.mean())
                             * DELAY))[:, None]
        data.data[0, 1], data.data[1, 0] = data.data[0, 1] / cross, data.data[1, 0] * cross
        term, = solve_terms(data, terms_of("D:60s"), 0).terms
        truth = jones.leakage + np.array([-jones.leakage[0, 0], jones.leakage[0, 0].conj()])
        off = (term.values[:, 0] - truth) / np.where(term.errors[:, 0] > 0, term.errors[:, 0], 1)
        off = np.delete(off.reshape(200, 8), 0, axis=1)
        self.assert_errors(off.real)
        self.assert_errors(off.imag)

    def assert_errors(self, pulls):
        self.assertLess(abs(np.sqrt(np.mean(pulls ** 2)) - 1), 0.1)

    def test_leakages_and_all_else(self):
        """With a polarized source at several angles all leakages are known."""
        for antennas, noise in ((3, 10.0), (8, 30.0)):
            with self.subTest(antennas=antennas):
                jones = feeds(self.rng, antennas, 16)
                parts = [seen(self.rng, jones, antennas,
                              (1, 0.2 * np.cos(2 * psi), 0.2 * np.sin(2 * psi), 0.0), 1, 16, noise)
                         for psi in np.radians([0, 30, 60, 90])]
                data = parts[0]
                for name in ("data", "weights", "model"):
                    setattr(data, name, {key: np.concatenate([getattr(part, name)[key]
                                                              for part in parts])
                                         for key in getattr(data, name)})
                data.times = START + 60.0 * np.arange(4)
                data.lengths = np.full(4, 60.0)
                found = solve_terms(data, terms_of("K G B Kcross D"), 0)
                self.assertEqual([term.kind for term in found.terms],
                                 ["D", "Kcross", "Pcross", "G", "K", "B"])
                leaks = term_of(found, "D")
                off = np.abs(leaks.values[0, 0] - jones.leakage) / leaks.errors[0, 0]
                self.assertLess(off.max(), 5)
                self.assertLess(leaks.errors.max(), 0.01)

    def test_advice_where_the_reference_may_drift(self):
        def lines(intervals, chi2, absolute=True, steps=6):
            terms = [SimpleNamespace(kind=kind, flags=np.zeros((count, 1, 3, 2), bool))
                     for kind, count in (("Pcross", intervals), ("G", steps))]
            found = SimpleNamespace(terms=terms, polarizations=["X", "Y"], reference="ant5")
            return advice(found, residual([], [], [], [], 1.0, chi2, 20000.0), absolute)
        sentence, = lines(1, 1.1)
        self.assertIn("X and Y of ant5 drift apart", sentence)
        self.assertIn("Kcross:10min", sentence)
        for quiet in (lines(3, 1.1), lines(1, 1.02), lines(1, 1.1, False), lines(1, 1.1, True, 1),
                      lines(1, np.nan)):
            self.assertEqual(quiet, [])

    def test_what_cannot_be_told_is_refused(self):
        jones = feeds(self.rng, 3, 8)
        data = seen(self.rng, jones, 3, (1, 0, 0, 0), channels=8)
        with self.assertRaisesRegex(ValueError, "has no products of two polarizations"):
            solve_terms(data, terms_of("G Kcross"), 0)
        for key in ((0, 1), (1, 0)):
            data.weights[key] = np.zeros_like(data.weights[key])
        with self.assertRaisesRegex(ValueError, "D: takes products of two polarizations"):
            solve_terms(data, terms_of("G D"), 0)


if __name__ == "__main__":
    unittest.main()
