#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What files must agree on to be joined along frequency, and the band that they make together."""
from dataclasses import dataclass

import numpy as np

#: Parts of a channel by which the channels of two files may be off the same grid.
OFF_GRID = 0.01
#: Seconds that times of files may differ by: what a Julian date in a double resolves.
TIME_STEP = 5e-5
SAME_DIRECTION = 1e-9  # radians
SAME_PLACE = 1e-3  # meters


@dataclass
class joint_band:
    """The channels of the joined file."""
    pieces: list             #: (number of the file, or None for flagged channels; channels)
    frequencies: np.ndarray  #: Hz
    width: float             #: of a channel in Hz

    @property
    def filled(self):
        """Channels that no file has."""
        return sum(count for number, count in self.pieces if number is None)


def in_order(files):
    """(description, channel width) of files, sorted along frequency."""
    for vis, _ in files:
        if vis.frequencies is None:
            raise ValueError(f'{vis.path}: frequencies: are not in it, nor in a file beside it')
    steps = [vis.frequencies[1] - vis.frequencies[0] for vis, _ in files
             if len(vis.frequencies) > 1]
    sign = -1 if steps and steps[0] < 0 else 1
    return sorted(files, key=lambda entry: sign * entry[0].frequencies[0]), sign


def join_bands(files):
    """The joint_band of files, (description, channel width), in the order of in_order()."""
    files, sign = in_order(files)
    first, width = files[0]
    step = sign * width
    for vis, other in files:
        if abs(other - width) > 1e-6 * width:
            raise ValueError(f'{vis.path}: channel width: {other:.10g} Hz, but {first.path} has '
                             f'{width:.10g} Hz')
        even = vis.frequencies[0] + step * np.arange(len(vis.frequencies))
        if np.abs(vis.frequencies - even).max() > OFF_GRID * width:
            raise ValueError(f'{vis.path}: frequencies: do not go on in steps of {step:.10g} Hz')
    pieces, parts = [(0, len(first.frequencies))], [first.frequencies]
    for number in range(1, len(files)):
        before, vis = files[number - 1][0], files[number][0]
        gap = (vis.frequencies[0] - before.frequencies[-1]) / step - 1
        empty = round(gap)
        if empty < 0:
            raise ValueError(f'{vis.path}: frequencies: {_band(vis)} overlap those of '
                             f'{before.path}, {_band(before)}')
        if abs(gap - empty) > OFF_GRID:
            raise ValueError(f'{vis.path}: frequencies: {_band(vis)} begin {gap:.4g} channels '
                             f'behind those of {before.path}, {_band(before)}; it must be a whole '
                             'number of channels')
        if empty:
            pieces.append((None, empty))
            parts.append(before.frequencies[-1] + step * np.arange(1, empty + 1))
        pieces.append((number, len(vis.frequencies)))
        parts.append(vis.frequencies)
    band = joint_band(pieces, np.concatenate([np.asarray(p, float) for p in parts]), width)
    if band.filled > len(band.frequencies) - band.filled:
        raise ValueError(f'{files[-1][0].path}: frequencies: {_band(files[-1][0])} are so far from '
                         f'those of {first.path}, {_band(first)}, that most channels of the file '
                         'would be empty; fringe image and others take several files')
    return files, band


def _band(vis):
    return f'{vis.frequencies[0]:.10g} to {vis.frequencies[-1]:.10g} Hz'


def check_same(files):
    """Raises ValueError where two files are not of the same array towards the same place."""
    first = files[0]
    for vis in files[1:]:
        for name in ('antennas', 'inputs', 'bad_inputs'):
            own, other = (list(getattr(v, name)) for v in (vis, first))
            if own != other:
                raise ValueError(f'{vis.path}: {name.replace("_", " ")}: {_short(vis, name)}, but '
                                 f'{first.path} has {_short(first, name)}')
        if (vis.positions is None) != (first.positions is None) or (
                vis.positions is not None
                and np.abs(vis.positions - first.positions).max() > SAME_PLACE):
            worst = 0 if vis.positions is None or first.positions is None else int(
                np.argmax(np.abs(vis.positions - first.positions).max(1)))
            raise ValueError(f'{vis.path}: positions: antenna {vis.antennas[worst]} is at '
                             f'{_place(vis, worst)}, but in {first.path} at '
                             f'{_place(first, worst)}')
        if not _same_direction(vis.phase_center, first.phase_center):
            raise ValueError(f'{vis.path}: phase center: {_direction(vis)}, but {first.path} has '
                             f'{_direction(first)}')


def _short(vis, name):
    if name == 'antennas':
        words = vis.antennas
    elif name == 'inputs':
        words = [vis.input_name(k) for k in range(len(vis.inputs))]
    else:
        words = [str(k) for k in vis.bad_inputs]
    return (f'{len(words)} ({", ".join(words[:8])}' + (' ...' if len(words) > 8 else '') + ')')


def _place(vis, antenna):
    if vis.positions is None:
        return 'no known place'
    return ', '.join(f'{x:.4g}' for x in vis.positions[antenna]) + ' m'


def _same_direction(first, other):
    if first is None or other is None:
        return first is other
    turn = np.remainder(first[1] - other[1] + np.pi, 2 * np.pi) - np.pi
    return abs(turn) < SAME_DIRECTION and abs(first[2] - other[2]) < SAME_DIRECTION


def _direction(vis):
    if vis.phase_center is None:
        return 'none'
    name, ra, dec = vis.phase_center
    return f'{name} (RA {np.degrees(ra):.7g}, Dec {np.degrees(dec):.7g} degrees)'


def same_dumps(files, common):
    """Numbers of the dumps to be joined, an array for each file.

    All of them, which must have the same times; or with `common` those that all files have.
    """
    first = files[0]
    nanos = [_nanoseconds(vis) for vis in files]
    step = np.minimum(np.maximum(TIME_STEP, 1e-4 * first.intervals), first.intervals / 4)
    if common:
        return _common_dumps(files, nanos, step)
    for vis, times in zip(files[1:], nanos[1:]):
        count = min(len(times), len(nanos[0]))
        off = np.abs(times[:count] - nanos[0][:count]) * 1e-9 > step[:count]
        off |= np.abs(vis.intervals[:count] - first.intervals[:count]) > step[:count]
        if off.any():
            k = int(np.argmax(off))
            raise ValueError(f'{vis.path}: time: dump {k} is of {_dump(vis, k)}, but that of '
                             f'{first.path} of {_dump(first, k)}; common_times=True joins the '
                             'dumps that all files have')
        if len(times) != len(nanos[0]):
            raise ValueError(f'{vis.path}: times: {len(times)} dumps, but {first.path} has '
                             f'{len(nanos[0])}; common_times=True joins the dumps that all files '
                             'have')
    return [np.arange(len(times)) for times in nanos]


def _nanoseconds(vis):
    return vis.seconds * 10**9 + np.round(vis.fractions * 1e9).astype(np.int64)


def _common_dumps(files, nanos, step):
    found = [np.arange(len(nanos[0]))]
    kept = np.ones(len(nanos[0]), bool)
    for vis, times in zip(files[1:], nanos[1:]):
        after = np.clip(np.searchsorted(times, nanos[0]), 0, len(times) - 1)
        before = np.maximum(after - 1, 0)
        nearer = np.abs(times[before] - nanos[0]) < np.abs(times[after] - nanos[0])
        place = np.where(nearer, before, after)
        kept &= np.abs(times[place] - nanos[0]) * 1e-9 <= step
        kept &= np.abs(vis.intervals[place] - files[0].intervals) <= step
        found.append(place)
    if not kept.any():
        raise ValueError(f'{files[-1].path}: times: none of its dumps, {_dump(files[-1], 0)} to '
                         f'{_dump(files[-1], -1)}, is in all files; {files[0].path} has '
                         f'{_dump(files[0], 0)} to {_dump(files[0], -1)}')
    return [place[kept] for place in found]


def _dump(vis, k):
    return f'{np.datetime_as_string(vis.times[k], "us")} ({vis.intervals[k]:.6g} s)'
