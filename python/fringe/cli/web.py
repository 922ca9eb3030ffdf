#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe web: a web page of the live fringes."""
import sys

from .. import fringe_python as fp
from ..publishing.dump_publisher import ADDRESS
from ..ground.stop_signals import count_stops, stopped
from ..operating.link import operator_link
from ..web.addresses import HOST, PORT, listening_address
from .numbers import number

DESCRIPTION = """\
Shows the dumps that a flowgraph publishes (the block Dump Publisher) on a web page: fringes,
spectra, delays, closure phases, a waterfall, and an image of the sky. The page only shows: it
changes nothing. Every viewer chooses inputs. A viewer that is slow misses dumps, and the flowgraph
never waits. For a page in the network, a terminal gets a QR code of its address.
"""

EXAMPLES = """\
examples:
  fringe web                                  this computer only: http://127.0.0.1:8080/
  fringe web --listen 0.0.0.0:8080            for phones in the same network, too
  fringe web tcp://192.168.1.5:5560 --obs array.yml --sources Sun,CasA
"""


def add_parser(commands):
    p = commands.add_parser("web", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("address", nargs="?", default=ADDRESS, metavar="ADDRESS",
                   help=f"of the Dump Publisher (default {ADDRESS})")
    p.add_argument("--listen", default=f"{HOST}:{PORT}", metavar="HOST:PORT",
                   help=f"where the page is (default {HOST}:{PORT}, for this computer only; "
                   f"0.0.0.0:{PORT} is for everyone in the network; port 0: any that is free)")
    p.add_argument("--obs", metavar="OBS.yml", help="observation file of the array; by default "
                   "the dumps bring it")
    p.add_argument("--sources", default="", metavar="NAMES", help="marked in the image: names such "
                   "as Sun,CasA, a catalogue as fringe calibrate takes it, or an observation file")
    p.add_argument("--rate", type=number, default=5.0, metavar="N",
                   help="frames a second, at most (default 5)")
    p.add_argument("--name", action="append", default=[], metavar="NAME",
                   help="another name of this computer, which browsers may use")
    p.add_argument("--alerts", default="", metavar="NAME=NUMBER,...", help="from where on "
                   "something is an alert: lost, saturated, disk (per cent), silence (s), dead "
                   "(dB); docs/station_for_months.md")
    p.add_argument("--end-with-input", action="store_true", help="end when the "
                   "standard input ends: for programs that start this one")


def run(options):
    host, port = listening_address(options.listen)
    if not 0.1 <= options.rate <= 30:
        raise ValueError(f"--rate: {options.rate:g}: must be 0.1 to 30 frames a second")
    obs = fp.observation.from_file(options.obs) if options.obs else None
    try:
        from ..web.run import serve  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "tornado":
            raise
        raise RuntimeError("the page is served by Tornado, which is not installed: "
                           "apt-get install python3-tornado") from None
    link = operator_link() if options.end_with_input else None
    with count_stops() as stops:

        def ending():
            return stops.count or (link is not None and link.ended.is_set())

        try:
            serve(options.address, host, port, ending, obs, options.sources, options.rate,
                  options.name, lambda line: options.say(line, flush=True), is_terminal(),
                  link, options.alerts)
        except ImportError as error:
            raise RuntimeError(str(error)) from None
    if stops.count:
        raise stopped(stops.number)


def is_terminal():
    """True where the output is a terminal that shows more than ASCII."""
    return sys.stdout.isatty() and "utf" in sys.stdout.encoding.lower()
