#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Fringes in numbers: their errors are as large as the scatter of many simulated ones."""
import unittest

import numpy as np

from gnuradio.fringe.radio_astronomy.delay_spectrum import (delay_axis, delay_spectrum, fit_delay,
                                                            highest)
from gnuradio.fringe.radio_astronomy.fringe_scatter import fringe_scatter
from qa_scratch import random_numbers

TRIALS = 2000
#: The scatter of TRIALS values is known to 1 / sqrt(2 TRIALS): 5 of these.
FIVE_SIGMA = 5 / np.sqrt(2 * TRIALS)


class qa_fringe_scatter(unittest.TestCase):

    def setUp(self):
        self.rng = random_numbers()

    def noise(self, *shape):
        """Complex, with a scatter of 1 in each part."""
        return self.rng.normal(size=(*shape, 2)) @ [1, 1j]

    def test_numbers_are_those_of_numpy(self):
        v = (3 + 0.2 * self.noise(57)) * np.exp(2.1j)
        v[5] = np.nan
        found, kept = fringe_scatter.of(v), np.delete(v, 5)
        mean = np.mean(kept)
        self.assertAlmostEqual(found.amplitude, abs(mean), 12)
        self.assertAlmostEqual(found.phase, np.angle(mean), 12)
        turned = kept * abs(mean) / mean
        self.assertAlmostEqual(found.amplitude_scatter, np.std(turned.real, ddof=1), 12)
        self.assertAlmostEqual(found.phase_scatter, np.std(turned.imag, ddof=1) / abs(mean), 12)
        # At a high S/N that is the scatter of the amplitudes and of the phases.
        self.assertAlmostEqual(found.amplitude_scatter / np.std(abs(kept), ddof=1), 1, 1)
        self.assertAlmostEqual(found.phase_scatter / np.std(np.angle(turned), ddof=1), 1, 1)
        self.assertAlmostEqual(found.amplitude_error, found.amplitude_scatter / np.sqrt(56), 12)
        noise = np.sqrt((np.var(kept.real, ddof=1) + np.var(kept.imag, ddof=1)) / 2)
        self.assertAlmostEqual(found.snr, abs(mean) / noise * np.sqrt(56), 8)

    def test_errors_are_as_large_as_the_scatter_of_many(self):
        true, sigma, n = 1.3 * np.exp(-0.7j), 0.9, 41
        found = [fringe_scatter.of(true + sigma * self.noise(n)) for _ in range(TRIALS)]
        amplitudes, phases = (np.array([getattr(estimate, name) for estimate in found])
                              for name in ("amplitude", "phase"))
        for values, name, stated in ((amplitudes, "amplitude_error", sigma / np.sqrt(n)),
                                     (phases, "phase_error", sigma / 1.3 / np.sqrt(n))):
            with self.subTest(name):
                errors = np.array([getattr(estimate, name) for estimate in found])
                # Terms of second order in noise / signal are below 2 %.
                self.assertLess(abs(np.std(values) / stated - 1), FIVE_SIGMA + 0.02)
                self.assertLess(abs(np.sqrt(np.mean(errors ** 2)) / stated - 1), 0.03)
        self.assertLess(abs(np.mean(phases) + 0.7), 5 * sigma / 1.3 / np.sqrt(n * TRIALS))
        snr = np.mean([estimate.snr for estimate in found])
        self.assertLess(abs(snr / (1.3 * np.sqrt(n) / sigma) - 1), 0.05)

    def test_too_little_is_no_number(self):
        self.assertTrue(np.isnan(fringe_scatter.of([]).amplitude))
        self.assertTrue(np.isnan(fringe_scatter.of([np.nan]).amplitude))
        found = fringe_scatter.of([3j])
        self.assertEqual((found.amplitude, found.phase), (3, np.pi / 2))
        self.assertTrue(np.isnan(found.snr) and np.isnan(found.amplitude_error))

    def test_a_delay_is_found_with_its_error(self):
        f = 1.42e9 + 12.5e3 * np.arange(77)
        sigma = 0.3
        for tau in (0.0, 3.21e-6, -17e-6):
            with self.subTest(delay=tau):
                found = []
                for _ in range(TRIALS // 4):
                    values = np.exp(2j * np.pi * f * tau) + sigma * self.noise(77)
                    values[11] = np.nan
                    found.append(fit_delay(f, values))
                delays, errors = np.array(found).T
                kept = np.delete(f, 11)
                stated = sigma / (2 * np.pi * np.sqrt(np.sum((kept - kept.mean()) ** 2)))
                self.assertLess(abs(delays.mean() - tau), 5 * stated / np.sqrt(len(delays)))
                # The scatter of 500 is known to 3 %; terms of second order are below 2 %.
                self.assertLess(abs(delays.std() / stated - 1), 5 / np.sqrt(1000) + 0.02)
                # An error of 76 channels to 8 %, the mean of 500 of them to 0.4 %.
                self.assertLess(abs(errors.mean() / stated - 1), 0.04)

    def test_a_delay_is_found_in_much_noise(self):
        f, tau = 1.42e9 + 12.5e3 * np.arange(77), -17e-6
        found = np.array([fit_delay(f, np.exp(2j * np.pi * f * tau) + 1.1 * self.noise(77))
                          for _ in range(200)])
        there = np.isfinite(found[:, 0])
        self.assertGreater(there.mean(), 0.95)
        self.assertGreater(np.mean(abs(found[there, 0] - tau) < 5 * found[there, 1]), 0.95)

    def test_noise_has_no_delay(self):
        f = 1e8 + 1e4 * np.arange(64)
        found = [fit_delay(f, self.noise(64))[0] for _ in range(500)]
        # One in ten thousand is allowed; three of 500 are 1e-5 likely.
        self.assertLess(np.isfinite(found).sum(), 3)
        for nothing in (np.zeros(64), np.full(64, np.nan), np.ones(64)[:7]):
            self.assertTrue(np.isnan(fit_delay(f[:len(nothing)], nothing.astype(complex))).all())

    def test_the_delay_spectrum_is_the_sum(self):
        values, width = self.noise(23), 3e4
        values[4] = np.nan
        axis, lags = delay_axis(23, width), delay_spectrum(values, 23)
        window, kept = np.hanning(25)[1:-1], np.isfinite(values)
        for k in self.rng.integers(0, len(axis), 10):
            turned = np.exp(-2j * np.pi * width * np.arange(23) * axis[k])
            true = abs(np.sum((window * values * turned)[kept])) / window[kept].sum()
            self.assertAlmostEqual(lags[k], true, 10)
        delay, height = highest(axis, lags)
        self.assertLess(abs(delay - axis[lags.argmax()]), axis[1] - axis[0])
        self.assertGreaterEqual(height, lags.max() - 1e-12)


if __name__ == "__main__":
    unittest.main()
