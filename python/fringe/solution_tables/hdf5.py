#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""HDF5 files of solutions: opened when they are sound, and written whole or not at all."""

import contextlib

import numpy as np

from .. import fringe_python as fp
from ..ground.new_file import new_file
from ..readers.damage import damage_said


def h5py_for(path):
    """The module h5py. Raises ValueError where it is not installed."""
    try:
        import h5py
    except ImportError:
        raise ValueError(f"{path}: files of HDF5 need python3-h5py (apt install python3-h5py)"
                         ) from None
    return h5py


@contextlib.contextmanager
def opened_hdf5(path, kind):
    """An open file, read only; what it lacks becomes a ValueError. kind: what it is, in words."""
    try:
        fp.check_hdf5_file(path)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    h5py = h5py_for(path)
    with damage_said(path, kind), h5py.File(path, "r") as file:
        yield file


@contextlib.contextmanager
def new_hdf5(path, overwrite=False):
    """A file to be filled in a with statement. It gets its name at the end; until then it is in
    memory, which solutions need little of."""
    with h5py_for(path).File("new", "w", driver="core", backing_store=False) as file:
        yield file
        file.flush()
        content = file.id.get_file_image()
    with new_file(path, overwrite) as out:
        out.write(content)


def text_of(value):
    """A text of a file, which libraries write as bytes or as str."""
    return value.decode() if isinstance(value, bytes) else str(value)


def put(group, name, values):
    """A new dataset of numbers, or of a list of texts."""
    if not isinstance(values, list):
        return group.create_dataset(name, data=values)
    texts = np.array(values, object)
    return group.create_dataset(name, data=texts, dtype=h5py_for(name).string_dtype())
