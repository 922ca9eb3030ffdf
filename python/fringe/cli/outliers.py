#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Outlier fields on the command line."""
import re

from .. import fringe_python as fp
from ..images.outliers import outlier_field
from .pixels import pixels


def add_outliers(p):
    """Adds the option to a parser."""
    p.add_argument("--outlier", action="append", default=[], metavar="NAME,RA,DEC,SIZE",
                   help="a small field around a strong source outside of the image, cleaned "
                        "together with it: SIZE pixels, N or NxM; NAME,SIZE for a source such as "
                        "CasA; x-NAME.fits is its image; may be repeated")


def outliers_of(texts):
    """outlier_field of each NAME,RA,DEC,SIZE or NAME,SIZE. Raises ValueError."""
    found = tuple(_outlier(text) for text in texts)
    names = [outlier.name.lower() for outlier in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"--outlier: {name}: is the name of two fields; each has its own "
                             "files")
    return found


def _outlier(text):
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in (2, 4):
        raise ValueError(f"--outlier: {text}: must be NAME,RA,DEC,SIZE, such as "
                         "3C48,01:37:41.3,+33:09:35,64, or NAME,SIZE for a source such as CasA")
    name, *place, size = parts
    if not re.fullmatch(r"[\w+-]+", name):
        raise ValueError(f"--outlier: {text}: NAME is part of the names of files: letters, digits, "
                         "_, + and -")
    from ..calibration.sources import source_at  # which needs YAML
    try:
        center = (source_at(",".join(place), False, name).direction if place
                  else fp.phase_center.named(name))
    except ValueError as error:
        raise ValueError(f"--outlier: {text}: {error}") from None
    if center.frame != fp.phase_center.kind.radec:
        raise ValueError(f"--outlier: {text}: moves among the stars; an outlier field does not")
    return outlier_field(name, (center.longitude, center.latitude),
                         pixels(size, "--outlier", f"{text}: SIZE "))
