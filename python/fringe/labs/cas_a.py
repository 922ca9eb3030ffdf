#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Cas A that drifts through the beam of a dish that stands still."""
import numpy as np

from .. import fringe_python as fp
from ..observing.positions import azimuth_and_elevation
from . import flaws

START = "2026-06-21T00:00:00Z"
SECONDS, RATE, FREQUENCY = 14400, 500.0, 1420e6
FLUX = 0.25  # of the noise of the receiver

TITLE = "A drift scan of Cas A"
TASK = """
A dish stands still and points to where Cas A will be two hours after the recording begins. The
Earth carries Cas A through its beam. Find the width of the beam, how far the dish points beside
the planned place, and how strong Cas A is compared with the noise. (It is made stronger than a
dish of this size would see it, so that a small file with a narrow band is enough.)

    fringe correlate scan.ci8 --obs scan.yml -o scan.uvh5
    fringe plot scan.uvh5 -o scan.png        the spectrum

In Python: total_power(), drift_angle() with the declination +58.82 degrees, fit_beam(), all in
gnuradio.fringe.radio_astronomy. The receiver was warming up: what do you do with a level that is
not even?
"""
MORE = "channels: 16\nintegration: 60\n"


def make(lab):
    """Writes the lab."""
    width = np.radians(lab.rng.uniform(7.5, 9.5))
    off = float(lab.rng.integers(-600, 600))  # s
    rise = lab.rng.uniform(0.04, 0.08)
    tone = RATE / 16 * int(lab.rng.integers(2, 6))
    begin = float(lab.rng.integers(1000, 2500))
    cas_a = lab.observation({"dish": (0, 0, 0)}, RATE, FREQUENCY, "Cas A", MORE)
    lab.must_be_up(cas_a, "Cas A", SECONDS)
    sky = "sky: {receiver_noise: %g, sources: [%s]}\n"
    signal = cas_a + sky % (0, f"{{l: 0, m: 0, flux: {FLUX}}}")
    obs = fp.observation.from_text(cas_a)
    _, declination = fp.phase_center_radec(obs, obs.start_time)
    with lab.recording("scan.ci8", "the dish, four hours") as scan:
        noise = lab.stretches(cas_a + sky % (1, ""), int(SECONDS * RATE), 1)
        for (first, v), (_, n) in zip(lab.stretches(signal, int(SECONDS * RATE)), noise):
            t = (first + np.arange(v.shape[1])) / RATE
            hour = 7.292115e-5 * (t - SECONDS / 2 - off)
            apart = 2 * np.arcsin(np.cos(declination) * np.sin(hour / 2))
            beam = np.exp(-2 * np.log(2) * (apart / width) ** 2)  # of voltages
            x = beam * v[0] + n[0] + flaws.carrier(t, tone, 0.3)
            x += flaws.burst(t, begin, 100.0, 3.0, lab.rng)
            scan.record(flaws.gain_drift(x, t / SECONDS, rise))
    planned = azimuth_and_elevation(obs, obs.start_time.plus_seconds(SECONDS / 2))
    lab.write("scan.yml", lab.observation(
        {"dish": (0, 0, 0)}, RATE, FREQUENCY, "{az: %.4f, el: %.4f}" % planned, MORE),
              "the observation; the pointing is the planned one")
    lab.answers.update({
        "beam_width_degrees": np.degrees(width), "passes_at_s": SECONDS / 2 + off,
        "late_by_s": off, "cas_a_over_noise": FLUX,
        "flaws": {"gain_drift": {"power_rises_by": rise},
                  "carrier": {"hz_from_the_middle": tone},
                  "burst": {"begins_at_s": begin, "seconds": 100.0}}})
