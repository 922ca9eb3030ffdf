#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe record: packets that come live to a recording."""
import argparse
import sys

from tqdm import tqdm

from ..ground.losses import sentences
from ..receiving.record import record
from .numbers import seconds

DESCRIPTION = """\
Writes packets, as they come, to a file, without correlating them: samples to x.vdif, spectra of
F-engines to x.h5 (HDF5). What was lost is marked in the file: fringe correlate makes the same
visibilities and weights of it as it had made live. Ctrl-C ends it; what has come until then is in
the file.
"""

EXAMPLES = """\
examples:
  fringe record --live "udp://239.255.90.1:7148?preset=mwa&inputs=4&interface=eth0" \\
         --seconds 60 -o sky.vdif
  fringe correlate sky.vdif --obs array.yml -o sky.ms
  fringe record --live "udp://:10000?preset=snap2&inputs=128&signals=64&channels=96" -o sky.h5
"""


def add_parser(commands):
    p = commands.add_parser(
        "record", help="packets from the network to a recording", description=DESCRIPTION,
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.set_defaults(run=run)
    p.add_argument("--live", required=True, metavar="URL",
                   help="udp://HOST:PORT?preset=NAME&inputs=N (docs/packets.md)")
    p.add_argument("-o", "--output", required=True, metavar="OUT",
                   help="x.vdif, or with packets of spectra x.h5")
    p.add_argument("--seconds", type=seconds, metavar="S", help="how long")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    p.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options):
    with tqdm(total=0, unit="S", unit_scale=True, disable=options.quiet or None, desc="recording",
              leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)
            bar.refresh()

        def tell(sentence):
            with tqdm.external_write_mode(file=sys.stderr):
                options.say(f"note: {sentence}", file=sys.stderr)

        result = record(options.live, options.output, options.seconds, options.overwrite, progress,
                        tell)
    options.say(result)
    for line in sentences(result.losses, result.samples * result.values):
        options.say(line)
