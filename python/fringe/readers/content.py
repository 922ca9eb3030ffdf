#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What kind of visibility file a file is, by its content."""

import contextlib
import functools
import os
import re

from .fits_check import BLOCK

HDF5 = b'\x89HDF\r\n\x1a\n'
#: Bytes in which a table's description has the names of its columns.
DESCRIPTION = 2**20
COLUMNS = (b'UVW', b'ANTENNA1', b'ANTENNA2', b'DATA_DESC_ID')
#: Of a header whose data are random groups: they stand among the first cards.
GROUPS = re.compile(rb'NAXIS1  = +0 .*GROUPS  = +T ', re.DOTALL)


def is_measurement_set(path):
    """True for a folder with a table that has the columns of one, or says that it is one."""
    if not os.path.isdir(path):
        return False
    table = _first_bytes(os.path.join(path, 'table.dat'), DESCRIPTION)
    about = _first_bytes(os.path.join(path, 'table.info'), 200)
    return bool(table) and (all(name in table for name in COLUMNS)
                            or b'Measurement Set' in about)


def is_random_groups(path):
    """True for a FITS file that begins with random groups, as UVFITS does."""
    return (is_fits(path)
            and bool(GROUPS.search(_first_bytes(path, 8 * BLOCK))))


def is_fits(path):
    """True for a FITS file of any kind."""
    return _first_bytes(path, 9) == b'SIMPLE  ='


def holds_uvh5(path):
    """True for an HDF5 file with the groups of UVH5."""
    if not begins_hdf5(path):
        return False
    status = os.stat(path)
    return _has_groups(path, status.st_ino, status.st_size, status.st_mtime_ns)


def begins_hdf5(path):
    """True for an HDF5 file: its signature stands at byte 0, or after a block of 512, 1024, 2048
    ... bytes of others."""
    if not os.path.isfile(path):  # a pipe would wait for somebody who writes
        return False
    at, size = 0, os.path.getsize(path)
    with contextlib.suppress(OSError), open(path, 'rb') as file:
        while at < size:
            file.seek(at)
            if file.read(len(HDF5)) == HDF5:
                return True
            at = max(512, 2 * at)
    return False


@functools.lru_cache(maxsize=64)
def _has_groups(path, *_):
    from .uvh5_file import open_uvh5
    try:
        open_uvh5(path).close()
    except ValueError:
        return False
    return True


def _first_bytes(path, count):
    """b'' of what is no plain file, or cannot be read."""
    with contextlib.suppress(OSError):
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                return file.read(count)
    return b''
