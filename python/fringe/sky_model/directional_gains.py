#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A gain of each antenna towards each of some strong sources (peeling)."""

from dataclasses import dataclass

import numpy as np

from ..calibration.stefcal import BOTH, stefcal

#: StefCal's steps, and the change of the gains at which they end.
STEPS, TOLERANCE = 100, 1e-5
#: Passes over all sources end when none changes gains by more than the first; with more than
#: the second at the end, gains have not converged.
SETTLED, STEADY = 2e-4, 0.01
#: Noise alone makes a source of 2 sigma / sqrt(antennas samples); it must be this factor above.
SIGNIFICANT = 2.0
#: The part of a source's power that must vanish when it is subtracted.
EXPLAINED = 0.5
#: The largest gain over the median gain.
LARGEST = 10.0
#: |sum of the gains|^2 / (antennas times sum of |gain|^2): about 0 where their phases are those of
#: a source in another direction, and of none; 0.88 for phases of 20 degrees, 0.33 for 60.
COHERENT = 0.2


@dataclass
class gains_found:
    """What is known of one source in one solution."""
    gain: np.ndarray      #: [antenna], the root of the flux in it; 0 where nothing is known
    flux: float
    problem: str          #: '' = converged; else why its visibilities stay as they are


def peel_samples(v, weights, models, pairs, antennas, passes=60, damping=0.9, clip=5.0):
    """Solves v = sum_k g_ka conj(g_kb) models_k + others for all g: ([gains_found], outliers).

    v, weights: [sample][baseline]; models: [source][sample][baseline], of flux 1; pairs:
    [baseline][2], numbers of antennas. Each pass takes the sources in turn, the strongest first:
    the others are subtracted with the gains they have, and `damping` of the change that
    StefCal (Salvini and Wijnholds 2014) finds is made. What is `clip` times the median
    of the residual's amplitudes or more is left out, and so is a baseline of which half is.
    outliers: True for these, [sample][baseline].
    """
    count = len(models)
    gains = np.zeros((count, antennas), complex)
    problems = [''] * count
    # Other than a source, coupled antennas and interference stand out of all amplitudes.
    outliers = _outliers(v, weights, 1.2 * clip)
    strength = [_overlap(v, np.where(outliers, 0, weights), m) for m in models]
    order = [int(k) for k in np.argsort(strength)[::-1]]
    while True:
        active = [k for k in order if not problems[k]]
        change = np.full(count, np.inf)
        for turn in range(passes):
            left = v - _sum(gains, models, pairs, active)
            if turn > 1:
                outliers = _outliers(left, weights, clip)
            w = np.where(outliers, 0, weights)
            for k in active:
                own = _sum(gains, models, pairs, [k])
                a, b = _sums(left + own, w, models[k], pairs, antennas)
                new = _solved(a, b, gains[k])
                new = new * np.exp(-1j * np.angle(np.vdot(gains[k], new)))
                step = damping * (new - gains[k])
                change[k] = np.linalg.norm(step) / max(np.linalg.norm(new), 1e-300)
                gains[k] = gains[k] + step
                left = left + own - _sum(gains, models, pairs, [k])
            if turn > 3 and max(change[active], default=0) < SETTLED:
                break
        failed = False
        for k in active:
            problems[k] = _problem(gains[k], change[k], left, w, models[k], pairs)
            if problems[k]:
                # The others are solved again: its visibilities stay.
                gains[k] = 0
                failed = True
        if not failed:
            break
    return [gains_found(gains[k], _flux(gains[k], pairs, weights), problems[k])
            for k in range(count)], outliers


def source_visibilities(gain, model, pairs):
    """What a source adds, [sample][baseline]."""
    return (gain[pairs[:, 0]] * gain[pairs[:, 1]].conj()) * model


def _sum(gains, models, pairs, which):
    total = 0
    for k in which:
        total = total + source_visibilities(gains[k], models[k], pairs)
    return total


def _outliers(values, weights, clip):
    used = weights > 0
    size = np.abs(values)
    if not used.any():
        return ~used
    found = used & (size > clip * np.median(size[used]))
    bad = found.sum(axis=0) * 2 > used.sum(axis=0)
    return found | (used & bad)


def _overlap(v, w, model):
    return (w * v * model.conj()).sum().real / max(w.sum(), 1e-300)


def _sums(v, w, model, pairs, antennas):
    """Sums over the samples of w v conj(model) and w |model|^2: [antenna][antenna], hermitian."""
    a, b = np.zeros((2, antennas, antennas), complex)
    i, j = pairs.T
    np.add.at(a, (i, j), (w * np.where(w > 0, v, 0) * model.conj()).sum(axis=0))
    np.add.at(b, (i, j), (w * np.abs(model) ** 2).sum(axis=0))
    return a + a.conj().T, (b + b.T).real


def _solved(a, b, first):
    """Gains from the sums, from first ones on; to begin with all alike: what stands in the
    direction of the source, and not the strongest of all."""
    if not first.any():
        flux = a.sum().real / max(b.sum(), 1e-300)
        first = np.full(len(a), np.sqrt(max(flux, 0))) * (b.sum(axis=1) > 0)
    return stefcal(a[None], b[None], first[None], BOTH, TOLERANCE, STEPS)[0][0]


def _flux(gain, pairs, weights):
    w = weights.sum(axis=0)
    size = np.abs(gain[pairs[:, 0]] * gain[pairs[:, 1]])
    return float((w * size).sum() / max(w.sum(), 1e-300))


def _problem(gain, change, left, w, model, pairs):
    """Why a source cannot be subtracted, or ''."""
    size = np.abs(gain)
    known = size > 0
    if not known.any():
        return 'nothing stands out in its direction'
    if not np.isfinite(gain).all() or known.sum() < 3:
        return 'there is no solution'
    used = w > 0
    noise = np.median(np.abs(left[used])) / np.sqrt(np.log(2))
    samples = w.sum() / max(w.max() * len(pairs), 1e-300)
    least = SIGNIFICANT * 2 * noise / np.sqrt(known.sum() * max(samples, 1e-300))
    flux = _flux(gain, pairs, w)
    if flux < least:
        return f'it is too weak for a gain of each antenna ({flux:.3g}; {least:.3g} is the least)'
    if not change < STEADY:
        return f'the gains still change by {100 * change:.2g} % at the end'
    if size.max() > LARGEST * np.median(size[known]):
        return f'the gains of antennas differ by more than a factor of {LARGEST:g}'
    if np.abs(gain.sum())**2 < COHERENT * known.sum() * (size**2).sum():
        return 'the phases of its gains are not those of a source in its direction'
    own = source_visibilities(gain, model, pairs)
    power = (w * np.abs(own) ** 2).sum()
    gone = (w * np.abs(np.where(used, left + own, 0)) ** 2).sum() - (
        w * np.abs(np.where(used, left, 0)) ** 2).sum()
    if gone < EXPLAINED * power:
        return f'subtracting it takes away {100 * gone / power:.0f} % of its power'
    return ''
