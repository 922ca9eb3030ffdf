#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a UVFITS file, as lib/io/visibilities/writers/uvfits_certificate.cc computes them."""
import os

import numpy as np

from .. import fringe_python as fp
from ..readers.uvfits_groups import open_groups
from .pieces import MEMORY, row_piece
from .text import MARK, certificate_in

BLOCK, CARD = 2880, 80
COLUMNS = ('DATE', 'UVW', 'DATA', 'WEIGHT')
#: Cards that do not count: what grows, and what says how many groups there are.
OTHERS = (b'HISTORY ', b'COMMENT ', b'GCOUNT  ', b'END     ', b'        ')


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
    cards = [header[at:at + CARD] for at in range(0, len(header), CARD)]
    return {'header': fp.crc32c(b''.join(card for card in cards if card[:8] not in OTHERS)),
            'tables': behind}


def header_of(file):
    """The bytes of the header that a file begins with."""
    header = b''
    while part := file.read(BLOCK):
        header += part
        if any(part[at:at + 8] == b'END     ' for at in range(0, BLOCK, CARD)):
            break
    return header


def _group_bytes(path):
    with open_groups(path) as (groups, _):
        return -(-groups.raw.nbytes // BLOCK) * BLOCK


def history_of_uvfits(path):
    """The text of all cards: a certificate goes over several."""
    with open(path, 'rb') as file:
        header = header_of(file)
    return ''.join(header[at + 8:at + CARD].decode('ascii', 'replace').rstrip()
                   for at in range(0, len(header), CARD) if header[at:at + 8] == b'HISTORY ')


def put_certificate(path, line):
    """Puts a certificate into the history of a header, in the place of an older one."""
    with open(path, 'r+b') as file:
        header = header_of(file)
        cards = [header[at:at + CARD] for at in range(0, len(header), CARD)]
        cards = _without_certificate([card for card in cards[:_end(cards)] if card.strip()])
        cards += [b'HISTORY ' + part for part in split(line)] + [b'END']
        new = b''.join(card.ljust(CARD) for card in cards)
        if len(new) <= len(header):
            # END stays where it is.
            new = new[:-CARD].ljust(len(header) - CARD) + b'END'.ljust(CARD)
        else:
            new = new.ljust(-(-len(new) // BLOCK) * BLOCK)
            _move(file, len(header), len(new) - len(header))
        file.seek(0)
        file.write(new)


def _end(cards):
    return next((k for k, card in enumerate(cards) if card[:8] == b'END     '), len(cards))


def _without_certificate(cards):
    """Without the cards of certificates, each from the one that begins it to the one in which its
    JSON ends."""
    kept, text = [], ''
    for card in cards:
        begins = card.startswith(b'HISTORY ' + MARK.encode() + b'{')
        if card[:8] != b'HISTORY ' or not (begins or text):
            kept.append(card)
            continue
        text = ('' if begins else text) + card[8:].decode('ascii', 'replace').rstrip()
        if certificate_in(text):
            text = ''
    return kept


def split(line, width=72):
    """Parts of a line for cards, none of which ends with a blank, which readers take away."""
    text, parts = line.encode('ascii', 'backslashreplace'), []
    while text:
        end = min(width, len(text))
        while 1 < end < len(text) and text[end - 1:end] == b' ':
            end -= 1
        parts.append(text[:end])
        text = text[end:]
    return parts


def _move(file, begin, by):
    """Moves the bytes from `begin` to the end of a file towards the end."""
    end = file.seek(0, os.SEEK_END)
    while end > begin:
        start = max(begin, end - MEMORY)
        file.seek(start)
        part = file.read(end - start)
        file.seek(start + by)
        file.write(part)
        end = start
