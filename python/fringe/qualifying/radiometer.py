#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""7: noise falls with the square root of bandwidth and time, and nothing stops it."""
import numpy as np

from .bench import sums
from .requirement import curve, group, measured, near, plot

GROUP = group(7, "Radiometer equation")
CHANNELS, SHORT, LONG = 64, 100, 1_000_000


def scatter(work):
    """Means of M = 100 ... 10^6 spectra of independent noise: (M, rms of one part of the cross
    products times sqrt(2 M), rms of the powers around 1 times sqrt(M), relative errors)."""
    dumps, parts = LONG // SHORT, 100
    vis = []
    for _ in range(dumps // parts):  # a part of the dumps at a time: memory
        spectra = work.noise(2, parts * SHORT, CHANNELS)
        vis.append(sums(work, spectra, dump_spectra=SHORT, block=SHORT)[0])
    vis = np.concatenate(vis).astype(complex)
    counts, cross, autos, errors = [], [], [], []
    for joined in (1, 10, 100, 1000, dumps):
        means = vis.reshape(-1, joined, *vis.shape[1:]).mean(axis=1)
        count = joined * SHORT
        counts.append(count)
        values = np.stack([means[..., 1].real, means[..., 1].imag]) * np.sqrt(2 * count)
        cross.append(np.sqrt((values ** 2).mean()))
        powers = (means[..., [0, 2]].real - 1) * np.sqrt(count)
        autos.append(np.sqrt((powers ** 2).mean()))
        errors.append(1 / np.sqrt(2 * values.size))
    return np.array(counts), np.array(cross), np.array(autos), np.array(errors)


def worst_of(counts, ratio, errors):
    """The length that is furthest off, in sigma, with all of them in the plot."""
    worst, noise = np.argmax(np.abs(ratio - 1) / errors), ratio / np.sqrt(counts)
    return measured(ratio[worst], errors[worst], plot=plot(
        "spectra in a mean", "noise over power", (
            curve("measured", counts, noise, "o", noise * errors),
            curve("1 / sqrt(bandwidth x time)", counts, 1 / np.sqrt(counts))), True, True))


METHOD = "Independent noise of two inputs, 64 channels, dumps of 100 spectra averaged to 10^6"


@GROUP.requires(
    "Noise of cross-correlations falls as the radiometer equation says, over four decades.",
    near(1.0, 0.08), METHOD + "; of the five lengths the one that is furthest off, in sigma: its "
    "rms over 1 / sqrt(2 bandwidth time).")
def cross_noise(work):
    counts, cross, _, errors = work.once(scatter)
    return worst_of(counts, cross, errors)


@GROUP.requires(
    "Means of 10^6 spectra have no floor of noise.", near(1.0, 0.08), METHOD +
    "; the rms of the longest means over the equation's.")
def no_floor(work):
    counts, cross, _, errors = work.once(scatter)
    return worst_of(counts[-1:], cross[-1:], errors[-1:])


@GROUP.requires(
    "Noise of autocorrelations falls as the radiometer equation says.", near(1.0, 0.08), METHOD +
    "; as for cross-correlations, with the scatter of the powers over 1 / sqrt(bandwidth time).")
def auto_noise(work):
    counts, _, autos, errors = work.once(scatter)
    return worst_of(counts, autos, errors)


@GROUP.requires(
    "Noise of correlated inputs is what the equation says, too.", near(1.0, 0.01),
    "Two inputs with half of their power in common, 400 means of 50 spectra in 64 channels; "
    "variance of the cross products over P_0 P_1 / M.")
def correlated_noise(work):
    ratio, size = [], 0
    for _ in range(8):
        spectra = np.sqrt(0.5) * (work.noise(2, 2500, CHANNELS) + work.noise(1, 2500, CHANNELS))
        vis, _ = sums(work, spectra, dump_spectra=50, block=50)
        ratio.append((np.abs(vis[..., 1] - 0.5) ** 2 * 50).mean())
        size += vis[..., 1].size
    return measured(np.mean(ratio), 1.2 / np.sqrt(size))
