#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities summed into few groups: their images, and their values at points of imaging.py."""

from dataclasses import dataclass

import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT, visibilities
from .frame import image_frame
from .make import image_maker
from .sky_image import image_settings

#: Largest change of phase in radians inside a group of channels or dumps.
SMEAR = 1.0
#: Rms error of an image, of its rms.
ERROR = 1e-4


@dataclass
class group:
    """Visibilities near one frequency and one instant."""
    wavenumber: float         #: 2 pi f / c, radians per meter
    places: np.ndarray        #: m, [antenna][3]
    covariance: np.ndarray    #: weighted sums, [antenna][antenna], hermitian, zero diagonal
    weights: np.ndarray       #: [antenna][antenna], symmetric
    instant: int              #: number of its group of dumps


def make_groups(data, weights, pairs, frequencies, places, max_groups):
    """Sums over channels (in at most `max_groups` groups) and dumps across which no phase
    changes by more than SMEAR."""
    top = 2 * np.pi * frequencies.max() / SPEED_OF_LIGHT
    used = weights.sum(axis=(0, 1)) > 0
    ends = places[len(places) // 2]
    extent = np.linalg.norm(ends[pairs[0]] - ends[pairs[1]], axis=1)[used].max()
    width = max(SMEAR * SPEED_OF_LIGHT / (2 * np.pi * extent),
                np.ptp(frequencies) * 1.0001 / max_groups, 1.0)
    channel_groups = np.floor((frequencies - frequencies.min()) / width).astype(int)
    dump_groups = np.zeros(len(data), int)
    for d in range(1, len(places)):
        begin = np.flatnonzero(dump_groups[:d] == dump_groups[d - 1])[0]
        moved = np.linalg.norm(places[d] - places[begin], axis=1).max() * top > SMEAR
        dump_groups[d] = dump_groups[d - 1] + int(moved)
    count, groups = places.shape[1], []
    for c in np.unique(channel_groups):
        channels = channel_groups == c
        seen = weights[:, channels].sum(axis=(0, 2), dtype=np.float64)
        if not seen.any():
            continue
        wavenumber = 2 * np.pi * np.average(frequencies[channels], weights=seen) / SPEED_OF_LIGHT
        for d in np.unique(dump_groups):
            dumps = np.flatnonzero(dump_groups == d)
            w = weights[dumps][:, channels].astype(np.float64)
            if not w.any():
                continue
            total = w.sum(axis=(0, 1))
            value = (w * data[dumps][:, channels]).sum(axis=(0, 1))
            covariance = np.zeros((count, count), complex)
            weight = np.zeros((count, count))
            # Two polarizations of a baseline add up in one element.
            np.add.at(covariance, pairs, value)
            np.add.at(weight, pairs, total)
            place = places[dumps].mean(axis=0) if len(places) > 1 else places[0]
            groups.append(group(wavenumber, place, covariance + covariance.conj().T,
                                weight + weight.T, int(d)))
    return groups


def direction(l, m, phased):
    n = np.sqrt(np.maximum(0, 1 - l * l - m * m))
    return np.stack([l, m, n - 1 if phased else n])


def steering(part, directions):
    """E[antenna][direction]."""
    return np.exp(1j * (part.wavenumber * (part.places @ directions)))


def transform(picture, groups):
    """Values [m][l] of the image of `groups`, by image_maker; NaN below the horizon."""
    vis = _visibilities(groups, picture.phased)
    side = len(picture.axis)
    settings = image_settings(size=(side, side), scale=picture.axis[1] - picture.axis[0],
                              pol='XX', epsilon=ERROR, all_sky=True, backend='cpu')
    center = vis.phase_center[1:] if picture.phased else None
    frame = image_frame(center, '', picture.rotation, True, picture.phased)
    return image_maker(settings).make([vis], frame=frame).mean()


def _visibilities(groups, phased):
    """Groups as `visibilities`: a dump of each instant, a channel of each frequency."""
    frequencies = sorted({g.wavenumber for g in groups})
    instants = sorted({g.instant for g in groups})
    places = np.zeros((len(instants), *groups[0].places.shape))
    count = places.shape[1]
    i, j = np.triu_indices(count)
    data = np.zeros((len(instants), len(frequencies), len(i)), np.complex64)
    weights = np.zeros(data.shape, np.float32)
    for g in groups:
        where = instants.index(g.instant), frequencies.index(g.wavenumber)
        weight = g.weights[i, j]
        places[where[0]] = g.places
        data[where] = np.where(weight > 0, g.covariance[i, j] / np.where(weight > 0, weight, 1), 0)
        weights[where] = weight
    numbers = np.array(instants)
    return visibilities(
        path='visibilities', telescope='', antennas=[str(k) for k in range(count)],
        inputs=[(k, 'X') for k in range(count)], seconds=numbers, fractions=0.0 * numbers,
        frequencies=np.array(frequencies) * SPEED_OF_LIGHT / (2 * np.pi),
        intervals=np.ones(len(numbers)), exposures=np.ones(len(numbers)), positions=places[0],
        uvw=places if phased else None, phase_center=('', 0.0, 0.0) if phased else None,
        data=data, weights=weights, flags=weights <= 0)


def at_points(groups, l, m, phased):
    """The image of `groups` at some points, not divided by the weights."""
    directions = direction(l, m, phased)
    result = np.zeros(len(l))
    for g in groups:
        phases = steering(g, directions)
        result += np.einsum('ap,ap->p', phases.conj(), g.covariance @ phases).real
    return result
