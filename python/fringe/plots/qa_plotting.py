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
import warnings

import matplotlib.image
import numpy as np
from gnuradio.fringe.images.imaging import check_sources, dirty_image
from gnuradio.fringe.plots import page
from gnuradio.fringe.plots.baselines import baseline_panels
from gnuradio.fringe.plots.fringes import fringes_of
from gnuradio.fringe.readers.chosen import chosen_baselines, chosen_dumps
from matplotlib.figure import Figure
from qa_imaging import SKY, array, rotation, synthetic


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
        smallest = synthetic(array(1, 30), SKY, self.frequencies)
        single = synthetic(array(8, 30), SKY, self.frequencies[:1])
        for name, vis in dict(two=two, several=several, dual=dual, nowhere=nowhere, one=smallest,
                              single=single).items():
            with self.subTest(name):
                self.page(vis)

    def test_little_is_known(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies, noise=0.1)
        vis.frequencies = vis.positions = None
        vis.telescope, vis.has_times, vis.partial = '', False, True
        vis.intervals = vis.exposures = np.full(1, np.nan)
        self.page(vis)

    def test_a_phase_centre_below_the_horizon_is_reported(self):
        # Of the sky around the nadir nothing is up, and of that around a place 50 degrees
        # below the horizon a part.
        for distance in (180, 140):
            vis = synthetic(array(6, 30), SKY, self.frequencies,
                            turn=rotation(1.0, np.radians(distance)))
            with self.subTest(distance), warnings.catch_warnings(), \
                    self.assertNoLogs('matplotlib'):
                warnings.simplefilter('error')
                self.page(vis)
                if distance < 180:
                    self.assertIn('the phase centre was below the horizon', dirty_image(vis).note)
                    continue
                with self.assertRaisesRegex(ValueError, 'no image: .* below the horizon; are'):
                    dirty_image(vis)

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

    def test_numbers_of_some_baselines(self):
        vis = synthetic(array(4, 30), SKY, self.frequencies, dumps=20, noise=0.1)
        vis.flags[3, 5, :] = True
        names = [vis.input_name(k) for k in range(4)]
        pairs = chosen_baselines(vis, [f'{names[2]}-{names[0]}', f'{names[1]}-{names[3]}'])
        for in_decibels in (False, True):
            figure = Figure()
            baseline_panels(figure, figure.add_gridspec(2, 2), vis, pairs, in_decibels)
            i, j = vis.products
            weights = vis.valid_weights().astype(float)

            def mean(a, b, axis):
                k = np.flatnonzero((i == a) & (j == b))[0]
                scale = np.sqrt(np.prod([
                    np.average(vis.data[:, :, n].real, axis=0, weights=weights[:, :, n])
                    for n in (np.flatnonzero((i == c) & (j == c))[0] for c in (a, b))], axis=0))
                return np.average(vis.data[:, :, k] / scale, axis=axis, weights=weights[:, :, k])

            for panel, axis in enumerate((1, 0)):
                for line, value in ((0, mean(0, 2, axis).conj()), (1, mean(1, 3, axis))):
                    amplitude = figure.axes[panel].lines[line].get_ydata()
                    phase = figure.axes[2 + panel].lines[line].get_ydata()
                    expected = 10 * np.log10(abs(value)) if in_decibels else abs(value)
                    np.testing.assert_allclose(amplitude, expected, rtol=1e-4)
                    np.testing.assert_allclose(phase, np.degrees(np.angle(value)), atol=1e-3)

    def test_pages_of_some_baselines(self):
        vis = synthetic(array(4, 30), SKY, self.frequencies, dumps=20, noise=0.1)
        self.page(vis, baselines=chosen_baselines(vis, 'auto'), in_decibels=True)
        self.page(vis, baselines=chosen_baselines(vis, 'cross'))
        self.page(vis, in_decibels=True)
        vis.has_times, vis.frequencies = False, None
        self.page(vis, baselines=chosen_baselines(vis, 'all'))
        vis.flags[:] = True
        self.page(vis, baselines=chosen_baselines(vis, 'cross')[:1])
        large = synthetic(array(6, 30), SKY, self.frequencies)
        with self.assertRaisesRegex(ValueError, '15 baselines; at most 14'):
            self.page(large, baselines=chosen_baselines(large, 'cross'))

    def test_pdf_and_svg(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies, noise=0.1)
        for ending, first in (('.pdf', b'%PDF'), ('.svg', b'<?xml')):
            path = os.path.join(self.folder, 'page' + ending)
            for baselines in (None, chosen_baselines(vis, 'cross')):
                page.plot_page(vis, path, baselines=baselines)
                with open(path, 'rb') as file:
                    content = file.read()
                self.assertTrue(content.startswith(first))
                self.assertGreater(len(content), 10_000)

    def test_dumps_of_a_time(self):
        vis = synthetic(array(2, 30), SKY, self.frequencies, dumps=20)
        vis.intervals[:] = 2.0
        vis.seconds = 1_780_000_000 + 2 * np.arange(20)
        vis.fractions, vis.first_dump = np.full(20, 0.25), 7
        self.assertEqual(chosen_dumps(vis, None), range(7, 27))
        self.assertEqual(chosen_dumps(vis, '10,20'), range(7 + 5, 7 + 10))
        self.assertEqual(chosen_dumps(vis, ',4'), range(7, 9))
        self.assertEqual(chosen_dumps(vis, '4,'), range(9, 27))
        between = (str(np.datetime64(1_780_000_000 + k, 's')) for k in (6, 10))
        self.assertEqual(chosen_dumps(vis, ','.join(between)), range(10, 12))
        for words, sentence in (('1', 'must be FROM,TO'), ('90,99', 'has no dump there'),
                                ('noon,', 'must be a time in UTC')):
            with self.assertRaisesRegex(ValueError, sentence):
                chosen_dumps(vis, words)
        vis.has_times = False
        with self.assertRaisesRegex(ValueError, 'does not say when'):
            chosen_dumps(vis, '2026-06-12T10:00:00,')

    def test_nowhere_to_write(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies)
        with self.assertRaisesRegex(ValueError, 'none does not exist; make it'):
            page.plot_page(vis, os.path.join(self.folder, 'none', 'page.png'))


if __name__ == '__main__':
    unittest.main()
