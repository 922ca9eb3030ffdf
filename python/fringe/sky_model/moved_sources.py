#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sources that the ionosphere has moved: a flux and an offset of each."""

from dataclasses import dataclass

import numpy as np

from .directional_gains import EXPLAINED
from .source_sums import OF_ALL_FACTOR, find_outliers

#: Passes end when no source moves by more than this number of radians of phase (rms over the
#: baselines); with more than the second at the end, the offset has not converged.
SETTLED, STEADY = 1e-4, 0.02
#: A flux is at least this multiple of its noise.
SIGNIFICANT = 5.0
#: The largest step, in radians of phase: beyond that the phases are no longer straight lines.
LARGEST = 1.0
#: The same of a whole offset, rms over the baselines: beyond that it is another source.
FARTHEST = 2.0


@dataclass
class offset_found:
    """What is known of one source in one solution."""
    flux: float
    offset: np.ndarray    #: (l, m) at a wavelength of 1 m, direction cosines
    problem: str          #: '' = converged; else why its visibilities stay as they are

    def visibilities(self, model, coordinates):
        """What the source adds, [sample][baseline]."""
        return self.flux * _turned(model, coordinates, self.offset)


def peel_offsets(v, weights, models, coordinates, passes=60, damping=0.9, clip=5.0):
    """Solves v = sum_k f_k models_k exp(2 pi i lambda^2 (u a_k + v b_k)) + others for the fluxes f
    and the offsets (a, b): ([offset_found], outliers).

    v, weights: [sample][baseline]; models: [source][sample][baseline], of flux 1; coordinates:
    lambda^2 (u, v), [sample][baseline][2]. Each pass takes the sources in turn, the strongest
    first: the others are subtracted as they are known so far, and `damping` of the step is
    made that makes the phases of the rest flat (Gauss and Newton). Outliers as in peel_samples().
    """
    fluxes, offsets = np.zeros(len(models)), np.zeros((len(models), 2))
    problems = [''] * len(models)
    slopes = 2 * np.pi * coordinates
    outliers = find_outliers(v, weights, OF_ALL_FACTOR * clip)
    w = np.where(outliers, 0, weights)
    strength = [(w * v * m.conj()).sum().real for m in models]
    order = [int(k) for k in np.argsort(strength)[::-1]]
    while True:
        active = [k for k in order if not problems[k]]
        change = np.full(len(models), np.inf)
        left, w = v, weights
        for turn in range(passes):
            left = v - sum((fluxes[k] * _turned(models[k], coordinates, offsets[k])
                            for k in active), np.zeros(v.shape, complex))
            if turn > 1:
                outliers = find_outliers(left, weights, clip)
            w = np.where(outliers, 0, weights)
            for k in active:
                turned = _turned(models[k], coordinates, offsets[k])
                left = left + fluxes[k] * turned
                fluxes[k], step = _step(np.where(w > 0, left, 0) * turned.conj(), w, slopes)
                moved = np.sqrt((w * (slopes @ step)**2).sum() / max(w.sum(), 1e-300))
                change[k] = damping * moved
                offsets[k] += damping * step * min(1, LARGEST / max(moved, 1e-300))
                left = left - fluxes[k] * _turned(models[k], coordinates, offsets[k])
            if turn > 3 and max(change[active], default=0) < SETTLED:
                break
        failed = False
        for k in active:
            problems[k] = _problem(fluxes[k], change[k], left, w, models[k], coordinates,
                                   offsets[k])
            if problems[k]:
                fluxes[k], offsets[k], failed = 0, 0, True
        if not failed:
            break
    return [offset_found(float(fluxes[k]), offsets[k], problems[k])
            for k in range(len(models))], outliers


def _turned(model, coordinates, offset):
    return model * np.exp(2j * np.pi * (coordinates @ offset))


def _step(y, w, slopes):
    """The flux of a source whose visibilities are y where it stands at the center, and the step
    that makes its phases flat."""
    total = w.sum()
    flux = (w * y.real).sum() / max(total, 1e-300)
    if not flux > 0:
        return 0.0, np.zeros(2)
    matrix = np.einsum('sb,sbi,sbj->ij', w, slopes, slopes)
    right = np.einsum('sb,sbi->i', w * y.imag, slopes) / flux
    return flux, np.linalg.lstsq(matrix, right, rcond=None)[0]


def _problem(flux, change, left, w, model, coordinates, offset):
    """Why a source cannot be subtracted, or ''."""
    used = w > 0
    if not used.any() or not flux > 0 or not np.isfinite(flux):
        return 'nothing stands out in its direction'
    noise = np.median(np.abs(left[used])) / np.sqrt(np.log(2))
    least = SIGNIFICANT * noise * np.sqrt((w**2).sum() / 2) / w.sum()
    if flux < least:
        return f'it is too weak for an offset ({flux:.3g}; {least:.3g} is the least)'
    if not (w * (2 * np.pi * coordinates @ offset)**2).sum() < FARTHEST**2 * w.sum():
        return 'there is another source beside it, and none in its place'
    if not change < STEADY:
        return f'its phases still change by {change:.2g} radians at the end'
    own = flux * _turned(model, coordinates, offset)
    power = (w * np.abs(own)**2).sum()
    gone = (w * (np.abs(np.where(used, left + own, 0))**2
                 - np.abs(np.where(used, left, 0))**2)).sum()
    if gone < EXPLAINED * power:
        return f'subtracting it takes away {100 * gone / power:.0f} % of its power'
    return ''
