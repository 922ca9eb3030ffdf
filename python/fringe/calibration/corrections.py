#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The corrections of a calibration for a visibility file, a part of it at a time."""

from dataclasses import dataclass, field

import numpy as np

from ..ground.words import numbers_in_words
from ..readers.polarizations import in_order
from .jones import jones_of_array
from .jones_division import matrices_of_pairs, without_gains
from .matching import matched, seconds_of
from .term_in_time import MAX_GAP


@dataclass
class applied:
    """What was corrected and what was not."""
    visibilities: int = 0   #: that the file holds and that were not flagged
    flagged: int = 0        #: of these, for want of a solution
    without: dict = field(default_factory=dict)  #: what has no solution at all: {what: numbers}
    names: list = field(default_factory=list)    #: of the antennas
    remarks: list = field(default_factory=list)  #: of the reader of the file

    def lines(self):
        """Sentences on it."""
        share = 100 * self.flagged / max(self.visibilities, 1)
        lines = [f"{self.visibilities - self.flagged} visibilities corrected; {self.flagged} "
                 f"({share:.3g} %) flagged, because they have no solution; weights stay as they "
                 "are, the numbers of samples"]
        for what, numbers in self.without.items():
            if numbers:
                words = (", ".join(self.names[k] for k in numbers) if what == "antennas"
                         else numbers_in_words(numbers))
                lines.append(f"no solution for {what} {words}")
        return lines


class corrections:
    """Takes a calibration out of the visibilities of a file.

      described: visibilities, of which the description is used
      tables: {name: `solutions`} in the order in which they act on the sky
      max_gap: as term_in_time has it

    Raises ValueError for solutions that do not belong to the file.
    """

    def __init__(self, described, tables, max_gap=MAX_GAP):
        places = matched(described, tables, max_gap)
        self._jones = jones_of_array(list(tables.values()), *places, described.frequencies,
                                     max_gap)
        hands = in_order(hand for _, hand in described.inputs)
        self._inputs = [(antenna, hands.index(hand)) for antenna, hand in described.inputs]
        self._products = described.products
        self._pairs = (None if self._jones.diagonal
                       else matrices_of_pairs(self._inputs, described.products))
        self.applied = applied(names=list(described.antennas), remarks=described.remarks)
        channels, antennas = len(described.frequencies), len(described.antennas)
        self._solved = {"antennas": np.zeros(antennas, bool), "channels": np.zeros(channels, bool)}
        self._dumps = []

    def corrected(self, vis):
        """(data, flags) of `visibilities` of the file, all or some dumps, and adds to `applied`."""
        data, flags = np.empty_like(vis.data), np.empty_like(vis.flags)
        for k, seconds in enumerate(seconds_of(vis)):
            data[k], flags[k] = self._dump(vis.data[k], vis.flags[k], float(seconds))
        self._count(vis, flags)
        lost = flags & ~vis.flags
        # What is flagged for want of a solution stays as it was.
        data[flags] = vis.data[flags]
        self.applied.flagged += int(np.count_nonzero(lost))
        return data, flags

    def _dump(self, data, flags, seconds):
        jones, usable = self._jones.at(seconds)
        self._solved["antennas"] |= usable.any(axis=(0, 2))
        self._solved["channels"] |= usable.any(axis=(1, 2))
        self._dumps.append(bool(usable.any()))
        if self._pairs:
            return self._pairs.without(data, flags, jones, usable.all(axis=-1))
        antenna, hand = np.array(self._inputs).T
        gains = np.where(usable, jones, np.nan)[:, antenna, hand]
        return without_gains(data, flags, gains, self._products)

    def _count(self, vis, flags):
        self.applied.visibilities += int(np.count_nonzero(~vis.flags))
        without = {what: np.flatnonzero(~solved).tolist()
                   for what, solved in self._solved.items()}
        without["dumps"] = [k for k, solved in enumerate(self._dumps) if not solved]
        self.applied.without = without
