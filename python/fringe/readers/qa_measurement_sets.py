#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets of other shapes than ours: every index is followed, every reference is read.

The sets are written here with casacore, cell by cell, out of order, with rows in every subtable
that nothing names; each visibility tells where it belongs.
"""

import contextlib
import io
import os
import shutil
import unittest
import zlib

import numpy as np
from gnuradio.fringe.cli import main
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.visibility_files.read_visibilities import (
    read_dumps, read_parts, read_visibilities)
from gnuradio.fringe.readers.selection import several_parts
from qa_scratch import scratch_case
from qa_visibilities import fill, itrf

try:
    from casacore import tables
except ImportError:
    tables = None

C = 299792458.0
#: 2026-06-12T11:20:40 UTC in MJD seconds.
START = 61203 * 86400 + 11 * 3600 + 20 * 60 + 40
#: Antennas that rows name, by row of ANTENNA; the others stand at the center of the Earth.
USED = [1, 3, 4, 6]
PLACES = np.array([[0.0, 0, 0], [120, 15, 1], [-40, 210, 0], [90, -160, 2]])
#: Fields, windows and setups that rows name, by row of their tables.
FIELDS = {2: ('SRC', 1.0, 0.5), 4: ('CAL', 1.2, 0.4)}
WINDOWS = {1: 1.4e9 + 1e6 * np.arange(4), 3: 1.6e9 + 2e6 * np.arange(6)}
SETUPS = {1: 'RR RL LR LL'.split(), 2: 'RR LL'.split()}
HANDS = 'XYRL'
CODES = {'I': 1, 'Q': 2, 'U': 3, 'V': 4, 'RR': 5, 'RL': 6, 'LR': 7, 'LL': 8, 'XX': 9, 'XY': 10,
         'YX': 11, 'YY': 12}
#: DATA_DESC_ID: (window, setup); numbers 0 and 2 are named by no row.
KINDS = {0: (0, 0), 1: (3, 2), 2: (2, 0), 3: (1, 1), 4: (1, 2)}


def value(field, window, array, dump, first, second, channel, hands):
    """<x_1 conj(x_2)> of one product: another number for each, real for powers."""
    if first == second and hands[0] == hands[1]:
        return 100.0 + first + channel / 8
    words = repr((field, window, array, dump, first, second, channel, hands))
    key = zlib.crc32(words.encode()) % 2**20
    return complex(key % 1024, key // 1024)


def cell(field, window, array, dump, first, second, hands, channels):
    """[channel][correlation] of a row; what belongs to (second, first) is the conjugate."""
    found = np.empty((channels, len(hands)), np.complex64)
    for c in range(channels):
        for k, (p, q) in enumerate(hands):
            turned = (first, HANDS.index(p)) > (second, HANDS.index(q))
            key = (second, first, c, q + p) if turned else (first, second, c, p + q)
            number = value(field, window, array, dump, *key)
            found[c, k] = np.conj(number) if turned else number
    return found


class row_of:
    """One row of the table MAIN."""

    def __init__(self, field, kind, dump, first, second, array=0):
        self.field, self.kind, self.dump, self.array = field, kind, dump, array
        self.first, self.second = first, second  # numbers among those in use
        self.window, self.setup = KINDS[kind]

    def columns(self):
        hands, count = SETUPS[self.setup], len(WINDOWS[self.window])
        data = cell(self.field, self.window, self.array, self.dump, self.first, self.second, hands,
                    count)
        return {'DATA': data, 'FLAG': np.zeros(data.shape, bool), 'FLAG_ROW': False,
                'WEIGHT': np.full(len(hands), 2.0 + self.dump, np.float32),
                'SIGMA': np.ones(len(hands), np.float32),
                'UVW': PLACES[self.first] - PLACES[self.second], 'TIME': START + 0.5 + self.dump,
                'INTERVAL': 1.0, 'EXPOSURE': 0.75, 'FIELD_ID': self.field,
                'DATA_DESC_ID': self.kind, 'ARRAY_ID': self.array, 'OBSERVATION_ID': 1,
                'ANTENNA1': USED[self.first], 'ANTENNA2': USED[self.second]}


def everything(fields=FIELDS, kinds=(1, 3), dumps=3, arrays=(0,)):
    """Rows of all baselines, some the other way round, in no order."""
    rows = []
    for field in fields:
        for kind in kinds:
            for array in arrays:
                for dump in range(dumps):
                    for first in range(len(USED)):
                        for second in range(first, len(USED)):
                            pair = (second, first) if (first + second) % 2 else (first, second)
                            rows.append(row_of(field, kind, dump, *pair, array=array))
    return [rows[k] for k in np.random.default_rng(7).permutation(len(rows))]


def write_set(path, rows, more=()):
    """A MeasurementSet of some rows (columns of each); `more` columns as DATA is."""
    about = tables.required_ms_desc('MAIN')
    about.update(tables.maketabdesc([
        tables.makearrcoldesc(name, 0j, ndim=2, valuetype='complex') for name in ('DATA', *more)]))
    table = tables.default_ms(path, about)
    table.addrows(len(rows))
    for k, columns in enumerate(rows):
        for name, entry in columns.items():
            table.putcell(name, k, entry)
    table.close()
    antennas = [dict(NAME='unused', STATION='', POSITION=np.zeros(3)) for _ in range(max(USED) + 2)]
    for k, (row, place) in enumerate(zip(USED, itrf(PLACES))):
        antennas[row] = dict(NAME=f'T{k}', STATION=f'P{k}', POSITION=place)
    fill(path, 'ANTENNA', antennas)
    fields = [dict(NAME='unused', PHASE_DIR=np.array([[3.0, -1.0]])) for _ in range(6)]
    for row, (name, ra, dec) in FIELDS.items():
        fields[row] = dict(NAME=name, PHASE_DIR=np.array([[ra, dec]]))
    fill(path, 'FIELD', fields)
    windows = [dict(CHAN_FREQ=np.array([5e9]), CHAN_WIDTH=np.array([1e6]), NUM_CHAN=1,
                    NAME='unused', MEAS_FREQ_REF=5) for _ in range(5)]
    for row, hertz in WINDOWS.items():
        windows[row] = dict(CHAN_FREQ=hertz, CHAN_WIDTH=np.full(len(hertz), 1e6), NAME=f'W{row}',
                            NUM_CHAN=len(hertz), MEAS_FREQ_REF=5)
    fill(path, 'SPECTRAL_WINDOW', windows)
    setups = [dict(NUM_CORR=1, CORR_TYPE=[9])] + [
        dict(NUM_CORR=len(hands), CORR_TYPE=[CODES[two] for two in hands])
        for _, hands in sorted(SETUPS.items())]
    fill(path, 'POLARIZATION', setups)
    fill(path, 'DATA_DESCRIPTION', [dict(SPECTRAL_WINDOW_ID=window, POLARIZATION_ID=setup)
                                    for _, (window, setup) in sorted(KINDS.items())])
    fill(path, 'OBSERVATION', [dict(TELESCOPE_NAME='WRONG'), dict(TELESCOPE_NAME='RIGHT')])


def change(path, name, column, row, entry):
    table = tables.table(os.path.join(path, name), readonly=False, ack=False)
    table.putcell(column, row, entry)
    table.close()


class set_case(scratch_case):

    def made(self, rows, name='a.ms', **more):
        path = self.path(name)
        write_set(path, [row.columns() if isinstance(row, row_of) else row for row in rows],
                  **more)
        return path

    def assert_refused(self, words, path, **chosen):
        with self.assertRaisesRegex(ValueError, words) as caught:
            read_visibilities(path, **chosen)
        self.assertIn(path, str(caught.exception))
        return caught.exception

    def assert_right(self, vis, field, window, array=0, dumps=range(3), setup=None):
        """Every visibility of a part is where its number says; there is nothing else."""
        self.assertEqual(vis.phase_center, FIELDS[field])
        np.testing.assert_array_equal(vis.frequencies, WINDOWS[window])
        i, j = vis.products
        for d, dump in enumerate(dumps):
            for p in range(len(i)):
                (a, first), (b, second) = vis.inputs[i[p]], vis.inputs[j[p]]
                there = first + second in setup
                self.assertEqual(vis.flags[d, :, p].any(), not there, (a, b, first, second))
                for c in range(len(vis.frequencies) if there else 0):
                    self.assertEqual(
                        vis.data[d, c, p],
                        np.complex64(value(field, window, array, dump, a, b, c,
                                           first + second)))
                    self.assertEqual(vis.weights[d, c, p], 2 + dump)


@unittest.skipIf(tables is None, 'python3-casacore is not installed')
class qa_indices(set_case):

    def test_every_index_is_followed(self):
        path = self.made(everything(arrays=(0, 1)))
        for field, (name, _, _) in FIELDS.items():
            for spw, kind in ((1, 3), (3, 1)):
                for array in (0, 1):
                    vis = read_visibilities(path, field=name, spw=spw, subarray=str(array))
                    self.assert_right(vis, field, spw, array, setup=SETUPS[KINDS[kind][1]])
                    self.assertEqual(vis.telescope, 'RIGHT')
                    self.assertEqual(vis.antennas, ['T0', 'T1', 'T2', 'T3'])
                    self.assertEqual(vis.selection.keywords(), dict(
                        field=field, spw=spw, subarray=array, column='DATA'))
                    apart = np.linalg.norm(vis.positions[1] - vis.positions[0])
                    self.assertAlmostEqual(apart, np.linalg.norm(PLACES[1] - PLACES[0]), 3)
                    np.testing.assert_allclose(
                        vis.uvw[:, 1:] - vis.uvw[:, :1],
                        np.broadcast_to(PLACES[1:] - PLACES[0], (3, 3, 3)), atol=1e-9)
                    self.assertEqual(str(vis.times[1]), '2026-06-12T11:20:41.500000000')

    def test_parts_are_listed(self):
        path = self.made(everything(arrays=(0, 1)))
        parts = {(vis.selection.field, vis.selection.spw, vis.selection.subarray)
                 for vis in read_parts(path)}
        self.assertEqual(parts, {(f, w, a) for f in FIELDS for w in WINDOWS for a in (0, 1)})
        self.assertEqual(len(read_parts(path, field='SRC', spw=3)), 2)
        words = describe(path, field=4)
        self.assertEqual(words.count('CAL'), 4)
        self.assertIn('field 4, spw 3, subarray 1 (--field --spw --subarray)', words)
        self.assertNotIn('--field', describe(path, field=4, spw=3, subarray=1))
        self.assert_refused('column=MODEL_DATA: is not in the set', path, field=4, spw=1,
                            subarray=0, column='MODEL_DATA')
        with self.assertRaisesRegex(ValueError, 'column=MODEL_DATA: is not in the set'):
            describe(path, column='MODEL_DATA')
        error = self.assert_refused(r'holds 2 fields: 2 SRC \(57.2958 \+28.6479\); 4 CAL '
                                    r'\(68.7549 \+22.9183\); choose one with field', path)
        self.assertIsInstance(error, several_parts)
        self.assert_refused(r'holds 2 spectral windows: 1 W1 \(4 channels, 1400 to 1403 MHz\); '
                            r'3 W3 \(6 channels, 1600 to 1610 MHz\)', path, field='CAL')
        self.assert_refused('holds 2 subarrays: 0; 1; choose', path, field='CAL', spw='W1')
        self.assert_refused('field=XYZ: is not in the file, which holds 2 SRC', path, field='XYZ')
        self.assert_refused('subarray=7: is not in the file', path, subarray=7)
        for words, sentence in (((), 'choose one with --field'),
                                (('--field', '9'), ': --field 9: is not in the file')):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = main(['image', path, '-o', self.path('x.fits'), *words])
            self.assertEqual(code, 2)
            self.assertIn(sentence, errors.getvalue())

    def test_a_choice_may_leave_one_of_the_others(self):
        path = self.made(everything({2: 0}, (1,)) + everything({4: 0}, (3,)))
        self.assert_right(read_visibilities(path, spw=1), 4, 1, setup=SETUPS[1])
        self.assert_right(read_visibilities(path, spw='W3'), 2, 3, setup=SETUPS[2])

    def test_names_and_numbers(self):
        path = self.made(everything(kinds=(3,)))
        change(path, 'FIELD', 'NAME', 2, '4')
        self.assertEqual(read_visibilities(path, field='4').selection.field, 2)
        self.assertEqual(read_visibilities(path, field=4).selection.field, 4)
        change(path, 'FIELD', 'NAME', 4, '4')
        self.assert_refused('there are 2 of this name: choose by number', path, field='4')
        change(path, 'ANTENNA', 'NAME', USED[1], 'T0')
        self.assertEqual(read_visibilities(path, field=4).antennas, ['T0@P0', 'T0@P1', 'T2', 'T3'])

    def test_dumps_of_a_described_set(self):
        path = self.made(everything(arrays=(0, 1)))
        chosen = dict(field='SRC', spw=1, subarray='1')
        described = read_visibilities(path, with_data=False, **chosen)
        for dumps in (range(0, 2), range(1, 3)):
            found = read_dumps(described, dumps)
            wanted = read_visibilities(path, dumps=dumps, **chosen)
            for name in ('data', 'weights', 'flags', 'uvw', 'seconds', 'frequencies'):
                np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
            self.assertEqual((found.first_dump, found.remarks), (dumps.start, wanted.remarks))
        # Another set in its place is looked at anew.
        os.rename(path, path + '.old')
        shutil.copytree(path + '.old', path)
        with tables.table(path, readonly=False, ack=False) as main:
            for row in range(main.nrows()):
                main.putcell('DATA', row, 2 * main.getcell('DATA', row))
        np.testing.assert_array_equal(read_dumps(described, dumps).data, 2 * wanted.data)

    def test_the_others_are_not_read(self):
        rows = [row.columns() for row in everything(kinds=(3,))]
        for columns in rows:
            if columns['FIELD_ID'] == 4:
                del columns['DATA']
        path = self.made(rows)
        self.assert_right(read_visibilities(path, field='SRC'), 2, 1, setup=SETUPS[1])
        self.assert_refused('holds no visibilities', path, field='CAL')

    def test_setups_of_one_window_are_put_together(self):
        rows = [row for row in everything({2: 0}, (3,)) if row.dump != 1]
        rows += [row for row in everything({2: 0}, (4,)) if row.dump == 1]
        vis = read_visibilities(self.made(rows))
        self.assertEqual(vis.data.shape[:2], (3, 4))
        i, j = vis.products
        for dump, setup in ((0, 1), (1, 2), (2, 1)):
            for p in range(len(i)):
                (_, first), (_, second) = vis.inputs[i[p]], vis.inputs[j[p]]
                there = first + second in SETUPS[setup]
                self.assertEqual(vis.flags[dump, :, p].all(), not there)

    def test_repeated_rows_are_dumps_of_their_own(self):
        rows = [row.columns() for row in everything({2: 0}, (3,), dumps=2)]
        again = [dict(row.columns(), DATA=2 * row.columns()['DATA'])
                 for row in everything({2: 0}, (3,), dumps=1) if row.first != row.second]
        vis = read_visibilities(self.made(rows + again))
        self.assertEqual([str(t)[17:19] for t in vis.times], ['40', '40', '41'])
        cross = vis.products[0] != vis.products[1]
        used = ~vis.flags[1]
        np.testing.assert_array_equal(vis.data[1][used], 2 * vis.data[0][used])
        self.assertTrue(used.any() and not used[:, ~cross].any())
        self.assertIn(f'{len(again)} of its rows repeat', vis.remarks[0])

    def test_flagged_rows(self):
        rows = [row.columns() for row in everything({2: 0}, (3,))]
        rows[5]['FLAG_ROW'] = True
        first, second = (USED.index(rows[5][name]) for name in ('ANTENNA1', 'ANTENNA2'))
        vis = read_visibilities(self.made(rows))
        dump = int(rows[5]['TIME'] - START - 0.5)
        i, j = vis.products
        here = [p for p in range(len(i)) if {vis.inputs[i[p]][0], vis.inputs[j[p]][0]}
                == {first, second}]
        self.assertTrue(vis.flags[dump][:, here].all())
        self.assertFalse(vis.flags[(dump + 1) % 3][:, here].all())

    def test_cells_of_other_shapes(self):
        for name, column, row, entry, sentence in (
                ('FIELD', 'PHASE_DIR', 2, np.zeros((1, 3)), 'has 1 x 3 values; it must have n x 2'),
                ('SPECTRAL_WINDOW', 'CHAN_FREQ', 1, np.zeros(3), '3 x 4|4 x 4'),
                ('SPECTRAL_WINDOW', 'CHAN_FREQ', 1, np.zeros(0), 'has 0 values'),
                ('POLARIZATION', 'CORR_TYPE', 1, [5], '4 x 4 values; it must have 4 x 1'),
                ('', 'DATA', 3, np.zeros((4, 2), np.complex64), 'DATA'),
                ('', 'FLAG', 3, np.zeros((2, 4), bool), 'FLAG'),
                ('', 'WEIGHT', 3, np.ones(3, np.float32), 'WEIGHT')):
            path = self.made(everything({2: 0}, (3,), 1), f'{column}{np.size(entry)}.ms')
            change(path, name, column, row, entry)
            self.assert_refused(f'damaged, .*{sentence}', path)

    def test_what_rows_name_that_is_not_there(self):
        for column, table in (('FIELD_ID', 'FIELD'), ('ANTENNA1', 'ANTENNA'),
                              ('DATA_DESC_ID', 'DATA_DESCRIPTION')):
            rows = [row.columns() for row in everything({2: 0}, (3,), 1)]
            rows[3][column] = 77
            self.assert_refused(f'{column}.* names row 77 of the table {table}',
                                self.made(rows, f'{column}.ms'))
        path = self.made(everything({2: 0}, (3,), 1), 'observation.ms')
        change(path, '', 'OBSERVATION_ID', 2, 0)
        self.assertEqual(read_visibilities(path).telescope, 'WRONG and RIGHT')
        rows = [row.columns() for row in everything({2: 0}, (3,), 1)]
        rows[3]['FEED1'] = 1
        self.assert_refused('has rows of the feeds 0, 1', self.made(rows, 'feeds.ms'))


if __name__ == '__main__':
    unittest.main()
