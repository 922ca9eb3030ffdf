#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Lines in the table HISTORY of a MeasurementSet."""

import contextlib
import os


def add_history(path, lines, seconds):
    """Appends lines. seconds: when, as the column TIME counts them."""
    from casacore import tables
    with contextlib.closing(tables.table(os.path.join(path, 'HISTORY'), readonly=False,
                                         ack=False)) as table:
        there = table.colnames()
        for line in lines:
            row = table.nrows()
            table.addrows(1)
            for name, value in (('TIME', seconds), ('OBSERVATION_ID', 0), ('OBJECT_ID', 0),
                                ('MESSAGE', line), ('PRIORITY', 'NORMAL'), ('ORIGIN', 'gr-fringe'),
                                ('APPLICATION', 'gr-fringe'), ('CLI_COMMAND', [line]),
                                ('APP_PARAMS', [''])):
                if name in there:
                    table.putcell(name, row, value)
