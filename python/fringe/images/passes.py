#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Passes over visibility files, a part at a time: dirty images, responses, residuals."""

from dataclasses import dataclass, field

import numpy as np

from .. import fringe_python as fp
from ..readers.read_visibilities import read_visibilities
from ..readers.visibilities import SPEED_OF_LIGHT
from .frame import image_frame, turned
from .gridders import make_gridder
from .planes import plane_maker


@dataclass
class passes:
    """Visibilities of some files, weighted for an image, as often as they are asked for."""
    files: list
    frame: image_frame
    names: list                #: of the planes
    groups: list               #: channels of each
    settings: object           #: image_settings
    columns: int
    rows: int
    pixel: float
    progress: object
    known: dict                #: gridders and makers of planes that there are already
    _kept: list = field(default=None, repr=False)

    def __post_init__(self):
        self.shape = len(self.names), len(self.groups)
        self._gridders = [self._gridder(g, self.settings.gridder, self.columns, self.rows)
                          for g in self.groups]
        self._weigh = self.settings.weight != 'natural'
        self._density = None
        self._total = None

    def dirty(self):
        """Images, weights [plane][group], moments of the baselines, visibilities."""
        if self._weigh:
            plain = fp.gridder(self.columns, self.rows, self.pixel, self.pixel)
            self._density = [[fp.imaging_weights(plain) for _ in self.groups]
                             for _ in self.names]
            for plane, group, uvw, f, _, weights in self._parts(0, 0.5):
                self._density[plane][group].add(uvw, f, weights)
        images = np.zeros((*self.shape, self.rows, self.columns), np.float32)
        total, moments, used = np.zeros(self.shape), np.zeros((2, 2)), 0
        for plane, group, uvw, f, data, weights in self._weighted(0.5 * self._weigh, 1):
            used += np.count_nonzero(weights)
            self._gridders[group].grid(uvw, f, data, weights, images[plane, group])
            total[plane, group] += weights.sum(dtype=float)
            scale = weights.astype(float) @ (f / SPEED_OF_LIGHT)**2
            there = scale > 0
            moments += (uvw[there, :2] * scale[there, None]).T @ uvw[there, :2]
        self._total = total
        images /= np.where(total > 0, total, 1)[..., None, None]
        return images, total, moments / max(total.sum(), 1e-300), used

    def psf(self, columns, rows):
        """Responses to a point at the centre, which are 1 there. After dirty()."""
        gridders = self._gridders
        if (columns, rows) != (self.columns, self.rows):
            gridders = [self._gridder(g, 'auto', columns, rows) for g in self.groups]
        images = np.zeros((*self.shape, rows, columns), np.float32)
        for plane, group, uvw, f, data, weights in self._weighted():
            gridders[group].grid(uvw, f, np.ones_like(data), weights, images[plane, group])
        center = images[:, :, rows // 2, columns // 2]
        return images / np.where(center > 0, center, 1)[..., None, None]

    def residual(self, plane, group, model):
        """The image of a plane and group of channels without a model. After dirty()."""
        image = np.zeros((self.rows, self.columns), np.float32)
        gridder = self._gridders[group]
        for p, g, uvw, f, data, weights in self._weighted(only=(plane, group)):
            left = data - gridder.degrid(uvw, f, model)
            gridder.grid(uvw, f, left, weights, image)
        return image / np.float32(self._total[plane, group])

    def _gridder(self, group, name, columns, rows):
        count = sum(len(v.seconds) * len(v.products[0]) for v in self.files) * len(group)
        s = self.settings
        return self._once(
            (name, columns, rows, self.pixel, count),
            lambda: make_gridder(name, columns, rows, self.pixel, s.epsilon, count, s.support,
                                 s.w_planes))

    def _once(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def _maker(self, vis, name):
        return self._once((name, tuple(vis.inputs)), lambda: plane_maker(vis, name))

    def _weighted(self, begin=None, end=None, only=None):
        """As _parts(), with weights for the image; what fits into the memory stays there."""
        if self._kept is not None:
            yield from (part for part in self._kept if only in (None, part[:2]))
            return
        kept, size = [], 0
        for part in self._parts(begin, end):
            plane, group, uvw, f, _, weights = part
            if self._weigh:
                self._density[plane][group].apply(uvw, f, weights, self.settings.weight,
                                                  self.settings.robust)
            if kept is not None:
                size += sum(array.nbytes for array in part[2:])
                kept = kept + [part] if size <= self.settings.memory else None
            if only in (None, (plane, group)):
                yield part
        self._kept = kept

    def _parts(self, begin, end):
        """(plane, group, uvw [row][3], frequencies, data, weights [row][channel]) in turn."""
        for k, described in enumerate(self.files):
            dumps = len(described.seconds)
            # Visibility, weight and flag as they are read, and what is made of them.
            dump_bytes = len(described.frequencies) * len(described.products[0]) * 40
            step = max(1, int(self.settings.memory // dump_bytes))
            if described.data is not None:
                step = max(1, dumps)
            makers = [self._maker(described, name) for name in self.names]
            for start in range(0, dumps, step):
                vis = described
                if described.data is None:
                    first = described.first_dump + start
                    end = described.first_dump + min(start + step, dumps)
                    vis = read_visibilities(described.path, dumps=range(first, end))
                for plane, maker in enumerate(makers):
                    for group, channels in enumerate(self.groups):
                        yield plane, group, *self._rows(vis, maker, channels)
                if self.progress and begin is not None:
                    part = (k + min(1, (start + step) / dumps)) / len(self.files)
                    self.progress(begin + (end - begin) * part)

    def _rows(self, vis, maker, channels):
        data, weights = maker.take(vis, channels)
        if self.settings.conjugate:
            data = data.conj()
        f = vis.frequencies[channels]
        places = vis.uvw
        if places is None:
            places = np.broadcast_to(vis.positions, (len(vis.data), *vis.positions.shape))
        places, change = turned(self.frame, vis, places)
        a, b = maker.pairs.T
        uvw = places[:, a] - places[:, b]
        weights = np.where(np.isfinite(uvw).all(axis=2)[..., None], weights, np.float32(0))
        if change is not None:
            way = np.nan_to_num(change[:, a] - change[:, b])
            turns = way[..., None] * (f / SPEED_OF_LIGHT)
            data = data * np.exp(2j * np.pi * (turns % 1)).astype(np.complex64)
        shape = -1, len(f)
        return (uvw.reshape(-1, 3), f, data.reshape(shape),
                np.ascontiguousarray(weights.reshape(shape), np.float32))
