#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an operator can ask of a flowgraph that runs."""

#: What can be asked, and what that is.
COMMANDS = {
    "status": "the metrics, as a table",
    "new-file": "the next dump begins a new file",
    "stop": "dumps are no longer written; the flowgraph goes on",
    "start": "dumps are written again, into a new file",
    "end": "the flowgraph ends, and with it the files, as by SIGTERM",
}
#: A header that the pages of others cannot send unasked, so that no foreign page controls anything.
CONTROL_HEADER = "X-Fringe-Control"
