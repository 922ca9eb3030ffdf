#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe merge: the parts of a plan to visibility files."""
import shlex
import sys

from ..runs.merge import merge
from .correlate import bar_of, show

DESCRIPTION = """\
Writes the dumps of all parts of a plan, in the order of time, to visibility files: those that one
run of fringe correlate makes, bit for bit. A part that is missing or was changed is named.
"""


def add_parser(commands):
    p = commands.add_parser("merge", description=DESCRIPTION)
    p.set_defaults(run=run)
    p.add_argument("plan", metavar="PLAN.json", help="as fringe plan wrote it")
    p.add_argument("-o", "--output", dest="outputs", action="append", required=True, metavar="OUT",
                   help="visibility file, its format by its ending as for fringe correlate; may "
                   "be repeated")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")


def run(options):
    history = "fringe " + shlex.join(sys.argv[1:]) + "\n"
    with bar_of("merging", "S") as progress:
        result = merge(options.plan, options.outputs, options.overwrite, history, progress)
    show(result, options.say)
