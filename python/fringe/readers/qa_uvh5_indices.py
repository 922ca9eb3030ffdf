#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVH5 files of other programs: every index of a row is followed. The files are written by h5py;
the value of each visibility says to which phase center, window and baseline it belongs."""

import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.readers.moving_places import moved_by_proper_motion, place_at
from gnuradio.fringe.readers.selection import several_parts, wrong_part
from qa_scratch import scratch_case

try:
    import h5py
except ImportError:
    h5py = None
try:
    from astropy.coordinates import SkyCoord
except ImportError:
    SkyCoord = None

#: 2026-03-01, as a Julian date, and as seconds since 1970 (date -u -d 2026-03-01 +%s).
JD, SECONDS = 2461100.5, 1772323200
CHANNELS, WIDTH, FIRST = 6, 125e3, 1.4e9
#: Numbers of the antennas: neither in order, nor from 0 on, and one is never used.
NUMBERS = (12, 5, 40, 7)
PLACES = np.array([[0.0, 0, 0], [60, 10, 0], [500, 500, 0], [-35, 80, 1]])
PAIRS = ((12, 5), (12, 7), (5, 7))


def value_of(center, first, second, channel):
    """In the file: <conj(x_1) x_2>."""
    return 1000 * center + channel + 1j * (40 * first + second)


def sidereal(name, lon, lat, **more):
    """An entry of the catalogue."""
    return {'cat_name': name, 'cat_type': 'sidereal', 'cat_lon': lon, 'cat_lat': lat,
            'cat_frame': 'icrs', 'cat_epoch': 2000.0, **more}


def rows_of(center, first=0.0, count=2, step=10.0):
    """(phase center, time in s, antennas) of all baselines."""
    return [(center, first + k * step, a, b) for k in range(count) for a, b in PAIRS]


def write(path, rows, catalogue, codes=(-5,), header=(), leave=()):
    """A UVH5 file of rows."""
    center, time, first, second = (np.array(column) for column in zip(*rows))
    data = np.zeros((len(rows), CHANNELS, len(codes)), complex)
    for row, of, a, b in zip(data, center, first, second):
        row[...] = value_of(of, a, b, np.arange(CHANNELS))[:, None] + 0.25 * np.arange(len(codes))
    index = {number: k for k, number in enumerate(NUMBERS)}
    apart = np.array([PLACES[index[b]] - PLACES[index[a]] for a, b in zip(first, second)])
    values = {
        'Nblts': len(rows), 'ant_1_array': first, 'ant_2_array': second,
        'time_array': JD + time / 86400, 'integration_time': np.full(len(rows), 10.0),
        'uvw_array': apart, 'phase_center_id_array': center, 'antenna_numbers': NUMBERS,
        'antenna_names': np.array([f'A{number}' for number in NUMBERS], 'S'),
        'antenna_positions': np.roll(PLACES, 1, axis=1), 'latitude': 0.0, 'longitude': 0.0,
        'altitude': 0.0, 'telescope_name': b'T', 'polarization_array': codes,
        'freq_array': FIRST + WIDTH * np.arange(CHANNELS),
        'channel_width': np.full(CHANNELS, WIDTH), 'spw_array': [0], **dict(header)}
    with h5py.File(path, 'w') as file:
        for name, value in values.items():
            if name not in leave:
                file[f'Header/{name}'] = value
        for key, entry in catalogue.items():
            for name, value in entry.items():
                value = value.encode() if isinstance(value, str) else value
                file[f'Header/phase_center_catalog/{key}/{name}'] = value
        file['Data/visdata'] = data
        file['Data/flags'] = np.zeros(data.shape, bool)
        file['Data/nsamples'] = np.ones(data.shape, 'f4')
    return path


@unittest.skipIf(h5py is None, 'python3-h5py is not installed')
class qa_uvh5_indices(scratch_case):
    seed = 20260301
    SKY = {3: sidereal('OTHER', 2.6, 0.2), 8: sidereal('TGT', 2.1, 0.7),
           5: sidereal('CAL', 1.5, -0.3)}

    def written(self, rows, catalogue=None, **words):
        return write(self.path('x.uvh5'), rows, catalogue or self.SKY, **words)

    def assert_holds(self, vis, center, channels=range(CHANNELS), count=2):
        """Each visibility is the one of its phase center, baseline and channel."""
        self.assertEqual(vis.data.shape[:2], (count, len(channels)))
        i, j = vis.products
        self.assertEqual(np.count_nonzero(i != j), 3)
        for k in np.flatnonzero(i != j):
            first, second = (int(vis.antennas[vis.inputs[at[k]][0]][1:]) for at in (i, j))
            wanted = value_of(center, first, second, np.array(channels)).conj()
            if (first, second) not in PAIRS:
                wanted = value_of(center, second, first, np.array(channels))
            np.testing.assert_array_equal(vis.data[:, :, k], np.tile(wanted, (count, 1)))
            self.assertFalse(vis.flags[:, :, k].any())

    def test_the_phase_center_that_rows_name(self):
        vis = fringe.read_visibilities(self.written(rows_of(8)))
        self.assert_holds(vis, 8)
        self.assertEqual(vis.phase_center, ('TGT', 2.1, 0.7))
        self.assertEqual([vis.antennas[a] for a, _ in vis.inputs], ['A12', 'A5', 'A7'])

    def test_phase_centers_are_chosen(self):
        # Rows of both, and of all times, in a random order.
        rows = rows_of(8) + rows_of(5, first=1e3)
        path = self.written([rows[k] for k in self.rng.permutation(len(rows))])
        with self.assertRaisesRegex(several_parts, 'holds 2 fields: 5 CAL .*; 8 TGT .*; choose'):
            fringe.read_visibilities(path)
        for chosen, number, first in (('CAL', 5, 1000), (5, 5, 1000), ('TGT', 8, 0), ('8', 8, 0)):
            vis = fringe.read_visibilities(path, field=chosen)
            self.assert_holds(vis, number)
            self.assertEqual(vis.phase_center[1:], tuple(
                self.SKY[number][name] for name in ('cat_lon', 'cat_lat')))
            # A Julian date in a double resolves 40 us.
            np.testing.assert_allclose(vis.seconds - SECONDS + vis.fractions, (first, first + 10),
                                       rtol=0, atol=5e-5)
            again = fringe.read_visibilities(path, **vis.selection.keywords())
            np.testing.assert_array_equal(again.data, vis.data)
        with self.assertRaisesRegex(wrong_part, 'field=OTHER: is not in the file'):
            fringe.read_visibilities(path, field='OTHER')  # no row is of it
        text = describe(path)
        self.assertIn('TGT, right ascension 120.3211', text)
        self.assertIn('CAL, right ascension 85.9437', text)

    def test_choices_that_no_file_of_this_kind_has(self):
        for words, sentence in (({'subarray': 1}, 'subarray=1: a UVH5 file has no subarrays'),
                                ({'column': 'DATA'}, 'column=DATA: a UVH5 file has one column')):
            with self.assertRaisesRegex(wrong_part, sentence):
                fringe.read_visibilities(self.written(rows_of(8)), **words)

    def test_a_number_that_is_not_in_the_catalogue(self):
        with self.assertRaisesRegex(ValueError, 'phase_center_id_array: 4: is not in '
                                                'phase_center_catalog, which has 3, 5, 8'):
            fringe.read_visibilities(self.written(rows_of(4)))
        with self.assertRaisesRegex(ValueError, 'has 3 entries, and no phase_center_id_array'):
            fringe.read_visibilities(self.written(rows_of(8), leave=('phase_center_id_array',)))

    def test_a_catalogue_by_names(self):
        # As pyuvdata 2.2 wrote it.
        sky = {'first': sidereal('OTHER', 2.6, 0.2, cat_id=0),
               'second': sidereal('TGT', 2.1, 0.7, cat_id=8)}
        self.assertEqual(fringe.read_visibilities(self.written(rows_of(8), sky)).phase_center,
                         ('TGT', 2.1, 0.7))

    def test_kinds_of_phase_centers(self):
        zenith = {'cat_name': 'zenith', 'cat_lon': 0.0, 'cat_lat': np.pi / 2, 'cat_frame': 'altaz'}
        for kind in ('unprojected', 'unphased'):
            vis = fringe.read_visibilities(self.written(rows_of(0), {
                0: {**zenith, 'cat_type': kind}, 8: self.SKY[8]}))
            self.assertIsNone(vis.phase_center)
            self.assertIsNone(vis.uvw)
        for kind, words in (('driftscan', 'cat_type driftscan: .* azimuth 17.2 elevation 68.8'),
                            ('near_field', 'cat_type near_field: .* curved wave'),
                            ('comet', 'cat_type comet; sidereal, ephem and unprojected are read')):
            entry = {**zenith, 'cat_type': kind, 'cat_lon': 0.3, 'cat_lat': 1.2}
            with self.assertRaisesRegex(ValueError, words):
                fringe.read_visibilities(self.written(rows_of(0), {0: entry}))

    def test_a_phase_center_that_moves(self):
        # Linear in time: at 10 s, one third of 30 s.
        times = JD + np.array([-30.0, 0.0, 30.0, 60.0]) / 86400
        entry = {'cat_name': 'sat', 'cat_type': 'ephem', 'cat_frame': 'icrs', 'cat_times': times,
                 'cat_lon': np.array([1.9, 2.0, 2.1, 2.2]), 'cat_lat': np.zeros(4),
                 'cat_epoch': h5py.Empty('f8')}
        vis = fringe.read_visibilities(self.written(rows_of(1, first=10.0), {1: entry}))
        # A Julian date resolves 40 us, in which it moves by 1.3e-7.
        np.testing.assert_allclose(vis.phase_center[1:], (2.0 + 0.1 / 3, 0.0), atol=1e-6)
        self.assertIn('moves', vis.remarks[0])
        with self.assertRaisesRegex(ValueError, 'cat_times: end 900 s away from the data'):
            fringe.read_visibilities(self.written(rows_of(1, first=960.0), {1: entry}))

    def test_a_parabola_through_three_places(self):
        t = np.array([0.0, 10, 20, 30])
        lon, lat = place_at('p', 'w', t, 1e-3 * (t + 0.1 * t**2), np.zeros(4), 14.0)
        self.assertAlmostEqual(lon, 1e-3 * (14 + 0.1 * 14**2), delta=1e-14)
        self.assertAlmostEqual(lat, 0.0, delta=1e-14)
        # Over the pole: 0.1 rad before it, at it, 0.1 rad behind it.
        lon, lat = place_at('p', 'w', t[:3], np.array([1.0, 1, 1 + np.pi]), np.array(
            [np.pi / 2 - 0.1, np.pi / 2, np.pi / 2 - 0.1]), 15.0)
        np.testing.assert_allclose((lon, lat), (1 + np.pi, np.pi / 2 - 0.05), rtol=1e-14)

    def test_proper_motion(self):
        # astropy 5.2, SkyCoord.apply_space_motion: 2 pc away, approaching at -100 km/s.
        lon, lat = moved_by_proper_motion(2.0, 0.6, -3000.0, 2000.0, 100.0, 2.0, 26.1619895)
        self.assertAlmostEqual(lon, 1.9995394984814, delta=5e-9)  # 1 mas
        self.assertAlmostEqual(lat, 0.6002532855450, delta=5e-9)
        entry = sidereal('near', 2.0, 0.6, cat_pm_ra=-3000.0, cat_pm_dec=2000.0)
        vis = fringe.read_visibilities(self.written(rows_of(1), {1: entry}))
        # 26.16 years by hand, along the great circle to first order.
        mas = np.pi / 648e6
        self.assertAlmostEqual(vis.phase_center[1], 2.0 - 26.16 * 3000 * mas / np.cos(0.6),
                               delta=2e-6)
        self.assertAlmostEqual(vis.phase_center[2], 0.6 + 26.16 * 2000 * mas, delta=2e-6)

    def test_frames(self):
        # astropy 5.2: SkyCoord(...).icrs of 120 +40 degrees; FK4 within 1.4 mas.
        lon, lat = np.radians(120), np.radians(40)
        for frame, epoch, wanted in (('fk4', 1950.0, (120.841493, 39.859062)),
                                     ('fk5', 2026.2, (119.557945, 40.072446)),
                                     ('fk5', 'J2026.2', (119.557945, 40.072446)),
                                     ('icrs', h5py.Empty('f8'), (120, 40))):
            entry = sidereal('S', lon, lat, cat_frame=frame, cat_epoch=epoch)
            vis = fringe.read_visibilities(self.written(rows_of(1), {1: entry}))
            np.testing.assert_allclose(np.degrees(vis.phase_center[1:]), wanted, rtol=0, atol=1e-6)
            self.assertEqual(len(vis.remarks), frame != 'icrs')
            if frame != 'icrs' and epoch != 'J2026.2':
                old = {'phase_type': b'phased', 'object_name': b'S', 'phase_center_ra': lon,
                       'phase_center_dec': lat, 'phase_center_epoch': epoch}
                for words in ({}, {'phase_center_frame': frame}):
                    vis = fringe.read_visibilities(self.written(rows_of(1), {'': {}}, header={
                        **old, **words}, leave=('phase_center_id_array',)))
                    np.testing.assert_allclose(np.degrees(vis.phase_center[1:]), wanted, rtol=0,
                                               atol=1e-6)
        entry = sidereal('S', lon, lat, cat_frame='gcrs')
        with self.assertRaisesRegex(ValueError, 'catalog/1: is in the frame gcrs; what is read'):
            fringe.read_visibilities(self.written(rows_of(1), {1: entry}))

    @unittest.skipUnless(SkyCoord, 'astropy is not installed')
    def test_the_north_of_uvw_is_that_of_their_frame(self):
        # v points to the pole of B1950, at a position angle that astropy tells.
        place = SkyCoord(120, 40, unit='deg', frame='fk4', equinox='B1950').icrs
        pole = SkyCoord(0, 90, unit='deg', frame='fk4', equinox='B1950').icrs
        angle = place.position_angle(pole).rad
        entry = sidereal('S', np.radians(120), np.radians(40), cat_frame='fk4', cat_epoch=1950.0)
        vis = fringe.read_visibilities(self.written(rows_of(1), {1: entry}))
        plain = fringe.read_visibilities(self.written(rows_of(8)))
        u, v, w = np.moveaxis(plain.uvw, -1, 0)
        east, north = np.sin(angle), np.cos(angle)
        wanted = np.stack([u * north + v * east, v * north - u * east, w], axis=-1)
        # Elliptic aberration moves pole and place by 0.34 arcsec, 1.7e-6 of 120 m.
        np.testing.assert_allclose(vis.uvw, wanted, atol=2e-4)
        self.assertGreater(abs(angle), 3e-3)

    def test_windows_of_channels(self):
        frequencies = FIRST + np.array([5e6, 5.1e6, 0, 1e5, 2e5, 5.2e6])
        words = dict(spw_array=[7, 2], flex_spw_id_array=[7, 7, 2, 2, 2, 7],
                     freq_array=frequencies, flex_spw=True)
        path = self.written(rows_of(8), header=words)
        whole = fringe.read_visibilities(path)
        self.assert_holds(whole, 8)
        np.testing.assert_array_equal(whole.frequencies, frequencies)
        for number, channels in ((7, [0, 1, 5]), (2, [2, 3, 4])):
            vis = fringe.read_visibilities(path, spw=number)
            self.assert_holds(vis, 8, channels)
            np.testing.assert_array_equal(vis.frequencies, frequencies[channels])
        with self.assertRaisesRegex(wrong_part, 'spw=3: is not in the file, which holds 7 .*; 2'):
            fringe.read_visibilities(path, spw=3)
        for change, words in (({'flex_spw_id_array': [7, 7, 2, 2, 2, 9]}, '9: is not in spw_array'),
                              ({'spw_array': [7, 2]}, 'no flex_spw_id_array')):
            with self.assertRaisesRegex(ValueError, words):
                fringe.read_visibilities(self.written(
                    rows_of(8), header={'spw_array': [7, 2], **change}))

    def test_some_windows(self):
        words = dict(spw_array=[7, 2, 4], flex_spw_id_array=[7, 7, 2, 4, 2, 4], flex_spw=True,
                     freq_array=FIRST + 1e5 * np.arange(6))
        path = self.written(rows_of(8), header=words)
        for spw, channels in (('7,4', [0, 1, 3, 5]), ('4, 7', [0, 1, 3, 5]), ((2,), [2, 4])):
            vis = fringe.read_visibilities(path, spw=spw)
            self.assert_holds(vis, 8, channels)
            again = fringe.read_visibilities(path, **vis.selection.keywords())
            np.testing.assert_array_equal(again.data, vis.data)
        self.assertEqual(fringe.read_visibilities(path, spw='2,4,7').selection.spw, 'all')
        with self.assertRaisesRegex(wrong_part, 'spw=3: is not in the file'):
            fringe.read_visibilities(path, spw='7,3')

    def test_windows_of_polarizations(self):
        # The same frequencies twice: XX and YY.
        words = dict(spw_array=[0, 1], flex_spw_id_array=[0, 0, 0, 1, 1, 1],
                     freq_array=FIRST + WIDTH * np.arange(3).repeat(2).reshape(3, 2).T.ravel(),
                     flex_spw_polarization_array=[-5, -6])
        path = self.written(rows_of(8), codes=[0], header=words)
        with self.assertRaisesRegex(several_parts, 'holds 2 spectral windows: .*XX.*; .*YY'):
            fringe.read_visibilities(path)
        for number, hand, channels in ((0, 'X', [0, 1, 2]), (1, 'Y', [3, 4, 5])):
            vis = fringe.read_visibilities(path, spw=number)
            self.assert_holds(vis, 8, channels)
            self.assertEqual({pol for _, pol in vis.inputs}, {hand})

    def test_stokes(self):
        vis = fringe.read_visibilities(self.written(rows_of(8), codes=[1, 2, 3, 4]))
        self.assertEqual([pol for _, pol in vis.inputs], ['I'] * 3)
        self.assert_holds(vis, 8)
        self.assertIn('Stokes Q, U, V beside I are not read', vis.remarks)
        for codes, words in (([2, 3], 'polarization_array: holds Stokes Q, U without I'),
                             ([-9], 'polarization -9 is no correlation'),
                             ([-5, -5], 'polarization -5 twice')):
            with self.assertRaisesRegex(ValueError, words):
                fringe.read_visibilities(self.written(rows_of(8), codes=codes))

    def test_rows_that_repeat_become_dumps(self):
        vis = fringe.read_visibilities(self.written(rows_of(8) + rows_of(8, count=1)))
        self.assert_holds(vis, 8, count=3)
        self.assertIn('3 of its rows repeat', vis.remarks[0])

    def test_times_that_differ_by_their_rounding_are_a_dump(self):
        rows = [(center, time + 4e-5 * (k % 2), first, second)
                for k, (center, time, first, second) in enumerate(rows_of(8))]
        self.assert_holds(fringe.read_visibilities(self.written(rows)), 8)

    def test_rows_without_samples_count_alike(self):
        path = self.written(rows_of(8))
        with h5py.File(path, 'r+') as file:
            file['Data/nsamples'][...] = 0
            file['Data/flags'][0] = True
        vis = fringe.read_visibilities(path)
        i, j = vis.products
        self.assertTrue((vis.weights[1][:, i != j] == 1).all())
        self.assertEqual(vis.flags[0, 0, i != j].tolist(), [True, False, False])
        self.assertIn('no weight in it is positive', vis.remarks[0])

    def test_words_of_the_header(self):
        for name, value, words in (('telescope_frame', b'mcmf', 'telescope_frame: mcmf: must be'),
                                   ('vis_units', b'furlong', 'vis_units: furlong: must be'),
                                   ('x_orientation', b'up', 'x_orientation: up: must be')):
            with self.assertRaisesRegex(ValueError, words):
                fringe.read_visibilities(self.written(rows_of(8), header={name: value}))
        vis = fringe.read_visibilities(self.written(rows_of(8), header={
            'vis_units': b'Jy', 'x_orientation': b'east', 'eq_coeffs': np.full((4, 6), 2.0)}))
        self.assertEqual(vis.unit, 'Jy')
        self.assertEqual(vis.remarks, ['the gains in eq_coeffs are still in the visibilities',
                                       'its X point east'])

    def test_models_go_into_the_rows_that_were_read(self):
        rows = rows_of(8) + rows_of(5, first=1e3)
        path = self.written([rows[k] for k in self.rng.permutation(len(rows))], header=dict(
            spw_array=[7, 2], flex_spw_id_array=[7, 7, 2, 2, 2, 7]))
        with open(self.path('sky.yml'), 'w', encoding='utf-8') as file:
            file.write('site: {latitude: 0, longitude: 0}\nantennas: [[0, 0, 0], [1, 1, 0]]\n'
                       'sample_rate: 1e6\ncenter_frequency: 1.4e9\nphase_center: '
                       f'{{ra: {np.degrees(1.5)}, dec: {np.degrees(-0.3)}}}\n'
                       'sky: {sources: [{l: 0, m: 0, flux: 2.0}]}\n')
        made = self.path('made.uvh5')
        self.assertEqual(main(['predict', self.path('sky.yml'), path, '-o', made, '--field', 'CAL',
                               '--spw', '2']), 0)
        vis = fringe.read_visibilities(made, field='CAL', spw=2)
        i, j = vis.products
        np.testing.assert_allclose(vis.data[:, :, i != j], 2.0, atol=1e-5)
        self.assert_holds(fringe.read_visibilities(made, field='CAL', spw=7), 5, [0, 1, 5])
        self.assert_holds(fringe.read_visibilities(made, field='TGT'), 8)

    def test_files_of_one_phase_center_are_joined(self):
        rows = rows_of(8) + rows_of(5, first=1e3)
        paths = []
        for number in (1, 0):
            frequencies = FIRST + WIDTH * np.arange(number * CHANNELS, (number + 1) * CHANNELS)
            paths.append(write(self.path(f'{number}.uvh5'), rows, self.SKY,
                               header={'freq_array': frequencies, 'Nfreqs': CHANNELS, 'Ntimes': 4}))
        joined = self.path('joined.uvh5')
        fringe.join(paths, joined, field='CAL')
        vis = fringe.read_visibilities(joined)
        self.assertEqual(vis.phase_center, ('CAL', 1.5, -0.3))
        np.testing.assert_array_equal(vis.frequencies, FIRST + WIDTH * np.arange(2 * CHANNELS))
        parts = [fringe.read_visibilities(path, field='CAL').data for path in reversed(paths)]
        np.testing.assert_array_equal(vis.data, np.concatenate(parts, axis=1))


if __name__ == '__main__':
    unittest.main()
