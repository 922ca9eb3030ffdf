#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The numbers of what is shown, as a table in a file."""

import csv
import itertools

import numpy as np

from ..ground.new_file import new_file


def joined(tables):
    """Columns [(name, values)] of several (axes, values): those with the same axes share them."""
    columns, known = [], []
    for axes, values in tables:
        if not any(_same(axes, others) for others in known):
            known.append(axes)
            columns += axes
        columns.append(values)
    return columns


def _same(axes, others):
    return len(axes) == len(others) and all(
        name == other and np.array_equal(values, more)
        for (name, values), (other, more) in zip(axes, others))


def write_csv(path, tables, overwrite=False):
    """Writes a file of comma-separated values: a row of names, then a row for each place on the
    axes. Shorter columns end earlier; no value is an empty field. Raises as new_file()."""
    columns = joined(tables)
    with new_file(path, overwrite, text=True) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([name for name, _ in columns])
        rows.writerows(itertools.zip_longest(
            *([field(value) for value in values] for _, values in columns), fillvalue=""))


def field(value):
    """A value as an entry: numbers with as many digits as they have."""
    if isinstance(value, str):
        return value
    return f"{value:.12g}" if np.isfinite(value) else ""
