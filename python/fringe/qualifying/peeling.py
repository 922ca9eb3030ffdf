#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""15: peeling: what is left of strong sources, and of the others."""
import numpy as np

from ..sky_model.directional_gains import peel_samples, source_visibilities
from .requirement import at_most, between, group, measured

GROUP = group(15, "Peeling")
STATIONS, SAMPLES = 48, 8
STRONG = ((0.3, 0.2, 1000.0), (-0.25, 0.3, 700.0))  # l, m, image noise of a sample
FAINT = ((0.05, -0.1, 30.0), (-0.15, -0.05, 25.0), (0.1, 0.1, 20.0))


class peeled:
    """Visibilities [sample][baseline] with noise of 1: two strong sources in stations of any gains
    towards them, and faint ones; and what peeling leaves."""

    def __init__(self, work):
        rng = work.rng
        # A spiral: by chance, random places have sidelobes of one source on another.
        turns = np.arange(STATIONS) * (3 - np.sqrt(5)) / 2
        places = 60 * np.sqrt(np.arange(STATIONS) + 0.5)[:, None] * np.stack(
            [np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)], 1)
        places = places + rng.normal(0, 2, places.shape)
        i, j = np.triu_indices(STATIONS, 1)
        waves = np.linspace(150e6, 155e6, SAMPLES) / 299792458.0
        self.uv = (places[i] - places[j]) * waves[:, None, None]
        self.unit = 1 / np.sqrt(2 * len(i))
        noise = work.noise(SAMPLES, len(i)).astype(complex)
        self.rest = noise + sum(flux * self.unit * self.wave(l, m) for l, m, flux in FAINT)
        data = self.rest.copy()
        for l, m, flux in STRONG:
            gain = (1 + 0.1 * rng.standard_normal(STATIONS)) * np.exp(
                0.35j * rng.standard_normal(STATIONS))
            data += gain[i] * gain[j].conj() * flux * self.unit * self.wave(l, m)
        models, pairs = [self.wave(l, m) for l, m, _ in STRONG], np.stack([i, j], 1)
        found, _ = peel_samples(data, np.ones(data.shape), models, pairs, STATIONS)
        self.left = data - sum(source_visibilities(source.gain, model, pairs)
                               for source, model in zip(found, models))

    def wave(self, l, m):
        return np.exp(2j * np.pi * (self.uv @ [l, m]))

    def pixel(self, data, l, m):
        return (data * self.wave(l, m).conj()).real.mean()


METHOD = ("Two sources of 1000 and 700 times the image noise in 48 stations with gains of 10 % and "
          "20 degrees towards each, 8 samples; ")


@GROUP.requires("Peeled sources are gone.", at_most(1.0, "image noises"),
                METHOD + "the largest height that is left in the image at their places.")
def gone(work):
    made = work.once(peeled)
    return measured(max(abs(made.pixel(made.left, l, m)) for l, m, _ in STRONG)
                    / (made.unit / np.sqrt(SAMPLES)))


@GROUP.requires("Faint sources keep their flux when strong ones are peeled.", between(0.9, 1.05),
                METHOD + "flux of three faint ones over that without the strong ones. Gains of 48 "
                "stations take a part of about 2 K / (N - 1) / 8 of it.")
def kept(work):
    made = work.once(peeled)
    return measured(np.divide(*(sum(flux * made.pixel(data, l, m) for l, m, flux in FAINT)
                                for data in (made.left, made.rest))))


@GROUP.requires("What peeling adds to the noise is little.", at_most(0.06),
                METHOD + "mean square of what is left minus the visibilities without the strong "
                "sources, over that of the noise.")
def added(work):
    made = work.once(peeled)
    return measured((np.abs(made.left - made.rest) ** 2).mean())
