#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a UVFITS file, as lib/io/visibilities/writers/uvfits_certificate.cc computes them."""
import numpy as np

from .. import fringe_python as fp
from ..readers.fits_check import BLOCK
from ..readers.uvfits_groups import open_groups
from .fits_cards import crc_of_header, header_of
from .pieces import MEMORY, row_piece

COLUMNS = ('DATE', 'UVW', 'DATA', 'WEIGHT')


def pieces_of_uvfits(path, without=()):
    """row_pieces, without some of the columns, in the bytes of the file."""
    names = [name for name in COLUMNS if name not in without]
    with open_groups(path) as (groups, _):
        step = max(1, MEMORY // max(1, groups.raw.dtype.itemsize))
        for start in range(0, len(groups) if names else 0, step):
            rows = np.arange(start, min(start + step, len(groups)))
            found = columns_of_groups(groups, rows, names)
            yield row_piece(rows, found, lambda _: _values(found))


def _values(found):
    """Of floats: a weight that is not positive is a flag."""
    if found['DATA'].dtype.kind != 'f' or not found['WEIGHT'].size:
        return None
    data = found['DATA'][..., 0] + np.complex64(1j) * found['DATA'][..., 1]
    return data, np.abs(found['WEIGHT'][..., 0]), ~(found['WEIGHT'][..., 0] > 0)


def columns_of_groups(groups, rows, names=COLUMNS):
    """By name, of some of the groups, which follow each other."""
    raw = groups.raw[int(rows[0]):int(rows[-1]) + 1]
    fields = raw.dtype.names
    places = [name for name, kind in zip(fields, groups.names) if kind[:2] in ('UU', 'VV', 'WW')]
    others = [name for name in fields[:-1] if name not in places]
    # COMPLEX is the file's first axis, and the last of an array.
    read = {'UVW': lambda: _beside(raw, places), 'DATE': lambda: _beside(raw, others),
            'DATA': lambda: raw[fields[-1]][..., :2], 'WEIGHT': lambda: raw[fields[-1]][..., 2:]}
    return {name: np.ascontiguousarray(read[name]()) for name in names}


def _beside(raw, names):
    """[group][parameter], with the bytes of the file."""
    values = np.empty((len(raw), len(names)), raw.dtype[names[0]] if names else '>f4')
    for k, name in enumerate(names):
        values[:, k] = raw[name]
    return values


def tables_of_uvfits(path):
    """CRC-32C of the header but for its history, and of what stands behind the groups."""
    with open(path, 'rb') as file:
        header = header_of(file)
        file.seek(len(header) + _group_bytes(path))
        behind = 0
        while part := file.read(MEMORY):
            behind = fp.crc32c(part, behind)
    return {'header': crc_of_header(header), 'tables': behind}


def _group_bytes(path):
    with open_groups(path) as (groups, _):
        return -(-groups.raw.nbytes // BLOCK) * BLOCK
