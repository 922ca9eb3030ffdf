#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains, phases and delays of the inputs from sources of known direction."""

import functools
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.solving.by_common_signal import calibrate_by_common_signal
from gnuradio.fringe.calibration.sources import source_at
from gnuradio.fringe.readers.visibilities import visibilities
from qa_scratch import random_numbers

RNG = random_numbers()
RATE, MIDDLE, CHANNELS = 2e6, 150e6, 32
# Many of these data are without noise: qa_calibration_trust has what is refused for that.
calibrate_by_sources = functools.partial(fringe.calibrate_by_sources, accept_untested=True)
SKY = ["120,50,2", "250,70,1", "10,35,0.7"]


def turned(degrees):
    """The same angle, -180 to 180 degrees."""
    return (np.asarray(degrees) + 180) % 360 - 180


def array(antennas, hands="X"):
    """An observation of antennas at random places within 100 m."""
    obs = fringe.observation()
    obs.set_site(-30, 20, 1000)
    inputs = []
    for a in range(antennas):
        obs.add_antenna(f"A{a}", list(RNG.uniform(-50, 50, 3) * (1, 1, 0.1)))
        for hand in hands:
            entry = fringe.input()
            entry.antenna, entry.polarization, entry.stream = a, hand, len(inputs)
            inputs.append(entry)
    obs.inputs = inputs
    obs.sample_rate, obs.center_frequency, obs.channels = RATE, MIDDLE, CHANNELS
    return obs


def receivers(count, delays=True):
    """Random delay, phase and gain of each input."""
    return fringe.calibration.common_signal(
        RNG.uniform(-2e-7, 2e-7, count) * delays, RNG.uniform(-180, 180, count),
        RNG.uniform(0.4, 2.5, count), np.ones(count))


def observed(obs, sky, true, seconds=10.0, noise=1.0, dumps=1, phased=False):
    """Visibilities of such a sky, with the noise of such receivers."""
    i, j = np.triu_indices(len(obs.inputs))
    antenna = np.array([entry.antenna for entry in obs.inputs])
    hand = np.array([entry.polarization for entry in obs.inputs])
    f = obs.channel_frequencies(CHANNELS, True)
    start = fringe.epoch.from_iso("2026-03-01T00:00:00").plus_seconds(float(RNG.uniform(0, 9e4)))
    data = np.zeros((dumps, CHANNELS, len(i)), complex)
    uvw = np.zeros((dumps, len(obs.antennas), 3))
    middle = fringe.phase_center.at_azel(0.3, 1.1)
    for d in range(dumps):
        at = start.plus_seconds(600.0 * d)
        for source in sky:
            tau = np.array(source.delays(obs, at))[antenna]
            data[d] += source.flux * np.exp(-2j * np.pi * np.outer(f, tau[i] - tau[j]))
        w = -299792458.0 * np.array(fringe.delay_model(obs, middle).geometric(at)[0])
        uvw[d, :, 2] = w if phased else 0
        w = uvw[d][antenna, 2] / 299792458.0
        data[d] *= np.exp(-2j * np.pi * np.outer(f, w[i] - w[j]))
    data[:, :, hand[i] != hand[j]] = 0
    data[:, :, i == j] += noise
    power = data[:, :, i == j].real
    samples = seconds * RATE / CHANNELS
    gaussian = RNG.normal(size=data.shape + (2,)) @ (1, 1j) / np.sqrt(2 * samples)
    data += np.where(i == j, 0, gaussian * np.sqrt(power[:, :, i] * power[:, :, j])) * (noise > 0)
    g = fringe.gains_of(true, f)
    return visibilities(
        path="synthetic.ms", telescope="t", antennas=[a.name for a in obs.antennas],
        inputs=[(entry.antenna, entry.polarization) for entry in obs.inputs],
        frequencies=np.array(f),
        seconds=np.array([int(start.plus_seconds(600.0 * d).seconds) for d in range(dumps)]),
        fractions=np.array([start.fraction()] * dumps), intervals=np.full(dumps, seconds),
        exposures=np.full(dumps, seconds), uvw=uvw if phased else None,
        data=data * g[:, i] * g[:, j].conj(), weights=np.ones(data.shape, np.float32),
        flags=np.zeros(data.shape, bool))


def sky_of(texts):
    return [source_at(text, True) for text in texts]


class qa_calibration_gains(unittest.TestCase):
    def assert_found(self, found, true, degrees, gain, seconds=0.0):
        """Phases in the middle of the band and delays against the reference's, and gains."""
        ref, r = found.references[0], found.receivers
        at_middle = true.phase - 360 * np.remainder(r.frequency * true.delay, 1)
        off = turned(r.band_phase - (at_middle - at_middle[ref]))
        good = np.isfinite(off)
        self.assertEqual(set(np.flatnonzero(~good)), set(found.bad))
        self.assertLess(np.abs(off[good]).max(), degrees)
        if gain:
            np.testing.assert_allclose(r.gain[good], true.gain[good], rtol=gain)
        late = r.delay - (true.delay - true.delay[ref])
        self.assertLessEqual(np.abs(late[good]).max() if seconds else 0, seconds)

    def test_without_noise_it_is_exact(self):
        for inputs in (3, 4, 7, 13):
            for sky in (SKY[:1], SKY):
                with self.subTest(inputs=inputs, sources=len(sky)):
                    obs, true = array(inputs), receivers(inputs, delays=False)
                    vis = observed(obs, sky_of(sky), true, noise=0)
                    found = calibrate_by_sources(vis, obs, sky_of(sky))
                    self.assert_found(found, true, 1e-6, 1e-8)
                    self.assertLess(found.unexplained, 1e-6)
                    self.assertLess(found.closure[0], 1e-5)

    def test_a_thousandth_at_a_signal_to_noise_ratio_of_three_thousand(self):
        for inputs in (5, 9):
            obs, true = array(inputs), receivers(inputs, delays=False)
            vis = observed(obs, sky_of(SKY), true, seconds=20.0, noise=0.1)
            found = calibrate_by_sources(vis, obs, sky_of(SKY))
            self.assertGreater(found.snr.min(), 3000)
            self.assert_found(found, true, np.degrees(1e-3), 1e-3)

    def test_errors_are_as_large_as_it_says(self):
        ratios, chi2 = [], []
        for _ in range(40):
            obs, true = array(6), receivers(6, delays=False)
            found = calibrate_by_sources(observed(obs, sky_of(SKY), true, 0.2, 20.0), obs,
                                         sky_of(SKY))
            ratios.append((found.receivers.gain / true.gain - 1) * found.snr * np.sqrt(2))
            chi2.append(found.chi2)
        self.assertAlmostEqual(np.sqrt(np.mean(np.square(ratios))), 1, delta=0.25)
        self.assertAlmostEqual(np.mean(chi2), 1, delta=0.05)

    def test_delays(self):
        obs, true = array(7), receivers(7)
        vis = observed(obs, sky_of(SKY), true, seconds=20.0)
        found = calibrate_by_sources(vis, obs, sky_of(SKY), delays=True)
        self.assert_found(found, true, 0.5, 0.01, 5 * np.nanmax(found.receivers.delay_error))
        self.assertLess(np.nanmax(found.receivers.delay_error), 2e-9)

    def test_phased_files_and_moving_sources(self):
        obs, true = array(5), receivers(5, delays=False)
        sky = sky_of(SKY[:2])
        for phased in (False, True):
            vis = observed(obs, sky, true, noise=0, dumps=3, phased=phased)
            self.assert_found(calibrate_by_sources(vis, obs, sky), true, 1e-5, 1e-7)

    def test_fluxes_are_fitted(self):
        obs, true = array(9), receivers(9, delays=False)
        vis = observed(obs, sky_of(SKY), true, seconds=20)
        unknown = sky_of([text.rsplit(",", 1)[0] for text in SKY])
        found = calibrate_by_sources(vis, obs, unknown)
        ref = found.references[0]
        self.assert_found(found, true._replace(gain=true.gain / true.gain[ref]), 0.5, 0.02)
        flux = np.array(list(found.flux.values()))
        np.testing.assert_allclose(flux / true.gain[ref] ** 2, [2, 1, 0.7], rtol=0.03)

    def test_phases_alone_need_two_inputs(self):
        for inputs in (2, 3, 8):
            obs, true = array(inputs), receivers(inputs, delays=False)
            vis = observed(obs, sky_of(SKY), true, seconds=20)
            found = calibrate_by_sources(vis, obs, sky_of(SKY), phases_only=True)
            self.assert_found(found, true, 0.6, None)
            np.testing.assert_allclose(found.receivers.gain, 1, rtol=1e-12)
        with self.assertRaisesRegex(fringe.unsolved, "2 good inputs, and it needs 3"):
            calibrate_by_sources(observed(array(2), sky_of(SKY), receivers(2)), array(2),
                                 sky_of(SKY))

    def test_a_dead_input_is_named(self):
        for inputs, phases_only in ((5, False), (6, True), (11, False)):
            dead = int(RNG.integers(inputs))
            obs, true = array(inputs), receivers(inputs, delays=False)
            vis = observed(obs, sky_of(SKY), true)
            i, j = vis.products
            hit = (i == dead) ^ (j == dead)
            samples = vis.exposures[0] * RATE / CHANNELS
            power = np.sqrt(np.abs(vis.data[:, :, i == j]))
            noise = RNG.normal(size=vis.data.shape + (2,)) @ (1, 1j) / np.sqrt(2 * samples)
            vis.data = np.where(hit, noise * power[:, :, i] * power[:, :, j], vis.data)
            found = calibrate_by_sources(vis, obs, sky_of(SKY), phases_only=phases_only)
            self.assertEqual(list(found.bad), [dead])
            self.assertIn("hears nothing", found.bad[dead])
            self.assert_found(found, true, 0.6, None if phases_only else 0.02)
            vis.data[:, :, (i == dead) | (j == dead)] = 0
            self.assertEqual(calibrate_by_sources(vis, obs, sky_of(SKY)).bad, {dead: "no data"})

    def test_a_swapped_input_is_named(self):
        obs, true = array(9), receivers(9, delays=False)
        vis = observed(obs, sky_of(SKY), true, seconds=50)
        i, j = vis.products
        wrong = (i == 4) ^ (j == 4)
        vis.data[:, :, wrong] = vis.data[:, :, wrong].conj()  # its sideband, say
        found = calibrate_by_sources(vis, obs, sky_of(SKY))
        self.assertEqual(list(found.bad), [4])
        self.assertRegex(found.bad[4], "worse than the others|hears nothing of the model")

    def test_flags_and_weights_count(self):
        obs, true = array(6), receivers(6, delays=False)
        vis = observed(obs, sky_of(SKY), true, noise=0)
        lost = RNG.random(vis.data.shape) < 0.3
        vis.data[lost] = 1e6
        vis.flags[lost & (RNG.random(lost.shape) < 0.5)] = True
        vis.weights[lost & ~vis.flags] = 0
        i, j = vis.products
        vis.flags[:, :, i == j], vis.weights[:, :, i == j] = False, 1
        vis.data[:, :, i == j] = 1
        self.assert_found(calibrate_by_sources(vis, obs, sky_of(SKY)), true, 1e-6, 1e-8)

    def test_two_polarizations_are_solved_apart(self):
        obs, true = array(5, "XY"), receivers(10, delays=False)
        vis = observed(obs, sky_of(SKY), true, noise=0)
        found = calibrate_by_sources(vis, obs, sky_of(SKY), reference=1)
        self.assertEqual(found.references, [2, 3])
        hand = np.arange(10) % 2
        off = turned(found.receivers.phase - true.phase + true.phase[[2, 3]][hand])
        self.assertLess(np.abs(off).max(), 1e-6)
        np.testing.assert_allclose(found.receivers.gain, true.gain, rtol=1e-8)

    def test_a_wrong_direction_gives_a_sentence(self):
        wrong = sky_of(["300,40,2", "70,65,1", "190,35,0.7"])
        for phases_only in (False, True):
            obs, true = array(12), receivers(12, delays=False)
            vis = observed(obs, sky_of(SKY), true)
            with self.assertRaisesRegex(fringe.unsolved, "directions, the time"):
                calibrate_by_sources(vis, obs, wrong, phases_only=phases_only)

    def test_noise_alone_gives_a_sentence(self):
        for _ in range(5):
            obs, true = array(7), receivers(7, delays=False)
            vis = observed(obs, sky_of(["120,50,1e-9"]), true)
            with self.assertRaises(fringe.unsolved):
                calibrate_by_sources(vis, obs, sky_of(SKY))

    def test_applied_to_visibilities(self):
        obs, true = array(6), receivers(6)
        vis = observed(obs, sky_of(SKY), true, noise=0)
        clean = observed(obs, sky_of(SKY), receivers(6)._replace(
            delay=np.zeros(6), phase=np.zeros(6), gain=np.ones(6)), noise=0)
        g = fringe.gains_of(true, vis.frequencies)
        g[:, 2] = np.nan
        after = fringe.apply_gains(vis, g)
        i, j = vis.products
        bad = (i == 2) | (j == 2)
        self.assertTrue(after.flags[:, :, bad].all() and not after.flags[:, :, ~bad].any())
        np.testing.assert_allclose(np.abs(after.data[:, :, ~bad]),
                                   np.abs(clean.data[:, :, ~bad]), rtol=1e-5)
        found = calibrate_by_sources(after, obs, sky_of(SKY))
        self.assertLess(np.nanmax(np.abs(found.receivers.phase)), 1e-3)
        with self.assertRaisesRegex(ValueError, r"must be \[channel\]\[input\], \(32, 6\)"):
            fringe.apply_gains(vis, g[:, :5])

    def test_mistakes_are_reported(self):
        obs = array(3)
        vis = observed(obs, sky_of(SKY), receivers(3))
        for text, words in (("1", "give AZ,EL"), ("1,2,3,4", "give AZ,EL"), ("x,2", "not an angle"),
                            ("1,95", "-90 ... 90"), ("1,2,-3", "positive"), ("1,2,q", "number")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, words):
                source_at(text, True)
        self.assertEqual(source_at("Cas A", False).name, "Cas A")
        with self.assertRaisesRegex(ValueError, "'Sunn': give RA,DEC.* or a name such as Sun"):
            source_at("Sunn", False)
        with self.assertRaisesRegex(ValueError, "below the horizon"):
            calibrate_by_sources(vis, obs, sky_of(["3,-2,1"]))
        with self.assertRaisesRegex(ValueError, "3 inputs, the observation 4"):
            calibrate_by_sources(vis, array(4), sky_of(SKY))
        with self.assertRaisesRegex(ValueError, "input 0 is A0 X, in the observation it is A0 Y"):
            calibrate_by_sources(vis, array(3, "Y"), sky_of(SKY))
        crosses = fringe.apply_gains(vis, np.ones(3))
        crosses.data[:, :, [0, 3, 5]] = 0
        with self.assertRaisesRegex(ValueError, "no autocorrelations"):
            calibrate_by_sources(crosses, obs, sky_of(SKY))
        vis.flags[:] = True
        with self.assertRaisesRegex(fringe.unsolved, "everything is flagged"):
            calibrate_by_sources(vis, obs, sky_of(SKY))


class qa_common_signal(unittest.TestCase):
    """One signal wired to any number of inputs, as zero delays to all antennas."""

    def wired(self, inputs, noise, seconds=20.0):
        obs, true = array(inputs), receivers(inputs)
        everywhere = fringe.observation(obs)
        everywhere.antennas = []
        for k in range(inputs):
            everywhere.add_antenna(f"A{k}", [0, 0, 0])
        return obs, true, observed(everywhere, sky_of(["0,90,1"]), true, seconds, noise)

    def test_any_number_of_inputs(self):
        for inputs in (2, 3, 5, 8):
            obs, true, vis = self.wired(inputs, 0.3)
            found = calibrate_by_common_signal(vis, obs)
            ref = found.references[0]
            with self.subTest(inputs=inputs):
                gain = true.gain / true.gain[ref]
                qa_calibration_gains.assert_found(self, found, true._replace(gain=gain), 0.4, 0.01,
                                                  2e-9)

    def test_gains_do_not_hold_the_receivers_noise(self):
        obs, true, vis = self.wired(6, 0.3)
        i, j = vis.products
        own = RNG.uniform(1, 3, 6)  # unlike receivers
        vis.data[:, :, i == j] *= own
        found = calibrate_by_common_signal(vis, obs, min_coherence=0.2)
        np.testing.assert_allclose(found.receivers.gain, true.gain / true.gain[
            found.references[0]], rtol=0.02)

    def test_deaf_inputs_are_named(self):
        for deaf in ([0], [3], [0, 1, 4]):
            obs, true, vis = self.wired(7, 0.3)
            i, j = vis.products
            hit = (np.isin(i, deaf) | np.isin(j, deaf)) & (i != j)
            samples = vis.exposures[0] * RATE / CHANNELS
            power = np.sqrt(np.abs(vis.data[:, :, i == j]))
            noise = RNG.normal(size=vis.data.shape + (2,)) @ (1, 1j) / np.sqrt(2 * samples)
            vis.data = np.where(hit, noise * power[:, :, i] * power[:, :, j], vis.data)
            found = calibrate_by_common_signal(vis, obs)
            self.assertEqual(sorted(found.bad), deaf)
            qa_calibration_gains.assert_found(self, found, true, 0.5, None, 3e-9)

    def test_nothing_in_common_gives_a_sentence(self):
        obs, _, vis = self.wired(4, 0.3)
        i, j = vis.products
        vis.data[:, :, i != j] = RNG.normal(size=vis.data[:, :, i != j].shape + (2,)) @ (1, 1j)
        with self.assertRaisesRegex(fringe.unsolved, "fewer than two inputs hear"):
            calibrate_by_common_signal(vis, obs)


if __name__ == "__main__":
    unittest.main()
