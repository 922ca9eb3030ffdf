#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Times, weights and flags of a file."""
import os

import numpy as np

from .finding import FITS, UNKNOWN, WRONG, finding

ROUNDING = 1e-4  #: s, of Julian dates in a double
CELLS = 1 << 22  #: visibilities that are looked at at a time
#: What is wrong with visibilities that are not flagged.
FAULTS = {"are no number": lambda data, weights: ~np.isfinite(data),
          "have a weight that is no number": lambda data, weights: ~np.isfinite(weights),
          "have a negative weight": lambda data, weights: weights < 0}


def check_dumps(vis):
    """Whether dumps follow each other, and are as long as they say."""
    if not vis.has_times or len(vis.seconds) < 2:
        return [finding("dumps", UNKNOWN, "there are fewer than two, or they have no times")]
    steps = np.diff(vis.seconds) + np.diff(vis.fractions)
    lengths = (vis.intervals[1:] + vis.intervals[:-1]) / 2
    overlap = steps < 0.98 * lengths - ROUNDING
    if (vis.intervals <= 0).any():
        return [finding("dumps", WRONG, f"{int((vis.intervals <= 0).sum())} have no length")]
    if overlap.any():
        k = int(overlap.argmax())
        return [finding("dumps", WRONG, f"{int(overlap.sum())} overlap the one before: dump "
                        f"{k + 1} comes {steps[k]:.6g} s after one of {vis.intervals[k]:.6g} s")]
    if (vis.exposures > 1.001 * vis.intervals).any():
        return [finding("dumps", WRONG, "exposures are longer than the dumps")]
    return [finding("dumps", FITS, f"{len(vis.seconds)}, one after the other")]


def _of_measurement_set(path, column):
    """(data, weights, flags) of some rows at a time, as they stand in the file: of all fields and
    windows, which may have different numbers of channels."""
    from casacore.tables import table
    with table(path, ack=False) as ms:
        for window in np.unique(ms.getcol("DATA_DESC_ID")):
            with ms.query(f"DATA_DESC_ID == {window}") as part:
                yield from _of_window(part, column)


def _of_window(part, column):
    shape = part.getcell(column, 0).shape
    spectra = ("WEIGHT_SPECTRUM" in part.colnames() and part.iscelldefined("WEIGHT_SPECTRUM", 0)
               and part.getcell("WEIGHT_SPECTRUM", 0).shape == shape)
    count = max(1, CELLS // max(1, int(np.prod(shape))))
    for first in range(0, part.nrows(), count):
        data, flags, rows = (part.getcol(name, first, count)
                             for name in (column, "FLAG", "FLAG_ROW"))
        weights = (part.getcol("WEIGHT_SPECTRUM", first, count) if spectra
                   else part.getcol("WEIGHT", first, count)[:, None])
        yield data, np.broadcast_to(weights, data.shape), flags | rows[:, None, None]


def _of_uvh5(path):
    import h5py
    with h5py.File(path) as file:
        columns = [file["Data/" + name] for name in ("visdata", "nsamples", "flags")]
        count = max(1, CELLS // max(1, int(np.prod(columns[0].shape[1:]))))
        for first in range(0, len(columns[0]), count):
            data, weights, flags = (column[first:first + count] for column in columns)
            if data.dtype.names:  # whole numbers (r, i)
                data = data["r"] + 1j * data["i"]
            yield data, weights, flags


def check_raw(path, column="DATA"):
    """What the numbers of a file are, before a reader flags what cannot be used."""
    if os.path.isdir(path):
        parts = _of_measurement_set(path, column)
    elif h5_signature(path):
        parts = _of_uvh5(path)
    else:
        return [finding("numbers", UNKNOWN, "a weight that is not positive is a flag here")]
    counts, used, empty, low, high = dict.fromkeys(FAULTS, 0), 0, 0, np.inf, -np.inf
    for data, weights, flags in parts:
        good = ~np.asarray(flags, bool)
        used += int(good.sum())
        empty += int((good & (weights == 0)).sum())
        for words, fault in FAULTS.items():
            counts[words] += int((good & fault(data, weights)).sum())
        if good.any():
            low, high = min(low, weights[good].min()), max(high, weights[good].max())
    found = [finding("numbers", WRONG, f"{count} visibilities that are not flagged {words}")
             for words, count in counts.items() if count]
    if not found:
        found = [finding("numbers", FITS, f"{used} visibilities that are not flagged have a value "
                         "and a weight")]
    if empty:  # many programs mean a flag by it
        found.append(finding("weights", UNKNOWN, f"{empty} visibilities that are not flagged have "
                             "the weight 0: they count for nothing"))
    if used and low == high:
        found.append(finding("weights", UNKNOWN, f"all are {low:g}: they say nothing of lost "
                             "samples or noise"))
    return found


def h5_signature(path):
    """Whether a file begins as HDF5 does."""
    with open(path, "rb") as file:
        return file.read(8) == b"\x89HDF\r\n\x1a\n"
