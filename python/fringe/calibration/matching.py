#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Whether solutions belong to a visibility file: antennas by name, polarizations, band, time."""

import numpy as np

from ..readers.polarizations import in_order
from .jones import interval_of_channels

#: Meters by which the distance of two antennas may differ between solutions and a file: positions
#: are improved, but no antenna moves as far.
MAX_MOVE = 1.0


def seconds_of(vis):
    """Centers of the dumps, s since 1970 UTC, [dump]."""
    return vis.seconds + vis.fractions


def matched(vis, tables, max_gap):
    """(numbers of the file's antennas, numbers of its polarizations) in each of `solutions`, -1
    where it has none. Raises ValueError, with the numbers, for solutions of another array, band or
    epoch, and where a file has not what a term needs.

    vis: a description; tables: {name of a file, or another word for it: solutions}
    """
    if not tables or not any(table.terms for table in tables.values()):
        raise ValueError("apply: there is no term of a calibration to apply")
    if vis.frequencies is None:
        raise ValueError(f"{vis.path}: does not say at which frequencies it was made")
    if not vis.has_times:
        raise ValueError(f"{vis.path}: does not say when it was made")
    hands = in_order(hand for _, hand in vis.inputs)
    antennas, polarizations = [], []
    for name, table in tables.items():
        antennas.append(_antennas(vis, name, table))
        polarizations.append(_polarizations(vis, name, table, hands))
        for term in table.terms:
            _check_band(vis, name, term)
            _check_epoch(vis, name, term, max_gap)
    return antennas, polarizations


def _antennas(vis, name, table):
    number = {antenna: k for k, antenna in enumerate(table.antennas)}
    found = np.array([number.get(antenna, -1) for antenna in vis.antennas])
    if (found < 0).all():
        raise ValueError(f"{name}: has solutions of the antennas {_some(table.antennas)}; those of "
                         f"{vis.path} are {_some(vis.antennas)}")
    if table.positions is None or vis.positions is None:
        return found
    here = np.flatnonzero(found >= 0)
    moved = np.abs(_distances(vis.positions[here]) - _distances(table.positions[found[here]]))
    a, b = np.unravel_index(np.argmax(np.nan_to_num(moved)), moved.shape)
    if moved[a, b] > MAX_MOVE:
        first, second = vis.antennas[here[a]], vis.antennas[here[b]]
        apart = [_distances(places)[a, b] for places in
                 (table.positions[found[here]], vis.positions[here])]
        raise ValueError(
            f"{name}: is of another array: {first} and {second} are {apart[0]:.10g} m apart in it, "
            f"and {apart[1]:.10g} m in {vis.path} (up to {MAX_MOVE:g} m of difference is taken)")
    return found


def _distances(positions):
    """m between antennas, [antenna][antenna]."""
    return np.linalg.norm(positions[:, None] - positions, axis=-1)


def _polarizations(vis, name, table, hands):
    found = [table.polarizations.find(hand) for hand in hands]
    if max(found) < 0:
        raise ValueError(f"{name}: has solutions of {' and '.join(table.polarizations)}; the "
                         f"inputs of {vis.path} are {' and '.join(hands)}")
    if any(term.kind == "D" for term in table.terms) and found != [0, 1]:
        raise ValueError(f"{name}: leakage (D) mixes the two polarizations, and {vis.path} has "
                         f"only {' and '.join(hands)}")
    return found


def _check_band(vis, name, term):
    if (interval_of_channels(term, vis.frequencies) < 0).all():
        low = (term.frequencies - term.widths / 2).min()
        high = (term.frequencies + term.widths / 2).max()
        raise ValueError(
            f"{name}: its term {term.kind} is of {low / 1e6:.10g} to {high / 1e6:.10g} MHz; the "
            f"channels of {vis.path} are from {vis.frequencies.min() / 1e6:.10g} to "
            f"{vis.frequencies.max() / 1e6:.10g} MHz")


def _check_epoch(vis, name, term, max_gap):
    seconds = seconds_of(vis)
    begin = term.times[0] - max(term.intervals[0] / 2, max_gap)
    end = term.times[-1] + max(term.intervals[-1] / 2, max_gap)
    if len(seconds) and (seconds.max() < begin or seconds.min() > end):
        away = max(term.times[0] - seconds.max(), seconds.min() - term.times[-1])
        raise ValueError(
            f"{name}: its term {term.kind} was solved {away:.10g} s from {vis.path}: at "
            f"{_utc(term.times[0])} to {_utc(term.times[-1])}, and the dumps are from "
            f"{_utc(seconds.min())} to {_utc(seconds.max())} UTC; max_gap=SECONDS takes it")


def _utc(seconds):
    return str(np.datetime64(int(round(seconds * 1000)), "ms"))


def _some(names):
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
