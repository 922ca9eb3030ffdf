#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of a calibration table of CASA: of every column that has cells."""
import contextlib

import numpy as np

from ..readers.measurement_set import open_ms, read_column
from .ms import tables_of
from .pieces import MEMORY, row_piece
from .sums import crc_of_texts

TABLES = ('ANTENNA.NAME', 'ANTENNA.POSITION', 'FIELD.NAME', 'FIELD.PHASE_DIR',
          'SPECTRAL_WINDOW.CHAN_FREQ', 'SPECTRAL_WINDOW.CHAN_WIDTH')
#: What makes a table one of calibrations, and what gr-fringe adds.
KEYWORDS = ('ParType', 'VisCal', 'PolBasis', 'GR_FRINGE')


def pieces_of_casa(path, without=()):
    """row_pieces, without some of the columns."""
    with contextlib.closing(open_ms(path)) as main:
        for name in columns_of_casa(path):
            if name in without:
                continue
            size = np.asarray(main.getcell(name, 0)).nbytes
            step = max(1, MEMORY // max(1, size))
            for start in range(0, main.nrows(), step):
                values = read_column(main, name, path, start, min(step, main.nrows() - start))
                yield row_piece(start + np.arange(len(values)), {name: values})


def columns_of_casa(path):
    """Names of the columns of numbers that have cells."""
    with contextlib.closing(open_ms(path)) as main:
        return [name for name in main.colnames() if main.nrows() and main.iscelldefined(name, 0)
                and main.coldatatype(name) != 'string']


def tables_of_casa(path):
    """CRC-32C of what describes the rows."""
    with contextlib.closing(open_ms(path)) as main:
        words = main.getkeywords()
    return {**tables_of(path, TABLES),
            'keywords': crc_of_texts(f'{name}: {words[name]}' for name in KEYWORDS
                                     if name in words)}
