#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A model of the sky whose fluxes are solved for together with the gains."""

import numpy as np

from ..calibration.quality import unsolved
from ..calibration.stefcal import PHASES, first_gains, stefcal
from .flux_errors import flux_errors
from .source_sums import source_sums

#: Steps of the gains between two of the fluxes; the most of the latter, and the relative change
#: at which they end: the last one, far below any noise, after the most.
GAIN_STEPS, MAX_STEPS, TOLERANCE, LAST_TOLERANCE = 4, 1200, 1e-10, 1e-4
#: Change at which one of several starts is judged, and fluxes beside that of the strongest.
ROUGH, OTHERS = 1e-2, 0.2


class fitted_model:
    r"""The model of `samples`, M = sum_k S_k M_k, the fluxes S_k of some sources not known.

      sources: M_k, each as samples.model is, of a source of flux 1
      known: the flux of each source, None where it is solved for
      free: fluxes differ from channel to channel
      hands: polarizations; each has its own fluxes

    Products of two polarizations are those of the known sources.
    """

    def __init__(self, sources, known, free=False, hands=1):
        self.sources = list(sources)
        self.unknown = np.array([flux is None for flux in known])
        if len(known) != len(self.sources) or not self.unknown.any():
            raise ValueError(f"fitted_model: {len(known)} fluxes of {len(self.sources)} sources; "
                             "each needs one, and None stands for one that is solved for")
        self.free = bool(free)
        some = [flux for flux in known if flux]
        # Of those that are solved for: delays are found with the known ones as the strongest.
        first = OTHERS * np.mean(some) if some else 1.0
        begun = np.array([first if flux is None else flux for flux in known])
        channels = np.shape(self.sources[0][0, 0])[1]
        #: fluxes, [polarization][source][channel], all channels the same unless they are free
        self.flux = np.tile(begun[:, None], (hands, 1, channels))
        #: standard errors, [polarization][source]; not known of fluxes that differ by channel
        self.errors = np.where(self.unknown, np.nan, np.zeros((hands, 1)))

    @property
    def relative(self):
        """Whether no flux is known: a common factor of all of them is one of the gains."""
        return bool(self.unknown.all())

    def __getitem__(self, hands):
        return _sum_of_sources(self, *hands)

    def of_hand(self, p):
        """That of one polarization, with its own fluxes."""
        known = [None if unknown else flux for unknown, flux in zip(self.unknown,
                                                                    self.flux[p, :, 0])]
        return fitted_model([{(0, 0): source[p, p]} for source in self.sources], known, self.free)


class _sum_of_sources:
    """The model of one correlation, made for the dumps that are asked for."""

    def __init__(self, model, p, q):
        self._model, self._hands = model, (p, q)
        self.shape = np.shape(model.sources[0][p, q])

    def __getitem__(self, dumps):
        flux = self._model.flux[self._hands[0]]
        if self._hands[0] != self._hands[1]:
            flux = np.where(self._model.unknown[:, None], 0, flux)
        return sum(track[:, None] * np.asarray(source[self._hands][dumps])
                   for track, source in zip(flux, self._model.sources))


def check_fluxes(samples, terms):
    """Raises ValueError where no term goes with fluxes that are solved for."""
    if not isinstance(samples.model, fitted_model):
        return
    if not any(spec.kind in "GB" for spec in terms):
        raise ValueError("terms: fluxes that are not known are solved for with gains: add G")
    if samples.model.free and any(spec.kind == "B" for spec in terms):
        raise ValueError("terms: B: a bandpass and fluxes that differ from channel to channel "
                         "cannot be told apart")


def solve_fluxes(samples, term, others, p, reference, noise=None):
    """Solves for the fluxes of a `fitted_model` and the gains of polarization p, `term`, those of
    `others` held: alternating least squares.

    noise: a `residual`; with it there are errors, and what is returned is by how much the squares
    of those of log amplitudes and phases are more than with fluxes that are known."""
    model, shape = samples.model, term.values.shape[:3]
    sums = source_sums.of(samples, others, p, term.time, term.frequency, model.free)
    if term.solved:
        gains = term.values[..., p].reshape(-1, shape[-1])
    else:
        gains = _begun(sums, model, p, term.mode, reference, shape)
    gains, change = _alternate(sums, gains, model, p, term.mode, reference, shape, TOLERANCE)
    if change > LAST_TOLERANCE:
        raise unsolved(f"the fluxes still change after {MAX_STEPS} steps: there is too little "
                       "signal for this number of sources, or the model does not hold")
    term.values[..., p] = np.where(gains != 0, gains, 1).reshape(shape)
    if noise is None or model.free:
        return 0.0, 0.0
    model.errors[p], *more = flux_errors(sums, gains.reshape(shape), model, p, reference,
                                         term, noise.noise[p])
    return more


def _begun(sums, model, p, mode, reference, shape):
    """Gains to begin with, and fluxes in the model: of the starts from equal fluxes, or the known
    sources as the strongest, and from each other source as the strongest, that which comes to fit
    best."""
    begun, best = model.flux[p].copy(), (np.inf, None, None)
    unknown = np.flatnonzero(model.unknown)
    for strongest in [None, *unknown] if len(unknown) > 1 else [None]:
        model.flux[p] = begun
        if strongest is not None and model.relative:
            model.flux[p][unknown] *= OTHERS
            model.flux[p][strongest] = begun[strongest]
        elif strongest is not None:
            model.flux[p][strongest] = begun.max() / OTHERS
        gains = first_gains(*sums.collapsed(model.flux[p]), mode)
        gains, _ = _alternate(sums, gains, model, p, mode, reference, shape, ROUGH)
        left = sums.left_over(gains.reshape(shape), model.flux[p])
        if left < best[0]:
            best = left, gains, model.flux[p].copy()
    model.flux[p] = best[2]
    return best[1]


def _alternate(sums, gains, model, p, mode, reference, shape, tolerance):
    """(gains, last relative change) of steps of gains and fluxes until they change less."""
    a, b = sums.collapsed(model.flux[p])
    gains = gains * (b.sum(axis=-1) > 0)
    for _ in range(MAX_STEPS):
        new, _ = stefcal(a, b, gains, mode, tolerance, GAIN_STEPS)
        size = np.maximum(np.linalg.norm(new, axis=-1), 1e-300)
        change = (np.linalg.norm(new - gains, axis=-1) / size).max()
        gains, before = new, model.flux[p].copy()
        factor = sums.fit_fluxes(gains.reshape(shape), model, p, mode != PHASES)
        gains = gains * np.sqrt(factor)
        if model.relative and mode != PHASES:
            gains = _scaled(gains, model.flux[p], reference)
        a, b = sums.collapsed(model.flux[p])
        moved = np.abs(model.flux[p] - before).max() / model.flux[p].max(initial=1e-300)
        change = max(change, moved, abs(factor - 1))
        if change < tolerance:
            break
    return gains, change


def _scaled(gains, flux, reference):
    """Gains with those of the reference 1, rms; the fluxes take the factor."""
    size = np.abs(gains[:, reference])
    if not size.any():
        size = np.abs(gains)
    factor = np.sqrt((size[size > 0] ** 2).mean()) if size.any() else 1.0
    flux *= factor ** 2
    return gains / factor
