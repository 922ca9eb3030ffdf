#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""uvw of the groups of a UVFITS file."""

import re

import numpy as np

from .visibilities import SPEED_OF_LIGHT

#: UU, VV and WW, in seconds, or with -L in wavelengths; then the projection.
NAMES = re.compile(r'(UU|VV|WW)(-L)?-*(SIN|NCP|TAN|ARC|STG)?-*')
#: Seconds that light takes to the Moon and back: no baseline is as long.
FAR = 2.6


def uvw_of_groups(path, groups, at):
    """Meters, [row][3], antenna 1 - antenna 2, of groups `at`."""
    kinds = {name: NAMES.fullmatch(name) for name in groups.names}
    found = {}
    for name, kind in kinds.items():
        if kind and kind[1] in found and found[kind[1]] != name:
            raise ValueError(f'{path}: has the parameters {found[kind[1]]} and {name}')
        if kind:
            found[kind[1]] = name
    for axis in ('UU', 'VV', 'WW'):
        if axis not in found:
            raise KeyError(f'there is no parameter {axis}')
    projections = {kinds[name][3] or 'SIN' for name in found.values()}
    if projections != {'SIN'}:
        raise ValueError(f'{path}: {", ".join(found.values())}: uvw of a projection other than SIN')
    uvw = np.stack([groups.scaled(found[axis])[at] for axis in ('UU', 'VV', 'WW')], axis=1)
    largest = np.abs(uvw[np.isfinite(uvw)]).max(initial=0)
    if largest <= FAR:  # as wavelengths they would not be a baseline: some write -L of seconds
        return uvw * SPEED_OF_LIGHT
    if not all(kinds[name][2] for name in found.values()):
        raise ValueError(f'{path}: {found["UU"]}: up to {largest:.4g}; uvw of this name are in '
                         'seconds of light')
    return uvw * SPEED_OF_LIGHT / groups.header[f'CRVAL{groups.axes["FREQ"]}']
