#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Correlations of a visibility file: those that are products of two inputs, and Stokes I."""

from .visibilities import HANDS

STOKES = 'IQUV'
#: Numbers of AIPS, as UVFITS and UVH5 have them.
CODES = {1: 'I', 2: 'Q', 3: 'U', 4: 'V', -1: 'RR', -2: 'LL', -3: 'RL', -4: 'LR',
         -5: 'XX', -6: 'YY', -7: 'XY', -8: 'YX'}


def in_order(polarizations):
    """Each of them once, in the order of inputs."""
    return sorted(set(polarizations), key=HANDS.index)


def correlations_of(path, where, codes):
    """(places along the axis that are read, polarizations of the two inputs of each, remarks).

    codes: numbers of AIPS along the axis. where: its name in the file. Raises ValueError where
    nothing can be read, or a number is of no correlation.
    """
    unknown = [code for code in codes if code not in CODES]
    if unknown:
        raise ValueError(f'{path}: {where}: polarization {unknown[0]} is no correlation; 1 to 4 '
                         '(Stokes I Q U V) and -1 to -8 (RR LL RL LR XX YY XY YX) are known')
    repeated = [code for k, code in enumerate(codes) if code in codes[:k]]
    if repeated:
        raise ValueError(f'{path}: {where}: has polarization {repeated[0]} twice')
    return correlations_named(path, where, [CODES[code] for code in codes])


def correlations_named(path, where, names):
    """As correlations_of(), of names such as XX, RL and I."""
    read = [k for k, name in enumerate(names) if name not in STOKES]
    read = read or [k for k, name in enumerate(names) if name == 'I']
    left = [name for k, name in enumerate(names) if k not in read]
    if not read:
        raise ValueError(f'{path}: {where}: holds Stokes {", ".join(left)} without I; Stokes I or '
                         'products of X, Y, R and L are read')
    remarks = [f'Stokes {", ".join(left)} beside {"I" if names[read[0]] == "I" else "products"} '
               'are not read'] if left else []
    return read, [names[k] * (3 - len(names[k])) for k in read], remarks
