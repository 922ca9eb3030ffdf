#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pages are made for every kind of file, and show what they should."""

import os
import re
import shutil
import tempfile
import unittest
import warnings
from unittest import mock

import matplotlib.image
import numpy as np
from gnuradio.fringe.images.imaging import check_sources, dirty_image
from gnuradio.fringe.plots import page
from gnuradio.fringe.plots.baselines import baseline_panels
from gnuradio.fringe.plots.fringes import fringes_of
from gnuradio.fringe.readers.chosen import chosen_baselines, chosen_dumps
from matplotlib.figure import Figure
from qa_imaging import SKY, array, rotation, synthetic
from qa_texts import drawn_texts, outside, overlapping


class qa_plotting(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.frequencies = 150e6 + 1e5 * np.arange(16)

    def page(self, vis, **options):
        """The pixels of the page, [row][column][color], 0 ... 1."""
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
        # The marks: one color for what was found, another for what was not.
        for color in ((0x7F, 0xE7, 0xFF), (0xFF, 0x9F, 0x40)):
            near = np.abs(pixels[..., :3] - np.array(color) / 255).max(axis=2) < 0.05
            self.assertGreater(near[:600, 1000:].sum(), 20)

    def figure(self, vis, **options):
        """The figure of a page."""
        kept = []

        def keep(figure, *_, **__):  # whoever looks at its texts draws it
            kept.append(figure)
        with mock.patch.object(Figure, 'savefig', keep):
            page.plot_page(vis, os.path.join(self.folder, 'page.png'), **options)
        return kept[0]

    def stations(self, spread=3e6, dumps=12):
        """Seven stations around the Earth, of which two are near each other, in Jy."""
        vis = synthetic(np.array([[1, 0, 0], [1, 1e-5, 0], [0, 1, 0], [-0.6, 0, 0.4], [0, -1, 0.3],
                                  [0.3, 0.2, -1], [0.5, -0.6, 0.1]]) * spread, [], [230e9],
                        hands='RL', dumps=dumps, turn=np.eye(3), noise=0.3)
        vis.antennas = ['AA', 'AP', 'AZ', 'JC', 'LM', 'PV', 'SM']
        vis.unit, vis.telescope = 'Jy', 'VLBI'
        vis.data[:] += 1
        autos = vis.products[0] == vis.products[1]
        vis.flags[:, :, autos], vis.weights[:, :, autos], vis.data[:, :, autos] = True, 0, 0
        return vis

    def test_stations_around_the_earth(self):
        vis = self.stations()
        vis.remarks = [f'uvw do not close, by up to {k} m' for k in range(20)]
        figure = self.figure(vis, sources=[('core', 0.0, 0.0), ('knot', 1e-9, 1e-9)])
        texts = drawn_texts(figure)
        words = [text for text, _ in texts]
        # The image is that around the phase center; these stations have no common horizon.
        self.assertRegex(' '.join(words), r'center: dirty image.* of 00h00m.*s \(mas\)')
        self.assertNotIn('horizon', ' '.join(words))
        self.assertIn('Jy/beam', words)
        self.assertIn('Fringe amplitude (flux density, Jy)', words)
        self.assertNotIn('sample', ' '.join(words))
        self.assertLessEqual({'AAR\u2013APR', 'LML\u2013SML', 'core', 'knot'}, set(words))
        self.assertEqual(overlapping(texts), [])
        self.assertEqual(outside(figure, texts), [])

    def test_texts_of_pages_are_apart(self):
        several = synthetic(array(5, 30), SKY, self.frequencies, dumps=20, noise=0.1)
        long = synthetic(array(5, 30), SKY, self.frequencies, dumps=20, noise=0.1)
        long.antennas = [f'CS30{k}HBA-inner' for k in range(5)]
        long.path = '/data/' + 'a_long_name_of_a_file' * 12 + '.ms'
        long.remarks = ['a remark that is long ' * 20]
        nowhere = synthetic(array(8, 30), SKY, self.frequencies)
        nowhere.positions = None
        apart = self.stations(spread=6e6)
        apart.frequencies = None
        for name, vis in dict(several=several, long=long, nowhere=nowhere, apart=apart,
                              many=synthetic(array(20, 30), SKY, self.frequencies)).items():
            with self.subTest(name):
                figure = self.figure(vis)
                texts = drawn_texts(figure)
                self.assertEqual(overlapping(texts), [])
                self.assertEqual(outside(figure, texts), [])
        figure = self.figure(long, baselines=chosen_baselines(long, 'cross'))
        texts = drawn_texts(figure)
        self.assertEqual(overlapping(texts), [])
        self.assertEqual(outside(figure, texts), [])

    def test_the_stretch_of_the_sky(self):
        vis = synthetic(array(16, 30), SKY, self.frequencies, noise=0.1)
        table = [(f'PRN {k}', 0.8 * np.cos(k), 0.8 * np.sin(k)) for k in range(12)]
        for stretch, words in (('auto', 'its power of 0.6'), ('asinh', 'follow asinh'),
                               ('sqrt', 'its square root'), ('linear', '')):
            # A small panel above a table.
            figure = self.figure(vis, stretch=stretch, sources=table)
            texts = drawn_texts(figure)
            self.assertEqual(overlapping(texts), [])
            self.assertEqual(outside(figure, texts), [])
            label = next(text for text, _ in texts
                         if re.match('correlation coefficient(; col|$)', text))
            self.assertIn(words, label)
            self.assertEqual(label == 'correlation coefficient', stretch == 'linear')

    def test_a_part_of_the_sky_is_not_called_all_of_it(self):
        vis = synthetic(array(5, 3000), SKY, self.frequencies)
        words = ' '.join(text for text, _ in drawn_texts(self.figure(vis)))
        self.assertIn('Dirty image at', words)
        self.assertNotIn('All-sky', words)

    def test_no_line_leads_over_missing_dumps(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies, dumps=20)
        vis.seconds[10:] += 100
        figure = Figure()
        baseline_panels(figure, figure.add_gridspec(2, 2), vis, chosen_baselines(vis, 'cross')[:1])
        for panel in figure.axes[::2]:
            gaps = np.flatnonzero(np.isnan(panel.lines[0].get_ydata()))
            self.assertEqual(gaps.tolist(), [10])

    def test_other_shapes(self):
        two = synthetic(array(2, 30), SKY, self.frequencies, noise=0.1)
        several = synthetic(array(2, 30), SKY, self.frequencies, dumps=20, noise=0.1)
        dual = synthetic(array(4, 30), SKY, self.frequencies, hands='XY', dumps=6)
        nowhere = synthetic(array(5, 30), SKY, self.frequencies, noise=0.1)
        nowhere.positions = None
        smallest = synthetic(array(1, 30), SKY, self.frequencies)
        single = synthetic(array(8, 30), SKY, self.frequencies[:1])
        for name, vis in dict(two=two, several=several, dual=dual, nowhere=nowhere,
                              smallest=smallest, single=single).items():
            with self.subTest(name):
                self.page(vis)

    def test_little_is_known(self):
        vis = synthetic(array(3, 30), SKY, self.frequencies, noise=0.1)
        vis.frequencies = vis.positions = None
        vis.telescope, vis.has_times, vis.partial = '', False, True
        vis.intervals = vis.exposures = np.full(1, np.nan)
        self.page(vis)

    def test_a_phase_center_below_the_horizon_is_reported(self):
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
                    self.assertIn('the phase center was below the horizon', dirty_image(vis).note)
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
