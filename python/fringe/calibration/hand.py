#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The inputs of one polarization, solved from all dumps of a file."""

from functools import reduce
from operator import add

import numpy as np

from .delays import fit_delays
from .equations import equations
from .gains import solve_equations, unsolved
from .sources import point_visibilities
from .trust import check_band, check_residual

#: Parts of the time in which the model has to hold, and of the band.
PARTS, BANDS = 8, 16
#: Channels that are solved as one where single ones have too little signal for a delay, and
#: the fewest solutions that make a delay then.
BLOCKS, MIN = (1, 4, 16), 8


class hand_solver:
    """Solves for the gains of the inputs of one polarization, a dump in memory at a time."""

    def __init__(self, data, pairs, tau, flux, phases_only, max_unexplained, max_misfit,
                 accept_untested=False):
        """data: prepared; pairs: its products; tau: [source][dump][input] s, as
        source_delays(); flux: of each source, or None."""
        self._data, self._pairs, self._tau, self._flux = data, pairs, tau, flux
        self._phases_only, self._misfit = phases_only, max_misfit
        self._max_unexplained = max_unexplained
        self._untested = accept_untested

    def delays(self, bad, reference):
        """(receiver_gains, the reference) from gains of each channel, or of blocks of channels."""
        f = self._data.f
        for size in BLOCKS:
            count = len(f) // size
            if size > 1 and count < MIN:
                break

            def blocks(x, size=size, count=count):
                x = x[..., :count * size, :]
                return x.reshape(x.shape[:-2] + (count, 1, size, x.shape[-1]))
            try:
                solution, _ = self._solve(blocks, 0, reference, bad, 1.0)
            except unsolved as error:
                reason = error
                continue
            # The ratio of gain and error that makes the error of the phase.
            radians = np.radians(solution.phase_error)
            snr = 1 / np.where(radians > 0, np.sqrt(2) * radians, 1e-6)
            middles = f[:count * size].reshape(count, size).mean(axis=1)
            found = fit_delays(solution.gain, np.where(np.isfinite(solution.snr), snr, 0), middles)
            return found, solution.reference
        raise unsolved(f"no delays: {reason}")

    def band(self, late, reference, bad, free):
        """A gain_solution of one gain for the band; late: delays of the inputs, s, taken out
        around the middle of the band; free: fitted fluxes for each channel."""
        i, j = np.triu_indices(len(late))
        f = self._data.f
        turn = np.exp(-2j * np.pi * np.outer(f - f.mean(), late[i] - late[j]))

        def whole(x):
            return x[..., None, :, None, :] if free else x[..., None, None, :, :]
        solution, whole_time = self._solve(whole, turn, reference, bad, self._misfit)
        if not self._untested:
            check_residual(solution, whole_time)
        good = np.array([k not in solution.bad for k in range(len(late))])
        check_band(solution, self._bands(turn, solution.flux[0]), good, self._phases_only,
                   self._max_unexplained, self._misfit)
        return solution

    def _bands(self, turn, flux):
        """Equations of parts of the band, of all dumps, the model with its fluxes, [1 or channel]
        [source]."""
        channels = np.array_split(np.arange(len(self._data.f)), min(BANDS, len(self._data.f)))

        def of_dump(number):
            v, w = self._data.dump(number, self._pairs)
            m = self._model(number, turn)
            m = (np.broadcast_to(flux.T[:, :, None], m.shape[:2] + (1,)) * m).sum(axis=0)
            return [equations.of(v[None, None, use], m[None, None, None, use], w[None, None, use],
                                 None) for use in channels]
        return reduce(lambda first, other: [a + b for a, b in zip(first, other)],
                      map(of_dump, range(len(self._data))))

    def _model(self, number, turn):
        """Of each source, of flux 1 where that is fitted: [source][channel][product]."""
        m = point_visibilities(self._tau[:, number], self._data.f)
        if self._flux is not None:
            m = np.tensordot(self._flux, m, 1)[None] if self._phases_only else (
                m * self._flux[:, None, None])
        return m * turn if np.ndim(turn) else m

    def _solve(self, cut, turn, reference, bad, misfit):
        # Phases alone: the ratios of the fluxes count, and how strong they are is fitted.
        fit = self._flux is None or self._phases_only

        def of_dump(number):
            v, w = self._data.dump(number, self._pairs)
            m = self._model(number, turn)
            return equations.of(cut(v), cut(m), cut(w), None if fit else np.ones(len(m)))
        dumps = np.array_split(np.arange(len(self._data)), min(PARTS, len(self._data)))
        parts = [reduce(add, map(of_dump, some)) for some in dumps]
        used = parts[0].solutions / len(self._data.f)
        # Data without noise say nothing of it; several sources share no noise of this kind.
        single = len(self._tau) == 1 and not self._untested
        independent = self._data.samples * len(self._data) / used if single else None
        solution = solve_equations(parts, fit, reference, self._phases_only, bad,
                                   self._max_unexplained, misfit, independent)
        return solution, reduce(add, parts)
