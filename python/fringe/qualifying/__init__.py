#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""`fringe qualify`: requirements that are measured on the machine at hand, and the report."""
