#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Data sets for the exercises of a course, with flaws: fringe simulate --lab."""
