#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a geometry can tell: the directions in which positions are solved."""

import numpy as np

from ..ground.axes import site_axes

#: Directions whose phases change so little are held, against the best one (sigma).
WORST = 1e3
#: Radians by which a source has to move.
STILL = 1e-3


def free_directions(fit, observation, reference, fix):
    """([number][direction] to solve, sentences on what is not)."""
    columns, held = [], []
    x = np.zeros(fit.size)
    matrix = _weights_alone(fit, x)
    wide = any(len(entry.bands) > 1 for entry in fit.sets)
    if not wide and "delays" not in fix:
        held.append("cable delays: there is one channel, and a delay is the slope of the phase "
                    "over channels; phases take them up")
    for k in range(fit.inputs):
        if fit.antenna[k] == reference:
            continue
        numbers = [fit.delay(k)] if wide and "delays" not in fix else []
        if "phases" not in fix:
            numbers += [fit.phase(k, g) for g in range(fit.groups)]
        for number in numbers:
            if matrix[number, number] > 0:
                columns.append(np.eye(fit.size)[number])
    others = np.array(columns).reshape(-1, fit.size).T
    for a in range(fit.antennas):
        if a == reference or "positions" in fix:
            continue
        axes, lost = _axes(fit, matrix, observation, a, others, "up" in fix)
        columns += [_placed(axis, a, fit.size) for axis in axes]
        held += [text for text in lost if text not in held]
    return np.array(columns).reshape(-1, fit.size).T, held


def kept_free(position, free):
    """Positions [antenna][3] without their parts in directions that are not solved."""
    return np.array([basis @ basis.T @ place for basis, place in (
        (free_axes(free, a), place) for a, place in enumerate(position))])


def free_axes(free, a):
    """Unit vectors along which the position of an antenna is solved, [3][axis]."""
    basis = free[3 * a:3 * a + 3]
    return basis[:, np.abs(basis).sum(axis=0) > 0]


def _placed(axis, a, size):
    out = np.zeros(size)
    out[3 * a:3 * a + 3] = axis
    return out


def _weights_alone(fit, x):
    """The normal matrix with all amplitudes as they would be with the phases found."""
    matrix = np.zeros((fit.size, fit.size))
    for number, entry in enumerate(fit.sets):
        d = fit.design(number)
        for p, (i, j) in enumerate(zip(entry.i, entry.j)):
            w = entry.w[:, :, p]
            local = np.einsum("db,dbk,dbl->kl", w / max(w.mean(), 1e-30), d, d)
            for columns in (fit.columns(number, i), fit.columns(number, j)):
                np.add.at(matrix, np.ix_(columns, columns), local)
    return matrix


def _axes(fit, matrix, observation, a, others, without_up):
    """Unit vectors in ITRF along which the position of an antenna is solved, and sentences."""
    up = site_axes(observation)[2]
    basis = np.linalg.svd(up[None])[2][1:].T if without_up else np.eye(3)
    rows = np.arange(3 * a, 3 * a + 3)
    own = [k for k in range(others.shape[1])
           if fit.antenna[_input_of(fit, others[:, k])] == a]
    nuisance = others[:, own]
    cross = basis.T @ matrix[rows] @ nuisance
    inner = nuisance.T @ matrix @ nuisance
    known = basis.T @ matrix[np.ix_(rows, rows)] @ basis - cross @ np.linalg.pinv(
        inner, rcond=1e-13, hermitian=True) @ cross.T
    size, vectors = np.linalg.eigh(known)
    whole = np.trace(matrix[np.ix_(rows, rows)])
    good = size > max(size.max() / WORST ** 2, whole * STILL ** 2, 1e-30)
    lost = [f"positions {_name(basis @ vectors[:, k], up, fit.groups)}"
            for k in np.flatnonzero(~good)]
    return [basis @ vectors[:, k] for k in np.flatnonzero(good)], lost


def _input_of(fit, column):
    number = int(np.flatnonzero(column)[0]) - 3 * fit.antennas
    return number % fit.inputs


def _name(axis, up, groups):
    if abs(axis[2]) > 0.98 and groups > 1:
        return ("along the Earth's axis: their phase is constant in each file, and each file has a "
                "phase of its own")
    if abs(axis[2]) > 0.98:
        return ("along the Earth's axis: one declination does not tell them from cable delays and "
                "phases; sources of other declinations do")
    east = np.cross([0, 0, 1], up)
    east = east / np.linalg.norm(east)
    e, n, u = axis @ east, axis @ np.cross(up, east), axis @ up
    return (f"along ({e:+.2f} east, {n:+.2f} north, {u:+.2f} up): the sources moved too little "
            "across it; more hours tell")
