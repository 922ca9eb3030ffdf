#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe plot: a page of pictures of a visibility file, a table of solutions, or a pulsar."""
import os

from ..beams.psrfits import is_psrfits
from ..images.frame import frame_of
from ..images.imaging import check_sources, find_sources, peaks
from ..images.known import known_sources, places_of_known, read_known
from ..images.square_image import as_picture
from ..images.sky_image import sky_image
from ..images.stretch import STRETCHES
from ..ground.new_file import check_new_file
from ..plots.page import ENDINGS, picture_of, plot_page
from ..plots.solutions import plot_solutions
from ..pulsars.profile_picture import write_picture
from ..pulsars.psrfits_read import read_profiles
from ..observing.settings import positive
from ..readers.chosen import (chosen_baselines, chosen_channels, chosen_dumps,
                              cut_to_channels)
from ..solution_tables.tables import TABLE_ENDINGS, is_solution_table, read_solutions
from ..visibility_files.read_visibilities import read_visibilities
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .numbers import frequency_band, whole
from .selected import add_selection, selected

DESCRIPTION = """\
Draws one page: fringe amplitude and phase per baseline, autocorrelation spectra, delay (lag)
spectra, and the all-sky dirty image when antenna positions are known. With --baselines the page
shows these baselines alone: amplitude and phase against time (UTC) and against frequency.

Of a table of calibration solutions: delay, amplitude and phase of every term, against time and
frequency, with their standard errors. Of the profiles of a pulsar (PSRFITS, fold mode): their sum,
and over frequency and time.
"""

EXAMPLES = """\
examples:
  fringe plot sky.ms -o sky.png
  fringe plot sky.ms --baselines west-east --time 60,120 -o fringe.pdf
  fringe plot sky.ms --baselines auto --db --band 1.4195e9,1.4205e9
  fringe plot sky.ms --sky array.yml --check       marks the true sources; exit code 3 when one
                                                   is not where it should be
  fringe plot night.h5 --antennas west,east        calibration solutions
  fringe plot crab.fits                            profiles of a pulsar
"""
NOT_THERE = 3


def add_parser(commands):
    p = commands.add_parser("plot", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="FILE", help="visibility file: " + VISIBILITY_ENDINGS
                   + "; or solutions: " + TABLE_ENDINGS + "; or profiles of a pulsar: .fits")
    p.add_argument("-o", "--output", metavar="PAGE",
                   help="x.png, x.pdf or x.svg; default: FILE with .png")
    p.add_argument("--baselines", metavar="A-B[,C-D...]",
                   help="these alone, against time and frequency: cross, auto, or pairs of inputs "
                   "by name")
    p.add_argument("--band", metavar="HZ,HZ", help="channels from here to there")
    p.add_argument("--time", metavar="FROM,TO", help="dumps from here to there: times in UTC "
                   "(2026-06-12T10:00:00), or seconds from the start")
    p.add_argument("--db", action="store_true", help="amplitudes in decibels")
    p.add_argument("--stretch", choices=STRETCHES, help="of the colors of the image, as fringe "
                   "image has it (default auto)")
    p.add_argument("--sky", metavar="LIST", help="whose sources are marked: names such as "
                   "Sun,CasA, an observation file with a sky, or a catalogue as fringe calibrate "
                   "takes it")
    p.add_argument("--check", action="store_true",
                   help="also say whether every source of the sky is where it should be")
    p.add_argument("--antennas", metavar="NAME,NAME", help="of a table of solutions: these alone")
    p.add_argument("--polarizations", choices=("XY", "RL"), help="of a table of CASA that does not "
                   "say it")
    add_selection(p)
    p.add_argument("--inputs", type=whole, metavar="N", help="of an .ACC without its .yml")
    p.add_argument("--channels", type=whole, metavar="C", help="of an .ACC without its .yml")


#: Options of a page of visibilities, and of one of solutions.
OF_VISIBILITIES = ("baselines", "band", "time", "db", "stretch", "sky", "check", "inputs",
                   "channels", "field", "spw", "subarray", "column")
OF_SOLUTIONS = "antennas", "polarizations"


def run(options):
    if is_psrfits(options.file):
        return _plot_profiles(options)
    table = is_solution_table(options.file)
    for name in OF_VISIBILITIES if table else OF_SOLUTIONS:
        if getattr(options, name) not in (None, False):
            raise ValueError(f"--{name}: {options.file} is " + (
                "a table of solutions; this is for visibilities" if table else
                "no table of solutions, which this is for"))
    return _plot_table(options) if table else _plot_visibilities(options)


def _output(options):
    output = options.output or os.path.splitext(options.file.rstrip("/"))[0] + ".png"
    if os.path.splitext(output)[1].lower() not in ENDINGS:
        raise ValueError(f"--output: {output}: the page ends in " + ", ".join(ENDINGS))
    return output


def _plot_profiles(options):
    for name in (*OF_VISIBILITIES, *OF_SOLUTIONS):
        if getattr(options, name) not in (None, False):
            raise ValueError(f"--{name}: {options.file} holds profiles of a pulsar, which this is "
                             "not for")
    output = _output(options)
    parts, axes, title = read_profiles(options.file)
    check_new_file(output, overwrite=True)
    write_picture(output, parts, axes, title, overwrite=True)
    print(f"wrote {output}")


def _plot_table(options):
    output = _output(options)
    found = read_solutions(options.file, options.polarizations)
    check_new_file(output, overwrite=True)
    plot_solutions(found, output, os.path.basename(os.path.normpath(options.file)),
                   options.antennas and options.antennas.split(","))
    print(f"wrote {output}")


def _plot_visibilities(options):
    if options.check and not options.sky:
        raise ValueError("--check: name the sources that are looked for with --sky")
    positive("--inputs", options.inputs, "number of inputs")
    positive("--channels", options.channels, "number of channels")
    output = _output(options)
    if options.sky and options.baselines:
        raise ValueError("--baselines: the page of some baselines has no image; leave --sky out")
    if options.stretch and options.baselines:
        raise ValueError("--stretch: the page of some baselines has no image; leave it out")
    sky = read_known(options.sky) if options.sky else None
    vis, baselines = _chosen(options)
    check_new_file(output, overwrite=True)
    sources = reports = picture = None
    if sky:
        picture = picture_of(vis)
        sources, reports = _sources(sky, vis, picture)
    plot_page(vis, output, sources, picture=picture, reports=reports, baselines=baselines,
              in_decibels=options.db, stretch=options.stretch or "auto")
    print(f"wrote {output}")
    for remark in vis.remarks:
        options.say(f"note: {remark}")
    if options.check:
        for report in reports:
            print(report)
        missing = [r for r in reports if not r.ok]
        print(f"{len(reports) - len(missing)} of {len(reports)} sources are where they should be")
        return NOT_THERE if missing else 0
    return 0


def _sources(sky, vis, picture):
    """Where the sources should be, and whether they are there."""
    if isinstance(picture, sky_image):
        sources, seen = known_sources(sky, picture), as_picture(picture)
        return sources, check_sources(seen, sources, found=peaks(seen))
    frame = frame_of(vis, None if vis.uvw is None else False)
    sources = places_of_known(sky, picture, frame, picture.instant if vis.has_times else None)
    return sources, check_sources(picture, sources, found=find_sources(picture))


def _chosen(options):
    """What is asked for of the file, and the baselines, None for the page of all."""
    size = options.inputs, options.channels
    band = frequency_band(options.band)
    chosen = selected(options)
    if options.time is None:
        vis = read_visibilities(options.file, *size, **chosen)
    else:
        described = read_visibilities(options.file, *size, with_data=False, **chosen)
        vis = read_visibilities(options.file, *size, dumps=chosen_dumps(described, options.time),
                                **described.selection.keywords())
    if band is not None:
        cut_to_channels(vis, chosen_channels(vis, band, vis.data.shape[1]))
    if options.baselines is None:
        return vis, None
    words = options.baselines
    return vis, chosen_baselines(vis, words if words in ("all", "cross", "auto")
                                 else words.split(","))
