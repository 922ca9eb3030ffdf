#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The inputs of one polarisation, solved from all dumps of a file."""

from functools import reduce
from operator import add

import numpy as np

from .delays import fit_delays
from .equations import equations
from .gains import solve_equations, unsolved
from .sources import point_visibilities

#: Parts of the time in which the model has to hold.
PARTS = 8
#: Channels that are solved as one where single ones have too little signal for a delay, and
#: the fewest solutions that make a delay then.
BLOCKS, FEWEST = (1, 4, 16), 8


class hand_solver:
    """Solves for the gains of the inputs of one polarisation, a dump in memory at a time."""

    def __init__(self, data, pairs, tau, flux, phases_only, most_unexplained, max_misfit):
        """data: prepared; pairs: its products; tau: [source][dump][input] s, as
        source_delays(); flux: of each source, or None."""
        self._data, self._pairs, self._tau, self._flux = data, pairs, tau, flux
        self._phases_only, self._most, self._misfit = phases_only, most_unexplained, max_misfit

    def delays(self, bad):
        """receiver_gains from gains of each channel, or of blocks of channels."""
        f = self._data.f
        for size in BLOCKS:
            count = len(f) // size
            if size > 1 and count < FEWEST:
                break

            def blocks(x, size=size, count=count):
                x = x[..., :count * size, :]
                return x.reshape(x.shape[:-2] + (count, 1, size, x.shape[-1]))
            try:
                solution = self._solve(blocks, 0, None, bad, 1.0)
            except unsolved as error:
                reason = error
                continue
            return fit_delays(solution.gain, solution.snr,
                              f[:count * size].reshape(count, size).mean(axis=1))
        raise unsolved(f"no delays: {reason}")

    def band(self, late, reference, bad, free):
        """A gain_solution of one gain for the band; late: delays of the inputs, s, taken out
        around the middle of the band; free: fitted fluxes for each channel."""
        i, j = np.triu_indices(len(late))
        f = self._data.f
        turn = np.exp(-2j * np.pi * np.outer(f - f.mean(), late[i] - late[j]))

        def whole(x):
            return x[..., None, :, None, :] if free else x[..., None, None, :, :]
        return self._solve(whole, turn, reference, bad, self._misfit)

    def _solve(self, cut, turn, reference, bad, misfit):
        # Phases alone: the ratios of the fluxes count, and how strong they are is fitted.
        fit = self._flux is None or self._phases_only

        def of_dump(number):
            v, w = self._data.dump(number, self._pairs)
            m = point_visibilities(self._tau[:, number], self._data.f)
            if self._flux is not None and fit:
                m = np.tensordot(self._flux, m, 1)[None]
            m = m * turn if np.ndim(turn) else m
            return equations.of(cut(v), cut(m), cut(w), None if fit else self._flux)
        dumps = np.array_split(np.arange(len(self._data)), min(PARTS, len(self._data)))
        parts = [reduce(add, map(of_dump, some)) for some in dumps]
        return solve_equations(parts, fit, reference, self._phases_only, bad, self._most, misfit)
