#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""8: every input is in its products, with the sign that it should have."""
import numpy as np

from .bench import dumps, sums
from .requirement import at_most, curve, group, measured, near, plot

GROUP = group(8, "Products")
CHANNELS = 16


def phases_of(work, inputs=5, dumps_made=400, spectra=50):
    """Dumps [dump][channel][product] of a signal as strong as the noise, in receivers of any gain
    and phase."""
    gains = work.rng.uniform(0.5, 2, inputs) * np.exp(2j * np.pi * work.rng.random(inputs))
    shape = dumps_made * spectra, CHANNELS
    x = work.noise(1, *shape) + work.noise(inputs, *shape)
    vis, _ = sums(work, x * gains[:, None, None], dump_spectra=spectra, block=spectra)
    return vis.astype(complex)


def number(i, j, inputs=5):
    return i * inputs - i * (i + 1) // 2 + j


@GROUP.requires(
    "Closure phases of a point source are 0.", near(0.0, 0.5, unit="degrees"),
    "Five inputs of random gains and phases hear a source as strong as their noise; mean closure "
    "phase of five triangles. The error is that of the scatter of 400 dumps.", devices=True)
def closure_phase(work):
    vis = phases_of(work).mean(axis=1)
    found = []
    for i, j, k in ((0, 1, 2), (0, 1, 3), (0, 1, 4), (1, 2, 3), (2, 3, 4)):
        a, b, c = vis[:, number(i, j)], vis[:, number(j, k)], vis[:, number(i, k)].conj()
        found.append(np.degrees(np.angle(a * b * c)))
    mean = np.mean(found, axis=0)
    return measured(mean.mean(), mean.std() / np.sqrt(len(mean)), plot=plot(
        "dump", "degrees", (curve("mean of 5 triangles", np.arange(len(mean)), mean, "o"),)))


@GROUP.requires(
    "Closure amplitudes of a point source are 1.", near(1.0, 0.01, allowance=1e-3),
    "The same; |V_01| |V_23| / (|V_02| |V_13|) of means over 16 channels, of 400 dumps. Noise of "
    "amplitudes alone makes 0.001.", devices=True)
def closure_amplitude(work):
    v = np.abs(phases_of(work).mean(axis=1))
    ratio = np.log(v[:, number(0, 1)] * v[:, number(2, 3)]
                   / (v[:, number(0, 2)] * v[:, number(1, 3)]))
    return measured(np.exp(ratio.mean()), ratio.std() / np.sqrt(len(ratio)), plot=plot(
        "dump", "closure amplitude",
        (curve("measured", np.arange(len(ratio)), np.exp(ratio), "o"),)))


@GROUP.requires(
    "Each product is <x_i conj(x_j)> of its own two inputs.", at_most(1e-6),
    "Seven inputs that are one noise times numbers of which no two pairs have the same product; "
    "largest relative difference of the products from those numbers.", devices=True)
def each_product(work):
    numbers = np.sqrt(np.arange(2, 9)) * np.exp(2j * np.pi * np.arange(7) ** 2 / 97)
    common = work.noise(1, 16 * CHANNELS)
    vis, _ = dumps(work, common * numbers[:, None], CHANNELS, 10)
    alone, _ = dumps(work, common, CHANNELS, 10)
    i, j = np.triu_indices(7)
    off = np.abs(vis[0] / alone[0] / (numbers[i] * numbers[j].conj()) - 1)
    return measured(off.max(), plot=plot("product", "relative difference", (
        curve("largest of the channels", np.arange(len(i)), off.max(axis=0), "o"),)))


@GROUP.requires(
    "Exchanged inputs exchange the products, and conjugate one.", at_most(1e-6),
    "Noise of three inputs, and the same with two of them exchanged; largest difference from the "
    "products in the other order, over the power.", devices=True)
def exchanged(work):
    x = work.noise(3, 64 * CHANNELS)
    vis, _ = dumps(work, x, CHANNELS, 40)
    other, _ = dumps(work, x[[1, 0, 2]], CHANNELS, 40)
    want = np.stack([vis[0, :, 3], vis[0, :, 1].conj(), vis[0, :, 4], vis[0, :, 0], vis[0, :, 2],
                     vis[0, :, 5]], 1)
    return measured(np.abs(other[0] - want).max())
