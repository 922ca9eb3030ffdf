#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Calibration tables of CASA read as solutions."""

import contextlib
import os

import numpy as np

from ..calibration.solutions import solutions, term_solution
from ..readers.damage import damage_reported
from ..readers.ms_check import check_ms
from ..readers.ms_measures import factors, read_frequencies, utc
from .casa_terms import KINDS, PHASE_ERRORS, from_parameters
from .own_words import OWN, read_own_words

NAME = "calibration table of CASA"


def holds_casa(path):
    """True for a folder with a table that says it is one."""
    about = os.path.join(path, "table.info")
    if not os.path.isfile(about):
        return False
    with open(about, "rb") as file:
        return b"Type = Calibration" in file.read(200)


def read_casa(path, polarizations=None):
    """`solutions` of one term.

    polarizations: XY or RL, where the table does not say it, as those of CASA do not.
    Raises ValueError for a type of table that has no term here.
    """
    from casacore import tables
    check_ms(path, NAME)
    with damage_reported(path, NAME), contextlib.closing(tables.table(path, ack=False)) as main:
        keywords = main.getkeywords()
        kind = KINDS.get(keywords["VisCal"])
        if kind is None:
            raise ValueError(f"{path}: is of type {keywords['VisCal']}; read are "
                             + ", ".join(KINDS))
        own = read_own_words(keywords.get(OWN))
        basis = own.get("polarizations") or _basis(path, keywords, polarizations)
        names, positions = _antennas(path)
        term = _term(path, main, own.get("kind", kind), basis, len(names))
        term.why, term.reference = own.get("why", []), own.get("term_reference", "")
        reference = own["reference"] if "reference" in own else _reference(main, names)
        return solutions(
            names, basis, [term], reference,
            positions if own.get("positions", np.ptp(positions, axis=0).max() > 1e-6) else None,
            own["flux"], own.get("model", ""),
            own.get("made", f"{keywords['VisCal']} of {keywords['MSName']}"))


def _basis(path, keywords, polarizations):
    known = {"linear": "XY", "circular": "RL"}.get(keywords["PolBasis"].lower())
    if known and polarizations and known != polarizations:
        raise ValueError(f"{path}: is {keywords['PolBasis']}, not of {polarizations}")
    if not known and not polarizations:
        raise ValueError(f"{path}: does not say whether it is of X and Y or of R and L (PolBasis "
                         f"is {keywords['PolBasis']!r}): give polarizations=XY or "
                         "polarizations=RL")
    return known or polarizations


def _antennas(path):
    from casacore import tables
    with contextlib.closing(tables.table(os.path.join(path, "ANTENNA"), ack=False)) as table:
        return list(table.getcol("NAME")), np.reshape(table.getcol("POSITION"), (-1, 3))


def _reference(main, names):
    """Of the last rows: CASA names another antenna where its first choice has no data."""
    places = main.getcol("ANTENNA2")
    places = places[(places >= 0) & (places < len(names))]
    return names[int(places[-1])] if len(places) else ""


def _windows(path, numbers, by_reference):
    """(centers, widths) of the channels of each spectral window, Hz.

    by_reference: delays turn no phase at REF_FREQUENCY, as in tables from before CASA 5.3."""
    from casacore import tables
    with contextlib.closing(tables.table(os.path.join(path, "SPECTRAL_WINDOW"),
                                         ack=False)) as table:
        for number in numbers if by_reference else ():
            zero, center = (float(np.ravel(table.getcell(name, int(number)))[0])
                            for name in ("REF_FREQUENCY", "CHAN_FREQ"))
            if abs(zero - center) > 1:
                raise ValueError(f"{path}: its delays turn no phase at {zero:.10g} Hz, as those of "
                                 f"CASA before 5.3, and its band is around {center:.10g} Hz; only "
                                 "delays around the middle of the band are read")
        unit = factors(table, "CHAN_WIDTH", "Hz", path)
        return {number: (read_frequencies(table, int(number), path),
                         np.abs(np.ravel(table.getcell("CHAN_WIDTH", int(number))) * unit))
                for number in numbers}


def _term(path, main, kind, basis, antennas):
    """A term_solution of all rows: of all spectral windows and times."""
    if main.nrows() == 0:
        raise ValueError(f"{path}: has no rows")
    window, antenna, time, interval = (main.getcol(name) for name in (
        "SPECTRAL_WINDOW_ID", "ANTENNA1", "TIME", "INTERVAL"))
    interval = interval * factors(main, "INTERVAL", "s", path)
    if antenna.min() < 0 or antenna.max() >= antennas:
        raise ValueError(f"{path}: ANTENNA1 is {antenna.min()} to {antenna.max()}; ANTENNA has "
                         f"{antennas} rows")
    name = "FPARAM" if kind in ("K", "Kcross") else "CPARAM"
    windows = _windows(path, np.unique(window),
                       name == "FPARAM" and "CASA_Version" not in main.keywordnames())
    centers, widths = (np.concatenate([part[k] for part in windows.values()]) for k in range(2))
    order = np.argsort(centers)
    place, begin = np.argsort(order), 0
    places = {}
    for number, (frequencies, _) in windows.items():
        places[number] = place[begin:begin + len(frequencies)]
        begin += len(frequencies)
    times, row_time = np.unique(time, return_inverse=True)
    seconds, fractions = utc(main, "TIME", 0, times * factors(main, "TIME", "s", path), path)
    first = main.getcell("FLAG", 0)
    shape = len(times), len(centers), antennas, first.shape[-1]
    columns = {"values": (name, np.zeros(shape, complex if name == "CPARAM" else float)),
               "errors": ("PARAMERR", np.zeros(shape)), "flags": ("FLAG", np.ones(shape, bool)),
               "snr": ("SNR", np.zeros(shape))}
    if PHASE_ERRORS in main.colnames():
        columns["phase_errors"] = PHASE_ERRORS, np.zeros(shape)
    seen, lengths = set(), np.zeros(len(times))
    for row in range(main.nrows()):
        key = int(row_time[row]), int(window[row]), int(antenna[row])
        if key in seen:
            raise ValueError(f"{path}: row {row} repeats antenna {key[2]} at the time of another "
                             f"row of spectral window {key[1]}")
        seen.add(key)
        lengths[key[0]] = max(lengths[key[0]], interval[row])
        for column, cube in columns.values():
            cube[key[0], places[key[1]], key[2]] = main.getcell(column, row)
    parts = from_parameters(kind, basis, **{"phase_errors": None} | {
        field: cube for field, (_, cube) in columns.items()})
    return term_solution(kind, seconds + fractions, lengths, centers[order], widths[order],
                         **parts)
