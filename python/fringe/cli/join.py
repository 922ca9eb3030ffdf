#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe join: visibility files of different channels to one."""
import shlex
import sys

from ..visibility_files.join import join
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .selected import add_selection, selected

DESCRIPTION = """\
Joins visibility files along frequency: the same inputs, times and phase center, different channels,
as the X-engines of a hybrid correlator make them. Data, weights and flags stay as they are, bit for
bit. A gap of whole channels between two bands becomes flagged channels of weight 0.
"""

EXAMPLES = """\
examples:
  fringe join low.ms high.ms -o sky.ms
  fringe join x1.uvh5 x2.uvh5 x3.uvh5 x4.uvh5 -o sky.uvh5 --common-times
"""


def add_parser(commands):
    p = commands.add_parser("join", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("files", nargs="+", metavar="FILE", help="two or more, in any order, all of one "
                   "kind: " + VISIBILITY_ENDINGS)
    p.add_argument("-o", "--output", required=True, metavar="OUT", help="ends as the files do")
    p.add_argument("--common-times", action="store_true", help="join the dumps that all files "
                   "have; without it, files with other times are refused")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an existing file")


def run(options):
    history = "fringe " + shlex.join(sys.argv[1:])
    result = join(options.files, options.output, options.common_times, options.overwrite, history,
                  **selected(options))
    options.say(result)
    for note in result.notes:
        options.say(f"note: {note}")
