#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Skies in visibility files, put there by double sums, for tests of what images come of them."""
import os

import numpy as np
from casacore.tables import table
from gnuradio import fringe

C = 299792458.0


def snapshot(folder, antennas, generator, name="sky.ms", dumps=1, channels=8, extent=400.0,
             center=None, polarizations="X", latitude=-26.7, feeds=None, bandwidth=4.096e6,
             depth=0.0):
    """A MeasurementSet, or another file, of noise: random antennas in a plane, or over `depth` m
    of height, and a few dumps.

    feeds: of each antenna, fields of the observation file: mount, feed_angle, receptors."""
    places = generator.normal(0, extent / 2, (antennas, 2)).round(3)
    obs = fringe.observation.from_text(repr({
        "site": {"latitude": latitude, "longitude": 116.7, "height": 300.0},
        "antennas": [{"enu": [float(e), float(n), depth * a / antennas],
                      **(feeds[a] if feeds else {})} for a, (e, n) in enumerate(places)],
        "polarizations": list(polarizations), "sample_rate": bandwidth, "center_frequency": 150e6,
        "start_time": "2026-06-12T16:00:00Z", "phase_center": center or "zenith",
        "channels": channels, "taps": 1, "window": "hann",
        "integration": 64 * channels / bandwidth, "sky": {"receiver_noise": 1.0}}))
    raw = os.path.join(folder, name + ".ci8")
    fringe.simulate(obs, raw, 64 * channels * dumps, format="ci8")
    path = os.path.join(folder, name)
    fringe.correlate(raw, path, raw + ".yml")
    os.remove(raw)
    return path


class ms_sky:
    """The cross-correlations of a MeasurementSet, to be replaced."""

    def __init__(self, path):
        self.path = path
        with table(path, ack=False) as ms:
            self.rows = np.flatnonzero(ms.getcol("ANTENNA1") != ms.getcol("ANTENNA2"))
            self.uvw = ms.getcol("UVW")[self.rows]
            self.antennas = np.stack([ms.getcol(f"ANTENNA{k}")[self.rows] for k in (1, 2)], 1)
            self.times = np.unique(ms.getcol("TIME")[self.rows], return_inverse=True)[1]
            self.shape = ms.getcol("DATA").shape
        with table(os.path.join(path, "SPECTRAL_WINDOW"), ack=False) as window:
            self.frequencies = window.getcol("CHAN_FREQ")[0]

    def point(self, l, m, flux=1.0, width=0.0):
        """[row][channel]; width at half maximum of a round Gaussian, direction cosine."""
        n = np.sqrt(1 - l * l - m * m)
        turns = (self.uvw @ [l, m, n - 1])[:, None] * self.frequencies / C
        size = np.hypot(*self.uvw[:, :2].T)[:, None] * self.frequencies / C
        return (flux * np.exp(2j * np.pi * turns)
                * np.exp(-(np.pi * width * size)**2 / (4 * np.log(2))))

    def noise(self, sigma, generator):
        """Complex, of standard deviation sigma."""
        return sigma * (generator.standard_normal((*self.uvw.shape[:1], len(self.frequencies), 2))
                        @ [1, 1j]) / np.sqrt(2)

    def write(self, data, flags=None):
        """Data [row][channel], for all correlations, or [row][channel][correlation]."""
        with table(self.path, readonly=False, ack=False) as ms:
            full, marks = ms.getcol("DATA"), ms.getcol("FLAG")
            full[self.rows] = data if data.ndim == 3 else data[..., None]
            marks[self.rows] = False if flags is None else flags[..., None]
            ms.putcol("DATA", full)
            ms.putcol("FLAG", marks)
            if "WEIGHT_SPECTRUM" in ms.colnames():
                ms.putcol("WEIGHT_SPECTRUM", np.ones(full.shape, np.float32))
            ms.putcol("WEIGHT", np.ones(ms.getcol("WEIGHT").shape, np.float32))


