#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The place of each antenna where its phases agree, and whether another one is as good."""

import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT
from .baseline_free import free_axes
from .baseline_search import MIN_LEAD, candidates
from .quality import unsolved


def first_places(fit, observation, reference, free, search):
    """Where the fit of all begins; (m, sigma) by which the second best place of an antenna is away
    and behind; a sentence where that is too little, or None."""
    start, lead, doubt = np.zeros(fit.size), (np.inf, np.inf), None
    for a in range(fit.antennas):
        if a == reference:
            continue
        pairs = {(i, j) for entry in fit.sets for i, j in zip(entry.i, entry.j)
                 if {fit.antenna[i], fit.antenna[j]} == {a, reference}}
        basis, phases = free_axes(free, a), _free_phases(fit, free, a)
        numbers = [*range(3 * a, 3 * a + 3), *phases,
                   *(fit.delay(k) for k in np.flatnonzero(fit.antenna == a))]
        own = free[:, np.abs(free[numbers]).sum(axis=0) > 0]
        if not own.any():
            continue
        tried = []
        for place in candidates(fit, reference, a, search, basis):
            x = np.zeros(fit.size)
            x[3 * a:3 * a + 3] = basis @ (basis.T @ place)  # what is held stays
            _begin(fit, x, phases, pairs)
            x, like = fit.solve(x, own, pairs)
            tried.append((like, x))
        if not tried:
            raise unsolved(f"{observation.antennas[a].name}: there is no signal on its baseline to "
                           f"{observation.antennas[reference].name}")
        tried.sort(key=lambda entry: entry[0])
        best, wave = tried[0][1], SPEED_OF_LIGHT / fit.f0
        _, _, _, chi2, cells = fit.normal(best, pairs)
        scale = max(1.0, chi2 / max(cells, 1))
        for like, x in tried[1:]:
            apart = np.linalg.norm(x[3 * a:3 * a + 3] - best[3 * a:3 * a + 3])
            if apart > 0.1 * wave:
                ahead = (like - tried[0][0]) / scale
                if ahead < MIN_LEAD:
                    doubt = (
                        f"{observation.antennas[a].name}: two places {apart:.2f} m apart fit alike "
                        f"(they differ by {np.sqrt(max(ahead, 0)):.1f} sigma, and "
                        f"{np.sqrt(MIN_LEAD):g} are needed): more sources, more hours, a wider "
                        "band, or a smaller search (search=METERS) tell them apart")
                lead = min(lead, (float(apart), float(np.sqrt(ahead))), key=lambda entry: entry[1])
                break
        start += best
    return start, lead, doubt


def _free_phases(fit, free, a):
    """Number of each phase of an antenna that is solved -> (input, group)."""
    return {fit.phase(k, group): (k, group) for k in np.flatnonzero(fit.antenna == a)
            for group in range(fit.groups) if free[fit.phase(k, group)].any()}


def _begin(fit, x, phases, pairs):
    """The phases of an antenna's inputs that suit its position in x."""
    for place, (k, group) in phases.items():
        total = 0
        for number, entry in enumerate(fit.sets):
            for p, (i, j) in enumerate(zip(entry.i, entry.j)):
                if (i, j) in pairs and k in (i, j) and (fit.groups == 1 or number == group):
                    z, w, _ = fit.turned(number, p, x)
                    mean = (z * w).sum()
                    total += mean if i == k else mean.conj()
        x[place] = np.angle(total) if total else 0.0
