#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe beam: a recording to the power or the voltages of beams."""
import shlex
import sys

from tqdm import tqdm

from .. import fringe_python as fp
from ..beams.beam_axes import PRODUCTS
from ..beams.beam_formats import FORMATS, VOLTAGES
from ..beams.few_bits import LEVELS
from ..beams.form_beams import form_beams
from ..runs.settings import F_ENGINE, correlator_settings, recording_settings
from .numbers import number, whole
from .options import add_options, given_options

DESCRIPTION = """\
Points the whole array at directions on the sky, and writes their power in time and frequency, for
pulsars, bursts and the Sun, or their voltages, as those of one large antenna. A beam of N inputs is
N times as sensitive as one input.
"""

EXAMPLES = """\
examples:
  fringe beam sky.ci8 --obs array.yml -b "Cas A" -o beam.h5
  fringe beam sky.ci8 --obs array.yml -b Sun -b zenith --interval 0.001 -o beam.fil
  fringe beam sky.ci8 --obs array.yml -b "Cas A" --bits 2 -o beam.vdif
"""


def add_parser(commands):
    formats = "\n".join(f"  {f.name:7} {f.summary}" for f in fp.recording_formats())
    outputs = "\n".join(f"  {ending:7} {what}"
                        for ending, (_, what) in (*FORMATS.items(), *VOLTAGES.items()))
    p = commands.add_parser(
        "beam", description=DESCRIPTION,
        epilog=f"{EXAMPLES}\nformats:\n{formats}\n\noutputs, by their ending:\n{outputs}\n")
    p.set_defaults(run=run)
    p.add_argument("recordings", nargs="+", metavar="INPUT", help="recorded files, one per "
                   "receiver")
    p.add_argument("-b", "--beam", dest="directions", action="append", required=True,
                   metavar="DIRECTION", help="zenith, a name (Sun, Cas A), RA,DEC or az=AZ,el=EL "
                   "in degrees, or satellite=TABLE, lines of UTC and x y z in ITRF meters; may be "
                   "repeated")
    p.add_argument("-o", "--output", dest="outputs", action="append", required=True, metavar="OUT",
                   help="x.fil, x.fits, x.h5 or x.vdif; may be repeated")
    p.add_argument("--obs", metavar="OBS.yml", help="observation file")
    p.add_argument("--products", default="power", choices=PRODUCTS,
                   help="power of each polarization; incoherent: the sum of the powers of the "
                   "inputs; cross: power without the autocorrelations; stokes: I, Q, U, V")
    p.add_argument("--interval", type=number, default=0.01, metavar="SECONDS",
                   help="length of a mean (default 0.01)")
    p.add_argument("--average", type=whole, default=1, metavar="N",
                   help="adjacent channels in a mean")
    p.add_argument("--null", dest="nulls", action="append", default=[], metavar="DIRECTION",
                   help="a direction from which no beam receives anything; may be repeated")
    p.add_argument("--bits", type=whole, choices=tuple(LEVELS), help="with x.vdif: of a number "
                   "(default 8); levels are those that lose least of Gaussian noise")
    p.add_argument("--channelized", action="store_true", help="with x.vdif: each channel as a "
                   "channel of VDIF, at its own rate; by default they are joined to the samples of "
                   "the whole band")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    p.add_argument("--quiet", action="store_true", help="no progress bar")
    add_options(p.add_argument_group("the recording"), recording_settings)
    add_options(p.add_argument_group("the F-engine"), correlator_settings, F_ENGINE)


def run(options):
    history = "fringe " + shlex.join(sys.argv[1:])
    given = {**given_options(options, recording_settings),
             **given_options(options, correlator_settings)}
    with tqdm(total=0, unit="S", unit_scale=True, disable=options.quiet or None,
              desc="forming beams", leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        lines = form_beams(
            options.recordings, options.outputs, options.directions, options.obs,
            products=options.products, interval=options.interval, average=options.average,
            nulls=options.nulls, bits=options.bits, channelized=options.channelized,
            overwrite=options.overwrite, history=history, progress=progress,
            **given)
    for line in lines:
        options.say(line)
