#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Beams of dipoles over the ground: X lies east-west, Y north-south.

A short dipole along the unit vector d receives the power 1 - (d.s)^2 from the direction s (Balanis,
Antenna Theory, 4.2). A ground that conducts, h below it, makes it

    (1 - (d.s)^2) (sin(2 pi h s_up f / c) / sin(2 pi h f / c))^2

by the zenith's (the same, 4.7). Nothing comes from below the horizon.
"""

import numpy as np

from .dishes import SPEED_OF_LIGHT

#: Of a tile of the MWA (Tingay et al. 2013; Sutinjo et al. 2015): dipoles a side, meters from one
#: to the next, height above the ground, seconds a step of its delays, and the longest in steps.
SIDE, SPACING, HEIGHT, DELAY_STEP, LONGEST_DELAY = 4, 1.1, 0.3, 435e-12, 31
#: By the zenith's, the part of the field of a dipole that is left where the ground cancels it.
CANCELED = 1e-3


class short_dipole:
    """A short dipole, h meters over a ground plane; h = 0: without one."""

    fixed, alike = True, False

    def __init__(self, height=0.0):
        if not 0 <= height < np.inf:
            raise ValueError(f'beam: dipole: a height of {height:g} m: must be 0 (without a '
                             'ground) or more')
        self._height = height
        self.words = 'short dipole' + f', {height:g} m over the ground' * bool(height)

    def power(self, directions, frequency):
        """[...][2] of unit vectors (east, north, up)."""
        up = directions[..., 2]
        ground = np.ones(up.shape)
        if self._height:
            phase = 2 * np.pi * self._height * frequency / SPEED_OF_LIGHT
            if abs(np.sin(phase)) < CANCELED:
                raise ValueError(f'beam: a dipole {self._height:g} m over the ground receives '
                                 f'nothing from the zenith at {frequency:g} Hz')
            ground = (np.sin(phase * up) / np.sin(phase))**2
        ground = np.where(up > 0, ground, 0)
        return (1 - directions[..., :2]**2) * ground[..., None]


class mwa_tile:
    """A tile of the MWA: 4 x 4 short dipoles 0.3 m over a ground plane, 1.1 m apart, whose delays
    point it; its mutual coupling is left out:

        power = dipole |sum_k exp(2 pi i f (r_k.s / c - t_k)) / 16|^2

    t_k: the delays of the direction, in steps of 435 ps, as the beamformer has them. It is 1 at the
    zenith of a tile that points there.
    """

    fixed, alike = True, False

    def __init__(self, azimuth=0.0, elevation=np.pi / 2):
        if not 0 < elevation <= np.pi / 2:
            raise ValueError(f'beam: mwa: an elevation of {np.degrees(elevation):g} degrees: must '
                             'be more than 0 and at most 90')
        line = (np.arange(SIDE) - (SIDE - 1) / 2) * SPACING
        self._places = np.stack(np.meshgrid(line, line, indexing='ij'), axis=-1).reshape(-1, 2)
        towards = np.cos(elevation) * np.array([np.sin(azimuth), np.cos(azimuth)])
        steps = self._places @ towards / SPEED_OF_LIGHT / DELAY_STEP
        steps = np.clip(np.rint(steps - steps.min()), 0, LONGEST_DELAY)
        self._delays = steps * DELAY_STEP
        self._dipole = short_dipole(HEIGHT)
        self.words = (f'MWA tile towards azimuth {np.degrees(azimuth):g}, elevation '
                      f'{np.degrees(elevation):g} degrees')

    def power(self, directions, frequency):
        """[...][2] of unit vectors (east, north, up)."""
        total = np.zeros(directions.shape[:-1], complex)
        for place, delay in zip(self._places, self._delays):
            turns = frequency * (directions[..., :2] @ place / SPEED_OF_LIGHT - delay)
            total += np.exp(2j * np.pi * turns)
        factor = np.abs(total / len(self._places))**2
        return self._dipole.power(directions, frequency) * factor[..., None]
