#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe calibrate: phases, gains and delays of the inputs, from visibilities."""
import sys

from .. import fringe_python as fp
from ..calibration.common_signal import calibrated, inner_band
from ..calibration.file import write_calibrated
from ..calibration.quality import MAX_MISFIT, MAX_UNEXPLAINED, unsolved
from ..calibration.report import in_words
from ..solving.by_common_signal import calibrate_by_common_signal
from ..solving.by_sources import calibrate_by_sources
from ..calibration.trust import MIN_COHERENCE
from ..ground.new_file import check_new_file
from ..readers.chosen import reference_number
from ..visibility_files.read_visibilities import read_visibilities
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import number
from .selected import add_selection, selected
from .terms import EPILOG, add_terms, channels_of, check_without_terms, known_sources, run_terms

DESCRIPTION = """\
Solves for the complex gain of every input, and with --delays for its delay, from visibilities
of sources whose directions are known, or of one signal wired to all inputs. Prints a table, and
with -o writes an observation file that takes it all out. What is found is added to what the
observation says already, since that was taken out of the visibilities.

With --terms it solves for any terms, each with its interval in time and frequency, from a file of
any telescope; no observation is needed.
"""

EXAMPLES = """\
examples:
  fringe calibrate cyga.ms --observation array.yml --source 19h59m28.4s,+40d44m02s -o new.yml
  fringe calibrate sky.ACC --observation array.yml --azel 120,45,10 --azel 200,60,4
  fringe calibrate tart.ms --terms G:phase --catalogue tart_satellites.yml --channels 225:285 \
         --max-misfit 1 -o tart.h5
  fringe calibrate diode.ACC --observation two.yml --common-signal --without off.ACC -o new.yml
  fringe calibrate 3c286.ms --terms "K G:30s B" --model 3c286-model.fits -o x.cal.h5

""" + EPILOG + """
A catalogue is a YAML list:
  - {name: Cygnus A, ra: 19h59m28.4s, dec: +40d44m02s, flux: 10}
  - {name: beacon, az: 120, el: 45}            # degrees; its flux is fitted
  - {name: G07, satellite: g07.txt}            # a table of instants and ITRF positions

exit codes: 0 solved, 1 could not be carried out, 2 bad input or usage, 3 no gains that can be
trusted follow from these data
"""
UNSOLVED = 3


def add_parser(commands):
    p = commands.add_parser("calibrate", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="VISIBILITIES", help=VISIBILITY_ENDINGS)
    p.add_argument("--obs", "--observation", dest="observation", metavar="OBS.yml",
                   help="the observation it was correlated with; not with --terms")
    p.add_argument("-o", "--output", metavar="NEW.yml", help="observation file to write; with "
                   "--terms a table of solutions")
    p.add_argument("--overwrite", action="store_true", help="replace an output that is there")
    known = p.add_argument_group("what was observed")
    known.add_argument("--source", action="append", default=[], metavar="RA,DEC[,FLUX]",
                       help="ICRS, as in the observation file, or a name such as Sun; "
                       "may be repeated")
    known.add_argument("--azel", action="append", default=[], metavar="AZ,EL[,FLUX]",
                       help="degrees; may be repeated")
    known.add_argument("--catalogue", metavar="LIST", help="a file of sources, see below, or "
                       "names such as Sun,CasA")
    known.add_argument("--common-signal", action="store_true",
                       help="one signal wired to all inputs, as of a noise diode")
    known.add_argument("--without", metavar="FILE", help="visibilities with that signal off")
    solver = p.add_argument_group("what is solved")
    solver.add_argument("--phases-only", action="store_true", help="gains stay as they are")
    solver.add_argument("--delays", action="store_true",
                        help="a delay for each input, too (always with --common-signal)")
    solver.add_argument("--free-spectra", action="store_true",
                        help="fitted fluxes may differ from channel to channel")
    solver.add_argument("--reference", metavar="ANTENNA", help="whose phase is 0; by default "
                        "the one with the most signal")
    solver.add_argument("--channels", metavar="A:B", help="A ... B - 1, counted from 0; by "
                        "default all but a sixteenth at each end of the band, with --terms all")
    solver.add_argument("--max-unexplained", type=number, metavar="X",
                        help="part of the visibilities, noise taken off, that may be left over "
                             f"(default {MAX_UNEXPLAINED})")
    solver.add_argument("--max-misfit", type=number, metavar="X",
                        help="by how much the means of single baselines may differ from the "
                             f"model, noise taken off (default {MAX_MISFIT}, or "
                             "--max-unexplained where that is given)")
    solver.add_argument("--min-coherence", type=number, metavar="X",
                        help="correlation coefficient that inputs must have with --common-signal "
                             f"alone (default {MIN_COHERENCE:g}; 0: any)")
    solver.add_argument("--accept-untested", action="store_true",
                        help="take data without noise, too, whose fit no noise tests")
    solver.add_argument("--mark-bad", action="store_true",
                        help="inputs found bad are known bad in NEW.yml")
    add_terms(p)
    add_selection(p)


def run(options):
    try:
        if options.terms is not None:
            return run_terms(options)
        check_without_terms(options)
        return _run(options)
    except unsolved as error:
        options.say(f"fringe calibrate: {options.file}: {error}", file=sys.stderr)
        return UNSOLVED


def _run(options):
    sources = _sources(options)
    if options.output:
        check_new_file(options.output, options.overwrite)
    obs = fp.observation.from_file(options.observation)
    vis = read_visibilities(options.file, **selected(options))
    if options.output:
        check_new_file(options.output, options.overwrite)
    if vis.frequencies is None:
        raise ValueError(f"{options.file}: does not say at which frequencies it was made")
    count = len(vis.frequencies)
    inner = inner_band(count) if count >= 16 else slice(0, count)
    unexplained = MAX_UNEXPLAINED if options.max_unexplained is None else options.max_unexplained
    common = {"channels": channels_of(options, count, inner),
              "reference": reference_number(options.reference, vis.antennas),
              "phases_only": options.phases_only, "max_unexplained": unexplained,
              "max_misfit": options.max_misfit,
              "accept_untested": options.accept_untested}
    if options.common_signal:
        without = options.without and read_visibilities(options.without, **selected(options))
        least = MIN_COHERENCE if options.min_coherence is None else options.min_coherence
        found = calibrate_by_common_signal(vis, obs, without, min_coherence=least, **common)
    else:
        found = calibrate_by_sources(vis, obs, sources, delays=options.delays,
                                     free_spectra=options.free_spectra, **common)
    options.say("\n".join(vis.remarks + in_words(found)))
    if options.output:
        bad = found.bad if options.mark_bad else ()
        write_calibrated(options.output, calibrated(obs, found.receivers, bad),
                         options.observation, overwrite=options.overwrite)
        print(f"wrote {options.output}")
    return 0


def _sources(options):
    sources = known_sources(options)
    if options.common_signal == bool(sources):
        raise ValueError("say what was observed: --source, --azel or --catalogue, or else "
                         "--common-signal")
    if options.without and not options.common_signal:
        raise ValueError("--without: goes with --common-signal")
    if options.min_coherence is not None:
        if not options.common_signal or options.without:
            raise ValueError("--min-coherence: goes with --common-signal, and without --without")
        if not 0 <= options.min_coherence <= 1:
            raise ValueError(f"--min-coherence: {options.min_coherence:g}: must be 0 to 1")
    for name, value in (("--max-unexplained", options.max_unexplained),
                        ("--max-misfit", options.max_misfit)):
        if value is not None and not 0 < value <= 1:
            raise ValueError(f"{name}: {value:g}: must be more than 0 and at most 1")
    return sources
