#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the parameters of a block of images say, checked."""

import numpy as np

from ..images.gridders import NAMES
from ..observing.stokes import planes_of
from ..images.sky_image import image_settings


def checked_settings(block, size, scale=0.0, pol="I", weight="natural", channels_out=1,
                     gridder="auto", eps=1e-3):
    """`image_settings` of the parameters of a block; ValueError with a sentence that names it."""
    how, _, robust = str(weight).partition(":")
    try:
        robust = float(robust or 0)
    except ValueError:
        robust = float("nan")
    try:
        planes_of(pol)
    except ValueError as error:
        raise ValueError(str(error).replace("pol: ", f"{block}: pol ", 1)) from None
    for field, value, right, what in (
            ("size", size, int(size) == size and 8 <= size <= 8192,
             "it must be 8 to 8192 pixels"),
            ("scale", scale, 0 <= scale <= 45,
             "it must be an angle of a pixel in degrees (0 = chosen for you)"),
            ("weight", weight, how in ("natural", "uniform", "briggs") and -5 <= robust <= 5,
             "it must be natural, uniform, or briggs:R with R from -2 to 2"),
            ("gridder", gridder, gridder in NAMES, f"there are {', '.join(NAMES)}"),
            ("eps", eps, 2e-6 <= eps <= 0.1, "it must be 2e-6 to 0.1")):
        if not right:
            raise ValueError(f"{block}: {field} {value}; {what}")
    return image_settings(
        size=(int(size),) * 2, scale=float(np.radians(scale)) or None, pol=pol, weight=how,
        robust=robust, channels_out=channels_out, gridder=gridder, epsilon=eps)
