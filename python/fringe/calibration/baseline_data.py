#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a source that should have phase 0: what errors of positions and delays leave."""

import numpy as np

from .. import fringe_python as fp
from ..readers.visibilities import SPEED_OF_LIGHT
from .data import chosen_channels
from .delay_spectra import channel_places, delay_spectra
from .quality import unsolved
from .sources import calibration_source, source_delays

#: Parts of the band that are fitted apart, and of the time in which delays are looked for.
BANDS, BLOCKS = 16, 16
#: Points of the delay spectrum to a resolution, and the height of its peak in medians.
OVERSAMPLING, LOWEST_PEAK = 8, 4.0
#: Amplitude, in medians of a baseline, of what is neither noise nor source.
LOUDEST = 6.0


def source_of(vis, source):
    """The source of a set: as given, else the phase center of its file. Raises ValueError."""
    if source is None:
        if vis.phase_center is None:
            raise ValueError(f"{vis.path}: is phased to no direction; say which source it observed "
                             "(sources=NAME, or a catalogue)")
        name, ra, dec = vis.phase_center
        if name in fp.source_names():
            return calibration_source(name, fp.phase_center.named(name))
        place = fp.phase_center()
        place.frame, place.longitude, place.latitude = fp.phase_center.kind.radec, ra, dec
        source = calibration_source(name or vis.path, place)
    if not isinstance(source.direction, fp.phase_center):
        raise ValueError(f"{source.name}: is a satellite; baselines need sources that are so far "
                         "away that their waves are flat")
    return source


class tracked_set:
    r"""One file of one source, divided by the model that the observation makes of it.

    What is left on the baseline of inputs i and j, with r the error of a position, c_i of a cable
    delay and phi of a phase (conventions.md):

        arg z = 2 pi f (r_i - r_j).s / c - 2 pi f (c_i - c_j) + phi_i - phi_j

    s: unit vectors to the source in ITRF, [dump][3]. cut() makes the cells that are fitted.
    """

    def __init__(self, vis, observation, source=None, channels=None):
        self.vis, self.path, self.source = vis, vis.path, source_of(vis, source)
        if observation.tracking and vis.uvw is None:
            raise ValueError(f"{vis.path}: was tracked, and does not say to which direction; write "
                             "a MeasurementSet, UVH5 or UVFITS")
        self._use = chosen_channels(vis, channels)
        self.f = vis.frequencies[self._use]
        self._tau = source_delays(vis, observation, [self.source])[0]
        self.s = np.array([self.source.towards(observation, fp.epoch(int(second), float(part)))
                           for second, part in zip(vis.seconds, vis.fractions)])
        hands = np.array([hand for _, hand in vis.inputs])
        antenna = np.array([number for number, _ in vis.inputs])
        bad = set(vis.bad_inputs) | {k for k, e in enumerate(observation.inputs) if e.bad}
        i, j = vis.products
        usable = (hands[i] == hands[j]) & (antenna[i] != antenna[j])
        usable &= ~np.isin(i, list(bad)) & ~np.isin(j, list(bad))
        self._products = np.flatnonzero(usable)
        self.i, self.j = i[usable], j[usable]

    def _pair(self, p):
        """Visibilities over the model and their weights, [dump][channel], and how many are so
        loud that they are interference and get the weight 0."""
        at = np.s_[:, self._use, self._products[p]]
        tau = self._tau[:, self.i[p]] - self._tau[:, self.j[p]]
        w = np.where(self.vis.flags[at], 0.0, self.vis.weights[at])
        z = self.vis.data[at] * _turn(np.outer(tau, self.f))
        size = np.abs(z)
        loud = (w > 0) & (size > LOUDEST * np.median(size[w > 0])) if w.any() else w > 0
        return z, np.where(loud, 0, w), int(loud.sum())

    def coarse_delays(self):
        """Peaks of the delay spectra: (pair, mean s, delay of i against j), a row a block of time.

        Only the size of the spectra of single dumps is added up: fringes may rotate.
        """
        if len(self.f) < 4:
            return []
        places, found = channel_places(self.f, f"{self.path}: frequencies"), []
        for p in range(len(self.i)):
            z, w, _ = self._pair(p)
            for some in np.array_split(np.arange(len(z)), min(BLOCKS, len(z))):
                delays, heights = delay_spectra(w[some] * z[some], places,
                                                np.diff(self.f).min(), OVERSAMPLING)
                height = (heights ** 2).sum(axis=0)
                peak = int(np.argmax(height))
                if height[peak] > LOWEST_PEAK * np.median(height) > 0 or len(self.f) < 16:
                    found.append((p, self.s[some].mean(axis=0), delays[peak]))
        return found

    def cut(self, position, delay):
        """Averages over parts of the band, with errors of positions (ITRF, [antenna][3]) and
        delays ([input]) taken out: `z`, `w` [dump][band][pair], `bands` Hz, and `noise`: the
        variance of a visibility of weight 1 [pair], from the scatter of channels within a part;
        NaN where a part has one channel."""
        antenna = np.array([number for number, _ in self.vis.inputs])
        late = delay - (self.s @ position.T)[:, antenna] / SPEED_OF_LIGHT
        parts = np.array_split(np.arange(len(self.f)), max(1, min(BANDS, len(self.f) // 2)))
        shape = (len(self.s), len(parts), len(self.i))
        self.bands = np.array([self.f[part].mean() for part in parts])
        self.z, self.w = np.zeros(shape, complex), np.zeros(shape)
        self.noise, self.loud = np.full(len(self.i), np.nan), 0
        for p in range(len(self.i)):
            z, w, loud = self._pair(p)
            self.loud += loud
            z = z * _turn(np.outer(late[:, self.i[p]] - late[:, self.j[p]], self.f))
            scatter = freedom = 0
            for b, part in enumerate(parts):
                total = w[:, part].sum(axis=1)
                mean = (w[:, part] * z[:, part]).sum(axis=1) / np.where(total > 0, total, 1)
                scatter += (w[:, part] * np.abs(z[:, part] - mean[:, None]) ** 2).sum()
                freedom += ((w[:, part] > 0).sum() - (total > 0).sum())
                self.z[:, b, p], self.w[:, b, p] = mean, total
            if freedom > 0:
                self.noise[p] = scatter / freedom
        if not self.w.any():
            raise unsolved(f"{self.path}: everything is flagged")


def _turn(turns):
    return np.exp(2j * np.pi * (turns - np.rint(turns)))
