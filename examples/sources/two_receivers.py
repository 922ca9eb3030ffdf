#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Two coherent receivers calibrated with a noise source: two_receivers.py [FOLDER].

The receivers are simulated; sources of a radio's samples go where sky_source is.
"""
import os
import sys

import numpy as np
from gnuradio import blocks, fringe, gr

SECONDS = 1.0  # of each dump
here = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1] if len(sys.argv) > 1 else "."


def receivers(obs, noise_source):
    """What is there, and has to be found: another cable and another receiver in the east."""
    there = fringe.observation(obs)
    inputs = there.inputs
    inputs[0].cable_delay, inputs[0].gain, inputs[0].phase = 0.0, 1.0, 0.0
    inputs[1].cable_delay, inputs[1].gain, inputs[1].phase = 2.345e-6, 1.4, 70.0
    there.inputs = inputs
    if noise_source:  # instead of the antennas, by equal cables: from the zenith
        there.sky = [fringe.point_source(l=0, m=0, flux=4.0, name="noise source")]
    return there


def dump(obs, noise_source, path):
    """One dump in a file: mean visibilities [channel][product]."""
    inputs, channels = len(obs.inputs), obs.channels
    spectra = fringe.block_spectra(inputs, channels)
    source = fringe.sky_source(receivers(obs, noise_source))
    stack = fringe.stack(inputs, channels * spectra, obs.sample_rate, obs.center_frequency)
    channelizer = fringe.channelizer(
        inputs, channels, spectra, True, "f32", obs.taps, obs.window,
        corrections=fringe.item_sizes.corrections(obs, channels, True))
    xengine = fringe.xengine(inputs, channels, spectra)
    integrator = fringe.integrator(inputs, channels, seconds=SECONDS)
    sink = fringe.visibility_sink(obs, path, channels, overwrite=True)
    flowgraph = gr.top_block()
    for k in range(inputs):
        head = blocks.head(gr.sizeof_gr_complex, round(SECONDS * obs.sample_rate))
        flowgraph.connect((source, k), head, (stack, k))
    flowgraph.connect(stack, channelizer, xengine, integrator, sink)
    flowgraph.connect((integrator, 1), (sink, 1))  # weights
    flowgraph.run()
    return fringe.read_visibilities(path).data[0]


def in_words(vis, frequencies):
    """How the phase of west - east runs over the band, and what that costs."""
    turns = np.ptp(np.unwrap(np.angle(vis[:, 1]))) / (2 * np.pi)
    mean = abs(vis[:, 1].mean()) / abs(vis[:, 1]).mean()
    return (f"the phase turns {turns:.2f} times over {np.ptp(frequencies) / 1e6:.2f} MHz, "
            f"averaging over the band leaves {100 * mean:.0f} % of the amplitude")


obs = fringe.observation.from_file(os.path.join(here, "two_receivers.yml"))
band = fringe.calibration.inner_band(obs.channels)  # without its edges
frequencies = obs.channel_frequencies(obs.channels, True)[band]

before = dump(obs, True, os.path.join(folder, "before.ACC"))[band]
found = fringe.solve_common_signal(before, frequencies)
print("noise source, before:", in_words(before, frequencies))
for antenna, delay, phase, gain in zip(obs.antennas, found.delay, found.phase, found.gain):
    print(f"{antenna.name}: delay {delay * 1e9:.2f} ns, phase {phase:.1f} degrees, gain {gain:.4f}")

calibrated = os.path.join(folder, "two_receivers_calibrated.yml")
with open(calibrated, "w", encoding="utf-8") as file:
    file.write(fringe.calibrated(obs, found).to_text())
obs = fringe.observation.from_file(calibrated)
after = dump(obs, True, os.path.join(folder, "after.ACC"))[band]
print("noise source, after:", in_words(after, frequencies))
sky = fringe.solve_common_signal(dump(obs, False, os.path.join(folder, "sky.ACC"))[band],
                                 frequencies)
print(f"the sky, after: east hears the Sun {sky.delay[1] * 1e9:.1f} ns later")
