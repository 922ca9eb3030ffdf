#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Point sources in a dirty image: found, measured, and compared with the truth."""

from dataclasses import dataclass, replace

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import site_axes
from .synthesis import at_points, direction, steering, transform


@dataclass
class peak:
    """A point in an image: direction cosines and value."""
    l: float
    m: float
    value: float


@dataclass
class source_report:
    """Where a true source was found; distances are in direction cosines."""
    name: str
    l: float
    m: float
    found: peak      #: nearest found source, None = none found at all
    offset: float    #: distance to it
    tolerance: float
    ok: bool
    outside: bool = False
    masked: bool = False  #: not found, and the primary beam leaves no value within the tolerance

    @property
    def degrees(self):
        """Distance on the sky: more than in the image's plane, which is seen at an angle."""
        if self.found is None:
            return float('nan')
        a, b = (np.array([*place, np.sqrt(max(0.0, 1 - place[0]**2 - place[1]**2))])
                for place in ((self.l, self.m), (self.found.l, self.found.m)))
        return float(np.degrees(2 * np.arcsin(min(1.0, np.linalg.norm(a - b) / 2))))

    def __str__(self):
        where = f'{self.name}: l {self.l:+.4f} m {self.m:+.4f}'
        if self.masked:
            return where + (', is masked: the primary beam there is below its limit, so the image '
                            'has no value')
        if self.outside:
            return where + ', lies outside the image'
        if self.found is None:
            return where + ', nothing found in the image'
        result = 'found' if self.ok else 'NOT FOUND, the nearest is'
        return (f'{where}, {result} at l {self.found.l:+.4f} m {self.found.m:+.4f}, '
                f'off by {self.offset:.4f} (allowed {self.tolerance:.4f}), '
                f'{self.degrees:.2f} degrees on the sky')


def peaks(picture, threshold=0.0):
    """Local maxima above `threshold`, to a fraction of a pixel, the highest first."""
    values = np.where(np.isfinite(picture.values), picture.values, -np.inf)
    center = values[1:-1, 1:-1]
    around = [values[1 + a:values.shape[0] - 1 + a, 1 + b:values.shape[1] - 1 + b]
              for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    high = (center > threshold) & np.all([center >= other for other in around], axis=0)
    # A maximum at the horizon is a slope, not a peak.
    high &= np.all([np.isfinite(other) for other in around], axis=0)
    found = []
    for row, column in np.argwhere(high) + 1:
        dl, dm, value = _parabola(values[row - 1:row + 2, column - 1:column + 2])
        step = picture.axis[1] - picture.axis[0]
        found.append(peak(float(picture.axis[column] + dl * step),
                          float(picture.axis[row] + dm * step), float(value)))
    return sorted(found, key=lambda p: -p.value)


def find_sources(picture, limit=20, threshold=5.0):
    """The point sources in an image, the strongest first.

    As CLEAN does, but with the visibilities: the highest peak of the residual image joins
    the model, then all fluxes are fitted together, each position is refined with the others
    taken out, and the model is subtracted. Ends at `limit` sources, or when no peak of the
    residual reaches `threshold` standard deviations of it. Values are fluxes, in the unit of
    the image.
    """
    found, values = [], picture.values
    while len(found) < limit:
        candidates = peaks(replace(picture, values=values))
        spread = 1.4826 * np.nanmedian(np.abs(values - np.nanmedian(values)))
        if not candidates or candidates[0].value < max(threshold * spread, 1e-12):
            break
        found.append(candidates[0])
        for _ in range(2):
            _fit_fluxes(picture, found)
            for k, source in enumerate(found):
                _refine(_minus(picture, found[:k] + found[k + 1:]), source,
                        picture.beam / 8, picture.phased)
        _fit_fluxes(picture, found)
        values = transform(picture, _minus(picture, found))
    # A component beside a strong source repairs it and is no source of its own.
    kept = []
    for source in sorted(found, key=lambda p: -p.value):
        if source.value > 0 and all(np.hypot(source.l - p.l, source.m - p.m)
                                    > picture.beam / 2 for p in kept):
            kept.append(source)
    return kept


def check_sources(picture, truth, tolerance=None, found=None):
    """Are the true sources where they should be? A `source_report` for each.

    truth: (name, l, m) or (name, l, m, flux) of each, see true_positions(). tolerance:
    largest distance in direction cosines (default: a quarter of the beam). found: peaks to
    compare with (default: find_sources(picture)). No found source counts twice.
    """
    tolerance = picture.beam / 4 if tolerance is None else tolerance
    left = list(find_sources(picture, limit=2 * len(truth) + 5) if found is None else found)
    reports = []
    for name, l, m, *_ in truth:
        best = min(left, key=lambda p: np.hypot(p.l - l, p.m - m), default=None)
        offset = float('inf') if best is None else float(np.hypot(best.l - l, best.m - m))
        found_there = offset <= tolerance
        reports.append(source_report(name, l, m, best, offset, tolerance, found_there,
                                     not _holds(picture, l, m),
                                     not found_there and _masks(picture, l, m, tolerance)))
        if reports[-1].ok:
            left.remove(best)
    return reports


def true_positions(observation, picture):
    """(name, l, m, flux) in the image of each source of a `fringe.observation`'s sky."""
    places = []
    for k, source in enumerate(observation.sky):
        l, m = source.a, source.b
        if not (picture.phased and source.frame == type(source).kind.lm):
            l, m, _ = picture.rotation @ _enu_direction(observation, source, picture.instant)
        places.append((source.name or f'source {k + 1}', float(l), float(m), source.flux))
    return places


def _enu_direction(observation, source, instant):
    """Unit vector (east, north, up) towards a source of the simulated sky."""
    return site_axes(observation) @ fp.source_direction(observation, source, fp.epoch(*instant))


def _holds(picture, l, m):
    """True when the pixel of (l, m) is in the image and over the horizon."""
    step = picture.axis[1] - picture.axis[0]
    row, column = (int(round((x - picture.axis[0]) / step)) for x in (m, l))
    size = len(picture.axis)
    return (0 <= row < size and 0 <= column < size
            and bool(np.isfinite(picture.values[row, column])))


def _masks(picture, l, m, tolerance):
    """True where the primary beam leaves no value at (l, m), or so near that a peak there would
    have no neighbors."""
    if getattr(picture, 'masked', None) is None:
        return False
    step = picture.axis[1] - picture.axis[0]
    reach = int(np.ceil(tolerance / step)) + 1
    row, column = (int(round((x - picture.axis[0]) / step)) for x in (m, l))
    return bool(picture.masked[max(0, row - reach):max(0, row + reach + 1),
                               max(0, column - reach):max(0, column + reach + 1)].any())


def _parabola(values):
    """Top of the paraboloid through 3 x 3 values: column and row offsets, height."""
    y, x = np.mgrid[-1:2, -1:2].reshape(2, 9)
    terms = np.stack([np.ones(9), x, y, x * x, y * y, x * y], axis=1)
    c = np.linalg.lstsq(terms, values.reshape(9), rcond=None)[0]
    curvature = np.array([[2 * c[3], c[5]], [c[5], 2 * c[4]]])
    if np.linalg.det(curvature) <= 0:
        return 0.0, 0.0, values[1, 1]
    dx, dy = np.clip(-np.linalg.solve(curvature, c[1:3]), -1, 1)
    return dx, dy, c @ [1, dx, dy, dx * dx, dy * dy, dx * dy]


def _model_steering(groups, sources, phased):
    l, m = np.array([(s.l, s.m) for s in sources]).reshape(-1, 2).T
    return [steering(g, direction(l, m, phased)) for g in groups]


def _fit_fluxes(picture, sources):
    """Weighted least squares of the visibilities for the values of `sources`."""
    overlap = np.zeros((len(sources), len(sources)))
    for g, e in zip(picture.groups, _model_steering(picture.groups, sources, picture.phased)):
        between = (e[:, :, None] * e[:, None, :].conj()).reshape(len(e), -1)
        overlap += np.einsum('ap,ap->p', between.conj(),
                             g.weights @ between).real.reshape(overlap.shape)
    l, m = np.array([(s.l, s.m) for s in sources]).T
    seen = at_points(picture.groups, l, m, picture.phased)
    for source, value in zip(sources, np.linalg.lstsq(overlap, seen, rcond=1e-6)[0]):
        source.value = float(value)


def _minus(picture, sources):
    """The groups of an image with `sources` taken out."""
    values = np.array([s.value for s in sources])
    steerings = _model_steering(picture.groups, sources, picture.phased)
    return [replace(g, covariance=g.covariance - g.weights * ((e * values) @ e.conj().T))
            for g, e in zip(picture.groups, steerings)]


def _refine(groups, source, step, phased):
    """Moves a source to the top of the peak it is on."""
    dm, dl = np.mgrid[-1:2, -1:2].reshape(2, 9)
    for _ in range(3):
        heights = at_points(groups, source.l + step * dl, source.m + step * dm, phased)
        x, y, _ = _parabola(heights.reshape(3, 3))
        l, m = source.l + step * x, source.m + step * y
        if l * l + m * m >= 1:
            return
        source.l, source.m, step = float(l), float(m), step / 2
