#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The powers of a file in standard deviations of their noise, piece by piece."""
import numpy as np

from .levels import LIMIT, channel_levels

HELD = 2**24  #: numbers of a piece, of 4 bytes, if the delay over the band does not take more
LARGEST = 2**30  #: numbers of a piece that are refused


class file_levels:
    """Levels of the channels of a power_file that no mask has.

      file: power_file; mask: (from, to) in Hz; history: means from which noise is measured;
      limit: see channel_levels

    Raises ValueError where the masks leave fewer than two channels.
    """

    def __init__(self, file, mask=(), history=4096, limit=LIMIT):
        kept = np.ones(len(file.frequencies), bool)
        for low, high in mask:
            kept &= ~((file.frequencies >= low) & (file.frequencies <= high))
        if kept.sum() < 2:
            raise ValueError(f"mask: leaves {kept.sum()} of the {len(kept)} channels of "
                             f"{file.path}; a dispersion needs two at least")
        self.file, self._limit, self._kept = file, limit, kept
        self.frequencies = file.frequencies[kept]
        blocks = max(1, file.length // history)
        #: where the blocks begin and end, each of which has its own levels
        self._edges = np.linspace(0, file.length, blocks + 1).astype(int)

    def piece(self, overlap):
        """Means of a piece whose begins are searched, with so many behind them. Raises ValueError
        where that is more than memory should hold."""
        rows = len(self.frequencies) * len(self.file.directions)
        if rows * overlap > LARGEST:
            raise ValueError(
                f"dm: the delay over the band is {overlap * self.file.interval:.6g} s, in "
                f"{rows} channels {rows * overlap} numbers, more than {LARGEST} that are held in "
                "memory: take a lower dispersion, or average the file in time or channels")
        return max(HELD // rows - overlap, overlap // 2, int(np.diff(self._edges).max()))

    def pieces(self, size, overlap=0):
        """Yields (first, levels [direction][channel][size + overlap]) of the whole file; the last
        piece may be shorter. What lies beyond the end is not a number."""
        first, held = 0, np.empty((len(self.file.directions), len(self.frequencies), 0), np.float32)
        for begin, end in zip(self._edges[:-1], self._edges[1:]):
            powers = self.file.read(int(begin), int(end - begin))[:, self._kept]
            held = np.concatenate([held, channel_levels(powers, self._limit).astype(np.float32)],
                                  axis=2)
            while held.shape[2] >= size + overlap:
                yield first, held[:, :, :size + overlap]
                first, held = first + size, held[:, :, size:]
        while first < self.file.length:
            left = min(size, self.file.length - first)
            missing = np.full((*held.shape[:2], max(0, left + overlap - held.shape[2])), np.nan,
                              np.float32)
            yield first, np.concatenate([held, missing], axis=2)[:, :, :left + overlap]
            first, held = first + left, held[:, :, left:]
