#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""PSRFITS files in search mode: power in time and frequency, 8 bits with scales and offsets.

A row of the table has BLOCK means, DATA [time][polarization][channel][1]. A value is
DATA DAT_SCL + DAT_OFFS, of its row, polarization and channel. DAT_WTS [channel] is the mean weight
of the beam in the row, of the largest there. The last row is filled up; NSTOT says how many
means there are. Stokes V is L less R, as pulsar astronomers have it, and not the IAU. (W. van
Straten et al., PASA 27, 104, 2010)
"""
import numpy as np

from .direction_files import direction_files
from .psrfits import POL_TYPES, primary, table

BLOCK = 256  #: means of a row


def eight_bits(values):
    """(bytes, scales, offsets) of values [time][plane][channel]: least to greatest is 0 to 255."""
    offsets = values.min(axis=0)
    scales = (values.max(axis=0) - offsets) / 255
    scales[scales == 0] = 1
    return np.rint((values - offsets) / scales).astype(np.uint8), scales, offsets


class psrfits_files(direction_files):
    """Writes x.fits, a file for each direction."""

    def __init__(self, path, axes, overwrite=False, history=""):
        super().__init__(path, axes, overwrite, history)
        self._tables, self._means, self._weights, self._written = [], [], [], 0

    def _begin(self, start):
        axes, channels = self._axes, len(self._axes.frequencies)
        planes = len(axes.planes)
        columns = [("TSUBINT", "f8", (), "s"), ("OFFS_SUB", "f8", (), "s"),
                   ("DAT_FREQ", "f8", (channels,), "MHz"), ("DAT_WTS", "f4", (channels,), ""),
                   ("DAT_OFFS", "f4", (planes * channels,), ""),
                   ("DAT_SCL", "f4", (planes * channels,), ""),
                   ("DATA", "u1", (BLOCK, planes, channels, 1), "Jy")]
        cards = [("EPOCHS", "MIDTIME", ""), ("INT_TYPE", "TIME", ""), ("INT_UNIT", "SEC", ""),
                 ("SCALE", "FluxDen", ""),
                 ("NPOL", planes, ""), ("POL_TYPE", POL_TYPES[tuple(axes.planes)], ""),
                 ("TBIN", axes.interval, "[s]"), ("NBIN", 1, ""), ("NBIN_PRD", 0, ""),
                 ("PHS_OFFS", 0.0, ""), ("NBITS", 8, ""), ("ZERO_OFF", 0.0, ""), ("SIGNINT", 0, ""),
                 ("NSUBOFFS", 0, ""), ("NCHAN", channels, ""),
                 ("CHAN_BW", axes.width / 1e6, "[MHz]"), ("DM", 0.0, ""), ("RM", 0.0, ""),
                 ("NCHNOFFS", 0, ""), ("NSBLK", BLOCK, "means of a row"), ("NSTOT", 0, "means")]
        for number, file in enumerate(self.files):
            file.write(primary(axes, number, start, "SEARCH"))
            self._tables.append(table(file, columns, cards))

    def write(self, start, means, weights):
        """Writes means [time][row][channel] and weights [time][beam][channel], which follow on
        those before. `start`: an epoch."""
        if not self._tables:
            self._begin(start)
        self._means += list(means.copy())  # the next ones come into the same memory
        self._weights += list(weights.copy())
        while len(self._means) >= BLOCK:
            self._write_row()

    def _write_row(self):
        some, self._means = np.array(self._means[:BLOCK]), self._means[BLOCK:]
        weights, self._weights = np.array(self._weights[:BLOCK]), self._weights[BLOCK:]
        there = len(some)
        if there < BLOCK:
            some = np.concatenate([some, np.repeat(some[-1:], BLOCK - there, axis=0)])
        if self._axes.products == "stokes":
            some[:, 3::4] *= -1
        axes, row = self._axes, self._tables[0].rows
        planes, beams = len(axes.planes), len(axes.polarizations)
        for number, rows in enumerate(self._tables):
            data, scales, offsets = eight_bits(some[:, number * planes:(number + 1) * planes])
            weight = weights[:, number * beams:(number + 1) * beams].mean(axis=(0, 1))
            rows.add(TSUBINT=BLOCK * axes.interval, OFFS_SUB=(row + 0.5) * BLOCK * axes.interval,
                     DAT_FREQ=axes.frequencies / 1e6, DAT_WTS=weight / (weight.max() or 1),
                     DAT_OFFS=offsets.ravel(), DAT_SCL=scales.ravel(), DATA=data[..., None])
        self._written += there

    def close(self, error=None):
        """Gives the files their names; with an exception they stay partial."""
        if not error:
            if self._means:
                self._write_row()
            for rows in self._tables:
                rows.finish([("NSTOT", self._written, "means")], self._history.split("\n")[0])
        super().close(error)
