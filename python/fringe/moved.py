#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Modules by the names that they had before, so that programs which import these go on working."""
import sys

from .calibration import file, report

for name, module in {"calibration_file": file, "calibration_report": report}.items():
    sys.modules[f"{__package__}.{name}"] = module
