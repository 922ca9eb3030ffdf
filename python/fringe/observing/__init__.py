#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An observation, and what a user says of one: places, phase centers, formats, sizes, settings."""
