#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dirty images of skies computed baseline by baseline, and of a real one."""

import cmath
import json
import math
import os
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.images.imaging import (check_sources, dirty_image, find_sources, peaks,
                                            true_positions)
from gnuradio.fringe.readers.visibilities import visibilities

SPEED_OF_LIGHT = 299792458.0
DATA = os.environ.get('FRINGE_TEST_DATA', os.path.join(
    os.path.dirname(os.path.realpath(__file__)), '..', '..', '..', '..', 'shared', 'data'))
SKY = [('A', 0.30, 0.20, 1.0), ('B', -0.52, 0.11, 0.5), ('C', 0.10, -0.61, 0.3)]


def array(antennas, extent, seed=3, height=0.4):
    """Positions east, north, up in meters of antennas on a disc."""
    generator = np.random.default_rng(seed)
    radius = extent / 2 * np.sqrt(generator.uniform(0.02, 1, antennas))
    angle = generator.uniform(0, 2 * np.pi, antennas)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle),
                     generator.normal(0, height, antennas)], axis=1)


def synthetic(positions, sky, frequencies, hands='X', dumps=1, noise=0.0, turn=None, seed=1):
    """`visibilities` of point sources (name, l, m, flux), one baseline at a time.

    turn: rotation of (east, north, up) onto (u, v, w); sources are then given around that w
    and the visibilities are phased to it.
    """
    antennas = len(positions)
    inputs = [(a, hand) for a in range(antennas) for hand in hands]
    places = positions if turn is None else positions @ turn.T
    total = 1 + sum(s[3] for s in sky)
    generator = np.random.default_rng(seed)
    data = np.zeros((dumps, len(frequencies), len(inputs) * (len(inputs) + 1) // 2), complex)
    product = 0
    for i, (a, hand_a) in enumerate(inputs):
        for b, hand_b in inputs[i:]:
            baseline = places[a] - places[b]
            for k, f in enumerate(frequencies):
                value = 0
                for _, l, m, flux in sky:
                    n = math.sqrt(1 - l * l - m * m) - (0 if turn is None else 1)
                    path = baseline[0] * l + baseline[1] * m + baseline[2] * n
                    value += flux * cmath.exp(2j * cmath.pi * f * path / SPEED_OF_LIGHT)
                data[:, k, product] = value if hand_a == hand_b else 0
            if (a, hand_a) == (b, hand_b):
                data[:, :, product] = total
            elif noise:
                scatter = generator.normal(0, noise, (2, dumps, len(frequencies)))
                data[:, :, product] += scatter[0] + 1j * scatter[1]
            product += 1
    return visibilities(
        path='synthetic.ms', telescope='Synthetic array',
        antennas=[f'A{a:02}' for a in range(antennas)], inputs=inputs,
        frequencies=np.asarray(frequencies, float), positions=positions,
        seconds=1700000000 + np.arange(dumps), fractions=np.full(dumps, 0.5),
        intervals=np.ones(dumps), exposures=np.ones(dumps),
        uvw=None if turn is None else np.repeat((places - places[0])[None], dumps, 0),
        phase_center=None if turn is None else ('center', 0.0, 0.0),
        data=data.astype(np.complex64), weights=np.ones(data.shape, np.float32),
        flags=np.zeros(data.shape, bool))


def rotation(azimuth, zenith_distance):
    """Rotation of (east, north, up) onto (u, v, w) of a direction, in radians."""
    e, n = math.sin(azimuth), math.cos(azimuth)
    s, c = math.sin(zenith_distance), math.cos(zenith_distance)
    w = np.array([s * e, s * n, c])
    u = np.cross([0, 1, 0], w)
    u /= np.linalg.norm(u)
    return np.array([u, np.cross(w, u), w])


class qa_imaging(unittest.TestCase):

    frequencies = 150e6 + 1e6 * np.arange(4)

    def assert_found(self, picture, sky, tolerance):
        for report in check_sources(picture, sky, tolerance):
            self.assertTrue(report.ok, str(report))

    def test_pixel_by_the_equation(self):
        vis = synthetic(array(4, 20), SKY, self.frequencies)
        picture = dirty_image(vis, size=129, normalize=False)
        i, j = vis.products
        for row, column in ((64, 64), (80, 30), (20, 70)):
            l, m = picture.axis[column], picture.axis[row]
            n = math.sqrt(1 - l * l - m * m)
            total, count = 0, 0
            for k, f in enumerate(self.frequencies):
                for p in range(len(i)):
                    if i[p] == j[p]:
                        continue
                    r = vis.positions[i[p]] - vis.positions[j[p]]
                    phase = 2 * math.pi * f / SPEED_OF_LIGHT * (r @ [l, m, n])
                    total += (vis.data[0, k, p] * cmath.exp(-1j * phase)).real
                    count += 1
            # Channels are summed at their mean frequency.
            self.assertAlmostEqual(picture.values[row, column], total / count, delta=0.02)

    def test_lone_source_has_its_flux(self):
        picture = dirty_image(synthetic(array(12, 30), SKY[:1], self.frequencies),
                              normalize=False)
        highest = peaks(picture)[0]
        self.assertAlmostEqual(highest.value, 1, delta=0.03)
        self.assertAlmostEqual(highest.l, 0.30, delta=picture.beam / 50)
        self.assertAlmostEqual(highest.m, 0.20, delta=picture.beam / 50)

    def test_sources_and_fluxes(self):
        vis = synthetic(array(20, 40), SKY, self.frequencies, noise=0.2)
        picture = dirty_image(vis)
        self.assertEqual(picture.unit, 'correlation coefficient')
        self.assert_found(picture, SKY, picture.beam / 20)
        found = find_sources(picture)
        for (_, _, _, flux), source in zip(SKY, found):
            self.assertAlmostEqual(source.value, flux / 2.8, delta=0.02)

    def test_mirrored_sky_is_not_accepted(self):
        vis = synthetic(array(20, 40), SKY, self.frequencies, noise=0.2)
        vis.data = vis.data.conj()
        self.assertFalse(any(r.ok for r in check_sources(dirty_image(vis), SKY)))

    def test_noise_alone_has_no_sources(self):
        vis = synthetic(array(20, 40), [], self.frequencies, noise=0.2)
        reports = check_sources(dirty_image(vis), SKY)
        self.assertFalse(any(r.ok for r in reports))
        self.assertIn('A: l +0.3000', str(reports[0]))

    def test_phased_to_another_direction(self):
        turn = rotation(math.radians(110), math.radians(25))
        sky = [('P', 0.0, 0.0, 0.5), ('Q', 0.25, -0.2, 1.0), ('R', -0.4, 0.3, 0.4)]
        vis = synthetic(array(20, 40, height=2), sky, self.frequencies, dumps=2, turn=turn)
        picture = dirty_image(vis)
        np.testing.assert_allclose(picture.rotation, turn, atol=1e-6)
        self.assert_found(picture, sky, picture.beam / 20)
        # What is below the horizon of the site is not in the image.
        below = turn @ [math.sin(math.radians(110)), math.cos(math.radians(110)), -0.1]
        step = picture.axis[1] - picture.axis[0]
        column, row = ((below[:2] - picture.axis[0]) / step).round().astype(int)
        self.assertGreater(below[2], 0)
        self.assertTrue(np.isnan(picture.values[row, column]))

    def test_flagged_visibilities_do_not_count(self):
        vis = synthetic(array(12, 30), SKY[:1], self.frequencies)
        i, j = vis.products
        broken = (i == 3) | (j == 3)
        vis.data[:, :, broken] = 1e3j
        vis.flags[:, :, broken] = True
        picture = dirty_image(vis)
        self.assert_found(picture, SKY[:1], picture.beam / 20)

    def test_two_polarizations(self):
        vis = synthetic(array(12, 30), SKY[:2], self.frequencies, hands='XY', noise=0.1)
        both = dirty_image(vis)
        self.assert_found(both, SKY[:2], both.beam / 20)
        only = dirty_image(vis, polarizations='X')
        self.assertAlmostEqual(only.total_weight, both.total_weight / 2)
        with self.assertRaisesRegex(ValueError, 'polarization R'):
            dirty_image(vis, polarizations='R')

    def test_baselines_too_long_for_the_whole_sky(self):
        vis = synthetic(array(40, 400), SKY[:1], self.frequencies[:1])
        picture = dirty_image(vis)
        self.assertIn('too long', picture.note)
        self.assert_found(picture, SKY[:1], picture.beam / 4)

    def test_no_image(self):
        row = np.outer(np.arange(5), [10.0, 2.0, 0.0])
        for change, words in ((dict(positions=row), 'one line'),
                              (dict(positions=None), 'where the antennas stand'),
                              (dict(frequencies=None), 'frequencies'),
                              (dict(frequencies=self.frequencies - 151e6), 'center frequency'),
                              (dict(weights=np.zeros((1, 4, 15), np.float32)), 'flagged')):
            with self.subTest(words):
                vis = synthetic(array(5, 30), SKY, self.frequencies)
                vars(vis).update(change)
                with self.assertRaisesRegex(ValueError, words):
                    dirty_image(vis)

    def test_true_positions(self):
        observation = fringe.observation.example(4)
        observation.phase_center = fringe.phase_center.at_azel(math.radians(180),
                                                               math.radians(60))
        observation.sky = [
            fringe.point_source.at_azel(math.radians(90), math.radians(30), 2.0, 'east'),
            fringe.point_source(0.0, 0.0, 1.0, 'center')]
        places = array(5, 20)
        level = dirty_image(synthetic(places, SKY[:1], self.frequencies))
        tilted = dirty_image(synthetic(places, SKY[:1], self.frequencies,
                                       turn=rotation(math.pi, math.radians(30))))
        half, root = 0.5, math.sqrt(0.75)
        for picture, truth in ((level, [('east', root, 0, 2), ('center', 0, -half, 1)]),
                               (tilted, [('east', root, half * half, 2), ('center', 0, 0, 1)])):
            for (name, l, m, flux), expected in zip(true_positions(observation, picture), truth):
                self.assertEqual((name, flux), (expected[0], expected[3]))
                self.assertAlmostEqual(l, expected[1], places=5)
                self.assertAlmostEqual(m, expected[2], places=5)

    def test_tart_satellites(self):
        folder = os.path.join(DATA, 'tart')
        if not os.path.isdir(folder):
            self.skipTest(f'the TART recording is not at {folder}')
        fx = np.load(os.path.join(folder, 'expected_tart.npz'))['fx_4096']
        with open(os.path.join(folder, 'calibration_and_satellites.json')) as stream:
            calibration = json.load(stream)
        with open(os.path.join(folder, 'antenna_positions.json')) as stream:
            positions = np.array(json.load(stream)['antenna_positions'])
        phase = np.exp(-1j * np.array(calibration['antenna_phase_rad']))
        i, j = np.triu_indices(24)
        data = (fx[:, i, j] * phase[i] * phase[j].conj()).astype(np.complex64)[None]
        zero = np.zeros(1)
        vis = visibilities(
            path='tart', telescope='TART', antennas=[str(k) for k in range(24)],
            inputs=[(k, 'R') for k in range(24)], seconds=zero.astype(np.int64),
            fractions=zero, intervals=zero + 0.064, exposures=zero + 0.064,
            frequencies=1571.328e6 + np.arange(704, 1344) * 16.368e6 / 4096,
            positions=positions, data=data, weights=np.ones(data.shape, np.float32),
            flags=np.zeros(data.shape, bool))
        # Where the satellites' main lobe is strong: 0.77 MHz on either side of 1575.42 MHz.
        picture = dirty_image(vis, channels=slice(320 - 192, 320 + 193))
        high = [(f'PRN {s["prn"]}', s['l'], s['m']) for s in calibration['satellites']
                if s['prn'] in (27, 28, 31, 26, 16, 8, 4)]
        self.assertEqual(len(high), 7)
        for report in check_sources(picture, high, math.radians(0.75), peaks(picture)):
            self.assertTrue(report.ok, str(report))


if __name__ == '__main__':
    unittest.main()
