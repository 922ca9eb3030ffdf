#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a recording of spectra, as lib/io/spectra/spectra_certificate.cc computes them. The
certificate is an attribute of the file, as that of every HDF5 file but UVH5."""
import numpy as np

from ..readers.hdf5_file import opened_hdf5
from .pieces import row_piece

COLUMNS = ('spectra', 'lost', 'time')


def pieces_of_spectra(path, without=()):
    """row_pieces: the rows of a block are its channels, or packets, as far as it is filled."""
    with opened_hdf5(path) as file:
        size = int(file.attrs['block'])
        for block, count in enumerate(file['block_spectra'][()].tolist()):
            part = slice(block * size, block * size + count)
            for name in COLUMNS:
                if name not in without:
                    values = file[name][..., part]
                    values = values.reshape(1, -1) if values.ndim == 1 else values
                    rows = block * len(values) + np.arange(len(values))
                    yield row_piece(rows, {name: np.ascontiguousarray(values)})
