#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Answers for the operator of a flowgraph: its metrics, and what he asks it to do."""
import os
import signal
import weakref

from .. import fringe_python as fp
from .blocks import blocks_of, samples_of
from .commands import COMMANDS
from .system import (buffer_samples, edges_of, in_order, process_samples, ring_samples,
                     thread_samples)


class flowgraph_operator:
    """Looks after one flowgraph, a gr.top_block or one of its kind, that has blocks as attributes
    (alone, or in lists): what GNU Radio Companion makes, too. It holds no reference to it."""

    def __init__(self, flowgraph):
        self._flowgraph, self._edges = weakref.ref(flowgraph), None

    def note_edges(self):
        """To be called by start() of a block: nobody changes the flowgraph meanwhile, and after a
        change blocks are started again. Without it edges are read each time."""
        self._edges = edges_of(self._flowgraph())

    def samples(self):
        """Its metrics now, [name, labels, value]."""
        flowgraph = self._flowgraph()
        blocks = blocks_of(flowgraph) if flowgraph else []
        backends = {str(block.target) for block in blocks if hasattr(block, "target")}
        build = {"version": fp.__version__, "backend": ",".join(sorted(backends))}
        found, buffers = [("fringe_build_info", build, 1)], []
        for block in blocks:
            found += samples_of(block)
            buffers += ring_samples(block)
        if flowgraph:
            buffers += buffer_samples(edges_of(flowgraph) if self._edges is None else self._edges)
        fills = [sample for sample in buffers if sample[0] == "fringe_buffer_fill_ratio"]
        found += in_order(fills) + [sample for sample in buffers if sample not in fills]
        return [[name, labels, float(value)] for name, labels, value in
                [*found, *thread_samples(), *process_samples()]]

    def answer(self, request):
        """What becomes of a request, {"do": one of COMMANDS}: {"samples": ...}, {"done": a
        sentence} or {"refused": a sentence}."""
        what = request.get("do")
        if what == "status":
            return {"samples": self.samples()}
        if what == "end":
            os.kill(os.getpid(), signal.SIGTERM)
            return {"done": "the flowgraph ends, and its files are finished"}
        flowgraph = self._flowgraph()
        sinks = [block for block in (blocks_of(flowgraph) if flowgraph else [])
                 if hasattr(block, "set_writing")]
        if what not in COMMANDS:
            return {"refused": f"{what}: must be one of {', '.join(COMMANDS)}"}
        if not sinks:
            return {"refused": "the flowgraph writes no visibility files"}
        for sink in sinks:
            if what == "new-file":
                sink.begin_new_file()
            else:
                sink.set_writing(what == "start")
        return {"done": COMMANDS[what]}
