#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities read in pieces and gridded in batches: none is lost, repeated or moved."""
import unittest
import unittest.mock

import numpy as np
from gnuradio.fringe.images import image_settings, make_image, passes, rows
from gnuradio.fringe.images.batches import BYTES, batches
from qa_scratch import scratch_case
from qa_skies import ms_sky, snapshot


class qa_batches(scratch_case):

    def pieces(self, bands, planes=2):
        """Lists of parts of random lengths, one after the other of some bands."""
        made = []
        for frequencies in bands:
            for _ in range(int(self.rng.integers(1, 6))):
                rows = int(self.rng.integers(1, 9))
                shape = rows, len(frequencies)
                made.append([
                    (plane, 0, self.rng.normal(size=(rows, 3)), frequencies,
                     self.rng.normal(size=shape).astype(np.complex64),
                     self.rng.uniform(size=shape).astype(np.float32)) for plane in range(planes)])
        return made

    def joined(self, parts, plane, frequencies):
        mine = [part for part in parts
                if part[0] == plane and np.array_equal(part[3], frequencies)]
        return [np.concatenate([part[k] for part in mine]) for k in (2, 4, 5)]

    def test_all_of_it_once_and_in_order(self):
        bands = [np.arange(1.0, 4.0), np.arange(2.0, 5.0), np.arange(2.0, 4.0)]
        pieces = self.pieces(bands)
        size = sum(len(part[2]) * (BYTES[0] + BYTES[1] * len(part[3]))
                   for piece in pieces for part in piece)
        for limit in (1, size // 5, size, 10 * size):
            read = []

            def source(begin, end, read=read):
                read.append((begin, end))
                yield from pieces
            made = batches(source, size, limit)
            for again in range(2):
                found = [(part[0], part[1], part[2].copy(), part[3], part[4].copy(),
                          part[5].copy()) for part in made.read(0, 1)]
                for plane in range(2):
                    for frequencies in bands:
                        for array, other in zip(
                                self.joined(found, plane, frequencies),
                                self.joined(sum(pieces, []), plane, frequencies)):
                            np.testing.assert_array_equal(array, other)
                # Planes of a batch follow each other.
                self.assertEqual([part[0] for part in found], [0, 1] * (len(found) // 2))
            # What fits into one batch is read once.
            self.assertEqual(len(read), 1 if limit >= size else 2)

    def test_images_do_not_depend_on_the_pieces(self):
        path = snapshot(self.folder, 9, self.rng, dumps=6, channels=4, center={"ra": 250.0,
                                                                             "dec": -27.0})
        sky = ms_sky(path)
        sky.write((sky.point(0.01, -0.02, 3.0) + sky.noise(0.1, self.rng)).astype(np.complex64))

        def made(weight):
            settings = image_settings(size=(64, 64), scale=1e-3, all_sky=False, weight=weight,
                                      gridder="separable", backend="cpu")
            return make_image([path], settings)
        for weight in ("natural", "uniform"):
            whole = made(weight)
            with (unittest.mock.patch.object(rows, "PIECE", 1),
                  unittest.mock.patch.object(passes, "BATCH", 2000)):
                parts = made(weight)
            np.testing.assert_allclose(parts.values, whole.values,
                                       atol=3e-4 * np.abs(whole.values).max())
            np.testing.assert_allclose(parts.beam, whole.beam, rtol=1e-3)
            self.assertEqual(parts.visibilities, whole.visibilities)
            np.testing.assert_allclose(parts.total_weight, whole.total_weight, rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
