#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe info: what is in a file, in words."""

from .. import fringe_python as fp
from ..describing.devices import describe_devices
from ..describing.info import describe, describe_together
from ..describing.memory import describe_memory
from ..receiving.listening import describe_live
from ..receiving.receivers import receivers_of
from ..runs.plan_in_words import describe_plan, is_plan
from ..observing.settings import positive
from .numbers import number, seconds, whole
from .selected import add_selection, selected

EXAMPLES = """\
examples:
  fringe info sky.ms
  fringe info array.yml
  fringe info mg-tana-raw.hdf --format tart
  fringe info two_sdrs.cu8 --format cu8 --inputs 2 --sample-rate 2e6
  fringe info ef.vdif on.vdif --format vdif
  fringe info plan.json
  fringe info --live udp://0.0.0.0:7148
  fringe info --formats
  fringe info --devices
  fringe info --plan array.yml
"""


def add_parser(commands):
    p = commands.add_parser(
        "info",
        description="Says what is in a recording, a visibility file, a table of solutions, an "
        "observation file (what it means, where the phase center is, what is unusual), or a "
        "plan of parts (which of them are done).", epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("files", nargs="*", metavar="FILE",
                   help="several recordings: also how they lie in time")
    p.add_argument("--formats", action="store_true", help="lists the recording formats")
    p.add_argument("--devices", action="store_true",
                   help="lists the GPUs, and says what will run where")
    p.add_argument("--plan", action="store_true",
                   help="the memory that fringe correlate of a recording or of an observation "
                   "file takes on GPUs, and whether they have it")
    p.add_argument("--live", metavar="URL", help="what arrives at udp://HOST:PORT, "
                   "kraken://HOST or rtl_tcp://HOST:PORT?...; with ?preset=NAME..., how packets "
                   "fit (docs/packets.md)")
    p.add_argument("--seconds", type=seconds, default=5.0, metavar="S",
                   help="with --live: how long to listen")
    p.add_argument("--format", metavar="NAME", help="recording format; by default what "
                   "the file contains, else what its ending says")
    p.add_argument("--inputs", type=whole, metavar="N", help="inputs of a headerless recording, "
                   "or of an .ACC without its .yml")
    p.add_argument("--sample-rate", type=number, metavar="HZ", help="of a headerless recording")
    p.add_argument("--channels", type=whole, metavar="C", help="of an .ACC without its .yml")
    add_selection(p)


def run(options):
    if options.formats:
        for form in fp.recording_formats():
            print(f"{form.name:7} {form.summary}")
        return 0
    if options.devices:
        options.say(describe_devices())
        return 0
    if options.live:
        if not 0 < options.seconds < 1e6:
            raise ValueError(f"--seconds: {options.seconds:g}: must be positive")
        options.say(describe_live(receivers_of(options.live, needs_preset=False),
                                  options.seconds))
        return 0
    if not options.files:
        raise ValueError("FILE: none given (fringe info --help shows examples)")
    positive("--inputs", options.inputs, "number of inputs")
    positive("--sample-rate", options.sample_rate, "number of samples a second (Hz)")
    positive("--channels", options.channels, "number of channels")
    try:
        for path in options.files:
            if options.plan:
                options.say(describe_memory(
                    path, format=options.format, inputs=options.inputs,
                    sample_rate=options.sample_rate, channels=options.channels))
                continue
            if options.format is None and is_plan(path):
                options.say(describe_plan(path))
                continue
            options.say(describe(path, format=options.format, inputs=options.inputs,
                                 sample_rate=options.sample_rate, channels=options.channels,
                                 **selected(options)))
        if len(options.files) > 1 and not options.plan and not any(map(is_plan, options.files)):
            options.say(describe_together(options.files, options.format, options.inputs,
                                          options.sample_rate))
    except RuntimeError as error:  # a damaged recording
        raise ValueError(str(error)) from None
    return 0
