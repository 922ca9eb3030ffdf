#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of raw files, .ACC and pairs of L-files, as lib/io/visibilities/writers/lfile_writer.cc
computes them. The certificate is the last line of the file that describes them."""
import json
import os

import numpy as np

from .. import fringe_python as fp
from ..readers.acc_file import files_of_acc
from ..readers.lfile import files_of_lfiles
from .pieces import MEMORY, row_piece
from .text import certificate_of

LINE = '\ncertificate: '


def files_of_raw(path):
    """The files with data, and the one that describes them."""
    acc = os.path.splitext(path)[1].lower() == '.acc'
    *data, side = (files_of_acc if acc else files_of_lfiles)(path)
    return data, side


def column_of(name):
    """What the data of a file are called in the certificate."""
    return os.path.splitext(name)[1][1:].upper()


def pieces_of_raw(path, without=()):
    """row_pieces: a row is a dump, of one file after the other."""
    for name in files_of_raw(path)[0]:
        dumps = _dumps(path)
        size = os.path.getsize(name)
        if column_of(name) not in without and dumps and size:
            raw = np.memmap(name, np.uint8, 'r')[:size // dumps * dumps].reshape(dumps, -1)
            step = max(1, MEMORY // raw.shape[1])
            for start in range(0, dumps, step):
                rows = np.arange(start, min(start + step, dumps))
                yield row_piece(rows, {column_of(name): raw[start:start + step]})


def _dumps(path):
    return _described(path)[0].count('\n- {start: ')


def _described(path):
    """The text without the certificate, and the certificate."""
    try:
        text = fp.read_text_file(files_of_raw(path)[1], 2**30)
    except (OSError, ValueError):
        return '', ''
    before, mark, after = text.rpartition(LINE)
    return (before + '\n', after) if mark else (text, '')


def tables_of_raw(path):
    """CRC-32C of the description."""
    text = _described(path)[0]
    return {'description': fp.crc32c(text.encode())} if text else {}


def certificate_of_raw(path):
    try:
        return certificate_of(json.loads(_described(path)[1]))
    except ValueError:
        return None


def put_certificate(path, certified):
    """Writes the description again, with this certificate."""
    side = files_of_raw(path)[1]
    text = _described(path)[0]
    if text:
        with open(side, 'w', encoding='utf-8') as file:
            file.write(text + LINE[1:] + certified.to_json() + '\n')
