#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pulsars on beams: dispersion taken out, powers folded at the period."""
