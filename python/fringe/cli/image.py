#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image: an image of visibility files."""
import argparse
import contextlib
import os
import sys

from .. import fringe_python as fp
from ..chains.several_gpus import names_of
from ..images import image_settings, make_image
from ..images.cleaning import describe_clean
from ..images.gridders import NAMES
from ..images.make import describe
from ..images.outliers import describe_outliers
from ..images.stretch import STRETCHES
from ..images.texts import NUMBER
from ..ground.new_file import check_new_file
from ..visibility_files.read_visibilities import read_visibilities
from ..observing.settings import positive
from ..visibility_files.visibility_kinds import VISIBILITY_ENDINGS
from .clean_options import add_clean, clean_of
from .image_files import all_outputs, history_of, title_of, write_image
from .numbers import backend, duration, frequency_band, gpus, number, whole
from .outliers import add_outliers, outliers_of
from .pixels import pixel_scale, pixels
from .selected import add_selection, selected

DESCRIPTION = """\
Makes an image of one visibility file, or of several together: a FITS file, and a picture.
Without --size and --scale both are chosen from the longest baseline. Around the zenith the image
is that of the whole sky above the horizon. With --clean x.fits is the restored image, and beside
it come x-residual.fits, x-model.fits and x-psf.fits. With --every 1s there is an image for each
second: x.fits is a cube, x_%04d.fits and x_%04d.png are numbered files, x.mp4 is a movie.
"""

EXAMPLES = """\
examples:
  fringe image sky.ms -o sky.fits -o sky.png
  fringe image night1.ms night2.ms -o field.fits --size 2048 --scale 0.5arcmin --weight briggs:0
  fringe image sky.uvh5 -o cube.fits --channels-out 16 --pol IQUV
  fringe image sky.ms -o sky.fits --clean 10000 --threshold 3sigma --weight briggs:0
  fringe image sky.ms -o sky.fits --clean 10000 --scales auto --channels-out 4 --spectral-terms 2
  fringe image sky.ms -o sky.fits --clean 10000 --outlier 3C48,01:37:41.3,+33:09:35,64
  fringe image a.ms b.ms c.ms -o mosaic.fits --beam airy:25m --clean 10000
  fringe image sky.ms -o mosaic.fits --field all --spw 0,2 --beam airy:25m --clean 10000
  fringe image sky.uvh5 -o sky.fits -o sky.mp4 --every 10s --all-sky
"""
NOT_THERE = 3


def add_parser(commands):
    p = commands.add_parser("image", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("files", metavar="VIS", nargs="+", help="visibility files: "
                   + VISIBILITY_ENDINGS)
    p.add_argument("-o", "--output", action="append", required=True, metavar="IMG",
                   help="x.fits or x.png; repeated for both; with --every see above")
    p.add_argument("--every", type=duration, metavar="TIME", help="an image for each 1s, 500ms, "
                   "10min; a number alone is in seconds")
    p.add_argument("--rate", type=number, default=10.0, metavar="N", help="images of a movie that "
                   "are shown in a second (default 10)")
    p.add_argument("--size", metavar="N|NxM", help="pixels: columns, and rows where they differ")
    p.add_argument("--scale", metavar="ANGLE", help="of a pixel: 0.5arcmin, 30arcsec, 0.01deg; "
                   "a number alone is in degrees")
    p.add_argument("--weight", default="natural", metavar="HOW",
                   help="natural (default), uniform, or briggs:R with R from -2 to 2")
    p.add_argument("--pol", default="I", metavar="NAME",
                   help="I (default) Q U V XX YY RR LL, IQUV, or XX,YY")
    p.add_argument("--pol-frame", choices=("sky", "feed"), default="sky", help="sky (default): Q "
                   "and U count from the north of the sky, feeds that turn against it are turned "
                   "back; feed: as the feeds stood")
    p.add_argument("--band", metavar="HZ,HZ", help="channels from one frequency to another; by "
                   "default all")
    p.add_argument("--channels-out", type=whole, default=1, metavar="N",
                   help="images in frequency; 1 (default): one of all channels")
    p.add_argument("--eps", type=number, default=1e-4, metavar="E", help="rms error of the "
                   "gridder, of the rms of the image: 2e-6 to 0.1 (default 1e-4)")
    p.add_argument("--gridder", choices=NAMES, default="auto", help="separable; direct: the "
                   "direct sum, exact; wprojection: W-projection, error 1e-3; ducc: of the Python "
                   "package ducc0; auto (default): direct where that is quick, wprojection on a "
                   "GPU for small fields with an error of 1e-3, else separable")
    p.add_argument("--backend", type=backend, default="auto", metavar="{auto,cuda,cuda:1,cpu}",
                   help="where separable, wprojection and the minor cycles of CLEAN compute; auto "
                   "(default): on a GPU if there is one")
    p.add_argument("--devices", type=gpus, metavar="{all,0,1,...}", help="GPUs that share the "
                   "visibilities of every image, by their numbers, instead of --backend: 0,1, or "
                   "all")
    p.add_argument("--support", type=whole, default=0, metavar="N", help="of W-projection: width "
                   "of its kernels, 8 to 128 cells; by default what the field and w need")
    p.add_argument("--w-planes", type=whole, default=0, metavar="N", help="of W-projection: "
                   "planes in w; by default what the error needs")
    p.add_argument("--beam", metavar="NAME", help="divide by the primary beam: airy:25m, "
                   "gaussian:1.5deg@1.4GHz, table:FILE, dipole:0.3m, mwa or mwa:AZ,EL; "
                   "x-apparent.fits is the image before, x-beam.fits the beam; files or fields "
                   "of several phase centers become a mosaic")
    p.add_argument("--beam-limit", type=number, default=0.1, metavar="B", help="no values where "
                   "the beam is below B (default 0.1)")
    p.add_argument("--all-sky", action=argparse.BooleanOptionalAction, default=None,
                   help="the sky above the horizon, around the zenith in mid-run; by default "
                        "where the phase center is the zenith, or without one")
    p.add_argument("--conjugate", action="store_true", help="for files of the other sign: their "
                   "images are turned by 180 degrees")
    p.add_argument("--sky", metavar="LIST", help="names such as Sun,CasA, an observation file, "
                   "or a catalogue as fringe calibrate takes it, whose sources are marked in the "
                   "picture")
    p.add_argument("--check", action="store_true", help="also say whether each of these is where "
                   "it should be; exit code 3 when one is not")
    p.add_argument("--stretch", choices=STRETCHES, default="auto", help="of the colors of a "
                   "picture; auto (default): asinh where the peak is 100 times the noise or more, "
                   "so that faint parts show beside it, else linear (the whole sky: a power of "
                   "0.6)")
    p.add_argument("--unit", metavar="TEXT", help="of the values, for BUNIT (default Jy/beam "
                   "where a file says Jy, else count/beam)")
    p.add_argument("--psf", action="store_true", help="also write the point spread function, "
                   "x-psf.fits")
    add_selection(p, "; with --beam several, a,b,c, or all, become a mosaic")
    p.add_argument("--overwrite", action="store_true", help="replace existing files")
    add_clean(p)
    add_outliers(p)


def run(options):
    settings = _settings(options)
    if options.every is not None:
        return _run_series(options, settings)
    outputs = _outputs(options.output)
    if options.check and not options.sky:
        raise ValueError("--check: name the observation file whose sources are looked for with "
                         "--sky")
    known = _known(options)
    paths = [os.path.normpath(path) for path in options.files]
    for path in paths:
        fp.note_read(path)
    for path in all_outputs(outputs, settings):
        check_new_file(path, options.overwrite)
    made = make_image(paths, settings, _progress(),
                      **selected(options))
    options.unit = options.unit or f"{made.unit}/beam"
    options.say(describe(made, options.files))
    for line in [*describe_clean(made, options.unit), *describe_outliers(made, options.unit)]:
        options.say(line)
    for remark in made.remarks:
        options.say(f"note: {remark}")
    sources = reports = None
    if known:
        from ..images import mirrored
        from ..images.imaging import check_sources, peaks
        from ..images.known import known_sources
        from ..images.square_image import as_picture
        picture = as_picture(made)
        sources = known_sources(known, made)
        remark = mirrored.remark(made, sources, options.conjugate)
        if remark:
            options.say(f"note: {remark}")
        reports = check_sources(picture, sources, found=peaks(picture)) if options.check else None
    for path in outputs:
        write_image(path, made, options, sources, reports)
    return _exit_code(reports) if reports else 0


def _known(options):
    """The sources of --sky; None without it."""
    if not options.sky:
        return None
    from ..images.known import read_known
    return read_known(options.sky)


def _run_series(options, settings):
    """An image for each interval of time."""
    from ..images.outputs import cube_file, image_output
    from ..images.series import image_series
    every = options.every
    if options.check or settings.psf or settings.outliers:
        raise ValueError("--check, --psf, --outlier: are for one image; leave out --every")
    known = _known(options)
    paths = [os.path.normpath(path) for path in options.files]
    for path in paths:
        fp.note_read(path)
        if not os.path.exists(path):
            raise ValueError(f"{path}: there is no such file")
    for path in options.output:
        if path.lower().endswith(".png") and not NUMBER.search(path):
            raise ValueError(f"--output: {path}: there will be many images; x_%04d.png has a "
                             "number for each")
    chosen = selected(options)
    first = read_visibilities(paths[0], with_data=False, **chosen)
    options.unit = options.unit or f"{first.unit}/beam"
    title = title_of(first.telescope, options)
    history = history_of(options, f"an image for each {every:g} s")
    with contextlib.ExitStack() as stack:
        outputs = []
        for path in options.output:
            outputs.append(image_output(path, options.unit, history, options.overwrite, known,
                                        title, options.rate, every, options.stretch))
            stack.callback(outputs[-1].discard)
        one_frame = any(isinstance(output, cube_file) for output in outputs)
        count = empty = 0
        for number, made in enumerate(image_series(
                paths, settings, every, one_frame, _progress(),
                **chosen)):
            if made is None:
                empty += 1
                continue
            if count == 0:
                print(f"image {number}: {describe(made, options.files)}")
                remarks = made.remarks
            count += 1
            for output in outputs:
                output.add(made, number)
        sentences = [output.close() for output in outputs]
        stack.pop_all()
    print(f"{count} images of {every:g} s, {empty} intervals without visibilities")
    for line in [f"note: {remark}" for remark in remarks] + sentences:
        options.say(line)
    return 0


def _settings(options):
    weight, _, robust = options.weight.partition(":")
    if weight not in ("natural", "uniform", "briggs") or (robust and weight != "briggs"):
        raise ValueError(f"--weight: {options.weight}: must be natural, uniform or briggs:R")
    try:
        robust = float(robust or 0)
    except ValueError:
        robust = float("nan")
    if not -5 <= robust <= 5:
        raise ValueError(f"--weight: {options.weight}: the number after briggs: is -2 (nearly "
                         "uniform) to 2 (nearly natural)")
    if not 2e-6 <= options.eps <= 0.1:
        raise ValueError(f"--eps: {options.eps:g}: must be 2e-6 to 0.1; single precision has no "
                         "more")
    positive("--channels-out", options.channels_out, "number of images")
    if not 0 < options.beam_limit < 1:
        raise ValueError(f"--beam-limit: {options.beam_limit:g}: must be more than 0 and less than "
                         "1, the middle of the beam")
    if (options.support or options.w_planes) and options.gridder != "wprojection":
        raise ValueError("--support, --w-planes: go with --gridder wprojection")
    if options.devices and options.backend != "auto":
        raise ValueError(f"--devices: goes instead of --backend, which is {options.backend}")
    if options.devices and options.gridder in ("direct", "ducc"):
        raise ValueError(f"--devices: --gridder {options.gridder} computes on the CPU; GPUs have "
                         "separable and wprojection")
    return image_settings(size=pixels(options.size), scale=pixel_scale(options.scale),
                          weight=weight, robust=robust, pol=options.pol,
                          pol_frame=options.pol_frame, band=frequency_band(options.band),
                          channels_out=options.channels_out,
                          epsilon=options.eps, gridder=options.gridder,
                          backend=options.backend,
                          devices=names_of(options.devices) if options.devices else (),
                          support=options.support, w_planes=options.w_planes,
                          conjugate=options.conjugate, all_sky=options.all_sky,
                          psf=options.psf, clean=clean_of(options),
                          primary_beam=_primary_beam(options.beam),
                          beam_limit=options.beam_limit,
                          outliers=outliers_of(options.outlier))


def _primary_beam(text):
    """Of --beam; None without it."""
    if text is None:
        return None
    from ..primary_beams import beam_of
    return beam_of(text)


def _outputs(paths):
    for path in paths:
        if path.lower().endswith(".mp4") or NUMBER.search(path):
            raise ValueError(f"--output: {path}: is for many images; give the time of each, "
                             "--every 1s")
        if not path.lower().endswith((".fits", ".png")):
            raise ValueError(f"--output: {path}: an image is a FITS file or a picture; end its "
                             "name in .fits or .png")
    return paths


def _exit_code(reports):
    for report in reports:
        print(report)
    missing = [r for r in reports if not r.ok]
    print(f"{len(reports) - len(missing)} of {len(reports)} sources are where they should be")
    return NOT_THERE if missing else 0


def _progress():
    """A bar where somebody sees it; None elsewhere."""
    return _bar if sys.stderr is not None and sys.stderr.isatty() else None


def _bar(part):
    print(f"\r{100 * part:3.0f} %" + "\n" * (part >= 1), end="", file=sys.stderr, flush=True)
