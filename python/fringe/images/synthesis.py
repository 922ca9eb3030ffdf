#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The arithmetic of a direct Fourier transform of visibilities; see imaging.py."""

from dataclasses import dataclass

import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT

#: Largest change of phase in radians inside a group of channels or dumps.
SMEAR = 1.0


@dataclass
class group:
    """Visibilities near one frequency and one instant."""
    wavenumber: float         #: 2 pi f / c, radians per metre
    places: np.ndarray        #: m, [antenna][3]
    covariance: np.ndarray    #: weighted sums, [antenna][antenna], hermitian, zero diagonal
    weights: np.ndarray       #: [antenna][antenna], symmetric


def make_groups(data, weights, pairs, frequencies, places, most):
    """Sums over channels (in at most `most` groups) and dumps across which no phase
    changes by more than SMEAR."""
    top = 2 * np.pi * frequencies.max() / SPEED_OF_LIGHT
    used = weights.sum(axis=(0, 1)) > 0
    ends = places[len(places) // 2]
    extent = np.linalg.norm(ends[pairs[0]] - ends[pairs[1]], axis=1)[used].max()
    width = max(SMEAR * SPEED_OF_LIGHT / (2 * np.pi * extent),
                np.ptp(frequencies) * 1.0001 / most, 1.0)
    channel_groups = np.floor((frequencies - frequencies.min()) / width).astype(int)
    dump_groups = np.zeros(len(data), int)
    for d in range(1, len(places)):
        begin = np.flatnonzero(dump_groups[:d] == dump_groups[d - 1])[0]
        moved = np.linalg.norm(places[d] - places[begin], axis=1).max() * top > SMEAR
        dump_groups[d] = dump_groups[d - 1] + int(moved)
    count, groups = places.shape[1], []
    for c in np.unique(channel_groups):
        channels = channel_groups == c
        for d in np.unique(dump_groups):
            dumps = np.flatnonzero(dump_groups == d)
            w = weights[dumps][:, channels].astype(np.float64)
            if not w.any():
                continue
            total = w.sum(axis=(0, 1))
            value = (w * data[dumps][:, channels]).sum(axis=(0, 1))
            mean = (w.sum(axis=(0, 2)) * frequencies[channels]).sum() / w.sum()
            covariance = np.zeros((count, count), complex)
            weight = np.zeros((count, count))
            # Two polarisations of a baseline add up in one element.
            np.add.at(covariance, pairs, value)
            np.add.at(weight, pairs, total)
            place = places[dumps].mean(axis=0) if len(places) > 1 else places[0]
            groups.append(group(2 * np.pi * mean / SPEED_OF_LIGHT, place,
                                 covariance + covariance.conj().T, weight + weight.T))
    return groups


def direction(l, m, phased):
    n = np.sqrt(np.maximum(0, 1 - l * l - m * m))
    return np.stack([l, m, n - 1 if phased else n])


def steering(part, directions):
    """E[antenna][direction]."""
    return np.exp(1j * (part.wavenumber * (part.places @ directions)))


def transform(picture, groups):
    """Values [m][l] of the image of `groups`, a band of rows at a time."""
    axis, phased = picture.axis, picture.phased
    values = np.full((len(axis), len(axis)), np.nan, np.float32)
    total = picture.total_weight
    band = max(1, 2**21 // (len(axis) * len(groups[0].places)))
    tables = []
    for g in groups:
        l_phase = np.exp(1j * np.outer(g.places[:, 0] * g.wavenumber, axis))
        m_phase = np.exp(1j * np.outer(g.places[:, 1] * g.wavenumber, axis))
        height = (g.places[:, 2] - g.places[:, 2].mean()) * g.wavenumber
        flat = np.abs(height).max() < 1e-3
        tables.append((l_phase.astype(np.complex64), m_phase.astype(np.complex64),
                       None if flat else height.astype(np.float32),
                       g.covariance.astype(np.complex64)))
    for start in range(0, len(axis), band):
        rows = slice(start, start + band)
        l, m = np.meshgrid(axis, axis[rows])
        inside = l * l + m * m < 1
        n = np.sqrt(np.maximum(0, 1 - l * l - m * m))
        inside &= np.tensordot(picture.rotation[:, 2], np.stack([l, m, n]), axes=1) > 0
        depth = (n - 1 if phased else n)[inside].astype(np.float32)
        part = np.zeros(len(depth), np.float32)
        for l_phase, m_phase, height, covariance in tables:
            phases = (m_phase[:, rows, None] * l_phase[:, None, :])[:, inside]
            if height is not None:
                angle = np.outer(height, depth)
                phases *= np.cos(angle) + 1j * np.sin(angle)
            turned = covariance @ phases
            part += (phases.real * turned.real + phases.imag * turned.imag).sum(axis=0)
        values[rows][inside] = part / total
    return values


def at_points(groups, l, m, phased):
    """The image of `groups` at some points, not divided by the weights."""
    directions = direction(l, m, phased)
    result = np.zeros(len(l))
    for g in groups:
        phases = steering(g, directions)
        result += np.einsum('ap,ap->p', phases.conj(), g.covariance @ phases).real
    return result
