#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Stokes parameters and products of hands, by their names."""

import numpy as np

#: What can be imaged, and its number on the axis STOKES of a FITS file.
STOKES = {'I': 1, 'Q': 2, 'U': 3, 'V': 4, 'RR': -1, 'LL': -2, 'XX': -5, 'YY': -6}


def planes_of(text):
    """Names of the planes: IQUV, XX or XX,YY."""
    names = list('IQUV') if text.upper() == 'IQUV' else text.upper().split(',')
    for name in names:
        if name not in STOKES:
            raise ValueError(f'pol: {text}: {name or "nothing"} is no image; choose of '
                             f'{", ".join(STOKES)}, or IQUV for all four')
    numbers = [STOKES[name] for name in names]
    if len(names) > 1 and len(set(np.diff(numbers))) != 1 or 0 in np.diff(numbers):
        raise ValueError(f'pol: {text}: these do not make an axis of a FITS file; take one, '
                         'IQUV, or XX,YY')
    return names
