#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a file calibrated by sources."""

from dataclasses import dataclass, field

import numpy as np

from ..calibration.data import chosen_channels, prepared
from ..calibration.quality import MAX_UNEXPLAINED
from ..calibration.report import in_words
from ..calibration.sources import point_visibilities, source_delays
from ..ground.words import as_html
from ..readers.polarizations import in_order
from .fluxes import fitted_model
from .hand import limits, solve_hand
from .samples import of_dumps


@dataclass
class receiver_gains:
    """What the observation file has of each input; NaN where the input is bad."""
    delay: np.ndarray        #: s by which its signal is late
    phase: np.ndarray        #: degrees by which the receiver advances the phase at frequency 0
    gain: np.ndarray         #: voltage gain
    phase_error: np.ndarray  #: degrees, in the middle of the band
    delay_error: np.ndarray  #: s; 0 where no delay was solved for
    frequency: float         #: middle of the band, Hz

    @property
    def band_phase(self):
        """Phase in the middle of the band, -180 to 180 degrees: what a picture shows."""
        turn = self.phase - 360 * np.remainder(self.frequency * self.delay, 1)
        return (turn + 180) % 360 - 180


@dataclass
class calibration:
    """What is known of the receivers after a calibration, and how well."""
    receivers: receiver_gains  #: of all inputs; NaN where bad
    snr: np.ndarray            #: of the gain over the whole band, [input]
    bad: dict                  #: input: why
    references: list           #: the input of phase 0, of each polarization
    unexplained: float         #: part of the visibilities that is neither model nor noise
    misfit: float              #: how far the means of single products differ from the model
    chi2: float                #: 1 where noise alone is left
    closure: tuple             #: closure phases over the model, degrees rms; those of noise
    names: list                #: of the inputs
    flux: dict = field(default_factory=dict)  #: fitted flux of each source, by name

    def _repr_html_(self):
        return as_html('\n'.join(in_words(self)))


def calibrate_by_sources(vis, observation, sources, channels=None, reference=None,
                         phases_only=False, delays=False, free_spectra=False,
                         max_unexplained=MAX_UNEXPLAINED, max_misfit=None,
                         accept_untested=False):
    """A `calibration` from point sources of known direction.

    vis: visibilities of a file, all dumps of which are used, each with its own directions
    sources: list of calibration_source; fluxes are fitted unless all of them have one
    channels: slice or indices of those to use; the band without its edges, say
    reference: index of the antenna whose phase is 0; None: the one with the most signal
    phases_only: correlation coefficients are used, gains stay 1
    delays: a delay for each input, too, from gains of each channel; without them one gain holds
        for all channels
    free_spectra: fitted fluxes may differ from channel to channel
    accept_untested: also a residual far below the noise, as data have that were made without any

    Polarizations are solved apart: how their phases differ an unpolarized source does not tell.
    The gains make sum w |V_ij - g_i conj(g_j) M_ij|^2 smallest, see solve_terms(). Inputs without
    data, those whose gain is not 5 times its error, and those that fit 4 times worse than the
    others are left out, and named in `bad`.

    **What it cannot see**: one source in a wrong direction, at one instant and frequency, fits
    as well as in the right one, since the gains take up the difference. Several sources, a
    wide band with one gain for all of it, or a source that moves tell.

    Raises ValueError, and `unsolved` where fewer than three inputs (two for phases) or fewer than
    half of those with data are left, more than `max_unexplained` of the visibilities (rms, noise
    taken off) is left over, or the means of the products, over all of the time or parts of it,
    differ from the model by more than `max_misfit` (rms, noise taken off; default 0.015, or
    max_unexplained where another one than 0.5 is given), and where noise does not test it.
    """
    if not sources:
        raise ValueError("calibrate_by_sources: no source is given")
    tau = source_delays(vis, observation, sources)
    data = prepared(vis, chosen_channels(vis, channels), phases_only)
    fluxes = [source.flux for source in sources]

    def model(inputs, k):
        return points_of_delays(tau[k:k + 1, :, inputs], data)

    def one_hand(inputs, products, place, bad):
        each = [model(inputs, k) for k in range(len(sources))]
        if None in fluxes:
            sky = fitted_model(each, fluxes, free_spectra)
        elif phases_only:  # the ratios of the fluxes count, and how strong they are is fitted
            sky = fitted_model([points_of_delays(tau[:, :, inputs], data, fluxes)], [None])
        else:
            sky = points_of_delays(tau[:, :, inputs], data, fluxes)
        return solve_hand(data, products, sky, delays, phases_only, place, bad,
                          limits(max_unexplained, max_misfit, accept_untested))

    return merged_hands(vis, observation, one_hand, reference, data.f.mean(), sources)


def points_of_delays(tau, data, fluxes=(1.0,)):
    """Point sources as `samples` take them, from delays [source][dump][input]."""
    i, j = np.triu_indices(tau.shape[2])

    def of_dump(k):
        return np.tensordot(fluxes, point_visibilities(tau[:, k], data.f), 1)[:, i != j]
    return {(0, 0): of_dumps(of_dump, (tau.shape[1], len(data.f), int((i != j).sum())))}


def merged_hands(vis, observation, one_hand, reference, middle, sources=()):
    """Solutions of every polarization as one `calibration`."""
    hands = [hand for _, hand in vis.inputs]
    i, j = vis.products
    count = len(vis.inputs)
    out = receiver_gains(*(np.full(count, np.nan) for _ in range(5)), float(middle))
    whole = calibration(out, np.full(count, np.nan), {}, [], 0.0, 0.0, 0.0, (np.nan, np.nan),
                        [vis.input_name(k) for k in range(count)])
    quality = []
    for hand in in_order(hands):
        inputs = np.array([k for k, name in enumerate(hands) if name == hand])
        products = np.flatnonzero(np.isin(i, inputs) & np.isin(j, inputs))
        bad = {n: "known bad" for n, k in enumerate(inputs)
               if k in vis.bad_inputs or observation.inputs[k].bad}
        place = [n for n, k in enumerate(inputs) if vis.inputs[k][0] == reference]
        if reference is not None and not place:
            raise ValueError(f"reference: antenna {reference} has no input of polarization {hand}")
        solution = one_hand(inputs, products, place[0] if place else None, bad)
        _put(whole, inputs, solution)
        whole.bad.update({int(inputs[n]): why for n, why in bad.items()})
        whole.references.append(int(inputs[solution.reference]))
        quality.append(solution.quality)
        for source, flux in zip(sources, solution.flux if len(solution.flux) == len(sources)
                                else []):
            name = source.name if len(set(hands)) == 1 else f"{source.name} {hand}"
            whole.flux[name] = float(flux)
    mean = np.sqrt((np.array(quality) ** 2).mean(axis=0))
    whole.unexplained, whole.misfit, whole.chi2 = (float(value) for value in mean[:3])
    whole.closure = float(mean[3]), float(mean[4])
    return whole


def _put(whole, inputs, solution):
    """The gains of some inputs, referred to frequency 0, into the whole."""
    out = whole.receivers
    out.delay[inputs] = solution.delay
    turn = np.degrees(np.angle(solution.gain)) + 360 * np.remainder(
        out.frequency * solution.delay, 1)
    out.phase[inputs] = (turn + 180) % 360 - 180
    out.gain[inputs] = np.abs(solution.gain)
    out.phase_error[inputs], out.delay_error[inputs] = solution.phase_error, solution.delay_error
    whole.snr[inputs] = solution.snr
