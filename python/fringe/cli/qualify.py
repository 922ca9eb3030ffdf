#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe qualify: measures requirements on this machine, and writes a report."""
import sys

from tqdm import tqdm

from ..qualifying.report import check_report, write_report
from ..qualifying.runner import PASSED, SEED, qualify
from ..qualifying.table import chosen
from .numbers import backend, whole

DESCRIPTION = """\
Measures what gr-fringe promises, on this machine: channels, delays, noise, losses, images, speed
and more, on the CPU and on each GPU. Each requirement has a number, a method, a limit, and a
measured value with its error. All random numbers follow from the seed.
"""

EXAMPLES = """\
examples:
  fringe qualify -o report.html -o report.json    everything, in less than ten minutes
  fringe qualify --list                           the requirements
  fringe qualify --group delays --group 9         two groups
  fringe qualify --only 4.3,4.4 --full            two requirements, measured for longer

exit codes: 0 all passed, 1 a requirement is not met or a report could not be written, 2 bad input
or usage
"""


def add_parser(commands):
    p = commands.add_parser("qualify", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("-o", "--output", action="append", default=[], metavar="REPORT",
                   help=".html, .pdf or .json; may be repeated")
    p.add_argument("--list", action="store_true", help="lists the requirements, and ends")
    p.add_argument("--group", action="append", default=[], metavar="NAME",
                   help="only this group, by its number or a part of its name; may be repeated")
    p.add_argument("--only", action="append", default=[], metavar="N.M,...",
                   help="only these requirements, by their numbers")
    p.add_argument("--full", action="store_true", help="more samples where that tells more")
    p.add_argument("--seed", type=whole, default=SEED, metavar="N",
                   help=f"of the random numbers (default {SEED})")
    p.add_argument("--backend", type=backend, action="append", metavar="{cpu,cuda:0,...}",
                   help="by default the CPU and each GPU; may be repeated")
    p.add_argument("--overwrite", action="store_true", help="replace existing reports")
    p.add_argument("-q", "--quiet", action="store_true",
                   help="no progress, and no lines of requirements that passed")


def run(options):
    if options.seed < 0:
        raise ValueError(f"--seed: {options.seed}: must be 0 or more")
    requirements = chosen(options.group, [number.strip() for word in options.only
                                          for number in word.split(",")])
    if options.list:
        print("\n".join(f"{required.number:6}{required.text}\n      {required.method}\n"
                        f"      limit: {required.limit.in_words()}" for required in requirements))
        return 0
    for path in options.output:
        check_report(path, options.overwrite)
    with tqdm(total=len(requirements), disable=options.quiet or None, desc="qualify") as bar:
        def tell(result, done, of):
            bar.total = of
            bar.update(done - bar.n)
            if result.verdict != PASSED or not options.quiet:
                with tqdm.external_write_mode(file=sys.stderr):
                    options.say(result.in_words())
        report = qualify(requirements, options.seed, options.full, options.backend, tell)
    options.say(report.summary())
    for path in options.output:
        write_report(report, path, options.overwrite)
        options.say(f"wrote {path}")
    return 0 if report.passed else 1
