#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Amplitude and phase of a fringe in numbers, and how far they scatter."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class fringe_scatter:
    """Amplitude and phase of the mean of n values V_k, with their scatter, errors and S/N.

        V = sum_k V_k / n,    A = |V|,    phi = arg V
        u_k = V_k exp(-i phi)
        s_A^2 = sum_k (Re u_k - A)^2 / (n - 1),    s_phi^2 = sum_k (Im u_k)^2 / (n - 1) / A^2
        sigma_A = s_A / sqrt(n),    sigma_phi = s_phi / sqrt(n)
        S/N = A sqrt(n) / s,    s^2 = sum_k |V_k - V|^2 / (2 (n - 1))

    s_A, s_phi: the scatter of one value, sigma: the errors of the mean, all one standard deviation.
    The phase's hold for S/N well above 1. Whatever changes from value to value scatters, a fringe
    that turns, too. Thompson, Moran, Swenson, Interferometry and Synthesis in Radio Astronomy,
    chapters 6.2 and 9.3 (Springer, 2017).
    """
    amplitude: float
    phase: float              #: rad
    amplitude_scatter: float  #: nan for fewer than two values, as all that follow
    phase_scatter: float      #: rad
    amplitude_error: float
    phase_error: float        #: rad
    snr: float

    @classmethod
    def of(cls, values):
        """Of complex values [dump]; nan is left out. All nan where nothing is left."""
        v = np.asarray(values, complex)
        v = v[np.isfinite(v)]
        n, mean = len(v), v.mean() if len(v) else complex(np.nan, np.nan)
        amplitude = abs(mean)
        if n < 2 or not amplitude > 0:
            return cls(amplitude, float(np.angle(mean)), *[np.nan] * 5)
        left = v * np.exp(-1j * np.angle(mean)) - amplitude
        along, across = (np.sqrt(np.sum(part ** 2) / (n - 1)) for part in (left.real, left.imag))
        noise = np.sqrt((along ** 2 + across ** 2) / 2)
        return cls(amplitude, float(np.angle(mean)), along, across / amplitude, along / np.sqrt(n),
                   across / amplitude / np.sqrt(n),
                   amplitude * np.sqrt(n) / noise if noise > 0 else np.inf)
