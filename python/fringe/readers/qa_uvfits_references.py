#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVFITS files of other programs: what stands beside the numbers of a group is read, or refused
by name."""

import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.describing.info import describe
from qa_groups import (C1, JD, LIGHT, NAMES, PLACES, SECONDS, antennas, dumps, fits, sources,
                       value_of, write)
from qa_scratch import scratch_case

LEAVE = ('SOURCE', 'FREQSEL')


@unittest.skipIf(fits is None, 'astropy is not installed')
class qa_uvfits_references(scratch_case):
    seed = 20260301

    def read(self, groups=None, tables=(), change=None, **words):
        path = write(self.path('x.uvfits'), groups or dumps(), tables or [antennas(NAMES)],
                     **{'leave': LEAVE, **words})
        if change:
            with fits.open(path, mode='update') as file:
                change(file)
        return fringe.read_visibilities(path)

    def changed(self, at, **words):
        """A reader of files whose header `at` has other words; None: it has them not."""
        def change(file):
            for name, value in words.items():
                if value is None:
                    del file[at].header[name]
                else:
                    file[at].header[name] = value
        return self.read(change=change)

    def assert_refused(self, words, function, *args, **options):
        with self.assertRaisesRegex(ValueError, words):
            function(*args, **options)

    def test_groups_without_weights(self):
        vis = self.read(weights=False)
        self.assertFalse(vis.flags[vis.weights > 0].any())
        i, j = vis.products
        self.assertTrue((vis.weights[:, :, i != j] == 1).all())
        np.testing.assert_array_equal(vis.data[0, 0, i != j], [
            value_of(1, 1, 1, *pair) for pair in ((1, 2), (1, 3), (2, 3))])

    def test_an_axis_of_another_length(self):
        def change(file):
            file[0].header['CTYPE2'], file[0].header['CTYPE3'] = 'STOKES', 'COMPLEX'
        self.assert_refused('NAXIS3: 1 values along the axis COMPLEX; there are 2, or 3',
                            self.read, change=change)

    def test_weights_of_zero_and_below_are_flags(self):
        def change(file):
            raw = file[0].data.view(np.ndarray)
            raw['DATA'][0, ..., 2] = 0
            raw['DATA'][1, ..., 2] = -3
        vis = self.read(change=change)
        i, j = vis.products
        self.assertEqual(vis.flags[0, 0, i != j].tolist(), [True, True, False])
        self.assertFalse(vis.flags[1][:, i != j].any())

    def test_scaled_whole_numbers(self):
        # The value is BZERO + BSCALE * number; -32768 stands for nothing (BLANK).
        def change(file):
            file[0].header['BSCALE'], file[0].header['BZERO'] = 0.25, 0.0
            file[0].header['BLANK'] = -32768
            file[0].data.view(np.ndarray)['DATA'][0, ..., 0, 0, 0] = -32768
            for k, name in enumerate(file[0].data.parnames, 1):  # numbers are whole, too
                if name in ('UU---SIN', 'VV---SIN', 'WW---SIN'):
                    file[0].header[f'PSCAL{k}'] = 1e-9
        vis = self.read(bitpix=16, scale=0.25, change=change)
        self.assertTrue(vis.flags[0, 0, 1])
        self.assertFalse(vis.flags[0, 1, 1])
        self.assertEqual(vis.data[0, 1, 1], value_of(1, 1, 1, 1, 2) + 1)
        with open(self.path('sky.yml'), 'w', encoding='utf-8') as file:
            file.write('site: {latitude: 0, longitude: 0}\nantennas: [[0, 0, 0], [1, 1, 0]]\n'
                       'sample_rate: 1e6\ncenter_frequency: 1.4e9\nphase_center: {ra: 0, dec: 0}\n'
                       'sky: {sources: [{l: 0, m: 0, flux: 2.0}]}\n')
        self.assertEqual(main(['predict', self.path('sky.yml'), self.path('x.uvfits'), '-o',
                               self.path('y.uvfits')]), 2)

    def test_scaled_numbers_of_a_model(self):
        def change(file):
            file[0].header['BSCALE'], file[0].header['BZERO'] = 0.25, 3.0
        self.read(change=change)
        with open(self.path('sky.yml'), 'w', encoding='utf-8') as file:
            file.write('site: {latitude: 0, longitude: 0}\nantennas: [[0, 0, 0], [1, 1, 0]]\n'
                       'sample_rate: 1e6\ncenter_frequency: 1.4e9\nphase_center: {ra: 0, dec: 0}\n'
                       'sky: {sources: [{l: 0, m: 0, flux: 2.0}]}\n')
        made = self.path('y.uvfits')
        self.assertEqual(main(['predict', self.path('sky.yml'), self.path('x.uvfits'), '-o',
                               made]), 0)
        vis = fringe.read_visibilities(made)
        i, j = vis.products
        np.testing.assert_allclose(vis.data[:, :, i != j], 2.0, atol=1e-5)

    def test_one_dump_of_unknown_length(self):
        vis = self.read(groups=dumps(1), leave=(*LEAVE, 'INTTIM'))
        self.assertEqual((vis.intervals.tolist(), vis.seconds.tolist()), ([0.0], [SECONDS]))
        path = self.path('x.uvfits')
        self.assertIn('1 dump of unknown length', describe(path))
        self.assertEqual(main(['image', path, '-o', self.path('x.fits'), '--size', '32',
                               '--scale', '1arcmin']), 0)
        with fits.open(self.path('x.fits')) as file:
            self.assertEqual(file[0].header['DATE-OBS'][:19], '2026-03-01T00:00:00')
        self.assertEqual(main(['plot', path, '-o', self.path('x.png')]), 0)

    def test_days_in_two_numbers(self):
        groups = dumps()
        for group in groups:
            group['days'] = 0.25

        def change(file):
            file[0].header['PTYPE6'], file[0].header['PSCAL6'] = 'DATE', 1 / 86400
            raw = file[0].data.view(np.ndarray)  # 10 s in the first dump
            raw[raw.dtype.names[5]][3:] = 11.5
        vis = self.read(groups=groups, change=change)
        self.assertEqual(vis.seconds.tolist(), [SECONDS + 21610, SECONDS + 21611])
        np.testing.assert_allclose(vis.fractions, [0, 0.5], atol=1e-6)

    def test_days_that_do_not_count_from_midnight(self):
        number = 4  # DATE
        vis = self.changed(0, **{f'PZERO{number}': JD + 0.3})
        np.testing.assert_allclose(vis.seconds - SECONDS + vis.fractions, [25920, 25930], atol=1e-4)

    def test_time_scales(self):
        # 37 s since 2017 (IERS Bulletin C 52).
        for words in ({'TIMSYS': 'IAT'}, {'TIMSYS': 'TAI', 'DATUTC': 37.0},
                      {'TIMSYS': None, 'TIMESYS': 'TAI'}):
            vis = self.changed('AIPS AN', **words)
            self.assertEqual(vis.seconds[0], SECONDS - 37)
        vis = self.changed('AIPS AN', TIMSYS='UT1', UT1UTC=-0.25)
        np.testing.assert_allclose(vis.seconds[0] + vis.fractions[0], SECONDS + 0.25, rtol=0,
                                   atol=1e-6)
        for words, sentence in (
                ({'TIMSYS': 'UT1'}, 'TIMSYS: UT1, and there is no UT1UTC'),
                ({'TIMSYS': 'MARS'}, 'AIPS AN: TIMSYS: MARS: must be'),
                ({'DATUTC': 37.0}, 'DATUTC: 37 s: TIMSYS UTC is 0 s ahead of UTC on that day'),
                ({'TIMSYS': 'TAI', 'DATUTC': 19.0}, 'DATUTC: 19 s: TIMSYS TAI is 37 s ahead')):
            self.assert_refused(sentence, self.changed, 'AIPS AN', **words)

    def test_frames(self):
        # astropy 5.2: SkyCoord(...).icrs of 120 +40 degrees; FK4 within 1.4 mas.
        for words, wanted, remark in (
                ({'EPOCH': 1950.0}, (120.841493, 39.859062), 'converted from FK4 1950 120.0000'),
                ({'EQUINOX': 2026.2}, (119.557945, 40.072446), 'converted from FK5 2026.2'),
                ({'EPOCH': 2000.0, 'RADESYS': 'ICRS'}, (120, 40), None),
                ({'EPOCH': 'J2000'}, (120, 40), None),
                ({}, (120, 40), None)):
            vis = self.read(center=(120.0, 40.0), header=words)
            np.testing.assert_allclose(np.degrees(vis.phase_center[1:]), wanted, rtol=0, atol=1e-6)
            self.assertEqual([remark in text for text in vis.remarks], [True] * bool(remark))
            # u and v turn with the north, w stays.
            turned = np.abs(vis.uvw[0, 1] - vis.uvw[0, 0] - (PLACES[1] - PLACES[0])) > 0.1
            self.assertEqual(turned.tolist(), [False, bool(remark), False])
        self.assert_refused('RADESYS: GAPPT: must be ICRS, FK5 or FK4', self.read,
                            header={'RADESYS': 'GAPPT'})

    def test_the_year_of_a_source(self):
        # A source of B1950 in a file of J2000: the year beside the numbers counts.
        groups = dumps(source=2) + dumps(source=3)
        path = write(self.path('x.uvfits'), groups, [antennas(NAMES), sources(
            (2, 'OLD', 120.0, 40.0, 1950, 0), (3, 'NEW', 120.0, 40.0, 2000, 0))],
            leave=('FREQSEL',), header={'EPOCH': 2000.0, 'RADESYS': 'ICRS'})
        for name, wanted in (('OLD', (120.841493, 39.859062)), ('NEW', (120, 40))):
            vis = fringe.read_visibilities(path, field=name)
            np.testing.assert_allclose(np.degrees(vis.phase_center[1:]), wanted, rtol=0, atol=1e-6)

    def test_names_of_uvw(self):
        plain = self.read().uvw
        np.testing.assert_allclose(plain[0] - plain[0, 0], PLACES - PLACES[0], atol=1e-5)
        waves = {'UU---SIN': 'UU-L-SIN', 'VV---SIN': 'VV-L-SIN', 'WW---SIN': 'WW-L-SIN'}

        def scaled(file):
            for k in (1, 2, 3):
                file[0].header[f'PSCAL{k}'] = C1
        # Numbers in wavelengths at the frequency of the header.
        np.testing.assert_allclose(self.read(names=waves, change=scaled).uvw, plain, atol=1e-5)
        short = {name: name[:2] for name in waves}
        np.testing.assert_allclose(self.read(names=short).uvw, plain, atol=1e-5)
        self.assert_refused('uvw of this name are in seconds', self.read, change=scaled)
        self.assert_refused('UU---NCP.*projection other than SIN', self.read, names={
            name: name.replace('SIN', 'NCP') for name in waves})

    def test_uvw_that_do_not_close_are_those_of_the_groups(self):
        def change(file):
            # 3 m on baseline A-C alone, in the first dump.
            raw = file[0].data.view(np.ndarray)
            raw[raw.dtype.names[0]][1] += 3 / LIGHT
        vis = self.read(change=change)
        uvw = vis.baseline_uvw([(0, 1), (0, 2), (1, 2)])
        wanted = np.array([PLACES[0] - PLACES[1], PLACES[0] - PLACES[2], PLACES[1] - PLACES[2]])
        np.testing.assert_allclose(uvw[1], wanted, atol=1e-5)
        np.testing.assert_allclose(uvw[0], wanted + [[0, 0, 0], [3, 0, 0], [0, 0, 0]], atol=1e-5)

    def test_numbers_of_antennas_as_parameters(self):
        # Instead of BASELINE; the subarray then has a parameter, too.
        groups = dumps(1) + dumps(1, subarray=2)
        tables = [antennas(NAMES), antennas(('P', 'Q', 'R'), version=2)]
        path = write(self.path('x.uvfits'), groups, tables, leave=LEAVE, numbers=True)
        vis = fringe.read_visibilities(path, subarray=2)
        self.assertEqual(vis.antennas, ['P', 'Q', 'R'])
        self.assertEqual(vis.data[0, 0, 1], value_of(1, 1, 2, 1, 2))

    def test_places_of_antennas(self):
        whole = self.read().positions
        np.testing.assert_allclose(whole - whole[0], PLACES, atol=3e-3)

        def left(file):
            file['AIPS AN'].header['XYZHAND'] = 'LEFT'
            file['AIPS AN'].data['STABXYZ'] *= [1, -1, 1]
        np.testing.assert_allclose(self.read(change=left).positions, whole, atol=1e-9)
        for words, sentence in (({'FRAME': 'MCMF'}, 'FRAME: MCMF: must be ITRF'),
                                ({'XYZHAND': 'BOTH'}, 'XYZHAND: BOTH: must be RIGHT or LEFT')):
            self.assert_refused(sentence, self.changed, 'AIPS AN', **words)

    def test_stokes(self):
        vis = self.read(stokes=(1, 2, 3, 4))
        self.assertEqual([pol for _, pol in vis.inputs], ['I'] * 3)
        self.assertIn('Stokes Q, U, V beside I are not read', vis.remarks)
        self.assertEqual(vis.data[0, 0, 1], value_of(1, 1, 1, 1, 2))
        self.assert_refused('the axis STOKES: holds Stokes Q without I', self.read, stokes=(2,))

    def test_feeds_of_two_kinds(self):
        def change(file):
            file['AIPS AN'].data['POLTYA'][1] = 'R'
        self.assertIn('some antennas have feeds X and Y', self.read(change=change).remarks[0])
        self.assertEqual(self.read().remarks, [])

    def test_groups_of_several_gates(self):
        def change(file):
            file[0].header['PTYPE6'] = 'GATEID'
            file[0].data.view(np.ndarray)[file[0].data.dtype.names[5]][3:] = 2
        self.assert_refused('several values of GATEID: 2, 10', self.read, change=change)

    def test_a_file_that_has_no_phase_center(self):
        self.assert_refused('does not say where its phase center is', self.changed, 0,
                            CTYPE6='OTHER')

    def test_a_source_that_moves(self):
        motion = [fits.Column('PMRA', '1D', array=[1e-7])]
        vis = self.read(groups=dumps(source=2), leave=(), tables=[antennas(NAMES), sources(
            (2, 'NEAR', 10.0, 20.0, 2000, 0), more=motion)])
        self.assertIn('proper motion', vis.remarks[0])


if __name__ == '__main__':
    unittest.main()
