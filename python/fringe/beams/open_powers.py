#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A file of powers in time and frequency, by its content."""
import os

from .beam_hdf5_read import hdf5_powers
from .filterbank_read import MAGIC, filterbank_powers
from .psrfits import is_psrfits
from .psrfits_search_read import psrfits_powers


def open_powers(path):
    """A power_file of a SIGPROC filterbank, of PSRFITS in search mode, or of HDF5 (of fringe beam,
    or of blimpy), by its content. Raises ValueError for another file, and for a damaged one."""
    begin = b""
    if not os.path.isdir(path):  # a MeasurementSet, say
        with open(path, "rb") as file:
            begin = file.read(16)
    if begin == MAGIC:
        return filterbank_powers(path)
    if begin.startswith(b"\x89HDF"):
        return hdf5_powers(path)
    if begin and is_psrfits(path):
        return psrfits_powers(path)
    raise ValueError(f"{path}: holds no powers in time and frequency: it must be a SIGPROC "
                     "filterbank, PSRFITS in search mode, or HDF5 as fringe beam writes it")
