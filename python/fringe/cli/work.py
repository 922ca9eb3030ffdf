#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe work: one part of a plan."""

from ..runs.work import work
from ..runs.work_apart import work_in_copy
from .numbers import whole

DESCRIPTION = """\
Correlates one part of a plan. Its files are beside the plan, in PLAN.parts, when they are whole;
until then they have names with a dot. A part that is done, by its checksum, is not done again.
"""


def add_parser(commands):
    p = commands.add_parser("work", description=DESCRIPTION)
    p.set_defaults(run=run)
    p.add_argument("plan", metavar="PLAN.json", help="as fringe plan wrote it")
    p.add_argument("parts", metavar="K", type=whole, nargs="+", help="numbers of parts, from 0 on")
    p.add_argument("--threads", type=whole, metavar="N", help="threads that F-engine and X-engine "
                   "may keep busy; one per core by default")
    p.add_argument("--metrics", default="", metavar="HOST:PORT", help="counts for Prometheus, at "
                   "http://HOST:PORT/metrics (docs/station_for_months.md)")
    p.add_argument("--again", action="store_true", help="also parts that are done")


def run(options):
    for number in options.parts:
        if len(options.parts) > 1:
            dumps = work_in_copy(options.plan, number, options.threads, options.again,
                                 options.metrics)
        else:
            dumps = work(options.plan, number, options.threads, again=options.again,
                         metrics=options.metrics)["dumps"]
        print(f"part {number}: {dumps} dump{'' if dumps == 1 else 's'}", flush=True)
