#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""3: twice the signal is twice the number."""
import numpy as np

from .bench import channelized, dumps
from .correlated import correlated
from .filter_bank import scatter_of_power, worst_in_sigma
from .requirement import at_most, curve, group, measured, near, plot

GROUP = group(3, "Linearity")
CHANNELS = 64


@GROUP.requires(
    "Power is linear over 60 dB.", at_most(0.01, "dB"),
    "One recording of noise (ci16) written seven times, 10 dB apart, from an rms of 6 to one of "
    "6,000; power of the autocorrelation against that of the samples as they were written.")
def sixty_decibels(work):
    x = work.noise(1 << 16)
    levels, off = np.arange(0, 61, 10), []
    for level in levels:
        parts = np.rint(np.stack([x.real, x.imag], -1) * 6 * 10 ** (level / 20) * np.sqrt(2))
        vis = correlated(work, parts.astype("<i2"), "ci16", 1, CHANNELS, spectra=10 ** 6, taps=1,
                         window="rectangular")
        power = (parts ** 2).sum() / len(parts)
        off.append(10 * np.log10(vis[0].real.mean() / power))
    return measured(np.ptp(off), plot=plot("level, dB", "out minus in, dB", (
        curve("measured", levels, np.array(off) - off[0], "o"),)))


@GROUP.requires(
    "Cross power with spectra of 8 bits is linear over 30 dB.", at_most(0.1, "dB"),
    "A common signal from 20 dB below the noise of two inputs to 10 dB above it, the same samples "
    "in float spectra and in those of 8 bits with the same gain; largest difference of their cross "
    "power. What scatters is the noise of rounding 2^20 samples, 0.03 dB for the weakest.",
    devices=True)
def cross_power(work):
    common, own = work.noise(1 << 20), work.noise(2, 1 << 20)
    levels, off = np.arange(-20, 11, 5), []
    spectra = common.size // CHANNELS // 16 * 16 - 3
    for level in levels:
        x = own + 10 ** (level / 20) * common
        plain = dumps(work, x, CHANNELS, spectra)[0][0, :, 1].mean()
        rough = dumps(work, x, CHANNELS, spectra, requantize="8", gains=[9.0])[0][0, :, 1].mean()
        off.append(10 * np.log10(abs(rough / plain)))
    return measured(np.abs(off).max(), plot=plot("common signal over noise, dB", "dB", (
        curve("8 bits over float", levels, off, "o"),)))


@GROUP.requires(
    "Signals add up.", at_most(2e-6, "of the rms"),
    "Spectra of two noises and of their sum; largest difference of the sums.", devices=True)
def superposition(work):
    x = work.noise(2, CHANNELS * 512)
    a, b = channelized(work, x, CHANNELS)
    both, = channelized(work, x.sum(axis=0), CHANNELS)
    return measured(np.abs(a + b - both).max() / np.sqrt((np.abs(both) ** 2).mean()))


@GROUP.requires(
    "The gain of an input counts in its products, once for each hand.", at_most(1e-5),
    "Noise in three inputs multiplied by 0.1, 1 and 10 in front of the channelizer; largest "
    "relative difference of the products from the factors times those of the plain noise.",
    devices=True)
def gains(work):
    x, factors = work.noise(3, CHANNELS * 512), np.array([0.1, 1.0, 10.0])
    plain, _ = dumps(work, x, CHANNELS, 256)
    scaled, _ = dumps(work, x * factors[:, None], CHANNELS, 256)
    i, j = np.triu_indices(3)
    size = np.abs(plain).mean(axis=(0, 1))
    off = np.abs(scaled / (factors[i] * factors[j]) - plain).max(axis=(0, 1)) / size
    return measured(off.max())


@GROUP.requires(
    "An autocorrelation is the mean power of the samples.", near(1.0, 2e-3),
    "White noise, 4 hann taps, mean over channels, over the mean of |x|^2; four numbers of "
    "channels, complex and real; the largest difference, in sigma. What scatters is what taps "
    "count unequally, and, of real samples, the channel at 0 Hz.", devices=True)
def normalization(work):
    found, count = [], 1 << 20
    for channels in (16, 45, 128, 1000):
        for real in (False, True):
            x = work.noise(1, count).real if real else work.noise(1, count)
            points = channels * (2 if real else 1)
            spectra = count // points // 16 * 16 - 3
            vis, _ = dumps(work, x, channels, spectra)
            error = scatter_of_power(points, 4, "hann", count)
            if real:
                # Twice the variance; and of the two channels with real numbers one is counted,
                # for both: 2 / (channels count), and more where spectra overlap.
                error = np.sqrt(2 * error ** 2 + 4 / (channels * count))
            found.append((vis[0].real.mean(dtype=float) / (np.abs(x) ** 2).mean(dtype=float),
                          error))
    return worst_in_sigma(found, "case")
