#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Least squares for a few parameters (Levenberg and Marquardt)."""
import numpy as np


def least_squares(model, start, values):
    """Parameters of a model that come nearest to values, and their errors: two arrays.

    Minimizes sum (values - model(parameters))^2 from a start near the minimum. The errors are
    standard deviations, from the scatter that is left. Raises ValueError where it finds none.
    """
    found, damping = np.array(start, float), 1e-3
    rest = values - model(found)
    for _ in range(200):
        slopes = _slopes(model, found)
        normal = slopes.T @ slopes
        if not (np.all(np.isfinite(normal)) and np.all(np.diag(normal) > 0)):
            raise ValueError('the fit does not converge')
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), slopes.T @ rest)
        tried = values - model(found + step)
        if not tried @ tried <= rest @ rest:
            damping *= 10
            if damping > 1e12:
                break
            continue
        small = np.all(abs(step) <= 1e-10 * (abs(found) + 1e-300))
        found, rest, damping = found + step, tried, damping / 10
        if small:
            break
    normal = _slopes(model, found)
    free = max(len(values) - len(found), 1)
    covariance = np.linalg.pinv(normal.T @ normal) * (rest @ rest) / free
    return found, np.sqrt(np.diag(covariance))


def _slopes(model, at):
    columns = []
    for k, value in enumerate(at):
        step = np.zeros(len(at))
        step[k] = 1e-6 * (abs(value) or 1.0)
        columns.append((model(at + step) - model(at - step)) / (2 * step[k]))
    return np.stack(columns, axis=1)
