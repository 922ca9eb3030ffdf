#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where a position may be: turns of phase counted by delays, then by the phases themselves."""

import numpy as np
import scipy.fft

from ..readers.visibilities import SPEED_OF_LIGHT
from .quality import unsolved

#: Most points of a side of the transform, candidates that are refined, and by how much (in sigma
#: squared) the best has to be better than the next.
LARGEST, CANDIDATES, MIN_LEAD = 256, 12, 25.0


def coarse(sets, antennas, antenna, reference, search):
    """Positions (ITRF, [antenna][3]) and delays [input] by the peaks of the delay spectra.

    T_ij = -(r_i - r_j).s / c + c_i - c_j, by least squares in which a position is what the
    observation says within half of `search`, m.
    """
    antenna = np.asarray(antenna)
    inputs, rows, late = len(antenna), [], []
    peaks = [(entry, peak) for entry in sets for peak in entry.coarse_delays()]
    for entry, (p, s, delay) in peaks:
        row = np.zeros(3 * antennas + inputs)
        for k, sign in ((entry.i[p], 1), (entry.j[p], -1)):
            row[3 * antenna[k]:3 * antenna[k] + 3] += -sign * s / SPEED_OF_LIGHT
            row[3 * antennas + k] += sign
        rows.append(row)
        late.append(delay)
    if not rows:
        return np.zeros((antennas, 3)), np.zeros(inputs)
    rows, late = np.array(rows), np.array(late)
    error = max(1 / (16 * np.ptp(entry.f)) for entry in sets if len(entry.f) > 1)
    free = np.ones(3 * antennas + inputs, bool)
    free[3 * reference:3 * reference + 3] = False
    free[3 * antennas + np.flatnonzero(antenna == reference)] = False
    # Delays are in ns here, so that all numbers are of a size.
    prior = np.diag(np.where(np.arange(len(free)) < 3 * antennas, 2 / search, 1e-6))
    unit = np.where(np.arange(len(free)) < 3 * antennas, 1.0, 1e-9)
    weight = np.ones(len(late))
    for _ in range(4):
        left = np.vstack([(rows * unit * (weight / error)[:, None]), prior])[:, free]
        right = np.append(late * weight / error, np.zeros(len(free)))
        x = np.zeros(len(free))
        x[free] = np.linalg.lstsq(left, right, rcond=None)[0]
        off = np.abs(late - rows @ (x * unit))
        weight = 1 / np.maximum(1, off / max(np.median(off), error)) ** 2
    x = x * unit
    return x[:3 * antennas].reshape(-1, 3), x[3 * antennas:]


def largest_search(f0):
    """m around a position that the transform can look at."""
    return LARGEST * SPEED_OF_LIGHT / f0 / 6


def candidates(fit, reference, a, search, basis):
    """Errors of an antenna's position, m in ITRF, that make the phases against the reference
    coherent: the highest places of |sum w z exp(-2 pi i r.s / lambda)| along the axes of basis
    [3][axis]."""
    if basis.shape[1] == 0:
        return [np.zeros(3)]
    wave = SPEED_OF_LIGHT / fit.f0
    size = 32
    while size * wave / 6 < search and size < LARGEST:
        size *= 2
    step, total, tracks = 2.2 / size, np.zeros((size,) * 3, np.float32), {}
    for number, entry in enumerate(fit.sets):
        for p, (i, j) in enumerate(zip(entry.i, entry.j)):
            ends = fit.antenna[i], fit.antenna[j]
            if ends not in ((reference, a), (a, reference)):
                continue
            y = (entry.w[:, :, p] * entry.z[:, :, p]).sum(axis=1)
            y = y.conj() if ends[0] == reference else y
            hand = entry.vis.inputs[i][1]
            s, z = tracks.setdefault((hand, number if fit.groups > 1 else 0), ([], []))
            s.append(entry.s * entry.bands.mean() / fit.f0)
            noise = entry.noise[p]
            z.append(y / (np.sqrt(max(noise, 1e-30)) if np.isfinite(noise) else 1))
    if not tracks:
        raise unsolved(f"antenna {a} has no baseline to the reference")
    tracks = [(np.concatenate(s), np.concatenate(z)) for s, z in tracks.values()]
    # In single precision: a side of 256 is 16.8 million points, and only the peaks count.
    unit = max(np.abs(z).max() for _, z in tracks) or 1.0
    for s, z in tracks:
        grid = np.zeros((size,) * 3, np.complex64)
        np.add.at(grid, tuple(np.rint(s / step).astype(int).T % size), z / unit)
        grid = scipy.fft.fftn(grid, overwrite_x=True)
        total += grid.real ** 2 + grid.imag ** 2
    axis = np.fft.fftfreq(size, step) * wave
    far = axis[:, None, None] ** 2 + axis[None, :, None] ** 2 + axis[None, None, :] ** 2
    total[far > search ** 2] = 0
    for held in np.linalg.svd(basis)[0][:, basis.shape[1]:].T:
        total[np.abs(sum(part * along for part, along in zip(held, np.meshgrid(
            axis, axis, axis, indexing="ij", sparse=True)))) > wave / (size * step)] = 0
    return [_nearer(tracks, place, wave) for place in _peaks(total, axis)]


def _peaks(total, axis):
    """The highest places, each with its neighbors gone."""
    size, found = len(axis), []
    for _ in range(CANDIDATES):
        place = np.unravel_index(int(np.argmax(total)), total.shape)
        if not total[place] > 0:
            break
        found.append(np.array([axis[k] for k in place]))
        around = [np.arange(k - 1, k + 2) % size for k in place]
        total[np.ix_(*around)] = 0
    return found


def _nearer(tracks, place, wave):
    """The best of places a small part of a wavelength apart."""
    for width in (0.25, 0.1):
        steps = np.linspace(-width, width, 5) * wave
        around = place + np.stack(np.meshgrid(steps, steps, steps), -1).reshape(-1, 3)
        height = sum(np.abs(np.exp(-2j * np.pi / wave * (around @ s.T)) @ z) ** 2
                     for s, z in tracks)
        place = around[int(np.argmax(height))]
    return place
