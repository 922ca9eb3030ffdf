#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Rows of visibilities for an image, read from files a part at a time."""

from dataclasses import dataclass

import numpy as np

from ..visibility_files.read_visibilities import read_dumps
from ..readers.visibilities import SPEED_OF_LIGHT
from .batches import BYTES
from .frame import image_frame, turned_baselines
from .turned_planes import maker_of

#: Bytes of visibilities that are read at a time.
PIECE = 2**22


@dataclass
class visibility_rows:
    """Visibilities of some files, turned to the frame of an image."""
    files: list
    frame: image_frame
    names: list                #: of the planes
    groups: list               #: channels of each
    settings: object           #: image_settings
    progress: object
    known: dict                #: makers of planes that there are already

    def bytes(self):
        """Of all that is gridded."""
        return sum(len(vis.seconds) * len(self.maker(vis, name).pairs)
                   * (BYTES[0] + BYTES[1] * len(group))
                   for vis in self.files for name in self.names for group in self.groups)

    def maker(self, vis, name):
        """What makes visibilities of a plane from those of a file."""
        frame = self.settings.pol_frame
        key = name, vis.path, vis.selection, frame, tuple(vis.inputs)
        if key not in self.known:
            self.known[key] = maker_of(vis, name, frame)
        return self.known[key]

    def pieces(self, begin, end):
        """[(plane, group, uvw [row][3], frequencies, data, weights [row][channel]), ...] of some
        dumps in turn."""
        for k, described in enumerate(self.files):
            dumps = len(described.seconds)
            # Visibility, weight and flag as they are read, and what is made of them.
            dump_bytes = len(described.frequencies) * len(described.products[0]) * 40
            step = max(1, int(min(PIECE, self.settings.memory) // dump_bytes))
            if described.data is not None:
                step = max(1, dumps)
            makers = [self.maker(described, name) for name in self.names]
            for start in range(0, dumps, step):
                vis = described
                if described.data is None:
                    first = described.first_dump + start
                    vis = read_dumps(described, range(first, first + min(step, dumps - start)))
                    described.remarks += [remark for remark in vis.remarks
                                          if remark not in described.remarks]
                yield [(plane, group, *self._rows(vis, maker, channels))
                       for group, channels in enumerate(self.groups)
                       for plane, maker in enumerate(makers)]
                if self.progress and begin is not None:
                    part = (k + min(1, (start + step) / dumps)) / len(self.files)
                    self.progress(begin + (end - begin) * part)

    def _rows(self, vis, maker, channels):
        data, weights = maker.take(vis, channels)
        if self.settings.conjugate:
            data = data.conj()
        f = vis.frequencies[channels]
        uvw, change = turned_baselines(self.frame, vis, maker.pairs)
        weights = np.where(np.isfinite(uvw).all(axis=2)[..., None], weights, np.float32(0))
        if change is not None:
            turns = np.nan_to_num(change)[..., None] * (f / SPEED_OF_LIGHT)
            data = data * np.exp(2j * np.pi * (turns % 1)).astype(np.complex64)
        shape = -1, len(f)
        return (uvw.reshape(-1, 3), f, data.reshape(shape),
                np.ascontiguousarray(weights.reshape(shape), np.float32))
