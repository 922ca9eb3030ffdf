#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One image of a `sky_image`, as those of the whole sky are."""

import numpy as np

from .imaging import image
from .middle import middle_of


def as_picture(made):
    """One image as fringe.imaging.image: the mean over planes of frequency, of the first
    polarisation. It is square, with its middle at l = m = 0: parts without sky are not a
    number."""
    mean = made.mean()
    side = max(mean.shape) // 2 * 2 + 1
    values = np.full((side, side), np.nan, mean.dtype)
    column, row = (side // 2 - middle for middle in middle_of(*mean.shape[::-1]))
    values[row:row + mean.shape[0], column:column + mean.shape[1]] = mean
    axis = (np.arange(side) - side // 2) * made.pixel
    return image(values=values, axis=axis,
                 beam=float(np.sqrt(made.beam[0] * made.beam[1])),
                 frequency=float(made.frequencies.mean()), unit='',
                 rotation=np.eye(3) if made.frame.rotation is None else made.frame.rotation,
                 phased=made.frame.phased, instant=made.middle,
                 note='; '.join(made.remarks), groups=[],
                 kind=made.kind)
