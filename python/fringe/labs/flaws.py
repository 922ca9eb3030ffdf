#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What goes wrong in recordings of real receivers, put into simulated ones on purpose."""
import numpy as np


def gain_drift(voltages, first, rise):
    """Voltages [time] of a receiver whose power gain changes evenly.

        v (1 + rise (first + k) / 2)

    first: where in the observation they begin, 0 to 1 at its end, an array [time]; rise: by which
    share the power grows from the beginning to the end, for small ones.
    """
    return voltages * (1 + rise * first / 2).astype(np.float32)


def phase_drift(voltages, first, degrees, turn=0.0):
    """Voltages [time] of a receiver that adds a phase, which changes evenly by `turn` degrees in
    all; first: as in gain_drift()."""
    phase = np.radians(degrees + turn * np.asarray(first))
    return voltages * np.exp(1j * phase).astype(np.complex64)


def carrier(seconds, frequency, power):
    """A transmitter with one frequency, Hz from the middle of the band: complex [time]."""
    return (np.sqrt(power) * np.exp(2j * np.pi * frequency * seconds)).astype(np.complex64)


def burst(seconds, begin, length, power, rng):
    """Interference of the whole band for some seconds: complex noise [time], 0 elsewhere."""
    noise = np.zeros(len(seconds), np.complex64)
    there = (seconds >= begin) & (seconds < begin + length)
    parts = rng.normal(0, np.sqrt(power / 2), (np.count_nonzero(there), 2))
    noise[there] = parts[:, 0] + 1j * parts[:, 1]
    return noise


def late_start(voltages, samples):
    """A recorder that was started so many samples after the other."""
    return voltages[samples:]
