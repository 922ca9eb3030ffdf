#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Errors of the terms of a calibration are what repeated runs show."""
import unittest

import numpy as np
from gnuradio.fringe.solving import solve_terms, terms_of
from gnuradio.fringe.solving.samples import samples
from qa_scratch import scratch_case

BAND, WIDTH, START = 1.4e9, 1e6, 1.7e9


class receivers:
    """Gains of an array: amplitudes, phases that drift, delays and ripples."""

    def __init__(self, rng, antennas, hands=1, channels=1, drift=0.0, ripple=0.0, delay=0.0):
        shape = antennas, hands
        self.amplitude = rng.uniform(0.5, 2, shape)
        self.phase = rng.uniform(-np.pi, np.pi, shape)
        self.drift = np.radians(drift) / 3600 * rng.uniform(-1, 1, shape)
        self.delay = delay * rng.uniform(-1, 1, shape)
        wave = np.cos(2 * np.pi * (np.arange(channels)[:, None, None] / 8 + rng.random(shape)))
        turn = np.sin(2 * np.pi * (np.arange(channels)[:, None, None] / 11 + rng.random(shape)))
        self.band = (1 + ripple * wave) * np.exp(1j * np.radians(50 * ripple) * turn)

    def __call__(self, seconds, frequencies):
        """[dump][channel][antenna][polarization]."""
        offset = (frequencies - frequencies.mean())[:, None, None]
        turns = self.phase + seconds[:, None, None] * self.drift
        return (self.amplitude * self.band * np.exp(-2j * np.pi * offset * self.delay)
                * np.exp(1j * turns)[:, None])


def seen(rng, gains, antennas, dumps=1, channels=1, hands=1, seconds=100.0, noise=1000.0, flux=1.0,
         width=WIDTH, **given):
    """Samples of a source of some flux at the phase center, with independent noise: that of an
    antenna, behind its gain, is `noise` times that of a source of flux 1."""
    i, j = np.triu_indices(antennas, 1)
    f, t = BAND + WIDTH * np.arange(channels), seconds * np.arange(dumps)
    g = gains(t, f)
    data, weights, model = {}, {}, {}
    for p in range(hands):
        product = g[..., i, p] * g[..., j, p].conj()
        power = np.abs(g[..., p]) ** 2 * (noise + flux)
        variance = power[..., i] * power[..., j] / (seconds * width)
        gaussian = rng.normal(size=(*product.shape, 2)) @ (1, 1j) / np.sqrt(2)
        model[p, p] = np.full(product.shape, flux + 0j)
        data[p, p] = product * flux + np.sqrt(variance) * gaussian
        weights[p, p] = 1 / variance
    names = [f"A{k}" for k in range(antennas)]
    return samples(data, weights, model, i, j, names, "XY"[:hands], START + t, seconds, f, width,
                   **given)


def of_voltages(rng, gains, antennas, count, noise, dumps=1, channels=1, fluxes=(1.0,)):
    """Samples that `count` samples of voltages make a dump and channel, with all the noise that
    sources have: a single one at the phase center, several anywhere."""
    i, j = np.triu_indices(antennas, 1)
    f, lengths = BAND + WIDTH * np.arange(channels), count / WIDTH
    t = lengths * np.arange(dumps)
    g = gains(t, f)[..., 0]
    source, own = (rng.normal(size=(dumps, channels, n, count, 2)).astype(np.float32)
                   .view(np.float32) @ np.array([1, 1j], np.complex64) / np.sqrt(2)
                   for n in (len(fluxes), antennas))
    turns = rng.random((antennas, len(fluxes))) * (len(fluxes) > 1)
    heard = (np.exp(2j * np.pi * turns) * np.sqrt(fluxes)).astype(np.complex64)
    x = g[..., None].astype(np.complex64) * (heard @ source + np.float32(np.sqrt(noise)) * own)
    v = np.matmul(x, x.conj().swapaxes(-1, -2))[..., i, j] / count
    power = np.abs(g) ** 2 * (np.sum(fluxes) + noise)
    each = heard[i] * heard[j].conj()
    made = samples({(0, 0): v}, {(0, 0): count / (power[..., i] * power[..., j])},
                   {(0, 0): np.broadcast_to(each.sum(axis=1), v.shape)}, i, j,
                   [f"A{k}" for k in range(antennas)], "X", START + t, lengths, f, WIDTH,
                   absolute=True)
    made.each = [{(0, 0): np.broadcast_to(part, v.shape)} for part in (each / fluxes).T]
    return made


def term_of(found, kind):
    return next(term for term in found.terms if term.kind == kind)


def pulls(term, truth):
    """(amplitudes, phases) minus the truth, over their errors; the reference's phase is 0."""
    truth = truth / (truth[..., :1, :] / np.abs(truth[..., :1, :]))
    free = np.where(term.phase_errors > 0, term.phase_errors, np.inf)
    logs = (np.abs(term.values) - np.abs(truth)) / term.errors
    return logs, (np.angle(term.values * truth.conj()) / free)[..., 1:, :]


def rms(values):
    return float(np.sqrt(np.mean(np.concatenate([np.ravel(v) for v in values]) ** 2)))


class qa_solving_errors(scratch_case):
    """A run is an interval of time."""

    def assert_errors(self, pulls_of_kind):
        """Numbers minus the truth, over their errors, have the rms 1 within 10 %."""
        for kind in pulls_of_kind:
            self.assertLess(abs(np.sqrt(np.mean(np.asarray(kind) ** 2)) - 1), 0.1)

    def test_of_gains_of_any_array(self):
        for antennas in (3, 7, 27):
            with self.subTest(antennas=antennas):
                true = receivers(self.rng, antennas)
                data = seen(self.rng, true, antennas, 200, absolute=True)
                term, = solve_terms(data, terms_of("G:100s"), 0).terms
                self.assert_errors(pulls(term, true(data.times, data.frequencies)))

    def test_from_the_residuals_alone(self):
        """Weights that are wrong by a factor, and another one for each antenna."""
        found, factor = [], 10 ** self.rng.uniform(-1, 1, 6)
        for _ in range(5):
            true = receivers(self.rng, 6)
            data = seen(self.rng, true, 6, 200, 5, seconds=20.0, noise=300.0)
            data.weights[0, 0] = data.weights[0, 0] * factor[data.first] * factor[data.second]
            term, = solve_terms(data, terms_of("G:100s"), 0).terms
            found.append(pulls(term, true(term.times, data.frequencies)[:, :1]))
        self.assert_errors(np.concatenate([pull.ravel() for pull in kind]) for kind in zip(*found))

    def test_with_all_noise_of_a_strong_source(self):
        for noise, channels in ((3.0, 1), (0.5, 1), (0.5, 4)):
            with self.subTest(noise=noise, channels=channels):
                true = receivers(self.rng, 5, channels=channels)
                data = of_voltages(self.rng, true, 5, 500, noise, 200, channels)
                term, = solve_terms(data, terms_of("G:0.0005s"), 0).terms
                self.assertEqual(len(term.times), 200)
                self.assert_errors(pulls(term, true(data.times, data.frequencies)[:, :1]))

    def test_with_the_noise_of_a_sky_that_many_antennas_resolve(self):
        """Without what their baselines share, the errors of 40 antennas would be 0.57 of these.
        Of two antennas the pulls have the correlation 1/2, by the reference."""
        true = receivers(self.rng, 40)
        data = of_voltages(self.rng, true, 40, 2000, 10.0, 100, fluxes=(1.0, 0.6, 0.3, 0.2))
        term, = solve_terms(data, terms_of("G:0.002s"), 0).terms
        self.assertEqual(len(term.times), 100)
        for kind in pulls(term, true(data.times, data.frequencies)):
            self.assertLess(abs(rms([kind]) - 1), 0.22)

    def test_of_each_channel(self):
        true = receivers(self.rng, 4, channels=16, delay=2e-7, ripple=0.1)
        data = seen(self.rng, true, 4, 200, 16, absolute=True)
        term, = solve_terms(data, terms_of("B:100s"), 0, min_snr=0).terms
        self.assert_errors(pulls(term, true(data.times, data.frequencies)))

    def test_of_smooth_bandpasses(self):
        true = receivers(self.rng, 4, channels=24)
        wave = np.linspace(-1, 1, 24)[:, None, None]
        true.band = np.exp((0.2 - 0.3j) * wave ** 3 * self.rng.uniform(-1, 1, (4, 1))) * (
            1 + 0.1 * wave)
        data = seen(self.rng, true, 4, 200, 24, absolute=True)
        free, = solve_terms(data, terms_of("B:100s"), 0, min_snr=0).terms
        term, = solve_terms(data, terms_of("B:100s,poly3"), 0).terms
        self.assertFalse(term.flags.any())
        # Four numbers in place of 24.
        self.assertLess(np.median(term.errors / free.errors), 0.6)
        self.assert_errors(pulls(term, true(data.times, data.frequencies)))

    def test_of_delays(self):
        true = receivers(self.rng, 4, channels=16, delay=2e-7)
        late = true.delay - true.delay[0]
        weak = seen(self.rng, true, 4, 200, 16, absolute=True)
        strong = of_voltages(self.rng, true, 4, 500, 0.5, 200, 16)
        for data, words in ((weak, "K:100s"), (strong, "K:0.0005s")):
            with self.subTest(words):
                term, = solve_terms(data, terms_of(words), 0).terms
                self.assertEqual(len(term.times), 200)
                pull = (term.values[:, 0, 1:] - late[1:]) / term.errors[:, 0, 1:]
                self.assert_errors([pull])


if __name__ == "__main__":
    unittest.main()
