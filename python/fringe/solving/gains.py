#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains and bandpasses: a complex number of each antenna and polarization, interval by interval."""

import numpy as np

from ..calibration.gain_errors import closed, gain_errors
from ..calibration.quality import MAX_NOISE
from ..calibration.stefcal import AMPLITUDES, PHASES, first_gains, stefcal, unit
from .fluxes import fitted_model, solve_fluxes
from .moved_reference import continue_without_reference, reference_of_each
from .quality import misfit
from .smooth import smoothed
from .sums import batches

#: Change between two steps at which a solution has settled, relative; of a term that is alone, and
#: so is solved once.
TOLERANCE, TOLERANCE_ALONE = 1e-7, 1e-10


def solve_gains(samples, term, others, reference, noise=None, divide=False, with_fluxes=True):
    """Solves for the values of a `solved_term`, those of `others` held; returns the largest change
    of a value, relative.

    noise: a `residual`; with it errors, signal-to-noise ratios and misfits are found, too.
    divide: the mean of a gain over the band is 1, since another term has it.
    with_fluxes: fluxes that are not known are solved for, too.
    """
    largest, mode = 0.0 if term.solved else np.inf, term.mode
    with_fluxes = with_fluxes and not divide and isinstance(samples.model, fitted_model)
    for p in range(samples.hands):
        counts = samples.independent(p, term.time, term.frequency)
        earlier, moved = term.values[..., p].copy(), np.zeros(term.values.shape[:2], bool)
        begun, more = term.solved, None
        if with_fluxes:
            begun, more = True, solve_fluxes(samples, term, others, p, reference, noise)
        for some, sums in batches(samples, others, p, term.time, term.frequency):
            shape = (*sums[0].shape[:2], len(samples.antennas))
            a, b = (samples.matrices(array).reshape(-1, *shape[-1:] * 2) for array in sums)
            before = term.values[some, :, :, p].reshape(-1, shape[-1])
            start = before if begun else first_gains(a, b, mode)
            gains, converged = stefcal(a, b, _ready(start, b), mode,
                                       TOLERANCE if others else TOLERANCE_ALONE)
            used = reference_of_each(b.sum(axis=-1), reference)
            if mode != AMPLITUDES:
                gains = gains * unit(gains[np.arange(len(gains)), used])[:, None].conj()
            moved[some] = (used != reference).reshape(shape[:2])
            good = _judged(term, some, p, gains, b, converged, used, mode)
            gains = np.where(good, gains, 1)
            if divide:
                gains = _divided(gains, good, shape)
            left = None
            if term.degree is not None:
                gains, left = _smoothed(gains, b, good, shape, term)
            term.values[some, :, :, p] = gains.reshape(shape)
            if noise is not None:
                common = (None, None) if counts is None else (
                    counts[some].ravel(), _flat(samples.skies(p, term.time, term.frequency, some)))
                about = noise.noise[p], common, _white(samples, noise, p)
                _note_quality(term, some, p, gains, (a, b), good, about, used)
                if left is not None:
                    _smooth_errors(term, (some, slice(None), slice(None), p), *left)
        if mode != AMPLITUDES:
            continue_without_reference(term, p, moved)
        if more and noise is not None:
            size = np.abs(term.values[..., p])
            for errors, unit_of, extra in ((term.errors, size, more[0]),
                                           (term.phase_errors, 1.0, more[1])):
                square = errors[..., p] ** 2 + extra * unit_of ** 2
                errors[..., p] = np.sqrt(np.maximum(square, 0))
        change = np.abs(term.values[..., p] - earlier) / np.maximum(np.abs(earlier), 1e-300)
        largest = max(largest, change[~term.flags[..., p]].max(initial=0))
    term.solved = True
    return largest


def _flat(sky):
    """Its axes of time and frequency as one of solutions."""
    return sky.reshape(len(sky), -1, *sky.shape[-2:])


def _ready(start, b):
    """Gains to begin with: none is 0 where there are data, and none elsewhere."""
    return np.where(b.sum(axis=-1) > 0, np.where(start != 0, start, 1), 0)


def _divided(gains, good, shape):
    """Gains over their mean over the band: rms of the amplitude, and mean phase."""
    gains, good = gains.reshape(shape), good.reshape(shape)
    used = np.where(good, gains, 0)
    count = np.maximum(good.sum(axis=1, keepdims=True), 1)
    size = np.sqrt((np.abs(used) ** 2).sum(axis=1, keepdims=True) / count)
    mean = size * unit(unit(used).sum(axis=1, keepdims=True))
    return np.where(good, gains / np.where(mean != 0, mean, 1), 1).reshape(-1, shape[-1])


def _smoothed(gains, b, good, shape, term):
    """Gains smoothed along the band, and (weights, share of the errors' squares), of the shape."""
    size = np.where(good, np.abs(gains) ** 2, 0)
    weights = (size * np.matmul(b, size[..., None])[..., 0]).reshape(shape)
    made, left = gains.reshape(shape).copy(), np.empty(shape)
    for t in range(shape[0]):
        made[t], left[t] = smoothed(made[t], weights[t], term.frequency.centers, term.degree)
    return made.reshape(gains.shape), (weights, left)


def _smooth_errors(term, at, weights, left):
    """Errors of channels become those of the polynomials."""
    size = np.abs(term.values[at])
    used = weights > 0
    for errors, unit_of in ((term.errors, size), (term.phase_errors, 1.0)):
        square = np.where(used, (errors[at] / unit_of) ** 2 * weights, 0)
        mean = square.sum(axis=1, keepdims=True) / np.maximum(used.sum(axis=1, keepdims=True), 1)
        errors[at] = np.sqrt(mean * left) * unit_of


def _white(samples, left, p):
    """The noise that misfits are compared with: a number."""
    if samples.absolute:
        return float(np.clip(left.chi2[p], 1.0, MAX_NOISE)) if np.isfinite(left.chi2[p]) else 1.0
    return left.white[p]


def _judged(term, some, p, gains, b, converged, reference, mode):
    """True where there is a solution, [solution][antenna]; the others are flagged, with why."""
    there = b.sum(axis=-1) > 0
    linked, looped = closed(b, reference)
    linked = linked | (mode == AMPLITUDES)
    two = there.sum(axis=-1) <= 2
    known = looped | two | (mode == PHASES)
    shape = term.flags[some, :, :, p].shape
    good = np.ones_like(there)
    for wrong, reason in ((~there, "no data"),
                          (~linked, "no baselines connect it with the reference"),
                          (~known[:, None], "amplitudes need a triangle of baselines"),
                          (~converged[:, None], "the iteration does not converge")):
        wrong = np.broadcast_to(wrong, good.shape) & good
        good &= ~wrong
        term.refuse(wrong.reshape(shape), reason, np.s_[some, :, :, p])
    return good


def _note_quality(term, some, p, gains, sums, good, noise, reference):
    """Standard errors of amplitudes (of the value) and of phases (radians), and the misfit."""
    (a, b), (noise, common, white) = sums, noise
    used = good[:, :, None] & good[:, None, :]
    product = np.where(used, gains[:, :, None] * gains[:, None, :].conj(), 0)
    strength = b * np.abs(product) ** 2
    logs, phases = gain_errors(strength, noise, reference, *common)
    own = strength.sum(axis=-1) / np.sqrt(np.maximum((strength * noise).sum(axis=-1), 1e-300))
    if term.mode == PHASES:
        logs = np.zeros_like(logs)
        # An antenna that hears nothing has a phase of modulus 1, too: its baselines tell.
        heard = np.abs(np.where(used, a * product.conj(), 0).sum(axis=-1))
        own = own * heard / np.maximum(strength.sum(axis=-1), 1e-300)
    if term.mode == AMPLITUDES:
        phases = np.zeros_like(phases)
    if term.phase_errors is None:
        term.phase_errors = np.full(term.values.shape, np.nan)
        term.misfit = np.zeros((*term.values.shape[:2], term.values.shape[3]))
    shape = term.values[some, :, :, p].shape
    term.errors[some, :, :, p] = (np.abs(gains) * logs).reshape(shape)
    term.phase_errors[some, :, :, p] = phases.reshape(shape)
    # That of its gain with those of the others held: the reference has one, too.
    term.snr[some, :, :, p] = np.where(good, own, 0).reshape(shape)
    term.misfit[some, :, p] = misfit(a, strength, b * product, good, white,
                                     term.mode).reshape(shape[:2])
