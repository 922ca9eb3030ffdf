#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe peel: the strongest sources subtracted from a visibility file."""
import os

from .. import fringe_python as fp
from ..calibration.sources import source_at
from ..images.known import read_known
from ..observing.settings import positive
from ..primary_beams import beam_of
from ..sky_model import peel, peel_settings
from ..sky_model.peel import COLUMN, SOLVE
from ..visibility_files.replaced_data import check_target, where_in_words
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import number, whole
from .selected import add_selection, print_notes, remarks_of, selected

DESCRIPTION = """\
Writes a copy of a visibility file without its strongest sources; of a MeasurementSet they are
taken out of a new column, CORRECTED_DATA, and DATA stays. Each is subtracted with a gain of
every antenna towards it, which is solved from the visibilities. Where that does not converge the
visibilities stay as they are.
"""

EXAMPLES = """\
examples:
  fringe peel sky.ms -o rest.ms --sources CasA,CygA
  fringe peel sky.ms -o rest.ms --sources array.yml --only sun     of its section sky
  fringe peel sky.ACC -o rest.ACC --azel 120,45 --dumps 16
  fringe peel sky.ms --in-place --sources CasA,CygA
  fringe peel sky.ms -o rest.ms --sources CygA --model faint-model.fits
  fringe peel sky.ms -o rest.ms --sources CasA,CygA --selfcal 3     the others keep their flux
  fringe peel sky.ms -o rest.ms --sources CasA,CygA --solve offsets

exit codes: 0 each source was peeled somewhere, 3 one was not, 1 could not be carried out, 2 bad
input or usage
"""
NOT_PEELED = 3


def add_parser(commands):
    p = commands.add_parser("peel", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="VIS", help=VISIBILITY_ENDINGS)
    where = p.add_mutually_exclusive_group(required=True)
    where.add_argument("-o", "--output", metavar="OUT", help="a copy of VIS; ends as VIS does")
    where.add_argument("--in-place", action="store_true", help="add a column to VIS, a "
                       "MeasurementSet; --overwrite replaces one that it has")
    p.add_argument("--sources", metavar="LIST", help="names such as Sun,CasA, an observation "
                   "file with a sky, or a catalogue as fringe calibrate takes it")
    p.add_argument("--only", metavar="NAME,NAME", help="those of the list that are peeled")
    p.add_argument("--source", action="append", default=[], metavar="RA,DEC[,FLUX]",
                   help="ICRS, or a name such as Sun; may be repeated")
    p.add_argument("--azel", action="append", default=[], metavar="AZ,EL[,FLUX]",
                   help="degrees; may be repeated")
    p.add_argument("--model", metavar="MODEL", help="the other sources, as fringe predict takes "
                   "them: they are out of the way while gains are solved, and stay")
    p.add_argument("--beam", metavar="NAME", help="the primary beam, as fringe image has it, "
                   "airy:25m for example: fluxes of sources and of --model are those before "
                   "it")
    solver = p.add_argument_group("solutions")
    solver.add_argument("--solve", choices=SOLVE, default="gains", help="a gain of each antenna "
                        "towards each source (default), or offsets: a flux and an offset that "
                        "grows with the square of the wavelength, as the ionosphere makes it")
    solver.add_argument("--selfcal", type=whole, default=0, metavar="N", help="cycles of "
                        "self-calibration: CLEAN of what is left finds the other sources, and the "
                        "gains are solved again with these in the model (default 0; 3 suffice)")
    solver.add_argument("--dumps", type=whole, default=8, metavar="N",
                        help="of a solution (default 8)")
    solver.add_argument("--channels", type=whole, metavar="N",
                        help="of a solution; by default all")
    solver.add_argument("--passes", type=whole, default=60, metavar="N",
                        help="over all sources, at most (default 60)")
    solver.add_argument("--damping", type=number, default=0.9, metavar="D",
                        help="part of a change that is made in a pass (default 0.9)")
    solver.add_argument("--taper", type=number, metavar="L", help="baselines shorter than this, in "
                        "wavelengths, count little, as there the sky is not made of points: 40 by "
                        "default, but at most a tenth of the longest baseline; 0: none")
    solver.add_argument("--clip", type=number, default=5.0, metavar="C",
                        help="visibilities of more than C times the median amplitude of the "
                             "residual are not used (default 5)")
    solver.add_argument("--flag-outliers", action="store_true", help="flag these")
    add_selection(p)
    p.add_argument("--overwrite", action="store_true", help="replace an existing file")


def run(options):
    settings = _settings(options)
    known = _sources(options)
    path = os.path.normpath(options.file)
    fp.note_read(path)
    check_target(path, options.output, options.overwrite)
    notes = remarks_of(path, options)
    report = peel(path, options.output, known, settings, options.overwrite,
                  **selected(options))
    options.say("\n".join(report.lines()))
    options.say(where_in_words(options.output, path, COLUMN))
    print_notes(notes, options.say)
    return NOT_PEELED if any(not source.fluxes for source in report.sources) else 0


def _settings(options):
    for name in ("dumps", "channels", "passes"):
        positive(f"--{name}", getattr(options, name), "whole number")
    if options.selfcal < 0:
        raise ValueError(f"--selfcal: {options.selfcal}: must be 0 or more")
    if not 0 < options.damping <= 1:
        raise ValueError(f"--damping: {options.damping:g}: must be more than 0 and at most 1")
    if not 2 <= options.clip:
        raise ValueError(f"--clip: {options.clip:g}: must be 2 or more")
    if options.taper is not None and not 0 <= options.taper < float("inf"):
        raise ValueError(f"--taper: {options.taper:g}: must be 0 or more")
    return peel_settings(options.dumps, options.channels, options.passes, options.damping,
                         options.taper, options.clip, options.model, options.flag_outliers,
                         options.solve, options.selfcal,
                         beam_of(options.beam) if options.beam else None)


def _sources(options):
    """A list of calibration_source, or an observation."""
    found = [source_at(text, False) for text in options.source]
    found += [source_at(text, True) for text in options.azel]
    if options.sources is None:
        if not found or options.only:
            raise ValueError("--sources: say what is to be peeled: --sources, --source or --azel")
        return found
    listed = read_known(options.sources)
    if isinstance(listed, fp.observation):
        if found:
            raise ValueError("--sources: an observation file goes without --source and --azel")
        listed.sky = _only(options.only, listed.sky)
        return listed
    return _only(options.only, listed) + found


def _only(names, sources):
    if names is None:
        return sources
    wanted = [name.strip() for name in names.split(",")]
    missing = set(wanted) - {source.name for source in sources}
    if missing:
        raise ValueError(f"--only: {sorted(missing)[0]}: there is no such source; there are "
                         + ", ".join(source.name for source in sources))
    return [source for source in sources if source.name in wanted]
