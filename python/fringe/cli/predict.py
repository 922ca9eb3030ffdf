#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe predict: visibilities of a model of the sky."""
import os

from .. import fringe_python as fp
from ..primary_beams import beam_of
from ..sky_model import predict
from ..sky_model.predict import column_of
from ..visibility_files.replaced_data import check_target, where_in_words
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import number
from .selected import add_selection, print_notes, remarks_of, selected

DESCRIPTION = """\
Writes a copy of a visibility file in which the visibilities are those of a model of the sky: an
image in flux a pixel, as fringe image --clean writes x-model.fits, or a list of sources. Times,
antennas, channels, weights and flags are those of the file. In a MeasurementSet they become the
column MODEL_DATA, and DATA stays: fringe image --column MODEL_DATA shows them.
"""

EXAMPLES = """\
examples:
  fringe predict sky-model.fits sky.ms -o model.ms
  fringe predict sky-model.fits sky.ms --in-place
  fringe predict array.yml sky.uvh5 -o model.uvh5           the sources of its section sky
  fringe predict catalogue.yml sky.ms -o both.ms --add      as fringe calibrate takes it
"""


def add_parser(commands):
    p = commands.add_parser("predict", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("model", metavar="MODEL", help="x.fits, an observation file with a sky, or a "
                   "catalogue of sources with fluxes")
    p.add_argument("file", metavar="VIS", help=VISIBILITY_ENDINGS)
    where = p.add_mutually_exclusive_group(required=True)
    where.add_argument("-o", "--output", metavar="OUT", help="a copy of VIS; ends as VIS does")
    where.add_argument("--in-place", action="store_true", help="add a column to VIS, a "
                       "MeasurementSet; --overwrite replaces one that it has")
    p.add_argument("--add", action="store_true", help="add the model to what is in VIS; in "
                   "a MeasurementSet the sum is the column CORRECTED_DATA")
    p.add_argument("--eps", type=number, default=1e-5, metavar="E", help="rms error of the "
                   "gridder for an image: 2e-6 to 0.1 (default 1e-5)")
    p.add_argument("--beam", metavar="NAME", help="multiply the fluxes by a primary beam: as "
                   "fringe image has it, airy:25m for example")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an existing file")


def run(options):
    if not 2e-6 <= options.eps <= 0.1:
        raise ValueError(f"--eps: {options.eps:g}: must be 2e-6 to 0.1; single precision has no "
                         "more")
    path = os.path.normpath(options.file)
    fp.note_read(path)
    check_target(path, options.output, options.overwrite)
    notes = remarks_of(path, options)
    options.say(predict(options.model, path, options.output, options.add, options.overwrite,
                        options.eps, beam_of(options.beam) if options.beam else None,
                        **selected(options)))
    options.say(where_in_words(options.output, path, column_of(options.add)))
    print_notes(notes, options.say)
