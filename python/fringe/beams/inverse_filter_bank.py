#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The inverse of a channelizer: spectra to the samples of the whole band.

Sample p of row s of N samples, x_p[s] = x[s N + p], meets in the channelizer only samples of the
same p,

    u_p[s] = sum_{j < T} h[j N + p] x_p[s + j]

(h: the prototype, T: taps), and the transform of u over p is the spectrum. So the inverse transform
of the spectra is u, and with G_p(v) the response of the filter h[j N + p] a filter in time gives

    x_p(v) = conj(G_p) / (|G_p|^2 + e^2) u_p(v)

G is small in the middle of a row for what lies between two channels: there e keeps noise from
being amplified, and a part of the signal is lost, error(). (R. E. Crochiere and L. R. Rabiner,
"Multirate Digital Signal Processing", Prentice-Hall 1983, chapter 7; the regularized inverse is
N. Wiener's.)
"""
import numpy as np

from .. import fringe_python as fp
from .overlap_save import overlap_save, points_for

#: e: noise of the spectra is amplified by 1 / (2 e) in amplitude at most. A smaller one makes
#: error() smaller, but errors of the spectra larger: delays that stepwise phases approximate.
LEAST = 0.05
LONGEST = 4096  #: rows in which the filters are looked at
LEFT_OUT = 1e-6  #: of the power of a filter, beyond its ends


def _inverse(h, points):
    """conj(G) / (|G|^2 + e^2) of h [tap][p], [p][points]."""
    g = np.conj(np.fft.fft(h, points, axis=0)).T
    return np.conj(g) / (np.abs(g)**2 + LEAST**2)


class inverse_filter_bank(overlap_save):
    """Spectra [channel][beam][time] to samples [p][beam][row], where sample row N + p follows on
    row N + p - 1; complex, or real ones as complex numbers. Row 0 begins where the window of the
    first spectrum does.

      channels, taps, window, complex_samples: as the channelizer's
    """

    def __init__(self, channels, taps, window, complex_samples):
        self.row = channels if complex_samples else 2 * channels
        self._complex = complex_samples
        h = np.reshape(fp.prototype(self.row, taps, window), (taps, self.row))
        # The longest filter is that of the samples in the middle of a row.
        middle = sorted({0, (self.row - 1) // 2, self.row // 2})
        power = (np.abs(np.fft.ifft(_inverse(h[:, middle], LONGEST), axis=1))**2).max(axis=0)
        power = np.roll(power, LONGEST // 2) / power.sum()
        inside = np.flatnonzero((np.cumsum(power) > LEFT_OUT)
                                & (np.cumsum(power[::-1])[::-1] > LEFT_OUT)) - LONGEST // 2
        # A filter of r[n] takes from the sample n before.
        past, future = max(int(inside[-1]), 0), max(-int(inside[0]), 0)
        points = points_for(past + future + 1)
        filters = _inverse(h, points)
        super().__init__(filters.astype(np.complex64), past, future)
        lost = LEAST**2 / (np.abs(np.fft.fft(h, points, axis=0))**2 + LEAST**2)
        # Of real samples the Nyquist channel is missing, and its absence is amplified.
        missing = 0 if complex_samples else np.mean(np.abs(filters)**2) / self.row
        self._error = float(np.mean(lost**2) + missing)

    def error(self):
        """What is lost of the power of white noise: |x - what comes out|^2 / |x|^2."""
        return self._error

    def take(self, samples):
        return self._filter(self._rows(samples))

    def _rows(self, spectra):
        if self._complex:
            rows = np.fft.ifft(np.fft.ifftshift(spectra, axes=0), axis=0)
        else:  # without the Nyquist channel
            rows = np.fft.irfft(spectra, self.row, axis=0)
        return (rows * np.sqrt(self.row)).astype(np.complex64)
