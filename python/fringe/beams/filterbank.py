#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""SIGPROC filterbank files, which programs for pulsars read.

The header is a list of keywords and values between HEADER_START and HEADER_END; a text stands
behind its length, numbers are little-endian. The data are float32 [time][polarization][channel],
channels from the highest frequency down. (D. R. Lorimer, "SIGPROC: pulsar signal processing
programs", sigproc.sourceforge.net)
"""
import struct

import numpy as np

from .. import fringe_python as fp
from ..ground.dates import mjd
from .direction_files import direction_files


def _text(word):
    word = word.encode()
    return struct.pack("<i", len(word)) + word


def sexagesimal(degrees_or_hours):
    """ddmmss.s or hhmmss.s as one number."""
    sign, rest = (-1, -degrees_or_hours) if degrees_or_hours < 0 else (1, degrees_or_hours)
    units = round(rest * 36000000)  # of 0.0001"
    whole, part = divmod(units, 36000000)
    minutes, seconds = divmod(part, 600000)
    return sign * (whole * 10000 + minutes * 100 + seconds / 10000)


def header(axes, number, start):
    """The header of the file of direction `number`, whose data begin at `start`, an epoch."""
    direction = axes.directions[number]
    ra, dec = axes.radec(direction, start)
    fields = [("source_name", direction), ("rawdatafile", axes.obs.telescope)]
    fields += [(key, int(value)) for key, value in (
        ("machine_id", 0), ("telescope_id", 0), ("data_type", 1), ("nchans", len(axes.frequencies)),
        ("nbits", 32), ("nifs", len(axes.planes)), ("ibeam", number + 1),
        ("nbeams", len(axes.directions)))]
    fields += [(key, float(value)) for key, value in (
        ("src_raj", sexagesimal(np.degrees(ra) / 15)), ("src_dej", sexagesimal(np.degrees(dec))),
        ("tstart", mjd(start.seconds, start.fraction())), ("tsamp", axes.interval),
        ("fch1", axes.frequencies[-1] / 1e6), ("foff", -axes.width / 1e6))]
    packed = _text("HEADER_START")
    for key, value in fields:
        packed += _text(key) + (_text(value) if isinstance(value, str) else struct.pack(
            "<i" if isinstance(value, int) else "<d", value))
    return packed + _text("HEADER_END")


class filterbank_files(direction_files):
    """Writes x.fil, a file for each direction."""

    _begun = False

    def write(self, start, means, weights):
        """Writes means [time][row][channel], which follow on those before. `start`: an epoch."""
        del weights
        heads = [] if self._begun else [header(self._axes, number, start)
                                        for number in range(len(self.files))]
        self._begun = True
        fp._append_filterbank([file.fileno() for file in self.files], heads, means)
