#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Primary beams: the power that antennas receive from a direction, by that from their middle.

A beam has `words`; `fixed`, True where the antenna stands on the ground, False where it follows the
sky; `alike`, whether X and Y receive the same; and power(directions, frequency): of the feeds X and
Y, [...][2], for unit vectors [...][3]: (east, north, up) where it is fixed, (l, m, n) from where it
points elsewhere, not numbers beyond the horizon; frequency in Hz.
"""
from .named import beam_of  # noqa: F401
