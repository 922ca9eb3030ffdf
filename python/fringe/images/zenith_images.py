#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of the sky over an array, of single dumps, for displays and the web page."""

from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..readers.visibilities import SPEED_OF_LIGHT, is_dated
from .gridders import make_gridder

#: Rms error of an image, of its rms.
ERROR = 1e-3


@dataclass
class sky_picture:
    """The sky above the horizon: l (east) along columns, m (north) along rows."""
    values: np.ndarray  #: [m][l], NaN below the horizon
    axis: np.ndarray    #: direction cosine of each column, and of each row
    frequency: float    #: Hz, mean
    when: object        #: `epoch` of the middle of the dump; None = it has no time


class zenith_images:
    """Makes images of dumps.

        I(l, m) = sum_ij W_ij Re{V_ij exp(-2 pi i (u l + v m + w n))} / sum_ij W_ij

    over pairs of different antennas and the same polarisation, with (u, v, w) = (east, north, up)
    of b_i - b_j in wavelengths. V are correlation coefficients, so strong and weak antennas count
    alike. Inputs that the observation calls bad are left out. Where the observation is tracked
    the phases are turned back to the zenith.
    """

    def __init__(self, observation, channels, complex_samples, size):
        obs = self._obs = observation
        self._channels, self._complex = channels, complex_samples
        self._frequencies = np.asarray(obs.channel_frequencies(channels, complex_samples))
        self._places = np.array([antenna.enu for antenna in obs.antennas], float)
        self._antenna = np.array([entry.antenna for entry in obs.inputs])
        hands = np.array([entry.polarisation for entry in obs.inputs])
        bad = np.array([entry.bad for entry in obs.inputs], bool)
        i, j = np.triu_indices(len(obs.inputs))
        self._autos = np.flatnonzero(i == j)
        self._pairs = np.flatnonzero((self._antenna[i] != self._antenna[j])
                                     & (hands[i] == hands[j]) & ~(bad[i] | bad[j]))
        self._i, self._j = i[self._pairs], j[self._pairs]
        a, b = self._antenna[self._i], self._antenna[self._j]
        self._uvw = self._places[a] - self._places[b]
        self._axis = np.linspace(-1, 1, size)
        l, m = np.meshgrid(self._axis, self._axis)
        # Gridders leave pixels on the horizon itself as they are.
        self._below = l * l + m * m >= 1
        self._gridders = {}

    def image(self, dump, band):
        """The `sky_picture` of a dump and a slice of channels; ValueError with a sentence."""
        if not len(self._pairs):
            raise ValueError("No image: no two antennas have inputs of one polarisation")
        middle = (fp.epoch(int(dump.seconds), float(dump.fraction)).plus_seconds(dump.interval / 2)
                  if is_dated([dump.seconds]) else None)
        data, weights = self._coefficients(dump.values[band])
        if not weights.any():
            raise ValueError("No image: there are no data")
        f = self._frequencies[band]
        if f.min() <= 0:
            raise ValueError("No image: the observation says no centre frequency")
        data *= self._to_zenith(middle, band)
        size = len(self._axis)
        image = np.zeros((size, size), np.float32)
        self._gridder(data.size).grid(self._uvw, f, np.ascontiguousarray(data.T),
                                      np.ascontiguousarray(weights.T), image)
        image /= np.float32(weights.sum(dtype=float))
        image[self._below] = np.nan
        return sky_picture(image, self._axis, float(f.mean()), middle)

    def _coefficients(self, values):
        """Correlation coefficients [channel][pair] and their weights."""
        power = np.nan_to_num(values[:, self._autos].real)
        scale = power[:, self._i] * power[:, self._j]
        data = values[:, self._pairs]
        weights = (np.isfinite(data) & (scale > 0)).astype(np.float32)
        return (np.where(weights > 0, data, 0) / np.sqrt(np.where(scale > 0, scale, 1)),
                weights)

    def _to_zenith(self, middle, band):
        """Factors [channel][pair] that make the zenith the direction of phase 0."""
        if middle is not None and self._obs.has_site:
            zenith = fp.radec_of_azel(self._obs, 0.0, np.pi / 2, middle)
            turn, _ = fp._dump_phases(self._obs, self._channels, self._complex, *zenith, middle)
            turn = turn[band]
        else:
            turns = self._frequencies[band, None] / SPEED_OF_LIGHT * self._places[:, 2]
            turn = np.exp(-2j * np.pi * turns).astype(np.complex64)
        return turn[:, self._antenna[self._i]] * turn[:, self._antenna[self._j]].conj()

    def _gridder(self, visibilities):
        if visibilities not in self._gridders:
            pixel = float(self._axis[1] - self._axis[0])
            self._gridders = {visibilities: make_gridder(
                "auto", len(self._axis), len(self._axis), pixel, ERROR, visibilities)}
        return self._gridders[visibilities]


class running_mean:
    """The mean of images so far, in which the newest have the weight of one in `count`."""

    def __init__(self, count):
        self._count = count
        self.restart()

    def restart(self):
        """Forgets all."""
        self._mean, self._seen = None, 0

    def difference(self, values):
        """`values` less the mean of those before, and adds them to it. None for the first."""
        self._seen += 1
        if self._mean is None or self._mean.shape != values.shape:
            self._mean, self._seen = np.array(values), 1
            return None
        left = values - self._mean
        self._mean += left / min(self._seen, self._count)
        return left
