#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Chains of blocks in one: correlators, on one device or several, and the all-sky imager."""
