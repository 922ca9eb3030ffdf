#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe export: visibilities as a table of numbers."""
import os

from ..describing.export import export_table
from ..observing.settings import positive
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import frequency_band, whole
from .selected import add_selection, print_notes, remarks_of, selected

DESCRIPTION = """\
Writes visibilities as a table of numbers, a line for each dump, baseline and channel, which
spreadsheets, pandas, gnuplot and astropy read: time (UTC), two inputs, channel, frequency, real and
imaginary part, amplitude, phase in degrees, weight, and whether it is flagged.
"""

EXAMPLES = """\
examples:
  fringe export sky.ms -o sky.csv
  fringe export sky.ms -o fringe.csv --baselines west-east --average   one number a dump
  fringe export sky.ms -o line.ecsv --baselines auto --band 1.42e9,1.421e9
"""


def add_parser(commands):
    p = commands.add_parser("export", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="FILE", help="visibility file: " + VISIBILITY_ENDINGS)
    p.add_argument("-o", "--output", required=True, metavar="OUT",
                   help="x.csv, or x.ecsv, which has units and which astropy reads")
    p.add_argument("--baselines", default="all", metavar="A-B[,C-D...]",
                   help="all (default), cross, auto, or pairs of inputs by name; B-A is the "
                   "conjugate of A-B")
    p.add_argument("--band", metavar="HZ,HZ", help="channels from here to there")
    p.add_argument("--average", action="store_true", help="the mean over the channels, by weight, "
                   "of what is not flagged")
    p.add_argument("--inputs", type=whole, metavar="N", help="of an .ACC without its .yml")
    p.add_argument("--channels", type=whole, metavar="C", help="of an .ACC without its .yml")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")


def run(options):
    positive("--inputs", options.inputs, "number of inputs")
    positive("--channels", options.channels, "number of channels")
    chosen = options.baselines
    if chosen not in ("all", "cross", "auto"):
        chosen = chosen.split(",")
    lines = export_table(os.path.normpath(options.file), options.output, chosen,
                         frequency_band(options.band), options.average, options.inputs,
                         options.channels, options.overwrite, **selected(options))
    print(f"wrote {options.output}: {lines} lines")
    print_notes(remarks_of(options.file, options, options.inputs, options.channels), options.say)
    return 0
