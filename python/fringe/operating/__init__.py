#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an operator sees of a flowgraph that runs for months, and what he can ask of it: counts and
fills (metrics), sentences on what is wrong (alerts), a new file, a pause (control)."""
