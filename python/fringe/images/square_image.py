#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An image that is square and has its middle at l = m = 0, for pictures and for point sources."""

from dataclasses import dataclass

import numpy as np

from .middle import middle_of


@dataclass
class image:
    """An image of the sky, orthographic: l (east) along columns, m (north) along rows."""
    values: np.ndarray      #: [m][l], NaN below the horizon
    axis: np.ndarray        #: direction cosine of each column, and of each row
    beam: float             #: width at half maximum of the point response, direction cosine
    frequency: float        #: Hz, mean
    unit: str
    rotation: np.ndarray    #: (l, m, n) = rotation (east, north, up)
    phased: bool            #: l = m = 0 is the phase center, not the zenith
    instant: tuple          #: (seconds, fraction), middle of the data, as in `visibilities`
    note: str               #: what was left out, or ""
    groups: list
    kind: str = 'dirty image'  #: what it is called
    top: float = None  #: where the colors of a picture end; None = at the highest value
    #: [m][l], where the primary beam leaves no value; None = nowhere
    masked: np.ndarray = None

    @property
    def total_weight(self):
        return sum(g.weights.sum() for g in self.groups)


def as_picture(made):
    """One `sky_image` as an `image`: the mean over planes of frequency, of the first
    polarization. It is square, with its middle at l = m = 0: parts without sky are not a
    number."""
    mean, masked = made.mean(), made.masked()
    side = max(mean.shape) // 2 * 2 + 1
    values = _placed(mean, np.full((side, side), np.nan, mean.dtype))
    if masked is not None:
        masked = _placed(masked, np.zeros((side, side), bool))
    axis = (np.arange(side) - side // 2) * made.pixel
    return image(values=values, axis=axis,
                 beam=float(np.sqrt(made.beam[0] * made.beam[1])),
                 frequency=float(made.frequencies.mean()), unit='',
                 rotation=np.eye(3) if made.frame.rotation is None else made.frame.rotation,
                 phased=made.frame.phased, instant=made.middle,
                 note='; '.join(made.remarks), groups=[],
                 kind=made.kind, masked=masked)


def _placed(part, whole):
    """A rectangle in the middle of a square, which it is written to."""
    side = len(whole)
    column, row = (side // 2 - middle for middle in middle_of(*part.shape[::-1]))
    whole[row:row + part.shape[0], column:column + part.shape[1]] = part
    return whole
