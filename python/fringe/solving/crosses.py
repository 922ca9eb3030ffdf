#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay and phase between the two polarizations of the reference, from a polarized source."""

import numpy as np

from ..calibration.delay_spectra import channel_places, delay_spectra
from ..calibration.fringe_fit import fit_fringes
from .coarse_delays import OVERSAMPLING
from .delays import MIN_CHANNELS
from .sums import MIXED, chunks, received

#: The first polarization less the second: a pair of "antennas" of a fringe fit.
PAIR, SECOND = (np.array([0]), np.array([1])), 1


def solve_crosses(samples, delays, phases, others, noise=None):
    r"""Solves for `solved_term`s of Kcross and Pcross, those of `others` held; returns the largest
    change, in turns of phase.

    All products of two polarizations have the phase theta = phi - 2 pi (f - f_0) tau over their
    model, so

        Z(f) = sum w (V_XY conj(M_XY) + conj(V_YX) M_YX) = |Z| exp(i theta)

    gives phi and tau by a fringe fit of one pair. delays: None where there are too few channels.
    noise: how many times stronger than the weights say the noise of these products is.
    Raises ValueError where the model has none of these products.
    """
    z, power = _sums(samples, phases.time, others)
    if not (power > 0).any():
        raise ValueError("terms: Kcross: the model has no products of two polarizations; it takes "
                         "a source of known Q, U and V, or a noise source in both polarizations")
    f, moved = samples.frequencies, 0.0
    for t in range(len(phases.time)):
        tau, before = 0.0, float(np.angle(phases.values[t, 0, 0, 0]))
        if delays is not None:
            tau = delays.values[t, 0, 0, 0]
            if not delays.solved:
                places = channel_places(f, "terms: Kcross: the frequencies")
                spectrum = delay_spectra(z[t], places, np.diff(f).min(), OVERSAMPLING)
                tau = spectrum[0][np.argmax(spectrum[1])]
        turned = z[t] * np.exp(2j * np.pi * (f - f.mean()) * tau)
        start = np.array([tau, 0.0]), np.array([np.angle(turned.sum()), 0.0])
        scale = 1.0 if noise is None else noise
        found = fit_fringes(z[t][:, None], scale * power[t][:, None], f, PAIR, *start, SECOND,
                            with_delay=delays is not None)
        moved = max(moved, abs(np.angle(np.exp(1j * (found.phase[0] - before)))) / (2 * np.pi))
        _put(phases, t, np.exp(1j * found.phase[0]), found.phase_error[0])
        if delays is not None:
            _put(delays, t, found.delay[0], found.delay_error[0])
        for term in (phases, delays) if noise is not None else ():
            if term is not None:
                noise_power = scale * power[t].sum() / 2
                term.snr[t] = found.turned.real.sum() / np.sqrt(max(noise_power, 1e-300))
                term.refuse(not power[t].any(), "no data", t)
    moved = moved if phases.solved else np.inf
    for term in (phases, delays):
        if term is not None:
            term.solved = True
    return moved


def _put(term, t, value, error):
    term.values[t, 0, :, 0] = value
    term.errors[t, 0] = 0
    term.errors[t, 0, :, 0] = error
    if term.kind == "Pcross":
        if term.phase_errors is None:
            term.phase_errors = np.zeros(term.values.shape)
        term.phase_errors[t, 0, :, 0] = error


def _sums(samples, time, others):
    """Z and sum w |M|^2, [interval of time][channel]."""
    z = np.zeros((len(time), len(samples.frequencies)), complex)
    power = np.zeros(z.shape)
    for dumps in chunks(samples, 0, len(samples.times)):
        for (p, q), m in zip(MIXED, received(samples, others, dumps, MIXED)):
            v, w, _ = samples.part(p, q, dumps)
            product = w * (v * m.conj() if p == 0 else v.conj() * m)
            np.add.at(z, time.numbers[dumps], product.sum(axis=-1))
            np.add.at(power, time.numbers[dumps], (w * np.abs(m) ** 2).sum(axis=-1))
    return z, power
