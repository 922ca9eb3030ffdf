#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Calibration believes nothing that it cannot test."""
import contextlib
import io
import unittest
from dataclasses import replace

import numpy as np
from gnuradio import fringe
from gnuradio.fringe import cli
from gnuradio.fringe.calibration.data import channel_width, prepared
from gnuradio.fringe.solving.by_sources import calibrate_by_common_signal, calibrate_by_sources
from qa_calibration_gains import CHANNELS, RATE, SKY, array, observed, receivers, sky_of
from qa_scratch import scratch_case

WRONG = ["10,40,1", "310,60,0.5"]
ARRAY = """\
site: {latitude: -26.7, longitude: 116.67, height: 377}
antennas: [[0,0,0],[31,4,0],[-22,17,0],[9,-27,0],[-14,-38,0],[46,21,0],[-41,-9,0],[17,44,0]]
sample_rate: 1e6
center_frequency: 150e6
format: ci8
channels: 16
integration: 0.1
start_time: 2026-06-12T11:20:40
sky: {receiver_noise: 1, sources: [{name: A, az: 120, el: 50, flux: 1},
                                   {name: B, az: 250, el: 70, flux: 0.5}]}
"""


def in_one_channel(vis):
    """One of its channels, of a file that says how wide it is."""
    channel = slice(CHANNELS // 2, CHANNELS // 2 + 1)
    return replace(vis, frequencies=vis.frequencies[channel], channel_width=RATE / CHANNELS,
                   **{name: getattr(vis, name)[:, channel]
                      for name in ("data", "weights", "flags")})


def rippled(vis, rng, amplitude, degrees):
    """With a band that is another one for each input."""
    x = np.linspace(-0.5, 0.5, CHANNELS)[:, None]
    count = len(vis.inputs)
    wave = 2 * np.pi * rng.uniform(1, 4, count) * x + rng.uniform(0, 2 * np.pi, count)
    gain = (1 + amplitude * np.cos(wave)) * np.exp(1j * np.radians(degrees) * np.sin(wave))
    i, j = vis.products
    cross = np.where(i == j, 1, gain[:, i] * gain[:, j].conj())
    return replace(vis, data=(vis.data * cross).astype(np.complex64))


class qa_calibration_trust(scratch_case):
    def test_the_noise_of_a_single_channel(self):
        """A visibility of n = T B samples has the variance P_i P_j / n: 10 s of 62.5
        kHz, 6.25e5."""
        obs = array(6)
        vis = in_one_channel(observed(obs, sky_of(SKY), receivers(6, delays=False), 10.0))
        self.assertEqual(channel_width(vis), 62500)
        i, j = vis.products
        pairs = np.flatnonzero(i != j)
        _, inverse = prepared(vis, np.arange(1), False).dump(0, pairs)
        powers = vis.data[0, 0, i == j].real
        np.testing.assert_allclose(inverse[0], 6.25e5 / (powers[i] * powers[j])[pairs], rtol=1e-5)
        with self.assertRaisesRegex(fringe.unsolved, "one channel and does not say how wide"):
            channel_width(replace(vis, channel_width=None))

    def test_wrong_directions_in_a_single_channel(self):
        obs, true = array(8), receivers(8, delays=False)
        vis = in_one_channel(observed(obs, sky_of(SKY[:2]), true))
        with self.assertRaisesRegex(fringe.unsolved, "differ|unexplained|hears? nothing"):
            calibrate_by_sources(vis, obs, sky_of(WRONG))
        found = calibrate_by_sources(vis, obs, sky_of(SKY[:2]))
        # Noise of 4 / sqrt(6.25e5) = 0.005 against signals of 1 to 3 in 7 baselines each: an error
        # of 0.2 %, rarely 1 % where two sources cancel.
        np.testing.assert_allclose(found.receivers.gain / true.gain, 1, atol=0.03)

    def test_a_residual_far_below_the_noise(self):
        obs, true = array(6), receivers(6, delays=False)
        vis = observed(obs, sky_of(SKY), true, noise=0)
        with self.assertRaisesRegex(fringe.unsolved, "residual is .* of the noise.*accept_un"):
            calibrate_by_sources(vis, obs, sky_of(SKY))
        calibrate_by_sources(vis, obs, sky_of(SKY), accept_untested=True)
        for _ in range(10):  # noise as it is has a mean of 1 +- 1 / sqrt(15 x 32 visibilities)
            calibrate_by_sources(observed(obs, sky_of(SKY), true), obs, sky_of(SKY))

    def test_a_band_that_is_not_flat(self):
        obs, true = array(8), receivers(8, delays=False)
        for delays in (False, True):
            vis = observed(obs, sky_of(SKY), true, dumps=3)
            with self.subTest(delays=delays):
                with self.assertRaisesRegex(fringe.unsolved, "along the band .* max_misfit"):
                    calibrate_by_sources(rippled(vis, self.rng, 0.15, 10), obs, sky_of(SKY),
                                         delays=delays, max_misfit=0.05)
                calibrate_by_sources(rippled(vis, self.rng, 0.15, 10), obs, sky_of(SKY),
                                     delays=delays, max_misfit=0.5)
                calibrate_by_sources(rippled(vis, self.rng, 0.005, 0.3), obs, sky_of(SKY),
                                     delays=delays)
                calibrate_by_sources(vis, obs, sky_of([text.rsplit(",", 1)[0] for text in SKY]),
                                     delays=delays, free_spectra=not delays)

    def wired(self, noise):
        """One signal of power 1 in three inputs of this noise: coherence 1 / (1 + noise)."""
        everywhere = array(3)
        everywhere.antennas = []
        for k in range(3):
            everywhere.add_antenna(f"A{k}", [0, 0, 0])
        return array(3), observed(everywhere, sky_of(["0,90,1"]), receivers(3), 20.0, noise)

    def test_a_common_signal_that_is_weak(self):
        obs, vis = self.wired(2.0)
        with self.assertRaisesRegex(fringe.unsolved, "coherence 0.33 of inputs A. and A.*0.45.*"
                                    "is the noise source on"):
            calibrate_by_common_signal(vis, obs)
        calibrate_by_common_signal(vis, obs, min_coherence=0.3)
        off = replace(vis, data=np.where(*np.broadcast_arrays(
            np.equal(*vis.products), vis.data * 2 / 3, 0)).astype(np.complex64))
        calibrate_by_common_signal(vis, obs, off)  # what was off is known: that tests it
        obs, vis = self.wired(1.0)
        calibrate_by_common_signal(vis, obs)

    def command(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main([str(word) for word in words])
        return code, err.getvalue()

    def test_files_of_one_channel(self):
        """Refused, and the good file of before stays, in each format that says the width."""
        with open(self.path("s.yml"), "w", encoding="utf-8") as file:
            file.write(ARRAY)
        fringe.simulate(self.path("s.yml"), self.path("s.ci8"), 600_000, seed=5)
        obs, good = self.path("s.ci8.yml"), self.path("good.yml")
        for name in ("one.ms", "one.uvh5", "one.uvfits", "one.ACC"):
            self.assertEqual(self.command("correlate", self.path("s.ci8"), "--obs", obs, "--quiet",
                                          "--average-channels", 16, "-o", self.path(name)), (0, ""))
            with open(good, "w", encoding="utf-8") as file:
                file.write("good")
            with self.subTest(name):
                code, text = self.command("calibrate", self.path(name), "--obs", obs, "--azel",
                                          WRONG[0], "--azel", WRONG[1], "-o", good, "--overwrite")
                self.assertEqual(code, 3, text)
                with open(good, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "good")
                if name == "one.ACC":
                    self.assertIn("does not say how wide it is", text)
                else:
                    vis = fringe.read_visibilities(self.path(name))
                    self.assertAlmostEqual(vis.channel_width, 1e6, delta=1)


if __name__ == "__main__":
    unittest.main()
