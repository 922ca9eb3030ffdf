#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings and streams correlated into files: at once, or planned and worked in parts."""
