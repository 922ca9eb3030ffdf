#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Measures requirements, one after the other."""
import dataclasses
import importlib.util
import tempfile
import time

import numpy as np

from .bench import bench
from .machine import backends_here, describe_machine
from .requirement import measured, requirement
from .table import NAMES

SEED = 20260301
PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


@dataclasses.dataclass
class result:
    """Of one requirement on one backend. found: None where it could not be measured, and `why`
    says the reason."""
    requirement: requirement
    backend: str
    verdict: str
    found: measured
    seconds: float
    why: str = ""

    @property
    def group(self):
        """The number and name of its group."""
        number = self.requirement.number.split(".")[0]
        return f"{number} {NAMES[int(number)]}"

    def value_in_words(self):
        if self.found is None:
            return self.why
        unit = f" {self.requirement.limit.unit}" if self.requirement.limit.unit else ""
        error = f" \u00b1 {self.found.error:.2g}" if self.found.error else ""
        return f"{self.found.value:.6g}{error}{unit}"

    def in_words(self):
        where = "" if self.backend == "cpu" else f" On {self.backend}."
        return (f"{self.requirement.number:6}{self.verdict:8} {self.value_in_words()} "
                f"({self.requirement.limit.in_words(self.found)}): "
                f"{self.requirement.text}{where}")


@dataclasses.dataclass
class qualification:
    """What was measured, of what, and how."""
    results: list
    machine: dict
    seed: int
    full: bool
    seconds: float

    def count(self, verdict):
        return sum(found.verdict == verdict for found in self.results)

    @property
    def passed(self):
        """Whether something was measured, and all of it met its limit."""
        return self.count(PASSED) > 0 and self.count(FAILED) == 0

    def summary(self):
        skipped = self.count(NOT_RUN)
        return (f"{self.count(PASSED)} passed, {self.count(FAILED)} failed"
                + (f", {skipped} not run" if skipped else "") + f", in {self.seconds:.0f} s")


def measure(required, backend="cpu", seed=SEED, full=False, made=None):
    """The result of a requirement. Random numbers depend on the seed and its number alone.

    made: what requirements of one run share, see bench.once().
    """
    missing = [name for name in required.needs if importlib.util.find_spec(name) is None]
    if missing:
        return result(required, backend, NOT_RUN, None, 0.0,
                      f"the module {missing[0]} is not installed")
    began, found, why = time.monotonic(), None, ""
    rng = np.random.default_rng([seed, *(int(part) for part in required.number.split("."))])
    with tempfile.TemporaryDirectory(prefix="fringe-qualify-") as folder:
        work = bench(rng, folder, backend, full, seed, {} if made is None else made)
        try:
            found = required.measure(work)
        # Whatever stops a measurement is a failure of what it measures.
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
    verdict = PASSED if found is not None and required.limit.met(found) else FAILED
    return result(required, backend, verdict, found, time.monotonic() - began, why)


def qualify(requirements, seed=SEED, full=False, backends=None, progress=None):
    """The `qualification` of some requirements.

    backends: by default the CPU and each GPU; requirements that no GPU takes part in are measured
    once, on the first of them. progress(result, done, of): called after each.
    """
    backends = backends or backends_here()
    todo = [(required, backend) for required in requirements
            for backend in (backends if required.devices else backends[:1])]
    began, results, made, machine = time.monotonic(), [], {}, describe_machine()
    for required, backend in todo:
        results.append(measure(required, backend, seed, full, made))
        if progress is not None:
            progress(results[-1], len(results), len(todo))
    return qualification(results, machine, seed, full, time.monotonic() - began)
