#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Errors of phases and delays, printed by fringe calibrate, are what repeated runs show."""
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.readers.visibilities import visibilities
from qa_calibration_gains import MIDDLE, RATE, array, receivers, sky_of, turned
from qa_scratch import scratch_case, times_tried

SKY, SAMPLES = ["120,50,1"], 600


class qa_calibration_errors(scratch_case):
    def setUp(self):
        super().setUp()
        # Other numbers than those of receivers(), which begin with the same seed.
        self.noise = np.random.default_rng(self.rng.integers(2**63))

    def observed(self, obs, true, noise, channels, dumps=1):
        """Visibilities that voltages make: of a source of flux 1, with all the noise there is."""
        count = len(obs.inputs)
        i, j = np.triu_indices(count)
        f = MIDDLE + RATE / 32 * np.arange(channels)
        start = fringe.epoch.from_iso("2026-03-01T00:00:00")
        tau = np.array(sky_of(SKY)[0].delays(obs, start))
        g = fringe.gains_of(true, f) * np.exp(-2j * np.pi * np.outer(f, tau))
        source, own = (self.noise.normal(size=(dumps, channels, n, SAMPLES, 2)) @ (1, 1j)
                       / np.sqrt(2) for n in (1, count))
        x = g[:, :, None] * (source + np.sqrt(noise) * own)
        data = np.matmul(x, x.conj().swapaxes(-1, -2))[..., i, j] / SAMPLES
        width = RATE / 32
        return visibilities(
            path="voltages.ms", telescope="t", antennas=[a.name for a in obs.antennas],
            inputs=[(entry.antenna, entry.polarization) for entry in obs.inputs], frequencies=f,
            seconds=np.full(dumps, int(start.seconds)), fractions=np.zeros(dumps),
            intervals=np.full(dumps, SAMPLES / width), exposures=np.full(dumps, SAMPLES / width),
            channel_width=width, data=data,
            weights=np.full(data.shape, SAMPLES, np.float32),  # as files have them
            flags=np.zeros(data.shape, bool))

    def test_weak_and_strong_sources_one_channel_or_many(self):
        for inputs, noise, channels, runs in ((3, 1.5, 1, 200), (6, 0.7, 1, 100), (5, 1.0, 8, 100)):
            delays = channels > 1
            with self.subTest(inputs=inputs, noise=noise, channels=channels):
                pulls, late, runs = [], [], times_tried(runs // 2, 4 * runs)
                obs = array(inputs)
                for _ in range(runs):
                    true = receivers(inputs, delays=delays)
                    vis = self.observed(obs, true, noise, channels)
                    found = fringe.calibrate_by_sources(vis, obs, sky_of(SKY), reference=0,
                                                        delays=delays, max_misfit=1)
                    r = found.receivers
                    middle = true.phase - 360 * np.remainder(r.frequency * true.delay, 1)
                    off = turned(r.band_phase - (middle - middle[0]))
                    pulls.append(off[1:] / r.phase_error[1:])
                    self.assertEqual(r.phase_error[0], 0)
                    if delays:
                        shift = r.delay - (true.delay - true.delay[0])
                        late.append(shift[1:] / r.delay_error[1:])
                # Of m numbers of a run each two have the correlation 1/2, by the reference.
                m = inputs - 1
                sigma = np.sqrt((1 + (m - 1) / 4) / (2 * m * runs))
                for numbers in (pulls, late) if delays else (pulls,):
                    self.assertLess(abs(np.sqrt(np.mean(np.square(numbers))) - 1), 4 * sigma)


if __name__ == "__main__":
    unittest.main()
