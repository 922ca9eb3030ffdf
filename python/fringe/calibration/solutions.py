#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Solutions of a calibration: terms of the antennas' Jones matrices against time and frequency."""

from dataclasses import dataclass, field

import numpy as np

#: Kinds of terms, and what a value of each is.
KINDS = {
    "K": "delay, s",
    "G": "gain",
    "B": "bandpass",
    "Kcross": "X-Y delay, s",
    "Pcross": "X-Y phase",
    "D": "leakage of the other polarization into this one",
}
#: Those whose values are seconds, and those that only two polarizations have.
DELAYS, CROSSES = ("K", "Kcross"), ("Kcross", "Pcross", "D")
#: Polarizations that an array may have, in the order of the last axis of the values.
POLARIZATIONS = ("XY", "RL", "X", "Y", "R", "L")


@dataclass
class term_solution:
    r"""The solutions of one term.

    A value is that of an interval in time and frequency, an antenna and a polarization. The Jones
    matrix that belongs to the values x_0 and x_1 of the two polarizations is, at frequency f,

        G, B, Pcross    diag(x_0, x_1)
        K, Kcross       diag(exp(-2 pi i (f - f_k) x_0), exp(-2 pi i (f - f_k) x_1)),
                        f_k the center of the interval: a delay is positive where the signal comes
                        late, and turns no phase at f_k
        D               ((1, x_0), (x_1, 1))

    Kcross and Pcross have the delay and the phase of X less those of Y (R less L) as x_0, the same
    for all antennas, and 0 s and 1 as x_1. With one polarization the matrix is the number x_0.
    """
    kind: str                 #: of KINDS
    times: np.ndarray         #: centers of the intervals, s since 1970 UTC, ascending, [T]
    intervals: np.ndarray     #: their lengths, s, [T]; 0 = not known
    frequencies: np.ndarray   #: centers of the intervals in frequency, Hz, ascending, [F]
    widths: np.ndarray        #: Hz for which the value holds, which may be more than the channels
                              #: that it was solved from, [F]
    values: np.ndarray        #: [T][F][antenna][polarization], complex; K and Kcross: real, s
    errors: np.ndarray        #: standard error of the amplitude of a gain; of the real part, and of
                              #: the imaginary part, of a leakage; of a delay, s
    flags: np.ndarray         #: True = no solution; its value does not count
    snr: np.ndarray           #: signal-to-noise ratio
    why: list = field(default_factory=list)   #: sentences on what is flagged
    reference: str = ""       #: antenna of phase 0, where it is another one than that of the whole
    phase_errors: np.ndarray = None  #: of gains, standard error of the phase against the
                              #: reference's, radians; None = errors / |values|

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"term_solution: kind {self.kind!r}; must be one of "
                             + ", ".join(KINDS))
        for name in ("times", "intervals", "frequencies", "widths", "errors", "snr"):
            setattr(self, name, np.asarray(getattr(self, name), float))
        self.values = np.asarray(self.values)
        self.flags = np.asarray(self.flags, bool)
        if self.is_delay and np.iscomplexobj(self.values):
            raise ValueError(f"term_solution {self.kind}: complex values; they must be real, "
                             "seconds")
        self.values = self.values.astype(float if self.is_delay else complex)
        self._check_axes()

    def _check_axes(self):
        for name, widths in (("times", "intervals"), ("frequencies", "widths")):
            axis, width = getattr(self, name), getattr(self, widths)
            if axis.ndim != 1 or not len(axis) or axis.shape != width.shape:
                raise ValueError(f"term_solution {self.kind}: {name} of shape {axis.shape} and "
                                 f"{widths} of {width.shape}; both must be lists of one length, 1 "
                                 "or more")
            if not (np.isfinite(axis).all() and (np.diff(axis) > 0).all() and (width >= 0).all()):
                raise ValueError(f"term_solution {self.kind}: {name} must ascend, and {widths} "
                                 "must be 0 or more")
        shape = self.values.shape
        if self.values.ndim != 4 or shape[:2] != (len(self.times), len(self.frequencies)):
            raise ValueError(f"term_solution {self.kind}: values of shape {shape}; they must be "
                             f"[{len(self.times)} times][{len(self.frequencies)} frequencies]"
                             "[antenna][polarization]")
        for name in ("errors", "flags", "snr", "phase_errors"):
            if getattr(self, name) is None:
                continue
            if getattr(self, name).shape != shape:
                raise ValueError(f"term_solution {self.kind}: {name} of shape "
                                 f"{getattr(self, name).shape}; must be that of values, {shape}")
        if not np.isfinite(self.values[~self.flags]).all():
            raise ValueError(f"term_solution {self.kind}: a value that is not flagged is no number")

    @property
    def is_delay(self):
        """True where the values are seconds."""
        return self.kind in DELAYS

    @property
    def name(self):
        """What a value is, in words, without its unit."""
        return KINDS[self.kind].partition(",")[0]


@dataclass
class solutions:
    """All terms of an array, in the order in which they act on the sky:

        V_ij = J_i S J_j^H,    J = J_last ... J_1 J_0

    with S the coherency ((XX, XY), (YX, YY)) of the sky, in the frame of the feeds, and J_k the
    matrix of `terms[k]`: the last term is next to the receiver.
    """
    antennas: list                 #: names, in the order of the axis of the values
    polarizations: str             #: XY, RL, or one letter
    terms: list                    #: of term_solution
    reference: str = ""            #: name of the antenna of phase 0
    positions: np.ndarray = None   #: ITRF, m, [antenna][3]; None = not known
    flux: dict = field(default_factory=dict)  #: (Jy or the data's unit, its error), by name
    model: str = ""                #: what was taken for the sky, in words
    made: str = ""                 #: command, version and data set

    def __post_init__(self):
        self.antennas = [str(name) for name in self.antennas]
        if len(set(self.antennas)) != len(self.antennas) or not self.antennas:
            raise ValueError("solutions: antennas: there must be one or more, and each name once; "
                             f'they are {", ".join(self.antennas) or "none"}')
        if self.polarizations not in POLARIZATIONS:
            raise ValueError(f"solutions: polarizations {self.polarizations!r}; must be one of "
                             + ", ".join(POLARIZATIONS))
        if self.positions is not None:
            self.positions = np.asarray(self.positions, float)
            if self.positions.shape != (len(self.antennas), 3):
                raise ValueError(f"solutions: positions of shape {self.positions.shape}; must be "
                                 f"({len(self.antennas)}, 3)")
        for name in [self.reference, *(term.reference for term in self.terms)]:
            if name and name not in self.antennas:
                raise ValueError(f"solutions: reference {name!r} is none of the antennas "
                                 + ", ".join(self.antennas))
        for term in self.terms:
            self._check_term(term)

    def _check_term(self, term):
        wanted = len(self.antennas), len(self.polarizations)
        if term.values.shape[2:] != wanted:
            raise ValueError(f"solutions: term {term.kind} has values of {term.values.shape[2]} "
                             f"antennas and {term.values.shape[3]} polarizations; must be "
                             f"{wanted[0]} and {wanted[1]}")
        if term.kind in CROSSES and wanted[1] != 2:
            raise ValueError(f"solutions: term {term.kind} ({KINDS[term.kind]}) takes two "
                             f"polarizations, and there is only {self.polarizations}")

    def reference_of(self, term):
        """Name of the antenna of phase 0 in a term, "" where none is named."""
        return term.reference or self.reference
