#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe fold: a recording to the profile of a pulsar."""

from tqdm import tqdm

from ..pulsars.fold_beam import fold_beam
from ..runs.settings import F_ENGINE, correlator_settings, recording_settings
from .numbers import number, whole
from .options import add_options, given_options

DESCRIPTION = """\
Points the whole array at a pulsar, takes the dispersion out (coherently within channels, and
between them), and folds the power at the period.
"""

EXAMPLES = """\
examples:
  fringe fold crab.vdif --obs array.yml -b "83.633,22.0145" --dm 56.7 --period 0.0338 -o crab.png
  fringe fold crab.vdif --obs array.yml -b "83.633,22.0145" --polyco polyco.dat -o crab.fits
"""


def add_parser(commands):
    p = commands.add_parser("fold", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("recordings", nargs="+", metavar="INPUT", help="recorded files, one per "
                   "receiver")
    p.add_argument("-b", "--beam", dest="direction", required=True, metavar="DIRECTION",
                   help="as fringe beam has it: RA,DEC in degrees, a name, az=AZ,el=EL")
    p.add_argument("-o", "--output", dest="outputs", action="append", required=True,
                   metavar="OUT", help="x.fits (PSRFITS, fold mode), x.png, x.pdf or x.svg; may be "
                   "repeated")
    p.add_argument("--obs", metavar="OBS.yml", help="observation file")
    p.add_argument("--dm", type=number, metavar="PC/CM3", help="dispersion measure; default: that "
                   "of --polyco, else 0")
    p.add_argument("--period", type=number, metavar="SECONDS", help="of the pulsar, at the "
                   "telescope; phase 0 is at 1970-01-01 UTC")
    p.add_argument("--polyco", dest="predictions", metavar="FILE", help="predictions as TEMPO, "
                   "TEMPO2 and PINT write them, instead of a period")
    p.add_argument("--bins", type=whole, default=128, metavar="N", help="of a turn (default 128)")
    p.add_argument("--seconds", dest="part", type=number, default=10.0, metavar="SECONDS",
                   help="of a sub-integration (default 10)")
    p.add_argument("--incoherent", action="store_true", help="leave the dispersion within channels")
    p.add_argument("--passband", type=number, default=1.0, metavar="SHARE", help="of each channel, "
                   "around its middle (default 1): 0.8 leaves out its ends, where what belongs to "
                   "the other end stays dispersed")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    p.add_argument("--quiet", action="store_true", help="no progress bar")
    add_options(p.add_argument_group("the recording"), recording_settings)
    add_options(p.add_argument_group("the F-engine"), correlator_settings, F_ENGINE)


def run(options):
    given = {**given_options(options, recording_settings),
             **given_options(options, correlator_settings)}
    with tqdm(total=0, unit="S", unit_scale=True, disable=options.quiet or None,
              desc="folding", leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        lines = fold_beam(
            options.recordings, options.outputs, options.direction, options.obs, dm=options.dm,
            period=options.period, predictions=options.predictions, bins=options.bins,
            seconds=options.part, coherent=not options.incoherent, passband=options.passband,
            overwrite=options.overwrite,
            progress=progress, **given)
    for line in lines:
        options.say(line)
