#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""18: every backend against `generic`, which is written to be read."""
import dataclasses

import numpy as np

from .. import fringe_python as fp
from .beams import power, towards, voltages
from .bench import channelized, sums, through
from .interference import blanked, cells
from .requirement import at_most, exactly, group, measured

GROUP = group(18, "Backends")
#: Sizes that no vector is as long as: inputs, channels, taps.
ODD = ((1, 5, 1), (3, 45, 4), (7, 64, 8), (13, 17, 3))
SUMMED = ((1, 7), (3, 5), (16, 9), (33, 3))  # inputs, channels


def both(work, function, *arguments, **options):
    """The same on the backend that is measured, and on the generic one."""
    return [function(bench, *arguments, **options)
            for bench in (work, dataclasses.replace(work, backend="generic"))]


def unpacked(work, raw, name):
    return through(work, raw, [fp.unpack(name, 3, 1001, backend=work.backend)]).out[0]


@GROUP.requires("Recordings are unpacked as by the generic backend.", exactly(0, "bytes"),
                "Random words of eleven formats, three inputs, blocks of 1001 samples; bytes of "
                "the samples that differ.", devices=True)
def unpacking(work):
    wrong, tried = 0, 0
    for name, size in (("i8", 1), ("u8", 1), ("i16", 2), ("u16", 2), ("ci8", 2), ("cu8", 2),
                       ("cu8_128", 2), ("ci16", 4), ("mwa16", 2), ("mwa8", 1), ("f32", 4)):
        raw = work.rng.integers(0, 256, (3, 3 * 1001 * size), np.uint8)
        if name == "f32":
            raw = work.rng.standard_normal((3, 3003), np.float32).view(np.uint8)
        got, want = both(work, unpacked, raw, name)
        wrong, tried = wrong + int((got != want).sum()), tried + got.size
    return measured(wrong, note=f"{tried} bytes")


@GROUP.requires("Float spectra are those of the generic backend.", at_most(2e-6, "of the rms"),
                "Noise, complex and real, of odd sizes; largest difference.", devices=True)
def float_spectra(work):
    worst = 0.0
    for inputs, channels, taps in ODD:
        for real in (False, True):
            x = work.noise(inputs, channels * 160)
            got, want = both(work, channelized, x.real if real else x, channels, taps)
            worst = max(worst, np.abs(got - want).max() / np.sqrt((np.abs(want) ** 2).mean()))
    return measured(worst)


@GROUP.requires("Requantized spectra are those of the generic backend.",
                at_most(2e-4, "of the values"),
                "The same in 8 and 4 bits; values that differ, all of which lie within rounding of "
                "a half.", devices=True)
def whole_spectra(work):
    wrong = tried = 0
    for inputs, channels, taps in ODD:
        x = work.noise(inputs, channels * 640)
        for bits, step in (("8", 25.0), ("4", 3.0)):
            got, want = both(work, channelized, x, channels, taps, requantize=bits, gains=[step])
            off = np.abs(np.stack([(got - want).real, (got - want).imag]))
            if off.max() > 1:  # more than a step is no rounding
                return measured(np.nan, note=f"off by {off.max():g} steps")
            wrong, tried = wrong + int((off > 0).sum()), tried + off.size
    return measured(wrong / tried, note=f"{wrong} of {tried}")


@GROUP.requires("Float products are those of the generic backend.", at_most(2e-6, "of the power"),
                "Noise of 1 to 33 inputs; largest difference of a mean over 300 spectra.",
                devices=True)
def float_products(work):
    worst = 0.0
    for inputs, channels in SUMMED:
        (got, _), (want, _) = both(work, sums, work.noise(inputs, 300, channels))
        worst = max(worst, np.abs(got - want).max())
    return measured(worst)


@GROUP.requires("Products of whole numbers are those of the generic backend, to the bit.",
                exactly(0, "visibilities"), "The same with 8-bit spectra.", devices=True)
def whole_products(work):
    wrong = 0
    for inputs, channels in SUMMED:
        parts = work.rng.integers(-127, 128, (2, inputs, 300, channels))
        (got, _), (want, _) = both(work, sums, parts[0] + 1j * parts[1], "i8")
        wrong += int((got != want).sum())
    return measured(wrong)


@GROUP.requires("Interference is found as by the generic backend.", exactly(0, "cells"),
                "Noise with carriers and bursts through the kurtosis flagger; cells that one flags "
                "and the other does not.", devices=True)
def kurtosis(work):
    x = work.noise(3, 64 * 64, 64)
    x[1, :, 20] += 1.5
    x[:, 1000:1100] *= 3
    got, want = both(work, cells, x)
    return measured(int((got != want).sum()), note=f"{int(want.sum())} of {want.size} flagged")


@GROUP.requires("Pulses are blanked as by the generic backend.", exactly(0, "samples"),
                "Noise with pulses through the pulse blanker; samples that one blanks and the "
                "other does not.", devices=True)
def pulses(work):
    x = work.noise(3, 1 << 17)
    x[:, work.rng.choice(1 << 17, 200, replace=False)] *= 5
    got, want = both(work, blanked, x, 1e-4)
    return measured(int((got != want).sum()), note=f"{int(want.sum())} blanked")


@GROUP.requires("Beams are those of the generic backend.", at_most(1e-5),
                "Two beams of eight antennas; largest relative difference of their powers.")
def beam_powers(work):
    x = voltages(work, 5, towards(70, 40), 1.0, 0.5)
    got, want = (power(work, x, ["az=70,el=40", "az=120,el=70"], backend=backend)
                 for backend in ("cpu", "generic"))
    return measured(np.abs(got / want - 1).max())


@GROUP.requires("Every gridder makes the image of the direct sum.", at_most(1e-3, "of the peak"),
                "2000 visibilities of a point source, 64 x 64 pixels; separable (generic and this "
                "backend, 1e-4) and W-projection against `direct`.", devices=True)
def gridders(work):
    n, pixel, f = 64, 0.002, np.array([1.5e8, 1.51e8])
    uvw = work.rng.uniform(-150, 150, (2000, 3)) * [1, 1, 0.05]
    l, m = 9 * pixel, -5 * pixel
    way = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
    data = np.exp(2j * np.pi * way[:, None] * f / 299792458.0).astype(np.complex64)
    images = []
    for words in ({"method": "direct", "backend": "cpu"}, {"backend": "generic"},
                  {"backend": work.backend}, {"method": "w_projection", "backend": work.backend}):
        image = np.zeros((n, n), np.float32)
        fp.gridder(n, n, pixel, pixel, 1e-4, **words).grid(
            uvw, f, data, np.ones(data.shape, np.float32), image)
        images.append(image / data.size)
    row, column = np.unravel_index(images[0].argmax(), images[0].shape)
    if (column - n // 2, row - n // 2) != (9, -5):
        return measured(np.nan, note="the direct sum has the source elsewhere")
    return measured(max(np.abs(image - images[0]).max() for image in images[1:]))
