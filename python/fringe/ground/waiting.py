#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Waiting for the end of a flowgraph, which a signal may end early."""
import signal
import threading


class interrupted(Exception):
    """Ctrl-C, SIGTERM or SIGHUP: what was read until then is correlated and written."""

    def __init__(self, sentence, number=signal.SIGINT):
        super().__init__(sentence)
        self.number = number  #: the signal's


def wait(flowgraph, progress, stops, tell=None):
    """Runs the flowgraph to its end; True when a signal made that end come early. The first one
    ends the reading, and what was read is written; the second ends that, too. `tell` is called
    with what a udp_source warns of."""
    ended, failures = threading.Event(), []

    def wait_for_end():
        try:
            flowgraph.wait()
        except Exception as error:  # pylint: disable=broad-except
            failures.append(error)
        finally:
            ended.set()

    waiting = threading.Thread(target=wait_for_end, daemon=True)
    try:
        flowgraph.start()
    except Exception:
        for sink in flowgraph.sinks:
            sink.stop()  # or its empty file would stay, and stand in the way of the next run
        raise
    waiting.start()
    # A recorder makes no images.
    taken, sinks = 0, flowgraph.sinks + getattr(flowgraph, "image_sinks", [])
    while not ended.wait(0.1):
        if progress:
            progress(flowgraph.source.samples_read(), flowgraph.source.total_samples())
        if tell and hasattr(flowgraph.source, "warnings"):
            for sentence in flowgraph.source.warnings():
                tell(sentence)
        if stops.count > taken or all(sink.error() for sink in sinks):
            flowgraph.source.finish()  # or nobody is left to write for
        taken = stops.count
        if taken > 1:
            flowgraph.stop()
    if failures:
        raise RuntimeError(str(failures[0]) or "out of memory")
    return taken > 0
