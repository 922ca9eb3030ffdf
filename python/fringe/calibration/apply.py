#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains taken out of visibilities that are there already."""

from dataclasses import replace

import numpy as np


def gains_of(receivers, frequencies):
    """Complex gains g exp(i phase - 2 pi i f delay), [channel][input], NaN where one is.

    receivers: anything with delay (s), phase (degrees) and gain of each input, as
    calibration.receivers; f the sky frequency of each channel, Hz.
    """
    delay, phase, gain = (np.asarray(values, float) for values in (
        receivers.delay, receivers.phase, receivers.gain))
    turns = np.outer(frequencies, delay)
    return gain * np.exp(1j * (np.radians(phase) - 2 * np.pi * (turns - np.rint(turns))))


def apply_gains(vis, gains):
    """A copy of `visibilities` with V_ij / (g_i conj(g_j)), the gains taken out.

    gains: complex, [channel][input] or [input]. Weights stay; products of an input whose gain
    is NaN or 0 are flagged. Raises ValueError for another number of channels or inputs.
    """
    gains = np.atleast_2d(np.asarray(gains, complex))
    wanted = (len(vis.data[0]) if len(vis.data) else 1, len(vis.inputs))
    if gains.shape[1] != wanted[1] or gains.shape[0] not in (1, wanted[0]):
        raise ValueError(f"apply_gains: gains of shape {gains.shape}; they must be [channel]"
                         f"[input], {wanted}, or [input]")
    i, j = vis.products
    usable = np.isfinite(gains) & (gains != 0)
    inverse = np.where(usable, 1 / np.where(usable, gains, 1), 0)
    factor = inverse[:, i] * inverse[:, j].conj()
    return replace(vis, data=(vis.data * factor).astype(np.complex64),
                   flags=vis.flags | (factor == 0))
