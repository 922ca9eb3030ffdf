#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which corrections the dumps of a running flowgraph were made with."""

from dataclasses import replace

import numpy as np

from ..observing.item_sizes import corrections as known_corrections

#: Corrections that a dump may have been made with, the right ones and earlier ones, as messages
#: come late.
REMEMBERED = 4


class applied_factors:
    """The corrections that were sent, each with the time from which it counts.

    A dump has V_ij = F_i conj(F_j) <x_i conj(x_j)> of the receivers' spectra x.
    """

    def __init__(self, observation, channels, complex_samples):
        shape = len(observation.inputs), channels
        known = known_corrections(observation, channels, complex_samples)
        #: those of the observation, with which the flowgraph begins, [input][channel]
        self.known = np.reshape(known, shape) if len(known) else np.ones(shape, complex)
        self._sent = [(-np.inf, np.ones(shape, complex))]

    def send(self, seconds, factors):
        """Notes corrections [input][channel] that count from a time, s since 1970, on."""
        there = self.known != 0  # known bad inputs have 0, and stay what they are
        own = np.where(there, factors / np.where(there, self.known, 1), 1)
        self._sent.append((seconds, own))

    def restart(self):
        """The flowgraph ended and begins again: its F-engine keeps the last that it got."""
        self._sent = [(-np.inf, self._sent[-1][1])]

    def possible(self, seconds, late=0.0):
        """Factors over the known ones, [input][channel], that a dump which starts at a time may
        have: the last that count by then, and those that they replaced within `late` seconds."""
        # Times are of the starts of dumps: rounding does not matter.
        found, newer = [], -np.inf
        for when, factors in reversed(self._sent):
            if when <= seconds + 1e-4 and (not found or newer > seconds - late):
                found.append(factors)
                newer = when
        found = found[:REMEMBERED]
        some = [when <= seconds + 1e-4 for when, _ in self._sent]
        del self._sent[:max(sum(some) - REMEMBERED, 0)]  # dumps come in sequence
        return found or [self._sent[0][1]]  # the clock went back

    @staticmethod
    def without(dump, factors):
        """A timed_dump as it were with the known corrections alone."""
        i, j = np.triu_indices(len(factors))
        both = (factors[i] * factors[j].conj()).T
        there = both != 0
        return replace(dump, values=np.where(there, dump.values / np.where(there, both, 1),
                                             0).astype(np.complex64))
