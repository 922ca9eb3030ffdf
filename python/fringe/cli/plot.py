#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe plot: one page of pictures of a visibility file."""
import argparse
import os

from .. import fringe_python as fp
from ..imaging import check_sources, dirty_image, find_sources, true_positions
from ..new_file import check_new_file
from ..plots.page import plot_page
from ..settings import positive
from ..readers.read_visibilities import KINDS, read_visibilities
from .numbers import whole

DESCRIPTION = """\
Draws one page: fringe amplitude and phase per baseline, autocorrelation spectra, delay (lag)
spectra, and the all-sky dirty image when antenna positions are known.
"""

EXAMPLES = """\
examples:
  fringe plot sky.ms -o sky.png
  fringe plot sky.ms --sky array.yml --check       marks the true sources; exit code 3 when one
                                                   is not where it should be
"""
NOT_THERE = 3


def add_parser(commands):
    p = commands.add_parser(
        "plot", help="fringes, spectra, lags and an all-sky image", description=DESCRIPTION,
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.set_defaults(run=run)
    p.add_argument("file", metavar="FILE", help="visibility file: "
                   + ", ".join(KINDS.values()))
    p.add_argument("-o", "--output", metavar="PNG", help="default: FILE with .png")
    p.add_argument("--sky", metavar="OBS.yml", help="observation file whose sky is marked")
    p.add_argument("--check", action="store_true",
                   help="also say whether every source of the sky is where it should be")
    p.add_argument("--inputs", type=whole, metavar="N", help="of an .ACC without its .yml")
    p.add_argument("--channels", type=whole, metavar="C", help="of an .ACC without its .yml")


def run(options):
    if options.check and not options.sky:
        raise ValueError("--check: name the observation file whose sky it is with --sky")
    positive("--inputs", options.inputs, "number of inputs")
    positive("--channels", options.channels, "number of channels")
    output = options.output or os.path.splitext(options.file.rstrip("/"))[0] + ".png"
    if not output.lower().endswith(".png"):
        raise ValueError(f"--output: {output}: the page is a PNG file; end its name in .png")
    sky = fp.observation.from_file(options.sky) if options.sky else None
    if sky and not sky.sky:
        raise ValueError(f"--sky: {options.sky} has no sources in its section sky")
    vis = read_visibilities(options.file, options.inputs, options.channels)
    check_new_file(output, overwrite=True)
    sources = reports = picture = None
    if sky:
        picture = dirty_image(vis)
        sources = true_positions(sky, picture)
        reports = check_sources(picture, sources, found=find_sources(picture))
    plot_page(vis, output, sources, picture=picture, reports=reports)
    print(f"wrote {output}")
    if options.check:
        for report in reports:
            print(report)
        missing = [r for r in reports if not r.ok]
        print(f"{len(reports) - len(missing)} of {len(reports)} sources are where they should be")
        return NOT_THERE if missing else 0
    return 0
