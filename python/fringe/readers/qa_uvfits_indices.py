#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVFITS files of other programs: every index of a group is followed."""

import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.readers.selection import several_parts, wrong_part
from qa_groups import (C1, C2, CHANNELS, NAMES, PLACES, SECONDS, antennas, dumps, fits, setups,
                       sources, value_of, write)
from qa_scratch import scratch_case


@unittest.skipIf(fits is None, 'astropy is not installed')
class qa_uvfits_indices(scratch_case):
    seed = 20260301

    def assert_holds(self, vis, source=1, setup=1, subarray=1, count=2, bands=((1, 0),)):
        """Each visibility is the one of its source, setup, subarray, baseline and channel."""
        self.assertEqual(vis.data.shape[:2], (count, CHANNELS * len(bands)))
        i, j = vis.products
        for k in np.flatnonzero(i != j):
            first, second = vis.inputs[i[k]][0] + 1, vis.inputs[j[k]][0] + 1
            wanted = np.concatenate([
                value_of(source, setup if len(bands) == 1 else which, subarray, first, second,
                         window)
                + np.arange(CHANNELS) for which, window in bands])
            np.testing.assert_array_equal(vis.data[:, :, k], np.tile(wanted, (count, 1)))
            self.assertFalse(vis.flags[:, :, k].any())

    def two_sources(self, **words):
        return write(self.path('two.uvfits'),
                     dumps(source=2) + dumps(source=7, first=1 / 64),
                     [antennas(NAMES), sources((1, 'OTHER', 1.0, 2.0, 2000, 0),
                                               (7, 'CAL', 123.0, 41.0, 2000, 250e3),
                                               (2, 'TGT', 120.0, 40.0, 2000, 0), **words)])

    def test_the_source_of_the_groups(self):
        path = write(self.path('one.uvfits'), dumps(source=7),
                     [antennas(NAMES), sources((2, 'TGT', 120.0, 40.0, 2000, 0),
                                               (7, 'CAL', 123.0, 41.0, 2000, 0))])
        vis = fringe.read_visibilities(path)
        self.assert_holds(vis, source=7)
        self.assertEqual(vis.phase_center[0], 'CAL')
        np.testing.assert_allclose(np.degrees(vis.phase_center[1:]), (123, 41), rtol=1e-12)

    def test_sources_are_chosen(self):
        path = self.two_sources()
        with self.assertRaisesRegex(several_parts, 'holds 2 fields: 2 TGT .120.0000 .40.0000 '
                                                   'degrees.; 7 CAL .*; choose one with field'):
            fringe.read_visibilities(path)
        for chosen, number, place, moved in (('CAL', 7, (123, 41), 250e3), (7, 7, (123, 41), 250e3),
                                             ('TGT', 2, (120, 40), 0), ('2', 2, (120, 40), 0)):
            vis = fringe.read_visibilities(path, field=chosen)
            self.assert_holds(vis, source=number)
            np.testing.assert_allclose(np.degrees(vis.phase_center[1:]), place, rtol=1e-12)
            np.testing.assert_allclose(vis.frequencies, C1 + moved + C2 * np.arange(CHANNELS),
                                       rtol=1e-14)
            again = fringe.read_visibilities(path, **vis.selection.keywords())
            np.testing.assert_array_equal(again.data, vis.data)
        with self.assertRaisesRegex(wrong_part, 'field=OTHER: is not in the file'):
            fringe.read_visibilities(path, field='OTHER')  # no group is of it

    def test_info_describes_each_source(self):
        text = describe(self.two_sources())
        self.assertIn('TGT, right ascension 120.0000 declination +40.0000', text)
        self.assertIn('CAL, right ascension 123.0000 declination +41.0000', text)

    def test_radians_and_unknown_units(self):
        table = sources((2, 'TGT', 2.0, 0.5, 2000, 0), unit='RADIANS')
        vis = fringe.read_visibilities(write(self.path('x.uvfits'), dumps(source=2),
                                             [antennas(NAMES), table]))
        np.testing.assert_allclose(vis.phase_center[1:], (2.0, 0.5), rtol=1e-12)
        table = sources((2, 'TGT', 2.0, 0.5, 2000, 0), unit='HOURS')
        with self.assertRaisesRegex(ValueError, 'AIPS SU: RAEPO: unit HOURS: must be'):
            fringe.read_visibilities(write(self.path('x.uvfits'), dumps(source=2),
                                           [antennas(NAMES), table]))

    def test_a_source_that_is_in_no_table(self):
        for tables, words in (([antennas(NAMES), sources((1, 'A', 1, 2, 2000, 0))],
                               'source 2, which is not in the table AIPS SU: 1'),
                              ([antennas(NAMES)], 'sources 2, 7, and there is no table AIPS SU')):
            groups = dumps(source=2) + (dumps(source=7) if len(tables) == 1 else [])
            with self.assertRaisesRegex(ValueError, words):
                fringe.read_visibilities(write(self.path('x.uvfits'), groups, tables))

    def test_setups_of_frequencies_are_chosen(self):
        path = write(self.path('x.uvfits'), dumps(setup=3) + dumps(setup=5),
                     [antennas(NAMES), setups((9, 9e9, 1, 1), (5, 1e9, 2 * C2, -1),
                                              (3, 1e6, C2, 1))], leave=('SOURCE',))
        with self.assertRaisesRegex(several_parts, 'holds 2 spectral windows: 3 .*; 5 '):
            fringe.read_visibilities(path)
        bands = {3: C1 + 1e6 + C2 * np.arange(CHANNELS),
                 5: C1 + 1e9 - 2 * C2 * np.arange(CHANNELS)}
        for number, wanted in bands.items():
            vis = fringe.read_visibilities(path, spw=number)
            self.assert_holds(vis, setup=number)
            np.testing.assert_allclose(vis.frequencies, wanted, rtol=1e-14)
        vis = fringe.read_visibilities(path, spw='all')
        self.assert_holds(vis, bands=((3, 0), (5, 0)))
        np.testing.assert_allclose(vis.frequencies, np.concatenate(list(bands.values())))

    def test_setups_of_other_times_make_no_axis(self):
        path = write(self.path('x.uvfits'), dumps(setup=1) + dumps(setup=2, first=0.1),
                     [antennas(NAMES), setups((1, 0, C2, 1), (2, 1e8, C2, 1))], leave=('SOURCE',))
        with self.assertRaisesRegex(ValueError, 'spw=all: the setups 1, 2 are of different'):
            fringe.read_visibilities(path, spw='all')
        self.assert_holds(fringe.read_visibilities(path, spw=2), setup=2)

    def test_the_offset_of_an_only_window_counts(self):
        path = write(self.path('x.uvfits'), dumps(), [antennas(NAMES), setups((1, 7e6, C2, 1))],
                     leave=('SOURCE',))
        vis = fringe.read_visibilities(path)
        np.testing.assert_allclose(vis.frequencies, C1 + 7e6 + C2 * np.arange(CHANNELS), rtol=1e-14)

    def test_windows_of_a_group(self):
        path = write(self.path('x.uvfits'), dumps(), [antennas(NAMES), setups(
            (1, [0, 5e7], [C2, C2], [1, -1]), windows=2)], leave=('SOURCE',), windows=2)
        both = fringe.read_visibilities(path)
        self.assert_holds(both, bands=((1, 0), (1, 1)))
        for number, wanted in ((1, C1 + C2 * np.arange(CHANNELS)),
                               (2, C1 + 5e7 - C2 * np.arange(CHANNELS))):
            vis = fringe.read_visibilities(path, spw=number)
            self.assert_holds(vis, bands=((1, number - 1),))
            np.testing.assert_allclose(vis.frequencies, wanted, rtol=1e-14)
            again = fringe.read_visibilities(path, **vis.selection.keywords())
            np.testing.assert_array_equal(again.data, vis.data)
        self.assertIn('8: 4 of 125 kHz, centered on 1.4 GHz to 1.400375 GHz; 4 of -125 kHz',
                      describe(path))

    def test_some_windows_of_a_group(self):
        path = write(self.path('x.uvfits'), dumps(), [antennas(NAMES), setups(
            (1, [0, 5e7, 9e7], [C2, C2, C2], [1, -1, 1]), windows=3)], leave=('SOURCE',), windows=3)
        vis = fringe.read_visibilities(path, spw='1,3')
        self.assert_holds(vis, bands=((1, 0), (1, 2)))
        np.testing.assert_allclose(vis.frequencies, np.add.outer(
            [C1, C1 + 9e7], C2 * np.arange(CHANNELS)).ravel(), rtol=1e-14)
        again = fringe.read_visibilities(path, **vis.selection.keywords())
        np.testing.assert_array_equal(again.data, vis.data)
        self.assertEqual(fringe.read_visibilities(path, spw='3,2,1').selection.spw, 'all')
        with self.assertRaisesRegex(ValueError, 'spw=4: is not in the file'):
            fringe.read_visibilities(path, spw='1,4')

    def test_some_setups(self):
        names = (3, 4, 5)
        path = write(self.path('x.uvfits'), [group for n in names for group in dumps(setup=n)],
                     [antennas(NAMES), setups(*((n, n * 1e8, C2, 1) for n in names))],
                     leave=('SOURCE',))
        vis = fringe.read_visibilities(path, spw='5,3')
        self.assert_holds(vis, bands=((3, 0), (5, 0)))
        again = fringe.read_visibilities(path, **vis.selection.keywords())
        np.testing.assert_array_equal(again.data, vis.data)

    def subarrays(self, later):
        tables = [antennas(('P', 'Q', 'R'), 2 * PLACES, version=2), antennas(NAMES, version=1)]
        return write(self.path('x.uvfits'), dumps() + dumps(subarray=2, first=later), tables,
                     leave=('SOURCE',))

    def test_subarrays_are_chosen(self):
        path = self.subarrays(later=0.0)
        with self.assertRaisesRegex(several_parts, 'holds 2 subarrays: 1 .*; 2 '):
            fringe.read_visibilities(path)
        for number, names, factor in ((1, 'ABC', 1), (2, 'PQR', 2)):
            vis = fringe.read_visibilities(path, subarray=number)
            self.assert_holds(vis, subarray=number)
            self.assertEqual(vis.antennas, list(names))
            np.testing.assert_allclose(vis.positions - vis.positions[0], factor * PLACES,
                                       atol=3e-3)  # the ground bends by 160 m ** 2 / 2 R
            self.assertEqual(vis.seconds[0], SECONDS)

    def test_times_of_a_second_subarray(self):
        # AIPS puts those of subarray n 5 (n - 1) days later.
        vis = fringe.read_visibilities(self.subarrays(later=5.0), subarray=2)
        self.assertEqual(vis.seconds[0], SECONDS)
        self.assertIn('5 days', vis.remarks[0])

    def test_a_subarray_without_a_table(self):
        path = write(self.path('x.uvfits'), dumps(subarray=3), [antennas(NAMES)],
                     leave=('SOURCE',))
        with self.assertRaisesRegex(ValueError, 'subarray 3, whose antennas would be in the table '
                                                'AIPS AN of EXTVER 3; it has 1'):
            fringe.read_visibilities(path)

    def test_models_go_into_the_groups_that_were_read(self):
        path = self.two_sources()
        with open(self.path('sky.yml'), 'w', encoding='utf-8') as file:
            file.write('site: {latitude: 0, longitude: 0}\nantennas: [[0, 0, 0], [1, 1, 0]]\n'
                       'sample_rate: 1e6\ncenter_frequency: 1.4e9\nphase_center: {ra: 123, '
                       'dec: 41}\nsky: {sources: [{l: 0, m: 0, flux: 2.0}]}\n')
        made = self.path('made.uvfits')
        self.assertEqual(main(['predict', self.path('sky.yml'), path, '-o', made,
                               '--field', 'CAL']), 0)
        vis = fringe.read_visibilities(made, field='CAL')
        i, j = vis.products
        # A source in the phase center, the same in each visibility.
        np.testing.assert_allclose(vis.data[:, :, i != j], 2.0, atol=1e-5)
        self.assert_holds(fringe.read_visibilities(made, field='TGT'), source=2)

    def test_files_of_one_source_are_joined(self):
        rows = dumps(source=2) + dumps(source=7, first=1 / 64)
        tables = [antennas(NAMES), sources((7, 'CAL', 123.0, 41.0, 2000, 1e5),
                                           (2, 'TGT', 120.0, 40.0, 2000, 0))]
        paths = [write(self.path(f'{number}.uvfits'), rows, [
            *tables, setups((1, number * CHANNELS * C2, C2, 1))]) for number in (2, 1)]
        joined = self.path('joined.uvfits')
        fringe.join(paths, joined, field='CAL')
        vis = fringe.read_visibilities(joined)
        self.assertEqual(vis.phase_center[0], 'CAL')
        self.assertEqual(vis.seconds[0], SECONDS + 1350)
        np.testing.assert_allclose(vis.frequencies, C1 + 1e5 + C2 * np.arange(
            CHANNELS, 3 * CHANNELS), rtol=1e-14)
        parts = [fringe.read_visibilities(path, field='CAL').data for path in reversed(paths)]
        np.testing.assert_array_equal(vis.data, np.concatenate(parts, axis=1))


if __name__ == '__main__':
    unittest.main()
