#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The gridders by name."""

import numpy as np

from .. import fringe_python as fp

NAMES = ('auto', 'separable', 'wprojection', 'romein', 'dft', 'ducc')
#: W-projection by the CPU, and by a GPU in the way of Romein (2012): backend by name.
W_PROJECTION = {'wprojection': 'cpu', 'romein': 'cuda'}
#: Rms error of W-projection, of the rms of the image.
W_PROJECTION_ERROR = 1e-3
#: Visibilities times pixels up to which the direct sum takes less than a second.
DIRECT = 1e8


class ducc_gridder:
    """ducc0's wgridder behind the methods of fringe.gridder."""

    def __init__(self, columns, rows, pixel_l, pixel_m, epsilon):
        try:
            from ducc0 import wgridder
        except ImportError:
            raise ValueError('--gridder ducc: needs the Python package ducc0 '
                             '(pip install ducc0); separable needs none') from None
        if columns % 2 or rows % 2 or min(columns, rows) < 32 or epsilon < 1e-5:
            raise ValueError(f'--gridder ducc: {columns} x {rows} pixels with eps {epsilon:g}: it '
                             'takes even sides of 32 or more, and eps from 1e-5 on')
        self._wgridder = wgridder
        self._image = dict(pixsize_x=pixel_l, pixsize_y=pixel_m, epsilon=epsilon,
                           do_wgridding=True, nthreads=0)
        self._size = columns, rows

    def grid(self, uvw, frequencies, data, weights, image):
        used = weights > 0
        dirty = self._wgridder.vis2dirty(
            uvw=np.where(used.any(axis=1)[:, None], uvw, 0), freq=frequencies,
            vis=np.where(used, data, 0).astype(np.complex64), wgt=weights,
            npix_x=self._size[0], npix_y=self._size[1], **self._image, **DUCC_SIGNS)
        image += dirty.T

    def degrid(self, uvw, frequencies, image):
        known = np.isfinite(uvw).all(axis=1)
        seen = np.where(np.isfinite(image), image, 0).astype(np.float32)
        return self._wgridder.dirty2vis(
            uvw=np.where(known[:, None], uvw, 0), freq=frequencies,
            dirty=np.ascontiguousarray(seen.T), **self._image, **DUCC_SIGNS) * known[:, None]


#: vis2dirty() sums exp(+2 pi i (u l + v m - w (n - 1))); so the signs of u, v and w differ.
DUCC_SIGNS = dict(flip_u=True, flip_v=True, flip_w=False, divide_by_n=False)


def error_of(name, epsilon):
    """The rms error that a gridder keeps, of the rms of the image."""
    return max(epsilon, W_PROJECTION_ERROR) if name in W_PROJECTION else epsilon


def make_gridder(name, columns, rows, pixel, epsilon, visibilities, support=0, w_planes=0):
    """A gridder for an image, by its name or what fits a number of visibilities."""
    if name == 'ducc':
        return ducc_gridder(columns, rows, pixel, pixel, epsilon)
    if name in W_PROJECTION:
        return fp.gridder(columns, rows, pixel, pixel, method='w_projection',
                          backend=W_PROJECTION[name], support=support, w_planes=w_planes)
    direct = name == 'dft' or (name == 'auto'
                               and visibilities * columns * rows <= DIRECT)
    return fp.gridder(columns, rows, pixel, pixel, epsilon,
                      method='direct' if direct else 'separable')
