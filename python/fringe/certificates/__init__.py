#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a file says of itself when it is finished: sums of its columns and tables, by which it can
be tested later, and what was lost. docs/formats.md describes it."""
