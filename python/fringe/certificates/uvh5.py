#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a UVH5 file, as lib/io/visibilities/writers/uvh5_certificate.cc computes them."""
import contextlib

import numpy as np

from ..readers.uvh5_file import open_uvh5
from ..readers.uvh5_header import has, text
from .pieces import MEMORY, packed, row_piece
from .sums import crc_of, crc_of_texts

COLUMNS = ('time_array', 'uvw_array', 'visdata', 'nsamples', 'flags')
#: What makes time_array, in this order: what a row belongs to.
KEY = (('time_array', 'f8'), ('integration_time', 'f8'), ('ant_1_array', 'i8'),
       ('ant_2_array', 'i8'), ('phase_center_id_array', 'i8'))
TABLES = ('antenna_names', 'antenna_numbers', 'antenna_positions', 'channel_width', 'feed_angle',
          'freq_array', 'polarization_array')


def pieces_of_uvh5(path, without=()):
    """row_pieces, without some of the columns."""
    with contextlib.closing(open_uvh5(path)) as file:
        header, data = file['Header'], file['Data']
        names = [name for name in COLUMNS if name not in without]
        count = len(data['visdata']) if names else 0
        step = max(1, MEMORY // (16 * max(1, int(np.prod(data['visdata'].shape[1:])))))
        for start in range(0, count, step):
            rows = np.arange(start, min(start + step, count))
            yield _piece(header, data, rows, names)


def _piece(header, data, rows, names):
    part = slice(int(rows[0]), int(rows[-1]) + 1)
    found = {}
    for name in names:
        if name == 'time_array':
            found[name] = packed(*(_column(header, key, part).astype(kind) for key, kind in KEY))
        else:
            found[name] = (header if name == 'uvw_array' else data)[name][part]
    return row_piece(rows, found, lambda _: _values(found))


def _column(header, name, part):
    """Of rows; what a file gives once, or not at all, is the same for all."""
    values = header[name][()] if has(header, name) else np.zeros(())
    if np.ndim(values) and len(values) > 1 or part.stop == 1:
        return np.atleast_1d(values)[part]
    return np.full(part.stop - part.start, np.ravel(values)[0])


def _values(found):
    data = found['visdata']
    if data.dtype.names:  # whole numbers (r, i)
        data = data['r'] + 1j * data['i']
    return data, found['nsamples'], found['flags']


def tables_of_uvh5(path):
    """CRC-32C of what describes the rows."""
    found = {}
    with contextlib.closing(open_uvh5(path)) as file:
        header = file['Header']
        names = list(TABLES)
        for number in header.get('phase_center_catalog', {}):
            # What moves has a direction for each dump.
            names += [f'phase_center_catalog/{number}/{name}' for name in ('cat_lat', 'cat_lon')
                      if header[f'phase_center_catalog/{number}'].get(name) is not None
                      and header[f'phase_center_catalog/{number}/{name}'].ndim == 0]
        for name in names:
            if has(header, name):
                values = header[name][()]
                found[name] = (crc_of_texts(value.decode() for value in np.ravel(values))
                               if values.dtype.kind == 'O' else crc_of(values))
    return found


def history_of_uvh5(path):
    """Lines."""
    with contextlib.closing(open_uvh5(path)) as file:
        return text(file['Header/history']) if has(file['Header'], 'history') else ''
