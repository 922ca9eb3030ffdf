#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Small angles in the unit that an astronomer would take."""

import numpy as np

#: (name, sign, how many there are in a degree), from large to small.
UNITS = (('degrees', '\u00b0', 1.0), ('arcmin', "'", 60.0), ('arcsec', '"', 3600.0),
         ('mas', ' mas', 3.6e6), ('uas', ' \u00b5as', 3.6e9))


def unit_of(radians):
    """The unit in which an angle is not much below 1: (name, sign, how many in a radian)."""
    degrees = abs(np.degrees(radians))
    for name, sign, many in UNITS:
        if degrees * many >= 0.1:
            break
    return name, sign, many * 180 / np.pi
