#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectra made flat, so that a correlation in time has one narrow peak."""
import numpy as np

#: Parts of the band over which the power is taken to be the same, and by how much a single
#: frequency may exceed it: a carrier that both hear is periodic and would peak everywhere.
PARTS, LOUDEST = 256, 3.0


def whitened(spectrum):
    """A spectrum whose power is 1 in every part of the band, without what is constant and with
    single frequencies no higher than LOUDEST."""
    power = np.abs(spectrum) ** 2
    width = max(1, len(power) // PARTS)
    parts = np.add.reduceat(power, np.arange(0, len(power), width))
    counts = np.diff(np.append(np.arange(0, len(power), width), len(power)))
    level = np.repeat(parts / counts, counts)
    for _ in range(2):  # the level without what stands out
        capped = np.minimum(power, LOUDEST ** 2 * level)
        level = np.repeat(np.add.reduceat(capped, np.arange(0, len(power), width)) / counts,
                          counts)
    amplitude = np.sqrt(np.maximum(power, 1e-300))
    out = spectrum * np.minimum(1 / np.sqrt(np.maximum(level, 1e-300)), LOUDEST / amplitude)
    out[:2] = out[-1:] = 0
    return out
