#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The model as the antennas receive it, and the sums over the samples of intervals."""

import numpy as np

from .intervals import intervals

#: Bytes of an array of samples, and of sums, that are in memory at a time.
MEMORY = 2**27
#: First and second polarization of the products of two.
MIXED = ((0, 1), (1, 0))
ALL = ((0, 0), *MIXED, (1, 1))


def received(samples, terms, dumps, products):
    """The model through `terms`, [dump][channel][pair], of some dumps: a list of that of each of
    `products` (p, q).

    J_i S J_j^H with J = diag D: leakages act on the sky first, and the other terms commute.
    """
    leaks = [term for term in terms if term.kind == "D" and term.solved]
    if leaks:
        sky = {(p, q): samples.model[p, q][dumps] for p in (0, 1) for q in (0, 1)}
        for term in leaks:
            sky = leaked(sky, term.leakages(samples.times[dumps]), samples.first, samples.second,
                         products if term is leaks[-1] else ALL)
    else:
        sky = {(p, q): samples.model[p, q][dumps] for p, q in products}
    factor = gains_of(samples, terms, dumps)
    if factor is None:
        return [sky[product] for product in products]
    return [through(sky[p, q], factor, samples, p, q) for p, q in products]


def through(values, factor, samples, p, q):
    """Values of pairs times the factors of their antennas."""
    return (np.take(factor[..., p], samples.first, -1)
            * np.take(factor[..., q].conj(), samples.second, -1) * values)


def gains_of(samples, terms, dumps):
    """Product of the diagonal terms, [dump][channel][antenna][polarization], or None."""
    factor = None
    for term in terms:
        if term.kind != "D" and term.solved:
            own = term.factors(samples.times[dumps], samples.frequencies)
            factor = own if factor is None else factor * own
    return factor


def leaked(sky, leakage, first, second, products=ALL):
    """((1, d_X), (d_Y, 1))_i S ((1, d_X), (d_Y, 1))_j^H, of these products of it."""
    made = {}
    for p in sorted({p for p, _ in products}):
        at_first = np.take(leakage[..., p], first, -1)
        half = [sky[p, q] + at_first * sky[1 - p, q] for q in (0, 1)]
        for q in (q for hand, q in products if hand == p):
            made[p, q] = half[q] + half[1 - q] * np.take(leakage[..., q].conj(), second, -1)
    return made


def chunks(samples, start, stop):
    """Slices of dumps that memory holds."""
    dump = 16 * len(samples.frequencies) * len(samples.first)
    step = max(1, MEMORY // dump)
    return [slice(k, min(k + step, stop)) for k in range(start, stop, step)]


def batches(samples, terms, p, time, frequency):
    """(slice of intervals of time, (sums of w V conj(M), sums of w |M|^2)) of batches of
    intervals, each [interval of time][of frequency][pair].

    terms: through which the model goes. p: the polarization.
    """
    ends = np.append(time.starts[1:], len(samples.times))
    interval = 40 * len(frequency) * len(samples.antennas) ** 2
    step = max(1, MEMORY // interval)
    for first in range(0, len(time), step):
        some = slice(first, min(first + step, len(time)))
        total = None
        for dumps in chunks(samples, int(time.starts[some.start]), int(ends[some.stop - 1])):
            v, w, _ = samples.part(p, p, dumps)
            m, = received(samples, terms, dumps, [(p, p)])
            numbers = time.numbers[dumps]
            local = intervals(np.flatnonzero(np.diff(numbers, prepend=-1)), None, None, None)
            weighted = w * m.conj()
            made = [local.sums(frequency.sums(array, 1), 0)
                    for array in (weighted * v, (weighted * m).real)]
            if total is None:
                total = [np.zeros((some.stop - first, *array.shape[1:]), array.dtype)
                         for array in made]
            for whole, part in zip(total, made):
                whole[np.unique(numbers) - first] += part
        yield some, total
