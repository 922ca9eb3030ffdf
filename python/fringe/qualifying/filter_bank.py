#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""1: the filter bank, against its formula in docs/conventions.md."""
import numpy as np

from .bench import channelized
from .requirement import at_most, curve, exactly, group, measured, near, plot

GROUP = group(1, "Filter bank")
CHANNELS = 32
WINDOWS = {"rectangular": np.ones, "hann": np.hanning, "hamming": np.hamming,
           "blackman": np.blackman, "kaiser": lambda length: np.kaiser(length, 8.6)}


def prototype(points, taps, window):
    """h[n] by its formula, in double precision."""
    n = np.arange(taps * points) - (taps * points - 1) / 2
    h = WINDOWS[window](taps * points) * (np.sinc(n / points) if taps > 1 else 1)
    return h * np.sqrt(points / np.sum(h ** 2))


def designed(points, taps, window, offsets):
    """|X| of the channel at 0 for tones of amplitude 1, `offsets` channels away."""
    h = prototype(points, taps, window)
    turns = np.outer(offsets, np.arange(len(h))) / points
    return np.abs(np.exp(2j * np.pi * turns) @ h) / np.sqrt(points)


def response(work, taps, window, offsets, channels=CHANNELS):
    """The same, measured: all tones as inputs of one channelizer."""
    n = np.arange(channels * (taps + 15))
    tones = np.exp(2j * np.pi * np.outer(offsets, n) / channels)
    spectra = channelized(work, tones, channels, taps, window, block=len(n) // channels)
    return np.abs(spectra[:, :, channels // 2]).mean(axis=1)


def scatter_of_power(points, taps, window, samples):
    """Standard error of the power of spectra of complex white noise over that of its samples.

    The first is a sum of a_r(d) x_n conj(x_(n + d points)) with a_r(d) = sum over t of h_(r + t
    points) h_(r + (t + d) points), the second has 1 for d = 0 and nothing else.
    """
    h = prototype(points, taps, window).reshape(taps, points)
    unequal = sum(((h[:taps - d] * h[d:]).sum(axis=0) - (d == 0)) ** 2 * (2 if d else 1)
                  for d in range(taps)).mean()
    return np.hypot(np.sqrt(unequal / samples), 1e-6)  # floats


def worst_in_sigma(found, cases):
    """Of (ratio, error) the furthest from 1, with all of them in the plot."""
    ratios, errors = np.transpose(found)
    worst = np.argmax(np.abs(ratios - 1) / errors)
    return measured(ratios[worst], errors[worst], plot=plot(cases, "power out / in", (
        curve("measured", np.arange(len(ratios)), ratios, "o", errors),)))


def decibels(ratio):
    return 20 * np.log10(np.maximum(ratio, 1e-12))


@GROUP.requires(
    "Channels have the designed shape.", at_most(2e-6, "of the peak"),
    "Tones from -2.2 to 2.2 channels beside the middle of a channel, for each of five windows; "
    "largest difference from the formula, computed here in double precision.", devices=True)
def shape(work):
    offsets, worst, curves = np.linspace(-2.2, 2.2, 45), 0.0, []
    for window in WINDOWS:
        want = designed(CHANNELS, 4, window, offsets)
        got = response(work, 4, window, offsets)
        worst = max(worst, np.abs(got - want).max() / want.max())
        curves.append(curve(window, offsets, decibels(got / want.max())))
    return measured(worst, plot=plot("channels from the middle", "dB", tuple(curves)))


@GROUP.requires(
    "A tone between two channels loses what the window says (scalloping).",
    near(precision=0.0, allowance=1e-3, sigmas=0.0, unit="dB"),
    "Power of a tone half a channel beside the middle, hann, 4 taps, against the formula.",
    devices=True)
def scalloping(work):
    offsets = np.linspace(-0.5, 0.5, 21)
    got = response(work, 4, "hann", offsets)
    want = designed(CHANNELS, 4, "hann", np.array([0.0, 0.5]))
    loss = decibels(got / got[10])
    return measured(loss[-1], expected=decibels(want[1] / want[0]), plot=plot(
        "channels from the middle", "dB", (curve("measured", offsets, loss),)))


@GROUP.requires(
    "A tone leaks little into channels that do not touch its own.", at_most(-50, "dB"),
    "Tones at nine places within the middle half of a channel, hann, 4 taps; the largest power "
    "two or more channels away.", devices=True)
def leakage(work):
    places = np.linspace(-0.25, 0.25, 9)
    n = np.arange(CHANNELS * 20)
    tones = np.exp(2j * np.pi * np.outer(places, n) / CHANNELS)
    power = np.abs(channelized(work, tones, CHANNELS, 4, block=20)).mean(axis=1)
    away = np.abs(np.arange(CHANNELS) - CHANNELS // 2)
    away = np.minimum(away, CHANNELS - away)
    levels = decibels(power / power.max(axis=1, keepdims=True))
    return measured(levels[:, away >= 2].max(), plot=plot(
        "channel", "dB", tuple(curve(f"{p:+.2f}", np.arange(CHANNELS), level)
                               for p, level in zip(places[::4], levels[::4]))))


@GROUP.requires(
    "The stop band of 8 hann taps is deep.", at_most(-60, "dB"),
    "Tones from 1.5 channels away to the far end of the band, against the middle.", devices=True)
def stop_band(work):
    offsets = np.r_[0.0, np.arange(1.5, 16, 0.23), -np.arange(1.5, 16, 0.31)]
    levels = decibels(response(work, 8, "hann", offsets))
    order = np.argsort(offsets)
    return measured(levels[1:].max() - levels[0], plot=plot(
        "channels from the middle", "dB", (curve("measured", offsets[order], levels[order], "o"),)))


@GROUP.requires(
    "White noise keeps its power, whatever window and taps.", near(1.0, 0.002),
    "Mean of |X|^2 over channels and spectra, over the mean power of the samples; the window and "
    "taps of the largest difference, in sigma. What scatters is what taps count unequally: of a "
    "rectangle of one tap, the rounding of floats alone.",
    devices=True)
def noise_gain(work):
    x = work.noise(1, 1 << 21)
    found, power = [], (np.abs(x) ** 2).mean(dtype=float)
    for window in WINDOWS:
        for taps in (1, 4):
            spectra = channelized(work, x, CHANNELS, taps, window)
            found.append(((np.abs(spectra) ** 2).mean(dtype=float) / power,
                          scatter_of_power(CHANNELS, taps, window, x.size)))
    return worst_in_sigma(found, "window and taps")


def misplaced(work, inverted, real):
    """Tones whose strongest channel is another one than the table of frequencies says."""
    wrong = tried = 0
    for channels in (40, 45):
        points = channels * (2 if real else 1)
        k = np.arange(1, channels)
        turns = k / points if real else (k - channels // 2) / channels
        if inverted:
            turns = 0.5 - turns if real else -turns
        tones = np.exp(2j * np.pi * np.outer(turns, np.arange(points * 12)))
        tones = tones.real if real else tones
        spectra = np.abs(channelized(work, tones, channels, 4, block=12,
                                     conjugate=[inverted] * len(tones)))
        wrong += int((spectra.argmax(axis=2) != k[:, None]).sum())
        tried += spectra.shape[0] * spectra.shape[1]
    return wrong, tried


@GROUP.requires(
    "A tone of each frequency is in its channel, and positive frequencies are positive.",
    exactly(0, "spectra"),
    "A tone in the middle of each of 40 and of 45 channels, complex and real samples; spectra "
    "whose strongest channel is another one.", devices=True)
def tones_in_place(work):
    wrong, tried = np.sum([misplaced(work, False, real) for real in (False, True)], axis=0)
    return measured(wrong, note=f"{tried} spectra")


@GROUP.requires(
    "The spectrum of an inverted input is turned round.", exactly(0, "spectra"),
    "The same with tones mirrored in frequency, and inputs that are marked as inverted.",
    devices=True)
def inverted_inputs(work):
    wrong, tried = np.sum([misplaced(work, True, real) for real in (False, True)], axis=0)
    return measured(wrong, note=f"{tried} spectra")


@GROUP.requires(
    "The gain is flat over the band.", at_most(1e-4, "dB"),
    "A tone of the same amplitude and any phase in the middle of each of 128 channels; largest "
    "minus smallest power.", devices=True)
def flatness(work):
    channels = 128
    k = np.arange(channels)
    start = work.rng.random((channels, 1))
    turns = start + np.outer(k - channels // 2, np.arange(channels * 8)) / channels
    spectra = np.abs(channelized(work, np.exp(2j * np.pi * turns), channels, 4, block=8))
    spectra = spectra.mean(axis=1)
    level = decibels(spectra[k, k] / spectra[64, 64])
    return measured(np.ptp(level), plot=plot("channel", "dB", (curve("measured", k, level),)))


@GROUP.requires(
    "The phase of a channel is that of the signal.", at_most(2e-6, "rad"),
    "Tones of random phase in the middle of each channel; largest difference from the phase that "
    "the formula gives each spectrum.", devices=True)
def phases(work):
    k, taps, n = np.arange(1, CHANNELS), 4, np.arange(CHANNELS * 20)
    start = work.rng.uniform(-np.pi, np.pi, len(k))
    turns = (k - CHANNELS // 2) / CHANNELS
    tones = np.exp(1j * (start[:, None] + 2 * np.pi * np.outer(turns, n)))
    spectra = channelized(work, tones, CHANNELS, taps, block=20)
    gain = prototype(CHANNELS, taps, "hann").sum() / np.sqrt(CHANNELS)
    want = gain * np.exp(1j * start)  # a whole number of turns a spectrum
    off = np.angle(spectra[np.arange(len(k)), :, k] * want.conj()[:, None])
    return measured(np.abs(off).max(), plot=plot(
        "channel", "rad", (curve("largest", k, np.abs(off).max(axis=1), "o"),)))
