# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of a simulated array with interference, and what is left of it in visibilities."""
import os
import subprocess

import numpy as np

from gnuradio import fringe

INPUTS, CHANNELS, RATE = 6, 64, 1e6
DUMP, DUMPS = 0.1, 64  # seconds
SAMPLES = int(DUMP * DUMPS * RATE)
KINDS = ("carrier", "satellite", "burst", "radar")
STRENGTHS = (0.5, 1, 2)  # amplitudes
SEARCHES = ("pulses", "spectra", "dumps", "all")
STEPS = 14  # of the converter, standard deviation of a part of the noise
EVERY = 1 << 18  # samples that are made together
WEIGHT = DUMP * RATE / CHANNELS  # of a whole dump in a MeasurementSet

OBSERVATION = f"""
site: {{latitude: 50, longitude: 8}}
antennas: [{", ".join(f"[{17 * k % 60}, {29 * k % 70}, 0]" for k in range(INPUTS))}]
format: ci8
sample_rate: {RATE}
center_frequency: 100e6
start_time: 2026-07-01T00:00:00
channels: {CHANNELS}
integration: {DUMP}
"""


def interference(kind, t, noise):
    """Samples at the times t, of a station, in units of the noise's standard deviation."""
    if kind == "carrier":  # FM: a tone that wanders over 15 kHz, on for 2 s of 6.4
        phase = 2 * np.pi * (-210e3 * t - 7.5e3 / 700 * np.cos(2 * np.pi * 700 * t) / (2 * np.pi))
        return 0.07 * np.exp(1j * phase) * ((t > 1.5) & (t < 3.5))
    if kind == "satellite":  # a tone that drifts over a quarter of the band
        return 0.06 * np.exp(2j * np.pi * (100e3 * t + 20e3 * t * t))
    if kind == "burst":  # noise of the whole band, 10 ms each 1.3 s
        return 0.5 * noise(t) * (t % 1.3 > 1.29)
    if kind == "radar":  # 2 us each ms, 50 times the noise
        return np.sqrt(50) * np.exp(2j * np.pi * 130e3 * t) * (t % 1e-3 < 2e-6)
    return np.zeros(len(t))


def on_air(kind):
    """[dump]: the part of its samples that have interference of the whole band."""
    if kind not in ("burst", "radar"):
        return np.zeros(DUMPS)
    t = np.arange(SAMPLES) / RATE
    here = interference(kind, t, lambda t: np.ones(len(t))) != 0
    return here.reshape(DUMPS, -1).mean(axis=1)


def write(folder, kind, strength=1, seed=3):
    """A recording, of noise alone where the kind is ""; the noise is the same in all of a seed."""
    path = os.path.join(folder, f"{kind or 'clean'}.ci8")
    noise, common = np.random.default_rng(seed), np.random.default_rng(seed + 1)

    def common_noise(t):
        x = common.standard_normal((len(t), 2), np.float32)
        return (x[:, 0] + 1j * x[:, 1]) / np.sqrt(2)
    with open(path, "wb") as file:
        for first in range(0, SAMPLES, EVERY):
            count = min(EVERY, SAMPLES - first)
            t = (first + np.arange(count)) / RATE
            x = noise.standard_normal((count, INPUTS, 2), np.float32)
            heard = strength * np.sqrt(2) * interference(kind, t, common_noise)
            if kind:
                turned = heard[:, None] * np.exp(2j * np.pi * 0.618 * np.arange(INPUTS))
                x[..., 0] += turned.real
                x[..., 1] += turned.imag
            np.rint(STEPS * x).clip(-127, 127).astype(np.int8).tofile(file)
    return path


class kept:
    """What a search leaves of the baselines of a recording: data, flags and weights (1: all) of
    [dump, channel, baseline]. The channel of both edges of the band is left out."""

    def __init__(self, recording, flag):
        folder = os.path.dirname(recording)
        observation, output = os.path.join(folder, "o.yml"), os.path.join(folder, "o.ms")
        with open(observation, "w", encoding="utf-8") as file:
            file.write(OBSERVATION)
        other = flag == "aoflagger"
        fringe.correlate(recording, output, observation, overwrite=True,
                         flag="none" if other else flag)
        if other:
            subprocess.run(["aoflagger", output], check=True, capture_output=True)
        vis = fringe.read_visibilities(output)
        first, second = np.triu_indices(INPUTS)
        baselines = first != second
        self.data, self.flags, weights = (some[:, 1:, baselines] for some in (
            vis.data, vis.flags, vis.weights))
        self.weights = weights / WEIGHT if weights.max() > 1.5 else weights


def scores(kind, dirty, clean, what):
    """(recall, false flags, clean data lost), in parts. Interference D is in the cells [dump,
    channel] where it is more than 0.3 of the noise, rms over the baselines. Recall: the mean part
    of D that is gone from them, all of it where they are flagged, else 1 - Re((V - V_clean) D*) /
    |D|^2, which the noise of data left out does not bias. Of the other cells: those that are
    flagged, and the weight that is gone, but for the part of their samples in which interference
    of the whole band is on: these are not clean."""
    more = dirty.data - clean.data
    power = (np.abs(more)**2).mean(axis=2, keepdims=True)
    there = np.broadcast_to(power > (0.3 * np.std(clean.data))**2, more.shape)
    left = np.where(what.flags, 0, ((what.data - clean.data) * more.conj()).real)
    lost = 1 - np.where(what.flags, 0, what.weights / dirty.weights)
    on = np.broadcast_to(on_air(kind)[:, None, None], lost.shape)
    lost = np.where(on > 0, np.maximum(lost - on, 0), lost)
    return (1 - left[there].sum() / (np.abs(more[there])**2).sum(),
            *(some[~there].mean() if not there.all() else 0 for some in (what.flags, lost)))
