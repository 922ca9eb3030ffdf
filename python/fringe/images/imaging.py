#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
r"""Dirty images of the whole sky, and the point sources in them.

A source of direction cosines s = (l, m, n), n = sqrt(1 - l^2 - m^2), reaches antenna a
with the phase E_a(s) = exp(+2 pi i f b_a.s / c), b_a being (east, north, up), or
(u, v, w) with s - (0, 0, 1) where the visibilities are phased. With the weights W_ij the
dirty image is

    I(l, m) = sum_ij W_ij Re{conj(E_i) V_ij E_j} / sum_ij W_ij     (i != j)

so a lone point source stands in it with its own flux. image_maker computes it.
"""

import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT
from .frame import antenna_places
from .make import FWHM
from .point_sources import (check_sources, find_sources, peak, peaks, source_report,  # noqa: F401
                            true_positions)
from .square_image import image
from .synthesis import make_groups, transform

#: Pixels to the width of the beam, and the smallest and the largest image.
OVERSAMPLING, SMALLEST, LARGEST = 3, 257, 513


def dirty_image(vis, size=None, channels=None, polarizations=None, normalize=True,
                half_width=1.0):
    """The dirty image of `visibilities` as an `image`.

    size: pixels a side, one more where that is even (default: three to the beam). channels:
    indices or a slice.
    polarizations: e.g. 'X' (default: XX and YY, or RR and LL, together). normalize: divide
    by the powers of the inputs, so that the unit is the correlation coefficient; done only
    where the file has autocorrelations. half_width: the image reaches from -half_width to
    +half_width in l and m. Throws ValueError with a sentence when there can be no image.
    """
    places, rotation = antenna_places(vis)
    select = np.arange(len(vis.frequencies))[slice(None) if channels is None else channels]
    if len(select) == 0:
        raise ValueError('dirty image: no channel is left of '
                         f'{len(vis.frequencies)} by channels = {channels}')
    data, weights, pairs, unit = _parallel_hands(vis, select, polarizations, normalize)
    used = weights.sum(axis=(0, 1)) > 0
    if not used.any():
        raise ValueError('no image: every visibility between two antennas is flagged or has '
                         'no weight')
    frequencies = vis.frequencies[select]
    top = 2 * np.pi * frequencies.max() / SPEED_OF_LIGHT
    middle = places[len(places) // 2]
    lengths = (middle[pairs[0]] - middle[pairs[1]])[:, :2] * top
    keep, half_width, note = _resolve(lengths, used, len(vis.antennas), size, half_width)
    if vis.uvw is not None and rotation[2, 2] < 0:
        note = '; '.join(filter(None, (note, 'the phase center was below the horizon')))
    weights = weights * keep
    beam, narrow = _beam(lengths[used & keep])
    if size is None:
        size = int(np.clip(2 * half_width / narrow * OVERSAMPLING, SMALLEST, LARGEST))
    size |= 1  # the middle is a pixel
    # What a group costs, where sources are fitted, grows as antennas squared.
    max_groups = int(np.clip(2**19 / len(vis.antennas)**2, 4, 24))
    groups = make_groups(data, weights, pairs, frequencies, places, max_groups)
    axis = np.linspace(-half_width, half_width, size)
    picture = image(values=None, axis=axis, beam=beam, frequency=float(frequencies.mean()),
                    unit=unit, rotation=rotation, phased=vis.uvw is not None, note=note,
                    instant=_middle(vis), groups=groups)
    picture.values = transform(picture, groups)
    if not np.isfinite(picture.values).any():
        raise ValueError('no image: the phase center, and all of the sky around it, was below the '
                         'horizon; are phase center, place and time of the file right?')
    return picture


def _parallel_hands(vis, select, polarizations, normalize):
    """Data and weights [dump][channel][pair], the antennas of each pair, and the unit."""
    i, j = vis.products
    antenna = np.array([a for a, _ in vis.inputs])
    hand = np.array([p for _, p in vis.inputs])
    wanted = (antenna[i] != antenna[j]) & (hand[i] == hand[j])
    if polarizations is not None:
        wanted &= np.isin(hand[i], list(polarizations))
    if not wanted.any():
        raise ValueError(f'no image: no baseline has polarization {polarizations}')
    weights = vis.valid_weights()[:, select]
    data = vis.data[:, select]
    autos = i == j
    power = np.where(weights[:, :, autos] > 0, data[:, :, autos].real, 0)
    unit = 'power'
    data, weights = data[:, :, wanted], weights[:, :, wanted]
    if normalize and (power > 0).any():
        scale = np.sqrt(power[:, :, i[wanted]] * power[:, :, j[wanted]])
        weights = np.where(scale > 0, weights, 0)
        data = data / np.where(scale > 0, scale, 1)
        unit = 'correlation coefficient'
    return data, weights, (antenna[i[wanted]], antenna[j[wanted]]), unit


def _beam(lengths):
    """Widths at half maximum, mean and narrow axis, from baselines k (u, v), [pair][2]."""
    moments = np.sqrt(np.linalg.eigvalsh(lengths.T @ lengths / len(lengths)))
    return (float(FWHM / np.sqrt(max(moments[0], 0.05 * moments[1]) * moments[1])),
            float(FWHM / moments[1]))


def _resolve(lengths, used, antennas, size, half_width):
    """Baselines that the largest image can show: (keep, half width, note)."""
    keep = np.ones(len(lengths), bool)
    finest = OVERSAMPLING * 2 * half_width / (LARGEST if size is None else size)
    if _beam(lengths[used])[1] >= finest:
        return keep, half_width, ''
    longest = np.hypot(*lengths.T)
    limit = longest[used].max()
    while _beam(lengths[used & keep])[1] < finest:
        limit *= 0.9
        keep = longest <= limit
        if (used & keep).sum() < 2 * antennas:
            narrow = _beam(lengths[used])[1]
            half_width *= narrow / finest
            return (np.ones(len(lengths), bool), half_width,
                    f'only the middle {2 * half_width:.3g} of the sky is shown')
    return keep, half_width, (f'{(used & ~keep).sum()} of {used.sum()} baselines are too long '
                              'for an image of the whole sky and are left out')


def _middle(vis):
    k = len(vis.seconds) // 2
    return int(vis.seconds[k]), float(vis.fractions[k])
