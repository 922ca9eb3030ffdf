#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Intervals in which the reference has no data."""

import numpy as np

from ..calibration.stefcal import unit


def reference_of_each(signal, reference):
    """The reference of each solution: another antenna, with most signal, where that has none.

    signal: [solution][antenna].
    """
    return np.where(signal[:, reference] > 0, reference, np.argmax(signal, axis=-1))


def continue_without_reference(term, p, moved):
    """Turns the gains of intervals without the reference so that, in the mean of the antennas, they
    continue those of the nearest interval that has it; delays likewise.

    moved: True = without it, [interval of time][of frequency].
    """
    term.moved[..., p] = moved
    for t, g in zip(*np.nonzero(moved)):
        others = np.flatnonzero(~moved[:, g])
        if not len(others):
            continue
        near = others[np.argmin(np.abs(term.time.centers[others] - term.time.centers[t]))]
        both = ~term.flags[t, g, :, p] & ~term.flags[near, g, :, p]
        if not both.any():
            continue
        own, wanted = term.values[t, g, :, p], term.values[near, g, :, p]
        if term.is_delay:
            term.values[t, g, :, p] = own + np.median((wanted - own)[both])
        else:
            turn = unit((unit(wanted) * unit(own).conj())[both].sum())
            term.values[t, g, :, p] = own * turn
