#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Voltages to few bits, with the levels that lose least of Gaussian noise's correlation.

With levels of q(x), thresholds between them, and x of unit variance, a correlator keeps the part
E[x q]^2 / E[q^2] of the signal to noise. Its maximum for 2 bits has its threshold at 0.982 sigma
and levels 1 and 3.336; for more bits levels are whole numbers of steps. (A. R. Thompson, D. T.
Emerson, F. R. Schwab, "Convenient formulas for quantization efficiency", Radio Science 42, RS3022,
2007)
"""
import numpy as np

#: bits -> (step or threshold in units of sigma, part of the signal to noise that is kept)
LEVELS = {2: (0.9816, 0.8825), 4: (0.3534, 0.9871), 8: (0.03087, 0.9999)}


def codes_of(values, sigma, bits):
    """Codes 0 ... 2^bits - 1 of real values whose r.m.s. is sigma: the middle is 2^(bits - 1). Of 2
    bits they stand for -3.336, -1, 1 and 3.336, of more for whole numbers, symmetric to 0."""
    half = 1 << (bits - 1)
    scaled = values / (LEVELS[bits][0] * sigma)
    if bits == 2:
        return (np.clip(np.floor(scaled), -2, 1) + 2).astype(np.uint8)
    return (np.clip(np.rint(scaled), 1 - half, half - 1) + half).astype(np.uint8)


def packed(codes, bits):
    """Codes [...][n] to bytes [...][n bits / 8], the first in the least significant bits."""
    each = 8 // bits
    parts = codes.reshape(*codes.shape[:-1], -1, each)
    return np.bitwise_or.reduce(parts << (bits * np.arange(each, dtype=np.uint8)), axis=-1)
