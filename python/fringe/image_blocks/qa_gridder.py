#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Grids in the u-v plane, against the Imager's images, direct sums and numpy."""
import json
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.observing import item_sizes
from qa_image_blocks import (ANTENNA_COUNT, ANTENNAS, C, CHANNELS, DUMP, SIZE, dumps_to,
                             image_probe, noise, observation)
from qa_scratch import scratch_case

N = 2 * SIZE


class grid_probe(gr.sync_block):
    """Keeps (grid, what its tag says)."""

    def __init__(self, values):
        gr.sync_block.__init__(self, "probe", [(np.complex64, values)], None)
        self.grids = []

    def work(self, input_items, _):
        for k, item in enumerate(input_items[0]):
            at = self.nitems_read(0) + k
            found = {pmt.symbol_to_string(tag.key): tag.value
                     for tag in self.get_tags_in_range(0, at, at + 1)}
            described = json.loads(bytes(pmt.u8vector_elements(found["grid"])))
            described["interval"] = pmt.to_double(found["interval"])
            self.grids.append((item.reshape(described["shape"]).copy(), described))
        return len(input_items[0])


def image_of(grid, described):
    """As the documentation has it: [plane][group][m][l]."""
    n, taper = grid.shape[-1], np.array(described["taper"])
    axes, side = (2, 3), slice(n // 2 - len(taper) // 2, n // 2 - len(taper) // 2 + len(taper))
    image = np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(grid, axes)), axes).real
    return (image[:, :, side, side] / (taper[:, None] * taper)
            / np.array(described["total_weight"])[..., None, None])


def flat(rng, **words):
    """An observation of antennas in one plane, without a site: w is left out."""
    places = [[*map(float, place), 0.0] for place in ANTENNAS[:ANTENNA_COUNT]]
    return observation(rng, site=False, antennas=places, sky={"receiver_noise": 0.3}, **words)


class qa_gridder(scratch_case):

    def run_through(self, obs, dumps, made, probe, weights, flags):
        top = dumps_to(obs, dumps, made, weights=weights)
        if flags is not None:
            row = dumps.shape[2]
            values = item_sizes.visibilities(len(obs.inputs), CHANNELS)
            top.connect(blocks.vector_source_b(flags.ravel().tolist(), False, values // row * row),
                        (made, 2))
        top.connect(made, probe)
        top.run()

    def gridded(self, obs, dumps, weights=None, flags=None, size=SIZE, **words):
        made = fringe.visibility_gridder(obs, CHANNELS, size, **words)
        probe = grid_probe(item_sizes.grid(size, words.get("pol", "I"),
                                           words.get("channels_out", 1)))
        self.run_through(obs, dumps, made, probe, weights, flags)
        return probe.grids, made

    def imaged(self, obs, dumps, weights=None, flags=None, size=SIZE, **words):
        made = fringe.imager(obs, CHANNELS, size, gridder="direct", **words)
        probe = image_probe(item_sizes.image(size, words.get("pol", "I"),
                                             words.get("channels_out", 1)))
        self.run_through(obs, dumps, made, probe, weights, flags)
        return probe.images

    def check(self, grids, images, error):
        self.assertEqual(len(grids), len(images))
        for (grid, described), expected in zip(grids, images):
            self.assertAlmostEqual(described["pixel"], expected.pixel, 12)
            np.testing.assert_allclose(described["total_weight"], expected.total_weight, rtol=1e-5)
            self.assertEqual(described["visibilities"], expected.visibilities)
            self.assertAlmostEqual(described["interval"], expected.duration, 9)
            # An even number of columns of the FFT begins one pixel further west than an image's.
            shift = 1 - expected.values.shape[-1] % 2
            image = expected.values[..., :expected.values.shape[-1] - shift]
            seen = np.isfinite(image)
            rest = (image_of(grid, described)[..., shift:] - image)[seen]
            self.assertLess(rest.std(), error * image[seen].std())

    def random(self, obs, count):
        dumps = noise(self.rng, obs, count)
        weights = self.rng.uniform(0.1, 1, dumps.shape).astype(np.float32)
        flags = (self.rng.uniform(size=dumps.shape) < 0.2).astype(np.uint8)
        return dumps, weights, flags

    def test_the_transform_of_a_grid_is_the_image(self):
        """Of the whole sky over a flat array, with weights and flags, each and some dumps."""
        for words in ({}, {"every": 2 * DUMP, "channels_out": 3, "weight": "briggs:0"},
                      {"weight": "uniform", "size": SIZE + 1}):
            obs = flat(self.rng)
            count = int(self.rng.choice([3, 5]))
            data = self.random(obs, count)
            grids, made = self.gridded(obs, *data, **words)
            images = self.imaged(obs, *data, **words)
            with self.subTest(**words):
                self.assertEqual(len(grids), count // 2 if "every" in words else count)
                self.check(grids, images, 5e-4)
                rest = made.rest()
                self.assertEqual(len(rest), int("every" in words))

    def test_polarizations(self):
        obs = flat(self.rng, polarizations="XY")
        data = self.random(obs, 1)
        self.check(self.gridded(obs, *data, pol="IQUV")[0],
                   self.imaged(obs, *data, pol="IQUV"), 1e-3)

    def test_w_projection_around_a_phase_center(self):
        obs = observation(self.rng, {"ra": 235.0, "dec": 35.0})
        data = self.random(obs, 3)
        words = dict(scale=0.3)
        images = self.imaged(obs, *data, **words)
        self.assertFalse(images[0].frame.all_sky)
        self.check(self.gridded(obs, *data, kernel="wprojection", **words)[0], images, 1e-3)

    def test_nearest_cells_are_those_of_numpy(self):
        obs = flat(self.rng)
        dumps, weights, flags = self.random(obs, 3)
        grids, _ = self.gridded(obs, dumps, weights, flags, kernel="nearest")
        places = np.array([antenna.enu for antenna in obs.antennas])[:, :2]
        i, j = np.triu_indices(ANTENNA_COUNT)
        cross = i != j
        waves = obs.channel_frequencies(CHANNELS, True) / C
        for k, (grid, described) in enumerate(grids):
            # uvw in single steps as the pixel says: 2 / (SIZE - 4).
            cells = (places[i] - places[j])[cross] * waves[:, None, None] * N * (2 / (SIZE - 4))
            at = np.rint(cells).astype(int) + N // 2
            used = (weights[k] * DUMP * (flags[k] == 0))[:, cross]
            # The channel of both edges of the band counts as any other here.
            edges = [np.linspace(0, N, N + 1) - 0.5] * 2
            values = (dumps[k][:, cross] * used).ravel()
            v, u = at[..., 1].ravel() % N, at[..., 0].ravel() % N
            wanted = sum(np.histogram2d(v, u, edges, weights=part)[0] * factor
                         for part, factor in ((values.real, 1), (values.imag, 1j)))
            np.testing.assert_allclose(grid[0, 0], wanted, atol=1e-5 * np.abs(wanted).max())
            self.assertAlmostEqual(described["total_weight"][0][0], used.sum(), 5)
            self.assertAlmostEqual(described["cell"], (SIZE - 4) / (2 * N), 9)

    def test_a_point_at_the_center_is_the_weights(self):
        """The psf of the middle is real, and the sum of the grid's cells near the weights."""
        obs = flat(self.rng)
        dumps = np.ones((1, CHANNELS, len(np.triu_indices(ANTENNA_COUNT)[0])), np.complex64)
        grid, described = self.gridded(obs, dumps)[0][0]
        self.assertAlmostEqual(image_of(grid, described)[0, 0, SIZE // 2, SIZE // 2], 1, 3)

    def test_fields_too_wide_for_w_projection_are_reported(self):
        obs = observation(self.rng)
        made = fringe.visibility_gridder(obs, CHANNELS, 256, kernel="wprojection")
        top = dumps_to(obs, self.random(obs, 1)[0], made)
        top.connect(made, blocks.null_sink(gr.sizeof_gr_complex * item_sizes.grid(256)))
        top.run()
        self.assertRegex(fringe.failure(made), "wavelengths need kernels .*or an imager")

    def test_all_flagged(self):
        obs = flat(self.rng)
        dumps, weights, _ = self.random(obs, 3)
        weights[1] = 0
        grids, made = self.gridded(obs, dumps, weights)
        self.assertEqual((len(grids), made.empty()), (2, 1))

    def test_mistakes_are_reported(self):
        obs = observation(self.rng)
        for words, says in (({"kernel": "square"}, "kernel square; there are separable"),
                            ({"size": 4}, "size 4; it must be 8 to 4096 pixels"),
                            ({"every": -1}, "every -1; it must be 0 s or more")):
            with self.assertRaisesRegex(ValueError, "visibility_gridder: " + says):
                fringe.visibility_gridder(obs, CHANNELS, **words)


if __name__ == "__main__":
    unittest.main()
