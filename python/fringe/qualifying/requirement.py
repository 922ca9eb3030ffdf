#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What is required, what was measured, and when the one meets the other."""
import dataclasses
import math
from typing import Callable

#: Of a measurement against theory, where its requirement does not say otherwise.
SIGMAS = 5.0


@dataclasses.dataclass(frozen=True)
class curve:
    """Points of a plot; style: a line ("-"), dashes ("--"), or a marker of matplotlib ("o")."""
    name: str
    x: tuple
    y: tuple
    style: str = "-"
    errors: tuple = ()


@dataclasses.dataclass(frozen=True)
class plot:
    """Curves against one axis."""
    x_label: str
    y_label: str
    curves: tuple
    log_x: bool = False
    log_y: bool = False


@dataclasses.dataclass(frozen=True)
class measured:
    """A value with its standard error; 0 where it is counted or computed, and does not scatter."""
    value: float
    error: float = 0.0
    expected: float = None  #: by theory, for limits of n sigma where each run has its own
    plot: plot = None
    note: str = ""


@dataclasses.dataclass(frozen=True)
class limit:
    """low <= value <= high; of a value with an expected one, the bounds are set around that.

    sigmas: standard errors that a value may be off in addition. precision: the largest standard
    error; a value that is known worse than that proves nothing and fails.
    """
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    sigmas: float = 0.0
    precision: float = math.inf
    around: float = None  #: what low and high are counted from; None: `expected`, or nought

    def bounds(self, found):
        """(lowest, highest) value that is accepted."""
        middle = self.around if self.around is not None else (found.expected or 0.0)
        slack = self.sigmas * found.error
        return middle + self.low - slack, middle + self.high + slack

    def met(self, found):
        """Whether a measured value is accepted."""
        low, high = self.bounds(found)
        known = math.isfinite(found.value) and 0 <= found.error <= self.precision
        return bool(known and low <= found.value <= high)

    def in_words(self, found=None):
        """found: measured; None says the limit before anything was measured."""
        unit = f" {self.unit}" if self.unit else ""
        if math.isfinite(self.precision):
            middle = self.around if self.around is not None else found and found.expected
            middle = "theory" if middle is None else f"{middle:.6g}{unit}"
            if not self.sigmas:
                return f"{middle} within {self.high:.3g}"
            allowance = f" + {self.high:.3g}" if self.high else ""
            return (f"{middle} within {self.sigmas:g} sigma{allowance}, sigma at most "
                    f"{self.precision:.3g}")
        if self.low == self.high:
            return f"exactly {self.low:g}{unit}"
        if math.isinf(self.low):
            return f"at most {self.high:g}{unit}"
        if math.isinf(self.high):
            return f"at least {self.low:g}{unit}"
        return f"{self.low:g} to {self.high:g}{unit}"


def at_most(value, unit=""):
    return limit(high=value, unit=unit)


def at_least(value, unit=""):
    return limit(low=value, unit=unit)


def between(low, high, unit=""):
    return limit(low, high, unit)


def exactly(value, unit=""):
    return limit(value, value, unit)


def near(value=None, precision=0.01, allowance=0.0, sigmas=SIGMAS, unit=""):
    """Theory, within standard errors; value: None where the measurement brings its own."""
    return limit(-allowance, allowance, unit, sigmas, precision, value)


@dataclasses.dataclass(frozen=True)
class requirement:
    """One line of the table. measure(bench) returns what was measured; see bench.py."""
    number: str
    text: str
    method: str
    limit: limit
    measure: Callable
    devices: bool = False  #: measured on the CPU and on each GPU
    needs: tuple = ()  #: modules of Python without which it is not measured


class group:
    """Requirements on one subject, in the order of their numbers."""

    def __init__(self, number, name):
        self.number, self.name, self.requirements = number, name, []

    def requires(self, text, limit, method, **more):
        """Makes the function below the measurement of the group's next requirement."""
        def add(measure):
            number = f"{self.number}.{len(self.requirements) + 1}"
            self.requirements.append(requirement(number, text, method, limit, measure, **more))
            return measure
        return add
