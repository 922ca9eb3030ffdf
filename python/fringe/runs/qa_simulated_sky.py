#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A simulated sky through the whole chain: phases as the delays say, fluxes as they were put in.

A source in direction s (east, north, up) reaches antenna i at r_i earlier by r_i.s/c, so V_ij =
level^2 flux exp(+2 pi i f (r_i - r_j).s/c); that, and nothing of the module,
is what visibilities are compared with here.
"""
import os
import tempfile
import unittest

import numpy as np
import yaml

from gnuradio import fringe
from gnuradio.fringe.ground.quantize import RAW_FORMATS

SPEED_OF_LIGHT = 299792458.0
RATE = 20e6
CENTER = 150e6
PLACES = [(-31.0, 12.0, 0.3), (44.0, -7.0, -0.2), (5.0, 38.0, 0.1)]  # m east, north, up
SOURCE = (119.0, 51.0)  # degrees azimuth, elevation: delays of some samples between these antennas
FORMATS = ("ci8", "i8", "cu8", "cu8_128", "u8", "ci16", "i16", "u16", "cf32", "f32", "mwa16",
           "mwa8")
REAL = ("i8", "u8", "i16", "u16", "f32")


def sky(noise=0.0, flux=1.0, places=PLACES, source=SOURCE, polarizations="X"):
    return fringe.observation.from_text(yaml.safe_dump({
        "site": {"latitude": -30.0, "longitude": 20.0, "height": 1000.0},
        "antennas": [list(place) for place in places],
        "polarizations": list(polarizations), "start_time": "2026-06-12T11:20:40.25Z",
        "sample_rate": RATE, "center_frequency": CENTER,
        "sky": {"receiver_noise": noise,
                "sources": [{"az": source[0], "el": source[1], "flux": flux}]}}))


def change(obs, number, **fields):
    inputs = obs.inputs
    for name, value in fields.items():
        setattr(inputs[number], name, value)
    obs.inputs = inputs


def early(place, source):
    """Seconds by which a place hears the source earlier than the origin."""
    az, el = np.radians(source)
    towards = (np.sin(az) * np.cos(el), np.cos(az) * np.cos(el), np.sin(el))
    return np.dot(place, towards) / SPEED_OF_LIGHT


class in_turn:
    """What a run came to: visibilities [dump][channel][product], their axes, the level."""

    def __init__(self, folder, obs, name, samples, seed=1, **options):
        raw, out = os.path.join(folder, "raw"), os.path.join(folder, "x.ACC")
        made = fringe.simulate(obs, raw, samples, name, seed, overwrite=True)
        options.setdefault("channels", 64)
        if "integration" not in options:
            options.setdefault("spectra", 10 ** 9)
        self.totals = fringe.correlate(raw, out, raw + ".yml", overwrite=True, **options)
        with open(out + ".yml", encoding="utf-8") as file:
            side = yaml.safe_load(file)
        self.dumps, self.frequencies = side["dumps"], np.array(side["frequencies"])
        v = np.fromfile(out, np.complex64).reshape(len(self.dumps), -1, side["channels"])
        self.v = v.swapaxes(1, 2)
        self.level, self.clipped = made.level, made.clipped
        self.obs = obs

    def each_baseline(self):
        """(product number, input i, input j) of every pair of different inputs."""
        n = len(self.obs.inputs)
        for product, (i, j) in enumerate(zip(*np.triu_indices(n))):
            if i != j:
                yield product, self.obs.inputs[i], self.obs.inputs[j]

    def turned(self, product, first, other, source=SOURCE):
        """A baseline [dump][channel] with the phase of the delay taken out."""
        places = [antenna.enu for antenna in self.obs.antennas]
        ahead = early(places[first.antenna], source) - early(places[other.antenna], source)
        return self.v[:, :, product] * np.exp(-2j * np.pi * self.frequencies * ahead)


class qa_simulated_sky(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def run_chain(self, *args, **options):
        return in_turn(self.folder, *args, **options)

    def expect_phases(self, run, degrees=0.5, source=SOURCE):
        """Right in every channel but those at the edges, where what lies on either side of
        the band meets in one channel."""
        for product, first, other in run.each_baseline():
            if first.polarization == other.polarization:
                inner = run.turned(product, first, other, source)[:, 1:-1]
                self.assertLess(np.degrees(np.abs(np.angle(inner)).max()), degrees)

    def expect_flux(self, run, flux, rtol=0.01):
        for product, first, other in run.each_baseline():
            if first.polarization == other.polarization:
                inner = run.turned(product, first, other)[:, 1:-1].real.mean()
                self.assertAlmostEqual(inner / (run.level ** 2 * flux), 1, delta=rtol)

    def test_phase_and_flux_in_every_format(self):
        self.assertEqual(set(FORMATS), set(RAW_FORMATS))
        for name in FORMATS:
            with self.subTest(name):
                run = self.run_chain(sky(flux=2.5), name, 1 << 19)
                self.expect_phases(run)
                # mwa8 clips at three standard deviations.
                rtol = 0.02 if name == "mwa8" else 0.01
                self.expect_flux(run, 2.5, rtol)
                # An autocorrelation has the noise of rounding too, 1/12 in each component.
                rounding = {"cf32": 0, "f32": 0}.get(name, 1 / 12 if name in REAL else 1 / 6)
                power = run.v[:, 1:-1, [0, 3, 5]].real.mean(axis=(0, 1))
                np.testing.assert_allclose(power, run.level ** 2 * 2.5 + rounding, rtol=rtol)

    def test_long_baselines(self):
        # 400 m: a delay of a dozen samples and 100 turns, short against the spectrum's length.
        places = [(0, 0, 0), (390.0, -20.0, 4.0), (-120.0, 260.0, -3.0)]
        for name in ("ci8", "i8"):
            with self.subTest(name):
                obs = sky(places=places)
                ahead = early(places[1], SOURCE) - early(places[2], SOURCE)
                self.assertGreater(abs(ahead) * RATE, 12)
                run = self.run_chain(obs, name, 1 << 20, channels=1024)
                turned = [run.turned(*baseline)[0, 4:-4].reshape(-1, 8).mean(axis=1)
                          for baseline in run.each_baseline()]
                self.assertLess(np.degrees(np.abs(np.angle(turned)).max()), 0.5)
                np.testing.assert_allclose(np.mean(turned, axis=1).real, run.level ** 2,
                                           rtol=0.02)

    def test_a_delay_as_long_as_the_spectrum_decorrelates(self):
        # 1.2 us are 24 samples. Of one window of 64 samples without taps 40 are common.
        obs = sky(places=[(0, 0, 0), (1.2e-6 * SPEED_OF_LIGHT, 0, 0)], source=(90.0, 1.0))
        run = self.run_chain(obs, "cf32", 1 << 19, taps=1, window="rectangular")
        turned = run.turned(*next(run.each_baseline()), source=(90.0, 1.0))[0, 1:-1]
        self.assertAlmostEqual(turned.mean().real / run.level ** 2, 40 / 64, delta=0.01)

    def test_two_polarizations(self):
        run = self.run_chain(sky(polarizations="XY"), "ci8", 1 << 19)
        self.expect_phases(run)
        self.expect_flux(run, 1.0)
        # X and Y hear independent noise.
        crossed = [run.v[0, :, product] / run.level ** 2
                   for product, first, other in run.each_baseline()
                   if first.polarization != other.polarization]
        self.assertEqual(len(crossed), 9)
        self.assertLess(np.abs(crossed).max(), 6 / np.sqrt((1 << 19) / 64))

    def test_the_receivers_are_taken_out(self):
        for name in ("ci8", "i8"):
            for lower in (False, True):
                with self.subTest(f"{name}, {'lower' if lower else 'upper'} sideband"):
                    obs = sky()
                    change(obs, 0, cable_delay=61.7e-9, gain=1.7)
                    change(obs, 1, phase=-112.0, gain=0.6)
                    change(obs, 2, inverted=True, phase=31.0, cable_delay=-23e-9)
                    obs.lower_sideband = lower
                    run = self.run_chain(obs, name, 1 << 19)
                    self.expect_phases(run)
                    self.expect_flux(run, 1.0)

    def test_uncorrected_receivers_are_seen(self):
        # The other way round: what the observation does not tell is not taken out.
        obs = sky()
        change(obs, 1, phase=40.0)
        run = self.run_chain(obs, "ci8", 1 << 18)
        change(obs, 1, phase=0.0)
        raw = os.path.join(self.folder, "raw")
        fringe.correlate(raw, os.path.join(self.folder, "y.ACC"), obs, format="ci8", channels=64,
                         spectra=10 ** 9)
        run.v = np.fromfile(os.path.join(self.folder, "y.ACC"),
                            np.complex64).reshape(1, 6, 64).swapaxes(1, 2)
        turned = run.turned(1, obs.inputs[0], obs.inputs[1])[0, 1:-1].mean()
        self.assertAlmostEqual(np.degrees(np.angle(turned)), -40.0, delta=0.5)

    def test_requantized(self):
        # Half of the power is the source's: a correlation of 0.5.
        plain = self.run_chain(sky(noise=1.0), "ci16", 1 << 20)
        self.expect_phases(plain, 3.0)
        for bits, sigma, limit in (("8", 16.0, 127), ("4", 2.95, 7)):
            with self.subTest(bits):
                run = self.run_chain(sky(noise=1.0), "ci16", 1 << 20, requantize=bits)
                self.assertEqual(run.level, plain.level)
                ratio = [run.turned(*b)[0, 1:-1].sum() / plain.turned(*b)[0, 1:-1].sum()
                         for b in run.each_baseline()]
                autos = [0, 3, 5]
                power = run.v[0, 1:-1, autos].real.mean() / plain.v[0, 1:-1, autos].real.mean()
                common, gain = self.quantized(sigma, limit, 0.5)
                np.testing.assert_allclose(np.real(ratio), common, atol=0.004)
                self.assertLess(np.degrees(np.abs(np.angle(ratio)).max()), 0.2)
                self.assertAlmostEqual(power, gain, delta=0.004)

    @staticmethod
    def quantized(sigma, limit, correlation):
        """Gain of the covariance and of the power of Gaussian noise in a quantizer."""
        edges = np.arange(-limit, limit) + 0.5
        x = np.linspace(-8, 8, 1601) * sigma
        density = np.exp(-x ** 2 / (2 * sigma ** 2))
        density /= density.sum()
        steps = np.digitize(x, edges) - limit
        power = np.sum(density * steps ** 2) / sigma ** 2
        a, b = np.random.default_rng(1).standard_normal((2, 1 << 21)) * sigma
        b = correlation * a + np.sqrt(1 - correlation ** 2) * b
        qa, qb = (np.clip(np.rint(v), -limit, limit) for v in (a, b))
        return np.mean(qa * qb) / np.mean(a * b), power

    def test_dumps(self):
        # Boundaries on multiples of 5 ms since 1970; the recording starts on one.
        run = self.run_chain(sky(), "ci8", 400000, channels=50, integration=0.005)
        self.assertEqual(run.totals.dumps, 4)
        starts = [float(d["start"][17:].rstrip("Z")) for d in run.dumps]
        # Four taps: the first spectrum's middle lies one spectrum and a half later.
        np.testing.assert_allclose(starts, [40.25 + 3.75e-6, 40.255, 40.26, 40.265], atol=3e-6)
        np.testing.assert_allclose([d["interval"] for d in run.dumps[1:-1]], 0.005, atol=3e-6)
        self.expect_phases(run, 2.0)  # 1600 spectra each
        self.expect_flux(run, 1.0, 0.02)
        again = self.run_chain(sky(), "ci8", 400000, channels=50)
        weights = np.array([d["exposure"] for d in run.dumps])
        mean = np.tensordot(weights / weights.sum(), run.v, 1)
        np.testing.assert_allclose(mean, again.v[0], atol=1e-5 * np.abs(again.v).max())


if __name__ == "__main__":
    unittest.main()
