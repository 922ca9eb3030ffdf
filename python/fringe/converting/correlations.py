#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Numbers of correlations: AIPS's, of UVFITS and UVH5, and CORR_TYPE of MeasurementSets."""

from ..readers.ms_rows import CODES as NAMES_OF_TYPES
from ..readers.polarizations import CODES as NAMES_OF_CODES

#: CORR_TYPE of a number of AIPS, and the reverse.
TYPES = {code: number for number, name in NAMES_OF_TYPES.items()
         for code in NAMES_OF_CODES if NAMES_OF_CODES[code] == name}
CODES = {number: code for code, number in TYPES.items()}
