#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Means of beams in HDF5: all directions in one file, with their weights."""
import contextlib
import os
import re

import numpy as np

from ..certificates.hdf5 import certify_hdf5
from ..certificates.sums import row_sums
from ..ground.new_file import new_file


@contextlib.contextmanager
def _errors_of_the_disk():
    """HDF5 writes the number of what went wrong into a long text; it becomes an OSError again."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        number = re.search(r"errno = (\d+)", str(error))
        if not number:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error


class beam_hdf5:
    """Writes x.h5: `means` [time][row][channel] and `weights` [time][beam][channel], float32;
    `frequencies` [channel], Hz. Attributes of the file: directions, products, polarizations, rows
    (names), start_time (UTC), interval (s), channel_width (Hz), telescope, history."""

    def __init__(self, path, axes, overwrite=False, history=""):
        import h5py
        self._h5py = h5py
        self.paths, self._axes, self._history = [path], axes, history
        self._open, self._sets, self._attributes = contextlib.ExitStack(), [], {}
        self._h5, self._sums = None, row_sums()
        self._file = self._open.enter_context(new_file(path, overwrite, keep_partial=True))

    def _begin(self, start):
        axes, channels = self._axes, len(self._axes.frequencies)
        # The file is locked already. Through a file of Python h5py 3.13 dies where a disk is full.
        file = self._h5 = self._open.enter_context(
            self._h5py.File(f"/proc/self/fd/{self._file.fileno()}", "w", locking=False))
        file["frequencies"] = axes.frequencies
        self._attributes = file.attrs
        self._attributes.update({
            "directions": axes.directions, "products": axes.products,
            "polarizations": axes.polarizations,
            "rows": [f"{direction} {plane}" for direction in axes.directions
                     for plane in axes.planes],
            "start_time": start.iso(12), "interval": axes.interval, "channel_width": axes.width,
            "telescope": axes.obs.telescope, "history": self._history})
        self._sets = [file.create_dataset(
            name, (0, rows, channels), np.float32, maxshape=(None, rows, channels),
            chunks=(max(1, 2**18 // (rows * channels)), rows, channels))
            for name, rows in (("means", axes.rows), ("weights", axes.beams))]

    def write(self, start, means, weights):
        """Writes means [time][row][channel] and weights [time][beam][channel], which follow on
        those before. `start`: an epoch."""
        with _errors_of_the_disk():
            if not self._sets:
                self._begin(start)
            for dataset, values in zip(self._sets, (means, weights)):
                before = len(dataset)
                dataset.resize(before + len(values), axis=0)
                dataset[before:] = values
                self._sums.add(dataset.name[1:], before, np.asarray(values, np.float32))

    def note(self, sentences):
        """Adds what was lost on the way to the history."""
        if self._attributes and sentences:
            self._attributes["history"] = "\n".join([self._history, *sentences])

    def close(self, error=None):
        """Gives the file its certificate and its name; with an exception it stays partial, unless
        it is empty."""
        with _errors_of_the_disk():
            if self._h5 and not error:
                certify_hdf5(self._h5, self._history.split("\n")[0], self._sums)
            self._open.__exit__(type(error) if error else None, error, None)
