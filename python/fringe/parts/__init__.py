#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One recording correlated in parts, by many processes or hosts: plan, work, merge."""
