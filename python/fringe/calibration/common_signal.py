#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delays, phases and gains of receivers that hear one common signal."""

from typing import NamedTuple

import numpy as np

from ..fringe_python import observation
from .delay_spectra import channel_places, delay_spectra
from .fringe_fit import fit_fringes

#: Points of the delay spectrum to a resolution, and the fewest channels it is made of.
OVERSAMPLING, MIN_CHANNELS = 4, 8
#: Height of a peak that counts, in medians of the delay spectrum. Noise reaches 4.
LOWEST_PEAK = 5.0


class deaf_input(ValueError):
    """An input hears nothing of the common signal: which, in `input`."""

    def __init__(self, number, sentence):
        super().__init__(sentence)
        self.input = number


class common_signal(NamedTuple):
    """What solve_common_signal() finds, a number for each input."""
    delay: np.ndarray      #: s by which the signal arrives later than at the reference
    phase: np.ndarray      #: degrees by which the receiver advances the phase
    gain: np.ndarray       #: voltage gain, that of the reference being 1
    coherence: np.ndarray  #: correlation coefficient with the reference, 0 to 1


def solve_common_signal(visibilities, channel_frequencies, without=None, reference=0):
    r"""Delay, phase and gain of every input from a signal that all of them hear.

    A noise source wired to all inputs by equally long cables, say. Input i receives its
    spectrum S(f) as g_i exp(i phase_i - 2 pi i f tau_i) S(f), f the sky frequency, so that

        V_ij(f) = g_i g_j |S(f)|^2 exp(i (phase_i - phase_j) - 2 pi i f (tau_i - tau_j)).

    The delays and phases are those of the largest

        sum_f sum_(i<j) Re{c_ij(f) exp(-i (phase_i - phase_j) + 2 pi i f (tau_i - tau_j))}

    with c_ij = V_ij / sqrt(V_ii V_jj). It begins at the peak of each input's delay spectrum
    with the reference, and Newton's method does the rest, so the delays are not tied to samples
    or channels. With K = spectra times channels and coherence c the errors are near

        phase: sqrt(1 - c^2) / (c sqrt(2 K)) rad,     delay: sqrt(12) / (2 pi B) times that,

    the phase in the middle of the band, of B Hz: with c = 0.8, 1 s and 1 MHz 0.03 degrees and
    0.3 ns.
    The gains are

        g_i^2 = sum_f P_i(f) / sum_f P_reference(f),   P_i = V_ii - V_ii(without),

    unbiased where `without` is given. Without it the powers hold the receivers' own noise, and
    gains are right where that is small or as strong, behind the gain, in all receivers.

      visibilities: [channel][product], products (i, j), i <= j, row-major; not phased to a
          direction. Several dumps: their mean
      channel_frequencies: Hz, [channel]; equally spaced, some may be missing
      without: the same with the common signal off: what else is correlated, too, is taken off
      reference: the input that has delay 0, phase 0 and gain 1

    Leave the edges of the band out: filters fall off there, and the first channel of complex
    samples holds both ends of the band, so that it alone shifts the delay by nanoseconds at
    1 MHz. inner_band() gives the rest.

    The phase is that of frequency 0, as in the observation file: between two solutions it
    differs by 360 f times the difference of the delays, f being the middle of the band, and
    the two belong together. Delays are found within +-1 / (2 channel width).

    Returns a common_signal. Raises ValueError for shapes that do not fit, under 8 channels, and
    where an input hears nothing in common with the reference.
    """
    vis, f = np.asarray(visibilities, complex), np.asarray(channel_frequencies, float)
    inputs = _check(vis, f, reference)
    if without is not None:
        if np.shape(without) != vis.shape:
            raise ValueError(f"solve_common_signal: without has the shape {np.shape(without)}; "
                             f"it must be that of the visibilities, {vis.shape}")
    i, j = np.triu_indices(inputs)
    total = vis[:, i == j].real
    if (total <= 0).any():
        raise ValueError("solve_common_signal: an input has no power in some channel; leave "
                         "channels without signal, and inputs known as bad, out")
    vis = vis if without is None else vis - np.asarray(without)
    power = vis[:, i == j].real.sum(axis=0)
    if (power <= 0).any():
        raise ValueError(f"solve_common_signal: input {int(np.argmin(power))} has no more power "
                         "with the common signal than without")
    pair = i != j
    coefficients = vis[:, pair] / np.sqrt(total[:, i[pair]] * total[:, j[pair]])
    delay = _coarse_delays(coefficients, f, i[pair], j[pair], inputs, reference)
    delay, phase, coherence = _refined(coefficients, f, i[pair], j[pair], delay, reference)
    return common_signal(delay, phase, np.sqrt(power / power[reference]), coherence)


def calibrated(observation_, found, bad=()):
    """The observation with a common_signal added to what its inputs have already.

    For visibilities from which that had been taken out, as the chain does. Their cable_delay,
    phase (-180 to 180 degrees) and gain then take out what was found, too; inputs for which it
    is NaN stay as they are, those in `bad` become known bad. `found` may be anything with delay,
    phase and gain of each input. Returns a new observation; raises ValueError where the numbers
    of inputs differ.
    """
    obs = observation(observation_)
    inputs = obs.inputs
    if len(inputs) != len(found.delay):
        raise ValueError(f"calibrated: the observation has {len(inputs)} inputs, and "
                         f"{len(found.delay)} were solved for")
    for k, (entry, delay, phase, gain) in enumerate(
            zip(inputs, found.delay, found.phase, found.gain)):
        entry.bad = entry.bad or k in bad
        if not np.isfinite([delay, phase, gain]).all():
            continue
        entry.cable_delay += float(delay)
        entry.phase = float((entry.phase + phase + 180) % 360 - 180)
        entry.gain *= float(gain)
    obs.inputs = inputs
    obs.check()
    return obs


def inner_band(channels):
    """The channels without a sixteenth at each end of the band, a slice."""
    edge = -(-channels // 16)
    return slice(edge, channels - edge)


def _check(vis, f, reference):
    """The number of inputs; ValueError where shapes do not fit."""
    if vis.ndim != 2 or len(f) != len(vis):
        raise ValueError(f"solve_common_signal: visibilities of shape {vis.shape} and {len(f)} "
                         "channel frequencies; they must be [channel][product] and [channel]")
    if len(f) < MIN_CHANNELS:
        raise ValueError(f"solve_common_signal: {len(f)} channels; it needs {MIN_CHANNELS} "
                         "or more")
    inputs = int(np.sqrt(2 * vis.shape[1]))
    if inputs < 2 or inputs * (inputs + 1) // 2 != vis.shape[1]:
        raise ValueError(f"solve_common_signal: {vis.shape[1]} products; n inputs have "
                         "n (n + 1) / 2, autocorrelations among them, n being 2 or more")
    if not 0 <= reference < inputs:
        raise ValueError(f"solve_common_signal: reference {reference}; inputs are numbered "
                         f"0 ... {inputs - 1}")
    if not np.isfinite(vis).all():
        raise ValueError("solve_common_signal: some visibilities are NaN or infinite; leave "
                         "their channels out")
    return inputs


def _coarse_delays(coefficients, f, i, j, inputs, reference):
    """The highest point of each input's delay spectrum with the reference, s, [input]."""
    places = channel_places(f, "solve_common_signal: channel_frequencies")
    delay = np.zeros(inputs)
    for k in np.delete(np.arange(inputs), reference):
        column = np.flatnonzero((i == min(k, reference)) & (j == max(k, reference)))[0]
        turned = coefficients[:, column]
        lags, heights = delay_spectra(turned if k < reference else turned.conj(), places,
                                      np.diff(f).min(), OVERSAMPLING)
        peak = int(np.argmax(heights))
        if heights[peak] < LOWEST_PEAK * np.median(heights):
            raise deaf_input(
                k, f"solve_common_signal: input {k} hears nothing in common with input "
                f"{reference}: its delay spectrum peaks at "
                f"{heights[peak] / np.median(heights):.1f} times the noise; is the noise source "
                "on, and the delay below half of 1 / (channel width)?")
        delay[k] = lags[peak]
    return delay


def _refined(coefficients, f, i, j, delay, reference):
    """All delays and phases together: delay, phase, coherence."""
    inputs, middle = len(delay), f.mean()
    turn = np.exp(2j * np.pi * np.outer(f - middle, delay))
    phase = np.zeros(inputs)
    for k in np.delete(np.arange(inputs), reference):
        both = ((i == k) & (j == reference)) | ((j == k) & (i == reference))
        z = (coefficients[:, both][:, 0] if k < reference
             else coefficients[:, both][:, 0].conj())
        phase[k] = np.angle((z * turn[:, k] * turn[:, reference].conj()).sum())
    found = fit_fringes(coefficients, 1.0, f, (i, j), delay, phase, reference)
    with_reference = (i == reference) | (j == reference)
    coherence = np.insert(found.turned.real.mean(axis=0)[with_reference], reference, 1.0)
    # From the middle of the band to frequency 0, where the observation file has its phase.
    phase = np.degrees(found.phase) + 360 * np.remainder(middle * found.delay, 1.0)
    return found.delay, (phase + 180) % 360 - 180, coherence
