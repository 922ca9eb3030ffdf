#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Whether a model and gains hold for visibilities that they were not made from."""

from dataclasses import dataclass

import numpy as np

from ..calibration.jones import gains_in_time
from .sums import through


@dataclass
class held_out:
    """How much better visibilities of the other half fit, and what noise makes of that."""
    model: float = 0.0         #: sum w |V|^2 - sum w |V - g M|^2: with the model than with nothing
    model_noise: float = 0.0   #: its variance where V is noise
    step: float = 0.0          #: sum w |V - g' M'|^2 - sum w |V - g M|^2: than before the step
    step_noise: float = 0.0

    def __add__(self, other):
        return held_out(self.model + other.model, self.model_noise + other.model_noise,
                        self.step + other.step, self.step_noise + other.step_noise)

    @property
    def model_sigmas(self):
        """By how many standard deviations the model is there."""
        return self.model / np.sqrt(max(self.model_noise, 1e-300))

    @property
    def step_sigmas(self):
        """By how many standard deviations gains and model are better than those before."""
        return self.step / np.sqrt(max(self.step_noise, 1e-300))


def fit_of_other_half(samples, mask, found, before=None):
    """A `held_out`: how `samples` fit with the model in them and the gains `found`.

      mask: [dump][channel], True = of the other half
      found: solutions without leakage
      before: (solutions, `samples` with the model) of the step before; None: gains of 1, and the
          same model

    With w = 1 / variance, the difference of two such sums has the variance 2 sum w |P - P'|^2 in
    noise, P and P' the two predictions. The weights are scaled so that what is left over is 1,
    so a model that leaves more than noise is trusted less.
    """
    new = gains_in_time(found, samples.times, samples.frequencies)
    old, earlier = np.ones_like(new), samples
    if before is not None:
        old, earlier = gains_in_time(before[0], samples.times, samples.frequencies), before[1]
    total, parts = held_out(), []
    for p in range(samples.hands):
        data = samples.data[p, p]
        made = [through(of.model[p, p], gains, samples, p, p)
                for gains, of in ((new, samples), (old, earlier))]
        good = np.isfinite(made[0]) & np.isfinite(made[1])
        weights = samples.weights[p, p] * (mask[..., None] & good)
        parts.append((data, weights, *(np.where(good, part, 0) for part in made)))
    left = sum((w * np.abs(v - first)**2).sum() for v, w, first, _ in parts)
    scale = max(left / max(sum((w > 0).sum() for _, w, *_ in parts), 1), 1e-300)
    for v, w, first, second in parts:
        w = w / scale
        residual = np.abs(v - first)**2
        total += held_out((w * (np.abs(v)**2 - residual)).sum(),
                          2 * (w * np.abs(first)**2).sum(),
                          (w * (np.abs(v - second)**2 - residual)).sum(),
                          2 * (w * np.abs(first - second)**2).sum())
    return total
