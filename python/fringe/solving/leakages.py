#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Leakages: the part of the other polarization that a feed receives."""

import numpy as np

from ..calibration.quality import excess
from .sums import MIXED, chunks, gains_of, leaked, through

#: Part of the largest eigenvalue under which a combination of leakages is not determined.
DEGENERATE = 1e-7


def solve_leakages(samples, term, others, reference, noise=None):
    r"""Solves for the leakages of a `solved_term`, those of `others` held; returns the largest
    change.

    To first order (M the sky's model, in the frame of the feeds, g all other terms)

        V_XiYj = g_Xi conj(g_Yj) (M_XY + d_Xi M_YY + conj(d_Yj) M_XX),

    which is linear in d_X and conj(d_Y) of all antennas; products of two leakages are taken from
    the pass before. A source without polarization does not tell a number that is added to all d_X
    and taken from all conj(d_Y): then d_X of the reference is 0. noise: how many times
    stronger than the weights say the noise of these products is; with it errors and misfits.
    """
    antennas = len(samples.antennas)
    count = len(term.time), len(term.frequency), 2 * antennas
    normal = np.zeros((*count, 2 * antennas), complex)
    right = np.zeros(count, complex)
    pairs = np.zeros((len(term.time), len(term.frequency), 2, 5, len(samples.first)), complex)
    for dumps in chunks(samples, 0, len(samples.times)):
        for equation, sums in enumerate(_equations(samples, term, others, dumps)):
            numbers = term.time.numbers[dumps]
            made = np.stack([term.frequency.sums(array, 1) for array in sums], axis=2)
            np.add.at(pairs[:, :, equation], numbers, made)
    for equation in (0, 1):
        _add(normal, right, pairs[:, :, equation], samples, equation)
    moved = 0.0
    for place in np.ndindex(count[:2]):
        change, errors, there = _solved(normal[place], right[place], reference, antennas)
        change = np.stack([change[:antennas], change[antennas:].conj()], axis=-1)
        term.values[place] += change
        moved = max(moved, float(np.abs(change).max()))
        if noise is not None:
            errors = np.stack([errors[:antennas], errors[antennas:]], axis=-1) * np.sqrt(noise)
            there = np.stack([there[:antennas], there[antennas:]], axis=-1)
            _note(term, place, errors, there)
            term.misfit = np.zeros((*count[:2], 2)) if term.misfit is None else term.misfit
            term.misfit[place] = _misfit(pairs[place], change, samples, noise)
    moved = moved if term.solved else np.inf
    term.solved = True
    return moved


def _equations(samples, term, others, dumps):
    """Of both products, [dump][channel][pair]: w |a|^2, w |b|^2, w conj(a) b, w conj(a) r and
    w conj(b) r, of r = a d_X + b conj(d_Y)."""
    sky = {(p, q): samples.model[p, q][dumps] for p in (0, 1) for q in (0, 1)}
    seen = leaked(sky, term.leakages(samples.times[dumps]), samples.first, samples.second, MIXED)
    factor = gains_of(samples, others, dumps)
    if factor is None:
        shape = len(samples.times[dumps]), len(samples.frequencies), len(samples.antennas), 2
        factor = np.ones(shape, complex)
    for p, q in MIXED:
        v, w, _ = samples.part(p, q, dumps, any_model=True)
        r = v - through(seen[p, q], factor, samples, p, q)
        a = through(sky[q, q], factor, samples, p, q)   # of the first antenna's leakage
        b = through(sky[p, p], factor, samples, p, q)   # of the second one's
        if (p, q) == (1, 0):
            a, b, r = b.conj(), a.conj(), r.conj()
        w = np.where((a != 0) & (b != 0), w, 0)
        yield (w * np.abs(a) ** 2, w * np.abs(b) ** 2, w * a.conj() * b, w * a.conj() * r,
               w * b.conj() * r)


def _add(normal, right, sums, samples, equation):
    """Normal equations of d_X and conj(d_Y), from sums [..][sum][pair]."""
    x, y = ((samples.first, samples.second), (samples.second, samples.first))[equation]
    y = y + len(samples.antennas)
    aa, bb, ab, ar, br = (sums[:, :, k] for k in range(5))
    for rows, columns, values in ((x, x, aa), (y, y, bb), (x, y, ab), (y, x, ab.conj())):
        np.add.at(normal, (slice(None), slice(None), rows, columns), values)
    np.add.at(right, (slice(None), slice(None), x), ar)
    np.add.at(right, (slice(None), slice(None), y), br)


def _solved(normal, right, reference, antennas):
    """(solution, its errors of the real part for weights that are 1 / variance, where there is
    one)."""
    there = np.diagonal(normal).real > 0
    free = np.flatnonzero(there)
    solution, errors = np.zeros(2 * antennas, complex), np.full(2 * antennas, np.nan)
    if not there[reference] or len(free) < 3:
        return solution, errors, np.zeros_like(there)
    scale = np.sqrt(np.diagonal(normal).real[free])
    if np.linalg.eigvalsh(normal[np.ix_(free, free)] / np.outer(scale, scale))[0] < DEGENERATE:
        errors[reference] = 0
        free = free[free != reference]
    inverse = np.linalg.pinv(normal[np.ix_(free, free)], rcond=1e-12, hermitian=True)
    solution[free] = inverse @ right[free]
    errors[free] = np.sqrt(np.maximum(np.diagonal(inverse).real, 0) / 2)
    return solution, errors, there


def _note(term, place, errors, there):
    """Errors, and what is flagged; a leakage's signal is that of the source, of size 1."""
    term.errors[place] = errors
    term.snr[place] = 1 / np.maximum(errors, 1e-12)
    term.refuse(~there, "no data", place)


def _misfit(sums, change, samples, noise):
    """How far baselines differ from the model, rms of the source, noise taken off."""
    square = weight = count = 0.0
    for equation in (0, 1):
        x, y = ((samples.first, samples.second), (samples.second, samples.first))[equation]
        aa, _, ab, ar, _ = sums[equation]
        used = aa.real > 0
        left = (ar - aa * change[x, 0] - ab * change[y, 1].conj())[used] / aa.real[used]
        square += (aa.real[used] * np.abs(left) ** 2).sum() / noise
        weight += aa.real[used].sum() / noise
        count += used.sum()
    free = max(count - 2 * len(samples.antennas), 0)
    return excess(square, weight, free, count)
