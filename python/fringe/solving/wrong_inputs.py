#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Why an input does not fit the model of the sky: dead, swapped with another one, or mirrored."""

import numpy as np

from ..calibration.delay_spectra import channel_places, delay_spectra
from ..ground.dump_values import product

#: Power under which an input is dead, of the median of all.
DEAD = 0.1
#: Signal-to-noise ratio of a fringe that is no chance, and by what factor it is more than that of
#: the place where the input should be.
SURE, MORE = 8.0, 2.0
#: How many times better a spectrum fits the mirrored one of the others, in the mean square.
MIRRORED = 4.0


class wrong_inputs:
    """Finds out what is wrong with inputs, from visibilities and the gains of the others.

      vis: visibilities with data of some dumps; sky: those of the model, the same shape
      gains: of the good inputs, complex [input][channel], the others NaN
      complex_samples: whether the band of an input is that around its center frequency
    """

    def __init__(self, vis, sky, gains, complex_samples=True):
        self._vis, self._sky, self._gains = vis, sky, gains
        self._good = np.isfinite(gains).all(axis=1)
        self._count = len(vis.inputs)
        self._complex = complex_samples
        valid = (vis.weights > 0) & ~vis.flags
        own = [int(product(k, k, self._count)) for k in range(self._count)]
        weights = np.where(valid[..., own], vis.weights[..., own], 0).sum(axis=0)
        power = (np.where(valid, vis.data, 0)[..., own].real * np.where(
            valid[..., own], vis.weights[..., own], 0)).sum(axis=0)
        #: mean powers, [channel][input]; NaN where there are none
        self._power = np.where(weights > 0, power / np.where(weights > 0, weights, 1), np.nan)
        self._weights = np.where(valid, vis.weights, 0)

    def why(self, bad):
        """{input: sentence} of some inputs, where more can be said than that they do not fit."""
        found, fringes = {}, {}
        for k in bad:
            if self._is_dead(k):
                found[k] = "dead: no power, or less than a tenth of the others'"
                continue
            fringes[k] = self._place(k, bad)
        for k, place in fringes.items():
            if place is not None and fringes.get(place) == k:
                found[k] = f"swapped with {self._vis.input_name(place)}"
            elif place is not None:
                found[k] = f"hears what {self._vis.input_name(place)} should hear"
            elif self._is_mirrored(k):
                found[k] = "mirrored: its spectrum is that of the others from high to low"
        return found

    def _is_dead(self, k):
        level = np.nanmedian(self._power, axis=0) if np.isfinite(self._power).any() else None
        return level is None or not level[k] > DEAD * np.nanmedian(level[self._good])

    def _place(self, k, bad):
        """The input in whose place k fits, for sure, or None."""
        other_hand = [n for n, entry in enumerate(self._vis.inputs)
                      if entry[0] == self._vis.inputs[k][0]]
        places = sorted({*bad, *other_hand} - {k})
        if not places:
            return None
        heights = [self._fringe(k, place) for place in places]
        best = int(np.argmax(heights))
        return (places[best] if heights[best] > max(SURE, MORE * self._fringe(k, k)) else None)

    def _fringe(self, k, place):
        """Signal-to-noise ratio of the fringe of input k, were it in another place."""
        hands = [hand for _, hand in self._vis.inputs]
        others = [j for j in np.flatnonzero(self._good)
                  if hands[j] == hands[place] and j not in (k, place)]
        if not others:
            return 0.0
        seen, model = (self._products(values, at, others) for values, at in
                       ((self._vis.data, k), (self._sky, place)))
        weights = np.abs(self._products(self._weights, k, others))
        scale = np.sqrt(np.maximum(self._power[:, [k]] * self._power[:, others], 1e-300))
        model = model * self._gains[others].conj().T
        use = (weights > 0) & np.isfinite(scale)
        seen, model = (np.where(use, values / scale, 0) for values in (seen, model))
        weights = np.where(use, weights, 0)
        values = (weights * seen * model.conj()).sum(axis=(0, 2))
        noise = (weights ** 2 * np.abs(model) ** 2 * (np.abs(seen) ** 2)).sum(axis=(0, 2))
        f = self._vis.frequencies
        if not noise.sum() > 0:
            return 0.0
        if len(f) < 2:
            return float(np.abs(values.sum()) / np.sqrt(noise.sum()))
        order = np.argsort(f)
        _, heights = delay_spectra(values[order], channel_places(f[order]),
                                   np.diff(f[order]).min(), 4)
        # delay_spectra divides by the number of points.
        return float(heights.max() * len(heights) / np.sqrt(noise.sum()))

    def _products(self, values, k, others):
        """V_kj of others j, [dump][channel][j]."""
        others = np.asarray(others)
        found = values[..., product(np.minimum(k, others), np.maximum(k, others), self._count)]
        return np.where(others < k, np.conj(found), found)

    def _is_mirrored(self, k):
        """Whether its spectrum is more like the mirrored one of the others than like theirs."""
        level = self._power / np.nanmedian(self._power, axis=0)
        usual = np.nanmedian(level[:, self._good], axis=1)
        count = len(usual)
        back = (count - np.arange(count)) % count if self._complex else np.arange(count)[::-1]
        straight, mirrored = (np.nanmean((level[:, k] - other) ** 2)
                              for other in (usual, usual[back]))
        scatter = np.nanmedian([np.nanmean((level[:, j] - usual) ** 2)
                                for j in np.flatnonzero(self._good)])
        return bool(straight > MIRRORED * max(mirrored, scatter))
