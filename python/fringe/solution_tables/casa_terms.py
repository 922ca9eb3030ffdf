#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What terms are called in CASA's calibration tables, and what their parameters are.

A table is of one term. Its parameters are CPARAM or FPARAM [channel][parameter] of an antenna, a
time and a spectral window: of two polarisations, or one number for X less Y. Delays are in ns, of
the other sign: CASA's phases are + 2 pi delay (f - f_k).
"""

import numpy as np

#: Seconds from the zero of Modified Julian Dates to 1970.
MJD_OF_1970 = 40587 * 86400.0
#: Kind of a term by VisCal, the type of a table. T is one gain for both polarisations. CASA takes
#: D and Df out to first order only, and Dgen and Dfgen, which are written here, exactly.
KINDS = {"K Jones": "K", "Kcross Jones": "Kcross", "G Jones": "G", "T Jones": "G", "B Jones": "B",
         "X Jones": "Pcross", "Xf Jones": "Pcross", "D Jones": "D", "Df Jones": "D",
         "Dgen Jones": "D", "Dfgen Jones": "D"}
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
    """(values, errors, flags, snr), each [T][F][antenna][parameter], as CASA has them."""
    values, errors, flags, snr = term.values, term.errors, term.flags, term.snr
    if term.is_delay:
        values, errors = -1e9 * values, 1e9 * errors
    # What is flagged may be no number, which CASA would carry along.
    values = np.where(flags, 0 if term.is_delay or term.kind == "D" else 1, values)
    if term.kind == "Pcross":
        values = values[..., :1] / values[..., 1:]
        return values, errors[..., :1], flags.any(axis=-1, keepdims=True), snr[..., :1]
    if values.shape[-1] == 1:
        return tuple(np.concatenate([part, other], axis=-1) for part, other in (
            (values, np.zeros_like(values) if term.is_delay else np.ones_like(values)),
            (errors, 0 * errors), (flags, np.ones_like(flags)), (snr, 0 * snr)))
    return values, errors, flags, snr


def from_parameters(kind, polarisations, values, errors, flags, snr):
    """The same the other way round: values, errors, flags, snr of a term_solution."""
    if kind in ("K", "Kcross"):
        values, errors = -1e-9 * values.astype(float) + 0.0, 1e-9 * errors
    if kind == "Pcross":
        one, none = np.ones_like(values), np.zeros_like(errors)
        values, errors = (np.concatenate([values, one], -1), np.concatenate([errors, none], -1))
        flags, snr = np.repeat(flags, 2, axis=-1), np.repeat(snr, 2, axis=-1)
    count = len(polarisations)
    if values.shape[-1] == 1 and count == 2:  # T: of both
        values, errors, flags, snr = (np.repeat(part, 2, axis=-1)
                                      for part in (values, errors, flags, snr))
    return tuple(part[..., :count] for part in (values, errors, flags, snr))
