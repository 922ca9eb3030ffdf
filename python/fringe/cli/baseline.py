#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe baseline: positions of antennas and delays of cables, from sources tracked over hours."""
import sys

from .. import fringe_python as fp
from ..calibration.baseline_report import in_words
from ..calibration.baselines import FIXES, MAX_MISFIT, solve_baselines
from ..calibration.file import write_calibrated
from ..calibration.quality import unsolved
from ..calibration.sources import source_at, sources_of
from ..ground.new_file import check_new_file
from ..visibility_files.read_visibilities import read_parts, read_visibilities
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import number
from .selected import add_selection, print_notes, selected

DESCRIPTION = """\
Solves for the positions of the antennas against one of them, and for the delays of their cables,
from the phases of sources that were observed over hours: a file for each source, or a file with
several fields. Prints positions, lengths, delays and their errors, and how well delays and phases
close around triangles. With -o it writes an observation file with what was found.
"""

EXAMPLES = """\
examples:
  fringe baseline cas.ms cyg.ms tau.ms --obs lab.yml -o new.yml
  fringe baseline sun.ACC cas.ACC --obs lab.yml --sources Sun,CasA
  fringe baseline cas.ms --obs lab.yml              one source: what it does not tell is named
  fringe baseline cas.ms cyg.ms --obs lab.yml --fix up --search 2

exit codes: 0 solved, 1 could not be carried out, 2 bad input or usage, 3 no positions that can be
trusted follow from these data
"""
UNSOLVED = 3


def add_parser(commands):
    p = commands.add_parser("baseline", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("files", metavar="VISIBILITIES", nargs="+", help=VISIBILITY_ENDINGS)
    p.add_argument("--obs", "--observation", dest="observation", required=True, metavar="OBS.yml",
                   help="the observation they were correlated with")
    p.add_argument("-o", "--output", metavar="NEW.yml", help="observation file to write")
    p.add_argument("--overwrite", action="store_true", help="replace a NEW.yml that is there")
    known = p.add_argument_group("what was observed")
    known.add_argument("--sources", metavar="LIST", help="a source for each file, in their order, "
                       "or one for all: names such as Sun,CasA, or a catalogue as fringe calibrate "
                       "takes it; by default the phase center of each file")
    known.add_argument("--source", action="append", default=[], metavar="RA,DEC",
                       help="ICRS, or a name such as Sun; for each file, or one for all")
    solver = p.add_argument_group("what is solved")
    solver.add_argument("--reference", metavar="ANTENNA", help="that stays where it is (default: "
                        "the first)")
    solver.add_argument("--fix", action="append", default=[], choices=FIXES,
                        help="stays as OBS.yml has it; may be repeated")
    solver.add_argument("--search", type=number, metavar="METERS", help="how far antennas may be "
                        "from where OBS.yml has them (default 5, or what the wavelength allows)")
    solver.add_argument("--phase-per-set", action="store_true", help="receivers were started or "
                        "tuned again between the files")
    solver.add_argument("--max-misfit", type=number, default=MAX_MISFIT, metavar="DEGREES",
                        help="rms by which phases may differ from the fit, noise taken off "
                             f"(default {MAX_MISFIT:g})")
    add_selection(p)


def run(options):
    if not 0 < options.max_misfit <= 180:
        raise ValueError(f"--max-misfit: {options.max_misfit:g}: must be more than 0 and at most "
                         "180")
    sources = _sources(options)
    obs = fp.observation.from_file(options.observation)
    reference = _reference(options, obs)
    sets = _sets(options)
    if options.output:
        check_new_file(options.output, options.overwrite)
    try:
        found = solve_baselines(sets, obs, sources, reference, fix=options.fix,
                                search=options.search, phase_per_set=options.phase_per_set,
                                max_misfit=options.max_misfit)
    except unsolved as error:
        options.say(f"fringe baseline: {error}", file=sys.stderr)
        return UNSOLVED
    options.say("\n".join(in_words(found)))
    print_notes(dict.fromkeys(remark for vis in sets for remark in vis.remarks), options.say)
    if options.output:
        write_calibrated(options.output, found.observation, options.observation,
                         overwrite=options.overwrite)
        print(f"wrote {options.output}")
    return 0


def _sets(options):
    """Visibilities of all files, and of all their fields."""
    return [read_visibilities(path, **part.selection.keywords())
            for path in options.files for part in read_parts(path, **selected(options))]


def _sources(options):
    if options.sources and options.source:
        raise ValueError("--sources: goes without --source")
    if options.sources:
        return sources_of(options.sources)
    return [source_at(text, False) for text in options.source] or None


def _reference(options, obs):
    names = [antenna.name for antenna in obs.antennas]
    if options.reference is None:
        return 0
    if options.reference not in names:
        raise ValueError(f"--reference: {options.reference}: is no antenna; there are "
                         + ", ".join(names[:8]) + (" ..." if len(names) > 8 else ""))
    return names.index(options.reference)
