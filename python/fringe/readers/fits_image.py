#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads the image of a FITS file: its first unit, not compressed."""

import os
import re

import numpy as np

from .. import fringe_python as fp
from .fits_check import BLOCK, CARD, check_fits
from .visibilities import require_plain_file

#: BITPIX to the type of a value.
TYPES = {8: 'u1', 16: '>i2', 32: '>i4', 64: '>i8', -32: '>f4', -64: '>f8'}
MAX_AXES = 8


def read_fits_image(path):
    """(values, float32, the axis that runs fastest last; header, a dictionary of the keywords).

    Raises ValueError where it is no FITS file with an image in its first unit.
    """
    if not os.path.exists(path):
        raise ValueError(f'{path}: there is no such file')
    require_plain_file(path)
    fp.note_read(path)
    check_fits(path)
    with open(path, 'rb') as file:
        header, begin = _header(file, path)
        axes = _axes(header, path)
        file.seek(begin)
        kind = np.dtype(TYPES[header['BITPIX']])
        count = int(np.prod(axes))
        raw = np.frombuffer(file.read(count * kind.itemsize), kind)
    if len(raw) < count:
        raise ValueError(f'{path}: damaged, it ends within its image')
    scale, zero = (_number(header, name, usual) for name, usual in (('BSCALE', 1), ('BZERO', 0)))
    values = (raw * float(scale) + float(zero)).astype(np.float32)
    if kind.kind != 'f' and isinstance(header.get('BLANK'), int):
        values[raw == header['BLANK']] = np.nan
    return values.reshape(axes[::-1]), header


def _axes(header, path):
    number = header.get('NAXIS')
    if not isinstance(number, int) or not 2 <= number <= MAX_AXES:
        raise ValueError(f'{path}: has no image in its first unit (NAXIS is {number})')
    axes = [header.get(f'NAXIS{k + 1}') for k in range(number)]
    if header.get('BITPIX') not in TYPES or any(not isinstance(n, int) or n < 1 for n in axes):
        raise ValueError(f'{path}: has no image in its first unit (BITPIX {header.get("BITPIX")}, '
                         f'axes {axes})')
    return axes


def _number(header, name, usual):
    value = header.get(name, usual)
    return value if isinstance(value, (int, float)) else usual


def _header(file, path):
    """Keywords of the first header, and where the data begin."""
    header = {}
    while True:
        block = file.read(BLOCK)
        if len(block) < BLOCK:
            raise ValueError(f'{path}: is no FITS file; it has no whole header')
        for k in range(0, BLOCK, CARD):
            card = block[k:k + CARD].decode('ascii', 'replace')
            if card.rstrip() == 'END':
                return header, file.tell()
            if card[8:10] == '= ':
                header.setdefault(card[:8].strip(), _value(card[10:]))


def _value(text):
    """A text, number or truth value of a card."""
    found = re.match(r" *'((?:[^']|'')*)'", text)
    if found:
        return found[1].replace("''", "'").rstrip()
    word = text.split('/')[0].strip()
    if word in ('T', 'F'):
        return word == 'T'
    for kind in (int, float):
        try:
            return kind(word.replace('D', 'E'))
        except ValueError:
            pass
    return word
