#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How full the buffers of a run are, from its start to its end, and the table of all metrics."""
import time

from .blocks import blocks_of
from .metrics import values_of
from .operator import flowgraph_operator
from .system import buffer_samples, edges_of, ring_samples
from .table import name_of, table

EVERY = 1.0  # seconds


class fill_meter:
    """Called as `progress` is, a few times a second; looks at the buffers once a second."""

    def __init__(self, flowgraph, progress=None):
        self._flowgraph, self._progress, self._next = flowgraph, progress, 0.0
        self._sums = {}

    def __call__(self, done, total):
        if self._progress:
            self._progress(done, total)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._look()

    def _look(self):
        samples = [*buffer_samples(edges_of(self._flowgraph)),
                   *(sample for block in blocks_of(self._flowgraph)
                     for sample in ring_samples(block))]
        for labels, value in values_of(samples, "fringe_buffer_fill_ratio"):
            count, total, highest = self._sums.get(name_of(labels), (0, 0.0, 0.0))
            self._sums[name_of(labels)] = count + 1, total + value, max(highest, value)

    def ranges(self):
        """{name of a buffer: (mean fill, highest fill)}."""
        return {name: (total / count, highest)
                for name, (count, total, highest) in self._sums.items()}

    def table(self):
        """Lines of text: all metrics of now."""
        return table(flowgraph_operator(self._flowgraph).samples(), self.ranges())
