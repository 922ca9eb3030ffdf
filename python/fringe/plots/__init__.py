#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pages of a visibility file's fringes, spectra, delays and sky, by matplotlib."""
