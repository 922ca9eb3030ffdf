#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Closure phases over a model."""

import numpy as np


def closure_phases(a, b, good, reference):
    """Closure phases of all triangles with the reference, and what noise makes of them: degrees
    rms; NaN where there is no triangle.

    Of V over the model, arg(A_rj A_jk A_kr): gains cancel in it, so what is left is the model's
    fault or noise. a, b: sums of w V conj(M) and w |M|^2, [antenna][antenna], w = 1 / variance.
    """
    others = np.flatnonzero(good & (np.arange(len(good)) != reference))
    if len(others) < 2:
        return np.nan, np.nan
    j, k = (others[rows] for rows in np.triu_indices(len(others), 1))
    edges = [(np.full(len(j), reference), j), (j, k), (k, np.full(len(j), reference))]
    used = np.all([b[edge] > 0 for edge in edges], axis=0)
    edges = [(first[used], second[used]) for first, second in edges]
    if not used.any():
        return np.nan, np.nan
    angle = np.angle(a[edges[0]] * a[edges[1]] * a[edges[2]])
    noise = sum(b[edge] / np.maximum(2 * np.abs(a[edge]) ** 2, 1e-300) for edge in edges)
    noise = np.minimum(noise, np.pi ** 2 / 3)  # that of any phase
    return tuple(float(np.degrees(np.sqrt(np.average(x, weights=1 / noise))))
                 for x in (angle ** 2, noise))
