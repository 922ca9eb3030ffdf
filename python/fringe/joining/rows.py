#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Rows of files that have one for each pair of antennas and dump."""
import numpy as np

#: Bytes of visibilities that are in memory at a time.
MEMORY = 2**28
SAME_UVW = 1e-3  # meters


def chosen_rows(plan, rows):
    """Numbers of the rows to be joined, an array for each file.

    rows: for each file (antenna 1, antenna 2, number of the dump), arrays [row]. Raises ValueError
    where the files do not have the same rows.
    """
    chosen, first = [], None
    for path, dumps, (ant1, ant2, dump) in zip(plan.paths, plan.dumps, rows):
        place = np.full(int(dump.max()) + 1, -1)
        place[dumps] = np.arange(len(dumps))
        here = np.flatnonzero(place[dump] >= 0)
        what = np.stack([ant1[here], ant2[here], place[dump[here]]])
        if first is None:
            first = what
        elif what.shape != first.shape or (what != first).any():
            raise ValueError(f'{path}: rows: of other baselines, or in another order, than those '
                             f'of {plan.paths[0]}')
        chosen.append(here)
    return chosen


def parts_of_rows(chosen, row_bytes):
    """(first row of the joined file, numbers of rows in each file), a part at a time."""
    step = max(1, MEMORY // max(1, row_bytes))
    for start in range(0, len(chosen[0]), step):
        yield start, [rows[start:start + step] for rows in chosen]


def check_uvw(plan, parts):
    """Raises ValueError where baselines of the files differ. parts: [file] [row][3] in meters."""
    for path, uvw in zip(plan.paths[1:], parts[1:]):
        off = np.abs(uvw - parts[0])
        if not (off <= SAME_UVW + 1e-6 * np.abs(parts[0])).all():
            raise ValueError(f'{path}: uvw: up to {off.max():.4g} m away from those of '
                             f'{plan.paths[0]}, so the phase centers or positions differ')
