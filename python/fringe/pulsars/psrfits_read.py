#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads profiles of a pulsar from PSRFITS files in fold mode, through astropy: those of fringe
fold, and of other programs."""
import dataclasses
import warnings

import numpy as np

from .. import fringe_python as fp
from ..beams.psrfits import POWERS, fits_module
from ..ground.dates import DAY, MJD_OF_1970
from ..observing.pulse_phases import delay
from ..readers.fits_check import check_fits
from .profiles import folded
from .psrfits_fold import later

NEEDED = ("TSUBINT", "OFFS_SUB", "DAT_FREQ", "DAT_WTS", "DAT_OFFS", "DAT_SCL", "DATA")


@dataclasses.dataclass
class profile_axes:
    """What a picture of profiles has to know."""
    frequencies: np.ndarray  #: Hz, ascending
    width: float  #: Hz, of a channel


def read_profiles(path):
    """(parts as a pulsar_sink has them, profile_axes, title) of a PSRFITS file in fold mode. The
    dispersion between channels is taken out. Raises ValueError for another file, and for a
    damaged one."""
    fits = fits_module(path)
    check_fits(path, "PSRFITS file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is not quite as FITS wants it
        with fits.open(path) as file:
            head = file[0].header
            if head.get("OBS_MODE") != "PSR":
                raise ValueError(f"{path}: OBS_MODE: {head.get('OBS_MODE')}: must be PSR, "
                                 "profiles; fringe fold makes them of a recording")
            if "SUBINT" not in file:
                raise ValueError(f"{path}: has no table SUBINT, which holds the profiles")
            try:
                return _profiles(path, head, file["SUBINT"], _is_dedispersed(file))
            except (KeyError, TypeError) as error:
                raise ValueError(f"{path}: damaged, or no PSRFITS file: {error}") from None


def _is_dedispersed(file):
    """Whether the delays between channels are out, as the last row of HISTORY says it."""
    if "HISTORY" not in file or "DEDISP" not in file["HISTORY"].columns.names:
        return False
    rows = file["HISTORY"].data["DEDISP"]
    return len(rows) > 0 and int(rows[-1]) == 1


def _profiles(path, head, table, dedispersed):
    rows, names = table.data, table.columns.names
    missing = [name for name in NEEDED if name not in names]
    if missing or rows is None or not len(rows):
        raise ValueError(f"{path}: SUBINT: has no {', '.join(missing) or 'rows'}")
    planes, channels, bins = (int(table.header[key]) for key in ("NPOL", "NCHAN", "NBIN"))
    shape = (len(rows), planes, channels)
    if rows["DATA"].size != np.prod(shape) * bins or rows["DAT_SCL"].size != np.prod(shape):
        raise ValueError(f"{path}: SUBINT: DATA, DAT_SCL: must have NPOL x NCHAN x NBIN and NPOL x "
                         f"NCHAN values, {planes} x {channels} x {bins}")
    scale, offset = (np.asarray(rows[name], float).reshape(*shape, 1)
                     for name in ("DAT_SCL", "DAT_OFFS"))
    values = np.asarray(rows["DATA"], float).reshape(*shape, bins) * scale + offset
    values = values[:, :POWERS.get(table.header.get("POL_TYPE"), 1)]
    f = np.asarray(rows["DAT_FREQ"], float).reshape(len(rows), channels)[0] * 1e6
    dm = float(table.header.get("DM", head.get("CHAN_DM", 0)) or 0)
    period = _periods(path, rows, names, table.header, bins)
    start = fp.epoch.from_pair((int(head["STT_IMJD"]) - MJD_OF_1970) * DAY + int(head["STT_SMJD"]),
                               float(head["STT_OFFS"]))
    late = delay(dm, f) - delay(dm, float(head["OBSFREQ"]) * 1e6)
    if dedispersed:
        late[:] = 0
    order, parts = np.argsort(f), []
    for row, found, turn in zip(rows, values, period):
        weights = np.asarray(row["DAT_WTS"], float).reshape(channels) * float(row["TSUBINT"])
        parts.append(folded(start.plus_seconds(float(row["OFFS_SUB"])), float(row["TSUBINT"]),
                            later(found, -late / turn)[:, order],
                            np.repeat(weights[order, None], bins, axis=1)))
    width = abs(float(table.header.get("CHAN_BW", 0))) * 1e6
    title = f"{head.get('SRC_NAME', '')}, {period[0]:.9g} s, DM {dm:g}"
    return parts, profile_axes(f[order], width), title


def _periods(path, rows, names, header, bins):
    """Seconds of a turn of each row."""
    if "PERIOD" in names:
        found = np.asarray(rows["PERIOD"], float)
    else:
        found = np.full(len(rows), float(header.get("TBIN", 0) or 0) * bins)
    if not (np.isfinite(found) & (found > 0)).all():
        raise ValueError(f"{path}: SUBINT: PERIOD, TBIN: no positive period")
    return found
