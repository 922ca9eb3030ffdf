#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""13: Stokes parameters and their signs, as docs/conventions.md and the IAU have them."""
import numpy as np

from .. import fringe_python as fp
from ..runs.correlate import correlate
from ..visibility_files.read_visibilities import read_visibilities
from .bench import through
from .requirement import at_most, curve, group, measured, near, plot

GROUP = group(13, "Polarization")
STOKES = {"Q": (1, 0.6, 0, 0), "U": (1, 0, 0.6, 0), "V": (1, 0, 0, 0.6)}
MIXED = (3.0, 1.0, -0.8, 1.5)
ENU = np.array([[0, 0, 0], [31, 4, 1], [-12, 77, -2], [140, -60, 3]], float)
SAMPLES = 1 << 18


def sky_field(work, stokes, samples, circular=False):
    """Voltages of two receptors, [hand][time], of an unpolarized part and waves that are polarized
    as in a textbook: in a position angle (Q, U), or in one hand (V).

    X points north, Y east; the position angle goes from north to east, so Q is positive for a
    wave in north-south, U for one from north-east to south-west. R = (X + i Y) / sqrt(2).
    """
    i, q, u, v = stokes
    linear, angle = np.hypot(q, u), 0.5 * np.arctan2(u, q)
    x, y = np.sqrt(i - linear - abs(v)) * work.noise(2, samples)
    wave = np.sqrt(2 * linear) * work.noise(samples)
    x, y = x + np.cos(angle) * wave, y + np.sin(angle) * wave
    # One hand alone: R is (X, Y) = (1, -i) / sqrt(2), as L = (X - i Y) / sqrt(2) is 0 then.
    round_wave = np.sqrt(abs(v)) * work.noise(samples)
    x, y = x + round_wave, y - 1j * np.sign(v) * round_wave
    if circular:
        x, y = (x + 1j * y) / np.sqrt(2), (x - 1j * y) / np.sqrt(2)
    return np.stack([x, y])


def stokes_of(work, stokes, hands):
    """I, Q, U, V from the correlations of two antennas in a file of a source at the zenith."""
    both = sky_field(work, stokes, SAMPLES, hands == "RL")
    (100 * np.concatenate([both, both]).T).astype("<c8").tofile(work.path("raw"))
    obs = fp.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 300.0},
        "antennas": [[0, 0, 0], [30, 0, 0]], "polarizations": list(hands), "sample_rate": 1e6,
        "center_frequency": 1e8, "start_time": "2026-06-12T22:00:00", "phase_center": "zenith",
        "channels": 16, "format": "cf32"}))
    path = work.new("x.ms")
    correlate(work.path("raw"), path, obs, spectra=10 ** 9, backend=work.backend)
    vis = read_visibilities(path)
    mean = vis.data[0, 1:].mean(axis=0) / 1e4
    number = {pair: k for k, pair in enumerate(zip(*vis.products))}
    a, b, c, d = (mean[number[first, second]] for first in (0, 1) for second in (2, 3))
    if hands == "XY":
        return np.array([a + d, a - d, b + c, -1j * (b - c)]).real / 2
    return np.array([a + d, b + c, -1j * (b - c), a - d]).real / 2


def add(name, hands, what):
    """The requirement on one of them with feeds of one kind."""
    @GROUP.requires(
        f"Stokes {name} has its sign and size with feeds of {hands}.", near(0.6, 0.01),
        f"{what}, made of waves as a textbook draws them, in front of two antennas with feeds of "
        f"{hands}; {name} of the correlations in a MeasurementSet.")
    def of_one(work):
        found = stokes_of(work, STOKES[name], hands)
        return measured(found["IQUV".index(name)], 1.5 / np.sqrt(SAMPLES), plot=plot(
            "I, Q, U, V", "measured and put in", (
                curve("measured", np.arange(4), found, "o"),
                curve("put in", np.arange(4), STOKES[name], "--"))))
    return of_one


for _hands in ("XY", "RL"):
    for _name, _what in (("Q", "A source 60 % polarized from north to south"),
                         ("U", "A source 60 % polarized from north-east to south-west"),
                         ("V", "A source 60 % polarized in the hand R")):
        add(_name, _hands, _what)


@GROUP.requires("The Stokes parameters that were not put in are 0.", near(0.0, 0.01),
                "The same three sources with feeds of XY; of Q, U and V, the largest of those that "
                "are not the source's.")
def leaks(work):
    worst = 0.0
    for name in "QUV":
        found = stokes_of(work, STOKES[name], "XY")
        for other in sorted(set("QUV") - {name}):
            value = found["IQUV".index(other)]
            worst = value if abs(value) > abs(worst) else worst
    return measured(worst, 1.5 / np.sqrt(SAMPLES))


@GROUP.requires("The beamformer's Stokes parameters are those of the source.", at_most(0.02),
                "A source of I, Q, U, V = 3, 1, -0.8, 1.5 in four antennas of XY towards az 70, el "
                "40; largest difference of the beam's I, Q, U, V from it, over 3.")
def of_a_beam(work):
    channels, block, items = 8, 32, 1600
    az, el = np.radians([70, 40])
    towards = [np.sin(az) * np.cos(el), np.cos(az) * np.cos(el), np.sin(el)]
    late = -(ENU - ENU[0]) @ towards / 299792458.0
    f = 150e6 + (np.arange(channels) - channels // 2) * 1e4
    seen = np.exp(-2j * np.pi * f[:, None] * late)
    both = sky_field(work, MIXED, channels * items * block).reshape(2, items, channels, block)
    x = seen[None, :, :, None, None] * both.transpose(1, 2, 0, 3)[:, :, None]
    obs = fp.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 300.0}, "antennas": ENU.tolist(),
        "polarizations": ["X", "Y"], "sample_rate": 8e4, "center_frequency": 150e6,
        "channels": channels}))
    former = fp.beamformer(obs, ["az=70,el=40"], "stokes", 0, items * block, block_spectra=block)
    x = x.reshape(items, channels, -1, block).astype(np.complex64)
    out, = through(work, x, [former]).out
    found = out.view(np.float32).reshape(-1, 4, channels)[0].mean(axis=1)
    gain = found[0] / MIXED[0]
    return measured(np.abs(found / gain - MIXED).max() / MIXED[0],
                    note=f"gain {gain:.3f} for 4 antennas")
