#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Frames of frequencies, as FITS files (SPECSYS) and MeasurementSets call them."""

from .ms_measures import CODES

#: Of SPECSYS, by the name in a MeasurementSet, where they differ.
IN_FITS = {'TOPO': 'TOPOCENT', 'BARY': 'BARYCENT', 'GEO': 'GEOCENTR', 'GALACTO': 'GALACTOC',
           'LGROUP': 'LOCALGRP', 'CMB': 'CMBDIPOL'}


def name_in_fits(frame):
    """The SPECSYS of a frame."""
    return IN_FITS.get(frame, frame)


def frame_of_fits(word):
    """The frame of a SPECSYS, as the file has it where MeasurementSets have none such; TOPO where
    it is empty."""
    name = str(word).strip().upper()
    return next((frame for frame in CODES['frequency'] if name_in_fits(frame) == name),
                name or 'TOPO')


def require_known_frame(path, frame):
    """Raises ValueError for a frame that MeasurementSets do not have."""
    if frame not in CODES['frequency']:
        raise ValueError(f'{path}: SPECSYS: {frame}: must be one of '
                         + ', '.join(map(name_in_fits, CODES['frequency'])))
