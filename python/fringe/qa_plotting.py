#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pages are made for every kind of file, and show what they should."""

import os
import shutil
import tempfile
import unittest

import matplotlib.image
import numpy as np
from gnuradio.fringe.imaging import check_sources, dirty_image
from gnuradio.fringe.plots import page
from gnuradio.fringe.plots.fringes import fringes_of
from qa_imaging import SKY, array, synthetic


class qa_plotting(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.frequencies = 150e6 + 1e5 * np.arange(16)

    def page(self, vis, **options):
        """The pixels of the page, [row][column][colour], 0 ... 1."""
        path = os.path.join(self.folder, 'page.png')
        self.assertEqual(page.plot_page(vis, path, **options), path)
        pixels = matplotlib.image.imread(path)
        self.assertEqual(pixels.shape[:2], (960, 1600))
        self.assertGreater(pixels[..., :3].std(), 0.05)
        return pixels

    def test_an_array(self):
        vis = synthetic(array(16, 30), SKY, self.frequencies, noise=0.1)
        picture = dirty_image(vis)
        missing = SKY[:2] + [('Z', 0.5, 0.6, 0.1)]
        reports = check_sources(picture, missing)
        self.assertEqual([r.ok for r in reports], [True, True, False])
        pixels = self.page(vis, sources=missing, title='A test', picture=picture,
                           reports=reports)
        # The marks: one colour for what was found, another for what was not.
        for colour in ((0x7F, 0xE7, 0xFF), (0xFF, 0x9F, 0x40)):
            near = np.abs(pixels[..., :3] - np.array(colour) / 255).max(axis=2) < 0.05
            self.assertGreater(near[:600, 1000:].sum(), 20)

    def test_other_shapes(self):
        two = synthetic(array(2, 30), SKY, self.frequencies, noise=0.1)
        several = synthetic(array(2, 30), SKY, self.frequencies, dumps=20, noise=0.1)
        dual = synthetic(array(4, 30), SKY, self.frequencies, hands='XY', dumps=6)
        nowhere = synthetic(array(5, 30), SKY, self.frequencies, noise=0.1)
        nowhere.positions = None
        one = synthetic(array(1, 30), SKY, self.frequencies)
        single = synthetic(array(8, 30), SKY, self.frequencies[:1])
        for name, vis in dict(two=two, several=several, dual=dual, nowhere=nowhere, one=one,
                              single=single).items():
            with self.subTest(name):
                self.page(vis)

    def test_little_is_known(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies, noise=0.1)
        vis.frequencies = vis.positions = None
        vis.telescope, vis.has_times, vis.partial = '', False, True
        vis.intervals = vis.exposures = np.full(1, np.nan)
        self.page(vis)

    def test_everything_is_flagged(self):
        vis = synthetic(array(6, 30), SKY, self.frequencies)
        vis.flags[:] = True
        vis.weights[:] = vis.data[:] = 0
        self.page(vis)

    def test_silent_and_bad_inputs(self):
        vis = synthetic(array(10, 30), SKY, self.frequencies)
        i, j = vis.products
        vis.data[:, :, (i == 2) | (j == 2)] = 0
        vis.flags[:, :, (i == 4) | (j == 4)] = True
        self.page(vis)

    def test_fringe_of_two_antennas(self):
        positions = np.array([[0.0, 0, 0], [50.0, 0, 0]])
        vis = synthetic(positions, [('A', 0.4, 0.0, 1.0)], self.frequencies)
        fringes = fringes_of(vis)
        self.assertEqual(fringes.values.shape, (1, 1, 16))
        np.testing.assert_allclose(np.abs(fringes.values), 0.5, rtol=1e-5)
        turns = self.frequencies * (-50 * 0.4) / 299792458
        np.testing.assert_allclose(fringes.values[0, 0] * 2, np.exp(2j * np.pi * turns),
                                   atol=1e-5)

    def test_nowhere_to_write(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies)
        with self.assertRaisesRegex(ValueError, 'none does not exist; make it'):
            page.plot_page(vis, os.path.join(self.folder, 'none', 'page.png'))


if __name__ == '__main__':
    unittest.main()
