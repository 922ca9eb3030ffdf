#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Outlier fields: small images far from the middle of an image, around strong sources there.

Sidelobes of such a source cover the image. An outlier field is cleaned together with it, so they
go away with the source. Its visibilities are those of the image, turned to its own center:

    V' = V exp(+2 pi i (w - w') f / c),   (u', v', w') = T (u, v, w)

where T is the turn from the axes of the image to those of the field.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import axes_towards
from ..readers.visibilities import SPEED_OF_LIGHT
from .frame import frame_axes
from .gridders import centered_psf
from .middle import cosines_of, middle_of


@dataclass(frozen=True)
class outlier_field:
    """A small field besides that of the image, of the same pixels."""
    name: str
    center: tuple      #: (right ascension, declination) in radians
    size: tuple        #: (columns, rows)


def frames_of(outliers, frame, columns, rows, pixel):
    """The `image_frame` of each field beside an image. Raises ValueError where fields overlap."""
    if outliers and frame.center is None:
        raise ValueError('outlier: the file has no phase center, so nothing says where right '
                         'ascensions are; an outlier field needs one')
    found, taken = [], [('the image', frame, (columns, rows))]
    for outlier in outliers:
        turn = axes_towards(*outlier.center) @ frame_axes(frame).T
        rotation = None if frame.rotation is None else turn @ frame.rotation
        if rotation is not None and rotation[2, 2] < 0:
            raise ValueError(f'outlier: {outlier.name}: was below the horizon')
        own = replace(frame, center=outlier.center, name=outlier.name, rotation=rotation,
                      all_sky=False, phased=False, turn=0.0)
        for name, other, size in taken:
            if _overlap(own, outlier.size, other, size, pixel):
                raise ValueError(f'outlier: {outlier.name}: overlaps {name}: a source there would '
                                 'be cleaned twice; move it, or make one of them smaller')
        taken.append((outlier.name, own, outlier.size))
        found.append(own)
    return found


def _overlap(frame, size, other, other_size, pixel):
    """Whether a pixel of a field lies in another one."""
    l, m = np.meshgrid(*cosines_of(*size, pixel))
    n = np.sqrt(np.maximum(1 - l * l - m * m, 0))
    there = np.stack([l, m, n], axis=-1) @ frame_axes(frame) @ frame_axes(other).T
    (columns, rows), (column, row) = other_size, middle_of(*other_size)
    at = there[..., 0] / pixel + column, there[..., 1] / pixel + row
    return bool(((there[..., 2] > 0) & (np.abs(at[0] - (columns - 1) / 2) <= columns / 2)
                 & (np.abs(at[1] - (rows - 1) / 2) <= rows / 2)).any())


class turned_field:
    """Images [plane][group][m][l] of an outlier field, of visibilities that are phased to the
    center of the image."""

    def __init__(self, frame, image, shape, gridders, with_psf):
        """frame: its `image_frame`; image: that of the image; shape: of the images; gridders: of
        each group of channels."""
        self.frame = frame
        self._turn = frame_axes(frame) @ frame_axes(image).T
        self._gridders = gridders
        self.values = np.zeros(shape, np.float32)
        self.psf = np.zeros(shape, np.float32) if with_psf else None

    def clear(self):
        """Begins the images anew."""
        self.values[:] = 0
        if self.psf is not None:
            self.psf[:] = 0

    def add(self, plane, group, uvw, f, data, weights):
        """Grids visibilities, and the response to a point in the middle of the field."""
        self.grid(group, uvw, f, data, weights, self.values[plane, group])
        if self.psf is not None:
            self._gridders[group].grid(uvw @ self._turn.T, f, np.ones_like(data), weights,
                                       self.psf[plane, group])

    def grid(self, group, uvw, f, data, weights, image):
        """Adds visibilities to an image."""
        turned = uvw @ self._turn.T
        self._gridders[group].grid(turned, f, data * _phases(uvw, turned, f), weights, image)

    def degrid(self, group, uvw, f, model):
        """Visibilities of a model of the field."""
        turned = uvw @ self._turn.T
        return self._gridders[group].degrid(turned, f, model) * _phases(uvw, turned, f).conj()


def _phases(uvw, turned, f):
    turns = np.nan_to_num(uvw[:, 2] - turned[:, 2])[:, None] * (f / SPEED_OF_LIGHT)
    return np.exp(2j * np.pi * (turns % 1)).astype(np.complex64)


def outlier_images(made, fields):
    """The `sky_image` of each turned_field beside an image."""
    found, plane = [], np.argmax(made.total_weight.any(axis=1))
    for field in fields:
        beam = None
        if field.psf is not None:
            mean = np.average(field.psf[plane], axis=0, weights=made.total_weight[plane])
            beam = fp.fit_beam(centered_psf(mean), made.pixel, made.pixel)
        found.append(replace(made, values=field.values, psf=field.psf, frame=field.frame,
                             beam=beam or made.beam, remarks=[], reports=[]))
    return found


def describe_outliers(made, unit):
    """A sentence about each outlier field."""
    for field in made.outliers:
        rows, columns = field.values.shape[2:]
        ra, dec = np.degrees(field.frame.center)
        flux = ''
        if field.model is not None:
            plane = np.argmax(made.total_weight.any(axis=1))  # as reports have it
            of_groups = np.nan_to_num(field.model[plane]).sum(axis=(1, 2))
            total = np.average(of_groups, weights=made.total_weight[plane])
            flux = f', {total:.5g} {unit.split("/")[0]} in the model'
        yield (f'outlier {field.frame.name}: {columns} x {rows} pixels around right ascension '
               f'{ra % 360:.4f}, declination {dec:+.4f} degrees, peak '
               f'{np.nanmax(field.values[0]):.4g}{flux}')
