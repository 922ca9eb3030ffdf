#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""6: what few bits cost, against the theory of quantized Gaussian noise."""
import math

import numpy as np

from ..runs.correlate import correlate
from .bench import dumps
from .requirement import curve, group, measured, near, plot
from .vdif import write_vdif

GROUP = group(6, "Few bits")
RATE, COMMON, CHANNELS = 32_000_000, 0.2, 16
SAMPLES = 1 << 23  #: of a recording; with --full four times as many
#: Bits of a sample: the step between levels, in units of the noise.
STEPS = {2: 0.9816, 4: 0.335, 8: 1 / 24}


def quantizer(bits):
    """Edges between codes, in units of the noise, and the value that each code stands for."""
    half = 1 << (bits - 1)
    if bits == 1:
        return np.array([0.0]), np.array([-1.0, 1.0])
    if bits == 2:
        return STEPS[2] * np.array([-1.0, 0, 1]), np.array([-3.3359, -1, 1, 3.3359])
    values = np.arange(-half, half, dtype=float)
    return STEPS[bits] * (values[1:] - 0.5), values


def hermite_sums(bits, order=9):
    """c_n = E[q(x) He_n(x)] of unit noise x: what is exact for steps."""
    edges, values = quantizer(bits)
    jumps = np.diff(values)
    normal = np.exp(-edges ** 2 / 2) / math.sqrt(2 * math.pi)
    he = [np.ones_like(edges), edges]
    for n in range(1, order):
        he.append(edges * he[n] - n * he[n - 1])
    # E[q He_n] = sum of jumps times He_(n-1) times the density, for n from 1 on.
    return [float((jumps * he[n - 1] * normal).sum()) for n in range(1, order + 1)]


def power(bits):
    """E[q^2]."""
    edges, values = quantizer(bits)
    cumulative = np.array([0.0, *(0.5 * (1 + math.erf(e / math.sqrt(2))) for e in edges), 1.0])
    return float((values ** 2 * np.diff(cumulative)).sum())


def expected(bits, r):
    """Correlation of the quantized noise where that of the noise is r, over r."""
    return sum(c * c * r ** n / math.factorial(n)
               for n, c in enumerate(hermite_sums(bits), 1)) / power(bits) / r


def coefficient(mean):
    """Of products (0-0, 0-1, 1-1)."""
    return mean[1].real / math.sqrt(mean[0].real * mean[2].real)


def real_noise(work, samples):
    """Two inputs with a common part, [input][time]."""
    own, common = work.rng.standard_normal((2, samples)), work.rng.standard_normal(samples)
    return math.sqrt(1 - COMMON) * own + math.sqrt(COMMON) * common


def of_recording(work, bits, **options):
    """Correlation coefficient of noise in a VDIF recording of so many bits, and its error."""
    samples = SAMPLES * (4 if work.full else 1) // 64000 * 64000
    x = real_noise(work, samples)
    write_vdif(work.path("x.vdif"), np.searchsorted(quantizer(bits)[0], x), bits, RATE, 8000)
    correlate(work.path("x.vdif"), work.path("x.ACC"), channels=CHANNELS, taps=1, overwrite=True,
              window="rectangular", spectra=10 ** 9, center_frequency=1e8, keep_edge=True,
              backend=work.backend, **options)
    mean = np.fromfile(work.path("x.ACC"), np.complex64).reshape(3, CHANNELS).mean(axis=1)
    # Noise that is correlated has a little less; the bound holds for any bits.
    return coefficient(mean), 1 / math.sqrt(samples)


def theory(bits):
    r = np.linspace(0.01, 0.95, 40)
    return curve("theory", r, [expected(bits, true) * true for true in r])


def add(bits, how):
    """The requirement on recordings of so many bits."""
    @GROUP.requires(
        f"Correlation of {bits}-bit samples has the efficiency of theory.", near(precision=0.005),
        f"Noise of correlation 0.2 in two inputs, {how}, as a VDIF recording of 8 million samples "
        "written here; correlation found, over 0.2. Theory: sums over Hermite polynomials.")
    def of_bits(work):
        found, error = of_recording(work, bits)
        return measured(found / COMMON, error / COMMON, expected(bits, COMMON), plot(
            "correlation before", "after quantizing",
            (theory(bits), curve("measured", (COMMON,), (found,), "o", (error,)))))
    return of_bits


add(1, "signs alone")
add(2, "thresholds at 0.98 sigma")
add(4, "steps of 0.335 sigma")
add(8, "24 steps to a sigma")


def of_spectra(work, bits):
    """Complex spectra that are requantized, each part by itself; steps as those of samples."""
    samples = 1 << (24 if work.full else 22)
    x = (math.sqrt(1 - COMMON) * work.noise(2, samples)
         + math.sqrt(COMMON) * work.noise(samples))
    gain = math.sqrt(2) / STEPS[bits]  # the noise of a part is 1 / sqrt(2)
    spectra = samples // CHANNELS // 64 * 64
    vis, _ = dumps(work, x, CHANNELS, spectra, 1, "rectangular", str(bits), 64, gains=[gain])
    found, error = coefficient(vis[0].mean(axis=0)), 1 / math.sqrt(2 * samples)
    return measured(found / COMMON, error / COMMON, expected(bits, COMMON))


@GROUP.requires(
    "Spectra of 4 bits have the efficiency of theory.", near(precision=0.005),
    "Complex noise of correlation 0.2, a step of 0.335 sigma in each part of a spectrum.",
    devices=True)
def spectra_of_4_bits(work):
    return of_spectra(work, 4)


@GROUP.requires(
    "Spectra of 8 bits have the efficiency of theory.", near(precision=0.005),
    "The same with 24 steps to a sigma.", devices=True)
def spectra_of_8_bits(work):
    return of_spectra(work, 8)


def corrected(work, bits):
    found, error = of_recording(work, bits, van_vleck=True)
    return measured(found, 1.2 * error / expected(bits, COMMON), COMMON)


@GROUP.requires(
    "Van Vleck's correction gives 1-bit samples their correlation back.", near(precision=0.002),
    "The 1-bit recording with --van-vleck; correlation, against 0.2.")
def van_vleck_of_1_bit(work):
    return corrected(work, 1)


@GROUP.requires(
    "Van Vleck's correction gives 2-bit samples their correlation back.", near(precision=0.002),
    "The 2-bit recording with --van-vleck; correlation, against 0.2.")
def van_vleck_of_2_bits(work):
    return corrected(work, 2)
