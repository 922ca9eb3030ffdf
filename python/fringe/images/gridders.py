#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The gridders by name."""

import numpy as np

from .. import fringe_python as fp

NAMES = ('auto', 'separable', 'wprojection', 'direct', 'ducc')
#: Rms error of W-projection, of the rms of the image.
W_PROJECTION_ERROR = 1e-3
#: Visibilities times pixels up to which the direct sum takes less than a second.
DIRECT = 1e8
#: Cells of a kernel up to which W-projection by a GPU is the quickest.
QUICK_SUPPORT = 32


class east_gridder:
    """A gridder of images with an even number of columns, whose l = 0 is where middle_of() has it:
    one column beside that of fringe.gridder, so it is given u and l with the other sign."""

    MIRROR = np.array([-1.0, 1.0, 1.0])

    def __init__(self, gridder):
        self._gridder = gridder

    def grid(self, uvw, frequencies, data, weights, image):
        made = np.zeros_like(image)
        self._gridder.grid(uvw * self.MIRROR, frequencies, data, weights, made)
        image += made[..., ::-1]

    def degrid(self, uvw, frequencies, image):
        return self._gridder.degrid(uvw * self.MIRROR, frequencies,
                                    np.ascontiguousarray(image[..., ::-1]))


def for_images(gridder, columns):
    """A gridder for images of which middle_of() says where l = 0 is."""
    return gridder if columns % 2 else east_gridder(gridder)


def centered_psf(psf):
    """A point spread function of such a gridder, with its middle at columns // 2, where
    fit_beam() and clean() have it."""
    columns = psf.shape[-1]
    return np.roll(psf, columns // 2 - (columns - 1) // 2, axis=-1)


class ducc_gridder:
    """ducc0's wgridder behind the methods of fringe.gridder."""

    def __init__(self, columns, rows, pixel_l, pixel_m, epsilon):
        try:
            from ducc0 import wgridder
        except ImportError:
            raise ValueError('gridder=ducc: needs the Python package ducc0 '
                             '(pip install ducc0); separable needs none') from None
        if columns % 2 or rows % 2 or min(columns, rows) < 32 or epsilon < 1e-5:
            raise ValueError(f'gridder=ducc: {columns} x {rows} pixels with eps {epsilon:g}: it '
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
    return max(epsilon, W_PROJECTION_ERROR) if name == 'wprojection' else epsilon


def needed_support(columns, rows, pixel, largest_w):
    """About how many cells a kernel of W-projection needs; w in wavelengths."""
    return 7 + 3 * largest_w * (max(columns, rows) * pixel)**2


def chosen(name, columns, rows, pixel, epsilon, visibilities, largest_w, backend='auto'):
    """The gridder that `auto` stands for: the direct sum where it takes less than a second,
    W-projection where there is a GPU, the field is small and the error may be its own, and the
    separable one elsewhere. Other names stand for themselves. largest_w: a function that returns
    that of the visibilities in wavelengths, None where it is not known."""
    if name != 'auto':
        return name
    if visibilities * columns * rows <= DIRECT:
        return 'direct'
    if epsilon < W_PROJECTION_ERROR or not fp.compute_target(backend).on_gpu:
        return 'separable'
    w = largest_w()
    small = w is not None and needed_support(columns, rows, pixel, w) <= QUICK_SUPPORT
    return 'wprojection' if small else 'separable'


def make_gridder(name, columns, rows, pixel, epsilon, visibilities, support=0, w_planes=0,
                 polarizations=1, backend='cpu', devices=()):
    """A gridder for an image, by its name or what fits a number of visibilities.

    polarizations: planes that are handed in together, for W-projection alone. backend: where
    W-projection and the separable one compute; devices: several of these that share the rows.
    """
    first = devices[0] if devices else backend
    return for_images(_made(chosen(name, columns, rows, pixel, epsilon, visibilities,
                                   lambda: None, first),
                            columns, rows, pixel, epsilon, support, w_planes, polarizations,
                            dict(backend=first, devices=list(devices))), columns)


def _made(name, columns, rows, pixel, epsilon, support, w_planes, polarizations, where):
    if name == 'ducc':
        return ducc_gridder(columns, rows, pixel, pixel, epsilon)
    if name == 'wprojection':
        # A GPU's tensor cores add an error that fits into the one of the method.
        return fp.gridder(columns, rows, pixel, pixel, method='w_projection',
                          support=support, w_planes=w_planes,
                          half_precision=epsilon >= W_PROJECTION_ERROR,
                          polarizations=polarizations, **where)
    where = dict(backend='cpu') if name == 'direct' else where
    return fp.gridder(columns, rows, pixel, pixel, epsilon, method=name, **where)
