#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVFITS files joined along frequency."""
import contextlib
import io
import os
import warnings

import numpy as np

from ..certificates.sums import row_sums
from ..readers.fits_check import BLOCK
from ..readers.uvfits_groups import open_groups
from ..readers.uvfits_rows import rows_of_uvfits
from ..readers.uvfits_uvw import uvw_of_groups
from .rows import check_uvw, chosen_rows, parts_of_rows

CARD_TEXT = 72  # letters of a card of HISTORY


def width_of_uvfits(vis):
    """Width of a channel in Hz."""
    with open_groups(vis.path) as (groups, _):
        return abs(float(groups.header[f'CDELT{groups.axes["FREQ"]}']))


def join_uvfits(copies, plan):
    """Writes the UVFITS file copies[0]; row_sums of its values."""
    sums = row_sums()
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(open_groups(path)) for path in plan.paths]
        all_groups = [groups for groups, _ in opened]
        first = all_groups[0]
        found = [rows_of_uvfits(vis.path, *groups, vis.selection)
                 for vis, groups in zip(plan.files, opened)]
        rows = [table.at[here] for table, here in zip(found, chosen_rows(
            plan, [(table.ant1, table.ant2, table.dump) for table in found]))]
        for path, groups, found_rows in zip(plan.paths, all_groups, found):
            if groups.length('IF') > 1 or len(found_rows.window.setups) > 1:
                raise ValueError(f'{path}: has several spectral windows, and files of one are '
                                 'joined')
        for path, groups in zip(plan.paths[1:], all_groups[1:]):
            _check_like(path, groups, plan.paths[0], first)
        name = first.raw.dtype.names[-1]
        shape = list(first.raw.dtype[name].shape)
        # The file's first axis is the last of an array.
        axis = first.header['NAXIS'] - first.axes['FREQ']
        shape[axis] = plan.channels
        kind = np.dtype([(name, first.raw.dtype[name]) for name in first.raw.dtype.names[:-1]]
                        + [(name, (first.raw.dtype[name].base, tuple(shape)))])
        with open(copies[0], 'wb') as file:
            file.write(_header(all_groups, len(rows[0]), plan))
            for start, parts in parts_of_rows(rows, 2 * kind.itemsize):
                part = _join_part(all_groups, plan, parts, kind, axis)
                part.tofile(file)
                values = part[kind.names[-1]]
                sums.add('DATA', start, values[..., :2])
                sums.add('WEIGHT', start, values[..., 2:])
            file.write(b'\0' * (-file.tell() % BLOCK))
            file.write(_tables(opened[0][1], plan, found[0]))
    return sums


def _check_like(path, groups, other_path, other):
    """Raises ValueError where the numbers of two files cannot stand side by side."""
    axis = other.header['NAXIS'] - other.axes['FREQ']
    first, second = (list(g.raw.dtype[-1].shape) for g in (groups, other))
    if len(first) == len(second):
        first[axis] = second[axis] = 0
    alike = (groups.raw.dtype[-1].base == other.raw.dtype[-1].base and first == second
             and groups.names == other.names and groups.axes == other.axes)
    scaled = [name for k in range(len(other.names)) for name in (f'PSCAL{k + 1}', f'PZERO{k + 1}')]
    for name in ['BSCALE', 'BZERO', *scaled]:
        alike = alike and groups.header.get(name) == other.header.get(name)
    if not alike:
        raise ValueError(f'{path}: groups: are laid out or scaled in another way than those of '
                         f'{other_path}')


def _join_part(all_groups, plan, parts, kind, axis):
    raws = [groups.raw[rows] for groups, rows in zip(all_groups, parts)]
    check_uvw(plan, [uvw_of_groups(path, groups, rows)
                     for path, groups, rows in zip(plan.paths, all_groups, parts)])
    new = np.zeros(len(raws[0]), kind)
    for name in kind.names[:-1]:
        new[name] = raws[0][name]
    data = kind.names[-1]
    # Weight 0 is what a flag is in this format, too.
    plan.spread([raw[data] for raw in raws], axis + 1, 0, out=new[data])
    return new


def _lines(text):
    return [text[at:at + CARD_TEXT] for at in range(0, max(len(text), 1), CARD_TEXT)]


def _header(all_groups, count, plan):
    header = all_groups[0].header.copy()
    k = all_groups[0].axes['FREQ']
    place = header.get(f'CRPIX{k}', 1)
    header[f'NAXIS{k}'] = plan.channels
    header[f'CRVAL{k}'] = float(plan.band.frequencies[0]) + (place - 1) * header[f'CDELT{k}']
    header['GCOUNT'] = count
    for path, groups in zip(plan.paths[1:], all_groups[1:]):
        for line in groups.header.get('HISTORY', []):
            for part in _lines(f'{os.path.basename(path)}: {line}'):
                header.add_history(_printable(part))
    for part in _lines(plan.history):
        header.add_history(_printable(part))
    return header.tostring().encode('ascii')


def _printable(text):
    return ''.join(c if ' ' <= c <= '~' else '?' for c in text)


def _tables(tables, plan, rows):
    """The bytes of the tables, as they are but for the band, which the header has."""
    from astropy.io import fits
    units = [unit.copy() for unit in tables.values()]
    for unit in units:
        if unit.name == 'AIPS FQ':
            _set_band(unit, plan, rows.window.setups[0])
        elif unit.name == 'AIPS SU' and 'FREQOFF' in unit.columns.names:
            unit.data['FREQOFF'] = 0
        elif unit.name == 'AIPS AN':
            unit.header['FREQ'] = plan.reference
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        fits.HDUList([fits.PrimaryHDU(), *units]).writeto(buffer)
    return buffer.getvalue()[BLOCK:]


def _set_band(unit, plan, setup):
    """Puts the joint band into the row of a setup."""
    row = np.flatnonzero(unit.data['FRQSEL'] == setup)
    names = unit.columns.names
    for name, value in (('TOTAL BANDWIDTH', plan.band.width * plan.channels), ('IF FREQ', 0.0)):
        if name in names:
            unit.data[name][row] = value
