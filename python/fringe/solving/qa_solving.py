#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Terms of a calibration: the truth is found, and what cannot be is refused."""
import unittest

import numpy as np
from gnuradio.fringe.calibration.quality import unsolved
from gnuradio.fringe.solving import solve_terms, terms_of
from gnuradio.fringe.solving.solve import terms_solver
from qa_scratch import scratch_case, times_tried
from qa_solving_errors import BAND, START, pulls, receivers, rms, seen, term_of
from scipy.optimize import least_squares


def relative(term):
    """Errors over the amplitude; of delays radians over half of the band."""
    if term.is_delay:
        return term.errors * np.pi * term.widths[0]
    return np.maximum(term.errors / np.abs(term.values), term.phase_errors)


def on_grid(term, data):
    """A term at the dumps and channels of its samples, for tests: linear in time, by numpy."""
    place = np.argmin(np.abs(data.frequencies[:, None] - term.frequencies), axis=1)
    values = term.values[:, place]
    times = term.times

    def between(x):
        return np.apply_along_axis(lambda y: np.interp(data.times, times, y), 0, x)
    if term.is_delay:
        offset = data.frequencies - term.frequencies[place]
        return np.exp(-2j * np.pi * offset[:, None, None] * between(values))
    return between(np.abs(values)) * np.exp(1j * between(np.unwrap(np.angle(values), axis=0)))


class qa_solving(scratch_case):
    def assert_found(self, data, found, true, sigmas=5):
        """The product of all terms is the truth, within errors of at least 0.03."""
        made = 1
        for term in found.terms:
            made = made * on_grid(term, data)
        truth = true(data.times - START, data.frequencies)
        reference = found.antennas.index(found.reference)
        turn = (truth * made.conj())[:, :, [reference]]
        off = made * turn / np.abs(turn) / truth - 1
        error = np.sqrt(sum(np.nanmax(np.abs(relative(term))) ** 2 for term in found.terms))
        # Before the first and after the last center of an interval the nearest value holds.
        centers = term_of(found, "G").times
        inside = (data.times >= centers[0]) & (data.times <= centers[-1])
        self.assertLess(np.abs(off[inside]).max(), sigmas * error)
        self.assertLess(error, 0.05)

    def test_the_truth_of_ripples_drifts_and_delays(self):
        for antennas, ripple in ((3, 0.05), (10, 0.2)):
            with self.subTest(antennas=antennas):
                true = receivers(self.rng, antennas, 2, 32, 30.0, ripple, 5e-8)
                data = seen(self.rng, true, antennas, 30, 32, 2, 60.0, 100.0)
                found = solve_terms(data, terms_of("K G:2min B:1ch"))
                self.assertEqual([term.kind for term in found.terms], ["G", "K", "B"])
                self.assertFalse(any(term.flags.any() for term in found.terms))
                self.assert_found(data, found, true)

    def test_scipy_finds_the_same(self):
        true = receivers(self.rng, 4)
        data = seen(self.rng, true, 4, 3, absolute=True)
        term, = solve_terms(data, terms_of("G"), 1).terms

        def off(x):
            g = x[:4] + 1j * x[4:]
            model = g[data.first] * g[data.second].conj()
            e = np.ravel((data.data[0, 0] - model) * np.sqrt(2 * data.weights[0, 0]))
            return np.concatenate([e.real, e.imag, [1e6 * g[1].imag]])
        start = np.concatenate([term.values.real.ravel(), term.values.imag.ravel()]) + 0.05
        fit = least_squares(off, start, xtol=1e-14, ftol=1e-14, gtol=1e-14)
        np.testing.assert_allclose(term.values.ravel(), fit.x[:4] + 1j * fit.x[4:], atol=1e-6)
        # Amplitude and phase of the covariance of real and imaginary parts.
        covariance = np.linalg.inv(fit.jac.T @ fit.jac)
        for k, g in enumerate(term.values.ravel()):
            for along, error in ((g / abs(g), term.errors), (1j * g / abs(g),
                                                             term.phase_errors * abs(g))):
                turn = np.zeros(8)
                turn[[k, k + 4]] = along.real, along.imag
                np.testing.assert_allclose(np.sqrt(turn @ covariance @ turn), error.ravel()[k],
                                           rtol=0.02, atol=2e-6)

    def test_baselines_in_any_order_and_missing_ones(self):
        true = receivers(self.rng, 6)
        data = seen(self.rng, true, 6, 5, 4)
        whole, = solve_terms(data, terms_of("G"), 2).terms
        order = self.rng.permutation(15)
        back = self.rng.random(15) < 0.5
        for name in ("data", "model", "weights"):
            values = getattr(data, name)[0, 0][:, :, order]
            getattr(data, name)[0, 0] = np.where(back, values.conj(), values)
        data.weights[0, 0] = data.weights[0, 0].real
        data.first, data.second = (np.where(back, data.second[order], data.first[order]),
                                   np.where(back, data.first[order], data.second[order]))
        same, = solve_terms(data, terms_of("G"), 2).terms
        np.testing.assert_allclose(same.values, whole.values, rtol=1e-6)
        # An antenna without data, and dumps of another that are flagged or no numbers.
        data.weights[0, 0][:, :, (data.first == 4) | (data.second == 4)] = 0
        data.data[0, 0][2:, :, (data.first == 1) | (data.second == 1)] = np.nan
        some, = solve_terms(data, terms_of("G:200s"), 2).terms
        self.assertEqual(some.values.shape[0], 3)
        self.assertTrue(some.flags[:, 0, 4].all())
        np.testing.assert_array_equal(some.flags[:, 0, 1, 0], [False, True, True])
        self.assertIn("no data: 5 of 18 values", some.why)
        logs, turns = pulls(some, true(np.zeros(1), np.array([BAND])))
        self.assertLess(np.nanmax(np.abs(logs[~some.flags])), 5)

    def test_a_reference_that_is_not_always_there(self):
        true = receivers(self.rng, 6, channels=16, delay=5e-8)
        data = seen(self.rng, true, 6, 6, 16, seconds=1000.0)
        away = (data.first == 2) | (data.second == 2)
        data.weights[0, 0][2:4, :, away] = 0
        gain, delay = solve_terms(data, terms_of("K:2000s G:2000s"), 2).terms
        np.testing.assert_array_equal(np.argwhere(gain.flags[:, 0, :, 0]), [[1, 2]])
        turn = np.exp(1j * (true.phase - true.phase[2])[:, 0])
        off = np.angle(gain.values[:, 0, :, 0] / turn)[~gain.flags[:, 0, :, 0]]
        self.assertLess(np.abs(off).max(), 0.03)
        self.assertIn("the reference has no data in 1 of 3 intervals", " ".join(gain.why))
        late = true.delay[:, 0] - true.delay[2, 0]
        good = ~delay.flags[:, 0, :, 0]
        self.assertLess(np.abs((delay.values[:, 0, :, 0] - late)[good]).max(), 1e-9)

    def test_two_antennas_share_the_amplitude(self):
        true = receivers(self.rng, 2, channels=16, delay=1e-7)
        data = seen(self.rng, true, 2, 20, 16, seconds=60.0)
        found = solve_terms(data, terms_of("K G"), 0)
        gain = term_of(found, "G").values[0, 0, :, 0]
        self.assertAlmostEqual(abs(gain[0]), abs(gain[1]))
        self.assertAlmostEqual(abs(gain[0] * gain[1]) / true.amplitude.prod(), 1, 1)
        late = true.delay[1, 0] - true.delay[0, 0]
        delay = term_of(found, "K")
        self.assertLess(abs(delay.values[0, 0, 1, 0] - late), 4 * delay.errors[0, 0, 1, 0])

    def test_many_stations(self):
        """A source so weak that its own noise, which all baselines share, is none. The rms of n
        numbers of one distribution is 1 within 6 / sqrt(2 n); phases share the reference's."""
        true, bound = receivers(self.rng, 256, channels=2), 6 / np.sqrt(2 * 255)
        found = solve_terms(seen(self.rng, true, 256, channels=2, noise=1e4), terms_of("G"), 0)
        logs, turns = pulls(found.terms[0], true(np.zeros(1), np.array([BAND])))
        self.assertLess(abs(rms([logs]) - 1), bound)
        self.assertLess(abs(np.std(turns) * np.sqrt(2) - 1), bound)

    def test_what_does_not_fit_is_refused_with_numbers(self):
        true = receivers(self.rng, 8)
        data = seen(self.rng, true, 8, 40, noise=10.0)
        # A second source that the model does not know, from dump 20 on.
        data.data[0, 0][20:] *= 1 + 0.3 * np.exp(1j * np.arange(28) ** 2)
        found, = solve_terms(data, terms_of("G:1000s"), 0).terms
        np.testing.assert_array_equal(found.flags[:, 0, 0, 0], [False, False, True, True])
        self.assertRegex(found.why[0], r"differ from the model by up to [23].\.. %, which is not "
                                       r"noise \(up to 1.5 % is taken\): 16 of 32 values")
        with self.assertRaisesRegex(unsolved, "G: no solution is left: baselines differ"):
            solve_terms(data, terms_of("G"), 0)
        taken, = solve_terms(data, terms_of("G"), 0, max_misfit=1).terms
        self.assertFalse(taken.flags.any())

    def test_outlier_baselines_are_clipped(self):
        true = receivers(self.rng, 8, channels=16, delay=5e-8)
        data = seen(self.rng, true, 8, 20, 16)
        clean = solve_terms(data, terms_of("K G:400s"), 0)
        bad = np.zeros((20, 28), bool)
        bad[3:9, 5] = bad[15, [0, 9, 17]] = True
        data.data[0, 0] += np.where(bad[:, None], 5.0 + self.rng.normal(size=(20, 1, 28)), 0)
        solver = terms_solver(data, terms_of("K G:400s"), 0, clip=6.0)
        found = solver.solve()
        self.assertTrue(solver.clipped[bad].all())
        self.assertLess(solver.clipped[~bad].sum(), 5)  # noise makes one in some 60 such sets
        for term, same in zip(found.terms, clean.terms):
            off = np.abs(term.values - same.values) / np.where(same.errors > 0, same.errors, 1)
            self.assertLess(off.max(), 5)  # of two baselines that lost a third of their dumps
        with self.assertRaises(unsolved):
            solve_terms(data, terms_of("K G"), 0)

    def test_delays_where_the_reference_is_weak(self):
        """A fringe of 3.3 times the noise to the reference, 8 of all together, and of 10 to the
        five others."""
        for _ in range(times_tried(6, 60)):
            true = receivers(self.rng, 7, channels=64, delay=2e-7)
            true.delay -= true.delay[0]
            true.amplitude[:] = 1
            data = seen(self.rng, true, 7, 6, 64, noise=2.0)
            direct = (data.first == 0) | (data.second == 0)
            data.data[0, 0][..., direct] += 6 * (self.rng.normal(
                size=(6, 64, 6, 2)) @ (1, 1j)) / np.sqrt(2)
            data.weights[0, 0] = np.where(direct, 1 / 40.0, 1 / 4.0) * np.ones(
                data.data[0, 0].shape)
            found = term_of(solve_terms(data, terms_of("K G"), 0, 0, max_misfit=9), "K")
            off = (found.values[0, 0] - true.delay) / np.where(found.errors[0, 0] > 0,
                                                               found.errors[0, 0], 1)
            self.assertLess(np.abs(off).max(), 6)

    def test_what_is_weak_is_flagged(self):
        true = receivers(self.rng, 5)
        data = seen(self.rng, true, 5, absolute=True)
        deaf = (data.first == 3) | (data.second == 3)
        noise = self.rng.normal(size=(4, 2)) @ (1, 1j) / np.sqrt(2)
        data.data[0, 0][..., deaf] = noise / np.sqrt(data.weights[0, 0][..., deaf])
        term, = solve_terms(data, terms_of("G"), 0, min_snr=5, max_misfit=1).terms
        np.testing.assert_array_equal(term.flags[0, 0, :, 0], np.arange(5) == 3)
        self.assertEqual(term.why, ["its signal-to-noise ratio is under 5: 1 of 5 values"])

    def test_noise_that_nothing_shows(self):
        data = seen(self.rng, receivers(self.rng, 3), 3)
        with self.assertRaisesRegex(unsolved, "its noise is not known"):
            solve_terms(data, terms_of("G"), 0)
        term, = solve_terms(data, terms_of("G"), 0, min_snr=0).terms
        self.assertTrue(np.isnan(term.errors).all())

    def test_a_polynomial_that_does_not_fit(self):
        true = receivers(self.rng, 6, channels=32, ripple=0.1)
        data = seen(self.rng, true, 6, 1, 32, seconds=1e4)
        with self.assertRaisesRegex(unsolved, "baselines differ from the model"):
            solve_terms(data, terms_of("B:poly2"), 0)
        self.assertFalse(solve_terms(data, terms_of("B"), 0).terms[0].flags.any())
        with self.assertRaisesRegex(ValueError, "B:poly40: takes more than 40 intervals"):
            solve_terms(data, terms_of("B:poly40"), 0)

    def test_terms_in_words(self):
        for text, words in (("", "none is given"), ("Q", "kind 'Q': must be one of K, G, B"),
                            ("G:30", "option '30' is none"), ("G:30s,2min", "given twice"),
                            ("B:4ch,2MHz", "frequency is given twice, 4ch and 2MHz"),
                            ("K:amp", "G and B have"), ("G:poly3", "only B"),
                            ("G:0s", "must be more than 0"), ("B:1.5ch", "option '1.5ch'"),
                            ("Kcross:4ch", "the whole band")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, words):
                terms_of(text)
        gain, band = terms_of("G:2min,phase B:2MHz,poly3")
        self.assertEqual((gain.seconds, gain.mode, gain.channels), (120, "phase", None))
        self.assertEqual((band.hertz, band.degree, band.channels), (2e6, 3, None))


if __name__ == "__main__":
    unittest.main()
