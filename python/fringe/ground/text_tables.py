#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Tables of numbers as text: .csv for spreadsheets, .ecsv with units for astropy."""
import csv
import json
import os

from .new_file import new_file

ENDINGS = ('.csv', '.ecsv')


def check_table(path):
    """Raises ValueError for a name that no table has."""
    if os.path.splitext(path)[1].lower() not in ENDINGS:
        raise ValueError(f'{path}: a table ends in .csv or .ecsv')


def write_table(path, columns, rows, facts, overwrite=False):
    """Writes a table, a line for each of `rows`; returns their number.

    columns: (name, unit or None, data type as ECSV has it); facts: (name, text) in the header of an
    .ecsv. Raises ValueError for another ending.
    """
    check_table(path)
    lines = 0
    with new_file(path, overwrite, text=True) as file:
        if path.lower().endswith('.ecsv'):
            file.write(_header(columns, facts))
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow([name for name, _, _ in columns])
        for row in rows:
            writer.writerow(row)
            lines += 1
    return lines


def _header(columns, facts):
    lines = ['%ECSV 1.0', '---', "delimiter: ','", 'datatype:']
    for name, unit, kind in columns:
        lines.append(f'- {{name: {name}, ' + (f'unit: {unit}, ' if unit else '')
                     + f'datatype: {kind}}}')
    lines += ['meta: !!omap', *(f'- {{{name}: {json.dumps(text)}}}' for name, text in facts),
              'schema: astropy-2.0']
    return ''.join(f'# {line}\n' for line in lines)
