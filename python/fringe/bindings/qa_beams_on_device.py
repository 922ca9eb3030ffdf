#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Beams on a device, beside the correlator and from the same spectra; see qa_device.py."""
import unittest

from qa_stand_in import use_stand_in

use_stand_in()

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe.pulsars.dispersion import coherent_dedisperser  # noqa: E402
from gnuradio.fringe.pulsars.fold_beam import fold_beam  # noqa: E402
from gnuradio.fringe.pulsars.psrfits_read import read_profiles  # noqa: E402
from qa_scratch import random_numbers, rx_time, scratch_case, tag  # noqa: E402

FOUND, WHY = fringe.find_devices()
CHANNELS, BLOCK, ITEMS, RATE = 16, 40, 9, 1e6
DIRECTIONS = ["zenith", "az=70,el=40", "az=200,el=60"]


def array(stations, reach=100.0):
    """Dual-polarization stations, here and there, up to `reach` meters from the middle."""
    rng = np.random.default_rng(stations)
    return fringe.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0},
        "antennas": rng.uniform(-reach, reach, (stations, 3)).round(2).tolist(),
        "polarizations": ["X", "Y"], "sample_rate": RATE, "center_frequency": 150e6,
        "channels": CHANNELS}))


@unittest.skipUnless(FOUND and not FOUND[0].refused, f"no device: {WHY}")
class qa_beams_on_device(scratch_case):

    @classmethod
    def setUpClass(cls):
        cls.rng = random_numbers()

    def formed(self, obs, raw, backend, products, requantize="8", correlate=True,
               directions=DIRECTIONS, **more):
        """(beams, weights, sums of an X-engine or None) of raw items."""
        n = len(obs.inputs)
        size = 2 * n * CHANNELS * BLOCK
        tags = [rx_time(0, 1_780_000_000, 0.0), tag(0, "rx_rate", pmt.from_double(RATE))]
        tags += [tag(3, "invalid", pmt.init_u64vector(3, [1, 100, 200]))]
        component = "f32" if requantize == "none" else "i8"
        top = gr.top_block()
        channelizer = fringe.channelizer(n, CHANNELS, BLOCK, True, "i8", 3, "hann", requantize,
                                         [20.0], backend=backend)
        means = {} if products == "voltages" else {"seconds": 0, "spectra": 70}
        former = fringe.beamformer(obs, directions, products, channels=CHANNELS,
                                   block_spectra=BLOCK, component=component, backend=backend,
                                   **means, **more)
        top.connect(blocks.vector_source_b(raw.tolist(), False, size, tags),
                    fringe.unpack("ci8", n, CHANNELS * BLOCK, backend=backend), channelizer, former)
        signature = former.output_signature()
        sinks = [blocks.vector_sink_f(signature.sizeof_stream_item(port) // 4)
                 for port in range(1 if products == "voltages" else 2)]
        for port, sink in enumerate(sinks):
            top.connect((former, port), sink)
        dumps = None
        if correlate:
            dumps = blocks.vector_sink_c(CHANNELS * n * (n + 1) // 2)
            top.connect(channelizer, fringe.xengine(n, CHANNELS, BLOCK, component, backend=backend),
                        fringe.integrator(n, CHANNELS, component, 0, 90, backend=backend), dumps)
        top.run()
        self.assertEqual(fringe.failure(former), "")
        return (np.array(sinks[0].data()), np.array(sinks[-1].data()),
                np.array(dumps.data()) if correlate else None)

    def test_all_products(self):
        """Those of a device are the CPU's; so are the correlator's dumps of the same spectra."""
        obs = array(9)  # 18 inputs: where a device knows tiles, these are tiles
        raw = self.rng.integers(-60, 61, ITEMS * 2 * len(obs.inputs) * CHANNELS * BLOCK, np.int8)
        raw = raw.view(np.uint8)
        for products in ("power", "stokes", "cross", "incoherent", "voltages"):
            for requantize in ("8", "none"):
                more = {} if products == "voltages" else {"average": 4}
                with self.subTest(products=products, requantize=requantize):
                    both = [self.formed(obs, raw, backend, products, requantize,
                                        products == "power", **more)
                            for backend in ("cuda", "cpu")]
                    self.assertGreater(both[1][0].size, 0)
                    scale = np.sqrt(np.mean(np.abs(both[1][0]) ** 2))
                    # Where two backends round samples of 8 bits differently, a step is 2e-2.
                    rounding = 2e-2 if requantize == "8" and products == "voltages" else 2e-4
                    np.testing.assert_allclose(both[0][0], both[1][0], atol=rounding * scale)
                    np.testing.assert_allclose(both[0][1], both[1][1],
                                               atol=rounding * np.abs(both[1][1]).max())
                    if products == "power":
                        np.testing.assert_allclose(both[0][2], both[1][2],
                                                   atol=2e-4 * np.abs(both[1][2]).max())

    def test_beams_that_follow_stars(self):
        """A device turns the weights by itself, again and again: over 40 km every millisecond."""
        obs, stars = array(9, 20e3), ["120,35", "200,-5", "300,80"]
        raw = self.rng.integers(-60, 61, ITEMS * 2 * len(obs.inputs) * CHANNELS * BLOCK, np.int8)
        raw = raw.view(np.uint8)
        for products in ("power", "cross"):
            both = [self.formed(obs, raw, backend, products, "8", False, stars)[:2]
                    for backend in ("cuda", "cpu")]
            for on_device, on_cpu in zip(*both):
                np.testing.assert_allclose(on_device, on_cpu, atol=2e-4 * np.abs(on_cpu).max())

    def test_dedispersion(self):
        """Dispersion is taken out of pieces of any length as a CPU does it, in single precision."""
        frequencies, width = 150e6 + 2e6 * np.arange(3), 31250.0
        takers = [coherent_dedisperser(20.0, frequencies, width, backend=backend)
                  for backend in ("cuda", "cpu")]
        ends = np.sort(self.rng.integers(0, 30000, 12))
        pieces = np.split(self.rng.normal(size=(3, 2, 30000, 2)) @ [1, 1j], ends, axis=2)
        made = [np.concatenate([*map(taker.take, pieces), taker.finish()], axis=2)
                for taker in takers]
        self.assertEqual(made[1].shape[2], 30000 - takers[1].past - takers[1].future)
        np.testing.assert_allclose(made[0], made[1], atol=2e-5)

    def test_a_pulsar(self):
        """fringe fold on a device: the profile that a CPU finds."""
        obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50, "longitude": 8}, "antennas": [[0, 0, 0], [9, 0, 0]],
            "sample_rate": 1e5, "center_frequency": 150e6, "channels": CHANNELS, "format": "cf32",
            "start_time": "2026-06-12T12:00:00Z"}))
        recording = self.path("sky.cf32")
        self.rng.normal(size=400_000).astype(np.float32).tofile(recording)
        made = []
        for backend in ("cuda", "cpu"):
            path = self.path(backend + ".fits")
            fold_beam([recording], [path], "zenith", obs, dm=3.0, period=0.02, bins=16,
                      backend=backend)
            made.append(np.array([part.profile for part in read_profiles(path)[0]]))
        self.assertGreater(np.ptp(made[1]), 0)
        np.testing.assert_allclose(*made, atol=1e-3 * np.ptp(made[1]))


if __name__ == "__main__":
    unittest.main()
