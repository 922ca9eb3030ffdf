#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a FITS file of images or tables: a row is a line of an image, or a row of a table, in
the bytes of the file."""
import io
import os
import re
from dataclasses import dataclass

import numpy as np

from ..readers.fits_check import BLOCK, check_fits, data_bytes, sizes_of
from .fits_cards import cards_of, crc_of_header, header_of, put_line
from .pieces import MEMORY, row_piece
from .sums import add_pieces, crc_of, row_sums
from .text import certificate

FIRST = 'PRIMARY'
NAME = re.compile(rb"EXTNAME *= *'([^']*)'")


@dataclass
class _unit:
    """A header of a file, and the data behind it."""
    name: str
    header: bytes
    begin: int      # of its data
    rows: int
    row_bytes: int
    rest: int       # bytes behind the rows: a heap


def pieces_of_fits(path, without=()):
    """row_pieces, without some of the units."""
    check_fits(path, 'FITS file')
    with open(path, 'rb') as file:
        yield from _pieces(file, without)


def _pieces(file, without=()):
    for unit in _units(file):
        if unit.name in without or not unit.row_bytes:
            continue
        step = max(1, MEMORY // unit.row_bytes)
        for start in range(0, unit.rows, step):
            count = min(step, unit.rows - start)
            file.seek(unit.begin + start * unit.row_bytes)
            raw = np.frombuffer(file.read(count * unit.row_bytes), np.uint8)
            yield row_piece(start + np.arange(count), {unit.name: raw.reshape(count, -1)})


def _units(file):
    at, found, size = 0, [], file.seek(0, io.SEEK_END)
    while at < size:
        file.seek(at)
        header = header_of(file)
        cards = cards_of(header)
        length, sizes = data_bytes(cards), sizes_of(cards)
        axes = [sizes.get(f'NAXIS{k + 1}', 0) for k in range(sizes.get('NAXIS', 0))]
        row = axes[0] * abs(sizes.get('BITPIX', 8)) // 8 if length else 0
        rows = int(np.prod(axes[1:])) if row else 0
        name = next((match[1].decode('ascii', 'replace').strip() for match in map(NAME.match, cards)
                     if match), FIRST if not found else f'{len(found)}')
        if any(unit.name == name for unit in found):
            name += f' {len(found)}'
        found.append(_unit(name, header, at + len(header), rows, row, length - rows * row))
        at += len(header) + -(-length // BLOCK) * BLOCK
    return found


def tables_of_fits(path):
    """CRC-32C of the headers but for their histories, and of heaps behind tables."""
    check_fits(path, 'FITS file')
    with open(path, 'rb') as file:
        return _tables(file)


def _tables(file):
    found = {}
    for number, unit in enumerate(_units(file)):
        found[f'{unit.name} header' if number else 'header'] = crc_of_header(unit.header)
        if unit.rest:
            file.seek(unit.begin + unit.rows * unit.row_bytes)
            found[f'{unit.name} heap'] = crc_of(np.frombuffer(file.read(unit.rest), np.uint8))
    return found


def columns_of_fits(path):
    """Names of the units that have rows."""
    with open(path, 'rb') as file:
        return [unit.name for unit in _units(file) if unit.row_bytes]


def certified_bytes(content, command):
    """The bytes of a FITS file with its certificate."""
    file = io.BytesIO(content)
    _certify(file, command, row_sums())
    return file.getvalue()


def certify_fits(file, command, known):
    """Puts a certificate into a file that is written, and still open. known: row_sums of units,
    computed while they were written; the others are read."""
    file.flush()
    with open(os.dup(file.fileno()), 'r+b') as both:
        _certify(both, command, known)


def _certify(file, command, known):
    sums = add_pieces(known, _pieces(file, tuple(known.sums)))
    put_line(file, certificate(sums.sums, _tables(file), sums.rows, command).to_line())
