#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A term of solutions written as a calibration table of CASA, which its applycal reads."""

import contextlib
import os

import numpy as np

from ..ground.dates import MJD_SECONDS_OF_1970
from ..ground.new_file import check_new_file
from ..ground.staged_files import staged_files
from ..certificates.certified_files import certify
from ..certificates.ms_history import add_history
from ..readers.ms_check import written_here
from .casa_reader import holds_casa
from .casa_terms import BASES, PHASE_ERRORS, to_parameters, type_of
from .own_words import OWN, own_words

SUBTABLES = "OBSERVATION", "ANTENNA", "FIELD", "SPECTRAL_WINDOW", "HISTORY"
EPOCH = {"QuantumUnits": ["s"], "MEASINFO": {"type": "epoch", "Ref": "UTC"}}
#: Code of frequencies at the telescope, as correlators count them.
TOPO = 5


def check_casa(found):
    """Raises ValueError where a table of CASA cannot hold it."""
    for term in found.terms:
        type_of(term)


def check_casa_name(path, overwrite=False):
    """Raises ValueError where no table can be written under a name: a table alone is replaced."""
    if not os.path.lexists(path):
        check_new_file(path)
    elif not overwrite:
        raise ValueError(f"{path}: exists; choose another name, remove it or allow overwriting "
                         "(overwrite=True)")
    elif not holds_casa(path):
        raise ValueError(f"{path}: exists and is no calibration table, which alone would be "
                         "replaced; choose another name")


def write_casa(path, found, overwrite=False):
    """Writes `solutions` of one term to a new table. overwrite: a table is replaced."""
    from casacore import tables
    term, = found.terms
    check_casa_name(path, overwrite)
    with staged_files([os.path.normpath(path)]) as (copy,):
        with contextlib.closing(_main(tables, copy, term)) as main:
            _fill(main, found, term)
            main.putkeywords({"ParType": "Float" if term.is_delay else "Complex",
                              "MSName": os.path.basename(found.made.split()[-1])
                              if found.made else "unknown",
                              "VisCal": type_of(term),
                              "PolBasis": BASES.get(found.polarizations, "unknown"),
                              OWN: own_words(found, term)})
            main.putinfo({"type": "Calibration", "subType": type_of(term), "readme": ""})
            for name in SUBTABLES:
                with contextlib.closing(tables.default_ms_subtable(
                        name, os.path.join(copy, name))) as sub:
                    if name in FILLED:
                        FILLED[name](sub, found, term)
                main.putkeyword(name, "Table: " + os.path.join(copy, name))
        add_history(copy, [line for line in (found.made, found.model, *term.why) if line],
                    MJD_SECONDS_OF_1970 + float(term.times[-1]))
        with written_here(copy):
            certify(copy, found.made)


def _main(tables, path, term):
    scalars = [tables.makescacoldesc("TIME", 0.0, keywords=EPOCH)]
    scalars += [tables.makescacoldesc(name, 0) for name in (
        "FIELD_ID", "SPECTRAL_WINDOW_ID", "ANTENNA1", "ANTENNA2")]
    scalars += [tables.makescacoldesc("INTERVAL", 0.0, keywords={"QuantumUnits": ["s"]})]
    scalars += [tables.makescacoldesc(name, 0) for name in ("SCAN_NUMBER", "OBSERVATION_ID")]
    parameters = ("FPARAM", "float") if term.is_delay else ("CPARAM", "complex")
    arrays = [tables.makearrcoldesc(name, None, valuetype=kind, ndim=-1) for name, kind in (
        parameters, ("PARAMERR", "float"), ("FLAG", "boolean"), ("SNR", "float"),
        ("WEIGHT", "float"))]
    if term.phase_errors is not None:
        arrays.append(tables.makearrcoldesc(PHASE_ERRORS, None, valuetype="float", ndim=-1))
    rows = term.values.shape[0] * term.values.shape[2]
    return tables.table(path, tables.maketabdesc(scalars + arrays), nrow=rows, readonly=False,
                        ack=False)


def _fill(main, found, term):
    times, antennas = term.values.shape[0], term.values.shape[2]
    reference = found.reference_of(term)
    place = found.antennas.index(reference) if reference else -1
    count = np.arange(times * antennas, dtype=np.int32)
    for name, values in (
            ("TIME", np.repeat(term.times + MJD_SECONDS_OF_1970, antennas)),
            ("INTERVAL", np.repeat(term.intervals, antennas)), ("ANTENNA1", count % antennas),
            ("ANTENNA2", np.full_like(count, place)), ("SCAN_NUMBER", np.ones_like(count))):
        main.putcol(name, values)
    name, kind = ("FPARAM", np.float32) if term.is_delay else ("CPARAM", np.complex64)
    for (name, kind), part in zip(((name, kind), ("PARAMERR", np.float32), ("FLAG", bool),
                                   ("SNR", np.float32), (PHASE_ERRORS, np.float32)),
                                  to_parameters(term)):
        if part is not None:
            rows = np.moveaxis(part, 2, 1)  # [T][antenna][F][parameter]
            main.putcol(name, rows.reshape(-1, *rows.shape[2:]).astype(kind))


def _observation(table, found, term):
    table.addrows(1)
    ends = term.times[[0, -1]] + MJD_SECONDS_OF_1970 + term.intervals[[0, -1]] * [-0.5, 0.5]
    table.putcell("TIME_RANGE", 0, ends)


def _antenna(table, found, term):
    table.addrows(len(found.antennas))
    positions = np.zeros((len(found.antennas), 3)) if found.positions is None else found.positions
    for name, values in (("NAME", found.antennas), ("STATION", found.antennas),
                         ("MOUNT", [""] * len(positions)),
                         ("TYPE", ["GROUND-BASED"] * len(positions)), ("POSITION", positions),
                         ("OFFSET", 0 * positions)):
        table.putcol(name, values)


def _field(table, found, term):
    table.addrows(1)
    for name in ("DELAY_DIR", "PHASE_DIR", "REFERENCE_DIR"):
        table.putcell(name, 0, np.zeros((1, 2)))
    table.putcell("NAME", 0, "unknown")
    table.putcell("SOURCE_ID", 0, -1)


def _window(table, found, term):
    table.addrows(1)
    table.putcell("NUM_CHAN", 0, len(term.frequencies))
    table.putcell("CHAN_FREQ", 0, term.frequencies)
    for name in ("CHAN_WIDTH", "EFFECTIVE_BW", "RESOLUTION"):
        table.putcell(name, 0, term.widths)
    table.putcell("REF_FREQUENCY", 0, float(term.frequencies[0]))
    table.putcell("MEAS_FREQ_REF", 0, TOPO)
    table.putcell("TOTAL_BANDWIDTH", 0, float(term.widths.sum()))
    table.putcell("NET_SIDEBAND", 0, 1)


FILLED = {"OBSERVATION": _observation, "ANTENNA": _antenna, "FIELD": _field,
          "SPECTRAL_WINDOW": _window}
