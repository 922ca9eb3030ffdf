#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Runs in parts that were interrupted go on where they were."""
import contextlib
import dataclasses
import json
import os
import re

from ..observing.settings import check_outputs
from .plan import folder_of, read_plan

#: What a second plan of the same run may say otherwise.
FREE = ("history", "fft_wisdom")
#: Files that work, Slurm and merging leave in the folder of a plan's parts.
OURS = re.compile(r"\.?part-\d+[-.].*|slurm-\d+\.log|merge\.log")


def plan_beside(output):
    """Where the plan of a run in parts is while it lasts: x.plan.json for x.ms."""
    return os.path.splitext(output.rstrip("/"))[0] + ".plan.json"


def begin_or_resume(path, make, resume, outputs, overwrite):
    """Writes the plan that make() makes; with `resume` and one of an earlier run, uses that.

    ValueError where there is one and it is not to be resumed, or is of another run, or where one
    of `outputs` is there and is not to be replaced.
    """
    check_outputs(outputs, [])
    for output in outputs:
        if os.path.lexists(output) and not overwrite:
            raise ValueError(f"outputs: {output}: is there already; overwrite=True replaces it")
    there = os.path.exists(path)
    if there and not resume and not overwrite:
        raise ValueError(f"{path}: is there from an earlier run; resume=True goes on with it, "
                         "overwrite=True begins anew")
    if not there and not overwrite and os.path.lexists(folder_of(path)):
        raise ValueError(f"{folder_of(path)}: is there already, and no plan {path} that made it; "
                         "overwrite=True replaces it")
    made = make()
    if there and resume:
        _compare(path, read_plan(path), made)
        return
    remove_folder(path)
    made.write(path, overwrite=there)


def _compare(path, before, now):
    """Raises ValueError where two plans are not of the same run."""
    # As a file has them, where a tuple is a list.
    before, now = (json.loads(json.dumps(dataclasses.asdict(plan))) for plan in (before, now))
    # An option is named before what follows from it.
    before, now = ({**fields.pop("settings"), **fields} for fields in (before, now))
    for name, value in now.items():
        if name not in FREE and before[name] != value:
            raise ValueError(f"resume: {path}: {name} is not what this command says; give the "
                             "options of the first time, or begin anew with overwrite=True")


def remove_parts(path):
    """Removes a plan and its parts, which have been merged."""
    remove_folder(path)
    os.unlink(path)


def remove_folder(path):
    """Removes the parts of a plan, and their folder where nothing else is in it."""
    folder = folder_of(path)
    if os.path.islink(folder) or not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        if OURS.fullmatch(name):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))
    with contextlib.suppress(OSError):
        os.rmdir(folder)
