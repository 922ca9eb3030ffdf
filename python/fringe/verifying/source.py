#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Phases of a file against a source whose place is known."""
import numpy as np

from .finding import FITS, UNKNOWN, WRONG, finding

C = 299792458.0
CLEAR = 5.0  #: times the noise that a source is seen


def _cosines(center, ra, dec):
    """l, m, n of a direction, seen from the phase center."""
    _, ra0, dec0 = center
    turn = ra - ra0
    return (np.cos(dec) * np.sin(turn),
            np.sin(dec) * np.cos(dec0) - np.cos(dec) * np.sin(dec0) * np.cos(turn),
            np.sin(dec) * np.sin(dec0) + np.cos(dec) * np.cos(dec0) * np.cos(turn))


def check_source(vis, name, ra, dec):
    """Whether the visibilities add up towards a source, or towards its mirror image."""
    check = f"phases of {name}"
    i, j = vis.products
    antenna = np.array([one for one, _ in vis.inputs])
    hand = np.array([pol for _, pol in vis.inputs])
    cross = (antenna[i] != antenna[j]) & (hand[i] == hand[j])
    if vis.uvw is None or vis.phase_center is None or not cross.any():
        return finding(check, UNKNOWN, "the file has no uvw, no phase center or no baselines")
    l, m, n = _cosines(vis.phase_center, ra, dec)
    if n <= 0:
        return finding(check, UNKNOWN, "it is more than 90 degrees from the phase center")
    uvw = vis.uvw[:, antenna[i[cross]]] - vis.uvw[:, antenna[j[cross]]]
    way = uvw @ [l, m, n - 1]
    turns = np.exp(-2j * np.pi * way[:, None] * vis.frequencies[:, None] / C)
    use = vis.flags[..., cross] | ~np.isfinite(vis.data[..., cross])
    data = np.where(use, 0, vis.data[..., cross])
    scale = np.abs(data).mean(axis=(0, 1), keepdims=True)  # of receivers of any gain
    data = data / np.where(scale > 0, scale, 1)
    there, mirrored = (abs((data * factor).sum()) / np.sqrt((np.abs(data) ** 2).sum())
                       for factor in (turns, turns.conj()))
    words = f"{there:.1f} times the noise towards it, {mirrored:.1f} towards its mirror image"
    if max(there, mirrored) < CLEAR:
        return finding(check, UNKNOWN, words + ": it is not seen")
    if abs(there - mirrored) < CLEAR:
        return finding(check, UNKNOWN, words + ": a source in the phase center has no mirror image"
                       if np.hypot(l, m) < 1e-6 else words)
    if mirrored > there:
        return finding(check, WRONG, words + ": the sky is upside-down")
    return finding(check, FITS, words)
