#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Grids of visibilities in the u-v plane: images before their Fourier transform."""

from dataclasses import dataclass, replace

import numpy as np

from .. import fringe_python as fp
from ..observing.item_sizes import PADDING
from ..readers.visibilities import SPEED_OF_LIGHT
from ..observing.stokes import planes_of
from .frame import frame_of, image_frame
from .extent import size_of
from .make import channels_of, check_channels, check_files, groups_of, nothing_seen, times_of
from .passes import passes

#: How a visibility comes to the cells of a grid.
KERNELS = ("separable", "wprojection", "nearest")
#: Kernels serve dumps with a smaller largest w, down to so much of their own.
MIN_PART, HEADROOM = 0.7, 1.02
#: The tag of each item.
TAG = "grid"


@dataclass
class uv_grid:
    """Grids [plane][channel group][v][u], and what they are of."""
    values: np.ndarray         #: complex64; u = v = 0 is in the middle, at half of the cells
    frame: image_frame
    cell: float                #: wavelengths from a cell to the next
    pixel: float               #: direction cosine from a pixel of the image to the next
    taper: np.ndarray          #: what the image is multiplied by along l and along m, [pixel]
    kernel: str
    planes: list               #: names: I, XX ...
    frequencies: np.ndarray    #: Hz, mean of each group of channels
    total_weight: np.ndarray   #: [plane][channel group]
    visibilities: int          #: that had weight
    begin: tuple               #: (seconds, fraction) of the start
    duration: float            #: s
    has_times: bool
    telescope: str
    unit: str = "count"        #: of the visibilities


class nearest_cell:
    """Adds each visibility to the cell that is nearest to it."""

    def __init__(self, size, cells, pixel):
        self._cells, self._per_wave = cells, cells * pixel
        # A cell stands for all places in it: the transform of a box.
        self.taper = np.sinc((np.arange(size) - size // 2) / cells)

    def add(self, uvw, frequencies, values, grid):
        waves = frequencies / SPEED_OF_LIGHT
        u, v = (np.floor(uvw[:, k, None] * waves * self._per_wave + 0.5).astype(np.int64)
                % self._cells for k in (0, 1))
        np.add.at(grid, (v, u), values)


class kernel_cells:
    """Adds each visibility to the cells around it by a kernel, which holds its w or leaves it
    out."""

    def __init__(self, size, cells, pixel, w_term):
        self._grid, self._w_term = (size, cells, pixel), w_term
        self._convolver = fp._grid_convolver(*self._grid, 0.0)
        self.taper = np.array(self._convolver.taper())

    def add(self, uvw, frequencies, values, grid):
        if self._w_term:
            w = float(np.abs(uvw[:, 2]).max(initial=0) * frequencies.max() / SPEED_OF_LIGHT)
            if not MIN_PART * self._convolver.max_w <= w <= self._convolver.max_w:
                self._convolver = self._for(HEADROOM * w)
        self._convolver.spread(uvw, frequencies, values, grid)

    def _for(self, max_w):
        try:
            return fp._grid_convolver(*self._grid, max_w)
        except ValueError as error:
            # The kernel separable of a grid has no w, so it is not what to take instead.
            raise ValueError(str(error).removeprefix("gridder: ").replace(
                "the method separable", "an imager")) from None


class grid_maker:
    """Makes grids, one after the other, of one array: see `image_maker`."""

    def __init__(self, settings, kernel):
        # The gridder of an image is not needed, and this one costs nothing to make.
        self.settings, self._kernel = replace(settings, gridder="direct"), kernel
        self._known, self._cells = {}, None

    def keep_pixels(self, made):
        """Makes all grids from now on of the same cells as this one."""
        self.settings = replace(self.settings, scale=made.pixel, all_sky=made.frame.all_sky)

    def make(self, files):
        """The `uv_grid` of some `visibilities` with data; nothing_seen where all are flagged."""
        s, first = self.settings, files[0]
        for vis in files:
            check_files(vis, first)
        names, frame = planes_of(s.pol), frame_of(first, s.all_sky)
        check_channels(files, s)
        groups = groups_of(first.frequencies, channels_of(first, s.band), s.channels_out)
        columns, rows, pixel, _ = size_of(s, frame, files)
        work = passes(files, frame, names, groups, s, columns, rows, pixel, None, self._known)
        cells = PADDING * columns
        values = np.zeros((*work.shape, cells, cells), np.complex64)
        total, used, kernel = np.zeros(work.shape), 0, self._kernel_of(columns, cells, pixel)
        for plane, group, uvw, f, data, weights in work.weighted():
            seen = weights > 0
            used += np.count_nonzero(seen)
            total[plane, group] += weights.sum(dtype=float)
            there = seen.any(axis=1)
            kernel.add(uvw[there], f, np.where(seen, data * weights, 0)[there].astype(np.complex64),
                       values[plane, group])
        if not total.any():
            raise nothing_seen(f"{first.path}: no grid: every visibility between two antennas is "
                               "flagged")
        begin, _, duration = times_of(files)
        return uv_grid(
            np.fft.fftshift(values, axes=(2, 3)), frame, 1 / (cells * pixel), pixel, kernel.taper,
            self._kernel, names, np.array([first.frequencies[group].mean() for group in groups]),
            total, used, begin, duration, all(file.has_times for file in files), first.telescope,
            first.unit)

    def _kernel_of(self, *grid):
        if self._cells is None or self._cells[0] != grid:
            made = (nearest_cell(*grid) if self._kernel == "nearest" else
                    kernel_cells(*grid, self._kernel == "wprojection"))
            self._cells = grid, made
        return self._cells[1]
