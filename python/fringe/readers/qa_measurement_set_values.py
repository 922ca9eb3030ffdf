#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets of other programs: columns, weights, units, frames, and uvw of the rows."""

import contextlib
import io
import os
import shutil
import subprocess
import unittest
import unittest.mock
from dataclasses import replace

import numpy as np
from gnuradio.fringe.calibration.sources import source_at
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from gnuradio.fringe.images.spectra import image_of_group
from gnuradio.fringe.visibility_files.join import join
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from gnuradio.fringe.sky_model import peel, peel_settings, predict
from qa_measurement_sets import (CODES, C, KINDS, SETUPS, START, USED, WINDOWS, change,
                                 everything, set_case, tables)
from qa_scratch import TIMEOUT


try:
    from astropy.coordinates import FK4, FK5, TETE, SkyCoord
    from astropy.io import fits
    from astropy.time import Time
    from astropy.utils import iers
    iers.conf.auto_download, iers.conf.auto_max_age = False, None  # the same on every day
except ImportError:
    fits = None


def measure(path, name, column, units=None, **about):
    """Writes what stands beside a column: reference and units."""
    table = tables.table(os.path.join(path, name), readonly=False, ack=False)
    words = table.getcolkeywords(column)
    if about:
        words['MEASINFO'] = {'type': words['MEASINFO']['type'], **about}
    if units:
        words['QuantumUnits'] = [units] * len(words['QuantumUnits'])
    table.putcolkeywords(column, words)
    table.close()


def add_column(path, name, like, kind):
    table = tables.table(path, readonly=False, ack=False)
    about = tables.makearrcoldesc(name, kind[0], ndim=2, valuetype=kind[1])
    table.addcols(tables.maketabdesc([about]))
    for row in range(table.nrows()):
        entry = like(table.getcell('DATA', row))
        if entry is not None:
            table.putcell(name, row, entry)
    table.close()


@unittest.skipIf(tables is None, 'python3-casacore is not installed')
class qa_columns(set_case):

    def simple(self, name='a.ms', **more):
        """Field SRC, window 1, three dumps."""
        return self.made(everything({2: 0}, (3,)), name, **more)

    def test_which_column(self):
        path = self.simple()
        plain = read_visibilities(path)
        self.assertEqual((plain.selection.column, plain.remarks), ('DATA', []))
        add_column(path, 'MODEL_DATA', lambda data: 3 * data, (0j, 'complex'))
        self.assertEqual(read_visibilities(path).selection.column, 'DATA')
        add_column(path, 'CORRECTED_DATA', lambda data: 2 * data, (0j, 'complex'))
        for column, factor in ((None, 2), ('DATA', 1), ('corrected_data', 2), ('MODEL_DATA', 3)):
            vis = read_visibilities(path, column=column)
            np.testing.assert_array_equal(vis.data, factor * plain.data)
            self.assertIn(f'its column {vis.selection.column} is read, not ', vis.remarks[0])
        self.assert_refused('column=FLOAT_DATA: is not in the set, which has DATA', path,
                            column='FLOAT_DATA')

    def test_the_unit(self):
        path = self.simple()
        self.assertEqual(read_visibilities(path).unit, 'count')
        table = tables.table(path, readonly=False, ack=False)
        table.putcolkeyword('DATA', 'UNIT', 'Jy')
        table.close()
        self.assertEqual(read_visibilities(path).unit, 'Jy')

    def test_an_empty_column_is_not_there(self):
        path = self.simple()
        add_column(path, 'CORRECTED_DATA', lambda data: None, (0j, 'complex'))
        self.assertEqual(read_visibilities(path).selection.column, 'DATA')
        self.assert_refused('CORRECTED_DATA: is not in the set', path, column='CORRECTED_DATA')

    def test_the_column_is_reported(self):
        path = self.simple()
        add_column(path, 'CORRECTED_DATA', lambda data: 2 * data, (0j, 'complex'))
        words = 'its column CORRECTED_DATA is read, not DATA'
        fits, model = self.path('x.fits'), self.path('sky.yml')
        with open(model, 'w') as file:
            file.write('- {name: A, ra: 57.3, dec: 28.6, flux: 2}\n')
        for line in (['image', path, '-o', fits, '--size', '16', '--scale', '0.01deg'],
                     ['export', path, '-o', self.path('x.csv')],
                     ['predict', model, path, '-o', self.path('model.ms')],
                     ['info', path]):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                self.assertEqual(main(line), 0)
            self.assertIn(words, output.getvalue(), line)
        with open(fits, 'rb') as file:
            self.assertIn(words, file.read().decode('latin-1'))

    def test_weights(self):
        path = self.simple()
        add_column(path, 'WEIGHT_SPECTRUM', lambda data: np.zeros(data.shape, np.float32),
                   (0.0, 'float'))
        vis = read_visibilities(path)
        self.assertEqual([w.max() for w in vis.weights], [2, 3, 4])  # those of WEIGHT
        self.assertEqual(vis.remarks, [])
        table = tables.table(path, readonly=False, ack=False)
        table.putcol('WEIGHT', -1.2e12 * np.ones((table.nrows(), 4), np.float32))
        table.close()
        vis = read_visibilities(path)
        self.assertEqual(np.unique(vis.weights[~vis.flags]).tolist(), [1])
        self.assertFalse(vis.flags.any())
        self.assertIn('no weight in it is positive', vis.remarks[0])
        self.assertIn('no weight in it is positive',
                      read_visibilities(path, with_data=False).remarks[0])

    def test_some_weights_of_0(self):
        rows = [row.columns() for row in everything({2: 0}, (3,))]
        for columns in rows[:9]:
            columns['WEIGHT'] = np.zeros(4, np.float32)
        vis = read_visibilities(self.made(rows))
        self.assertTrue(vis.flags.any() and not vis.flags.all())
        np.testing.assert_array_equal(vis.flags, vis.weights == 0)

    def with_correlations(self, names, name):
        """A set whose correlations have other numbers."""
        rows = [row.columns() for row in everything({2: 0}, (3,))]
        for columns in rows:
            for column in ('DATA', 'FLAG', 'WEIGHT', 'SIGMA'):
                columns[column] = columns[column][..., :len(names)]
        path = self.made(rows, name)
        change(path, 'POLARIZATION', 'CORR_TYPE', 1, [CODES.get(name, 99) for name in names])
        return path

    def test_stokes_parameters(self):
        whole = read_visibilities(self.simple('whole.ms'))
        for names in (['I'], ['I', 'Q', 'U', 'V']):
            vis = read_visibilities(self.with_correlations(names, f'{len(names)}.ms'))
            self.assertEqual(vis.inputs, [(k, 'I') for k in range(4)])
            i, j = vis.products
            k, l = whole.products
            for p in range(len(i)):
                same, = np.flatnonzero((k == 2 * i[p]) & (l == 2 * j[p]))  # RR stands for I
                np.testing.assert_array_equal(vis.data[..., p], whole.data[..., same])
            made = make_image([vis.path], image_settings(size=(16, 16), scale=1e-4))
            self.assertGreater(made.visibilities, 0)
        self.assertIn('Q, U, V', ' '.join(vis.remarks))
        self.assert_refused('holds Stokes Q, V without I',
                            self.with_correlations(['Q', 'V'], 'qv.ms'))
        self.assert_refused('99', self.with_correlations(['?'], 'unknown.ms'))

    def test_one_correlation(self):
        path = self.with_correlations(['XY'], 'xy.ms')
        with self.assertRaisesRegex(ValueError, 'I: is made of XX and YY; .*xy.ms has XY'):
            make_image([path], image_settings(size=(16, 16), scale=1e-4))
        path = self.with_correlations(['YY'], 'yy.ms')
        self.assertEqual(make_image([path], image_settings(size=(16, 16), scale=1e-4)).planes,
                         ['I'])


@unittest.skipIf(tables is None, 'python3-casacore is not installed')
class qa_references(set_case):

    def simple(self, name='a.ms'):
        return self.made(everything({2: 0}, (3,)), name)

    def test_units(self):
        path, other = self.simple(), self.simple('other.ms')
        vis = read_visibilities(path)
        for name, column, unit, factor in (
                ('ANTENNA', 'POSITION', 'km', 1e-3), ('FIELD', 'PHASE_DIR', 'deg', 180 / np.pi),
                ('SPECTRAL_WINDOW', 'CHAN_FREQ', 'MHz', 1e-6), ('', 'TIME', 'd', 1 / 86400),
                ('', 'INTERVAL', 'ms', 1e3), ('', 'EXPOSURE', 'min', 1 / 60),
                ('', 'UVW', 'km', 1e-3)):
            table = tables.table(os.path.join(other, name), readonly=False, ack=False)
            for row in range(table.nrows()):
                table.putcell(column, row, table.getcell(column, row) * factor)
            table.close()
            measure(other, name, column, unit)
        new = read_visibilities(other)
        np.testing.assert_allclose(new.uvw, vis.uvw, rtol=1e-12)
        np.testing.assert_allclose(new.positions, vis.positions, atol=1e-6)
        np.testing.assert_allclose(new.frequencies, vis.frequencies, rtol=1e-14)
        np.testing.assert_allclose(new.phase_center[1:], vis.phase_center[1:], rtol=1e-14)
        np.testing.assert_array_equal(new.seconds, vis.seconds)
        # A double of MJD days resolves 0.6 microseconds.
        np.testing.assert_allclose(new.fractions, vis.fractions, atol=2e-6)
        np.testing.assert_allclose(new.intervals, 1, rtol=1e-12)
        np.testing.assert_allclose(new.exposures, 0.75, rtol=1e-12)
        measure(other, '', 'TIME', 'fortnight')
        self.assert_refused('its column TIME is in fortnight; what is read is in ns, us', other)

    def test_what_is_not_read(self):
        path = self.simple()
        change(path, 'POLARIZATION', 'CORR_TYPE', 0, [99])  # no row names it
        read_visibilities(path)
        measure(path, 'ANTENNA', 'POSITION', Ref='WGS84')
        self.assert_refused('the POSITION of its antennas is in WGS84', path)
        path = self.simple('local.ms')
        measure(path, 'FIELD', 'PHASE_DIR', Ref='AZEL')
        self.assert_refused('field 2 SRC: is fixed in AZEL', path)
        path = self.simple('ephemeris.ms')
        table = tables.table(path + '/FIELD', readonly=False, ack=False)
        table.addcols(tables.maketabdesc([tables.makescacoldesc('EPHEMERIS_ID', 0)]))
        table.putcol('EPHEMERIS_ID', np.array([0, 0, -1, 0, 0, 0], np.int32))
        table.close()
        read_visibilities(path)
        change(path, 'FIELD', 'EPHEMERIS_ID', 2, 3)
        self.assert_refused('field 2 SRC follows the ephemeris 3', path)

    @unittest.skipUnless(fits, 'astropy is not installed')
    def test_frames(self):
        path = self.simple()
        # Of the middle of the run; casacore's APP is the apparent place as TETE has it.
        day = Time('2026-06-12T11:20:41.5', scale='utc')
        for name, frame in (('B1950', FK4(equinox='B1950')), ('GALACTIC', 'galactic'),
                            ('APP', TETE(obstime=day)), ('JMEAN', FK5(equinox=day))):
            measure(path, 'FIELD', 'PHASE_DIR', Ref=name)
            right = SkyCoord(1.0, 0.5, unit='rad', frame=frame).icrs
            vis = read_visibilities(path)
            found = SkyCoord(*vis.phase_center[1:], unit='rad')
            # The galactic pole is defined twice, 20 mas apart; astropy's FK5 precesses as in 1976.
            self.assertLess(found.separation(right).arcsec, 0.03, name)
            self.assertIn(f'converted from {name} 57.2958 +28.6479', ' '.join(vis.remarks))
        measure(path, 'FIELD', 'PHASE_DIR', Ref='JUPITER')
        self.assert_refused('is in the frame JUPITER', path)

    @unittest.skipUnless(fits, 'astropy is not installed')
    def test_time_scales(self):
        path = self.simple()
        plain = read_visibilities(path)
        self.assertEqual(plain.seconds[0], Time('2026-06-12T11:20:40').unix)
        utc = Time(START / 86400, format='mjd', scale='utc', precision=9)
        for scale in ('TAI', 'TDT', 'UTC'):
            later = {'TAI': 37, 'TDT': 69.184, 'UTC': 0}[scale]
            right = getattr(utc, {'TDT': 'tt'}.get(scale, scale.lower()))
            self.assertAlmostEqual((right.jd - utc.jd) * 86400, later, 3)
            table = tables.table(path, readonly=False, ack=False)
            times = table.getcol('TIME')
            times += START + 0.5 + later - times.min()
            table.putcol('TIME', times)
            table.close()
            measure(path, '', 'TIME', Ref=scale)
            vis = read_visibilities(path)
            np.testing.assert_array_equal(vis.seconds, plain.seconds)
            # A double of MJD seconds resolves a microsecond.
            np.testing.assert_allclose(vis.fractions, plain.fractions, atol=2e-6)
        measure(path, '', 'TIME', Ref='LAST')
        self.assert_refused('its column TIME: times are in LAST', path)

    def test_a_reference_for_each_row(self):
        path = self.simple()
        table = tables.table(path + '/FIELD', readonly=False, ack=False)
        table.addcols(tables.maketabdesc([tables.makescacoldesc('PhaseDir_Ref', 0)]))
        table.putcol('PhaseDir_Ref', np.array([10, 10, 21, 10, 10, 10], np.int32))
        table.close()
        measure(path, 'FIELD', 'PHASE_DIR', VarRefCol='PhaseDir_Ref')
        self.assertEqual(read_visibilities(path).phase_center, ('SRC', 1.0, 0.5))  # 21: ICRS
        change(path, 'FIELD', 'PhaseDir_Ref', 2, 10)
        self.assert_refused('field 2 SRC: is fixed in AZEL', path)
        change(path, 'FIELD', 'PhaseDir_Ref', 2, 77)
        self.assert_refused('PhaseDir_Ref 77 in row 2: names no reference', path)
        measure(path, 'FIELD', 'PHASE_DIR', VarRefCol='PhaseDir_Ref',
                TabRefTypes=['GALACTIC', 'J2000'], TabRefCodes=np.array([5, 77]))
        self.assertEqual(read_visibilities(path).phase_center, ('SRC', 1.0, 0.5))

    def test_a_moving_phase_center(self):
        path = self.simple()
        speed = np.array([1e-6, -2e-6])  # radians a second
        change(path, 'FIELD', 'PHASE_DIR', 2, np.array([[1.0, 0.5], speed]))
        change(path, 'FIELD', 'NUM_POLY', 2, 1)
        change(path, 'FIELD', 'TIME', 2, START - 100)
        vis = read_visibilities(path)
        # 101.5 s after the time of the row is the middle of three dumps of 1 s.
        np.testing.assert_allclose(vis.phase_center[1:], np.array([1.0, 0.5]) + 101.5 * speed,
                                   atol=1e-15)
        self.assertIn('moves by', vis.remarks[0])

    @unittest.skipUnless(fits, 'astropy is not installed')
    def test_uvw_of_another_north(self):
        path = self.simple()
        plain = read_visibilities(path)
        measure(path, 'FIELD', 'PHASE_DIR', Ref='GALACTIC')
        measure(path, '', 'UVW', Ref='ITRF')  # what many writers leave there
        vis = read_visibilities(path)
        center = SkyCoord(1.0, 0.5, unit='rad', frame='galactic')
        # 20 mas.
        np.testing.assert_allclose(vis.phase_center[1:], [center.icrs.ra.rad, center.icrs.dec.rad],
                                   atol=1e-7)
        # A source of galactic offsets is where astropy has it, seen from the new center.
        place = SkyCoord(1.0 + 1e-4, 0.5 + 2e-4, unit='rad', frame='galactic')

        def cosines(place, center):
            east = place.spherical.lon - center.spherical.lon
            up, middle = place.spherical.lat, center.spherical.lat
            return np.array([np.cos(up) * np.sin(east), np.sin(up) * np.cos(middle)
                             - np.cos(up) * np.sin(middle) * np.cos(east)])

        old, new = cosines(place, center), cosines(place.icrs, center.icrs)
        np.testing.assert_allclose(vis.uvw[..., :2] @ new, plain.uvw[..., :2] @ old,
                                   atol=1e-7)  # 2e-4 of 400 m, turned by 1e-6
        self.assertGreater(np.abs(vis.uvw - plain.uvw).max(), 10)
        measure(path, '', 'UVW', Ref='J2000')
        np.testing.assert_array_equal(read_visibilities(path).uvw, plain.uvw)

    def test_frequencies_of_a_frame(self):
        path = self.simple()
        change(path, 'SPECTRAL_WINDOW', 'MEAS_FREQ_REF', 1, 1)
        self.assertIn('frame LSRK', read_visibilities(path).remarks[0])


def direct_image(rows, count, pixel):
    """The mean of V exp(-2 pi i f (u l + v m + w (n - 1)) / c), of [(uvw, frequencies, V)]."""
    axis = (np.arange(count) - count // 2) * pixel
    l, m = np.meshgrid(axis, axis)
    n = np.sqrt(1 - l**2 - m**2) - 1
    total, weight = 0, 0
    for uvw, frequencies, values in rows:
        way = uvw[0] * l + uvw[1] * m + uvw[2] * n
        for f, v in zip(frequencies, values):
            total = total + (v * np.exp(-2j * np.pi * f / C * way)).real
            weight += 1
    return total / weight


@unittest.skipIf(tables is None, 'python3-casacore is not installed')
class qa_uvw(set_case):

    def open_rows(self, kinds=(4,)):
        """Rows whose uvw do not close: antenna 3 is later by another way on each baseline."""
        rows = [row.columns() for row in everything({2: 0}, kinds)]
        for columns in rows:
            if USED[3] in (columns['ANTENNA1'], columns['ANTENNA2']):
                columns['UVW'] = 0.9 * columns['UVW'] + (columns['ANTENNA1']
                                                         != columns['ANTENNA2']) * 0.5
            columns['WEIGHT'] = np.ones(2, np.float32)
        return rows

    def test_uvw_of_rows(self):
        rows = self.open_rows()
        path = self.made(rows)
        vis = read_visibilities(path)
        self.assertIn('do not close over antennas, by up to', vis.remarks[0])
        for columns in rows:
            pair = [USED.index(columns[name]) for name in ('ANTENNA1', 'ANTENNA2')]
            dump = int(columns['TIME'] - START - 0.5)
            np.testing.assert_allclose(vis.baseline_uvw([pair])[dump, 0], columns['UVW'],
                                       atol=1e-12)
        made = make_image([path], image_settings(size=(32, 32), scale=1e-4, gridder='direct',
                                                 all_sky=False))
        parts = [(columns['UVW'], WINDOWS[1], columns['DATA'][:, k]) for columns in rows
                 for k in (0, 1) if columns['ANTENNA1'] != columns['ANTENNA2']]
        right = direct_image(parts, 32, 1e-4)
        # Single precision.
        # The column of l = 0 is 15 in an image, and 16 in that sum.
        np.testing.assert_allclose(made.values[0, 0][:, :-1], right[:, 1:],
                                   atol=1e-5 * np.abs(right).max())
        self.assertAlmostEqual(make_image([path], image_settings(
            size=(32, 32), scale=1e-4, epsilon=1e-5, all_sky=False)).values[0, 0, 3, 4],
            right[3, 5], delta=1e-4 * np.abs(right).max())

    def test_a_model_has_the_uvw_of_rows(self):
        rows = self.open_rows()
        path, model, output = self.made(rows), self.path('sky.yml'), self.path('model.ms')
        l, m = 2e-3, -1e-3
        n = np.sqrt(1 - l**2 - m**2)
        dec = np.arcsin(m * np.cos(0.5) + n * np.sin(0.5))
        ra = 1.0 + np.arctan2(l, n * np.cos(0.5) - m * np.sin(0.5))
        with open(model, 'w') as file:
            file.write(f'- {{name: A, ra: {np.degrees(ra):.12f}, dec: {np.degrees(dec):.12f}, '
                       'flux: 2}\n')
        predict(model, path, output)
        table = tables.table(output, ack=False)
        for row, columns in enumerate(rows):
            turns = columns['UVW'] @ [l, m, n - 1] * WINDOWS[1] / C
            right = np.repeat(2 * np.exp(2j * np.pi * turns)[:, None], 2, axis=1)
            np.testing.assert_allclose(table.getcell('MODEL_DATA', row), right, atol=2e-6)
        table.close()

    def test_all_windows_in_one_image(self):
        path = self.made(everything({2: 0}, (4, 1)))
        vis = read_visibilities(path, spw='all')
        np.testing.assert_array_equal(vis.frequencies, np.concatenate([WINDOWS[1], WINDOWS[3]]))
        for window, channels in ((1, slice(0, 4)), (3, slice(4, 10))):
            part = read_visibilities(path, spw=window)
            for name in ('data', 'weights', 'flags'):
                np.testing.assert_array_equal(getattr(vis, name)[:, channels],
                                              getattr(part, name))
            np.testing.assert_allclose(vis.uvw, part.uvw, atol=1e-12)
        settings = image_settings(size=(32, 32), scale=1e-4, gridder='direct', all_sky=False)
        made = make_image([path], settings, spw='all')
        singles = [make_image([path], settings, spw=window) for window in (1, 3)]
        # The weights of all channels are equal, so the mean is that by numbers of channels.
        right = (4 * singles[0].values + 6 * singles[1].values) / 10
        np.testing.assert_allclose(made.values, right, atol=1e-5 * np.abs(right).max())
        self.assertEqual(made.visibilities, sum(image.visibilities for image in singles))

    def test_some_windows_and_their_image(self):
        # A third window, between the others, of channels of another width.
        with (unittest.mock.patch.dict(WINDOWS, {2: 1.5e9 + 3e5 * np.arange(5)}),
              unittest.mock.patch.dict(KINDS, {5: (2, 2)})):
            path = self.made(everything({2: 0}, (4, 1, 5)))
        for spw, windows in (('1,3', (1, 3)), ('W3, 1', (1, 3)), ('2,1', (1, 2)), ((2,), (2,))):
            vis = read_visibilities(path, spw=spw)
            parts = [read_visibilities(path, spw=window) for window in windows]
            for name in ('frequencies', 'data', 'weights', 'flags'):
                np.testing.assert_array_equal(getattr(vis, name), np.concatenate(
                    [getattr(part, name) for part in parts], axis=int(name != 'frequencies')))
            again = read_visibilities(path, **vis.selection.keywords())
            np.testing.assert_array_equal(again.data, vis.data)
        self.assert_refused('spw=5: is not in the file', path, spw='1,5')
        settings = image_settings(size=(32, 32), scale=1e-4, gridder='direct', all_sky=False)
        together = make_image([path], settings, spw='2,1')
        singles = [make_image([path], settings, spw=window) for window in (1, 2)]
        right = (4 * singles[0].values + 5 * singles[1].values) / 9
        np.testing.assert_allclose(together.values, right, atol=1e-5 * np.abs(right).max())
        self.assertAlmostEqual(together.bandwidth, 4 * 1e6 + 5 * 3e5, delta=1)
        # An image of each window, although they have 4 and 5 channels.
        apart = make_image([path], replace(settings, channels_out=2), spw='1,2')
        for made, single in zip(apart.values[0], singles):
            np.testing.assert_allclose(made, single.values[0, 0], atol=1e-5 * np.abs(right).max())
        np.testing.assert_allclose(apart.frequencies, [1.4015e9, 1.5006e9])
        for group, width in enumerate((4 * 1e6, 5 * 3e5)):
            self.assertAlmostEqual(image_of_group(apart, group).bandwidth, width, delta=1)

    def test_windows_that_do_not_fit(self):
        path = self.made(everything({2: 0}, (3, 1)), 'hands.ms')
        self.assert_refused('spw=all: the windows 1 and 3 have other correlations', path,
                            spw='all')
        rows = [row for row in everything({2: 0}, (4, 1)) if row.dump < 2 or row.window == 1]
        self.assert_refused('spw=all: the windows 1 and 3 have other times',
                            self.made(rows, 'times.ms'), spw='all')


@unittest.skipIf(tables is None, 'python3-casacore is not installed')
class qa_written_rows(set_case):

    def test_copies_are_changed_in_the_rows_that_were_read(self):
        rows = everything()
        path, model, output = self.made(rows), self.path('sky.yml'), self.path('model.ms')
        with open(model, 'w') as file:  # at the phase center of CAL: visibilities are its flux
            file.write(f'- {{name: A, ra: {np.degrees(1.2):.13f}, dec: {np.degrees(0.4):.13f}, '
                       'flux: 5}\n')
        with self.assertRaisesRegex(ValueError, 'holds 2 fields'):
            predict(model, path, output)
        predict(model, path, output, field='CAL', spw=3)
        old, new = (tables.table(name, ack=False) for name in (path, output))
        for k, row in enumerate(rows):
            if (row.field, row.window) == (4, 3):
                np.testing.assert_allclose(new.getcell('MODEL_DATA', k), 5, atol=1e-5)
            else:
                np.testing.assert_array_equal(new.getcell('MODEL_DATA', k), 0)
            np.testing.assert_array_equal(new.getcell('DATA', k), old.getcell('DATA', k))
        report = peel(output, self.path('rest.ms'), [source_at('68.7549,22.9183', False)],
                      peel_settings(flag=True), field='CAL', spw=3, column='MODEL_DATA')
        self.assertGreater(sum(report.sources[0].fluxes), 0)
        rest = tables.table(self.path('rest.ms'), ack=False)
        for k, row in enumerate(rows):
            data, flags = rest.getcell('CORRECTED_DATA', k), rest.getcell('FLAG', k)
            if (row.field, row.window) != (4, 3):
                np.testing.assert_array_equal(data, new.getcell('MODEL_DATA', k))
                self.assertFalse(flags.any())
            elif row.first != row.second:
                self.assertLess(np.abs(data).max(), 0.01)
        for copy in (old, new, rest):
            copy.close()

    def test_one_field_and_window_is_joined(self):
        low, high = (self.made(everything(), name) for name in ('low.ms', 'high.ms'))
        for row, shift in ((1, 4e6), (3, -30e6)):
            change(high, 'SPECTRAL_WINDOW', 'CHAN_FREQ', row, WINDOWS[row] + shift)
        output = self.path('joined.ms')
        with self.assertRaisesRegex(ValueError, 'holds 2 fields'):
            join([low, high], output)
        join([high, low], output, field='CAL', spw='W1')
        vis, old = read_visibilities(output), read_visibilities(low, field='CAL', spw=1)
        np.testing.assert_array_equal(vis.frequencies, 1.4e9 + 1e6 * np.arange(8))
        self.assertEqual(vis.phase_center, old.phase_center)
        np.testing.assert_array_equal(vis.data, np.concatenate([old.data, old.data], axis=1))
        np.testing.assert_array_equal(vis.weights[:, :4], old.weights)


@unittest.skipUnless(tables and fits and shutil.which('wsclean'), 'wsclean is not installed')
class qa_rival(set_case):

    def test_the_image_of_a_field_and_window_is_wscleans(self):
        rows = [row.columns() for row in everything(kinds=(4, 1))]
        path = self.made(sorted(rows, key=lambda columns: columns['TIME']))
        pixel = np.degrees(2e-5)
        # WSClean takes the correlations of the first setup for those of all.
        change(path, 'POLARIZATION', 'NUM_CORR', 0, 2)
        change(path, 'POLARIZATION', 'CORR_TYPE', 0, [CODES[two] for two in SETUPS[2]])
        # WSClean counts the fields and windows as the set does; -spws counts the windows.
        done = subprocess.run(
            ['wsclean', '-quiet', '-reorder', '-field', '4', '-spws', '1', '-size', '64', '64',
             '-scale', f'{pixel}deg', '-pol', 'I', '-niter', '0', '-weight', 'natural',
             '-use-wgridder', '-no-small-inversion', '-name', self.path('rival'), path],
            env=dict(os.environ, OPENBLAS_NUM_THREADS='1'), cwd=self.folder, text=True,
            capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with fits.open(self.path('rival-image.fits')) as file:
            rival, header = np.squeeze(file[0].data), file[0].header
        self.assertAlmostEqual(np.radians(header['CRVAL1']), 1.2, 6)
        made = make_image([path], image_settings(size=(64, 64), scale=2e-5, epsilon=1e-5,
                                                 all_sky=False), field=4, spw=1)
        self.assertEqual(made.frame.center, (1.2, 0.4))
        # In memory l ascends; in files of both it descends.
        ours = made.values[0, 0][:, ::-1]
        self.assertLess(np.abs(ours - rival).max(), 1e-3 * np.abs(rival).max())


if __name__ == '__main__':
    unittest.main()
