#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay spectra of channels of which some may be left out, for searches of delays."""
import numpy as np


def channel_places(f, name="frequencies"):
    """Number of each channel in steps of the smallest. ValueError where steps differ."""
    width = np.diff(f).min()
    places = (f - f[0]) / width if width > 0 else f
    if not width > 0 or np.abs(places - np.rint(places)).max() > 0.01:
        raise ValueError(f"{name} must ascend in equal steps, whole steps left out or not")
    return np.rint(places).astype(int)


def delay_spectra(values, places, width, oversampling):
    """(delays, s, |sum_c g_c exp(2 pi i f_c tau)| / delays, [...][delay]) of values [...][channel].

    g turns by exp(-2 pi i f tau), so its spectrum peaks at tau: ifft's kernel is its conjugate.
    places: of the channels, see channel_places(); width: of a step, Hz.
    """
    size = oversampling * (int(places.max()) + 1)
    spectrum = np.zeros((*np.shape(values)[:-1], size), complex)
    spectrum[..., places] = values
    return np.fft.fftfreq(size, width), np.abs(np.fft.ifft(spectrum))
