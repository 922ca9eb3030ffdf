#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Hot and cold: the noise temperature of a receiver."""
import numpy as np

from . import flaws

START = "2026-06-21T12:00:00Z"
RATE, FREQUENCY, SAMPLES = 2e6, 1420e6, 1500000
HOT, COLD = 293.0, 10.0  # K

TITLE = "The noise of a receiver, by hot and cold"
TASK = """
A horn looks at the cold sky, then an absorber at 293 K is held over it, then it looks at the sky
again. The sky at the zenith is 10 K, with the ground that the horn sees. Find the noise
temperature of the receiver.

    fringe correlate cold1.ci8 --obs horn.yml -o cold1.uvh5
    fringe correlate hot.ci8 --obs horn.yml -o hot.uvh5
    fringe correlate cold2.ci8 --obs horn.yml -o cold2.uvh5

In Python: total_power(), y_factor(), receiver_temperature() of gnuradio.fringe.radio_astronomy.
Look at the spectra first: is all of the power noise? Does the cold sky give the same power twice?
"""
MORE = "channels: 64\nintegration: 0.05\n"


def make(lab):
    """Writes the lab."""
    receiver = lab.rng.uniform(60, 140)
    rise = lab.rng.uniform(0.05, 0.1)
    tone = RATE / 64 * int(lab.rng.integers(5, 25))
    unit = 2.5 / (HOT + receiver)  # few samples saturate, and rounding adds little noise
    text = lab.observation({"horn": (0, 0, 0)}, RATE, FREQUENCY, "zenith", MORE)
    for k, (name, kelvin) in enumerate((("cold1", COLD), ("hot", HOT), ("cold2", COLD))):
        noise = f"sky: {{receiver_noise: {unit * (kelvin + receiver)}}}\n"
        with lab.recording(name + ".ci8", "the absorber" if name == "hot" else "the sky") as out:
            for first, v in lab.stretches(text + noise, SAMPLES, k):
                at = first + np.arange(v.shape[1])
                # The absorber covers the horn, and so what the transmitter sends.
                x = v[0] + (0 if name == "hot" else flaws.carrier(at / RATE, tone, 60 * unit))
                out.record(flaws.gain_drift(x, (k + at / SAMPLES) / 3, rise))
    lab.write("horn.yml", text, "the observation")
    lab.answers.update({
        "receiver_kelvin": receiver, "y": (HOT + receiver) / (COLD + receiver),
        "flaws": {"gain_drift": {"power_rises_by": rise, "over": "the three recordings"},
                  "carrier": {"files": ["cold1.ci8", "cold2.ci8"], "hz_from_the_middle": tone,
                              "kelvin_of_the_whole_band": 60}}})
