#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a file calibrated by sources or by a common signal."""

from dataclasses import dataclass, field

import numpy as np

from ..calibration.common_signal import deaf_input, solve_common_signal
from ..calibration.data import chosen_channels, mean_dump, prepared
from ..calibration.quality import MAX_UNEXPLAINED, unsolved
from ..calibration.report import in_words
from ..calibration.sources import check_inputs, point_visibilities, source_delays
from ..calibration.trust import MIN_COHERENCE, check_coherence
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
        return _point_model(tau[k:k + 1, :, inputs], data)

    def one_hand(inputs, products, place, bad):
        each = [model(inputs, k) for k in range(len(sources))]
        if None in fluxes:
            sky = fitted_model(each, fluxes, free_spectra)
        elif phases_only:  # the ratios of the fluxes count, and how strong they are is fitted
            sky = fitted_model([_point_model(tau[:, :, inputs], data, fluxes)], [None])
        else:
            sky = _point_model(tau[:, :, inputs], data, fluxes)
        return solve_hand(data, products, sky, delays, phases_only, place, bad,
                          limits(max_unexplained, max_misfit, accept_untested))

    return _merged(vis, observation, one_hand, reference, data.f.mean(), sources)


def _point_model(tau, data, fluxes=(1.0,)):
    """Point sources as `samples` take them, from delays [source][dump][input]."""
    i, j = np.triu_indices(tau.shape[2])

    def of_dump(k):
        return np.tensordot(fluxes, point_visibilities(tau[:, k], data.f), 1)[:, i != j]
    return {(0, 0): of_dumps(of_dump, (tau.shape[1], len(data.f), int((i != j).sum())))}


def calibrate_by_common_signal(vis, observation, without=None, channels=None, reference=None,
                               phases_only=False, delays=True,
                               max_unexplained=MAX_UNEXPLAINED, max_misfit=None,
                               accept_untested=False, min_coherence=MIN_COHERENCE):
    """A `calibration` from one signal that all inputs hear, by equally long ways.

    As solve_common_signal(), for any number of inputs: those that hear nothing are named and left
    out, and with three inputs or more the gains follow from the cross-correlations, in which the
    receivers' own noise is not. without: visibilities (of a file) with the signal off. Where they
    are not given, inputs that are less coherent than min_coherence are refused: a source in the
    sky is a common signal, too, of other delays. The other parameters are those of
    calibrate_by_sources(); the file must not be phased.
    """
    check_inputs(vis, observation)
    for data in (vis,) if without is None else (vis, without):
        if data.uvw is not None:
            raise ValueError(f"{data.path}: is phased to a direction; a common signal comes from "
                             "none: write an .ACC file (fringe correlate -o x.ACC)")
    use = chosen_channels(vis, channels)
    off = None
    if without is not None:
        check_inputs(without, observation)
        if without.frequencies is None or len(without.frequencies) != len(vis.frequencies):
            raise ValueError(f"{without.path}: has other channels than {vis.path}")
        off = mean_dump(without, use)
    data = prepared(vis, use, phases_only, off)

    def one_hand(inputs, products, place, bad):
        found = _common(data.mean[:, products], None if off is None else off[:, products], data.f,
                        place, bad)
        if off is None:
            check_coherence(found, [vis.input_name(k) for k in inputs], min_coherence)
        two = len(inputs) - len(bad) < 3 and not phases_only
        signal = _point_model(np.zeros((1, len(data), len(inputs))), data)
        solution = solve_hand(data, products, fitted_model([signal], [None], free=True), delays,
                              phases_only or two, place, bad,
                              limits(max_unexplained, max_misfit, accept_untested))
        if two:  # one product says nothing of two gains
            solution.gain = solution.gain * (found.gain / found.gain[solution.reference])
        return solution

    return _merged(vis, observation, one_hand, reference, data.f.mean())


def _common(on, off, f, reference, bad):
    """A common_signal of all inputs, NaN where one hears nothing; these are added to `bad`."""
    inputs = int(np.sqrt(2 * on.shape[1]))
    i, j = np.triu_indices(inputs)
    for k in range(inputs):
        own = (i == k) & (j == k)
        if k not in bad and not (np.nan_to_num(on[:, own].real) > 0).any():
            bad[k] = "no data"
    while True:
        good = np.array([k for k in range(inputs) if k not in bad])
        if len(good) < 2:
            raise unsolved("fewer than two inputs hear the common signal ("
                           + "; ".join(f"input {k}: {why}" for k, why in bad.items()) + ")")
        pairs = np.isin(i, good) & np.isin(j, good)
        use = np.isfinite(on[:, pairs]).all(axis=1) & (on[:, pairs & (i == j)].real > 0).all(axis=1)
        first = int(np.flatnonzero(good == reference)[0]) if reference in good else 0
        try:
            found = solve_common_signal(on[use][:, pairs], f[use],
                                        None if off is None else off[use][:, pairs], first)
        except deaf_input as error:
            # The reference itself is deaf when the next one hears all others.
            bad[int(good[error.input])] = f"hears nothing in common with input {good[first]}"
            if sum("in common" in why for why in bad.values()) > inputs / 2:
                for k in [k for k, why in bad.items() if "in common" in why]:
                    del bad[k]
                bad[int(good[first])] = "hears nothing of the common signal"
            continue
        full = [np.full(inputs, np.nan) for _ in found]
        for value_of_all, value in zip(full, found):
            value_of_all[good] = value
        return type(found)(*full)


def _merged(vis, observation, one_hand, reference, middle, sources=()):
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
