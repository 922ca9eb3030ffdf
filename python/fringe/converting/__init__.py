#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibility files of one kind made to those of another, row by row: a module each to read
(from_) and to write (to_) a kind."""
