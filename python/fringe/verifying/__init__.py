#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""`fringe verify`: whether what stands in a visibility file fits together, whoever wrote it."""
from .verify import verify  # noqa: F401
