#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which terms are solved for, each with its interval in time and frequency."""

import re
from dataclasses import dataclass

from ..calibration.stefcal import AMPLITUDES, BOTH, PHASES

#: Kinds of terms in words.
KINDS = {"K": "delay", "G": "gain", "B": "bandpass", "Kcross": "X-Y delay and phase",
         "D": "leakage"}
SECONDS = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}
HERTZ = {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
MODES = {"amp": AMPLITUDES, "phase": PHASES, "both": BOTH}
#: What the fields of a term are in words.
OPTIONS = {"seconds": "interval in time", "channels": "interval in frequency",
           "hertz": "interval in frequency", "mode": "part of a gain", "degree": "degree"}
GRAMMAR = ("KIND or KIND:OPTION,OPTION, the kind K, G, B, Kcross or D, an option 30s, 5min, 2h "
           "(interval in time), 4ch, 2MHz (in frequency), amp, phase, both (of G and B), or poly3 "
           "(of B)")


@dataclass
class term:
    """A term to solve for."""
    kind: str               #: of KINDS
    seconds: float = None   #: length of an interval in time; None = all of the time
    channels: int = None    #: channels of an interval in frequency; None = all
    hertz: float = None     #: its width, in place of channels
    mode: str = BOTH        #: of G and B: BOTH, PHASES or AMPLITUDES
    degree: int = None      #: of B: of the polynomials that smooth amplitude and phase

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"terms: kind {self.kind!r}: must be one of {', '.join(KINDS)}")
        if self.channels is not None and self.hertz is not None:
            raise ValueError(f"terms: {self.kind}: channels {self.channels} and hertz "
                             f"{self.hertz:g}: give one of them")
        if self.kind == "B" and self.channels is None and self.hertz is None:
            self.channels = 1
        for name in ("seconds", "channels", "hertz"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"terms: {self.kind}: {name} {value}: must be more than 0")
        if self.mode != BOTH and self.kind not in ("G", "B"):
            raise ValueError(f"terms: {self.kind}:{self.mode}: a {KINDS[self.kind]} has no "
                             "amplitude and phase to choose from; G and B have")
        if self.degree is not None and self.kind != "B":
            raise ValueError(f"terms: {self.kind}:poly{self.degree}: only B is smoothed by a "
                             "polynomial")
        if self.kind == "Kcross" and (self.channels or self.hertz):
            raise ValueError("terms: Kcross: is solved from the whole band; give no interval in "
                             "frequency")


def terms_of(text):
    """Terms of a text such as "K G:30s B:1ch D". Raises ValueError."""
    found = [_term_of(word) for word in text.split()]
    if not found:
        raise ValueError(f"terms: none is given; a term is {GRAMMAR}")
    return found


def _term_of(word):
    kind, _, options = word.partition(":")
    given, seen = {}, {}
    for option in options.split(",") if options else []:
        name, value = _option(word, option)
        # Channels and Hz are two ways to say one thing.
        what = OPTIONS[name]
        if what in seen:
            raise ValueError(f"terms: {word}: its {what} is given twice, {seen[what]} and {option}")
        given[name], seen[what] = value, option
    return term(kind, **given)


def _option(word, option):
    if option in MODES:
        return "mode", MODES[option]
    match = re.fullmatch(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]+)", option)
    poly = re.fullmatch(r"poly([0-9]+)", option)
    if poly:
        return "degree", int(poly[1])
    try:
        number, unit = float(match[1]), match[2]
    except (TypeError, ValueError):
        number, unit = 0, None
    if unit in SECONDS:
        return "seconds", number * SECONDS[unit]
    if unit in HERTZ:
        return "hertz", number * HERTZ[unit]
    if unit == "ch" and number == int(number):
        return "channels", int(number)
    raise ValueError(f"terms: {word}: option '{option}' is none; a term is {GRAMMAR}")
