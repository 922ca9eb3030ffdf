#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The phase of a pulsar at the times of spectra, and the delay of its dispersion."""
import numpy as np

DISPERSION = 1e12 / 2.41e-4  #: D, Hz^2 s for 1 pc / cm^3: the number that all pulsar programs use


def delay(dm, frequency):
    """Seconds by which a frequency (Hz) is late against an infinitely high one, D DM / f^2."""
    return DISPERSION * dm / np.square(frequency)


def turns(phase, start, offsets):
    """The phases (pulse_phase) at `offsets` (seconds, an array) from `start` (an epoch), counted
    from a whole turn. Four instants are asked for, and a polynomial goes through them: over
    minutes it is exact to 1e-9 for any pulsar."""
    low, high = float(np.min(offsets)), float(np.max(offsets))
    nodes = np.linspace(low, max(high, low + 1e-3), 4)
    there = [phase.at(start.plus_seconds(node)) for node in nodes]
    values = [(whole - there[0][0]) + fraction for whole, fraction in there]
    return np.polynomial.Polynomial.fit(nodes, values, 3)(np.asarray(offsets))


def frequency(phase, instant):
    """Turns a second at an epoch."""
    before, after = turns(phase, instant, np.array([-0.5, 0.5]))
    return after - before
