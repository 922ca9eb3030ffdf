#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The sources that are left when the strongest are peeled off: a model of them, by CLEAN."""

from dataclasses import replace

import numpy as np

from ..images.cleaning import clean_settings
from ..images.make import image_maker, image_settings, nothing_seen
from .model_sky import pixel_model

#: CLEAN finds sources of FOUND standard deviations of the noise, and takes them out down to
#: DOWN_TO, with at most COMPONENTS components.
FOUND, DOWN_TO, COMPONENTS = 5.0, 1.0, 100000
#: rms error of the gridder, of the rms of the image.
EPSILON = 1e-4


class other_sources:
    """Finds other sources in images of what peeling left: an image of each polarization, around
    the file's phase center, or of the sky above the horizon where that is the zenith."""

    def __init__(self, peeled):
        """peeled: directions (l, m, n) of the sources that are peeled. No component comes within
        a beam of them: what is left there belongs to their gains."""
        self._avoid = [tuple(source[:2]) for source in peeled if source[2] > 0]
        self._makers = {}
        #: sum of the last model, the mean of the polarizations, in the unit of the data
        self.flux = 0.0

    def visibilities(self, left, weights):
        """Those of the sources that CLEAN finds in `visibilities` with data, complex64
        [dump][channel][product]. weights: of the same shape, 0 = not used."""
        made = np.zeros(left.data.shape, np.complex64)
        hands = [name for name in sorted({hand for _, hand in left.inputs})
                 if sum(hand == name for _, hand in left.inputs) > 1]
        fluxes = []
        for name in hands:
            try:
                image = self._maker(2 * name).make([replace(left, weights=weights,
                                                            flags=weights <= 0)])
            except nothing_seen:
                continue
            model = np.nan_to_num(image.model)
            fluxes.append(float(model.sum()))
            if model.any():
                sky = pixel_model(model, image.frame, (image.pixel, image.pixel), image.planes,
                                  image.frequencies, EPSILON)
                made += sky.visibilities(left)
        self.flux = float(np.mean(fluxes)) if fluxes else 0.0
        return made

    def _maker(self, plane):
        if plane not in self._makers:
            self._makers[plane] = image_maker(image_settings(
                pol=plane, epsilon=EPSILON, clean=clean_settings(
                    COMPONENTS, sigmas=DOWN_TO, auto_mask=FOUND, avoid=self._avoid)))
        return self._makers[plane]
