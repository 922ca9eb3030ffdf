#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe record: what comes live to a recording."""
import sys

from tqdm import tqdm

from ..ground.losses import sentences
from ..receiving.record import record
from .numbers import number, seconds

DESCRIPTION = """\
Writes what comes live - packets, samples of RTL-SDRs or of a KrakenSDR - to files, without
correlating it: samples to x.vdif or to SigMF, spectra of F-engines to x.h5 (HDF5). What was lost
is marked in the file: fringe correlate makes the same visibilities and weights of it as it had made
live. Ctrl-C ends it; what has come until then is in the file.

SigMF is x.sigmf-meta with x.sigmf-data. Several receivers, and files of so many minutes, are
x.sigmf-collection, which is one argument of every command.
"""

EXAMPLES = """\
examples:
  fringe record --live "udp://239.255.90.1:7148?preset=mwa&inputs=4&interface=eth0" \\
         --seconds 60 -o sky.vdif
  fringe correlate sky.vdif --obs array.yml -o sky.ms
  fringe record --live "udp://:10000?preset=snap2&inputs=128&signals=64&channels=96" -o sky.h5
  rtl_tcp -d 0 -p 1234 & rtl_tcp -d 1 -p 1235 &
  fringe record --live "rtl_tcp://127.0.0.1:1234,1235?sample_rate=2.4e6&frequency=1.42e9&gain=40" \\
         --minutes 10 -o night.sigmf-collection
  fringe correlate night.sigmf-collection --obs two.yml -o night.uvh5
"""


def add_parser(commands):
    p = commands.add_parser("record", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("--live", required=True, metavar="URL",
                   help="udp://HOST:PORT?preset=NAME&inputs=N (docs/packets.md), or "
                   "rtl_tcp://HOST:PORT,PORT?sample_rate=HZ&frequency=HZ, with gain=DB, ppm=N, or "
                   "kraken://HOST (docs/receivers/krakensdr.md)")
    p.add_argument("-o", "--output", required=True, metavar="OUT",
                   help="x.vdif, x.sigmf-meta, x.sigmf-collection, or with packets of spectra "
                   "x.h5")
    p.add_argument("--seconds", type=seconds, metavar="S", help="how long")
    p.add_argument("--minutes", type=number, metavar="N", help="with x.sigmf-collection: files of "
                   "N minutes each; no sample is lost between them")
    p.add_argument("--author", metavar="NAME", help="who records, for SigMF")
    p.add_argument("--metrics", default="", metavar="HOST:PORT", help="counts for Prometheus, at "
                   "http://HOST:PORT/metrics (docs/station_for_months.md)")
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
                        tell, options.minutes, options.author, options.metrics)
    options.say(result)
    for line in sentences(result.losses, result.samples * result.values):
        options.say(line)
