#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""HDF5 files of unknown origin, opened when they are sound."""

import contextlib

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


def open_hdf5(path):
    """Opens a file, read only. Raises ValueError."""
    h5py = h5py_for(path)
    try:
        fp.check_hdf5_file(path)
        return h5py.File(path, 'r')
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    except OSError as error:
        raise ValueError(f'{path}: cannot be opened as an HDF5 file: {error}') from None


@contextlib.contextmanager
def opened_hdf5(path, kind='HDF5 file'):
    """An open file, read only; what it lacks becomes a ValueError. kind: what it is, in words."""
    with damage_reported(path, kind), open_hdf5(path) as file:
        yield file
