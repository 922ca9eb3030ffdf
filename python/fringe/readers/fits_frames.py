#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Frames of frequencies, as FITS files (SPECSYS) and MeasurementSets call them."""

from ..readers.ms_measures import CODES

#: Of SPECSYS, by the name in a MeasurementSet, where they differ.
IN_FITS = {'TOPO': 'TOPOCENT', 'BARY': 'BARYCENT', 'GEO': 'GEOCENTR', 'GALACTO': 'GALACTOC',
           'LGROUP': 'LOCALGRP', 'CMB': 'CMBDIPOL'}


def name_in_fits(frame):
    """The SPECSYS of a frame."""
    return IN_FITS.get(frame, frame)


def frame_of_fits(path, word):
    """The frame of a SPECSYS; TOPO where it is empty. Raises ValueError for another word."""
    known = {name_in_fits(frame): frame for frame in CODES['frequency']}
    name = str(word).strip().upper()
    if name and name not in (*known, *known.values()):
        raise ValueError(f'{path}: SPECSYS: {word}: must be one of {", ".join(known)}')
    return known.get(name, name) or 'TOPO'
