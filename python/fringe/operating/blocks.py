#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the blocks of a flowgraph say of themselves: each kind of block by the methods it has."""
import contextlib
import os
import time

from .. import fringe_python as fp


def blocks_of(flowgraph):
    """The blocks that a flowgraph has as attributes, alone or in lists: those of a flowgraph that
    GNU Radio Companion made, too."""
    found = {}
    for value in vars(flowgraph).values():
        for block in value if isinstance(value, (list, tuple)) else [value]:
            for each in (block, getattr(block, "flagger", None)):
                if hasattr(each, "to_basic_block"):
                    found.setdefault(each.unique_id(), each)
    return list(found.values())


def _has(block, *names):
    return all(callable(getattr(block, name, None)) for name in names)


def samples_of(block):
    """(name, labels, value) of all that a block counts."""
    its = {"block": block.alias()}
    if _has(block, "samples_read"):
        yield "fringe_samples_total", its, block.samples_read()
    if _has(block, "packets"):
        for cause, count in block.packets().items():
            yield "fringe_packets_total", {**its, "cause": cause}, count
    if _has(block, "stretches"):
        yield "fringe_stream_restarts_total", its, max(block.stretches() - 1, 0)
    yield from _faults(block, its)
    if _has(block, "spectra_lost"):
        yield "fringe_spectra_missing_total", its, block.spectra_lost()
        yield "fringe_dumps_total", its, block.dumps()
    if _has(block, "cells"):
        cells = {cause: sum(counts) for cause, counts in block.cells().items()}
        yield from _flagged(cells, "searched", "cells", its)
    if _has(block, "totals"):
        yield from _flagged(block.totals(), "all", "visibilities", its)
    if _has(block, "set_writing"):
        yield from _sink(block, its)
    if _has(block, "samples", "finish"):
        yield "fringe_samples_written_total", its, block.samples()
        yield from _disk(getattr(block, "folder", ""))
    if _has(block, "held", "counts"):
        yield from _ring(block, its)
    if _has(block, "sent", "refused", "skipped"):
        yield from _calibrator(block, its)
    gpu = getattr(getattr(block, "target", None), "index", None)
    if gpu is not None and block.target.on_gpu:
        device = fp.find_devices()[0][gpu]
        label = {"gpu": str(gpu)}
        yield "fringe_gpu_memory_free_bytes", label, fp._free_memory(gpu)
        yield "fringe_gpu_memory_size_bytes", label, device.memory_bytes


def _faults(block, its):
    losses = dict(block.losses()) if _has(block, "losses") else {}
    if _has(block, "saturated"):
        losses["clipped"] = block.saturated()
    for cause, counts in losses.items():
        for number, count in enumerate(counts):
            yield "fringe_sample_faults_total", {**its, "cause": cause, "input": str(number)}, count


def _flagged(counts, whole, what, its):
    yield f"fringe_{what}_searched_total", its, counts.get(whole, 0)
    for cause, count in counts.items():
        if cause != whole:
            yield f"fringe_{what}_flagged_total", {**its, "cause": cause}, count


def _sink(sink, its):
    yield "fringe_dumps_written_total", its, sink.dumps()
    if sink.dump_age() >= 0:
        yield "fringe_dump_age_seconds", its, sink.dump_age()
        yield "fringe_dump_timestamp_seconds", its, sink.dump_time()
    yield "fringe_writing", its, sink.writing()
    files = sink.files()
    yield "fringe_files", its, len(files)
    if files:
        yield from _disk(os.path.dirname(os.path.abspath(files[-1])))


def _disk(folder):
    with contextlib.suppress(OSError):  # somebody has moved it
        disk, label = os.statvfs(folder), {"folder": folder}
        yield "fringe_disk_free_bytes", label, disk.f_bavail * disk.f_frsize
        yield "fringe_disk_size_bytes", label, disk.f_blocks * disk.f_frsize


def _ring(ring, its):
    yield "fringe_ring_held_ratio", its, ring.held()
    yield "fringe_ring_dumps_writing", its, ring.busy()
    counts = ring.counts()
    yield "fringe_ring_overtaken_samples_total", its, counts.pop("overtaken")
    for result, count in counts.items():
        yield "fringe_ring_dumps_total", {**its, "result": result}, count


def _calibrator(block, its):
    yield "fringe_calibrations_total", {**its, "result": "used"}, block.sent()
    yield "fringe_calibrations_total", {**its, "result": "refused"}, block.refused()
    yield "fringe_calibration_dumps_skipped_total", its, block.skipped()
    state, used_at = block.last_state, block.used_at
    if state:
        yield "fringe_calibration_coherence_ratio", its, state["coherence"]
        yield "fringe_calibration_good_inputs", its, state["good"]
    if used_at is not None:
        yield "fringe_calibration_age_seconds", its, time.monotonic() - used_at
