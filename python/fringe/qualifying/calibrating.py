#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""16: calibration: what is found, and whether its errors are true."""
import numpy as np

from ..calibration import solve_common_signal
from ..solving import solve_terms, terms_of
from ..solving.samples import samples
from .bench import delayed, dumps
from .requirement import at_most, curve, group, measured, near, plot

GROUP = group(16, "Calibration")
BAND, WIDTH, START, RUNS = 1.4e9, 1e6, 1.7e9, 300
NOISE = 1000.0  #: of an antenna, in fluxes of the source


class receivers:
    """Visibilities of a source of flux 1 at the phase center in antennas of any gain and delay,
    with noise of antennas 1000 times as strong, RUNS times 100 s; [dump][channel][pair]."""

    def __init__(self, rng, antennas, channels, delay=0.0):
        self.gains = rng.uniform(0.5, 2, antennas) * np.exp(2j * np.pi * rng.random(antennas))
        self.delays = delay * rng.uniform(-1, 1, antennas)
        i, j = np.triu_indices(antennas, 1)
        frequencies = BAND + WIDTH * np.arange(channels)
        offset = (frequencies - frequencies.mean())[:, None]
        g = self.gains * np.exp(-2j * np.pi * offset * self.delays)
        product = g[:, i] * g[:, j].conj()
        power = np.abs(self.gains) ** 2 * (NOISE + 1)
        variance = power[i] * power[j] / (100 * WIDTH)
        shape = RUNS, channels, len(i)
        gaussian = rng.normal(size=(*shape, 2)) @ (1, 1j) / np.sqrt(2)
        data = product + np.sqrt(variance) * gaussian
        names = [f"A{k}" for k in range(antennas)]
        self.samples = samples(
            {(0, 0): data}, {(0, 0): np.broadcast_to(1 / variance, shape)},
            {(0, 0): np.ones(shape, complex)}, i, j, names, "X", START + 100.0 * np.arange(RUNS),
            100.0, frequencies, WIDTH, absolute=True)


def rms(pulls):
    """rms of (found - true) / error, [solution][antenna], with its standard error."""
    counts, edges = np.histogram(pulls, 25, (-5, 5))
    # Of one solution they are not independent: they have the reference antenna in common.
    squares = (pulls ** 2).mean(axis=1)
    value = np.sqrt(squares.mean())
    return measured(value, squares.std() / np.sqrt(len(squares)) / (2 * value), plot=plot(
        "(found - true) / error", "solutions", (
            curve("measured", (edges[1:] + edges[:-1]) / 2, counts, "o"),)))


def solved_gains(work):
    """(amplitudes, phases) minus the truth over their errors, and found over true gains."""
    true = receivers(work.rng, 7, 1)
    term, = solve_terms(true.samples, terms_of("G:100s"), 0).terms
    truth = true.gains / (true.gains[0] / abs(true.gains[0]))
    found, errors = term.values[:, 0, :, 0], term.errors[:, 0, :, 0]
    amplitudes = (np.abs(found) - np.abs(truth)) / errors
    phases = np.angle(found * truth.conj())[:, 1:] / term.phase_errors[:, 0, 1:, 0]
    return amplitudes, phases, found / truth


METHOD = ("A source of a thousandth of the antennas' noise, 1 MHz and 100 s a solution, 300 "
          "solutions of seven antennas; ")


@GROUP.requires("Gains are right.", near(1.0, 0.005, allowance=0.002),
                METHOD + "mean amplitude over the true ones.")
def gains(work):
    ratio = np.abs(work.once(solved_gains)[2])
    return measured(ratio.mean(), ratio.std() / np.sqrt(ratio.size))


@GROUP.requires("Errors of amplitudes are those that repeated solutions show.",
                near(1.0, 0.02, allowance=0.05), METHOD +
                "rms of (found - true) over the error that the solution states.")
def errors_of_amplitudes(work):
    return rms(work.once(solved_gains)[0])


@GROUP.requires("Errors of phases are those that repeated solutions show.",
                near(1.0, 0.035, allowance=0.05), METHOD +
                "rms of (found - true) over the error that the solution states.")
def errors_of_phases(work):
    return rms(work.once(solved_gains)[1])


@GROUP.requires("Errors of delays are those that repeated solutions show.",
                near(1.0, 0.04, allowance=0.05), "The same with 16 channels, four antennas and "
                "delays of up to 200 ns; rms of (found - true) over the stated error.")
def errors_of_delays(work):
    true = receivers(work.rng, 4, 16, 2e-7)
    term, = solve_terms(true.samples, terms_of("K:100s"), 0).terms
    late = true.delays - true.delays[0]
    return rms(((term.values[:, 0, 1:, 0] - late[1:]) / term.errors[:, 0, 1:, 0]))


@GROUP.requires(
    "Delays and phases of receivers are found from a common signal.", at_most(5.0, "sigma"),
    "A common signal of correlation 0.8 in four receivers of delays of up to 2 samples and any "
    "phase, 2^20 samples through the flowgraph; largest difference of a phase in the middle of the "
    "band, and of a delay, in the errors of the formula of solve_common_signal.", devices=True)
def common_signal(work):
    count, channels, rate, c = 1 << 20, 64, 1e6, 0.8
    late = np.array([0.0, -1.3, 0.4, 2.0])
    phase = np.array([0.0, *work.rng.uniform(-np.pi, np.pi, 3)])
    spectrum = np.fft.fft(work.noise(count))
    x = np.stack([delayed(spectrum, d, p / (2 * np.pi)) for d, p in zip(late, phase)])
    x = np.sqrt(c) * x + np.sqrt(1 - c) * work.noise(4, count)
    vis, _ = dumps(work, x, channels, 16000)
    use = np.arange(8, 56)
    frequencies = (use - channels // 2) * rate / channels
    found = solve_common_signal(vis[0][use], frequencies)
    width, middle = len(use) / channels, 2 * np.pi * frequencies.mean()
    error = np.sqrt(1 - c * c) / (c * np.sqrt(2 * count * width))  # rad, of a phase
    turned = np.exp(1j * (np.radians(found.phase) - middle * np.array(found.delay)))
    want = np.exp(1j * (phase - middle / rate * late))
    phases = np.angle(turned * want.conj())[1:] / error
    delays = (np.array(found.delay) * rate - late)[1:] / (
        np.sqrt(12) / (2 * np.pi * width) * error)
    return measured(np.abs([phases, delays]).max(), note=(
        f"phases {np.round(phases, 2).tolist()}, delays {np.round(delays, 2).tolist()} sigma"))
