#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Items that a block has read and not consumed yet, so that GNU Radio calls it again."""


class read_ahead:
    """Where a block goes on in its inputs, which go in step.

    GNU Radio calls a block again as long as it has an item, also after the end of the data. So a
    block that has more to send holds back the last item that it has read.
    """

    def __init__(self, block):
        self._block, self._next = block, 0

    def restart(self):
        """For start(): after lock() and unlock() the block goes on where it was."""
        self._next = self._next if self._block.nitems_read(0) else 0

    def begin(self, waiting):
        """How many of the items that wait have been read before."""
        at = self._next - self._block.nitems_read(0)
        return at if 0 <= at <= waiting else 0

    def end(self, ports, at, hold):
        """Consumes the first `at` items of each port; hold: one of them stays."""
        self._next = self._block.nitems_read(0) + at
        for port in range(ports):
            self._block.consume(port, at - min(at, int(hold)))
