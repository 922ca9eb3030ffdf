#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Two dishes that follow the Sun: fringes, the length of the baseline."""
import contextlib

import numpy as np

from .. import fringe_python as fp
from ..radio_astronomy.disk import disk_visibility
from ..readers.visibilities import SPEED_OF_LIGHT
from . import flaws

START = "2026-06-21T11:20:00Z"
SECONDS, RATE, FREQUENCY = 1200, 4000.0, 1420e6
DIAMETER = np.radians(0.55)  # of the radio Sun
NOISE = 3.0  # power of a receiver; that of the whole Sun is 1
PACED = 12.0  # m, what students are told

TITLE = "Two dishes on the Sun"
TASK = """
Two small dishes stand 12 m apart, paced out from west to east, and follow the Sun for 20 minutes.
Their receivers share a clock, but the two recorders were started by hand. Find how long the
baseline is, from the rate of the fringes, and the correlation coefficient of the Sun.

    fringe align west.ci8 east.ci8 --sample-rate 4000 --search 10
    fringe correlate west.ci8 east.ci8 --obs sun.yml --start-sample A,B -o sun.ACC
    fringe plot sun.ACC -o sun.png
    fringe info sun.yml

The second command takes A,B from the last line of the first one. (An .ACC file is not phased to
the Sun, so its fringes turn.) fringe info predicts the fringe rate for 12.00 m. Which channels
and which seconds do you leave out, and why?
"""
MORE = "channels: 16\nintegration: 5\n"


def make(lab):
    """Writes the lab."""
    length = lab.rng.uniform(11.2, 12.8)
    late = int(lab.rng.integers(6000, 20000))
    rise, phase = lab.rng.uniform(0.15, 0.3), lab.rng.uniform(-180, 180)
    tone = 250 * int(lab.rng.integers(2, 6)) + 60.0  # Hz, within one channel
    begin = float(lab.rng.integers(300, 900))
    share = float(disk_visibility(length * FREQUENCY / SPEED_OF_LIGHT, DIAMETER))
    # A baseline tells a disk from a point by its smaller coefficient alone: the rest is noise.
    sky = (f"sky: {{receiver_noise: {NOISE + 1 - share}, sources: [{{name: Sun, l: 0, m: 0, "
           f"flux: {share}}}]}}\n")
    true = lab.observation(_antennas(length), RATE, FREQUENCY, "Sun", MORE + sky)
    lab.must_be_up(true, "the Sun", SECONDS)
    with contextlib.ExitStack() as files:
        west, east = (files.enter_context(lab.recording(f"{name}.ci8", f"the {name}ern dish"))
                      for name in ("west", "east"))
        for first, v in lab.stretches(true, int(SECONDS * RATE)):
            t = (first + np.arange(v.shape[1])) / RATE
            v += flaws.carrier(t, tone, 0.4)
            v[1] += flaws.burst(t, begin, 12.0, 30.0, lab.rng)
            west.record(flaws.gain_drift(v[0], t / SECONDS, rise))
            turned = flaws.phase_drift(v[1], t / SECONDS, phase)
            east.record(flaws.late_start(turned, max(0, late - first)))
    lab.write("sun.yml", lab.observation(_antennas(PACED), RATE, FREQUENCY, "Sun", MORE),
              "the observation; the place of the eastern dish is paced")
    lab.answers.update({
        "baseline_m": length, "fringe_rate_hz": _rate(true), "coefficient": share / (NOISE + 1),
        "flaws": {
            "late_start": {"file": "east.ci8", "samples": late, "seconds": late / RATE},
            "gain_drift": {"file": "west.ci8", "power_rises_by": rise},
            "carrier": {"files": ["west.ci8", "east.ci8"], "hz_from_the_middle": tone},
            "burst": {"file": "east.ci8", "begins_at_s": begin, "seconds": 12.0},
            "phase_of_the_east_degrees": phase}})


def _antennas(length):
    return {"west": (0, 0, 0), "east": (length, 0, 0)}


def _rate(text):
    """Turns a second of V = <x_west conj(x_east)> in the middle of the observation."""
    obs = fp.observation.from_text(text)
    tau = []
    for at in (SECONDS / 2 - 1, SECONDS / 2 + 1):
        towards = fp.phase_center_direction(obs, obs.start_time.plus_seconds(at))
        tau.append(np.subtract(*fp.delays(obs, towards)))
    return -FREQUENCY * (tau[1] - tau[0]) / 2
