#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains and other terms of a calibration, taken out of visibilities."""

from dataclasses import replace

import numpy as np

from .corrections import corrections
from .jones_division import without_gains
from .term_in_time import MAX_GAP


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
    data, flags = without_gains(vis.data, vis.flags, gains, vis.products)
    return replace(vis, data=data, flags=flags)


def apply_solutions(vis, tables, max_gap=MAX_GAP):
    """(a copy of `visibilities` with J_i^-1 V_ij J_j^-H, what was done), the calibration taken out.

    tables: `solutions`, or a list of them, in the order in which they act on the sky, the last
    next to the receiver; max_gap: seconds, as term_in_time has it.

    Antennas go by their names, channels by their frequencies, polarizations by their types. What
    has no solution is flagged, and counted in the `applied` that is returned; weights stay, as
    they count samples. Raises ValueError for solutions of another array, band or epoch.
    """
    tables = list(tables) if isinstance(tables, (list, tuple)) else [tables]
    work = corrections(vis, {f"table {k}" if len(tables) > 1 else "the table": table
                             for k, table in enumerate(tables, 1)}, max_gap)
    data, flags = work.corrected(vis)
    return replace(vis, data=data, flags=flags), work.applied
