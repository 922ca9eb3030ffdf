#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What this machine computes with, in words."""
from .. import fringe_python as fp

STAGES = "unpack, channelizer, X-engine and integrator"


def describe_devices():
    """The GPUs found, why one cannot be used, and where the stages run: a few lines of text."""
    found, why = fp.find_devices()
    lines = []
    for number, device in enumerate(found):
        lines.append(f"GPU {number}: {device.name}, {device.memory_bytes / 2**30:.0f} GiB, compute "
                     f"capability {device.capability[0]}.{device.capability[1]}")
        if device.refused:
            lines.append(f"  cannot be used: {device.refused}")
    if not found:
        lines.append(f"no GPU: {why}")
    auto = fp.compute_target("auto")
    where = f"GPU {auto.index}" if auto.on_gpu else "the CPU"
    lines.append(f"with backend=auto, {STAGES} run on {where}")
    if len(found) > 1:
        lines.append("another GPU is chosen by its number: backend=cuda:1; several share the "
                     "work with devices=all, or devices=0,1")
    lines.append("reading recordings, delays, files and pictures are always work for the CPU")
    return "\n".join(lines)
