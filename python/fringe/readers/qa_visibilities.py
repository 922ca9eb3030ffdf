#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Readers of visibility files, against files written here value by value."""

import os
import shutil
import unittest

import numpy as np
import yaml
from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.observing.recognize import recognize
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from gnuradio.fringe.ground.words import with_unit
from qa_scratch import scratch_case

try:
    from casacore import tables
except ImportError:
    tables = None

ANTENNAS, CHANNELS, DUMPS = 3, 4, 3
#: 2026-06-12T11:20:40.25 UTC in MJD seconds.
START = (61203 * 86400 + 11 * 3600 + 20 * 60 + 40) + 0.25
CORRELATIONS = [(9, 'X', 'X'), (10, 'X', 'Y'), (11, 'Y', 'X'), (12, 'Y', 'Y')]
POSITIONS = np.array([[0.0, 0.0, 0.0], [30.0, 0.0, 0.0], [0.0, 40.0, 0.0]])
WIDTH = 1e5


def itrf(enu, latitude=-18.9, longitude=47.6, height=1280.0):
    """ITRF positions of (east, north, up) around a WGS84 place."""
    la, lo = np.radians([latitude, longitude])
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    radius = a / np.sqrt(1 - e2 * np.sin(la)**2)
    center = np.array([(radius + height) * np.cos(la) * np.cos(lo),
                       (radius + height) * np.cos(la) * np.sin(lo),
                       (radius * (1 - e2) + height) * np.sin(la)])
    east = np.array([-np.sin(lo), np.cos(lo), 0])
    up = np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])
    return center + enu @ np.array([east, np.cross(up, east), up])


def value(dump, channel, i, j):
    """A different visibility for everything; real on the diagonal."""
    if i == j:
        return 10 + i + 0.1 * channel + 0.01 * dump
    return complex(i + 1 + 0.1 * channel, j + 1 + 0.1 * dump)


def write_ms(path):
    """A MeasurementSet of 3 dual-polarization antennas with a flag and a NaN in it."""
    d = tables.required_ms_desc('MAIN')
    count, shape = len(CORRELATIONS), [CHANNELS, len(CORRELATIONS)]
    d.update(tables.maketabdesc([
        tables.makearrcoldesc('DATA', 0j, ndim=2, shape=shape, valuetype='complex'),
        tables.makearrcoldesc('WEIGHT_SPECTRUM', 0.0, ndim=2, shape=shape,
                              valuetype='float')]))
    ms = tables.default_ms(path, d)
    pairs = [(a, b) for a in range(ANTENNAS) for b in range(a, ANTENNAS)]
    ms.addrows(DUMPS * len(pairs))
    row = 0
    for dump in range(DUMPS):
        for a, b in pairs:
            cell = np.zeros((CHANNELS, count), np.complex64)
            for c in range(CHANNELS):
                for k, (_, p, q) in enumerate(CORRELATIONS):
                    i, j = 2 * a + 'XY'.index(p), 2 * b + 'XY'.index(q)
                    cell[c, k] = (value(dump, c, i, j) if i <= j
                                  else np.conj(value(dump, c, j, i)))
            flag = np.zeros((CHANNELS, count), bool)
            if (dump, a, b) == (1, 0, 1):
                flag[2, 1] = True        # dump 1, channel 2, product X of 0 with Y of 1
            if (dump, a, b) == (2, 1, 2):
                cell[0, 0] = np.nan
            ms.putcell('DATA', row, cell)
            ms.putcell('FLAG', row, flag)
            ms.putcell('WEIGHT_SPECTRUM', row, np.full((CHANNELS, count), 5.0 + dump))
            ms.putcell('UVW', row, (POSITIONS[a] - POSITIONS[b]) * (1 + dump))
            for column, v in (('TIME', START + 0.5 + dump), ('ANTENNA1', a), ('ANTENNA2', b),
                              ('INTERVAL', 1.0), ('EXPOSURE', 0.75), ('DATA_DESC_ID', 0)):
                ms.putcell(column, row, v)
            row += 1
    ms.close()
    fill(path, 'ANTENNA', [dict(NAME=f'T{a}', POSITION=r)
                           for a, r in enumerate(itrf(POSITIONS))])
    fill(path, 'SPECTRAL_WINDOW', [dict(CHAN_FREQ=150e6 + WIDTH * np.arange(CHANNELS),
                                        NUM_CHAN=CHANNELS)])
    fill(path, 'POLARIZATION', [dict(NUM_CORR=count, CORR_TYPE=[c[0] for c in CORRELATIONS])])
    fill(path, 'DATA_DESCRIPTION', [dict(SPECTRAL_WINDOW_ID=0, POLARIZATION_ID=0)])
    fill(path, 'FIELD', [dict(NAME='zenith', PHASE_DIR=np.array([[1.0, -0.3]]))])
    fill(path, 'OBSERVATION', [dict(TELESCOPE_NAME='TEST')])


def fill(path, name, rows):
    table = tables.table(os.path.join(path, name), readonly=False, ack=False)
    table.addrows(len(rows))
    for k, row in enumerate(rows):
        for column, v in row.items():
            table.putcell(column, k, v)
    table.close()


def write_acc(path, order='<', bad=()):
    """An ACC file of 3 inputs with its side file; returns what is in it."""
    observation = fringe.observation.example(ANTENNAS, 30.0)
    observation.telescope = 'TEST'
    inputs = observation.inputs
    for k in bad:
        inputs[k].bad = True
    observation.inputs = inputs
    i, j = np.triu_indices(ANTENNAS)
    data = np.array([[[value(d, c, a, b) for c in range(CHANNELS)] for a, b in zip(i, j)]
                     for d in range(DUMPS)])
    data[1, 2, 3] = 0
    data.astype(order + 'c8').tofile(path)
    side = dict(format='gr-fringe L-file', version=1, inputs=ANTENNAS, products=len(i),
                channels=CHANNELS, complex_samples=True,
                byte_order={'<': 'little', '>': 'big'}[order],
                frequencies=[150e6 + WIDTH * c for c in range(CHANNELS)],
                observation=observation.to_text(),
                dumps=[dict(start=f'2026-06-12T11:20:{40 + d}.250000000', interval=1.0,
                            exposure=0.75) for d in range(DUMPS)])
    with open(path + '.yml', 'w') as stream:
        yaml.safe_dump(side, stream)
    return data.transpose(0, 2, 1).astype(np.complex64)


class folder_case(scratch_case):

    def assert_refused(self, words, path, **options):
        with self.assertRaisesRegex(ValueError, words) as caught:
            read_visibilities(path, **options)
        self.assertIn(path, str(caught.exception))


@unittest.skipIf(tables is None, 'python3-casacore is not installed')
class qa_measurement_set(folder_case):

    def test_everything_in_its_place(self):
        write_ms(self.path('a.ms'))
        vis = read_visibilities(self.path('a.ms') + '/')
        i, j = vis.products
        self.assertEqual(vis.data.shape, (DUMPS, CHANNELS, 21))
        for d in range(DUMPS):
            for c in range(CHANNELS):
                for p in range(21):
                    if (d, c, p) == (2, 0, 13):
                        continue
                    self.assertEqual(vis.data[d, c, p], np.complex64(value(d, c, i[p], j[p])))
        self.assertEqual((i[13], j[13]), (2, 4))
        self.assertTrue(vis.flags[2, 0, 13])
        self.assertEqual((vis.data[2, 0, 13], vis.weights[2, 0, 13]), (0, 0))
        flagged = np.argwhere(vis.flags).tolist()
        self.assertEqual(flagged, [[1, 2, 3], [2, 0, 13]])
        self.assertEqual(vis.weights[1].min(), 6)

    def test_description(self):
        write_ms(self.path('a.partial.ms'))
        vis = read_visibilities(self.path('a.partial.ms'), with_data=False)
        self.assertIsNone(vis.data)
        self.assertTrue(vis.partial)
        self.assertEqual(vis.telescope, 'TEST')
        self.assertEqual(vis.antennas, ['T0', 'T1', 'T2'])
        self.assertEqual(vis.inputs[:3], [(0, 'X'), (0, 'Y'), (1, 'X')])
        self.assertEqual(str(vis.times[1]), '2026-06-12T11:20:41.750000000')
        self.assertEqual(vis.span, 3)
        self.assertEqual(vis.exposures.tolist(), [0.75] * 3)
        self.assertEqual(vis.frequencies[3], 150e6 + 3 * WIDTH)
        self.assertEqual(vis.phase_center, ('zenith', 1.0, -0.3))
        np.testing.assert_allclose(vis.positions - vis.positions[0], POSITIONS, atol=1e-3)
        for d in range(DUMPS):
            np.testing.assert_allclose(vis.uvw[d], POSITIONS * (1 + d))

    def test_a_part_of_a_large_file(self):
        write_ms(self.path('a.ms'))
        whole = read_visibilities(self.path('a.ms'))
        vis = read_visibilities(self.path('a.ms'), limit=2 * CHANNELS * 21 * 13)
        self.assertIn('2 of the 3 dumps', vis.remarks[0])
        np.testing.assert_array_equal(vis.data, whole.data[::2])
        np.testing.assert_array_equal(vis.flags, whole.flags[::2])
        np.testing.assert_array_equal(vis.uvw, whole.uvw[::2])
        self.assertEqual(vis.times.tolist(), whole.times[::2].tolist())

    def test_words(self):
        write_ms(self.path('a.partial.ms'))
        text = describe(self.path('a.partial.ms'))
        for words in ('TEST', '2026-06-12 11:20:40.250 UTC', '3 dumps of 1 s over 3 s',
                      '3 antennas (T0, T1, T2), 2 polarizations (X Y)', '4 of 100 kHz',
                      '30 m to 50 m', '0.694 %', 'not finished'):
            self.assertIn(words, text)

    def test_refused(self):
        os.mkdir(self.path('empty.ms'))
        self.assert_refused('not a MeasurementSet', self.path('empty.ms'))
        self.assert_refused('no such file', self.path('none.ms'))
        with open(self.path('file.ms'), 'w') as stream:
            stream.write('hello')
        self.assert_refused('not a MeasurementSet', self.path('file.ms'))
        tables.default_ms(self.path('nodata.ms')).close()
        self.assert_refused('no column DATA', self.path('nodata.ms'))
        write_ms(self.path('whole.ms'))
        for name, words in (('table.dat', 'cannot be opened'), ('table.f0', 'whole.ms'),
                            ('ANTENNA/table.dat', 'cannot be opened')):
            with self.subTest(name):
                shutil.copytree(self.path('whole.ms'), self.path('b.ms'))
                with open(os.path.join(self.path('b.ms'), name), 'r+b') as stream:
                    stream.truncate(10)
                with self.assertRaises(ValueError):
                    read_visibilities(self.path('b.ms'))
                shutil.rmtree(self.path('b.ms'))


class qa_acc(folder_case):

    def test_everything_in_its_place(self):
        for order in '<>':
            with self.subTest(order):
                truth = write_acc(self.path('a.ACC'), order)
                vis = read_visibilities(self.path('a.ACC'))
                np.testing.assert_array_equal(vis.data, truth)
                self.assertEqual(np.argwhere(vis.flags).tolist(), [[1, 3, 2]])
                self.assertEqual(vis.weights.max(), 1)

    def test_description(self):
        write_acc(self.path('a.ACC'))
        vis = read_visibilities(self.path('a.ACC'), with_data=False)
        self.assertEqual(vis.telescope, 'TEST')
        self.assertEqual(len(vis.inputs), ANTENNAS)
        self.assertEqual(str(vis.times[2]), '2026-06-12T11:20:42.750000000')
        self.assertEqual(vis.frequencies[1], 150e6 + WIDTH)
        self.assertIsNone(vis.uvw)
        lengths = np.linalg.norm(vis.positions[1:] - vis.positions[:-1], axis=1)
        np.testing.assert_allclose(lengths, 30)
        text = describe(self.path('a.ACC'))
        for words in ('TEST', '3 dumps', 'not phased', '30 m to 60 m'):
            self.assertIn(words, text)

    def test_a_part_of_a_large_file(self):
        truth = write_acc(self.path('a.ACC'))
        vis = read_visibilities(self.path('a.ACC'), limit=2 * CHANNELS * 6 * 13)
        np.testing.assert_array_equal(vis.data, truth[::2])
        self.assertEqual(len(vis.times), 2)

    def test_known_bad_input_is_flagged(self):
        write_acc(self.path('a.ACC'), bad=[1])
        vis = read_visibilities(self.path('a.ACC'))
        i, j = vis.products
        np.testing.assert_array_equal(vis.flags[0, 0], (i == 1) | (j == 1))

    def test_without_side_file(self):
        truth = write_acc(self.path('a.ACC'))
        os.remove(self.path('a.ACC.yml'))
        self.assert_refused('is missing; say', self.path('a.ACC'))
        vis = read_visibilities(self.path('a.ACC'), inputs=ANTENNAS, channels=CHANNELS)
        np.testing.assert_array_equal(vis.data, truth)
        self.assertIsNone(vis.frequencies)
        self.assertFalse(vis.has_times)
        self.assert_refused('damaged', self.path('a.ACC'), inputs=4, channels=5)

    def test_unfinished(self):
        truth = write_acc(self.path('a.partial.ACC'))
        with open(self.path('a.partial.ACC'), 'r+b') as stream:
            stream.truncate(2 * 6 * CHANNELS * 8 + 100)
        vis = read_visibilities(self.path('a.partial.ACC'))
        self.assertTrue(vis.partial)
        np.testing.assert_array_equal(vis.data, truth[:2])
        self.assertEqual(len(vis.times), 2)

    def test_refused(self):
        path = self.path('a.ACC')
        write_acc(path)
        with open(path, 'r+b') as stream:
            stream.truncate(500)
        self.assert_refused('damaged, 500 bytes', path)
        with open(path, 'w'):
            pass
        self.assert_refused('is empty', path)
        for text in ('', 'hello', '[1', '{inputs: 3}', 'a: b: c'):
            with self.subTest(text):
                write_acc(path)
                with open(path + '.yml', 'w') as stream:
                    stream.write(text)
                self.assert_refused('does not describe an ACC file', path)
        with open(self.path('a.txt'), 'w'):
            pass
        self.assert_refused('known by their content', self.path('a.txt'))


class qa_info(folder_case):

    def test_units(self):
        for number, unit, words in ((1.57542e9, 'Hz', '1.57542 GHz'), (62.6e-6, 's', '62.6 µs'),
                                    (0.5, 's', '500 ms'), (7200, 's', '2 h'), (0, 'Hz', '0 Hz'),
                                    (999.99999999, 'm', '1 km')):
            self.assertEqual(with_unit(number, unit), words)
        self.assertEqual(with_unit(1.42000175e9, "Hz", 250), "1.42000175 GHz")

    def test_recording(self):
        path = self.path('two.cfile')
        np.zeros(2 * 1000, np.complex64).tofile(path)
        text = describe(path, inputs=2, sample_rate=1e4)
        for words in ('cf32', 'guessed by its ending', 'complex samples of 32 + 32 bits',
                      '1000 of each input', '10 kS/s', '100 ms'):
            self.assertIn(words, text)
        with self.assertRaisesRegex(ValueError, 'inputs=N'):
            describe(path)
        with self.assertRaisesRegex(ValueError, 'no recording format'):
            describe(path, format='mp3', inputs=2)

    def test_unknown_recording(self):
        with open(self.path('x.none'), 'wb') as stream:
            stream.write(b'RIFF')
        with self.assertRaisesRegex(ValueError, 'format=NAME, one of .*cf32'):
            describe(self.path('x.none'))
        with self.assertRaisesRegex(ValueError, 'is a folder'):
            describe(self.folder)
        with self.assertRaisesRegex(ValueError, 'no such file'):
            describe(self.path('none'))
        with open(self.path('x.hdf'), 'wb') as stream:
            stream.write(b'\x89HDF\r\n\x1a\n')
        self.assertEqual(recognize(self.path('x.hdf')), ('tart', 'by its content'))


if __name__ == '__main__':
    unittest.main()
