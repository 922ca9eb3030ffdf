#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Numbers along axes, and values in words."""

import re

import numpy as np

TURN = (-180, 180)  # ends of an axis of phases, degrees


def ticks(low, high, limit=6):
    """Round numbers from low to high: 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        return np.array([low])
    raw = (high - low) / limit
    ten = 10 ** np.floor(np.log10(raw))
    step = next(m * ten for m in (1, 2, 5, 10) if m * ten >= raw * (1 - 1e-9))
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step


def words(values):
    """The numbers of an axis, all with as many decimals."""
    step = np.diff(values).min() if len(values) > 1 else abs(values[0]) or 1
    decimals = int(max(0, np.ceil(-np.log10(step) - 1e-9)))
    return [f"{0 if abs(v) < step / 1e6 else v:.{decimals}f}" for v in values]


def axis_numbers(ends, whole, names, limit):
    """(value, word) of an axis: whole = whole numbers only, names = of whole numbers, or None."""
    if tuple(ends) == TURN:
        return [(value, f"{value}") for value in (-180, -90, 0, 90, 180)]
    values = ticks(min(ends), max(ends), max(2, int(min(limit, 8))))
    if whole:
        values = values[np.abs(values - np.round(values)) < 1e-6]
        if names:
            return [(k, names[int(round(k))]) for k in values if -0.5 < k < len(names) - 0.5]
    return list(zip(values, words(values))) if len(values) else []


def quantity(label):
    """(name, unit) of the label of an axis: "Sky frequency (MHz)"; no unit is ""."""
    name, unit = re.fullmatch(r"(.*?)(?: \((.*)\))?", label).groups()
    return name, "" if unit in (None, "power") else unit


def in_words(label, value, digits):
    """A value with the name and the unit of its axis: "Sky frequency 1420.4058 MHz"."""
    name, unit = quantity(label)
    shown = f"{value:.{digits}g}" if np.isfinite(value) else "no value"
    return f"{name} {shown} {unit}".rstrip()
