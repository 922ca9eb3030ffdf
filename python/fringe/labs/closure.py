#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Three antennas, whose receivers have phases of their own: the closure phase."""
import contextlib

import numpy as np

from .. import fringe_python as fp
from . import flaws

START = "2026-03-20T00:00:00Z"
SECONDS, RATE, FREQUENCY = 60, 20000.0, 150e6
PLACES = {"a": (0, 0, 0), "b": (60, 0, 0), "c": (20, 70, 0)}

TITLE = "The closure phase of a triangle"
TASK = """
Three antennas hear the same part of the sky at 150 MHz for a minute. Each receiver has a phase of
its own, which wanders, and one recorder was started late. Find the closure phase of the triangle,
and its error. Is the sky one point source?

    fringe align a.ci8 c.ci8 --sample-rate 20000 --search 10
    fringe correlate a.ci8 b.ci8 c.ci8 --obs triangle.yml --start-sample A,B,C -o triangle.ACC
    fringe plot triangle.ACC -o triangle.png

Compare a with b, and a with c; then choose A, B and C so that these samples belong together. In
Python: closure_phase() of gnuradio.fringe.radio_astronomy. Compare it with the phase of each
baseline.
"""
MORE = "channels: 16\nintegration: 0.5\n"


def make(lab):
    """Writes the lab."""
    late = int(lab.rng.integers(20000, 80000))
    l, m = lab.rng.uniform(0.01, 0.03, 2)
    phases, turns = lab.rng.uniform(-180, 180, 3), lab.rng.uniform(-60, 60, 3)
    rise = lab.rng.uniform(0.15, 0.3)
    begin, tone = float(lab.rng.integers(15, 45)), 1250.0 * int(lab.rng.integers(2, 6)) + 200
    sky = ("sky: {receiver_noise: 1, sources: [{l: %.5f, m: 0, flux: 1}, {l: %.5f, m: %.5f, "
           "flux: 0.6}]}\n" % (2 * l, -l, m))
    plain = lab.observation(PLACES, RATE, FREQUENCY, "zenith", MORE)
    with contextlib.ExitStack() as files:
        out = [files.enter_context(lab.recording(f"{name}.ci8", f"antenna {name}"))
               for name in PLACES]
        for first, v in lab.stretches(plain + sky, int(SECONDS * RATE)):
            t = (first + np.arange(v.shape[1])) / RATE
            v[0] += flaws.burst(t, begin, 3.0, 40.0, lab.rng)
            v[1] += flaws.carrier(t, tone, 0.5)
            v[1] = flaws.gain_drift(v[1], t / SECONDS, rise)
            for k, file in enumerate(out):
                turned = flaws.phase_drift(v[k], t / SECONDS, phases[k], turns[k])
                file.record(flaws.late_start(turned, max(0, late - first) if k == 2 else 0))
    lab.write("triangle.yml", plain, "the observation")
    lab.answers.update({
        "closure_phase_degrees": _closure(plain + sky), "sources": 2,
        "flaws": {"late_start": {"file": "c.ci8", "samples": late, "seconds": late / RATE},
                  "receiver_phases_degrees": phases.tolist(),
                  "they_turn_by_degrees": turns.tolist(),
                  "gain_drift": {"file": "b.ci8", "power_rises_by": rise},
                  "carrier": {"file": "b.ci8", "hz_from_the_middle": tone},
                  "burst": {"file": "a.ci8", "begins_at_s": begin, "seconds": 3.0}}})


def _closure(text):
    """arg(V_01 V_12 V_20) of the sky, degrees."""
    obs = fp.observation.from_text(text)
    v = {}
    for source in obs.sky:
        tau = fp.delays(obs, fp.source_direction(obs, source, obs.start_time))
        for i, j in ((0, 1), (1, 2), (2, 0)):
            wave = np.exp(-2j * np.pi * FREQUENCY * (tau[i] - tau[j]))
            v[i, j] = v.get((i, j), 0) + source.flux * wave
    return np.degrees(np.angle(np.prod(list(v.values()))))
