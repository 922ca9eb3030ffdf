#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Fluxes of several sources that are solved for together with the gains, and their errors."""
import unittest

import numpy as np
from gnuradio.fringe.solving import solve_terms, terms_of
from gnuradio.fringe.solving.fluxes import fitted_model
from gnuradio.fringe.solving.samples import samples
from qa_scratch import scratch_case, times_tried
from qa_solving_errors import of_voltages, receivers
from scipy.optimize import least_squares

ANTENNAS, DUMPS, CHANNELS, FLUXES = 7, 4, 6, np.array([3.0, 1.0, 0.5])
REFERENCE = 2


class qa_solving_fluxes(scratch_case):
    def seen(self, noise=1.0, known=(None, None, None), fluxes=FLUXES, hands=1, free=False):
        """(samples, true gains) of random arrays and sources. fluxes: [source] or [source][channel]
        """
        i, j = np.triu_indices(ANTENNAS, 1)
        places = self.rng.uniform(-25, 25, (ANTENNAS, 2))
        f = 150e6 * (1 + 0.02 * np.arange(CHANNELS))
        sources = []
        for _ in fluxes:
            l, m = self.rng.uniform(-0.7, 0.7, 2)
            tau = (places @ [l + 0.003 * np.arange(DUMPS), np.full(DUMPS, m)]) / 3e8
            tau = (tau[i] - tau[j]).T
            sources.append(np.exp(-2j * np.pi * f[:, None] * tau[:, None, :]))
        g = self.rng.uniform(0.6, 1.6, ANTENNAS) * np.exp(2j * np.pi * self.rng.random(ANTENNAS))
        sky = np.einsum("kc,kdcp->dcp", np.broadcast_to(np.reshape(fluxes, (len(fluxes), -1)),
                                                        (len(fluxes), CHANNELS)), sources)
        clean = g[i] * g[j].conj() * sky
        data = {(p, p): clean + noise * (self.rng.normal(size=(*clean.shape, 2)) @ (1, 1j))
                / np.sqrt(2) for p in range(hands)}
        weights = {key: np.full(clean.shape, 1 / max(noise, 1e-3) ** 2) for key in data}
        model = fitted_model([{(p, p): source for p in range(hands)} for source in sources], known,
                             free, hands)
        return samples(data, weights, model, i, j, [f"A{k}" for k in range(ANTENNAS)],
                       "XY"[:hands], 1e9 + 10.0 * np.arange(DUMPS), 10.0, f, 3e6, noise > 0), g

    def solved(self, data, text="G"):
        return solve_terms(data, terms_of(text), REFERENCE, 0, max_misfit=np.inf)

    def test_the_truth_without_noise(self):
        spectra = FLUXES[:, None] * self.rng.uniform(0.7, 1.4, (3, CHANNELS))
        for fluxes, free in ((FLUXES, False), (spectra, True)):
            for known in ((None,) * 3, (None, FLUXES[1], None)):
                if free and known[1]:
                    continue
                with self.subTest(free=free, known=known):
                    data, g = self.seen(0, known, fluxes, 2, free)
                    found = self.solved(data).terms[0].values[0, 0]
                    size = 1 if known[1] else np.abs(g[REFERENCE])
                    true = g / size * np.exp(-1j * np.angle(g[REFERENCE]))
                    for p in (0, 1):
                        np.testing.assert_allclose(found[:, p], true, rtol=1e-5)
                        np.testing.assert_allclose(
                            data.model.flux[p], np.broadcast_to(
                                fluxes.reshape(3, -1) * size ** 2, (3, CHANNELS)), rtol=1e-4)

    def test_errors_are_what_repeated_runs_show(self):
        """Of fluxes and gains, with and without a flux that is known, in one interval and more.
        The rms of n numbers of one distribution is 1 within 3 / sqrt(2 n)."""
        runs = times_tried(16, 150)
        for known, text in (((None,) * 3, "G"), ((None,) * 3, "G:20s"), ((None, 1.0, None), "G")):
            fluxes, gains, phases = [], [], []
            for _ in range(runs):
                data, g = self.seen(1.0, known)
                term = self.solved(data, text).terms[0]
                size = np.abs(g[REFERENCE]) if known[1] is None else 1.0
                some = data.model.unknown
                off = data.model.flux[0, :, 0] - FLUXES * size ** 2
                fluxes.append(off[some] / data.model.errors[0, some])
                true = g / size * np.exp(-1j * np.angle(g[REFERENCE]))
                values, others = term.values[0, 0, :, 0], np.arange(ANTENNAS) != REFERENCE
                gains.append((np.abs(values) - np.abs(true))[others]
                             / term.errors[0, 0, others, 0])
                phases.append((np.angle(values / true) / term.phase_errors[0, 0, :, 0])[others])
            for name, pulls in (("flux", fluxes), ("gain", gains), ("phase", phases)):
                with self.subTest(name, known=known, terms=text):
                    # The numbers of one run share their noise.
                    sigma = 1 / np.sqrt(2 * runs)
                    self.assertLess(abs(np.sqrt(np.mean(np.square(pulls))) - 1), 3.5 * sigma)

    def test_errors_with_the_noise_of_a_strong_sky(self):
        """From voltages, whose baselines share the noise of the sources: by noise of baselines
        alone the errors of fluxes would be a third, those of amplitudes half of these."""
        fluxes, off, gains = (1.0, 0.6, 0.3), [], []
        for _ in range(times_tried(12, 150)):
            true = receivers(self.rng, 24)
            data = of_voltages(self.rng, true, 24, 1000, 4.0, fluxes=fluxes)
            data.model = fitted_model(data.each, (1.0, None, None))
            term = solve_terms(data, terms_of("G"), 0, 0).terms[0]
            off.append((data.model.flux[0, 1:, 0] - fluxes[1:]) / data.model.errors[0, 1:])
            gains.append((np.abs(term.values[0, 0, :, 0]) - true.amplitude[:, 0])
                         / term.errors[0, 0, :, 0])
        self.assertLess(np.sqrt(np.mean(np.square(off))), 1 + 6 / np.sqrt(4 * len(off)))
        self.assertLess(np.sqrt(np.mean(np.square(gains))), 1 + 6 / np.sqrt(8 * len(gains)))

    def test_scipy_finds_the_same(self):
        data, _ = self.seen(0.5, (None, 1.0, None))
        values = self.solved(data).terms[0].values[0, 0, :, 0]

        def off(x):
            g = x[:ANTENNAS] + 1j * x[ANTENNAS:2 * ANTENNAS]
            sky = sum(flux * source[0, 0] for flux, source in zip(
                (x[-2], 1.0, x[-1]), data.model.sources))
            e = np.ravel((data.data[0, 0] - g[data.first] * g[data.second].conj() * sky)) * 2
            return np.concatenate([e.real, e.imag, [1e5 * g[REFERENCE].imag]])
        start = np.concatenate([values.real, values.imag, data.model.flux[0, [0, 2], 0]])
        fit = least_squares(off, start * 1.03, xtol=1e-14, ftol=1e-14, gtol=1e-14).x
        np.testing.assert_allclose(values, fit[:ANTENNAS] + 1j * fit[ANTENNAS:-2], atol=1e-5)
        np.testing.assert_allclose(data.model.flux[0, [0, 2], 0], fit[-2:], rtol=1e-5)

    def test_mistakes_are_reported(self):
        data, _ = self.seen()
        with self.assertRaisesRegex(ValueError, "solved for with gains: add G"):
            self.solved(data, "K")
        data.model.free = True
        with self.assertRaisesRegex(ValueError, "cannot be told apart"):
            self.solved(data, "G B")
        with self.assertRaisesRegex(ValueError, "fitted_model: 1 fluxes of 3 sources"):
            fitted_model(data.model.sources, [None])


if __name__ == "__main__":
    unittest.main()
