#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One run written in every format: UVH5, UVFITS and L-files against the .ACC and the .ms."""

import contextlib
import io
import os
import shutil
import sys
import tempfile
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.plots.fringes import fringes_of
from gnuradio.fringe.readers.antenna_pairs import antenna_uvw
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from gnuradio.fringe.readers.visibilities import SPEED_OF_LIGHT
from qa_scratch import random_numbers, scratch_case
from qa_uvdata import needs_pyuvdata, read_by_pyuvdata

try:
    import h5py
except ImportError:
    h5py = None
try:
    from casacore import tables
except ImportError:
    tables = None
try:
    from astropy.io import fits
except ImportError:
    fits = None

# Antenna C has no Y; input BY is known to be bad.
OBSERVATION = """
telescope: four kinds
site: {latitude: -30.72, longitude: 21.43, height: 1050.0}
antennas:
  - {name: A, enu: [0.0, 0.0, 0.0]}
  - {name: B, enu: [16.0, 3.0, 1.0]}
  - {name: C, enu: [-10.0, 24.0, -2.0]}
  - {name: D, enu: [7.0, -35.0, 3.0]}
  - {name: E, enu: [-25.0, -12.0, 0.0]}
inputs:
  - {antenna: A, polarization: X}
  - {antenna: A, polarization: Y}
  - {antenna: B, polarization: X}
  - {antenna: B, polarization: Y, bad: true}
  - {antenna: C, polarization: X}
  - {antenna: D, polarization: X}
  - {antenna: D, polarization: Y}
  - {antenna: E, polarization: X}
  - {antenna: E, polarization: Y}
format: cf32
sample_rate: 1.0e+6
center_frequency: 150.0e+6
start_time: 2026-06-12T22:00:00.300000007Z
phase_center: {ra: 172.5, dec: -25.166, name: test field}
channels: 16
spectra: 1000
sky:
  receiver_noise: 1.0
  sources:
    - {name: one, l: 0.20, m: -0.35, flux: 2.0}
"""
CHANNELS, INPUTS, DUMPS = 16, 9, 4
NAMES = {'ms': 'x.ms', 'acc': 'x.ACC', 'uvh5': 'x.uvh5', 'lfiles': 'x.LCCSPC',
         'uvfits': 'x.uvfits'}


MADE = ''


def setUpModule():
    global MADE
    MADE = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, MADE)
    sky = os.path.join(MADE, 'sky.cf32')
    fringe.simulate(fringe.observation.from_text(OBSERVATION), sky,
                    (DUMPS * 1000 - 300) * CHANNELS)
    fringe.correlate(sky, [os.path.join(MADE, name) for name in NAMES.values()], sky + '.yml',
                     history='made by a test', keep_edge=True)


class formats_case(scratch_case):

    def given(self, kind):
        return os.path.join(MADE, NAMES[kind])

    def copy(self, kind, name):
        """A copy to spoil."""
        path = os.path.join(self.folder, name)
        shutil.copy(self.given(kind), path)
        return path

    def assert_same(self, first, other, uvw=True):
        np.testing.assert_array_equal(first.data, other.data)
        np.testing.assert_array_equal(first.flags, other.flags)
        np.testing.assert_array_equal(first.frequencies, other.frequencies)
        self.assertEqual(first.inputs, other.inputs)
        self.assertEqual(first.antennas, other.antennas)
        if uvw:
            np.testing.assert_allclose(first.uvw, other.uvw, atol=1e-6)

    def assert_refused(self, words, path, **options):
        with self.assertRaisesRegex(ValueError, words) as caught:
            read_visibilities(path, **options)
        self.assertIn(self.folder, str(caught.exception))


@unittest.skipIf(h5py is None, 'python3-h5py is not installed')
class qa_uvh5(formats_case):

    def test_unphased_it_is_the_acc_file(self):
        vis, acc = (read_visibilities(self.given(kind)) for kind in ('uvh5', 'acc'))
        i, j = (np.array([vis.inputs[k][0] for k in part]) for part in vis.products)
        # Places in the file are by antenna and polarization: CY is there, without data.
        present = [vis.inputs.index(entry) for entry in acc.inputs]
        w = vis.uvw[:, i, 2] - vis.uvw[:, j, 2]
        turn = np.exp(2j * np.pi * w[:, None] * vis.frequencies[:, None] / SPEED_OF_LIGHT)
        kept = np.all(np.isin(vis.products, present), axis=0)
        np.testing.assert_allclose((vis.data * turn)[:, :, kept], acc.data, rtol=0, atol=2e-5)
        np.testing.assert_array_equal(vis.flags[:, :, kept], acc.flags)
        self.assertTrue(vis.flags[:, :, ~kept].all())

    def test_unit_of_uvh5_is_that_of_the_file(self):
        self.assertEqual(read_visibilities(self.given('uvh5')).unit, 'count')
        path = self.copy('uvh5', 'calibrated.uvh5')
        with h5py.File(path, 'r+') as file:
            del file['Header/vis_units']
            file['Header/vis_units'] = np.bytes_('Jy')
        self.assertEqual(read_visibilities(path, with_data=False).unit, 'Jy')

    def test_an_axis_of_one_value_may_have_no_name(self):
        path = self.copy('uvfits', 'unnamed.uvfits')
        with fits.open(path, mode='update') as file:
            header = file[0].header
            names = [k for k in range(2, header['NAXIS'] + 1)
                     if header[f'NAXIS{k}'] == 1 and header[f'CTYPE{k}'].strip() not in
                     ('RA', 'DEC', 'FREQ')]
            self.assertTrue(names)
            for k in names:
                del header[f'CTYPE{k}']
        np.testing.assert_array_equal(read_visibilities(path).data,
                                      read_visibilities(self.given('uvfits')).data)

    def test_amplitudes_without_autocorrelations_are_those_of_the_data(self):
        vis = read_visibilities(self.given('uvfits'))
        self.assertEqual(fringes_of(vis).unit, 'coefficient')
        i, j = vis.products
        vis.data[:, :, i == j], vis.flags[:, :, i == j] = 0, True
        fringes = fringes_of(vis)
        self.assertEqual(fringes.unit, 'power')
        self.assertTrue(np.isfinite(fringes.values).any())

    def test_unit_is_that_of_the_file(self):
        self.assertEqual(read_visibilities(self.given('uvfits')).unit, 'count')
        path = self.copy('uvfits', 'calibrated.uvfits')
        fits.setval(path, 'BUNIT', value='JY')
        self.assertEqual(read_visibilities(path, with_data=False).unit, 'Jy')
        out = os.path.join(self.folder, 'x.fits')
        self.assertEqual(main(['image', path, '-o', out, '--size', '32', '--scale', '0.1deg',
                               '--no-all-sky', '--overwrite']), 0)
        self.assertEqual(fits.getval(out, 'BUNIT'), 'Jy/beam')

    def test_times_are_exact(self):
        vis, acc = (read_visibilities(self.given(kind)) for kind in ('uvh5', 'acc'))
        self.assertEqual(vis.times.tolist(), acc.times.tolist())
        np.testing.assert_array_equal(vis.intervals, acc.intervals)
        np.testing.assert_array_equal(vis.exposures, acc.exposures)
        with h5py.File(self.given('uvh5')) as file:
            days = file['Header/time_array'][::15] - 2440587.5
        np.testing.assert_allclose(days * 86400, acc.seconds + acc.fractions, atol=5e-5, rtol=0)

    @unittest.skipIf(tables is None, 'python3-casacore is not installed')
    def test_read_back_it_is_the_measurement_set(self):
        vis, ms = (read_visibilities(self.given(kind)) for kind in ('uvh5', 'ms'))
        self.assert_same(vis, ms)
        self.assertEqual(vis.phase_center, ms.phase_center)
        np.testing.assert_allclose(vis.positions, ms.positions, atol=2e-4)

    @unittest.skipIf(tables is None, 'python3-casacore is not installed')
    def test_columns_are_those_of_the_measurement_set_the_other_way_round(self):
        main = tables.table(self.given('ms'), ack=False)
        with h5py.File(self.given('uvh5')) as file:
            np.testing.assert_array_equal(file['Data/visdata'][()], main.getcol('DATA').conj())
            np.testing.assert_array_equal(file['Data/flags'][()], main.getcol('FLAG'))
            np.testing.assert_array_equal(file['Header/uvw_array'][()], -main.getcol('UVW'))
            np.testing.assert_array_equal(file['Header/ant_2_array'][()],
                                          main.getcol('ANTENNA2'))
            # The fraction of valid samples; a MeasurementSet counts them.
            full = main.getcol('INTERVAL') * 1e6 / CHANNELS
            np.testing.assert_allclose(file['Data/nsamples'][()] * full[:, None, None],
                                       main.getcol('WEIGHT_SPECTRUM'), rtol=1e-6)
        main.close()

    def test_layout(self):
        with h5py.File(self.given('uvh5')) as file:
            header, data = file['Header'], file['Data']
            self.assertEqual(data['visdata'].dtype, np.complex64)
            self.assertEqual(data['flags'].dtype, bool)
            self.assertEqual(data['nsamples'].dtype, np.float32)
            self.assertEqual(data['visdata'].shape, (15 * DUMPS, CHANNELS, 4))
            self.assertEqual(header['telescope_name'][()], b'four kinds')
            self.assertEqual(header['antenna_names'][()].tolist(), list(b'A B C D E'.split()))
            self.assertTrue(header['history'][()].startswith(b'made by a test'))
            self.assertFalse(header['flex_spw'][()])
            self.assertEqual(header['phase_center_catalog/0/cat_name'][()], b'test field')

    def test_the_source_is_where_it_should_be(self):
        """By the layout's own sign: exp(+2 pi i f (u l + v m + w (n - 1)) / c)."""
        with h5py.File(self.given('uvh5')) as file:
            header = file['Header']
            cross = header['ant_1_array'][()] != header['ant_2_array'][()]
            values = file['Data/visdata'][()][cross, :, 0]
            uvw, f = header['uvw_array'][()][cross], header['freq_array'][()]
        for sign, flux in ((1, 2.0), (-1, 0.0)):
            l, m = 0.20 * sign, -0.35 * sign
            path = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
            steered = values * np.exp(-2j * np.pi * path[:, None] * f / SPEED_OF_LIGHT)
            self.assertLess(abs(steered.mean() - flux), 0.6)

    def test_words(self):
        text = describe(self.given('uvh5'))
        for words in ('UVH5 file', 'four kinds', '22:00:00.300', '4 dumps of 16 ms', 'test field',
                      'right ascension 172.5000', '16 of 62.5 kHz', '5 antennas'):
            self.assertIn(words, text)
        flagged = read_visibilities(self.given('uvh5')).flags.mean()
        percent = float(text.split('flagged')[1].split('%')[0])
        self.assertGreater(percent, 0)
        self.assertAlmostEqual(percent, 100 * flagged, delta=5)  # of rows, not products

    def test_a_part_of_a_large_file(self):
        whole = read_visibilities(self.given('uvh5'))
        vis = read_visibilities(self.given('uvh5'), limit=whole.data.size // 2 * 13)
        self.assertIn('2 of the 4 dumps', vis.remarks[0])
        np.testing.assert_array_equal(vis.data, whole.data[::2])
        np.testing.assert_array_equal(vis.uvw, whole.uvw[::2])

    def test_a_dump_that_is_being_written_is_left_out(self):
        path = self.copy('uvh5', 'x.partial.uvh5')
        with h5py.File(path, 'r+') as file:
            for name in ('Nblts', 'Ntimes'):
                file['Header'][name][()] = file['Header'][name][()] * 3 // 4
        whole, vis = read_visibilities(self.given('uvh5')), read_visibilities(path)
        self.assertTrue(vis.partial)
        np.testing.assert_array_equal(vis.data, whole.data[:3])
        self.assertEqual(vis.times.tolist(), whole.times[:3].tolist())

    def test_files_of_other_makers(self):
        """Old layout, integers, other orders, and nothing of our own in it."""
        path = self.copy('uvh5', 'other.uvh5')
        whole = read_visibilities(self.given('uvh5'))
        pair = np.dtype([('r', '<i4'), ('i', '<i4')])
        with h5py.File(path, 'r+') as file:
            del file['gr-fringe']
            header, data = file['Header'], file['Data']
            # Antennas by other numbers, every second row from the second to the first.
            numbers = np.array([7, 3, 12, 1, 20])
            first, second = (numbers[header[name][()]] for name in ('ant_1_array',
                                                                    'ant_2_array'))
            values = {name: data[name][()] for name in ('visdata', 'flags', 'nsamples')}
            values['visdata'] = np.round(values['visdata'] * 1e6)
            swapped = slice(1, None, 2)
            first[swapped], second[swapped] = second[swapped].copy(), first[swapped].copy()
            for name in values:  # XX XY YX YY
                values[name][swapped] = values[name][swapped][..., [0, 2, 1, 3]]
            values['visdata'][swapped] = values['visdata'][swapped].conj()
            uvw = header['uvw_array'][()]
            uvw[swapped] *= -1
            header['antenna_numbers'][()] = numbers
            for name, column in (('ant_1_array', first), ('ant_2_array', second),
                                 ('uvw_array', uvw)):
                header[name][()] = column
            integers = np.empty(values['visdata'].shape, pair)
            integers['r'], integers['i'] = values['visdata'].real, values['visdata'].imag
            values['visdata'] = integers
            for name, column in values.items():
                del data[name]
                data[name] = column[:, None]
            frequencies = header['freq_array'][()]
            del header['freq_array'], header['phase_center_catalog'], header['integration_time']
            header['freq_array'] = frequencies[None]
            header['integration_time'] = 0.016
            header['phase_type'], header['object_name'] = np.bytes_('phased'), np.bytes_('old')
            header['phase_center_ra'], header['phase_center_dec'] = 3.0, -0.4
        vis = read_visibilities(path)
        self.assertEqual(vis.phase_center, ('old', 3.0, -0.4))
        self.assertEqual(vis.inputs, whole.inputs)
        np.testing.assert_allclose(vis.data / 1e6, whole.data, atol=2e-6)
        np.testing.assert_array_equal(vis.flags, whole.flags)
        np.testing.assert_allclose(vis.uvw, whole.uvw)
        np.testing.assert_allclose(vis.fractions, whole.fractions, atol=5e-5)
        with h5py.File(path, 'r+') as file:
            file['Header/phase_type'][()] = np.bytes_('drift')
        self.assertIsNone(read_visibilities(path).uvw)

    def test_refused(self):
        with open(os.path.join(self.folder, 'text.uvh5'), 'w') as stream:
            stream.write('hello')
        self.assert_refused('cannot be opened', os.path.join(self.folder, 'text.uvh5'))
        with h5py.File(os.path.join(self.folder, 'other.uvh5'), 'w') as file:
            file['data'] = [1]
        self.assert_refused('no UVH5 file', os.path.join(self.folder, 'other.uvh5'))
        path = self.copy('uvh5', 'short.uvh5')
        os.truncate(path, os.path.getsize(path) // 2)
        self.assert_refused('cannot be opened', path)
        for name, words in (('Header/antenna_names', 'damaged.*antenna_names'),
                            ('Header/uvw_array', 'damaged'), ('Data/flags', 'damaged')):
            with self.subTest(name):
                path = self.copy('uvh5', 'less.uvh5')
                with h5py.File(path, 'r+') as file:
                    del file[name]
                self.assert_refused(words, path)
        for name, value, words in (('Nblts', 0, 'no visibilities'), ('Nblts', 1000, 'damaged'),
                                   ('ant_2_array', 99, 'antenna'),
                                   ('polarization_array', 1, 'polarization 1')):
            with self.subTest(name):
                path = self.copy('uvh5', 'wrong.uvh5')
                with h5py.File(path, 'r+') as file:
                    file['Header'][name][...] = value
                self.assert_refused(words, path)


class qa_antenna_uvw(unittest.TestCase):

    def test_any_chain_of_baselines_leads_to_an_antenna(self):
        rng = random_numbers()
        for _ in range(20):
            antennas, dumps = rng.integers(2, 12), rng.integers(1, 5)
            places = rng.normal(size=(dumps, antennas, 3))
            i, j = np.triu_indices(antennas)
            dump, pair = np.divmod(rng.permutation(dumps * len(i)), len(i))
            kept = rng.random(len(dump)) < rng.uniform(0.1, 1)
            kept[0] = True
            dump, a, b = dump[kept], i[pair[kept]], j[pair[kept]]
            swap = rng.random(len(a)) < 0.5
            a, b = np.where(swap, b, a), np.where(swap, a, b)
            wanted = places[dump, a] - places[dump, b]
            found = antenna_uvw(wanted, dump, a, b, dumps, antennas)
            cross = a != b
            np.testing.assert_allclose((found[dump, a] - found[dump, b])[cross],
                                       wanted[cross], atol=1e-9)
            first = np.full(dumps, antennas)
            np.minimum.at(first, dump[cross], np.minimum(a, b)[cross])
            for d in np.flatnonzero(first < antennas):
                np.testing.assert_array_equal(found[d, first[d]], 0)


@unittest.skipIf(fits is None or h5py is None, 'astropy or python3-h5py is not installed')
class qa_uvfits(formats_case):

    def setUp(self):
        super().setUp()
        self.file = fits.open(self.given('uvfits'))
        self.addCleanup(self.file.close)
        self.groups = self.file[0].data

    def test_groups_are_the_rows_of_the_uvh5_file_the_other_way_round(self):
        values = self.groups['DATA'][:, 0, 0, 0][:, :, [0, 2, 3, 1]]  # XX XY YX YY
        with h5py.File(self.given('uvh5')) as file:
            # The phase of w differs by nothing: it is turned in double precision in both.
            np.testing.assert_array_equal(values[..., 0] - 1j * values[..., 1],
                                          file['Data/visdata'][()])
            np.testing.assert_array_equal(values[..., 2] <= 0, file['Data/flags'][()])
            weights = file['Data/nsamples'][()] * file['Header/integration_time'][()][
                :, None, None] * 1e6 / CHANNELS
            np.testing.assert_allclose(np.abs(values[..., 2]), weights, rtol=1e-6)
            uvw = np.array([self.groups.par(f'{letter}---SIN') for letter in ('UU', 'VV', 'WW')])
            np.testing.assert_allclose(uvw.T.astype(float) * SPEED_OF_LIGHT,
                                       -file['Header/uvw_array'][()], atol=1e-5)
            baselines = 256 * (file['Header/ant_1_array'][()] + 1) \
                + file['Header/ant_2_array'][()] + 1
            np.testing.assert_array_equal(self.groups.par('BASELINE'), baselines)

    def test_times_are_exact(self):
        acc = read_visibilities(self.given('acc'))
        days = [self.file[0].data.field(k).astype(float) for k in (3, 4)]
        # astropy adds the midnight to the first of the two.
        seconds = ((days[0] - self.file[0].header['PZERO4']) + days[1])[::15] * 86400
        self.assertEqual(self.file[0].header['PTYPE5'].strip(), 'DATE')
        midnight = (self.file[0].header['PZERO4'] - 2440587.5) * 86400
        np.testing.assert_allclose(seconds, acc.seconds - midnight + acc.fractions, atol=5e-5,
                                   rtol=0)

    def test_headers(self):
        header, antennas = self.file[0].header, self.file['AIPS AN']
        self.assertEqual((header['OBJECT'], header['TELESCOP']), ('test field', 'four kinds'))
        self.assertAlmostEqual(header['CRVAL6'], 172.5, places=9)
        self.assertAlmostEqual(header['CRVAL7'], -25.166, places=9)
        self.assertIn('made by a test', str(header['HISTORY']))
        self.assertIn('sky.cf32', str(header['HISTORY']).replace('\n', ''))
        self.assertIn('no samples lost', str(header['HISTORY']))
        self.assertEqual(list(antennas.data['ANNAME']), list('ABCDE'))
        self.file.verify('exception')


@unittest.skipIf(fits is None, 'astropy is not installed')
class qa_reading_uvfits(formats_case):

    def rewritten(self, name, change):
        """A copy that was changed by a function of the open file."""
        path = self.copy('uvfits', name)
        with fits.open(path, mode='update', memmap=False) as file:
            change(file)
        return path

    @unittest.skipIf(tables is None, 'python3-casacore is not installed')
    def test_read_back_it_is_the_measurement_set(self):
        vis, ms = (read_visibilities(self.given(kind)) for kind in ('uvfits', 'ms'))
        self.assert_same(vis, ms, uvw=False)
        np.testing.assert_allclose(vis.uvw, ms.uvw, atol=1e-5)  # float32 seconds
        np.testing.assert_allclose(vis.weights, ms.weights, rtol=1e-6)
        np.testing.assert_allclose(vis.phase_center[1:], ms.phase_center[1:], atol=1e-12)
        self.assertEqual(vis.phase_center[0], ms.phase_center[0])
        np.testing.assert_allclose(vis.positions, ms.positions, atol=2e-4)
        self.assertEqual(vis.telescope, ms.telescope)

    def test_times_are_exact(self):
        vis, acc = (read_visibilities(self.given(kind)) for kind in ('uvfits', 'acc'))
        apart = vis.seconds - acc.seconds + vis.fractions - acc.fractions
        self.assertLess(np.abs(apart).max(), 2e-8)
        np.testing.assert_allclose(vis.intervals, acc.intervals, rtol=1e-6)

    def test_words(self):
        text = describe(self.given('uvfits'))
        for words in ('UVFITS file', 'four kinds', '22:00:00.300', '4 dumps of 16 ms', 'test field',
                      'right ascension 172.5000', '16 of 62.5 kHz', '5 antennas'):
            self.assertIn(words, text)
        percent = float(text.split('flagged')[1].split('%')[0])
        weights = fits.getdata(self.given('uvfits'))['DATA'][..., 2]
        self.assertAlmostEqual(percent, 100 * (weights <= 0).mean(), delta=0.1)
        self.assertGreater(percent, 0)

    def test_a_part_of_a_large_file(self):
        whole = read_visibilities(self.given('uvfits'))
        vis = read_visibilities(self.given('uvfits'), limit=whole.data.size // 2 * 13)
        self.assertIn('2 of the 4 dumps', vis.remarks[0])
        np.testing.assert_array_equal(vis.data, whole.data[::2])
        np.testing.assert_array_equal(vis.uvw, whole.uvw[::2])

    def test_files_of_other_makers(self):
        """Antennas from the array's center on, x in its meridian; one DATE; no INTTIM."""
        whole = read_visibilities(self.given('uvfits'))

        def local(file):
            table = file['AIPS AN']
            xyz = np.array(table.data['STABXYZ'])
            center = xyz.mean(axis=0)
            east = np.arctan2(center[1], center[0])
            turn = np.array([[np.cos(east), np.sin(east), 0], [-np.sin(east), np.cos(east), 0],
                             [0, 0, 1]])
            table.data['STABXYZ'] = (xyz - center) @ turn.T
            for axis, value in zip('XYZ', center):
                table.header[f'ARRAY{axis}'] = value
        vis = read_visibilities(self.rewritten('local.uvfits', local))
        np.testing.assert_allclose(vis.positions, whole.positions, atol=1e-6)

        def renamed(file):
            file[0].header['PTYPE8'] = 'OTHER'
            file[0].header['PTYPE1'] = 'UU-L'
        vis = read_visibilities(self.rewritten('other.uvfits', renamed))
        np.testing.assert_array_equal(vis.uvw, whole.uvw)
        np.testing.assert_allclose(vis.intervals, 0.016, atol=1e-6)

    def test_refused(self):
        path = self.path('text.uvfits')
        with open(path, 'w') as stream:
            stream.write('hello')
        self.assert_refused('no UVFITS file', path)
        fits.writeto(self.path('image.uvfits'), np.zeros((3, 4)))
        self.assert_refused('no UVFITS file; its data are no random', self.path('image.uvfits'))
        path = self.copy('uvfits', 'short.uvfits')
        os.truncate(path, os.path.getsize(path) // 2)
        self.assert_refused('damaged', path)

        def without_table(file):
            del file['AIPS AN']
        def strange(file):
            file[0].header['CRVAL3'] = 1
        def renumbered(file):
            file['AIPS AN'].data['NOSTA'] += 1
        for change, words in ((without_table, 'damaged.*AIPS AN'), (strange, 'polarization 0'),
                              (renumbered, 'antenna that is not in')):
            with self.subTest(words):
                self.assert_refused(words, self.rewritten('wrong.uvfits', change))


class qa_lfiles(formats_case):

    def truth(self):
        """The .ACC file, whose autocorrelations have rounding errors for imaginary parts."""
        acc = read_visibilities(self.given('acc'))
        i, j = acc.products
        acc.data[:, :, i == j] = acc.data[:, :, i == j].real
        return acc

    def pair(self, name, **sizes):
        """A copy of the pair and its description under another name."""
        for ending in ('.LCCSPC', '.LACSPC', '.LCCSPC.yml'):
            path = os.path.join(self.folder, name + ending)
            shutil.copy(os.path.join(MADE, 'x' + ending), path)
            if ending[1:] in sizes:
                os.truncate(path, sizes[ending[1:]])
        return os.path.join(self.folder, name + '.LCCSPC')

    def test_it_is_the_acc_file_in_two(self):
        acc = self.truth()
        i, j = acc.products
        crosses = np.fromfile(os.path.join(MADE, 'x.LCCSPC'), np.complex64)
        autos = np.fromfile(os.path.join(MADE, 'x.LACSPC'), np.float32)
        turned = acc.data.transpose(0, 2, 1)
        np.testing.assert_array_equal(crosses.reshape(DUMPS, -1, CHANNELS), turned[:, i < j])
        np.testing.assert_array_equal(autos.reshape(DUMPS, INPUTS, CHANNELS),
                                      turned[:, i == j].real)
        for name in ('x.LCCSPC', 'x.LACSPC'):
            vis = read_visibilities(os.path.join(MADE, name))
            self.assert_same(vis, acc, uvw=False)
            self.assertEqual(vis.times.tolist(), acc.times.tolist())
            self.assertIsNone(vis.uvw)
            text = describe(os.path.join(MADE, name))
            for words in ('pair of L-files', 'four kinds', 'not phased', 'BY'):
                self.assertIn(words, text)

    def test_a_part_of_a_large_file(self):
        whole = self.truth()
        vis = read_visibilities(self.given('lfiles'), limit=whole.data.size // 2 * 13)
        np.testing.assert_array_equal(vis.data, whole.data[::2])

    def test_without_side_file(self):
        path = self.pair('b')
        os.remove(path + '.yml')
        self.assert_refused('is missing; say', path)
        vis = read_visibilities(path, inputs=INPUTS, channels=CHANNELS)
        np.testing.assert_array_equal(vis.data, self.truth().data)
        self.assertEqual(len(vis.intervals), DUMPS)

    def test_unfinished(self):
        dump = INPUTS * (INPUTS - 1) // 2 * CHANNELS * 8
        path = self.pair('b.partial', LCCSPC=2 * dump + 100)
        vis = read_visibilities(path)
        self.assertTrue(vis.partial)
        np.testing.assert_array_equal(vis.data, self.truth().data[:2])
        self.assertEqual(len(vis.times), 2)

    def test_refused(self):
        path = self.pair('b', LACSPC=500)
        self.assert_refused('LACSPC: damaged, 500 bytes', path)
        os.remove(path.replace('.LCC', '.LAC'))
        self.assert_refused('other half.*b.LACSPC, is missing', path)


@unittest.skipIf(h5py is None, 'python3-h5py is not installed')
class qa_plot(formats_case):

    def test_a_page_of_each(self):
        for kind in ('uvh5', 'lfiles') + (('uvfits',) if fits else ()):
            output = os.path.join(self.folder, kind + '.png')
            with contextlib.redirect_stdout(io.StringIO()):
                from gnuradio.fringe import cli
                self.assertEqual(cli.main(['plot', self.given(kind), '-o', output]), 0)
            with open(output, 'rb') as stream:
                self.assertEqual(stream.read(4), b'\x89PNG')


@needs_pyuvdata
class qa_pyuvdata(formats_case):

    def setUp(self):
        super().setUp()
        self.uv = read_by_pyuvdata(self.given('uvh5'), strict_uvw_antpos_check=True)

    def test_its_own_checks_pass(self):
        self.assertTrue(self.uv.check(strict_uvw_antpos_check=True, check_autos=True))
        self.assertEqual((self.uv.Nbls, self.uv.Ntimes, self.uv.Npols), (15, DUMPS, 4))

    def test_uvw_of_its_own_making(self):
        ours = self.uv.uvw_array.copy()
        self.uv.set_uvws_from_antenna_positions(update_vis=False)
        np.testing.assert_allclose(self.uv.uvw_array, ours, atol=1e-6)

    def test_antennas_stand_where_they_stood(self):
        truth = fringe.observation.from_text(OBSERVATION)
        telescope = getattr(self.uv, 'telescope', self.uv)
        enu = telescope.get_enu_antpos()
        np.testing.assert_allclose(enu, [a.enu for a in truth.antennas], atol=1e-6)

    @unittest.skipIf(tables is None, 'python3-casacore is not installed')
    def test_it_is_the_measurement_set(self):
        ms, groups = (read_by_pyuvdata(self.given(kind)) for kind in ('ms', 'uvfits'))
        for uv in (ms, self.uv, groups):
            uv.reorder_pols('AIPS')
        np.testing.assert_array_equal(self.uv.data_array, groups.data_array)
        np.testing.assert_array_equal(self.uv.flag_array, groups.flag_array)
        np.testing.assert_allclose(self.uv.uvw_array, groups.uvw_array, atol=1e-5)
        np.testing.assert_allclose(self.uv.time_array, groups.time_array, atol=1e-9, rtol=0)
        np.testing.assert_allclose(self.uv.freq_array, groups.freq_array)
        np.testing.assert_array_equal(self.uv.data_array, ms.data_array)
        np.testing.assert_array_equal(self.uv.flag_array, ms.flag_array)
        np.testing.assert_allclose(self.uv.uvw_array, ms.uvw_array, atol=1e-9)
        np.testing.assert_allclose(self.uv.time_array, ms.time_array, atol=1e-9, rtol=0)


if __name__ == '__main__':
    sys.exit(unittest.main())
