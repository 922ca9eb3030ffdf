#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Names of recordings, which may lie in several files of one receiver, one after the other."""
import os

from .. import fringe_python as fp


def absolute(name):
    """The name that stands for the same files in every folder; a pattern becomes its files."""
    return "+".join(os.path.abspath(path) for path in fp.files_of_recording(name))


def size_of(name):
    """Bytes of all files of a recording; None where one of them is not there."""
    try:
        return sum(os.path.getsize(_samples(path)) for path in fp.files_of_recording(name))
    except (OSError, ValueError):
        return None


def modified(name):
    """When the last of a recording's files was written, in seconds since 1970."""
    return max(os.path.getmtime(_samples(path)) for path in fp.files_of_recording(name))


def _samples(path):
    """SigMF recordings may be called by the name that both of their files have."""
    data = path + ".sigmf-data"
    return data if not os.path.exists(path) and os.path.exists(data) else path
