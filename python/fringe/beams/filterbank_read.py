#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads SIGPROC filterbank files of any program; filterbank.py says what they are.

Values of 8 and 16 bits are whole numbers without a sign (8 bits with one where the keyword `signed`
says it), those of 32 bits are floats. Of two polarizations the sum is taken, of four the first.
"""
import os
import struct

import numpy as np

from .power_file import channels_from, epoch_of_mjd, power_file

MAGIC = b"\x0c\0\0\0HEADER_START"
LONGEST = 255  #: bytes of a text
MAX_HEADER = 1 << 16  #: bytes
TEXTS = {"rawdatafile", "source_name", "telescope", "backend"}
NUMBERS = {"src_raj", "src_dej", "tstart", "tsamp", "fch1", "foff", "refdm", "az_start", "za_start",
           "period", "gal_l", "gal_b"}
COUNTS = {"machine_id", "telescope_id", "data_type", "nchans", "nbits", "nifs", "ibeam", "nbeams",
          "nbins", "nsamples", "barycentric", "pulsarcentric", "nstops"}
KINDS = {8: np.uint8, 16: np.dtype("<u2"), 32: np.dtype("<f4")}
NEEDED = ("nchans", "nbits", "tsamp", "tstart", "fch1", "foff")


def _read(file, path, size):
    data = file.read(size)
    if len(data) < size:
        raise ValueError(f"{path}: the SIGPROC header has no HEADER_END")
    return data


def _text(file, path):
    length, = struct.unpack("<i", _read(file, path, 4))
    if not 1 <= length <= LONGEST:
        raise ValueError(f"{path}: damaged SIGPROC header: a text of {length} characters")
    return _read(file, path, length).decode("ascii", "replace")


def read_header(file, path):
    """The keywords of a filterbank file and their values; the file is at its data then."""
    _read(file, path, len(MAGIC))
    found = {}
    while (key := _text(file, path)) != "HEADER_END":
        if key in TEXTS:
            found[key] = _text(file, path)
        elif key in NUMBERS:
            found[key], = struct.unpack("<d", _read(file, path, 8))
        elif key in COUNTS:
            found[key], = struct.unpack("<i", _read(file, path, 4))
        elif key == "signed":
            found[key] = _read(file, path, 1)[0]
        else:
            raise ValueError(f"{path}: keyword {key!r} of the SIGPROC header: must be one of "
                             + ", ".join(sorted({*TEXTS, *NUMBERS, *COUNTS, "signed"})))
        if file.tell() > MAX_HEADER:
            raise ValueError(f"{path}: the SIGPROC header has no HEADER_END")
    return found


class filterbank_powers(power_file):
    """The powers of a SIGPROC filterbank file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            head = read_header(file, path)
            begin = file.tell()
        missing = [key for key in NEEDED if key not in head]
        if missing:
            raise ValueError(f"{path}: the SIGPROC header lacks {', '.join(missing)}")
        if head.get("data_type", 1) not in (0, 1):
            raise ValueError(f"{path}: data_type {head['data_type']}: must be 1, a filterbank")
        if head["nbits"] not in KINDS:
            raise ValueError(f"{path}: nbits {head['nbits']}: must be 8, 16 or 32")
        planes, channels = head.get("nifs", 1), head["nchans"]
        if planes not in (1, 2, 4):
            raise ValueError(f"{path}: nifs {planes}: must be 1, 2 or 4 polarizations")
        kind = np.dtype(KINDS[head["nbits"]])
        if head.get("signed") and kind.itemsize == 1:
            kind = np.dtype(np.int8)
        frequencies = channels_from(path, head["fch1"], head["foff"], channels)
        length = (os.path.getsize(path) - begin) // (planes * channels * kind.itemsize)
        super().__init__(path, frequencies, head["foff"] * 1e6, head["tsamp"],
                         epoch_of_mjd(path, head["tstart"]), length,
                         [head.get("source_name", "")])
        self._used = 2 if planes == 2 else 1
        self._data = np.memmap(path, kind, "r", begin, (length, planes, channels))

    def _values(self, first, count):
        some = self._data[first:first + count, :self._used]
        return some.sum(axis=1, dtype=np.float32).T[None]

    def close(self):
        self._data = None
