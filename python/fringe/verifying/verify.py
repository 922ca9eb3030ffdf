#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""All checks of a file."""
import os

from ..visibility_files.read_visibilities import read_visibilities
from .geometry import check_uvw
from .numbers import check_dumps, check_raw
from .source import check_source


def verify(path, sources=(), dut1=None, **chosen):
    """Findings on a visibility file, whoever wrote it.

    sources: (name, ra, dec) in radians, ICRS, that the file should show. dut1: UT1 - UTC in s.
    chosen: field, spw, subarray, column, as read_visibilities() has them. Raises ValueError where
    the file cannot be read.
    """
    vis = read_visibilities(path, **chosen)
    return [*check_uvw(vis, dut1), *check_dumps(vis),
            *check_raw(os.path.normpath(path), vis.selection.column or "DATA"),
            *(check_source(vis, *source) for source in sources)]
