#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe selfcal: gains from the image of the visibilities themselves."""
import os

from .. import fringe_python as fp
from ..calibration.apply_to_file import COLUMN, apply_to_file
from ..images.sky_image import image_settings
from ..solution_tables.tables import TABLE_ENDINGS, check_new_table, write_solutions
from ..solving.of_file import of_uvrange
from ..solving.selfcal_file import CYCLES, selfcal_file
from ..solving.solve import MIN_SNR
from ..solving.terms import terms_of
from ..visibility_files.replaced_data import check_target, where_in_words
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import number, whole
from .pixels import pixel_scale, pixels
from .selected import add_selection, selected

DESCRIPTION = """\
Self-calibrates a visibility file: CLEAN makes a model of its image, the gains are solved with this
model, and the next image is made with these gains, in cycles. Each half of the data (every second
channel) is also calibrated by itself and has to make the other half fit better; a cycle that gains
no more than noise would is not kept and ends the work. Noise alone gives no solutions and no
source: exit code 3.
"""

EXAMPLES = f"""\
examples:
  fringe selfcal sky.ms -o self.h5
  fringe selfcal sky.ms -o self.h5 --terms "G:10s,phase" --apply    and CORRECTED_DATA
  fringe selfcal sky.uvfits -o self.h5 --model first-model.fits --terms "K:5min G:1min,phase"

--model is of the first cycle; without it the first image has to show a source, as it does where
most of the calibration has been applied. With phases alone a source keeps its place only up to a
shift that all sources have. Terms are K, G and B, as fringe calibrate --terms has them. Solutions:
{TABLE_ENDINGS}.
"""
NOTHING = 3


def add_parser(commands):
    p = commands.add_parser("selfcal", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="VIS", help=VISIBILITY_ENDINGS)
    p.add_argument("-o", "--output", metavar="TABLE", required=True,
                   help=f"solutions to write: {TABLE_ENDINGS}")
    p.add_argument("--terms", default="G:phase", metavar="TERMS", help="in the order in which they "
                   "are solved for first (default G:phase: one phase for all of the time)")
    p.add_argument("--cycles", type=whole, default=CYCLES, metavar="N",
                   help=f"at most (default {CYCLES})")
    p.add_argument("--model", metavar="MODEL", help="of the first cycle, as fringe calibrate takes "
                   "it: an image, a catalogue, a source of the flux scale")
    p.add_argument("--reference", metavar="ANTENNA", help="whose phase is 0; by default the one "
                   "with the most signal")
    p.add_argument("--min-snr", type=number, default=MIN_SNR, metavar="S", help="least "
                   f"signal-to-noise ratio of a solution (default {MIN_SNR:g})")
    p.add_argument("--uvrange", metavar="LOW:HIGH", help="projected baselines that are solved "
                   "from, in wavelengths; 0.1:5kl in thousands of them, 30:500m in meters")
    p.add_argument("--size", metavar="N|NxM", help="pixels of the images")
    p.add_argument("--scale", metavar="ANGLE", help="of a pixel: 0.5arcmin, 30arcsec, 0.01deg")
    p.add_argument("--apply", action="store_true", help="also write the column CORRECTED_DATA of "
                   "VIS, a MeasurementSet")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an existing table, or column")


def run(options):
    path = os.path.normpath(options.file)
    fp.note_read(path)
    terms = terms_of(options.terms)
    if options.apply:
        check_target(path, None, options.overwrite)
    check_new_table(options.output, options.overwrite)
    settings = image_settings(size=pixels(options.size), scale=pixel_scale(options.scale))
    result = selfcal_file(path, terms, options.cycles, settings, options.model, options.reference,
                          options.min_snr, options.uvrange and of_uvrange(options.uvrange),
                          **selected(options))
    options.say("\n".join(result.lines()))
    if result.found is None:
        return NOTHING
    for name in write_solutions(options.output, result.found, options.overwrite):
        print(f"wrote {name}")
    if options.apply:
        done = apply_to_file(path, None, {options.output: result.found},
                             overwrite=options.overwrite, **selected(options))
        options.say("\n".join(done.lines()))
        options.say(where_in_words(None, path, COLUMN))
    return 0
