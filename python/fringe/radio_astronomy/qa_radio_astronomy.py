#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a course measures: against astropy, scipy and simulated recordings."""
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe import radio_astronomy as lab
from gnuradio.fringe.radio_astronomy import spectral_line
from qa_scratch import scratch_case

try:
    import astropy.units as u
    from astropy.coordinates import EarthLocation, SkyCoord, SpectralCoord
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
    iers.conf.iers_degraded_accuracy = "ignore"
except ImportError:
    Time = None
try:
    from scipy.special import j1
except ImportError:
    j1 = None

ANTENNAS, CHANNELS, RATE = 3, 16, 1e5
TEXT = """
site: {latitude: 50, longitude: 8, height: 100}
antennas: [{name: A, enu: [0, 0, 0]}, {name: B, enu: [30, 0, 0]}, {name: C, enu: [70, 20, 0]}]
sample_rate: 1e5
center_frequency: 150e6
start_time: 2026-03-20T00:00:00Z
phase_center: {ra: 12h30m49.4s, dec: +12d23m28s}
channels: 16
integration: 0.1
format: cf32
"""


class qa_powers(scratch_case):

    def test_decibels(self):
        np.testing.assert_allclose(lab.decibels([1, 10, 0.5], 1), [0, 10, -3.0102999566])
        self.assertEqual(lab.decibels(0.0), -np.inf)
        for wrong in ((1, 0), (-1, 1), (1, np.nan)):
            with self.assertRaisesRegex(ValueError, "decibels: "):
                lab.decibels(*wrong)

    def test_loads_and_diode(self):
        receiver, gain = self.rng.uniform(20, 300), self.rng.uniform(1e-9, 1e9)
        hot, cold = gain * (receiver + 290), gain * (receiver + 10)
        self.assertAlmostEqual(lab.y_factor(hot, cold), (receiver + 290) / (receiver + 10))
        self.assertAlmostEqual(lab.receiver_temperature([hot] * 3, cold) / receiver, 1)
        scale = lab.kelvin_per_unit(cold + gain * 50, [cold, np.nan, cold], 50)
        self.assertAlmostEqual(scale * gain, 1)

    def test_refusals(self):
        for call, sentence in ((lambda: lab.y_factor(1, 2), "exchanged"),
                               (lambda: lab.y_factor([np.nan], 2), "hot: a mean power of nan"),
                               (lambda: lab.receiver_temperature(2, 1, 10, 290), "must be hotter"),
                               (lambda: lab.kelvin_per_unit(1, 1, 50), "not connected"),
                               (lambda: lab.kelvin_per_unit(2, 1, 0), "a diode of 0 K"),
                               (lambda: lab.radiometer_noise(100, 0, 1), "must be positive"),
                               (lambda: lab.noise_against_time([1, 2]), "at least 8"),
                               (lambda: lab.noise_against_time([1] * 9, 0), "interval")):
            with self.assertRaisesRegex(ValueError, sentence):
                call()

    def test_noise_falls_as_the_radiometer_equation_says(self):
        count, samples = 4096, 50
        powers = self.rng.gamma(samples, 3.0 / samples, count)
        seconds, sigma = lab.noise_against_time(powers, 0.25)
        np.testing.assert_array_equal(seconds, 0.25 * 2 ** np.arange(10))
        expected = lab.radiometer_noise(1.0, samples / 0.25, seconds)
        # The variance of n averages scatters by sqrt(3 / n), of Allan's as of others.
        error = 0.5 * np.sqrt(3 * seconds / 0.25 / count)
        good = seconds <= 16
        self.assertTrue(np.all(abs(sigma / expected - 1)[good] < 7 * error[good]))
        drifting = powers + 3e-3 * np.arange(count)
        self.assertGreater(lab.noise_against_time(drifting, 0.25)[1][-1], 5 * expected[-1])


class qa_line(scratch_case):

    def place(self, when="2026-03-20T21:17:03Z", center=None):
        obs = fringe.observation.example(1)
        obs.set_site(*self.rng.uniform((-80, -180, 0), (80, 180, 3000)))
        obs.start_time = fringe.epoch.from_iso(when)
        obs.has_start_time = True
        ra, dec = self.rng.uniform(0, 2 * np.pi), np.arcsin(self.rng.uniform(-1, 1))
        obs.phase_center = center or fringe.phase_center.at_radec(ra, dec)
        return obs

    @unittest.skipUnless(Time, "astropy is not installed")
    def test_velocity_of_the_site(self):
        for _ in range(5):
            obs = self.place(f"20{self.rng.integers(10, 26)}-{self.rng.integers(1, 13):02}-11T"
                             f"{self.rng.integers(0, 24):02}:05:40.5Z")
            when = Time(obs.start_time.iso(9).rstrip("Z"), scale="utc")
            site = EarthLocation(lat=obs.site_latitude * u.deg, lon=obs.site_longitude * u.deg,
                                 height=obs.site_height * u.m)
            target = SkyCoord(obs.phase_center.longitude, obs.phase_center.latitude, unit="rad")
            velocity = np.array(fringe.site_velocity(obs, obs.start_time))
            towards = target.cartesian.xyz.value
            expected = target.radial_velocity_correction("barycentric", obstime=when,
                                                         location=site).to_value("m/s")
            self.assertLess(abs(towards @ velocity - expected), 8)  # relativity makes that much
            received = 1.4204e9
            spectrum = SpectralCoord(received * u.Hz, observer=site.get_itrs(when), target=target)
            lsr = spectrum.with_observer_stationary_relative_to("lsrk").to_value(
                "m/s", doppler_convention="radio", doppler_rest=lab.HYDROGEN_LINE * u.Hz)
            self.assertLess(abs(lab.lsr_velocity(received, obs) - lsr), 10)

    def test_the_motion_of_the_sun(self):
        """20 km/s towards 18h +30d of 1900, precessed to 2000: Lieske et al., A&A 58, 1 (1977)."""
        t = -1.0  # centuries from 2000 to 1900
        first, second, third = (np.radians(t * (a + t * (b + t * c)) / 3600) for a, b, c in (
            (2306.2181, 0.30188, 0.017998), (2306.2181, 1.09468, 0.018203),
            (2004.3109, -0.42665, -0.041833)))

        def about_z(angle):
            return np.array([[np.cos(angle), np.sin(angle), 0],
                             [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        about_y = np.array([[np.cos(third), 0, -np.sin(third)], [0, 1, 0],
                            [np.sin(third), 0, np.cos(third)]])
        towards = np.array([0, -np.cos(np.radians(30)), np.sin(np.radians(30))])
        velocity = (about_z(-second) @ about_y @ about_z(-first)).T @ (20e3 * towards)
        np.testing.assert_allclose(spectral_line.SUN_IN_LSRK, velocity, atol=0.1)

    def test_the_poles_of_the_ecliptic_see_no_orbit(self):
        obs = self.place(center=fringe.phase_center.at_radec(np.radians(270), np.radians(66.5607)))
        velocity = np.array(fringe.site_velocity(obs, obs.start_time))
        self.assertTrue(28800 < np.linalg.norm(velocity) < 30900)
        towards = np.array([0, -np.sin(np.radians(23.4393)), np.cos(np.radians(23.4393))])
        self.assertLess(abs(towards @ velocity), 500)

    def test_refusals(self):
        obs = fringe.observation.example(1)
        with self.assertRaisesRegex(ValueError, "start_time"):
            lab.lsr_correction(obs)
        with self.assertRaisesRegex(ValueError, "site_velocity: the observation has no site"):
            obs.phase_center = fringe.phase_center.at_radec(1, 1)
            lab.lsr_correction(obs, fringe.epoch.from_iso("2026-01-01T00:00:00Z"))
        for shift, sentence in ((0, "shift 0"), (1.5, "shift 1.5"), (9, "shift 9")):
            with self.assertRaisesRegex(ValueError, sentence):
                lab.frequency_switched(np.ones(9), np.ones(9), shift)
        with self.assertRaisesRegex(ValueError, "shapes"):
            lab.frequency_switched(np.ones(9), np.ones(8), 1)

    def test_frequency_switching(self):
        channels = int(self.rng.integers(60, 200))
        k = np.arange(channels)
        for shift in (17, -17):
            band = 5 + np.sin(k / 7) + (k - channels / 2) ** 2 / channels ** 2
            line = 0.2 * np.exp(-((k - channels // 2) / 3.0) ** 2)
            moved = 0.2 * np.exp(-((k - shift - channels // 2) / 3.0) ** 2)
            folded = lab.frequency_switched(band * (1 + line), band * (1 + moved), shift)
            there = np.isfinite(folded)
            self.assertEqual(np.count_nonzero(~there), abs(shift))
            self.assertEqual(np.nanargmax(folded), channels // 2)
            near = abs(k - channels // 2) < 6
            np.testing.assert_allclose(folded[near], line[near], atol=1e-6)

    def test_the_band_outside_of_a_line(self):
        x = np.linspace(-1, 1, 101)
        for order, terms in ((0, (3,)), (1, (3, 0.4)), (3, (2, -0.1, 0.7, 0.3))):
            band = np.polynomial.polynomial.polyval(x, terms)
            line = abs(x - 0.2) < 0.1
            spectrum = band + 5 * line
            spectrum[[0, 50]] = np.nan
            np.testing.assert_allclose(lab.band_outside_line(spectrum, line, order), band,
                                       atol=1e-9)
        with self.assertRaisesRegex(ValueError, "2 channels are left outside of the line; a "
                                    "polynomial of order 2 needs 3"):
            lab.band_outside_line(np.ones(5), [0, 1, 1, 1, 0], 2)


class qa_interferometer(scratch_case):

    def test_fringe_rates(self):
        for count in (12, 100, 701):
            t = np.cumsum(self.rng.uniform(0.5, 1.5, count).round(2))
            rate = self.rng.uniform(-0.3, 0.3)
            v = np.exp(2j * np.pi * (rate * t + self.rng.uniform()))
            v += 0.05 * (self.rng.normal(size=(count, 2)) @ [1, 1j])
            v[count // 2] = np.nan
            found, error = lab.fringe_rate(t + 1e6, v)
            expected = 0.05 / np.sqrt(count * np.var(t)) / (2 * np.pi)
            self.assertLess(abs(found - rate), 8 * max(error, expected))
            self.assertLess(error, 1 / np.ptp(t))

    def test_no_fringes(self):
        # The chance of a fringe in noise is CHANCE; of two in three tries it is 3e-8.
        refused = 0
        for _ in range(3):
            noise = self.rng.normal(size=(200, 2)) @ [1, 1j]
            try:
                lab.fringe_rate(np.arange(200.0), noise)
            except ValueError as error:
                refused += "no fringe" in str(error)
        self.assertGreaterEqual(refused, 2)
        for t, v, words in ((np.arange(9.0), np.ones(8), "equal length"),
                            (np.arange(5.0), np.ones(5), "at least 8"),
                            (np.zeros(9), np.ones(9), "at least 8"),
                            (np.repeat(np.arange(9.0), 2), np.ones(18), "the same time")):
            with self.assertRaisesRegex(ValueError, words):
                lab.fringe_rate(t, v)

    @unittest.skipUnless(j1, "scipy is not installed")
    def test_the_visibility_of_a_disk(self):
        q = np.concatenate([[0.0], self.rng.uniform(0, 5000, 100)])
        x = np.pi * q * 0.0093
        with np.errstate(invalid="ignore"):
            expected = np.where(x == 0, 1, 2 * j1(x) / x)
        np.testing.assert_allclose(lab.disk_visibility(q, 0.0093), expected, atol=1e-11)

    def test_the_diameter_of_a_disk(self):
        diameter = np.radians(self.rng.uniform(0.1, 2))
        q = np.linspace(0.15, 2.1, 12) * self.rng.uniform(0.95, 1.05, 12) / diameter
        v = 7 * abs(lab.disk_visibility(q, diameter)) + 0.02 * self.rng.normal(size=12)
        found, error = lab.fit_disk(q, v)
        self.assertLess(abs(found / diameter - 1), 0.1)
        self.assertLess(error / diameter, 0.05)
        for q, v, sentence in (([1, 2], [1, 2], "three baselines"),
                               ([1, 2, 3], [1, 2], "needs both"),
                               ([1.0, 2, 3], [1.0, 1, 1], "a point")):
            with self.assertRaisesRegex(ValueError, sentence):
                lab.fit_disk(q, v)

    def test_beams(self):
        for unit in (1e-3, 1.0, 1e4):
            x = unit * np.linspace(-1, 1, int(self.rng.integers(60, 300)))
            center, width = unit * self.rng.uniform(-0.3, 0.3), unit * self.rng.uniform(0.2, 0.6)
            height, level = self.rng.uniform(2, 9), self.rng.uniform(1, 99)
            p = level + height * np.exp(-4 * np.log(2) * ((x - center) / width) ** 2)
            p += 0.05 * self.rng.normal(size=len(x))
            p[3] = np.nan
            fit = lab.fit_beam(x, p)
            for found, error, true in zip(fit[:4], fit[4:], (center, width, height, level)):
                self.assertLess(abs(found - true), 8 * error)
            self.assertLess(fit.width_error / width, 0.05)
        x = np.arange(200.0)
        for powers, sentence in ((5 + 0.1 * self.rng.normal(size=200), "no source is seen"),
                                 (5 + np.exp(-((x - 260) / 100) ** 2), "ends before"),
                                 (np.ones(3), "equal length")):
            with self.assertRaisesRegex(ValueError, sentence):
                lab.fit_beam(x, powers)
        self.assertAlmostEqual(np.degrees(lab.drift_angle(86164.0905, 0)), 360, places=3)
        self.assertAlmostEqual(lab.drift_angle(10, np.radians(60)) / lab.drift_angle(10, 0), 0.5)


class qa_recordings(scratch_case):

    def correlated(self, text, name, samples, **changes):
        obs = fringe.observation.from_text(TEXT + text)
        inputs = obs.inputs
        for k, phase in enumerate(changes.pop("phases", ())):
            inputs[k].phase = phase
        obs.inputs = inputs
        fringe.simulate(obs, self.path("x.cf32"), samples, level=1.0, overwrite=True)
        plain = fringe.observation.from_text(TEXT)
        fringe.correlate(self.path("x.cf32"), self.path(name), plain, overwrite=True, **changes)
        return fringe.read_visibilities(self.path(name))

    def test_powers_and_coefficients(self):
        vis = self.correlated("sky: {receiver_noise: 3, sources: [{l: 0, m: 0, flux: 1}]}",
                              "x.uvh5", 200_000)
        power = lab.total_power(vis, "B")
        self.assertEqual(power.shape, (20,))
        self.assertLess(abs(power.mean() / 4 - 1), 0.03)  # 13 standard deviations
        np.testing.assert_array_equal(lab.total_power(self.path("x.uvh5"), 1), power)
        self.assertLess(abs(np.mean(lab.coefficient(vis, "A", "B")) - 0.25), 0.03)
        np.testing.assert_array_equal(lab.band_mean(vis, 2, 0), lab.band_mean(vis, 0, 2).conj())
        # One channel is what the file has; a flagged dump is nan.
        vis.flags[3] = True
        f = vis.frequencies[5]
        narrow = lab.band_mean(vis, 0, 1, (f - 1, f + 1))
        self.assertTrue(np.isnan(narrow[3]))
        np.testing.assert_allclose(narrow[4], vis.data[4, 5, 1])
        for call, sentence in ((lambda: lab.total_power(vis, "D"), "it has A, B, C"),
                               (lambda: lab.total_power(vis, 3), "has inputs 0 ... 2"),
                               (lambda: lab.total_power(vis, 0, (1, 2)), "has no channel"),
                               (lambda: lab.closure_phase(vis, 0, 1, 1), "three different")):
            with self.assertRaisesRegex(ValueError, sentence):
                call()

    def test_closure_phase_without_the_receivers(self):
        sky = ("sky: {receiver_noise: 0.01, sources: [{l: 0.02, m: 0, flux: 1}, "
               "{l: -0.01, m: 0.015, flux: 0.5}]}")
        phases = self.rng.uniform(-180, 180, 3)
        plain = lab.closure_phase(self.correlated(sky, "x.uvh5", 50_000), 0, 1, 2)
        turned = lab.closure_phase(self.correlated(sky, "x.uvh5", 50_000, phases=phases),
                                   "A", "B", "C")
        np.testing.assert_allclose(np.angle(np.exp(1j * (plain - turned))), 0, atol=0.06)
        self.assertGreater(abs(plain).mean(), 0.1)

    def test_the_length_of_a_baseline(self):
        text = TEXT.replace("150e6", "1420e6").replace("1e5", "1e4").replace("0.1", "0.5")
        obs = fringe.observation.from_text(text + "sky: {receiver_noise: 0.1, sources: "
                                           "[{l: 0, m: 0, flux: 1}]}")
        fringe.simulate(obs, self.path("f.cf32"), 60 * 10000)
        fringe.correlate(self.path("f.cf32"), self.path("f.ACC"), obs)
        vis = fringe.read_visibilities(self.path("f.ACC"))
        seconds = vis.seconds - vis.seconds[0] + vis.fractions
        rate, error = lab.fringe_rate(seconds, lab.band_mean(vis, 0, 1))
        middle = obs.start_time.plus_seconds(30)
        ra, dec = fringe.phase_center_radec(obs, middle)
        hour_angle = fringe.local_sidereal_time(obs, middle) - ra
        length = lab.east_west_baseline(rate, 1420e6, dec, hour_angle)
        self.assertLess(abs(length - 30), 0.3 + 8 * abs(error / rate) * 30)
        with self.assertRaisesRegex(ValueError, "do not turn"):
            lab.east_west_baseline(rate, 1420e6, np.pi / 2, 0)
        # uv_distance() asks for places and a phase center.
        with self.assertRaisesRegex(ValueError, "does not say where"):
            lab.uv_distance(vis, 0, 1)

    def test_uv_distance(self):
        vis = self.correlated("", "x.uvh5", 20_000)
        obs = fringe.observation.from_text(TEXT)
        axes = fringe.axes_of_radec(obs.phase_center.longitude, obs.phase_center.latitude,
                                    obs.start_time.plus_seconds(0.05))
        uvw = fringe.antenna_uvw(obs, axes)
        expected = np.hypot(*(uvw[0] - uvw[2])[:2]) * np.mean(vis.frequencies) / 299792458.0
        self.assertAlmostEqual(lab.uv_distance(vis, 0, 2)[0] / expected, 1, places=6)


if __name__ == "__main__":
    unittest.main()
