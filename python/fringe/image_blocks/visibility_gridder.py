#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Grids of dumps in the u-v plane, while a flowgraph runs."""

import numpy as np

from ..observing import item_sizes
from ..images.grids import KERNELS, TAG, grid_maker
from .host_imager import host_imager

#: Pixels a side of the largest image: its grid has 512 MiB.
LARGEST = 4096


class visibility_gridder(host_imager):
    """Adds the visibilities of dumps to a grid in the u-v plane: an imager's image before its
    Fourier transform.

        G(u, v) = sum_k W_k V_k K(u n pixel - u_k n pixel, v n pixel - v_k n pixel)
        I(l, m) = Re{FFT of G} / (T(l) T(m) sum_k W_k)

    K is the kernel, in cells, T the taper, which is its Fourier transform, and n = 2 size the cells
    along u and along v. The grid is periodic, as the FFT takes it. Each visibility is added once,
    and not its conjugate at (-u, -v): the real part of the FFT makes up for it.

    Inputs: those of an imager. Output: grids, complex64 [polarization][channel group][v][u], n
    cells a side. The cell of u = v = 0 is n // 2 along both axes, u grows to the east and v to the
    north, by 1 / (n pixel) wavelengths a cell. Unit: that of the visibilities, times weight.

    Tags read: those of an imager. Tags written on each grid: rx_time and interval of its dumps,
    and `grid`, bytes of JSON text with the values of a `uv_grid` (see images/grids.py): cell in
    wavelengths, pixel as a direction cosine, total_weight [polarization][channel group], taper
    [pixel], shape and others.

      observation, channels, size, scale, pol, weight, channels_out, every, drop,
        complex_samples, channels_per_item, band: as an imager's; size and scale are those of the
        image that the FFT makes, in the middle of its n pixels a side; size is 8 to 4096
      kernel: separable (leaves w out: for an array in a plane that looks at its zenith),
        wprojection (kernels that hold w, Cornwell, Golap, Bhatnagar 2008: for small fields) or
        nearest (one cell for each visibility, without w: the rms error of an image is a third)

    Where all visibilities of a grid are flagged none is sent, and empty() counts it; images()
    counts grids, rest() returns that of the last dumps. Raises ValueError for settings that
    cannot be, with a sentence.
    """

    NAME, OUTPUTS = "visibility_gridder", 1
    KIND, VALUE, TAG = "grids", np.complex64, TAG

    def __init__(self, observation, channels=128, size=256, scale=0.0, pol="I", weight="natural",
                 channels_out=1, every=0.0, kernel="separable", drop=False, complex_samples=True,
                 channels_per_item=0, band=None):
        if kernel not in KERNELS:
            raise ValueError(f"{self.NAME}: kernel {kernel}; there are {', '.join(KERNELS)}")
        if not 8 <= size <= LARGEST:
            raise ValueError(f"{self.NAME}: size {size}; it must be 8 to {LARGEST} pixels")
        self._kernel = kernel
        host_imager.__init__(self, observation, channels, size, scale, pol, weight, channels_out,
                             every, "auto", 1e-3, drop, complex_samples, channels_per_item, band)

    def _maker(self, settings):
        return grid_maker(settings, self._kernel)

    def _item_values(self, size, pol, channels_out):
        return item_sizes.grid(size, pol, channels_out)

    def _ports(self, made):
        yield made
