#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads PSRFITS files in search mode of any program, through astropy; psrfits_search.py says what
they are.

A value is (DATA - ZERO_OFF) DAT_SCL + DAT_OFFS. Channels of weight 0 were not received, nor was
what lies between rows whose times (OFFS_SUB) leave a gap.
"""
import numpy as np

from .. import fringe_python as fp
from ..ground.dates import DAY, MJD_OF_1970
from ..readers.fits_check import check_fits
from .power_file import power_file
from .psrfits import POWERS, SINGLE, fits_module

NEEDED = ("DAT_FREQ", "DATA")
KEYS = ("NPOL", "NCHAN", "NSBLK", "NBITS", "TBIN")
UNITS = {"": 1e6, "MHZ": 1e6, "GHZ": 1e9, "KHZ": 1e3, "HZ": 1.0}
KINDS = {8: ("B", 1), 16: ("I", 2), 32: ("E", 4)}  #: NBITS -> (letter of the column, bytes)
LONGEST_GAP = DAY  #: seconds


class psrfits_powers(power_file):
    """The powers of a PSRFITS file in search mode."""

    def __init__(self, path):
        fits = fits_module(path)
        check_fits(path, "PSRFITS file")
        self._file = fits.open(path, memmap=True)
        try:
            super().__init__(path, *self._described(path))
        except (KeyError, TypeError) as error:
            self._file.close()
            raise ValueError(f"{path}: damaged, or no PSRFITS file: {error}") from None
        except ValueError:
            self._file.close()
            raise

    def _described(self, path):
        head = self._file[0].header
        if "SUBINT" not in self._file or head.get("OBS_MODE", "SEARCH").strip() != "SEARCH":
            raise ValueError(f"{path}: OBS_MODE {head.get('OBS_MODE')}: must be SEARCH, powers in "
                             "time and frequency, in a table SUBINT")
        table = self._table = self._file["SUBINT"]
        lacks = [key for key in KEYS if key not in table.header]
        lacks += [name for name in NEEDED if name not in table.columns.names]
        if lacks or table.data is None or not len(table.data):
            raise ValueError(f"{path}: SUBINT: has no {', '.join(lacks) or 'rows'}")
        self._shape = tuple(int(table.header[key]) for key in ("NSBLK", "NPOL", "NCHAN"))
        means, planes, channels = self._shape
        bits, letter = int(table.header["NBITS"]), table.columns["DATA"].format.strip("0123456789")
        if bits not in KINDS:
            raise ValueError(f"{path}: SUBINT: NBITS {bits}: must be 8, 16 or 32")
        if letter != KINDS[bits][0] or table.columns["DATA"].dtype.itemsize != (
                means * planes * channels * KINDS[bits][1]):
            raise ValueError(f"{path}: SUBINT: DATA is {table.columns['DATA'].format}: must be "
                             f"NSBLK x NPOL x NCHAN values ({means} x {planes} x {channels}) of "
                             f"{bits} bits, {KINDS[bits][0]}")
        self._used = self._planes_used(path, planes)
        self._zero = float(table.header.get("ZERO_OFF", 0) or 0)
        interval = float(table.header["TBIN"])
        if not 0 < interval < np.inf:
            raise ValueError(f"{path}: SUBINT: TBIN {interval:g}: must be positive, in seconds")
        self._places = self._rows(path, interval)
        return (self._frequencies(path, channels), self._width(channels), interval,
                self._start(head, interval), self._length(), [head.get("SRC_NAME", "")])

    def _planes_used(self, path, planes):
        kind = str(self._table.header.get("POL_TYPE", "")).strip().upper()
        known = {**dict.fromkeys(SINGLE, 1), **POWERS}
        if planes > 1 and kind not in known:
            raise ValueError(f"{path}: SUBINT: POL_TYPE '{kind}' of {planes} polarizations: must "
                             "be one of " + ", ".join(known))
        return min(planes, known.get(kind, 1))

    def _frequencies(self, path, channels):
        column = self._table.columns["DAT_FREQ"]
        unit = (column.unit or "").strip().upper()
        if unit not in UNITS:
            raise ValueError(f"{path}: SUBINT: DAT_FREQ in {column.unit}: must be in MHz, GHz, kHz "
                             "or Hz")
        values = np.asarray(self._table.data[:1]["DAT_FREQ"], float).ravel()
        if len(values) != channels:
            raise ValueError(f"{path}: SUBINT: DAT_FREQ has {len(values)} values: must be NCHAN, "
                             f"{channels}")
        return values * UNITS[unit]

    def _width(self, channels):
        width = float(self._table.header.get("CHAN_BW", 0) or 0)
        if width:
            return width * 1e6
        f = np.sort(np.asarray(self._table.data[:1]["DAT_FREQ"], float).ravel())
        return (f[-1] - f[0]) / (channels - 1) * 1e6 if channels > 1 else 0.0

    def _rows(self, path, interval):
        """The number of the mean at which each row begins."""
        rows, means = len(self._table.data), self._shape[0]
        whole = means * np.arange(rows)
        if "OFFS_SUB" not in self._table.columns.names or rows == 1:
            return whole
        middles = np.asarray(self._table.data["OFFS_SUB"], float)
        if (middles == middles[0]).all():  # not filled in
            return whole
        steps = np.diff(middles) / interval - means
        wrong = np.flatnonzero(~((steps > -0.5 * means) & (steps * interval < LONGEST_GAP)))
        if len(wrong):
            row = int(wrong[0]) + 1
            raise ValueError(f"{path}: SUBINT: OFFS_SUB of row {row + 1} is {middles[row]:g} s, "
                             f"after {middles[row - 1]:g} s: must be {means * interval:g} s later "
                             "or more, and less than a day")
        # The clocks of some recorders jitter by a mean or two, which is no gap.
        gaps = np.where(steps > 2.5, np.rint(steps), 0).astype(int)
        return whole + np.concatenate([[0], np.cumsum(gaps)])

    def _start(self, head, interval):
        offset = 0.0
        if "OFFS_SUB" in self._table.columns.names:
            middle = float(self._table.data[:1]["OFFS_SUB"][0])
            offset = max(0.0, middle - interval * self._shape[0] / 2)
        start = fp.epoch.from_pair((int(head["STT_IMJD"]) - MJD_OF_1970) * DAY
                                   + int(head["STT_SMJD"]), float(head.get("STT_OFFS", 0)))
        return start.plus_seconds(offset)

    def _length(self):
        last, means = int(self._places[-1]), self._shape[0]
        in_last_row = int(self._table.header.get("NSTOT", 0) or 0) - last
        return last + (in_last_row if 0 < in_last_row < means else means)

    def _values(self, first, count):
        means, _, channels = self._shape
        out = np.full((1, channels, count), np.nan, np.float32)
        begin = max(0, int(np.searchsorted(self._places, first, "right")) - 1)
        end = int(np.searchsorted(self._places, first + count))
        for row in range(begin, end):
            place = int(self._places[row]) - first
            low, high = max(0, -place), min(means, count - place)
            if low < high:
                out[0, :, place + low:place + high] = self._row(row)[low:high].T
        return out

    def _row(self, number):
        """Values [time][channel] of a row, the planes that are used added up."""
        row = self._table.data[number:number + 1]
        _, planes, channels = self._shape
        names = self._table.columns.names

        def of_planes(name):
            return np.asarray(row[name][0], np.float32).reshape(planes, channels)[:self._used]

        values = np.asarray(row["DATA"][0]).reshape(self._shape)[:, :self._used]
        values = values.astype(np.float32) - np.float32(self._zero)
        if "DAT_SCL" in names:
            values *= of_planes("DAT_SCL")
        if "DAT_OFFS" in names:
            values += of_planes("DAT_OFFS")
        values = values.sum(axis=1)
        if "DAT_WTS" in names:
            values[:, ~(np.asarray(row["DAT_WTS"][0], float).reshape(channels) > 0)] = np.nan
        return values

    def close(self):
        self._file.close()
