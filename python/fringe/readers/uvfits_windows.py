#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectral windows of a UVFITS file: setups of the table AIPS FQ, each with windows (IFs)."""

from dataclasses import dataclass

import numpy as np

from .aips_units import HERTZ, factor_of
from .selection import ALL, choose, is_all, part, several_words

NAME = 'AIPS FQ'


@dataclass
class window_choice:
    """What is read of groups of some setups."""
    setups: list             #: numbers of the setups, in the order of their channels
    windows: np.ndarray      #: of each setup, from 0 on
    frequencies: np.ndarray  #: Hz, [setup][window][channel] in one axis
    widths: np.ndarray       #: Hz, of a channel of each, [setup][window]
    spw: object              #: for a `selection`

    def channels(self, setup):
        """The slice of the frequencies that is of a setup (its place in `setups`)."""
        count = len(self.frequencies) // len(self.setups)
        return slice(setup * count, (setup + 1) * count)


def choose_windows(path, groups, tables, used, offsets, wanted):
    """The window_choice: `wanted` is the number of a setup where groups name several, else of a
    window; SETUP/WINDOW names both; several with commas between. Without a choice all windows of
    the only setup are read.

    used: numbers of the setups that groups name. offsets: Hz, of each window, of the source.
    """
    everything, widths = {}, {}
    for number in used:
        frequencies, widths[number] = _setup(path, groups, tables, number)
        everything[number] = frequencies + offsets[:, None]
    count = len(offsets)
    words = several_words(wanted) or (wanted,)
    found = [_choose(path, used, everything, count, word) for word in words]
    setups = sorted({setup for some, _ in found for setup in some})
    windows = np.unique(np.concatenate([part for _, part in found]))
    if len(setups) > 1 and any(len(part) < count for _, part in found):
        raise ValueError(f'{path}: spw={wanted}: are windows of several setups; choose windows of '
                         'one setup, or whole setups')
    frequencies = np.concatenate([everything[number][windows].ravel() for number in setups])
    return window_choice(setups, windows, frequencies,
                         np.stack([widths[number][windows] for number in setups]),
                         _spw(used, setups, count, windows))


def _choose(path, used, everything, count, wanted):
    """Setups and windows of one word of a choice."""
    setups, windows = list(used), np.arange(count)
    if is_all(wanted):
        return setups, windows
    if len(used) > 1:
        word, _, wanted = (str(wanted) if wanted is not None else '').partition('/')
        parts = [part(number, '', in_words(everything[number])) for number in used]
        setups = [choose(path, 'spw', parts, word or None).number]
        wanted = wanted or None
    if wanted is not None:
        window = str(wanted).rpartition('/')[2] if str(wanted).count('/') == 1 else wanted
        parts = [part(k + 1, '', in_words(everything[setups[0]][k])) for k in range(count)]
        windows = np.array([choose(path, 'spw', parts, window).number - 1])
    return setups, windows


def _spw(used, setups, count, windows):
    if len(windows) < count:
        named = tuple(f'{setups[0]}/{window + 1}' for window in windows)
        return named[0] if len(named) == 1 else named
    if len(setups) < len(used):
        return setups[0] if len(setups) == 1 else tuple(setups)
    return ALL if len(used) > 1 or count > 1 else 1


def _setup(path, groups, tables, number):
    """Hz of a setup: [window][channel]; of a channel, [window], 0 where nothing says it."""
    plain = groups.axis('FREQ')
    count = groups.length('IF')
    axis = groups.axes['FREQ']
    if (NAME, 1) not in tables:
        if count > 1 or number > 1:
            raise ValueError(f'{path}: has several spectral windows, and no table {NAME} of them')
        return plain[None], np.abs([float(groups.header.get(f'CDELT{axis}', 0))])
    table = tables[NAME, 1]
    row = _row(path, table.data, number)
    starts, widths = (np.atleast_1d(row[name]).astype(float) * factor_of(path, table, name, HERTZ)
                      for name in ('IF FREQ', 'CH WIDTH'))
    sides = np.atleast_1d(row['SIDEBAND']).astype(float)
    if min(len(starts), len(widths), len(sides)) < count:
        raise ValueError(f'{path}: {NAME}: {len(starts)} frequencies of setup {number}; the groups '
                         f'have {count} windows')
    starts, widths, sides = starts[:count], np.abs(widths[:count]), sides[:count]
    step = groups.header.get(f'CDELT{axis}', 1)
    # Widths in a single float: the header has the same ones in a double.
    same = (np.abs(widths - abs(step)) <= 1e-6 * abs(step)) | (widths == 0)
    widths = np.where(same, abs(step), widths)
    signs = np.where(sides < 0, -1, 1)
    if count == 1 and same.all():
        signs = np.sign([step])
    places = np.arange(1, len(plain) + 1) - groups.header.get(f'CRPIX{axis}', 1)
    return (groups.header[f'CRVAL{axis}'] + starts[:, None]
            + (signs * widths)[:, None] * places), widths


def _row(path, data, number):
    numbers = data['FRQSEL'].tolist()
    if number in numbers:
        return data[numbers.index(number)]
    if len(numbers) == 1 and number <= 1:
        return data[0]
    raise ValueError(f'{path}: groups name the setup of frequencies {number}, which is not in the '
                     f'table {NAME}: {", ".join(map(str, numbers))}')


def in_words(frequencies):
    """A band."""
    return f'{frequencies.min() / 1e6:.6g} to {frequencies.max() / 1e6:.6g} MHz'
