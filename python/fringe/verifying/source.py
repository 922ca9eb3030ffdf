#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Phases of a file against a source whose place is known."""
import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT
from ..visibility_files.in_parts import read_in_parts
from .finding import FITS, UNKNOWN, WRONG, finding

CLEAR = 5.0  #: times the noise that a source is seen
MEMORY = 2**28
#: What a file may have done to the phases of a source, and what it is called.
THERE, MIRRORED, REVERSED = "towards it", "towards its mirror image", "with the channels reversed"
FAULTS = {MIRRORED: "the sky is upside-down",
          REVERSED: "the frequencies are those of the channels in reverse order"}


def _cosines(center, ra, dec):
    """l, m, n of a direction, seen from the phase center."""
    _, ra0, dec0 = center
    turn = ra - ra0
    return (np.cos(dec) * np.sin(turn),
            np.sin(dec) * np.cos(dec0) - np.cos(dec) * np.sin(dec0) * np.cos(turn),
            np.sin(dec) * np.sin(dec0) + np.cos(dec) * np.cos(dec0) * np.cos(turn))


def check_source(described, name, ra, dec):
    """Whether the visibilities of a described file add up towards a source, towards its mirror
    image, or towards it if the channels stood in the other order."""
    check = f"phases of {name}"
    i, j = described.products
    antenna = np.array([number for number, _ in described.inputs])
    hand = np.array([pol for _, pol in described.inputs])
    cross = np.flatnonzero((antenna[i] != antenna[j]) & (hand[i] == hand[j]))
    if described.uvw is None or described.phase_center is None or not len(cross):
        return finding(check, UNKNOWN, "the file has no uvw, no phase center or no baselines")
    cosines = _cosines(described.phase_center, ra, dec)
    if cosines[2] <= 0:
        return finding(check, UNKNOWN, "it is more than 90 degrees from the phase center")
    totals, power = dict.fromkeys((THERE, MIRRORED, REVERSED), 0j), 0.0
    for _, vis in read_in_parts(described, MEMORY):
        pairs = antenna[i[cross]], antenna[j[cross]]
        power += _add(totals, vis, cross, pairs, cosines)
    seen = {name: abs(total) / np.sqrt(power) if power else 0.0 for name, total in totals.items()}
    return _judged(check, seen, np.hypot(*cosines[:2]))


def _add(totals, vis, cross, pairs, cosines):
    """Adds what some dumps have; returns their power."""
    uvw = vis.uvw[:, pairs[0]] - vis.uvw[:, pairs[1]]
    way = uvw @ [*cosines[:2], cosines[2] - 1]
    data = vis.data[..., cross]
    data = np.where(vis.flags[..., cross] | ~np.isfinite(data) | ~np.isfinite(way)[:, None], 0,
                    data)
    scale = np.abs(data).mean(axis=(0, 1), keepdims=True)  # of receivers of any gain
    data = data / np.where(scale > 0, scale, 1)
    way = np.where(np.isfinite(way), way, 0)
    for name, hertz in ((THERE, vis.frequencies), (REVERSED, vis.frequencies[::-1])):
        turns = np.exp(-2j * np.pi * way[:, None] * hertz[:, None] / SPEED_OF_LIGHT)
        totals[name] += (data * turns).sum()
        if name == THERE:
            totals[MIRRORED] += (data * turns.conj()).sum()
    return float((np.abs(data) ** 2).sum())


def _judged(check, seen, offset):
    best = max(seen, key=seen.get)
    words = ", ".join(f"{value:.1f} {name}" for name, value in seen.items())
    words = f"times the noise: {words}"
    if seen[best] < CLEAR:
        return finding(check, UNKNOWN, words + ": it is not seen")
    if best == REVERSED and seen[best] - max(seen[THERE], seen[MIRRORED]) >= CLEAR:
        return finding(check, WRONG, f"{words}: {FAULTS[REVERSED]}")
    if abs(seen[MIRRORED] - seen[THERE]) < CLEAR:
        return finding(check, UNKNOWN, words + (": a source in the phase center has no mirror image"
                                                if offset < 1e-6 else ""))
    if seen[MIRRORED] > seen[THERE]:
        return finding(check, WRONG, f"{words}: {FAULTS[MIRRORED]}")
    return finding(check, FITS, words)
