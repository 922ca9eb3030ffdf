#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe plan: a recording that many processes or hosts correlate, cut into parts."""
import shlex
import sys

from ..ground.new_file import check_new_file
from .correlate import OFTEN, add_parts_options, add_run_options, plan_of, settings_of
from .usage import show_often

DESCRIPTION = """\
Cuts a recording into parts that any processes, on any hosts that see the same files, correlate in
any order. What comes out is what one run makes, bit for bit: everything that depends on the whole
recording is decided here. The options are those of fringe correlate.
"""

EXAMPLES = """\
example:
  fringe plan night.ci8 --obs array.yml --parts 100 -o plan.json
  parallel fringe work plan.json ::: {0..99}      or any scheduler: docs/hosts.md
  fringe merge plan.json -o night.ms
"""


def add_parser(commands):
    p = commands.add_parser("plan", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("recordings", nargs="+", metavar="INPUT", help="recorded files, one per "
                   "receiver, as all hosts see them")
    p.add_argument("-o", "--output", required=True, metavar="PLAN.json",
                   help="the parts will be beside it, in PLAN.parts")
    p.add_argument("--obs", metavar="OBS.yml", help="observation file")
    p.add_argument("--overwrite", action="store_true", help="replace a PLAN.json that is there")
    add_parts_options(p)
    add_run_options(p, "what fringe merge writes")
    show_often(p, (*OFTEN, "--parts"), EXAMPLES + "\n--help-all shows all options.\n")


def run(options):
    check_new_file(options.output, options.overwrite)
    history = "fringe " + shlex.join(sys.argv[1:])
    made = plan_of(options, settings_of(options), history)
    made.write(options.output, options.overwrite)
    count = len(made.parts)
    print(f"wrote {options.output}: {count} part{'s' if count > 1 else ''}, 0 to {count - 1}")
    for line in made.notes:
        options.say(f"note: {line}")
