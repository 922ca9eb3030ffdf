#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""4: sums of many products: exact in integers, without drift in floats, the same every time."""
import numpy as np

from .. import fringe_python as fp
from .bench import dumps, sums
from .requirement import at_most, exactly, group, measured

GROUP = group(4, "Sums")


def integers(work, rail, inputs=5, channels=7, spectra=999):
    """Random whole numbers [input][spectrum][channel] with the rails among them."""
    parts = work.rng.integers(-rail, rail, (2, inputs, spectra, channels), endpoint=True)
    parts[:, 0] = rail  # the largest sums there are
    return parts[0] + 1j * parts[1]


def exact(spectra):
    """Sums [channel][product] in 64-bit integers."""
    i, j = np.triu_indices(len(spectra))
    re, im = spectra.real.astype(np.int64), spectra.imag.astype(np.int64)
    real = np.einsum("ptc,ptc->cp", re[i], re[j]) + np.einsum("ptc,ptc->cp", im[i], im[j])
    imag = np.einsum("ptc,ptc->cp", im[i], re[j]) - np.einsum("ptc,ptc->cp", re[i], im[j])
    return real, imag


def wrong_sums(work, rail):
    wrong = 0
    for inputs, channels, count in ((5, 7, 999), (16, 3, 4096), (33, 2, 100)):
        spectra = integers(work, rail, inputs, channels, count)
        vis, _ = sums(work, spectra, "i8")
        real, imag = exact(spectra)
        want = (real / count).astype(np.float32) + 1j * (imag / count).astype(np.float32)
        wrong += int((vis[0] != want.astype(np.complex64)).sum())
    return measured(wrong)


@GROUP.requires(
    "Sums of products of 8-bit spectra are exact.", exactly(0, "visibilities"),
    "Random numbers up to 127, and the largest ones, of 5, 16 and 33 inputs; visibilities that are "
    "not the sum in 64-bit integers, divided once and rounded to float.", devices=True)
def eight_bits(work):
    return wrong_sums(work, 127)


@GROUP.requires(
    "Sums of products of 4-bit spectra are exact.", exactly(0, "visibilities"),
    "The same with numbers up to 7.", devices=True)
def four_bits(work):
    return wrong_sums(work, 7)


def long_sum(work, component):
    """Relative error of the mean over many spectra: the same block again and again."""
    block, inputs, channels = 8192, 2, 1
    repeat = (10_000_000_000 if work.full else 1_000_000_000) // block
    spectra = integers(work, 127, inputs, channels, block)
    vis, weights = sums(work, spectra, component, repeat=repeat)
    real, imag = exact(spectra)
    want = (real + 1j * imag) / block
    if len(vis) != 1 or (weights != 1).any():
        return measured(np.nan, note=f"{len(vis)} dumps, weights {weights.min():.6g}")
    return measured(np.abs(vis[0] / want - 1).max(), note=f"{repeat * block} spectra")


@GROUP.requires(
    "A dump of 10^9 spectra (10^10 with --full) of 8 bits is exact.", at_most(1.2e-7),
    "One block of random numbers again and again into one dump; relative difference from the exact "
    "mean. A float has 6e-8.", devices=True)
def long_integers(work):
    return long_sum(work, "i8")


@GROUP.requires(
    "A dump of 10^9 spectra (10^10 with --full) of floats does not drift.", at_most(2e-6),
    "The same in floats.", devices=True)
def long_floats(work):
    return long_sum(work, "f32")


@GROUP.requires(
    "The same samples make the same bits, every time.", exactly(0, "visibilities"),
    "Noise of 6 inputs through all stages, five times with 1 and 2 threads; visibilities that "
    "differ in any bit.", devices=True)
def every_time(work):
    x, before, wrong, first = work.noise(6, 1 << 17), fp.threads(), 0, None
    try:
        for threads in (1, 2, 1, 2, 2):
            fp.set_threads(threads)
            vis, _ = dumps(work, x, 64, 500)
            first = vis if first is None else first
            wrong += int((vis.view(np.uint64) != first.view(np.uint64)).sum())
    finally:
        fp.set_threads(before)
    return measured(wrong)


@GROUP.requires(
    "The length of a dump does not change its level.", at_most(1e-6),
    "The same noise in dumps of 13 spectra and in one of 1300; largest difference of the means, "
    "over the power.", devices=True)
def dump_length(work):
    x = work.noise(3, 64 * 1312)
    short, _ = dumps(work, x, 64, 13, 1)
    long, _ = dumps(work, x, 64, 1300, 1)
    return measured(np.abs(short[:100].astype(complex).mean(axis=0) - long[0]).max())
