#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities as a table of numbers: a text file for spreadsheets, pandas, astropy, gnuplot."""
import os

import numpy as np

from ..ground.options import with_options
from ..ground.text_tables import check_table, write_table
from ..readers.chosen import chosen_baselines, chosen_channels
from ..visibility_files.read_visibilities import read_visibilities
from ..readers.selection import selection
from ..readers.visibilities import is_dated

#: Bytes of visibilities that are read at a time.
MEMORY = 2**28
#: Name, unit and data type of each column, as ECSV has them.
COLUMNS = (('dump', None, 'int64'), ('time', None, 'string'), ('input_1', None, 'string'),
           ('input_2', None, 'string'), ('channel', None, 'int64'), ('frequency', 'Hz', 'float64'),
           ('real', None, 'float64'), ('imaginary', None, 'float64'),
           ('amplitude', None, 'float64'), ('phase', 'deg', 'float64'),
           ('weight', None, 'float64'), ('flagged', None, 'bool'))


def export_table(path, output, baselines='all', band=None, average=False, inputs=None,
                 channels=None, overwrite=False, **chosen):
    """Writes visibilities of a file as a table, a line for each dump, baseline and channel;
    returns the number of lines.

    V_12 = <x_1 conj(x_2)>, so phase = arg V_12 in degrees. The time is UTC, the center of the
    dump (seconds from the start where the file does not say when, nothing where it does not say how
    long its dumps are). baselines: 'all', 'cross',
    'auto', or a list of 'A-B' with the names of two inputs; B-A is the conjugate of A-B. band:
    (lowest, highest) frequency in Hz. average: the mean over the channels, by weight, of what
    is not flagged; the weight is the sum, the frequency the mean, the channel the middle one.
    inputs, channels: of an .ACC without its .yml. output ends in .csv, or in .ecsv, which has
    units and which astropy reads. field, spw, subarray, column: as read_visibilities() has them.
    Throws ValueError with a sentence.
    """
    check_table(output)
    described = read_visibilities(path, inputs, channels, with_data=False, **chosen)
    again = described.selection.keywords()
    pairs = chosen_baselines(described, baselines)
    count = _channel_count(described, path, inputs, channels)
    chosen = chosen_channels(described, band, count)
    dumps = len(described.seconds)
    step = max(1, MEMORY // (13 * count * len(described.products[0])))

    def rows():
        for start in range(0, dumps, step):
            part = range(described.first_dump + start,
                         described.first_dump + min(start + step, dumps))
            vis = read_visibilities(path, inputs, channels, dumps=part, **again)
            yield from _rows(vis, pairs, chosen, average, described)

    facts = (('telescope', described.telescope),
             ('file', os.path.basename(os.path.normpath(path))))
    return write_table(output, COLUMNS, rows(), facts, overwrite)


with_options(export_table, selection)


def _channel_count(vis, path, inputs, channels):
    if vis.frequencies is not None:
        return len(vis.frequencies)
    dumps = range(vis.first_dump, vis.first_dump + 1)
    return read_visibilities(path, inputs, channels, dumps=dumps).data.shape[1]


def _times(vis, first):
    """Text for the center of each dump."""
    if vis.has_times and is_dated(vis.seconds):
        return [f'{time}Z' for time in np.datetime_as_string(vis.times, 'ns')]
    passed = (vis.seconds - first.seconds[0]) + (vis.fractions - first.fractions[0])
    return [f'{value:.9f}' if np.isfinite(value) else ''
            for value in passed + first.intervals[0] / 2]


def _rows(vis, pairs, chosen, average, first):
    frequencies = vis.frequencies
    if frequencies is None:
        frequencies = np.full(vis.data.shape[1], np.nan)
    for dump, time in enumerate(_times(vis, first)):
        for product, i, j, turned in pairs:
            values = vis.data[dump, chosen, product]
            values = values.conj() if turned else values
            weights, flags = vis.weights[dump, chosen, product], vis.flags[dump, chosen, product]
            numbers, f = chosen, frequencies[chosen]
            if average:
                used = np.where(flags, 0, weights).astype(float)
                total = used.sum()
                values = np.array([used @ values / total if total > 0 else 0])
                weights, flags = np.array([total]), np.array([not total > 0])
                numbers, f = chosen[[len(chosen) // 2]], np.array([f.mean()])
            for k, value in enumerate(values):
                yield (vis.first_dump + dump, time, first.input_name(i), first.input_name(j),
                       int(numbers[k]), f'{f[k]:.12g}', f'{value.real:.9g}', f'{value.imag:.9g}',
                       f'{abs(value):.9g}', f'{np.degrees(np.angle(value)):.6f}',
                       f'{weights[k]:.9g}', bool(flags[k]))
