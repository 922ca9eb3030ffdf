#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe convert: a visibility file to one of another kind."""
import shlex
import sys

from ..visibility_files.convert import convert
from .selected import add_selection, print_notes, selected

DESCRIPTION = """\
Writes the visibilities of a MeasurementSet, a UVH5 or a UVFITS file into one of another kind: data,
flags, weights, uvw, times, all fields and spectral windows, antennas with their mounts and feeds,
and the history. Notes say what the new file cannot hold.
"""

EXAMPLES = """\
examples:
  fringe convert night.uvfits night.ms
  fringe convert sky.ms sky.uvh5
  fringe convert sky.ms target.uvfits --field M31 --column DATA
"""


def add_parser(commands):
    p = commands.add_parser("convert", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="FILE", help="a MeasurementSet, a UVH5 or a UVFITS file, "
                   "whatever its name is")
    p.add_argument("output", metavar="OUT", help="x.ms, x.uvh5 or x.uvfits")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an existing file")


def run(options):
    history = "fringe " + shlex.join(sys.argv[1:])
    result = convert(options.file, options.output, options.overwrite, history,
                     **selected(options))
    options.say(result)
    print_notes(result.notes, options.say)
