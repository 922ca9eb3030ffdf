#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Terms of a calibration: delays, leakages, gains; found from visibilities and a model."""
from .solve import solve_terms  # noqa: F401
from .terms import term, terms_of  # noqa: F401
