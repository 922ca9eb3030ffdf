#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A plan in words: what is correlated, and which of its parts are done."""
import json
import os

from ..ground.words import lines, numbers_in_words, with_unit
from .plan import folder_of, read_plan
from .work import missing_parts

LARGEST = 1 << 26  # bytes of a file of JSON text that is looked into


def is_plan(path):
    """True for a file that fringe plan has written."""
    if not path.endswith(".json") or not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
        return False
    try:
        with open(path, encoding="utf-8") as file:
            return "fringe_plan" in json.load(file)
    except (OSError, ValueError, TypeError, RecursionError):
        return False


def describe_plan(path):
    """A plan as lines of text. A part counts as done when its files have the size that its report
    says; fringe work and fringe merge look at their bytes, too."""
    plan = read_plan(path)
    obs = plan.observation()
    missing = set(missing_parts(plan, folder_of(path), check=False))
    done = [number for number in range(len(plan.parts)) if number not in missing]
    size = sum(size for _, size in plan.recordings)
    files = len(plan.recordings)
    parts = len(plan.parts)
    return lines(f"{path}: plan of {parts} part{'' if parts == 1 else 's'}", [
        ("recordings", f"{files} file{'' if files == 1 else 's'}, {with_unit(size, 'B')}, "
                       f"{with_unit(plan.samples / obs.sample_rate, 's')}"),
        ("centers", len(plan.observations) if len(plan.observations) > 1 else ""),
        ("done", f"{len(done)}{': ' if done else ''}{numbers_in_words(done)}"),
        ("missing", f"{len(missing)}: {numbers_in_words(missing)}" if missing else "")])
