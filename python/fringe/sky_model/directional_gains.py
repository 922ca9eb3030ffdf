#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A gain of each antenna towards each of some strong sources (peeling)."""

from dataclasses import dataclass

import numpy as np

from ..calibration.stefcal import BOTH, stefcal
from .source_sums import held_cells, outlier_search

#: StefCal's steps, and the change of the gains at which they end.
STEPS, TOLERANCE = 100, 1e-5
#: Passes over all sources end when none changes gains by more than the first; with more than
#: the second at the end, gains have not converged.
SETTLED, STEADY = 2e-4, 0.01
#: Passes until outliers are searched for again, as long as the gains are far from settled.
FIRST_PASSES = 2, 2, 4
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
    [baseline][2], numbers of antennas. Solved as by peel_gains(). What is `clip` times the median
    of the residual's amplitudes or more is left out, and so is a baseline of which half is.
    outliers: True for these, [sample][baseline].
    """
    cells = held_cells(v, weights, models, pairs, clip)
    return peel_gains(cells.sums, len(models), pairs, antennas, passes, damping), cells.outliers


def peel_gains(sums_of, count, pairs, antennas, passes=60, damping=0.9):
    """Gains of each antenna towards `count` sources, a list of `gains_found`.

    sums_of: (gains [source][antenna], outlier_search) -> `source_sums` of the visibilities, without
    those that stand out when the sources are subtracted with these gains. Models are of flux 1;
    pairs: [baseline][2], numbers of antennas.

    Each pass takes the sources in turn, the strongest first: the others are subtracted with the
    gains they have, and `damping` of the change that StefCal (Salvini and Wijnholds 2014) finds is
    made. All of this needs the sums only. Outliers are searched for again after some passes, until
    that changes nothing.
    """
    gains = np.zeros((count, antennas), complex)
    problems = [''] * count
    # Other than a source, coupled antennas and interference stand out of all amplitudes.
    sums = sums_of(gains, outlier_search.OF_ALL)
    strength = [sums.data[k].sum().real for k in range(count)]
    order = [int(k) for k in np.argsort(strength)[::-1]]
    work, budgets = _passes(pairs, antennas, damping), FIRST_PASSES
    while True:
        active = [k for k in order if not problems[k]]
        change = np.full(count, np.inf)
        left = passes
        for budget in (*budgets, *[passes] * passes):
            done = work.run(sums, gains, active, min(budget, left), change)
            left -= done
            if not left or done == 1 and work.settled(change, active):
                break
            sums = sums_of(gains, outlier_search.OF_REST)
        failed = False
        for k in active:
            problems[k] = _problem(gains, k, change[k], sums, pairs, active)
            failed = failed or bool(problems[k])
        if not failed:
            break
        for k in active:
            if problems[k]:  # the others are solved again: its visibilities stay
                gains[k] = 0
        sums, budgets = sums_of(gains, outlier_search.OF_REST), ()
    return [gains_found(gains[k], _flux(gains[k], pairs, sums.all_weights), problems[k])
            for k in range(count)]


def source_visibilities(gain, model, pairs):
    """What a source adds, [sample][baseline]."""
    return _products(gain, pairs) * model


class _passes:
    """Passes over all sources, from the same sums."""

    def __init__(self, pairs, antennas, damping):
        self._pairs, self._antennas, self._damping = pairs, antennas, damping
        self._at = pairs[:, 0] * antennas + pairs[:, 1]
        self._once = len(np.unique(self._at)) == len(self._at)  # no two baselines of a pair

    def run(self, sums, gains, active, budget, change):
        """Changes gains until they have settled, in at most so many passes; their number."""
        b = {k: self._matrix(sums.models[k, k].real) for k in active}
        for number in range(budget):
            for k in active:
                data = _without(sums, gains, k, [n for n in active if n != k], self._pairs)
                new = _solved(self._matrix(data), b[k], gains[k])
                new = new * np.exp(-1j * np.angle(np.vdot(gains[k], new)))
                step = self._damping * (new - gains[k])
                change[k] = np.linalg.norm(step) / max(np.linalg.norm(new), 1e-300)
                gains[k] = gains[k] + step
            if self.settled(change, active):
                return number + 1
        return budget

    @staticmethod
    def settled(change, active):
        """Whether the last pass has changed no gains."""
        return max(change[active], default=0) < SETTLED

    def _matrix(self, values):
        """Sums over baselines as an hermitian matrix [antenna][antenna]."""
        a = np.zeros(self._antennas**2, values.dtype)
        if self._once:
            a[self._at] = values
        else:
            np.add.at(a, self._at, values)
        a = a.reshape(2 * (self._antennas,))
        return a + a.conj().T


def _products(gain, pairs):
    return gain[pairs[:, 0]] * gain[pairs[:, 1]].conj()


def _without(sums, gains, k, others, pairs):
    """Sums of w v conj(model k) for visibilities v without other sources, [baseline]."""
    data = sums.data[k]
    for n in others:
        data = data - _products(gains[n], pairs) * sums.models[k, n]
    return data


def _solved(a, b, first):
    """Gains from the sums, from first ones on; to begin with all alike: what stands in the
    direction of the source, and not the strongest of all."""
    if not first.any():
        flux = a.sum().real / max(b.sum(), 1e-300)
        first = np.full(len(a), np.sqrt(max(flux, 0))) * (b.sum(axis=1) > 0)
    return stefcal(a[None], b[None], first[None], BOTH, TOLERANCE, STEPS)[0][0]


def _flux(gain, pairs, weights):
    size = np.abs(_products(gain, pairs))
    return float((weights * size).sum() / max(weights.sum(), 1e-300))


def _problem(gains, k, change, sums, pairs, active):
    """Why a source cannot be subtracted, or ''."""
    gain, w = gains[k], sums.weights
    size = np.abs(gain)
    known = size > 0
    if not known.any():
        return 'nothing stands out in its direction'
    if not np.isfinite(gain).all() or known.sum() < 3:
        return 'there is no solution'
    noise = sums.level / np.sqrt(np.log(2))
    samples = w.sum() / max(sums.heaviest * len(pairs), 1e-300)
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
    # sum w |left + own|^2 - sum w |left|^2, where left is what is left of all sources.
    product = _products(gain, pairs)
    power = (np.abs(product)**2 * sums.models[k, k].real).sum()
    left = _without(sums, gains, k, active, pairs)
    gone = power + 2 * (product.conj() * left).sum().real
    if gone < EXPLAINED * power:
        return f'subtracting it takes away {100 * gone / power:.0f} % of its power'
    return ''
