#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe calibrate --terms: any terms, from a file of any telescope."""

from ..calibration.apply_to_file import of_raw_data
from ..calibration.sources import source_at, sources_of
from ..solution_tables.tables import (TABLE_ENDINGS, check_new_table, read_solutions,
                                      write_solutions)
from ..solving.clip import CLIP
from ..primary_beams import beam_of
from ..solving.file import calibrate_file
from ..solving.of_file import of_uvrange
from ..solving.report import in_words
from ..solving.solve import MIN_SNR
from ..solving.terms import terms_of
from ..visibility_files.read_visibilities import read_visibilities
from .numbers import number
from .selected import selected

#: Options that go with --terms alone.
ONLY = ("beam", "model", "time", "uvrange", "min_snr", "clip", "flux_from")
#: Options that do not go with it.
OTHERS = ("observation", "common_signal", "without", "phases_only", "delays", "free_spectra",
          "mark_bad", "max_unexplained", "min_coherence")

EPILOG = """\
Terms are delays K, gains G, bandpasses B, X-Y delay and phase Kcross, leakages D. Each may have
options after a colon, with commas between: 30s, 5min, 2h (interval in time; all of it by default),
4ch, 2MHz (in frequency; the whole band by default, B each channel), amp, phase (of G and B), poly3
(B smoothed by polynomials of that degree).
"""


def add_terms(parser):
    """Adds --terms and what goes with it."""
    group = parser.add_argument_group("any terms, from a file of any telescope")
    group.add_argument("--terms", metavar="TERMS", help="\"K G:30s B:1ch D\", in the order in "
                       "which they are solved for first, see below; -o names a table: "
                       + TABLE_ENDINGS)
    group.add_argument("--model", metavar="MODEL", help="what was observed, in place of sources: "
                       "an image, an observation file with a sky or a catalogue with fluxes, as "
                       "fringe predict takes them; MODEL_DATA, that column of a MeasurementSet; or "
                       "a source of the flux scale, as 3C286")
    group.add_argument("--beam", metavar="NAME", help="multiply the fluxes of an image or of "
                       "sources by a primary beam, as fringe image has it: airy:25m for example")
    group.add_argument("--flux-from", metavar="TABLE", help="solutions from a source of known "
                       "flux: by their gains the flux of one --source without a flux is found")
    group.add_argument("--time", metavar="FROM,TO", help="dumps from here to there: times in UTC "
                       "(2026-06-12T10:00:00), or seconds from the start")
    group.add_argument("--uvrange", metavar="LOW:HIGH", help="projected baselines, in wavelengths; "
                       "0.1:5kl in thousands of them, 30:500m in meters")
    group.add_argument("--min-snr", type=number, metavar="S", help="least signal-to-noise ratio of "
                       f"a solution; smaller ones are flagged (default {MIN_SNR:g})")
    group.add_argument("--clip", type=number, metavar="S", help="baselines whose residuals are "
                       "this many times the noise are left out of a dump "
                       f"(default {CLIP:g}; 0: none)")


def check_without_terms(options):
    """Raises ValueError for options that go with --terms alone, and for what is needed else."""
    for name in ONLY:
        if getattr(options, name) is not None:
            raise ValueError(f"{name}: goes with --terms")
    if options.observation is None:
        raise ValueError("observation: is needed without --terms")


def known_sources(options):
    """Sources of --source, --azel and --catalogue."""
    sources = [source_at(text, False) for text in options.source]
    sources += [source_at(text, True) for text in options.azel]
    return sources + (sources_of(options.catalogue) if options.catalogue else [])


def channels_of(options, count, default):
    """The channels of --channels, a slice."""
    if not options.channels:
        return default
    try:
        first, last = (int(part) for part in options.channels.split(":"))
    except ValueError:
        raise ValueError(f"--channels: '{options.channels}': give two whole numbers, "
                         "as 10:118") from None
    if not 0 <= first < last <= count:
        raise ValueError(f"--channels: {options.channels}: there are channels 0 ... {count - 1}, "
                         "and B is one behind the last")
    return slice(first, last)


def run_terms(options):
    """Solves, says what is found, and writes it."""
    for name in OTHERS:
        value = getattr(options, name)
        if value is not None and value is not False:  # 0 is a value, too
            raise ValueError(f"{name}: does not go with --terms")
    if options.clip is not None and options.clip < 0:
        raise ValueError(f"clip: {options.clip:g}: must be 0 or more")
    terms = terms_of(options.terms)
    uvrange = of_uvrange(options.uvrange) if options.uvrange else None
    if options.output:
        check_new_table(options.output, options.overwrite)
    chosen = of_raw_data(options.file, selected(options))
    described = read_visibilities(options.file, with_data=False, **chosen)
    count = 0 if described.frequencies is None else len(described.frequencies)
    solver = calibrate_file(
        options.file, terms, options.model, known_sources(options), options.time,
        channels_of(options, count, None), uvrange, options.reference,
        MIN_SNR if options.min_snr is None else options.min_snr, options.max_misfit,
        CLIP if options.clip is None else options.clip or None, options.accept_untested,
        options.flux_from and read_solutions(options.flux_from),
        beam_of(options.beam) if options.beam else None, **chosen)
    options.say("\n".join(described.remarks + in_words(solver)))
    if options.output:
        for name in write_solutions(options.output, solver.found, options.overwrite):
            print(f"wrote {name}")
    return 0
