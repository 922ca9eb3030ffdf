#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities as a Dataset of xarray: arrays whose axes have names."""

import numpy as np


def as_xarray(vis):
    """See visibilities.to_xarray()."""
    try:
        import xarray
    except ImportError:
        raise ImportError('to_xarray: the Python module xarray is not installed: apt-get install '
                          'python3-xarray') from None
    vis.require_data()
    cube = ('time', 'frequency', 'baseline')
    content = {'visibility': (cube, vis.data, {'units': vis.unit}),
               'weight': (cube, vis.weights, {'long_name': 'valid samples, up to a factor'}),
               'flag': (cube, vis.flags, {'long_name': 'True = bad'}),
               'exposure': ('time', vis.exposures, {'units': 's'}),
               'interval': ('time', vis.intervals, {'units': 's'})}
    coordinates = {'time': _time(vis), **_baselines(vis)}
    if vis.frequencies is not None:
        coordinates['frequency'] = ('frequency', vis.frequencies,
                                    {'units': 'Hz', 'frame': vis.frequency_frame})
    if vis.uvw is not None:
        antennas = np.array([antenna for antenna, _ in vis.inputs])
        pairs = antennas[np.stack(vis.products, axis=1)]
        content['uvw'] = (('time', 'baseline', 'axis'), vis.baseline_uvw(pairs), {'units': 'm'})
        coordinates['axis'] = ['u', 'v', 'w']
    if vis.positions is not None:
        content['position'] = (('antenna', 'direction'), vis.positions, {'units': 'm'})
        coordinates['antenna'] = list(vis.antennas)
        coordinates['direction'] = ['east', 'north', 'up']
    return xarray.Dataset(content, coordinates, _facts(vis))


def _time(vis):
    """The centers of the dumps: UTC, or seconds where no date is known."""
    if vis.has_times:
        return 'time', vis.times, {'scale': 'utc', 'long_name': 'center of the dump'}
    passed = vis.seconds - vis.seconds[:1] + vis.fractions
    return 'time', passed, {'units': 's', 'long_name': 'center of the dump; no date is known'}


def _baselines(vis):
    """Names of the products, as --baselines has them, and what they are of."""
    i, j = vis.products
    names = [vis.input_name(k) for k in range(len(vis.inputs))]
    pairs = [(vis.inputs[a], vis.inputs[b]) for a, b in zip(i, j)]
    return {'baseline': [f'{names[a]}-{names[b]}' for a, b in zip(i, j)],
            'antenna_1': ('baseline', [vis.antennas[a] for (a, _), _ in pairs]),
            'antenna_2': ('baseline', [vis.antennas[b] for _, (b, _) in pairs]),
            'polarization': ('baseline', [p + q for (_, p), (_, q) in pairs])}


def _facts(vis):
    facts = {'telescope': vis.telescope, 'file': str(vis.path),
             'convention': 'V_ij = <x_i conj(x_j)>, uvw = uvw_i - uvw_j'}
    if vis.phase_center is not None:
        name, ra, dec = vis.phase_center
        facts.update(phase_center=name, right_ascension=ra, declination=dec, angles='rad, ICRS')
    return facts
