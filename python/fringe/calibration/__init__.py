#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays, phases and gains of the inputs: from one common signal, or from known sources."""
from .common_signal import (calibrated, common_signal, deaf_input,  # noqa: F401
                            inner_band, solve_common_signal)
from .file import write_calibrated  # noqa: F401
