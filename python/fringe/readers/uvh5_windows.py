#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectral windows of a UVH5 file: the channels of each, and their polarizations."""

from dataclasses import dataclass

import numpy as np

from .polarizations import CODES
from .selection import ALL, choose_some, part


@dataclass
class window_choice:
    """The channels that are read."""
    channels: np.ndarray     #: numbers along the file's axis (both axes in one of old files)
    frequencies: np.ndarray  #: Hz
    codes: list              #: numbers of the polarizations
    spw: object              #: for a `selection`


def choose_window(path, header, wanted):
    """The window_choice: all channels, since each row has those of all windows, or some windows.

    Windows of different polarizations cannot stand side by side: those of one kind are to be
    chosen.
    """
    frequencies = np.asarray(header['freq_array'][()], float)
    owner = windows_of_channels(path, header, frequencies.shape)
    frequencies = frequencies.ravel()
    numbers = list(dict.fromkeys(owner.tolist()))
    codes = _codes_of_windows(path, header, numbers)
    parts = [part(number, '', _in_words(frequencies[owner == number], codes.get(number)))
             for number in numbers]
    alike = len({tuple(codes[number]) for number in numbers}) == 1
    some = parts if wanted is None and alike else choose_some(path, 'spw', parts, wanted)
    if len({tuple(codes[part.number]) for part in some}) > 1:
        raise ValueError(f'{path}: spw={wanted}: the windows have different polarizations: '
                         + '; '.join(map(str, some)))
    read = [part.number for part in some]
    channels = np.flatnonzero(np.isin(owner, read))
    spw = read[0] if len(read) == 1 else ALL if len(read) == len(numbers) else tuple(read)
    return window_choice(channels, frequencies[channels], codes[read[0]], spw)


def windows_apart(header):
    """Numbers of the windows that have to be read one by one; [None] where all are together."""
    if 'flex_spw_polarization_array' not in header:
        return [None]
    codes = header['flex_spw_polarization_array'][()].tolist()
    numbers = header['spw_array'][()].tolist()
    return numbers if len(set(codes)) > 1 else [None]


def windows_of_channels(path, header, shape):
    """Number of the window of each channel."""
    numbers = (np.ravel(header['spw_array'][()]) if 'spw_array' in header
               else np.arange(shape[0] if len(shape) == 2 else 1)).astype(int)
    if len(shape) == 2:
        if len(numbers) != shape[0]:
            raise ValueError(f'{path}: Header/spw_array: has {len(numbers)} windows, freq_array '
                             f'{shape[0]}')
        if len(numbers) > 1 or 'flex_spw_id_array' not in header:
            return np.repeat(numbers, shape[1])
    if 'flex_spw_id_array' in header:
        owner = np.ravel(header['flex_spw_id_array'][()]).astype(int)
        unknown = np.setdiff1d(owner, numbers)
        if len(owner) != shape[-1] or len(unknown):
            raise ValueError(f'{path}: Header/flex_spw_id_array: '
                             + (f'{unknown[0]}: is not in spw_array' if len(unknown) else
                                f'has {len(owner)} channels, freq_array {shape[-1]}'))
        return owner
    if len(numbers) > 1:
        raise ValueError(f'{path}: Header/spw_array: has {len(numbers)} windows, and no '
                         'flex_spw_id_array says which channels are of which')
    return np.full(shape[-1], numbers[0])


def _codes_of_windows(path, header, numbers):
    """{window: numbers of its polarizations}"""
    plain = np.ravel(header['polarization_array'][()]).astype(int).tolist()
    if 'flex_spw_polarization_array' not in header:
        return {number: plain for number in numbers}
    codes = np.ravel(header['flex_spw_polarization_array'][()]).astype(int).tolist()
    order = np.ravel(header['spw_array'][()]).astype(int).tolist()
    if len(codes) != len(order) or len(plain) != 1:
        raise ValueError(f'{path}: Header/flex_spw_polarization_array: has {len(codes)} values '
                         f'for {len(order)} windows and {len(plain)} polarizations')
    return {number: [codes[order.index(number)]] for number in numbers}


def _in_words(frequencies, codes):
    words = f'{frequencies.min() / 1e6:.6g} to {frequencies.max() / 1e6:.6g} MHz'
    return f'{words}, {" ".join(CODES.get(code, str(code)) for code in codes)}'
