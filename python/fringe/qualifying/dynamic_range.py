#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""2: the range between the strongest signal and what it leaves elsewhere."""
import numpy as np

from .. import fringe_python as fp
from .bench import channelized, dumps, in_items, through
from .requirement import at_most, curve, exactly, group, measured, plot

GROUP = group(2, "Dynamic range")
CHANNELS, TONE, TAPS = 64, 20, 8
NEAR = 2  #: channels on either side that the filter bank lets the tone into


def off_the_tone(levels):
    """Those of the channels that the filter bank keeps free of it."""
    away = np.abs(np.arange(CHANNELS) - TONE)
    return levels[np.minimum(away, CHANNELS - away) > NEAR]


def spurs(work, samples, amplitude, noise, requantize):
    """Levels of the cross power of two inputs that have the tone in common, in dB below it.

    Their noise is independent, so it averages out of the product: what stays is not noise."""
    n = np.arange(samples)
    tone = amplitude * np.exp(2j * np.pi * (TONE - CHANNELS // 2) / CHANNELS * n)
    x = (tone + noise * work.noise(2, samples)).astype(np.complex64)
    spectra = samples // CHANNELS // 64 * 64 - TAPS + 1
    vis, _ = dumps(work, x, CHANNELS, spectra, TAPS, requantize=requantize, block=64,
                   gains=[1.0] if requantize != "none" else [])
    cross = np.abs(vis[0, :, 1])
    return 10 * np.log10(np.maximum(cross / cross[TONE], 1e-30))


def spectrum(levels):
    return plot("channel", "dB", (curve("cross power", np.arange(CHANNELS), levels),))


@GROUP.requires(
    "Float spectra of a tone alone are free of spurs.", at_most(-100, "dB"),
    "A tone of 1 in the middle of a channel, 8 hann taps; the highest of the other channels, more "
    "than two away, the stop band of the filter bank included.", devices=True)
def float_spurs(work):
    levels = spurs(work, 1 << 18, 1.0, 0.0, "none")
    return measured(off_the_tone(levels).max(), plot=spectrum(levels))


@GROUP.requires(
    "Spectra of 8 bits of a strong tone in noise are free of spurs.", at_most(-55, "dB"),
    "A tone of 11 steps a sample (about 90 a spectrum) in noise of 1 step, in two inputs of "
    "independent noise; highest cross power off the tone. With --full, 16 times as long.",
    devices=True)
def spurs_of_8_bits(work):
    levels = spurs(work, 1 << (25 if work.full else 21), 11.0, 1.0, "8")
    return measured(off_the_tone(levels).max(), plot=spectrum(levels))


@GROUP.requires(
    "Spectra of 4 bits of a tone in noise are free of spurs.", at_most(-30, "dB"),
    "The same with a tone of 0.7 steps a sample (about 6 a spectrum).", devices=True)
def spurs_of_4_bits(work):
    levels = spurs(work, 1 << (25 if work.full else 21), 0.7, 1.0, "4")
    return measured(off_the_tone(levels).max(), plot=spectrum(levels))


@GROUP.requires(
    "Requantized spectra are the rounded and clipped ones.", at_most(1e-4, "of the values"),
    "Noise in float spectra and in spectra of 8 and 4 bits, with gains of 20 and 3; values that "
    "differ from rounding to nearest and clipping to 127 and 7. Float spectra that lie within "
    "rounding of a half may go either way.", devices=True)
def rounding(work):
    x = work.noise(3, CHANNELS * 1024)
    spectra, wrong = channelized(work, x, CHANNELS), 0
    for requantize, gain, rail in (("8", 20.0, 127), ("4", 3.0, 7)):
        got = channelized(work, x, CHANNELS, requantize=requantize, gains=[gain])
        for part, of in ((got.real, spectra.real), (got.imag, spectra.imag)):
            wrong += (part != np.clip(np.rint(gain * of), -rail, rail)).sum()
    return measured(wrong / (4 * spectra.size))


@GROUP.requires(
    "Clipped values are counted, each one.", exactly(0, "values"),
    "Noise of 60 steps in spectra of 8 bits, some beyond the rails; what the block counts for "
    "each input, minus those that the float spectra have beyond 127.5.", devices=True)
def clipping(work):
    x, block = work.noise(2, CHANNELS * 1024), 16
    x[1] *= 1.1
    spectra = 60 * channelized(work, x, CHANNELS)
    chain = fp.channelizer(2, CHANNELS, block, True, "f32", 4, "hann", "8", [60.0],
                           backend=work.backend)
    through(work, in_items(x, CHANNELS * block), [chain])
    parts = np.stack([spectra.real, spectra.imag])
    # Values within rounding of the rail may fall on either side of it.
    certain, possible = ((np.abs(parts) > 127.5 + near).sum(axis=(0, 2, 3))
                         for near in (1e-3, -1e-3))
    counted = np.array(chain.saturated())
    off = np.maximum(certain - counted, 0) + np.maximum(counted - possible, 0)
    return measured(int(off.sum()), note=f"{counted.tolist()} counted")
