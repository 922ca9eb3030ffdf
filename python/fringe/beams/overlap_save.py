#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Filters in time, a transform at a time: overlap and save."""
import numpy as np


def points_for(least):
    """Points of a fast transform for a filter of so many samples."""
    import scipy.fft  # late: files of powers go without
    return scipy.fft.next_fast_len(max(8 * least, 1024))


class overlap_save:
    """Filters stretches of samples, [row][beam][time], that come piece by piece.

    The first sample that comes out belongs to sample number `past` that went in.

      filters: [row][points], the transform of each row's filter
      past, future: samples before and behind one that its filter takes from
    """

    def __init__(self, filters, past, future):
        self._filters = filters
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
        import scipy.fft
        kept = samples if self._kept is None else np.concatenate([self._kept, samples], axis=2)
        step = self.points - self.past - self.future
        parts = [np.empty((*kept.shape[:2], 0), np.complex64)]
        at = 0
        while kept.shape[2] - at >= self.points:
            made = scipy.fft.fft(kept[:, :, at:at + self.points], axis=2)
            made *= self._filters[:, None]
            made = scipy.fft.ifft(made, axis=2, overwrite_x=True)
            parts.append(made[:, :, self.past:self.past + step])
            at += step
        self._kept = kept[:, :, at:].copy()
        return np.concatenate(parts, axis=2)
