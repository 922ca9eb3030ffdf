#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""HDF5 files of solutions: written whole or not at all."""

import contextlib

import numpy as np

from ..certificates.hdf5 import certify_hdf5
from ..ground.new_file import new_file
from ..readers.hdf5_file import h5py_for


@contextlib.contextmanager
def new_hdf5(path, overwrite=False, command=""):
    """A file to be filled in a with statement. It gets its certificate and its name at the end;
    until then it is in memory, which solutions need little of. command: what made it."""
    with h5py_for(path).File("new", "w", driver="core", backing_store=False) as file:
        yield file
        certify_hdf5(file, command)
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
