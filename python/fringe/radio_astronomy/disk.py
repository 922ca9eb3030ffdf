#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The visibility of a round, evenly bright source: the Sun, the Moon."""
import numpy as np

from .fitting import least_squares

#: Points of the sum below; good to 1e-12 up to 100 wavelengths over the disk.
POINTS = 400


def disk_visibility(distance, diameter):
    """Visibility of a disk, relative to that of a point of the same flux; real.

        V = 2 J1(x) / x,    x = pi q D

    distance: q, of uv_distance(), in wavelengths, a number or an array. diameter: D in rad. It is 0
    at q = 1.22 / D, and negative behind it (the phase is 180 degrees). A. A. Michelson,
    F. G. Pease, ApJ 53, 249 (1921).
    """
    x = np.pi * np.asarray(distance, float) * diameter
    # 2 J1(x) / x = 2 / pi  integral of sqrt(1 - t^2) cos(x t), t = -1 ... 1: Gauss's sum for it.
    angle = np.arange(1, POINTS + 1) * np.pi / (POINTS + 1)
    share = 2 / (POINTS + 1) * np.sin(angle) ** 2
    return np.cos(x[..., None] * np.cos(angle)) @ share


def fit_disk(distances, amplitudes):
    """Diameter of a disk from amplitudes on several baselines: (diameter, error) in rad.

    distances: q in wavelengths. amplitudes: |V| in any unit, of the same length; at least three
    of different q, some of which must be near 1 / diameter. The flux is fitted as well. Raises
    ValueError where the source is a point on all baselines, or resolved on all.
    """
    q, v = (np.asarray(values, float).ravel() for values in (distances, amplitudes))
    if q.shape != v.shape:
        raise ValueError(f'fit_disk: {len(q)} distances and {len(v)} amplitudes; each baseline '
                         'needs both')
    good = np.isfinite(q) & np.isfinite(v) & (q > 0)
    q, v = q[good], v[good]
    if len(np.unique(q.round(6))) < 3:
        raise ValueError('fit_disk: at least three baselines of different length are needed')
    tried = np.geomspace(0.02 / q.max(), 3 / q.min(), 400)
    shapes = abs(disk_visibility(q, tried[:, None, None])[:, 0])
    flux = shapes @ v / np.sum(shapes ** 2, axis=1)
    misfit = np.sum((v - flux[:, None] * shapes) ** 2, axis=1)
    best = int(misfit.argmin())

    def model(p):
        return p[0] * abs(disk_visibility(q, p[1]))

    if best in (0, len(tried) - 1):
        what = 'a point' if best == 0 else 'resolved'
        raise ValueError(f'fit_disk: the source is {what} on all baselines ({q.min():.3g} to '
                         f'{q.max():.3g} wavelengths); some must be near 1 / diameter')
    (_, diameter), (_, error) = least_squares(model, (flux[best], tried[best]), v)
    return float(abs(diameter)), float(error)
