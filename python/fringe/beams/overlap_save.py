#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Filters in time, a transform at a time: overlap and save."""
import numpy as np

from .. import fringe_python as fp


def points_for(least):
    """Points of a fast transform for a filter of so many samples."""
    import scipy.fft  # late: files of powers go without
    return scipy.fft.next_fast_len(max(8 * least, 1024))


class overlap_save:
    """Filters stretches of samples, [row][beam][time], that come piece by piece.

    The first sample that comes out belongs to sample number `past` that went in.

      filters: [row][points], the transform of each row's filter
      past, future: samples before and behind one that its filter takes from
      backend: cpu, cuda, cuda:1, generic or auto
    """

    def __init__(self, filters, past, future, backend="cpu"):
        self._kernel = fp._overlap_save(filters, past, future, backend)
        self.points, self.past, self.future = filters.shape[1], past, future
        self._kept = None

    def finish(self):
        """No more samples follow on those before; returns what can be made of their end."""
        if self._kept is None:
            return None
        left = max(self._kept.shape[2] - self.past - self.future, 0)
        made = self._filter(np.zeros((*self._kept.shape[:2], self.points), np.complex64))
        self._kept = None
        return made[:, :, :left]

    def take(self, samples):
        """Filters samples [row][beam][time]; returns what is done, perhaps nothing."""
        return self._filter(samples)

    def _filter(self, samples):
        kept = samples if self._kept is None else np.concatenate([self._kept, samples], axis=2)
        made = self._kernel.filter(kept)
        self._kept = kept[:, :, made.shape[2]:].copy()
        return made
