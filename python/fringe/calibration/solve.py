#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a file calibrated by sources or by a common signal."""

from dataclasses import dataclass, field

import numpy as np

from ..ground.words import as_html
from ..readers.polarizations import in_order
from .common_signal import deaf_input, solve_common_signal
from .data import chosen_channels, mean_dump, prepared
from .delays import of_band, receiver_gains
from .gains import MAX_UNEXPLAINED, unsolved
from .hand import hand_solver
from .report import in_words
from .sources import check_inputs, source_delays
from .trust import MIN_COHERENCE, check_coherence


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
    Raises ValueError, and `unsolved` (see solve_gains).
    """
    if not sources:
        raise ValueError("calibrate_by_sources: no source is given")
    tau = source_delays(vis, observation, sources)
    data = prepared(vis, chosen_channels(vis, channels), phases_only)
    flux = [source.flux for source in sources]
    flux = None if None in flux else np.array(flux)

    def one_hand(inputs, pairs, place, bad):
        hand = hand_solver(data, pairs, tau[:, :, inputs], flux, phases_only, max_unexplained,
                           max_misfit, accept_untested)
        first = None
        if delays:  # in both steps the same reference, so that errors are of differences from it
            first, place = hand.delays(bad, place)
        late = np.zeros(len(inputs)) if first is None else np.nan_to_num(first.delay)
        return hand.band(late, place, bad, free_spectra), late, first

    return _merged(vis, observation, one_hand, reference, data.f.mean(), sources)


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

    def one_hand(inputs, pairs, place, bad):
        found = _common(data.mean[:, pairs], None if off is None else off[:, pairs], data.f, place,
                        bad)
        if off is None:
            check_coherence(found, [vis.input_name(k) for k in inputs], min_coherence)
        late = np.nan_to_num(found.delay) if delays else np.zeros(len(inputs))
        two = len(inputs) - len(bad) < 3 and not phases_only
        hand = hand_solver(data, pairs, np.zeros((1, len(data), len(inputs))), None,
                           phases_only or two, max_unexplained, max_misfit, accept_untested)
        solution = hand.band(late, place, bad, True)
        if two:  # one product says nothing of two gains
            solution.gain = solution.gain * (found.gain / found.gain[solution.reference])
        return solution, late, None

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
    out = receiver_gains(*(np.full(count, np.nan) for _ in range(6)), float(middle))
    whole = calibration(out, np.full(count, np.nan), {}, [], 0.0, 0.0, 0.0, (np.nan, np.nan),
                        [vis.input_name(k) for k in range(count)])
    quality = []
    for hand in in_order(hands):
        inputs = np.array([k for k, name in enumerate(hands) if name == hand])
        pairs = np.flatnonzero(np.isin(i, inputs) & np.isin(j, inputs))
        bad = {n: "known bad" for n, k in enumerate(inputs)
               if k in vis.bad_inputs or observation.inputs[k].bad}
        place = [n for n, k in enumerate(inputs) if vis.inputs[k][0] == reference]
        if reference is not None and not place:
            raise ValueError(f"reference: antenna {reference} has no input of polarization {hand}")
        solution, tau, first = one_hand(inputs, pairs, place[0] if place else None, bad)
        bad.update(solution.bad)
        _put(whole, inputs, solution, tau, first)
        whole.bad.update({int(inputs[n]): why for n, why in bad.items()})
        whole.references.append(int(inputs[solution.reference]))
        quality.append((solution.unexplained, solution.misfit, solution.chi2, *solution.closure))
        mean = solution.flux.mean(axis=(0, 1))
        for source, flux in zip(sources, mean if len(mean) == len(sources) else []):
            name = source.name if len(set(hands)) == 1 else f"{source.name} {hand}"
            whole.flux[name] = float(flux)
    mean = np.sqrt((np.array(quality) ** 2).mean(axis=0))
    whole.unexplained, whole.misfit, whole.chi2 = (float(value) for value in mean[:3])
    whole.closure = float(mean[3]), float(mean[4])
    return whole


def _put(whole, inputs, solution, tau, first):
    """The gains of some inputs, referred to frequency 0, into the whole."""
    out = whole.receivers
    tau = tau - tau[solution.reference]
    band = of_band(solution.gain[0], solution.phase_error[0], out.frequency)
    turn = band.phase + 360 * np.remainder(out.frequency * tau, 1)
    out.delay[inputs] = np.where(np.isfinite(band.gain), tau, np.nan)
    out.phase[inputs] = (turn + 180) % 360 - 180
    out.gain[inputs] = band.gain
    out.phase_error[inputs] = band.phase_error
    out.delay_error[inputs] = band.delay_error if first is None else first.delay_error
    out.scatter[inputs] = band.scatter if first is None else first.scatter
    whole.snr[inputs] = solution.snr[0]
