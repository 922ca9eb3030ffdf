#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a file calibrated by a common signal."""

import numpy as np

from ..calibration.common_signal import deaf_input, solve_common_signal
from ..calibration.data import chosen_channels, mean_dump, prepared
from ..calibration.quality import MAX_UNEXPLAINED, unsolved
from ..calibration.sources import check_inputs
from ..calibration.trust import MIN_COHERENCE, check_coherence
from .by_sources import merged_hands, points_of_delays
from .fluxes import fitted_model
from .hand import limits, solve_hand


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
        signal = points_of_delays(np.zeros((1, len(data), len(inputs))), data)
        solution = solve_hand(data, products, fitted_model([signal], [None], free=True), delays,
                              phases_only or two, place, bad,
                              limits(max_unexplained, max_misfit, accept_untested))
        if two:  # one product says nothing of two gains
            solution.gain = solution.gain * (found.gain / found.gain[solution.reference])
        return solution

    return merged_hands(vis, observation, one_hand, reference, data.f.mean())


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
