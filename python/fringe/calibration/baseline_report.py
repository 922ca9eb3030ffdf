#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Positions, lengths and cable delays in words."""

from itertools import combinations

import numpy as np

#: Antennas up to which the length of every baseline is shown.
MAX_ANTENNAS = 8


def in_words(found):
    """Lines of text: what solve_baselines() found and how well."""
    return (_positions(found) + _lengths(found) + _inputs(found)
            + [f"not solved: {text}" for text in found.held] + _quality(found) + _closure(found)
            + [f"note: {text}" for text in found.remarks])


def _positions(found):
    names = [entry.name for entry in found.observation.antennas]
    width = max(7, *map(len, names))
    lines = [f"{'antenna':{width}}  {'east':>21}  {'north':>21}  {'up':>21}  {'moved by':>10}"]
    for a, name in enumerate(names):
        if a == found.reference:
            lines.append(f"{name:{width}}  (reference)")
            continue
        parts = [f"{value:+11.4f} +-{_error(error)} m"
                 for value, error in zip(found.positions[a], found.errors[a])]
        lines.append(f"{name:{width}}  " + "  ".join(f"{part:>21}" for part in parts)
                     + f"  {np.linalg.norm(found.moved[a]):8.4f} m")
    return lines


def _lengths(found):
    names = [entry.name for entry in found.observation.antennas]
    if len(names) > MAX_ANTENNAS:
        return []
    texts = []
    for a, b in combinations(range(len(names)), 2):
        length, error = found.length(a, b)
        texts.append(f"{names[a]}-{names[b]} {length:.4f} +-{_error(error)} m")
    return ["lengths: " + ", ".join(texts)]


def _inputs(found):
    obs = found.observation
    several = len({entry.polarization for entry in obs.inputs}) > 1
    lines = [f"{'input':7}  {'cable delay':>24}  {'phase left in the band':>24}"]
    for k, entry in enumerate(obs.inputs):
        name = obs.antennas[entry.antenna].name + (entry.polarization if several else "")
        if entry.antenna == found.reference:
            lines.append(f"{name:7}  (reference)")
            continue
        lines.append(f"{name:7}  {1e9 * found.delay[k]:+12.3f} +-"
                     f"{1e9 * found.delay_error[k]:.3f} ns     {found.phase[k]:+12.2f} +-"
                     f"{found.phase_error[k]:.2f} deg")
    return lines


def _quality(found):
    sets = ", ".join(f"{path} ({source}) {rms:.2f}" for path, source, rms in found.misfit)
    lines = [f"phases left over, noise taken off, degrees rms: {sets}",
             f"chi2 {found.chi2:.2f} (noise alone makes 1); {found.outliers} of {found.cells} "
             "values left out as outliers"]
    if np.isfinite(found.lead[0]):
        lines.append(f"turns of phase: the next best place of an antenna, {found.lead[0]:.3g} m "
                     f"away, fits worse by {found.lead[1]:.0f} sigma")
    return lines


def _closure(found):
    if not found.closure:
        return []
    inputs = found.observation.inputs
    names = [found.observation.antennas[entry.antenna].name for entry in inputs]
    delay = 1e9 * np.sqrt(np.mean([entry.delay ** 2 for entry in found.closure]))
    noise = 1e9 * np.sqrt(np.mean([entry.delay_error ** 2 for entry in found.closure]))
    lines = [f"closure of {len(found.closure)} triangles: delays {delay:.3g} ns rms (noise makes "
             f"{noise:.2g})"]
    wrong = [entry for entry in found.closure if not entry.closes]
    for entry in wrong[:4]:
        lines.append(f"note: {'-'.join(names[k] for k in entry.inputs)} does not close: "
                     f"{1e9 * entry.delay:+.3g} ns, {entry.phase:+.1f} degrees: an error of the "
                     "data of one baseline, which no position and no cable explains")
    return lines


def _error(value):
    return f"{value:.4f}" if value < 10 else f"{value:.1f}"
