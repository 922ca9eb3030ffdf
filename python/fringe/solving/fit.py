#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What solutions leave over of the visibilities: the noise, as the data show it."""

from dataclasses import dataclass

import numpy as np

from ..calibration.quality import known_noise
from ..calibration.solutions import CROSSES, DELAYS
from ..calibration.stefcal import AMPLITUDES, PHASES
from .sums import MIXED, chunks, received

#: Fewest degrees of freedom that show the noise, fewest visibilities of a baseline that show that
#: of the baseline, and fewest changes that show the noise without misfits.
FEW, FEW_OF_PAIR, MANY_CHANGES = 8, 50, 100


@dataclass
class residual:
    """What is left over, by polarization."""
    noise: list      #: times that the noise is stronger than the weights say, in variance: a
                     #: number, [antenna][antenna], or NaN where too little data show it
    chi2: list       #: mean of w |V - model|^2, over the degrees of freedom
    freedom: list    #: degrees of freedom, real numbers
    white: list      #: as noise, a number, of what changes from channel to channel or from dump to
                     #: dump alone: noise, and no misfit
    crosses: float = np.nan  #: as noise, of products of two polarizations
    crosses_chi2: float = np.nan   #: as chi2, of these
    crosses_freedom: float = 0.0   #: as freedom


def left_over(samples, terms):
    """The `residual` of all terms."""
    found = residual([], [], [], [])
    for p in range(samples.hands):
        square, _, count, changes = squares(samples, terms, p)
        freedom = 2 * count.sum() - sum(_parameters(term, p) for term in terms)
        chi2 = 2 * square.sum() / freedom if freedom > 0 else np.nan
        found.chi2.append(float(chi2))
        found.freedom.append(float(freedom))
        found.white.append(_white(changes, chi2, count.sum(), freedom))
        found.noise.append(_noise(samples, square, count, freedom, chi2))
    if any(term.kind in CROSSES for term in terms):
        found.crosses_chi2, found.crosses_freedom = _of_crosses(samples, terms)
        found.crosses = float(_noise(samples, None, None, found.crosses_freedom,
                                     found.crosses_chi2, pooled=True))
    return found


def squares(samples, terms, p):
    """Sums over the dumps and channels, [pair], of w |V - model|^2 and w |V|^2, and numbers of
    visibilities; and `_changes`."""
    left, total, count = np.zeros((3, len(samples.first)))
    changes = np.zeros((2, 2))
    for dumps in chunks(samples, 0, len(samples.times)):
        v, w, _ = samples.part(p, p, dumps)
        m, = received(samples, terms, dumps, [(p, p)])
        w = np.where(m != 0, w, 0)
        changes += _changes(v - m, w)
        left += (w * np.abs(v - m) ** 2).sum(axis=(0, 1))
        total += (w * np.abs(v) ** 2).sum(axis=(0, 1))
        count += (w > 0).sum(axis=(0, 1))
    return left, total, count, changes


def _changes(rest, w):
    """Of second differences along dumps and channels: sums of their squares over the variance, and
    numbers."""
    found = np.zeros((2, 2))
    for axis in (0, 1):
        r, weight = np.moveaxis(rest, axis, 0), np.moveaxis(w, axis, 0)
        weights = weight[:-2], weight[1:-1], weight[2:]
        used = np.all([part > 0 for part in weights], axis=0)
        if len(r) < 3 or not used.any():
            continue
        low, middle, high = (np.where(used, 1 / np.where(used, part, 1), 0) for part in weights)
        variance = np.where(used, low + 4 * middle + high, 1)
        change = np.abs(r[:-2] - 2 * r[1:-1] + r[2:]) ** 2 / variance
        found[axis] = change[used].sum(), used.sum()
    return found


def _white(changes, chi2, count, freedom):
    """The least noise of chi2 and of changes that are numerous enough."""
    least = float(chi2)
    for square, number in changes:
        if number >= MANY_CHANGES:
            least = min(least, float(square / number * 2 * count / freedom))
    return least


def _of_crosses(samples, terms):
    """chi2 and freedom of products of two polarizations."""
    square, count = 0.0, 0
    for dumps in chunks(samples, 0, len(samples.times)):
        for (p, q), m in zip(MIXED, received(samples, terms, dumps, MIXED)):
            v, w, _ = samples.part(p, q, dumps, any_model=True)
            square += float((w * np.abs(v - m) ** 2).sum())
            count += int((w > 0).sum())
    solved = sum(2 * (~term.flags).sum() - 2 for term in terms if term.kind == "D")
    solved += sum(len(term.time) for term in terms if term.kind in ("Kcross", "Pcross"))
    freedom = float(2 * count - solved)
    return 2 * square / max(freedom, 1.0), freedom


def _parameters(term, p):
    """Real numbers that were solved for."""
    if term.kind in CROSSES:
        return 0  # from other products
    smooth = 1 if term.degree is None else (term.degree + 1) / len(term.frequency)
    antennas = (~term.flags[..., p]).sum(axis=-1)
    antennas = antennas[antennas > 0]
    if term.kind in DELAYS or term.mode == PHASES:
        return (antennas - 1).sum() * smooth  # the reference's is 0
    if term.mode == AMPLITUDES:
        return antennas.sum() * smooth
    # Two antennas share an amplitude.
    return (2 * antennas - 1 - (antennas == 2)).sum() * smooth


def _noise(samples, square, count, freedom, chi2, pooled=False):
    if samples.absolute:
        return known_noise(chi2, freedom)
    if freedom < FEW:
        return np.nan
    if pooled:
        return float(chi2)
    used = count > 0
    if count[used].min() < FEW_OF_PAIR:
        return float(chi2)
    share = np.where(used, square / np.maximum(count, 1), chi2) * 2 * count.sum() / freedom
    noise = samples.matrices(share)
    return np.where(noise > 0, noise, chi2)
