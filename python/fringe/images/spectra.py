#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images over frequency: their mean, and the polynomial that they follow.

A polynomial of T terms at the frequency f is

    S(f) = sum_t c_t x^t, t = 0 ... T - 1,   x = f / f_0 - 1

with f_0 the mean frequency by weight of the first plane that has visibilities. c_0 is the flux
at f_0, and c_1 / c_0 the spectral index there.
"""

from dataclasses import replace

import numpy as np

#: The smallest shape that is chosen has this diameter, in beams; each further one has twice as
#: much, up to this part of a side of the image.
SMALLEST, LARGEST = 4, 1 / 4


def scales_of(made, scales):
    """Diameters of components in pixels; scales: in direction cosines, or `auto`."""
    if isinstance(scales, str):
        diameter, found = SMALLEST * np.sqrt(made.beam[0] * made.beam[1]) / made.pixel, [0.0]
        while diameter <= LARGEST * min(made.values.shape[2:]):
            found.append(float(diameter))
            diameter *= 2
        return found
    return [float(scale) / made.pixel for scale in scales] or [0.0]


def reference_frequency(made):
    """f_0 in Hz: the mean frequency by weight of the first plane that has visibilities."""
    weights = made.total_weight[np.argmax(made.total_weight.any(axis=1))]
    return float(np.average(made.frequencies, weights=weights))


def spectrum_functions(made, groups, terms):
    """x^t of groups of channels, [group][term]."""
    x = made.frequencies[groups] / reference_frequency(made) - 1
    return np.vander(x, min(terms, len(x)), increasing=True)


def mean_image(made):
    """The `sky_image` of all channels: the mean of the groups by weight."""
    def mean(values):
        if values is None:
            return None
        weights = made.total_weight[..., None, None]
        total = weights.sum(axis=1, keepdims=True)
        values = np.where(weights > 0, values, 0)
        return ((values * weights).sum(axis=1, keepdims=True)
                / np.where(total > 0, total, 1)).astype(np.float32)
    return replace(made, values=mean(made.values), model=mean(made.model), psf=mean(made.psf),
                   residual=mean(made.residual), apparent=mean(made.apparent),
                   primary_beam=mean(made.primary_beam), **_one_channel(made))


def term_images(made, terms):
    """`sky_image`s of the coefficients c_t, of the polynomials that fit best by weight to the
    images of the groups, pixel by pixel."""
    found = np.zeros((terms, len(made.planes), 1, *made.values.shape[2:]), np.float32)
    for plane, weights in enumerate(made.total_weight):
        there = np.flatnonzero(weights > 0)
        if not len(there):
            continue
        functions = spectrum_functions(made, there, terms)
        root = np.sqrt(weights[there])
        fit = np.linalg.pinv(functions * root[:, None]) * root
        values = made.values[plane, there].reshape(len(there), -1)
        found[:len(fit), plane, 0] = (fit @ values).reshape(-1, *made.values.shape[2:])
    return [replace(made, values=values, **_one_channel(made)) for values in found]


def widths_of_groups(made):
    """Hz, of each group of channels."""
    return np.full(len(made.frequencies), made.bandwidth) if made.widths is None else made.widths


def fits_a_cube(made):
    """Whether an axis of even steps gives each image a frequency within its channels."""
    f = made.frequencies
    even = f[0] + np.arange(len(f)) * (f[-1] - f[0]) / max(len(f) - 1, 1)
    return bool((np.abs(f - even) <= widths_of_groups(made) / 2).all())


def image_of_group(made, group):
    """The `sky_image` of one group of channels."""
    arrays = {name: getattr(made, name) for name in
              ('values', 'model', 'psf', 'residual', 'apparent', 'primary_beam')}
    return replace(made, frequencies=made.frequencies[[group]],
                   **{name: array[:, group:group + 1] for name, array in arrays.items()
                      if array is not None},
                   bandwidth=float(widths_of_groups(made)[group]), widths=None,
                   total_weight=made.total_weight[:, [group]])


def _one_channel(made):
    return {'frequencies': np.array([reference_frequency(made)]),
            'bandwidth': made.bandwidth * len(made.frequencies), 'widths': None,
            'total_weight': made.total_weight.sum(axis=1, keepdims=True)}
