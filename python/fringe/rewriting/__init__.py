#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Other visibilities in a visibility file that exists, a module for each kind of file."""
