#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What is in a visibility file, on its way into one of another kind."""

import contextlib
from dataclasses import dataclass, field

import numpy as np

from ..readers.damage import damage_reported

#: Bytes of a visibility with its weight and flag, and of a block of them in memory at a time.
BYTES, MEMORY = 13, 2**27


def content_while_open(kind, opener, read):
    """What converts files of a kind: from the `visibilities` of the parts of one to a context with
    the converted_content, while it is open.

    kind: in words. opener: (path) -> a context with the open file. read: (path, `visibilities` of
    its parts, open file) -> converted_content.
    """
    @contextlib.contextmanager
    def content_of(described):
        path = described[0].path
        with contextlib.ExitStack() as stack:
            with damage_reported(path, kind):
                content = read(path, described, stack.enter_context(opener(path)))
            yield content
    return content_of


def tables_left_out(names):
    """A note on tables that hold something else than visibilities and what describes them."""
    return [f'not converted: its {", ".join(names)}'] if names else []


@dataclass
class spectral_window:
    """The channels of a window, in the order of the data."""
    name: str
    frequencies: np.ndarray   #: Hz
    widths: np.ndarray        #: Hz, of each channel
    frame: str = 'TOPO'       #: of the frequencies, as a MeasurementSet calls it

    def is_like(self, other):
        """Whether both have the same channels."""
        return (self.frame == other.frame and self.frequencies.shape == other.frequencies.shape
                and np.array_equal(self.frequencies, other.frequencies)
                and np.array_equal(self.widths, other.widths))


@dataclass
class converted_part:
    """The rows of one field, with the same windows and correlations; arrays [row].

    A row is two antennas at one time, with the channels of all windows after each other:
    <x_1 conj(x_2)>, and uvw_1 - uvw_2 towards the north of ICRS, in meters.
    """
    center: tuple             #: (name, right ascension, declination), ICRS, radians
    windows: list             #: spectral_window
    codes: list               #: numbers of AIPS, of each correlation
    ant1: np.ndarray          #: index into the antennas of the content
    ant2: np.ndarray
    dump: np.ndarray          #: index into `seconds` and `fractions`
    seconds: np.ndarray       #: [dump] of the centers, since 1970 UTC
    fractions: np.ndarray     #: [dump]
    intervals: np.ndarray     #: s
    exposures: np.ndarray     #: s
    uvw: np.ndarray           #: [row][3]
    values: object            #: (rows) -> data, weights, flags, each [row][channel][correlation]
    scans: np.ndarray = None  #: numbers; None = the file has none
    there: np.ndarray = None  #: bool, [row][window]: whether the file has it; None = all

    @property
    def channels(self):
        """Of all windows."""
        return sum(len(window.frequencies) for window in self.windows)

    def slices(self):
        """Of the axis of channels, of each window."""
        ends = np.cumsum([len(window.frequencies) for window in self.windows])
        return [slice(int(end) - len(window.frequencies), int(end))
                for window, end in zip(self.windows, ends)]


@dataclass
class converted_content:
    """All that is converted."""
    path: str
    kind: str                 #: of file, in words
    telescope: str
    observer: str
    antennas: list            #: names
    itrf: np.ndarray          #: m, [antenna][3]
    diameters: np.ndarray     #: m, [antenna]; 0 = not known
    feeds: object             #: readers.feeds.antenna_feeds of the same antennas
    unit: str                 #: count, Jy or K sr
    dut1: float               #: s; None = not known
    history: list             #: lines
    parts: list = field(default_factory=list)  #: converted_part
    notes: list = field(default_factory=list)  #: what a file of the new kind cannot hold

    def centers(self):
        """(the places of all fields, each once; for each part, which it has)."""
        found = list(dict.fromkeys(part.center for part in self.parts))
        return found, [found.index(part.center) for part in self.parts]

    def require_alike(self, kind):
        """The first part; ValueError where the windows or correlations of others differ."""
        first = self.parts[0]
        for part in self.parts[1:]:
            same = len(part.windows) == len(first.windows) and all(
                mine.is_like(other) for mine, other in zip(part.windows, first.windows))
            for what, alike in (('spectral windows', same),
                                ('correlations', part.codes == first.codes)):
                if not alike:
                    raise ValueError(
                        f'{self.path}: has rows of several {what}, and a row of a {kind} has all: '
                        'choose one field with field=NAME, or one window with spw=NUMBER')
        return first

    def frame(self, kind):
        """Of the frequencies of all windows; ValueError where there are several."""
        frames = sorted({window.frame for part in self.parts for window in part.windows})
        if len(frames) > 1:
            raise ValueError(f'{self.path}: has windows whose frequencies are in the frames '
                             f'{", ".join(frames)}, and those of a {kind} are in one: choose one '
                             'window with spw=NUMBER')
        return frames[0]

    def note_exposures(self, kind):
        """Adds a note where exposures differ from intervals, which alone a kind of file holds."""
        if any((part.exposures != part.intervals).any() for part in self.parts):
            self.notes.append(f'{kind}s have the length of a dump, and not the exposure in it')

    def blocks(self):
        """(number of a part, numbers of some of its rows), in the order of time."""
        starts = [(int(part.seconds[d]), float(part.fractions[d]), number, d)
                  for number, part in enumerate(self.parts) for d in range(len(part.seconds))]
        starts.sort()
        numbers = np.array([number for _, _, number, _ in starts])
        cuts = np.flatnonzero(np.diff(numbers)) + 1
        orders = [np.argsort(part.dump, kind='stable') for part in self.parts]
        sorted_dumps = [part.dump[order] for part, order in zip(self.parts, orders)]
        for run in np.split(np.arange(len(starts)), cuts):
            number, part = starts[run[0]][2], self.parts[starts[run[0]][2]]
            low, high = np.searchsorted(sorted_dumps[number],
                                        [starts[run[0]][3], starts[run[-1]][3] + 1])
            step = max(1, MEMORY // (part.channels * len(part.codes) * BYTES))
            for at in range(low, high, step):
                yield number, orders[number][at:min(at + step, high)]

    def read(self, part, rows):
        """(data, weights, flags) of some rows, without not-a-numbers, which are flagged zeros."""
        with damage_reported(self.path, self.kind):
            data, weights, flags = part.values(rows)
        bad = ~np.isfinite(data)
        if bad.any():
            data, weights = np.where(bad, 0, data), np.where(bad, 0, weights)
            flags = flags | bad
        return data.astype(np.complex64), weights.astype(np.float32), flags
