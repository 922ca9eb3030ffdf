#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe verify: whether what stands in a file fits together."""

from .. import fringe_python as fp
from ..calibration.sources import source_at
from ..verifying import verify
from ..verifying.finding import WRONG
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import number
from .selected import add_selection, selected

DESCRIPTION = """\
Checks files. What gr-fringe has written has a certificate: data, weights, flags, uvw, times and
tables must be what it says. Of visibility files of any program: uvw against the places of antennas,
the phase center and the times (signs, w that is off by nanoseconds, exchanged antennas, times half
a dump off), dumps and channels that overlap, numbers that are none, weights without meaning, and,
with --source, phases of a source that is known (an upside-down sky, reversed channels). Recordings
of spectra, images and PSRFITS (.fits), beams in HDF5 and tables of solutions are tested against
their certificates only. Filter banks and VDIF have no certificates, and are not read.
"""

EXAMPLES = """\
examples:
  fringe verify sky.ms
  fringe verify sky.uvfits --dut1 0.065
  fringe verify sky.uvh5 --source 299.868,40.734
  fringe verify night_*.ms
  fringe verify image.fits beam.h5 night.cal

exit codes: 0 nothing is wrong, 1 something is, 2 bad input or usage
"""
NOT_RIGHT = 1


def add_parser(commands):
    p = commands.add_parser("verify", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("files", nargs="+", metavar="FILE", help=f"{VISIBILITY_ENDINGS}, "
                   ".h5, .fits, .cal, .calh5")
    p.add_argument("--dut1", type=number, metavar="S", help="UT1 - UTC in seconds; without it "
                   "times may be off by 0.9 s more")
    p.add_argument("--source", action="append", default=[], metavar="RA,DEC",
                   help="ICRS or a name such as Sun: a source that the file should show; "
                   "may be repeated")
    add_selection(p)


def run(options):
    if options.dut1 is not None and not abs(options.dut1) < 1:
        raise ValueError(f"--dut1: {options.dut1:g}: must be less than 1 s")
    sources = [source_at(text, False) for text in options.source]
    places = [(source.name, source.direction.longitude, source.direction.latitude)
              for source in sources]
    right = True
    for path in options.files:
        fp.note_read(path)
        findings = verify(path, places, options.dut1, **selected(options))
        if len(options.files) > 1:
            options.say(f"{path}:")
        options.say("\n".join(finding.line() for finding in findings))
        right = right and all(finding.result != WRONG for finding in findings)
    return 0 if right else NOT_RIGHT
