#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The files that fringe image writes: FITS files with those beside them, and pictures."""
import os
import shlex
import sys

from ..images import fits_bytes
from ..images.cleaning import describe_clean
from ..images.gridders import error_of
from ..images.make import without_folder
from ..images.outliers import describe_outliers
from ..images.spectra import fits_a_cube, image_of_group, mean_image, term_images
from ..images.texts import names_of_files
from ..ground.new_file import new_file


def all_outputs(outputs, settings):
    """The names of all files that come of some outputs. Raises ValueError where two are one."""
    clean = settings.clean
    kinds = [kind for kind, there in (("residual", clean), ("model", clean),
                                      ("psf", settings.psf or clean)) if there]
    names, groups = list(outputs), range(settings.channels_out if settings.channels_out > 1 else 0)
    for outlier in settings.outliers:
        of_field = [_beside(path, outlier.name) for path in outputs]
        names += of_field + _files_beside(of_field, kinds, groups)
    if settings.primary_beam:
        kinds += ["apparent", "beam"]
    names += _files_beside(outputs, kinds, groups)
    if clean and clean.join_channels:
        names += _files_beside(outputs, ["mfs", "mfs-residual", "mfs-model"]
                               + [f"term{t}" for t in range(clean.terms)])
    for number, name in enumerate(names):
        if os.path.realpath(name) in map(os.path.realpath, names[:number]):
            raise ValueError(f"--output: names one file twice: {name}")
    return names


def _files_beside(paths, kinds, groups=()):
    """Of each kind, and of each group of channels, where these do not fit into a cube."""
    found = []
    for path in paths:
        if path.lower().endswith(".fits"):
            cubes = [_beside(path, kind) for kind in kinds]
            found += cubes + [_beside(cube, group) for cube in [path, *cubes] for group in groups]
    return found


def _beside(path, kind):
    stem, ending = os.path.splitext(path)
    return f"{stem}-{kind}{ending}"


def title_of(telescope, options):
    """The line above a picture."""
    return f"{telescope or 'Image'}: {names_of_files(options.files)}"


def write_image(path, made, options, sources, reports):
    """Writes a `sky_image` and its outlier fields, and says what it wrote."""
    if path.lower().endswith(".png"):
        _draw(path, made, options, sources, reports)
        for field in made.outliers:
            _draw(_beside(path, field.frame.name), field, options, None, None)
        return
    history = history_of(options, f"{made.visibilities} visibilities") + made.remarks
    history += [*describe_clean(made, options.unit), *describe_outliers(made, options.unit)]
    unit = options.unit
    cube = fits_a_cube(made)
    parts = _parts(path, made, unit, cube)
    if options.join_channels or options.spectral_terms:
        mean = mean_image(made)
        parts += [(_beside(path, "mfs"), mean, mean.values, unit),
                  (_beside(path, "mfs-residual"), mean, mean.residual, unit),
                  (_beside(path, "mfs-model"), mean, mean.model, unit.replace("beam", "pixel"))]
        parts += [(_beside(path, f"term{t}"), term, term.values, unit)
                  for t, term in enumerate(term_images(made, options.spectral_terms))]
    for field in made.outliers:
        parts += _parts(_beside(path, field.frame.name), field, unit, cube)
    for name, image, values, unit in parts:
        if values is not None:
            with new_file(name, options.overwrite) as file:
                file.write(fits_bytes(image, history, unit, values))
            print(f"wrote {name}")
    if not cube:
        options.say("note: the frequencies of the images are not evenly spaced, as the axis of a "
                    "cube is: each has files of its own")


def _parts(path, made, unit, cube):
    """(path, sky_image, values, unit) of an image and what stands beside it."""
    if not cube:
        return [(_beside(name, group), part, values, of)
                for group in range(len(made.frequencies))
                for name, part, values, of in _parts(path, image_of_group(made, group), unit, True)]
    return [(path, made, made.values, unit),
            (_beside(path, "residual"), made, made.residual, unit),
            (_beside(path, "model"), made, made.model, unit.replace("beam", "pixel")),
            (_beside(path, "psf"), made, made.psf, ""),
            (_beside(path, "apparent"), made, made.apparent, unit),
            (_beside(path, "beam"), made, made.primary_beam, "")]


def _draw(path, made, options, sources, reports):
    with new_file(path, options.overwrite) as file:
        from ..images import draw_image
        draw_image(made, file, sources, reports, options.unit, title_of(made.telescope, options),
                   stretch=options.stretch)
    print(f"wrote {path}")


def history_of(options, *more):
    """Lines for the history of a FITS file."""
    return ["fringe " + shlex.join(sys.argv[1:]),
            f"visibilities of {', '.join(without_folder(options.files))}", *more,
            f"weights {options.weight}, gridder {options.gridder}, eps "
            f"{error_of(options.gridder, options.eps):g}"] + (
                ["data conjugated"] * options.conjugate)
