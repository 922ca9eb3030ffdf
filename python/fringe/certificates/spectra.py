#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a recording of spectra, as lib/io/spectra/spectra_certificate.cc computes them."""
import numpy as np

from .pieces import row_piece
from .text import MARK

COLUMNS = ('spectra', 'lost', 'time')


def pieces_of_spectra(path, without=()):
    """row_pieces: the rows of a block are its channels, or packets, as far as it is filled."""
    import h5py
    with h5py.File(path) as file:
        size = int(file.attrs['block'])
        for block, count in enumerate(file['block_spectra'][()].tolist()):
            part = slice(block * size, block * size + count)
            for name in COLUMNS:
                if name not in without:
                    values = file[name][..., part]
                    values = values.reshape(1, -1) if values.ndim == 1 else values
                    rows = block * len(values) + np.arange(len(values))
                    yield row_piece(rows, {name: np.ascontiguousarray(values)})


def history_of_spectra(path):
    """The certificate as a line of a history, if there is one."""
    import h5py
    with h5py.File(path) as file:
        text = file.attrs.get('certificate', '')
    text = text.decode() if isinstance(text, bytes) else str(text)
    return MARK + text
