#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe search: powers of a beam to dispersed pulses, or to the dispersion of a pulsar."""
from tqdm import tqdm

from .. import fringe_python as fp
from ..pulsars.search import search
from .numbers import band, dispersions, number, whole

DESCRIPTION = """\
Adds the channels of a beam up at many trial dispersions, and looks for single pulses: time,
dispersion, width and signal to noise. With --period or --polyco it folds the powers first, and
gives the dispersion of the pulsar with its error.

INPUT is a SIGPROC filterbank (.fil), PSRFITS in search mode (.fits) or HDF5 (.h5) of fringe beam or
of another program, 8, 16 or 32 bits. It may be larger than memory.
"""

EXAMPLES = """\
examples:
  fringe search beam.fil --dm 0,100 -o pulses.csv -o pulses.png
  fringe search beam.fits --dm 300,900 --mask 137e6,138e6 --widest 0.05 -o pulses.png
  fringe search crab.fil --dm 50,60 --period 0.0338 -o crab.png
  fringe search crab.fil --polyco polyco.dat -o crab.ecsv
"""


def add_parser(commands):
    p = commands.add_parser("search", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("path", metavar="INPUT", help="x.fil, x.fits or x.h5")
    p.add_argument("-o", "--output", dest="outputs", action="append", required=True, metavar="OUT",
                   help="x.csv or x.ecsv, a table; x.png, x.pdf or x.svg, a picture; may be "
                   "repeated")
    p.add_argument("--dm", type=dispersions, metavar="FROM,TO", help="dispersion measures in "
                   "pc/cm^3, or one alone; default: a tenth to either side of that of --polyco")
    p.add_argument("--smearing", type=number, metavar="SECONDS", help="how much longer a pulse "
                   "between two trials may be, which gives their step; default: half of a mean and "
                   "of the smearing within a channel")
    p.add_argument("--widest", type=number, metavar="SECONDS", help="longest single pulse (default "
                   "64 means); the shortest is a mean")
    p.add_argument("--threshold", type=number, default=7.0, metavar="SIGMA", help="standard "
                   "deviations of the noise (default 7)")
    p.add_argument("--mask", type=band, action="append", default=[], metavar="HZ,HZ",
                   help="channels from here to there are left out; may be repeated")
    p.add_argument("--period", type=number, metavar="SECONDS", help="of the pulsar, at the "
                   "telescope; phase 0 is at 1970-01-01 UTC")
    p.add_argument("--polyco", dest="predictions", metavar="FILE", help="predictions as TEMPO, "
                   "TEMPO2 and PINT write them, instead of a period")
    p.add_argument("--bins", type=whole, metavar="N", help="of a turn (default 128, or the means "
                   "of a period where they are fewer)")
    p.add_argument("--threads", type=whole, metavar="N", help="default: one for each core")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    p.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options):
    if options.threads is not None:
        fp.set_threads(options.threads)
    with tqdm(total=0, unit="means", unit_scale=True, disable=options.quiet or None,
              desc="searching", leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        lines = search(
            options.path, options.outputs, options.dm, period=options.period,
            predictions=options.predictions, bins=options.bins, smearing=options.smearing,
            widest=options.widest, threshold=options.threshold, mask=options.mask,
            overwrite=options.overwrite, progress=progress)
    for line in lines:
        options.say(line)
