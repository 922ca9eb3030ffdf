#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Passes over visibility files, a part at a time: dirty images, responses, residuals."""

from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..readers.visibilities import SPEED_OF_LIGHT
from .batches import batches
from .frame import image_frame
from .gridders import chosen, make_gridder
from .middle import middle_of
from .outliers import frames_of, turned_field
from .rows import visibility_rows

#: Bytes of visibilities that are gridded together at least.
BATCH = 3 * 2**21


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

    def __post_init__(self):
        self.shape = len(self.names), len(self.groups)
        self._rows = visibility_rows(self.files, self.frame, self.names, self.groups,
                                     self.settings, self.progress, self.known)
        self._gridders = [self._gridder(g, self.settings.gridder, self.columns, self.rows)
                          for g in self.groups]
        self._several = self._several_gridders()
        self.outliers = self._outlier_fields()
        self._weigh = self.settings.weight != 'natural'
        self._density = None
        self._total = None
        self._batches = batches(self._rows.pieces, self._rows.bytes(), self._batch_bytes())

    def _batch_bytes(self):
        """Of what is gridded at a time: all that fits into the memory, where it is needed again;
        else little, but a transform of the image for each is little work beside it."""
        s = self.settings
        if (self._weigh or s.clean) and self._rows.bytes() <= s.memory:
            return s.memory
        return min(s.memory, max(BATCH, self.columns * self.rows * 8))

    def weighted(self):
        """(plane, group, uvw [row][3], frequencies, data, weights [row][channel]) in turn, with
        weights for the image."""
        self._measure_density()
        yield from self._weighted(0.5 * self._weigh, 1)

    def dirty(self, response=None):
        """Images, weights [plane][group], moments of the baselines, visibilities, and, where
        `response` has the columns and rows of one, psf() of that size, else None."""
        self._measure_density()
        images = np.zeros((*self.shape, self.rows, self.columns), np.float32)
        total, moments, used = np.zeros(self.shape), np.zeros((2, 2)), 0
        parts = self._gridded(images, self._gridders, lambda data: data,
                              self._weighted(0.5 * self._weigh, 1))
        if response:
            points = np.zeros((*self.shape, *response[::-1]), np.float32)
            parts = self._gridded(points, self._gridders_of(*response), np.ones_like, parts)
        for field in self.outliers:
            field.clear()
        for plane, group, uvw, f, data, weights in parts:
            for field in self.outliers:
                field.add(plane, group, uvw, f, data, weights)
            used += np.count_nonzero(weights)
            total[plane, group] += weights.sum(dtype=float)
            scale = weights @ ((f / SPEED_OF_LIGHT)**2).astype(np.float32)
            there = scale > 0
            moments += (uvw[there, :2] * scale[there, None]).T @ uvw[there, :2]
        self._total = total
        for values in [images] + [field.values for field in self.outliers]:
            values /= np.where(total > 0, total, 1)[..., None, None].astype(np.float32)
        for field in self.outliers:
            field.psf = None if field.psf is None else _scaled(field.psf)
        return (images, total, moments / max(total.sum(), 1e-300), used,
                _scaled(points) if response else None)

    def psf(self, columns, rows):
        """Responses to a point at the center, which are 1 there. After dirty()."""
        images = np.zeros((*self.shape, rows, columns), np.float32)
        for _ in self._gridded(images, self._gridders_of(columns, rows), np.ones_like,
                               self._weighted()):
            pass
        return _scaled(images)

    def _gridders_of(self, columns, rows):
        if (columns, rows) == (self.columns, self.rows):
            return self._gridders
        return [self._gridder(g, 'auto', columns, rows) for g in self.groups]

    def residuals(self, group, models):
        """{plane: images [field] of a group of channels without models} of {plane: models [field]},
        in one pass over the visibilities. After dirty(). Fields: the image, and the outliers."""
        made = {plane: [np.zeros_like(model) for model in fields]
                for plane, fields in models.items()}
        several = self._several[group] if self._several and len(models) > 1 else None
        if several is None:
            gridder = self._gridders[group]
            for part in self._weighted(only=(models, group)):
                plane, _, uvw, f, data, weights = part
                left = data - gridder.degrid(uvw, f, models[plane][0])
                self._of_outliers(part, left, models, made)
                gridder.grid(uvw, f, left, weights, made[plane][0])
        else:
            self._residuals_together(several, group, models, made)
        return {plane: [image / np.float32(self._total[plane, group]) for image in fields]
                for plane, fields in made.items()}

    def _residuals_together(self, several, group, models, made):
        # All planes are needed, those that nobody asks for, too.
        all_planes = range(len(self.names))
        zeros = np.zeros((self.rows, self.columns), np.float32)
        stack = np.stack([models[p][0] if p in models else zeros for p in all_planes])
        images, together = np.zeros_like(stack), []
        for part in self._weighted(only=(all_planes, group)):
            together.append(part)
            if len(together) == len(all_planes):
                uvw, f = together[0][2:4]
                left = np.stack([part[4] for part in together]) - several.degrid(uvw, f, stack)
                for plane in models:
                    self._of_outliers(together[plane], left[plane], models, made)
                several.grid(uvw, f, left, np.stack([part[5] for part in together]), images)
                together = []
        for plane in models:
            made[plane][0] += images[plane]

    def _of_outliers(self, part, left, models, made):
        """Subtracts the models of outlier fields from what is left of a part, and grids the rest
        into their images."""
        plane, group, uvw, f, _, weights = part
        for field, model in zip(self.outliers, models[plane][1:]):
            left -= field.degrid(group, uvw, f, model)
        for field, image in zip(self.outliers, made[plane][1:]):
            field.grid(group, uvw, f, left, weights, image)

    def _outlier_fields(self):
        """A turned_field for each outlier of the settings."""
        s, made = self.settings, []
        frames = frames_of(s.outliers, self.frame, self.columns, self.rows, self.pixel)
        for outlier, frame in zip(s.outliers, frames):
            gridders = [make_gridder('auto', *outlier.size, self.pixel, s.epsilon,
                                     self._visibilities(g), backend=s.backend,
                                     devices=s.devices)
                        for g in self.groups]
            made.append(turned_field(frame, self.frame, (*self.shape, *outlier.size[::-1]),
                                     gridders, s.psf or s.clean is not None))
        return made

    def _measure_density(self):
        if self._weigh:
            plain = fp.gridder(self.columns, self.rows, self.pixel, self.pixel)
            self._density = [[fp.imaging_weights(plain) for _ in self.groups]
                             for _ in self.names]
            for plane, group, uvw, f, _, weights in self._batches.read(0, 0.5):
                self._density[plane][group].add(uvw, f, weights)

    def _gridded(self, images, gridders, change, parts):
        """Yields parts, and grids each, changed, into images [plane][group][m][l]: all planes
        together where there are gridders for that."""
        several = self._several if gridders is self._gridders else None
        together = []
        for part in parts:
            plane, group, uvw, f, data, weights = part
            if several is None:
                gridders[group].grid(uvw, f, change(data), weights, images[plane, group])
            else:
                together.append(part)
                if len(together) == len(self.names):
                    made = np.zeros((len(together), *images.shape[2:]), np.float32)
                    several[group].grid(uvw, f, np.stack([change(part[4]) for part in together]),
                                        np.stack([part[5] for part in together]), made)
                    images[:, group] += made
                    together = []
            yield part

    def _several_gridders(self):
        """Gridders [group] that take all planes together; None for 1 or 3 planes, or where the
        planes are not of the same baselines."""
        count = len(self.names)
        if count not in (2, 4):
            return None
        for vis in self.files:
            first, *others = (self._rows.maker(vis, name).pairs for name in self.names)
            if not all(np.array_equal(first, other) for other in others):
                return None
        names = [self._name(g, self.settings.gridder, self.columns, self.rows)
                 for g in self.groups]
        if set(names) != {'wprojection'}:
            return None
        return [self._gridder(g, name, self.columns, self.rows, count)
                for g, name in zip(self.groups, names)]

    def _visibilities(self, group):
        return sum(len(v.seconds) * len(v.products[0]) for v in self.files) * len(group)

    def _name(self, group, name, columns, rows):
        """Of the gridder that is taken."""
        return chosen(name, columns, rows, self.pixel, self.settings.epsilon,
                      self._visibilities(group), lambda: self._largest_w(group),
                      self.settings.first_backend)

    def _largest_w(self, group):
        """Of all visibilities, wavelengths; None where that is not known."""
        largest = 0.0
        for vis in self.files:
            if vis.uvw is None or tuple(vis.phase_center[1:]) != tuple(self.frame.center or ()):
                return None
            w = vis.uvw[..., 2]
            known = np.isfinite(w)
            across = (np.where(known, w, -np.inf).max(axis=1)
                      - np.where(known, w, np.inf).min(axis=1))
            if vis.row_uvw is not None:
                across = np.append(across, np.nanmax(np.abs(vis.row_uvw[..., 2])))
            largest = max(largest, across.max() * vis.frequencies[group].max())
        return float(largest / SPEED_OF_LIGHT)

    def _gridder(self, group, name, columns, rows, polarizations=1):
        count = self._visibilities(group)
        s, name = self.settings, self._name(group, name, columns, rows)
        return self._once(
            (name, columns, rows, self.pixel, count, polarizations),
            lambda: make_gridder(name, columns, rows, self.pixel, s.epsilon, count, s.support,
                                 s.w_planes, polarizations, s.backend, s.devices))

    def _once(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def _weighted(self, begin=None, end=None, only=None):
        """(plane, group, uvw [row][3], frequencies, data, weights [row][channel]) in turn, with
        weights for the image.

        only: (planes, group)."""
        batches = self._batches
        read_before = batches.kept is not None
        for part in batches.read(begin, end):
            plane, group, uvw, f, _, weights = part
            if self._weigh and not batches.changed:
                self._density[plane][group].apply(uvw, f, weights, self.settings.weight,
                                                  self.settings.robust)
            if _wanted(only, part):
                yield part
        batches.changed = batches.kept is not None
        if read_before and self.progress and end is not None:
            self.progress(end)


def _wanted(only, part):
    return only is None or (part[0] in only[0] and part[1] == only[1])


def _scaled(points):
    """Responses, 1 at their centers."""
    column, row = middle_of(points.shape[3], points.shape[2])
    center = points[:, :, row, column].copy()
    points /= np.where(center > 0, center, 1)[..., None, None]
    return points
