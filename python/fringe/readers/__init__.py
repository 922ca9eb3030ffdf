#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibility files, and the dumps of a running flowgraph, read into numpy arrays."""
