#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Size and scale of images on the command line."""
import re

import numpy as np

#: Degrees of a unit of angles.
ANGLES = {'deg': 1.0, 'arcmin': 1 / 60, 'amin': 1 / 60, 'arcsec': 1 / 3600, 'asec': 1 / 3600,
          'mas': 1 / 3.6e6, 'uas': 1 / 3.6e9, 'rad': 180 / np.pi, '': 1.0}


def pixels(text, option="--size", what=""):
    """(columns, rows) of --size, or of an option that has such a part; None without it;
    ValueError."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)(?:[x,](\d+))?", text)
    size = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not all(8 <= n <= 32768 for n in size):
        raise ValueError(f"{option}: {what or text + ': '}must be a number of pixels, 8 to 32768, "
                         "or two, 1024x512")
    return size


def pixel_scale(text):
    """Direction cosine a pixel, of --scale; None without it; ValueError."""
    return None if text is None else angle(text, "--scale", "; of a pixel")


def angle(text, option, what=""):
    """Radians of an angle with a unit; a number alone is in degrees. Raises ValueError."""
    found = re.fullmatch(r"([-+.\deE]+?)\s*(deg|arcmin|amin|arcsec|asec|mas|uas|rad|)", text)
    try:
        value = float(found[1]) * ANGLES[found[2]] if found else 0.0
    except ValueError:
        value = 0.0
    if not 0 < value <= 45:
        raise ValueError(f"{option}: {text}: must be an angle such as 0.5arcmin, 30arcsec, "
                         f"0.01deg{what}")
    return float(np.radians(value))
