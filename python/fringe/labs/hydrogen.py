#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Hydrogen along the Milky Way: the rotation curve by the method of tangent points."""
import numpy as np

from .. import fringe_python as fp
from ..radio_astronomy.spectral_line import HYDROGEN_LINE, lsr_correction
from ..readers.visibilities import SPEED_OF_LIGHT
from . import flaws

START = "2026-06-21T00:50:00Z"
RATE, FREQUENCY, SAMPLES = 2.4e6, 1420.1e6, 1200000
LONGITUDES = (20, 25, 30, 35, 40, 45, 50, 55, 60)
APART = 60.0  # s between two pointings
SUN_SPEED, SUN_RADIUS = 220.0, 8.5  # km/s, kpc
SYSTEM = 150.0  # K
#: Clouds of a line of sight: km/s behind the tangent point's, K, km/s (standard deviation).
CLOUDS = ((0, 45, 6), (-45, 30, 8), (-85, 15, 10))
#: Galactic axes in ICRS: towards the center, towards l = 90 degrees.
CENTER = np.array([-0.0548755604, -0.8734370902, -0.4838350155])
QUARTER = np.array([0.4941094279, -0.4448296300, 0.7469822445])

TITLE = "Hydrogen, and how the Milky Way turns"
TASK = """
A dish looks at the Milky Way at nine galactic longitudes, l20 to l60, for a short time each, and
at a sky without hydrogen (reference). On each line of sight the cloud with the highest velocity
is at the tangent point, at R = 8.5 kpc sin(l) from the center. There it turns with V(R) = v + 220
km/s sin(l), v its velocity in the local standard of rest. Draw V against R. The system
temperature is 150 K.

    fringe correlate l30.ci8 --obs l30.yml -o l30.uvh5
    fringe correlate reference.ci8 --obs reference.yml -o reference.uvh5

In Python: T = 150 K (S - R) / R of the mean spectra, lsr_velocity() of the channels' frequencies
with the observation file of the longitude, fit_beam() around the peak.
"""
MORE = "channels: 240\nintegration: 0.1\n"


def make(lab):
    """Writes the lab."""
    speed = lab.rng.uniform(205, 240)
    tones = sorted(int(n) for n in lab.rng.choice(LONGITUDES, 2, replace=False))
    gains = lab.rng.uniform(-0.08, 0.08, len(LONGITUDES))
    velocities = {}
    for k, longitude in enumerate(LONGITUDES):
        angle = np.radians(longitude)
        velocities[longitude] = speed - SUN_SPEED * np.sin(angle)
        towards = CENTER * np.cos(angle) + QUARTER * np.sin(angle)
        ra, dec = np.degrees(np.arctan2(towards[1], towards[0])) % 360, np.degrees(
            np.arcsin(towards[2]))
        text = lab.observation({"dish": (0, 0, 0)}, RATE, FREQUENCY,
                               f"{{ra: {ra:.6f}, dec: {dec:.6f}, name: l{longitude}}}", MORE,
                               lab.start.plus_seconds(k * APART))
        lab.must_be_up(text, f"galactic longitude {longitude}")
        moving = lsr_correction(fp.observation.from_text(text))
        tone = 0.9e6 if longitude in tones else None
        _pointing(lab, f"l{longitude}", text, k, gains[k],
                  [(velocities[longitude] + v, kelvin, wide, moving) for v, kelvin, wide in CLOUDS],
                  tone)
    text = lab.observation({"dish": (0, 0, 0)}, RATE, FREQUENCY, "zenith", MORE,
                           lab.start.plus_seconds(len(LONGITUDES) * APART))
    _pointing(lab, "reference", text, len(LONGITUDES), 0.0, [], None)
    lab.answers.update({
        "rotation_km_s": speed, "tangent_velocity_km_s": velocities,
        "radius_kpc": {n: SUN_RADIUS * np.sin(np.radians(n)) for n in LONGITUDES},
        "flaws": {"gain_differs_from_reference_by": dict(zip(LONGITUDES, gains.tolist())),
                  "carrier": {"files": [f"l{n}.ci8" for n in tones], "hz_from_the_middle": 0.9e6},
                  "band": "its power falls by half towards the edges, and has a ripple"}})


def _pointing(lab, name, text, number, gain, clouds, tone):
    """A recording of a spectrum, made of white noise that is filtered."""
    f = np.fft.fftfreq(SAMPLES, 1 / RATE)
    kelvin = np.full(SAMPLES, SYSTEM)
    for velocity, peak, wide, moving in clouds:
        beta = moving / SPEED_OF_LIGHT
        # The dish moves towards the cloud and receives the frequencies of the rest higher.
        rest = (FREQUENCY + f) * np.sqrt((1 - beta) / (1 + beta))
        v = SPEED_OF_LIGHT * (1 - rest / HYDROGEN_LINE) / 1e3
        kelvin += peak * np.exp(-((v - velocity) / wide) ** 2 / 2)
    band = (0.75 + 0.25 * np.cos(2 * np.pi * f / RATE)) * (1 + 0.05 * np.cos(2e-5 * f))
    white = np.concatenate([v for _, v in lab.stretches(text, SAMPLES, number)], axis=1)[0]
    x = np.fft.ifft(np.fft.fft(white) * np.sqrt(kelvin / SYSTEM * band * (1 + gain)))
    if tone:
        x += flaws.carrier(np.arange(SAMPLES) / RATE, tone, 0.05)
    with lab.recording(name + ".ci8", "a spectrum") as out:
        out.record(x.astype(np.complex64))
    lab.write(name + ".yml", text, "its observation")
