#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What terms are called in CASA's calibration tables, and what their parameters are.

A table is of one term. Its parameters are CPARAM or FPARAM [channel][parameter] of an antenna, a
time and a spectral window: of two polarizations, or one number for X less Y. Delays are in ns, of
the other sign: CASA's phases are + 2 pi delay (f - f_k).
"""

import numpy as np

#: Kind of a term by VisCal, the type of a table. T is one gain for both polarizations. CASA takes
#: D and Df out to first order only, and Dgen and Dfgen, which are written here, exactly.
KINDS = {"K Jones": "K", "Kcross Jones": "Kcross", "G Jones": "G", "T Jones": "G", "B Jones": "B",
         "X Jones": "Pcross", "Xf Jones": "Pcross", "D Jones": "D", "Df Jones": "D",
         "Dgen Jones": "D", "Dfgen Jones": "D"}
#: Column of errors of phases in rad, for which CASA has none.
PHASE_ERRORS = "GR_FRINGE_PHASE_ERROR"
#: PolBasis of a table by polarizations.
BASES = {"XY": "linear", "RL": "circular"}


def type_of(term):
    """VisCal of the table of a term. Raises ValueError where CASA has none for it."""
    several = len(term.frequencies) > 1
    if term.is_delay and several:
        raise ValueError(f"a CASA table has one delay for a spectral window, and term {term.kind} "
                         f"has {len(term.frequencies)} intervals in frequency")
    names = {"K": "K", "Kcross": "Kcross", "B": "B", "G": "B" if several else "G",
             "Pcross": "Xf" if several else "X", "D": "Dfgen" if several else "Dgen"}
    return names[term.kind] + " Jones"


def to_parameters(term):
    """(values, errors, flags, snr, errors of phases), each [T][F][antenna][parameter], as CASA has
    them; it has none of phases, which may be None."""
    values, errors, flags = term.values, term.errors, term.flags
    if term.is_delay:
        values, errors = -1e9 * values, 1e9 * errors
    # What is flagged may be no number, which CASA would carry along.
    values = np.where(flags, 0 if term.is_delay or term.kind == "D" else 1, values)
    others = [errors, term.snr] + [part for part in (term.phase_errors,) if part is not None]
    if term.kind == "Pcross":
        values, flags = values[..., :1] / values[..., 1:], flags.any(axis=-1, keepdims=True)
        others = [part[..., :1] for part in others]
    elif values.shape[-1] == 1:
        other = np.zeros_like(values) if term.is_delay else np.ones_like(values)
        values, flags = np.append(values, other, -1), np.append(flags, np.ones_like(flags), -1)
        others = [np.append(part, 0 * part, -1) for part in others]
    return values, others[0], flags, *others[1:], *[None] * (3 - len(others))


def from_parameters(kind, polarizations, values, errors, flags, snr, phase_errors):
    """The same the other way round: arrays of a term_solution, by name."""
    if kind in ("K", "Kcross"):
        values, errors = -1e-9 * values.astype(float) + 0.0, 1e-9 * errors
    found = {"values": values, "errors": errors, "flags": flags, "snr": snr,
             "phase_errors": phase_errors}
    found = {name: part for name, part in found.items() if part is not None}
    count = len(polarizations)
    if values.shape[-1] == 1 and count == 2:  # T: of both; X: of X less Y
        found = {name: np.repeat(part, 2, axis=-1) for name, part in found.items()}
        if kind == "Pcross":
            found["values"][..., 1] = 1
            for name in set(found) & {"errors", "phase_errors"}:
                found[name][..., 1] = 0
    return {name: part[..., :count] for name, part in found.items()}
