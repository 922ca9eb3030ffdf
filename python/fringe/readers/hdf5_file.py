#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""HDF5 files of unknown origin, opened when they are sound."""

import contextlib
import functools
import os

from .. import fringe_python as fp
from .damage import damage_reported


def h5py_for(path):
    """The module h5py. Raises ValueError where it is not installed."""
    try:
        import h5py
    except ImportError:
        raise ValueError(f'{path}: files of HDF5 need python3-h5py (apt install python3-h5py)'
                         ) from None
    return h5py


@functools.lru_cache(64)
def _what_is_wrong(path, *_):
    """A sentence, or "". What follows the path changes with the content of the file, so that one
    that several readers are tried on is checked once: a damaged one may take seconds."""
    try:
        fp.check_hdf5_file(path)
    except RuntimeError as error:
        return str(error)
    return ''


def open_hdf5(path):
    """Opens a file, read only. Raises ValueError."""
    h5py = h5py_for(path)
    try:
        state = os.stat(path)
        wrong = _what_is_wrong(os.fspath(path), os.getcwd(), state.st_dev, state.st_ino,
                               state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        if wrong:
            raise ValueError(wrong)
        return h5py.File(path, 'r')
    except OSError as error:
        raise ValueError(f'{path}: cannot be opened as an HDF5 file: {error}') from None


@contextlib.contextmanager
def opened_hdf5(path, kind='HDF5 file'):
    """An open file, read only; what it lacks becomes a ValueError. kind: what it is, in words."""
    with damage_reported(path, kind), open_hdf5(path) as file:
        yield file
