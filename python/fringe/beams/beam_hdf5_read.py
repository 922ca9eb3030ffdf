#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads powers from HDF5: those of beam_hdf5.py, and those of blimpy (Breakthrough Listen), which
are `data` [time][polarization][channel] with the keywords of SIGPROC as attributes."""
import contextlib

import numpy as np

from .. import fringe_python as fp
from ..readers.hdf5_file import opened_hdf5
from .beam_axes import STOKES
from .power_file import channels_from, epoch_of_mjd, power_file

OURS = ("frequencies", "means", "weights")
OF_OURS = ("directions", "products", "rows", "start_time", "interval", "channel_width")
OF_BLIMPY = ("fch1", "foff", "tsamp", "tstart")


class hdf5_powers(power_file):
    """The powers of an HDF5 file."""

    def __init__(self, path):
        with contextlib.ExitStack() as files:
            self._file = files.enter_context(opened_hdf5(path, "HDF5 file of powers"))
            if all(name in self._file for name in OURS):
                described = self._of_fringe(path)
            elif "data" in self._file and all(key in self._file["data"].attrs
                                              for key in OF_BLIMPY):
                described = self._of_blimpy(path)
            else:
                raise ValueError(f"{path}: holds no powers: it must have {', '.join(OURS)}, as "
                                 "fringe beam writes them, or data with the attributes "
                                 f"{', '.join(OF_BLIMPY)}")
            super().__init__(path, *described)
            self._open = files.pop_all()

    def _of_fringe(self, path):
        head, means, weights = self._file.attrs, self._file["means"], self._file["weights"]
        missing = [key for key in OF_OURS if key not in head]
        if missing:
            raise ValueError(f"{path}: lacks the attributes {', '.join(missing)}")
        frequencies, directions = self._file["frequencies"][()], list(head["directions"])
        shapes = means.shape[:1] + means.shape[2:], weights.shape[:1] + weights.shape[2:]
        rows, beams = means.shape[1:2], weights.shape[1:2]
        if (len(means.shape) != 3 or shapes[0] != shapes[1] or shapes[0][1:] != frequencies.shape
                or rows[0] % len(directions) or beams[0] % len(directions)):
            raise ValueError(f"{path}: means {means.shape}, weights {weights.shape}, frequencies "
                             f"{frequencies.shape}: must be [time][row][channel], "
                             "[time][beam][channel] and [channel]")
        self._planes = rows[0] // len(directions)
        self._used = 1 if head["products"] == "stokes" else self._planes
        if self._used == 1 < self._planes != len(STOKES):
            raise ValueError(f"{path}: {self._planes} rows for a direction: must be 4 of stokes")
        self._data, self._weights = means, weights
        try:
            start = fp.epoch.from_iso(str(head["start_time"]))
        except (RuntimeError, ValueError) as error:
            raise ValueError(f"{path}: start_time: {error}") from None
        return (frequencies, head["channel_width"], head["interval"], start, len(means),
                directions)

    def _of_blimpy(self, path):
        data = self._file["data"]
        if len(data.shape) != 3 or data.shape[1] not in (1, 2, 4):
            raise ValueError(f"{path}: data {data.shape}: must be [time][polarization][channel] "
                             "with 1, 2 or 4 polarizations")
        head = {key: float(data.attrs[key]) for key in OF_BLIMPY}
        self._planes, self._data, self._weights = data.shape[1], data, None
        self._used = 2 if self._planes == 2 else 1
        name = data.attrs.get("source_name", "")
        return (channels_from(path, head["fch1"], head["foff"], data.shape[2]), head["foff"] * 1e6,
                head["tsamp"], epoch_of_mjd(path, head["tstart"]), len(data),
                [name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)])

    def _values(self, first, count):
        some = slice(first, first + count)
        beams = len(self.directions)
        shape = -1, beams, self._planes, len(self.frequencies)
        try:
            values = np.asarray(self._data[some], np.float32).reshape(shape)
            values = values[:, :, :self._used].sum(axis=2)
            if self._weights is not None:
                weights = self._weights[some].reshape(len(values), beams, -1, shape[3])
                values[~(weights > 0).any(axis=2)] = np.nan
        except OSError as error:
            raise ValueError(f"{self.path}: means {first} to {first + count} cannot be read: "
                             f"{error}") from None
        return values.transpose(1, 2, 0)

    def close(self):
        self._open.close()
