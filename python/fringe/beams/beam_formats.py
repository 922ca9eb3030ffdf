#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The formats of files of beams, by their endings."""
import os

from .beam_hdf5 import beam_hdf5
from .filterbank import filterbank_files
from .psrfits_search import psrfits_files
from .vdif_files import vdif_files

#: A format is a class with paths, write(start, means, weights) and close(error), and a row here.
FORMATS = {
    ".fil": (filterbank_files, "SIGPROC filterbank, float32; a file for each direction"),
    ".fits": (psrfits_files, "PSRFITS search mode, 8 bits; a file for each direction"),
    ".h5": (beam_hdf5, "HDF5 with weights; all directions"),
}
#: Formats of voltages: a voltage_sink with files(), finish(), sentences() and close(error).
VOLTAGES = {
    ".vdif": (vdif_files, "VDIF, the voltages; a file for each direction"),
}


def format_of(path):
    """(The class that writes a path, whether that is voltages). Raises ValueError for an ending
    that no format has."""
    ending, known = os.path.splitext(path)[1].lower(), {**FORMATS, **VOLTAGES}
    if ending not in known:
        raise ValueError(f"output: {path}: beams are written to files that end with "
                         + ", ".join(known))
    return known[ending][0], ending in VOLTAGES
