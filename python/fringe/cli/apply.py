#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe apply: a calibration taken out of a visibility file."""
import os

from .. import fringe_python as fp
from ..calibration.apply_to_file import COLUMN, apply_to_file
from ..calibration.term_in_time import MAX_GAP
from ..solution_tables.tables import TABLE_ENDINGS, read_solutions
from ..visibility_files.replaced_data import where_in_words
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import duration
from .selected import add_selection, print_notes, selected

DESCRIPTION = """\
Corrects a visibility file by tables of calibration solutions. A MeasurementSet gets the column
CORRECTED_DATA, which fringe image and other programs then read, and DATA stays; with -o, and of
other formats, a copy is made. Between solutions delays, amplitudes and phases are interpolated in
time. Antennas go by their names, channels by their frequencies. What has no solution is flagged,
and counted; weights stay as they are.
"""

EXAMPLES = f"""\
examples:
  fringe apply sky.ms night.h5
  fringe apply sky.uvh5 night.h5 -o good.uvh5
  fringe apply sky.ms D.cal G.cal K.cal     tables of CASA, the one next to the receiver last
  fringe apply sky.ms night.h5 --max-gap 10min

Solutions of another array, band or epoch are refused. Tables: {TABLE_ENDINGS}.
"""


def add_parser(commands):
    p = commands.add_parser("apply", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="VIS", help=VISIBILITY_ENDINGS)
    p.add_argument("tables", metavar="TABLE", nargs="+", help="solutions, in the order in which "
                   "they act on the sky: that next to the receiver last")
    p.add_argument("-o", "--output", metavar="OUT", help="a copy of VIS; ends as VIS does")
    p.add_argument("--max-gap", type=duration, default=MAX_GAP, metavar="TIME", help="between two "
                   "solutions, or from the nearest one: up to this they are used (default 24h)")
    p.add_argument("--polarizations", choices=("XY", "RL"), help="of tables of CASA that do not "
                   "say it")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an existing file, or column")


def run(options):
    path = os.path.normpath(options.file)
    for name in (path, *options.tables):
        fp.note_read(name)
    tables = {}
    for name in options.tables:
        if name in tables:
            raise ValueError(f"tables: {name}: is given twice")
        tables[name] = read_solutions(name, options.polarizations)
    done = apply_to_file(path, options.output, tables, options.max_gap, options.overwrite,
                         **selected(options))
    for line in done.lines():
        options.say(line)
    options.say(where_in_words(options.output, path, COLUMN))
    print_notes(done.remarks, options.say)
