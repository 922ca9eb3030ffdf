#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What is in a visibility file."""

import os
from dataclasses import dataclass, field, replace

import numpy as np

from .. import fringe_python as fp
from ..ground.words import with_unit
from .selection import selection as part_of_file

SPEED_OF_LIGHT = 299792458.0
#: Polarizations of inputs, in the order of their names; I: correlations are Stokes I.
HANDS = 'XYRLI'
#: Units of visibilities by their names in files, in small letters.
UNITS = {'uncalib': 'count', 'jy': 'Jy', 'k str': 'K sr', 'k sr': 'K sr'}
#: A remark on a file without weights.
UNWEIGHTED = ('no weight in it is positive: all visibilities that are not flagged count alike')


@dataclass
class visibilities:
    """The content of a visibility file.

    Products are the pairs of inputs (i, j), i <= j, row-major, and
    V_ij = <x_i conj(x_j)>. A source in direction s gives V_ij ~ exp(+2 pi i f (r_i - r_j).s/c)
    where `uvw` is None, and exp(+2 pi i f (u l + v m + w (n - 1))/c) with
    (u, v, w) = uvw_i - uvw_j where it is given (the data are phased to `phase_center`).
    """

    path: str
    telescope: str
    antennas: list                #: names
    inputs: list                  #: (index into antennas, polarization)
    frequencies: np.ndarray       #: Hz, [channel]; None = not known
    seconds: np.ndarray           #: int64, center of each dump, whole seconds since 1970 UTC
    fractions: np.ndarray         #: float64, the fraction of that second, [dump]
    intervals: np.ndarray         #: s, [dump]
    exposures: np.ndarray         #: s of valid data, [dump]
    positions: np.ndarray = None  #: m east, north, up, [antenna][3]; None = not known
    uvw: np.ndarray = None        #: m, [dump][antenna][3]; a baseline has uvw_i - uvw_j
    phase_center: tuple = None    #: (name, right ascension, declination) in radians
    partial: bool = False         #: the file was never finished
    has_times: bool = True        #: False: the file does not say when
    bad_inputs: list = field(default_factory=list)  #: known bad, flagged as a whole
    remarks: list = field(default_factory=list)
    first_dump: int = 0           #: number, in its file, of the first dump that is described
    data: np.ndarray = None       #: complex64, [dump][channel][product]
    weights: np.ndarray = None    #: float32, valid samples up to a factor, same shape
    flags: np.ndarray = None      #: bool, True = bad, same shape
    missing: np.ndarray = None    #: bool, True = not in the file (and flagged), same shape; None =
                                  #: all are there
    unit: str = 'count'           #: of the data: Jy or K sr where the file says so
    channel_width: float = None   #: Hz of a channel; None = the file does not say
    row_uvw: np.ndarray = None    #: m, [dump][pair of antennas][3] where those of antennas differ
    north: float = 0.0            #: radians, of the north of uvw in the file from that of ICRS
    frequency_frame: str = 'TOPO' #: of frequencies, by its name in a MeasurementSet
    correlations: set = None      #: of polarizations, XX, XY ..., that the file has; None = all
    feeds: object = None          #: antenna_feeds: mounts and feeds; None = not said
    selection: part_of_file = part_of_file()  #: field, window, subarray and column that were read
    reader: object = None         #: (dumps) -> `visibilities` with their data, or None where the
                                  #: file is another one now; None = read_visibilities() does it

    def __repr__(self):
        """File, numbers of dumps, channels and products, band and time."""
        frequencies = self.frequencies if self.frequencies is not None else ()
        dumps, channels = len(self.seconds), len(frequencies)
        facts = [f"{dumps} dump{'' if dumps == 1 else 's'}", f"{channels} channels",
                 f"{len(self.inputs)} inputs"]
        if channels:
            facts.append(f"{with_unit(frequencies[0], 'Hz')} to {with_unit(frequencies[-1], 'Hz')}")
        if dumps and self.has_times:
            facts.append(f"from {str(self.times[0])[:19]}")
        return f"<visibilities {self.path}: {', '.join(facts)}>"

    @property
    def products(self):
        """Inputs i and j of each product: two arrays [product]."""
        return np.triu_indices(len(self.inputs))

    @property
    def times(self):
        """Center of each dump as numpy datetime64[ns]."""
        nanos = self.seconds * 10**9 + np.round(self.fractions * 1e9).astype(np.int64)
        return nanos.astype('datetime64[ns]')

    @property
    def span(self):
        """Seconds from the start of the first dump to the end of the last."""
        if len(self.seconds) == 0:
            return 0.0
        between = (self.seconds[-1] - self.seconds[0]) + (self.fractions[-1] - self.fractions[0])
        return float(between + (self.intervals[0] + self.intervals[-1]) / 2)

    def input_name(self, index):
        """Name of an input: the antenna's, with the polarization where there are several."""
        antenna, polarization = self.inputs[index]
        several = len({p for _, p in self.inputs}) > 1
        return self.antennas[antenna] + (polarization if several else '')

    def baseline_uvw(self, pairs, dumps=slice(None)):
        """uvw of baselines, [dump][pair][3], as the rows of the file have them.

        pairs: numbers of two antennas, [pair][2]. NaN where it is not known.
        """
        first, second = np.asarray(pairs).T
        uvw = self.uvw[dumps]
        uvw = uvw[:, first] - uvw[:, second]
        if self.row_uvw is None:
            return uvw
        rows = self.row_uvw[dumps][:, pair_number(first, second, len(self.antennas))]
        rows = np.where((first > second)[:, None], -rows, rows)
        return np.where(np.isfinite(rows), rows, uvw)

    def require_data(self):
        """Raises ValueError where only the description was read."""
        if self.data is None:
            raise ValueError(f'{self.path}: was read without its data; use '
                             'read_visibilities(path)')

    def to_xarray(self):
        """The same as a Dataset of xarray, which does not copy the data.

        visibility, weight, flag: [time][frequency][baseline]; exposure, interval: s, [time]; uvw:
        m, [time][baseline][u, v, w], where it is known; position: m, [antenna][east, north, up].
        time is datetime64 in UTC (seconds from the first dump where no date is known), frequency
        in Hz; a baseline is called A-B, after its inputs, with coordinates antenna_1, antenna_2
        and polarization. Units and conventions are attributes. Raises ValueError where the data
        were not read, ImportError, naming the package, where xarray is not installed.
        """
        from .as_xarray import as_xarray
        return as_xarray(self)

    def lost(self):
        """True where nothing was measured: no weight, [dump][channel][product]."""
        return self.flags & (self.weights <= 0)

    def valid_weights(self):
        """The weights with flagged visibilities at 0, [dump][channel][product]."""
        return np.where(self.flags, np.float32(0), self.weights)


def pair_number(first, second, antennas):
    """Number of a pair of antennas in `row_uvw`: (0, 0), (0, 1), ..., (1, 1), ..."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low * antennas - low * (low - 1) // 2 + high - low


def some_dumps(vis, dumps):
    """The description of a range of the dumps of a file, without data."""
    part = replace(vis, first_dump=vis.first_dump + dumps.start, data=None, weights=None,
                   flags=None, missing=None, remarks=list(vis.remarks))
    _cut(part, np.arange(len(vis.seconds))[dumps.start:dumps.stop])
    return part


def require_plain_file(path):
    """Raises ValueError for a pipe, a device, a folder: opening it might wait for ever."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f'{path}: is not a plain file, which alone is read')


def one_width(widths):
    """Hz of a channel from those of all, which a sideband may sign; None where they differ."""
    widths = np.abs(np.ravel(widths).astype(float))
    alike = len(widths) and widths[0] > 0 and np.ptp(widths) < 1e-3 * widths[0]
    return float(widths[0]) if alike else None


def set_frame(vis, frame):
    """Notes the frame of frequencies, by its name in a MeasurementSet."""
    if frame != 'TOPO':
        vis.frequency_frame = frame
        vis.remarks.append(f'its frequencies are in the frame {frame}: those that were received '
                           'differ by up to a part in 6000')


def is_partial(path):
    """True for a file that was never finished: x.partial.ms."""
    return os.path.splitext(path)[0].endswith('.partial')


def is_dated(seconds):
    """False for the times of a recording that had none: they count from 1970."""
    return bool(len(seconds) and seconds[0] > 366 * 86400)


def thin_out(vis, channels, limit):
    """Indices of the dumps to read so that they need at most `limit` bytes, or of those in the
    range `limit`.

    The description is cut to them.
    """
    dumps = len(vis.seconds)
    one_dump = channels * len(vis.products[0]) * 13  # Visibility, weight and flag.
    if isinstance(limit, range):
        step, kept = 1, np.arange(dumps)[limit.start:limit.stop]
    else:
        step = max(1, -(-dumps * one_dump // int(limit)))
        kept = np.arange(dumps)[::step]
    fp._require_memory(str(vis.path), f'{len(kept)} dumps', len(kept) * one_dump)
    if step > 1:
        vis.remarks.append(f'{len(kept)} of the {dumps} dumps are read, one of every {step}')
    if len(kept) < dumps:
        _cut(vis, kept)
        vis.first_dump += int(kept[0]) if len(kept) else 0
    return kept


def _cut(vis, kept):
    for name in ('seconds', 'fractions', 'intervals', 'exposures'):
        setattr(vis, name, getattr(vis, name)[kept])
    for name in ('uvw', 'row_uvw'):
        if getattr(vis, name) is not None:
            setattr(vis, name, getattr(vis, name)[kept])


def clean(vis, is_weighted=None):
    """Not-a-numbers become flagged zeros; what has no weight is flagged.

    is_weighted: says whether a weight of the file is positive, asked where none that was read is.
    Where none is, the writer left them out, and all that is not flagged counts alike.
    """
    used = ~vis.flags
    if is_weighted and used.any() and not (vis.weights[used] > 0).any() and not is_weighted():
        vis.weights[used] = 1
        vis.remarks.append(UNWEIGHTED)
    bad = ~np.isfinite(vis.data)
    vis.data[bad] = 0
    vis.weights[bad] = 0
    vis.flags |= vis.weights <= 0
